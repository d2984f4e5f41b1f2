//! The editor of layouts in the window, against real stores: open, type, see what is read, save.
//!
//! Apart from `window` because layouts are written into a folder of their own here.

mod support;

use std::path::Path;
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::command::EditorCommand;
use idemscope::app::{Command, Program, Start};
use idemscope::ui::Window;
use support::process::{Folder, wait_for};
use support::redis as server;

/// A window without a display.
struct Desk(Harness<'static, Window>);

impl Desk {
    fn open(target: &str, layouts: &Path) -> Desk {
        let mut start = Start::plain(Some(target));
        start.reading.own_layouts = Some(layouts.to_owned());
        let harness = Harness::builder()
            .with_size(egui::vec2(1440.0, 900.0))
            .with_max_steps(60)
            .allow_missing_glyphs()
            .build_eframe(move |creation| {
                let ctx = creation.egui_ctx.clone();
                let wake = Arc::new(move || ctx.request_repaint());
                let program = Program::start(start, wake).expect("a worker");
                Window::new(program, &creation.egui_ctx)
            });
        Desk(harness)
    }

    fn has(&self, text: &str) -> bool {
        self.0.query_all_by_label_contains(text).next().is_some()
    }

    #[track_caller]
    fn until(&mut self, what: &str, mut shown: impl FnMut(&Desk) -> bool) {
        wait_for(what, || {
            self.0.step();
            shown(self).then_some(())
        });
    }

    #[track_caller]
    fn until_text(&mut self, text: &str) {
        self.until(text, |desk| desk.has(text));
    }

    fn press(&mut self, key: egui::Key) {
        self.0.key_press(key);
        self.0.run_steps(2);
    }

    fn press_ctrl(&mut self, key: egui::Key) {
        self.0.key_press_modifiers(egui::Modifiers::COMMAND, key);
        self.0.run_steps(2);
    }

    fn click(&mut self, label: &str) {
        self.0.get_by_label(label).click();
        self.0.run_steps(2);
    }

    /// Chooses what to describe.
    fn choose(&mut self, place: &str) {
        let role = egui::Role::ListBoxOption;
        let nodes = self.0.query_all_by_role(role);
        let node = nodes.into_iter().find(|node| {
            node.accesskit_node()
                .label()
                .is_some_and(|l| l.starts_with(place))
        });
        node.expect("a subject of this name").click();
        self.0.run_steps(2);
        self.until("its sample", |desk| desk.0.state().is_settled());
    }

    fn text(&self) -> String {
        self.0.state().state().editor.text.clone()
    }

    fn put(&mut self, text: String) {
        let typed = Command::Editor(EditorCommand::Typed(text));
        self.0.state_mut().send(typed);
    }
}

/// A Redis with a store of nobody's library, and things beside it.
fn payments() -> server::Server {
    let server = server::Server::start();
    let mut connection = server.connection();
    let mut set = |key: String, value: &str| {
        redis::cmd("SET")
            .arg(key)
            .arg(value)
            .arg("EX")
            .arg(3000)
            .exec(&mut connection)
            .expect("SET");
    };
    for n in 1..=6 {
        set(
            format!("pay:acme:ord-{n}"),
            r#"{"st":"run","at":1795953500}"#,
        );
        let done = r#"{"st":"ok","at":1795953100,"code":201,"answer":"eyJpZCI6N30="}"#;
        set(format!("pay:globex:ord-{n}"), done);
        set(format!("sess:x{n}"), r#"{"user":1}"#);
    }
    server
}

#[test]
fn a_store_is_described_tried_and_saved() {
    let server = payments();
    let folder = Folder::new();
    let layouts = folder.path().join("layouts");
    let mut desk = Desk::open(&server.url(), &layouts);
    desk.until_text("No idempotency records here");
    desk.click("Describe it…");
    desk.until_text("What to describe");
    desk.until_text("pay:{scope}:{key}, 12");
    desk.choose("pay:{scope}:{key}");
    desk.until_text("All 12 examples are read");
    assert!(desk.has("Example 1 of 12"));
    desk.until_text("As stored");
    let example = |desk: &Desk| desk.0.state().state().editor.example;
    desk.press(egui::Key::ArrowRight);
    desk.until("another example", |desk| example(desk) == 1);
    // Another status for a word changes what is read.
    let text = desk.text();
    assert!(text.contains("status = \"processing\""), "{text}");
    desk.put(text.replace("status = \"processing\"", "status = \"failed\""));
    desk.until("the example as failed", |desk| {
        desk.has("Failed") || desk.has("Completed")
    });
    desk.until_text("edited");
    // A mistake stands at its line, with its sentence.
    desk.put(text.replace("\"value.code\"", "\"valu.code\""));
    desk.until_text("begins with nothing known here");
    let line = text
        .lines()
        .position(|line| line.contains("value.code"))
        .expect("a line")
        + 1;
    desk.until_text(&format!("Line {line}: "));
    desk.press_ctrl(egui::Key::S);
    desk.until_text("Mend the text before saving it");
    assert!(!layouts.exists());
    desk.put(format!("{text}\n[lock]\nlease = \"2m\"\n"));
    desk.until_text("All 12 examples are read");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("Why it was chosen");
    desk.until_text("pay-scope-key, pay:{scope}:{key}");
    let saved = std::fs::read_to_string(layouts.join("pay-scope-key.toml")).expect("a file");
    assert!(saved.ends_with("lease = \"2m\"\n"));
    desk.press(egui::Key::Num2);
    desk.until_text("6 stuck");
}

#[test]
fn a_broken_file_is_told_and_mended() {
    let server = payments();
    let folder = Folder::new();
    let layouts = folder.path().join("layouts");
    std::fs::create_dir(&layouts).expect("a folder");
    let path = layouts.join("mine.toml");
    let text = "id = \"mine\"\ntitle = \"Mine\"\nclass = \"c\"\n\n[redis]\nkees = [\"pay:{scope}:{key}\"]\n";
    std::fs::write(&path, text).expect("a file");
    let mut desk = Desk::open(&server.url(), &layouts);
    desk.until_text("No idempotency records here");
    desk.press(egui::Key::Num7);
    desk.until_text("unknown field `kees`");
    assert!(desk.has("line 6"));
    desk.click("Mend mine.toml");
    desk.until_text("Line 6: ");
    desk.choose("pay:{scope}:{key}");
    desk.until("the sample", |desk| desk.has("Example 1 of 12"));
    assert_eq!(desk.text(), text, "what is written stays");
    let mended = format!(
        "{}\n[redis.string]\nfields.idempotency_key = \"key.key\"\n[[redis.string.case]]\n\
         name = \"any\"\nstatus = \"unknown\"\n",
        text.replace("kees", "keys")
    );
    desk.put(mended.clone());
    desk.until_text("All 12 examples are read");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("Why it was chosen");
    desk.until("the file to be taken", |desk| !desk.has("unknown field"));
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), mended);
}

#[test]
fn a_copy_of_a_layout_is_edited_and_typed_text_is_not_lost() {
    let folder = Folder::new();
    let layouts = folder.path().join("layouts");
    let server = server::Server::start();
    for snapshot in support::corpus::redis_snapshots("plain-article") {
        support::corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    let mut desk = Desk::open(&server.url(), &layouts);
    desk.until("the sources", |desk| desk.has("records"));
    desk.press(egui::Key::Num7);
    desk.until_text("Why it was chosen");
    desk.press(egui::Key::E);
    desk.until_text("examples are read");
    let text = desk.text();
    assert!(text.starts_with("# A copy of a layout"), "{text}");
    desk.press(egui::Key::Enter);
    desk.until("the text to have the focus", |desk| {
        desk.0.ctx.memory(|memory| memory.focused().is_some())
    });
    desk.0
        .get_by_role_and_label(egui::Role::MultilineTextInput, "Layout as TOML")
        .type_text("# mine\n");
    desk.until_text("edited");
    desk.press(egui::Key::Escape);
    desk.press(egui::Key::Escape);
    desk.until_text("Leave without saving?");
    desk.press(egui::Key::Escape);
    desk.until("the question to go", |desk| {
        !desk.has("Leave without saving?")
    });
    assert!(desk.text().contains("# mine"), "{}", desk.text());
    // A file of that name that says something else is not written over without a word.
    std::fs::create_dir(&layouts).expect("a folder");
    let path = layouts.join("plain-article.toml");
    std::fs::write(&path, "another").expect("a file");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("Write over another file?");
    desk.press_ctrl(egui::Key::Enter);
    desk.until_text("Why it was chosen");
    let saved = std::fs::read_to_string(&path).expect("a file");
    assert!(saved.contains("# mine"));
}

/// A record whose lock is another key.
const WITH_LOCKS: &str = r#"
id = "with-locks"
title = "Results with locks beside them"
class = "http-idempotency"

[redis]
keys = ["res:{key}"]
parts.lock = { key = "res-lock:{key}" }

[redis.string]
fields.idempotency_key = "key.key"

[[redis.string.case]]
name = "a lock stands beside it"
status = "processing"
when = [{ of = "with.lock", present = true }]

[[redis.string.case]]
name = "no lock"
status = "completed"
"#;

#[test]
fn further_keys_that_a_text_names_are_read_for_the_examples() {
    let server = server::Server::start();
    let mut connection = server.connection();
    for (key, value) in [("res:1", "x"), ("res-lock:1", "w"), ("res:2", "y")] {
        redis::cmd("SET")
            .arg(key)
            .arg(value)
            .exec(&mut connection)
            .expect("SET");
    }
    let folder = Folder::new();
    let mut desk = Desk::open(&server.url(), &folder.path().join("layouts"));
    desk.until_text("No idempotency records here");
    desk.press(egui::Key::N);
    desk.until_text("res:{key}, 2");
    desk.choose("res:{key}");
    desk.until_text("All 2 examples are read");
    desk.put(WITH_LOCKS.to_owned());
    let mut seen = Vec::new();
    desk.until_text("with-locks");
    for key in [egui::Key::ArrowRight, egui::Key::ArrowLeft] {
        desk.until("a status", |desk| {
            desk.has("Processing") || desk.has("Completed")
        });
        seen.push(desk.has("Processing"));
        desk.press(key);
    }
    seen.sort_unstable();
    assert_eq!(seen, [false, true], "one with a lock, one without");
}
