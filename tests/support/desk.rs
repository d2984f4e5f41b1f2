//! A window without a display, driven by the labels that a screen reader reads.
//!
//! Apart from the tests because several files of them need the same desk.

use std::path::Path;
use std::sync::Arc;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::state::Running;
use idemscope::app::{Program, Start};
use idemscope::ui::Window;

use super::process::wait_for;
use super::{corpus, redis as server};

/// A window without a display.
pub struct Desk(pub Harness<'static, Window>);

impl Desk {
    pub fn open(target: &str) -> Desk {
        Desk::with(Start::plain(Some(target)))
    }

    pub fn demo(folder: &Path) -> Desk {
        let mut start = Start::plain(Some("demo:"));
        start.reading.demo = Some(folder.join("demo.sqlite"));
        Desk::with(start)
    }

    pub fn with(start: Start) -> Desk {
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

    /// What the rows in sight say.
    pub fn rows(&self) -> Vec<String> {
        let rows = self.0.query_all_by_role(egui::Role::Row);
        rows.filter_map(|row| row.accesskit_node().label())
            .collect()
    }

    pub fn has(&self, text: &str) -> bool {
        self.0.query_all_by_label_contains(text).next().is_some()
    }

    /// Draws frames until something is shown.
    #[track_caller]
    pub fn until(&mut self, what: &str, mut shown: impl FnMut(&Desk) -> bool) {
        wait_for(what, || {
            self.0.step();
            shown(self).then_some(())
        });
    }

    /// Draws frames until the whole store was read once, and the page shows what was read.
    #[track_caller]
    pub fn until_all_is_read(&mut self) {
        self.until("the whole store", |desk| {
            let keys = &desk.0.state().state().keys;
            let is_shown = keys.asked.is_none() && !keys.stale;
            keys.scan.running != Running::First && keys.scan.progress.done && is_shown
        });
    }

    /// What stands in a text field.
    pub fn value(&self, label: &str) -> String {
        let field = self.0.get_by_role_and_label(egui::Role::TextInput, label);
        field.accesskit_node().value().unwrap_or_default()
    }

    /// The whole label of what begins with a text.
    pub fn label_of(&self, role: egui::Role, start: &str) -> String {
        let mut all = self.0.query_all_by_role(role);
        all.find_map(|node| {
            let label = node.accesskit_node().label()?;
            label.starts_with(start).then_some(label)
        })
        .unwrap_or_default()
    }

    #[track_caller]
    pub fn until_text(&mut self, text: &str) {
        self.until(text, |desk| desk.has(text));
    }

    #[track_caller]
    pub fn until_rows(&mut self, count: usize) {
        self.until("rows", |desk| desk.rows().len() == count);
    }

    pub fn click(&mut self, label: &str) {
        self.0.get_by_label(label).click();
        self.0.run_steps(2);
    }

    pub fn type_into(&mut self, label: &str, text: &str) {
        let field = self.0.get_by_role_and_label(egui::Role::TextInput, label);
        field.focus();
        self.0.run_steps(2);
        self.0
            .get_by_role_and_label(egui::Role::TextInput, label)
            .type_text(text);
        self.0.run_steps(2);
    }

    pub fn press(&mut self, key: egui::Key) {
        self.0.key_press(key);
        self.0.run_steps(2);
    }

    pub fn press_ctrl(&mut self, key: egui::Key) {
        self.0.key_press_modifiers(egui::Modifiers::COMMAND, key);
        self.0.run_steps(2);
    }
}

/// A Redis with the records of plain-article.
pub fn articles() -> server::Server {
    let server = server::Server::start();
    for snapshot in corpus::redis_snapshots("plain-article") {
        corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    server
}
