//! The view of statistics in the window: every mark leads to exactly the keys that were counted, by
//! keyboard and by pointer; a part of time is taken by dragging; figures go into files.

mod support;

use egui::{Key, Modifiers, PointerButton, Role, pos2};
use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::Start;
use idemscope::app::state::Place;
use idemscope::app::view::Told;
use support::desk::Desk;
use support::process::Folder;

/// The demo store with its storm, in the view of statistics.
fn stats(folder: &Folder) -> Desk {
    let mut start = Start::plain(Some("demo:"));
    start.reading.demo = Some(folder.join("demo.sqlite"));
    // What comes while a test looks would be counted as well.
    if let Ok(settings) = &mut start.settings {
        settings.live_secs = 0;
    }
    let mut desk = Desk::with(start);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(Key::Num3);
    desk.until_text("Worth a look");
    desk
}

fn told(desk: &Desk) -> Told {
    let told = desk.0.state().state().stats.told.value();
    told.map(|told| (**told).clone()).expect("figures")
}

fn bins(desk: &Desk) -> [u64; 7] {
    let per_key = told(desk).report.attempts_per_key;
    per_key.known().expect("keys").bins
}

/// Goes from stop to stop until the one whose name begins so has the focus.
#[track_caller]
fn tab_to(desk: &mut Desk, start: &str) {
    for _ in 0..80 {
        desk.press(Key::Tab);
        let mut all = desk.0.query_all_by_role(Role::Button);
        let is_there = all.any(|node| {
            let node = node.accesskit_node();
            node.is_focused() && node.label().is_some_and(|label| label.starts_with(start))
        });
        if is_there {
            return;
        }
    }
    panic!("Tab does not reach {start}");
}

/// The keys that the table is limited to: how many were counted, and how many records are shown.
#[track_caller]
fn listed(desk: &mut Desk) -> (u64, u64) {
    desk.until("the list of keys", |desk| {
        let state = desk.0.state().state();
        let is_answered = state.keys.answered == state.keys.question;
        state.view.place == Place::Keys && state.keys.list.is_some() && is_answered
    });
    let state = desk.0.state().state();
    let list = state.keys.list.as_ref().expect("a list");
    assert!(!list.is_cut());
    assert_eq!(list.keys.len() as u64, list.counted);
    let page = state.keys.page.as_ref().expect("a page");
    assert_eq!(page.listed, Some(page.rows.len() as u64));
    (list.counted, page.rows.len() as u64)
}

/// Back to the figures; the list is taken away first.
fn back(desk: &mut Desk) {
    desk.press(Key::Escape);
    desk.until("all keys", |desk| {
        desk.0.state().state().keys.list.is_none()
    });
    desk.0.key_press_modifiers(Modifiers::ALT, Key::ArrowLeft);
    desk.until_text("Worth a look");
    desk.until("figures", |desk| {
        !desk.0.state().state().stats.told.is_loading()
    });
}

#[test]
fn every_mark_leads_to_the_keys_that_were_counted() {
    let folder = Folder::new();
    let mut desk = stats(&folder);
    desk.press(Key::O);
    assert!(listed(&mut desk).0 > 0);
    back(&mut desk);

    // Each time as it is told then: the window slides.
    let report = told(&desk).report;
    let suspects = report.new_key_suspects.known().copied().expect("suspects");
    tab_to(&mut desk, &format!("{suspects} payloads sent"));
    desk.press(Key::Enter);
    let (keys, _) = listed(&mut desk);
    assert!(keys >= suspects * 2, "{keys} keys for {suspects} payloads");
    desk.until_text("whose payload came under another key as well");
    back(&mut desk);

    let report = told(&desk).report;
    let found = report.findings.known().copied().expect("findings");
    tab_to(&mut desk, &format!("{} keys left", found.abandoned));
    desk.press(Key::Enter);
    let (keys, records) = listed(&mut desk);
    assert_eq!(keys, found.abandoned);
    assert!(records > 0, "their records are here");
    back(&mut desk);

    let bins = bins(&desk);
    tab_to(&mut desk, "Retry rate ");
    desk.press(Key::Enter);
    let (keys, records) = listed(&mut desk);
    // A retry may be the only attempt of its key in the window.
    let retries = report.retry_rate.known().expect("a rate").retries;
    assert!(keys >= bins.iter().skip(1).sum::<u64>() && keys <= retries);
    assert!(records > keys / 2, "{records} of {keys}");
    back(&mut desk);

    let bins = self::bins(&desk);
    tab_to(&mut desk, "Keys by attempts");
    desk.press(Key::ArrowRight);
    desk.press(Key::Enter);
    assert_eq!(listed(&mut desk).0, bins[1]);
    back(&mut desk);

    let report = told(&desk).report;
    let storms = report.storms.known().cloned().unwrap_or_default();
    let storm = storms
        .into_iter()
        .find(|storm| storm.kind.name() == "endpoint");
    let storm = storm.expect("a storm");
    assert!(storm.keys_exact);
    tab_to(&mut desk, "Storm on ");
    desk.press(Key::Enter);
    assert_eq!(listed(&mut desk).0, storm.keys);
    back(&mut desk);

    tab_to(&mut desk, "In progress, ");
    desk.press(Key::Enter);
    assert!(listed(&mut desk).0 > 0);
    desk.until_text("with an attempt that came to: in progress");
}

#[test]
fn a_pointer_and_the_arrows_do_the_same() {
    let folder = Folder::new();
    let mut desk = stats(&folder);
    let bins = told(&desk)
        .report
        .attempts_per_key
        .known()
        .expect("keys")
        .bins;
    let chart = desk.label_of(Role::Button, "Keys by attempts");
    let rect = desk.0.get_by_label(&chart).rect();
    // The first of seven bars.
    let at = pos2(rect.min.x + 8.0, rect.max.y - 40.0);
    click(&mut desk, at);
    assert_eq!(listed(&mut desk).0, bins[0]);
    back(&mut desk);
    // By what attempts are told apart.
    desk.press(Key::G);
    desk.until_text("by client");
    for _ in 0..4 {
        desk.press(Key::G);
    }
    desk.until_text("by layout");
    tab_to(&mut desk, "lab-shop, ");
    desk.press(Key::Enter);
    desk.until("its records", |desk| {
        let state = desk.0.state().state();
        state.view.place == Place::Keys && state.keys.filter == "layout:lab-shop"
    });
    assert!(desk.0.state().state().keys.list.is_none());
}

fn click(desk: &mut Desk, at: egui::Pos2) {
    for pressed in [true, false] {
        desk.0.event(egui::Event::PointerMoved(at));
        desk.0.event(button(at, pressed));
        desk.0.run_steps(2);
    }
}

fn button(pos: egui::Pos2, pressed: bool) -> egui::Event {
    egui::Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    }
}

#[test]
fn a_part_of_time_is_taken_by_dragging_and_by_arrows() {
    let folder = Folder::new();
    let mut desk = stats(&folder);
    let whole = told(&desk).report.span;
    let chart = desk.label_of(Role::Button, "Retries over time");
    let rect = desk.0.get_by_label(&chart).rect();
    let y = rect.center().y;
    let (from, to) = (
        rect.min.x + rect.width() * 0.2,
        rect.min.x + rect.width() * 0.4,
    );
    desk.0.event(egui::Event::PointerMoved(pos2(from, y)));
    desk.0.event(button(pos2(from, y), true));
    desk.0.run_steps(2);
    for x in [from + 20.0, to] {
        desk.0.event(egui::Event::PointerMoved(pos2(x, y)));
        desk.0.run_steps(2);
    }
    desk.0.event(button(pos2(to, y), false));
    desk.until("a part of the time", |desk| {
        let stats = &desk.0.state().state().stats;
        stats.picked.is_some() && !stats.told.is_loading()
    });
    let part = told(&desk).report.span;
    let share = part.len_ms() as f64 / whole.len_ms() as f64;
    assert!((share - 0.2).abs() < 0.03, "{share}");
    desk.press(Key::Escape);
    desk.until("the whole again", |desk| {
        let stats = &desk.0.state().state().stats;
        stats.picked.is_none() && !stats.told.is_loading()
    });
    tab_to(&mut desk, "Retries over time");
    for _ in 0..10 {
        desk.press(Key::ArrowRight);
    }
    for _ in 0..11 {
        desk.0
            .key_press_modifiers(Modifiers::SHIFT, Key::ArrowRight);
        desk.0.run_steps(2);
    }
    desk.press(Key::Enter);
    desk.until("a part by key", |desk| {
        desk.0.state().state().stats.picked.is_some()
    });
    let (from, to) = desk.0.state().state().stats.picked.expect("a part");
    let bins = (to - from) as f64 / (whole.len_ms() as f64 / 120.0);
    assert!((bins - 12.0).abs() < 0.5, "{bins}");
}

#[test]
fn figures_go_into_files_of_three_kinds() {
    let folder = Folder::new();
    let mut desk = stats(&folder);
    for (form, name) in [
        ("PNG", "page.png"),
        ("CSV", "page.csv"),
        ("JSON", "page.json"),
    ] {
        desk.press(Key::E);
        desk.until_text("Export retry statistics");
        desk.click(form);
        let path = folder.join(name);
        let old = desk.value("File");
        let field = desk.0.get_by_role_and_label(Role::TextInput, "File");
        field.focus();
        desk.0.run_steps(2);
        desk.press_ctrl(Key::A);
        desk.type_into("File", &path.display().to_string());
        assert_ne!(desk.value("File"), old);
        desk.press(Key::Enter);
        desk.until(name, |_| path.exists());
        desk.until("the dialog to close", |desk| {
            !desk.has("Export retry statistics")
        });
        let bytes = std::fs::read(&path).expect("a file");
        match form {
            "PNG" => {
                let picture = image::load_from_memory(&bytes).expect("a picture");
                assert!(picture.width() >= 2_000 && picture.height() >= 1_000);
            }
            "CSV" => {
                let text = String::from_utf8(bytes).expect("text");
                assert!(text.starts_with("figure,part,value,source,"), "{text}");
                assert!(text.contains("record_breakdown") && text.contains("retry_rate"));
            }
            _ => {
                let told: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
                assert!(told["figures"]["outcomes"]["value"]["executed"].is_u64());
                assert!(told["figures"]["oldest_lock"]["value"].is_i64());
            }
        }
    }
    // A file that is there is left as it is.
    desk.press(Key::E);
    desk.until_text("Export retry statistics");
    desk.press_ctrl(Key::A);
    desk.type_into("File", &folder.join("page.png").display().to_string());
    desk.press(Key::Enter);
    desk.until_text("A file of that name is there");
}
