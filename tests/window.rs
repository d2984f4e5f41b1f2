//! The window against real servers: what a person does, found by the labels a screen reader reads.
//!
//! Apart from the panels' own tests because here everything is joined, but for the display.

mod support;

use egui_kittest::kittest::Queryable;
use idemscope::app::Start;
use support::desk::{Desk, articles};
use support::process::Folder;
use support::{corpus, postgres, redis as server};

/// The demo store's records, and the few that its shop has added.
fn has_all(desk: &Desk) -> bool {
    desk.has("2\u{202f}699") || desk.has("2\u{202f}70")
}

#[test]
fn the_demo_store_shows_its_rows_and_grows() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    assert!(desk.has("Demo store"));
    desk.until_text("2\u{202f}699 records");
    desk.until_text("2\u{202f}70");
    let first = desk.rows().remove(0);
    assert!(first.starts_with("Stuck, "), "{first}");
}

#[test]
fn a_filter_narrows_and_escape_lets_go() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.type_into("Filter", "status:failed");
    desk.until("only failed rows", |desk| {
        let rows = desk.rows();
        !rows.is_empty() && rows.iter().all(|row| row.starts_with("Failed, "))
    });
    desk.type_into("Filter", " age>soon");
    desk.until_text("Expected a span");
    desk.press(egui::Key::Escape);
    desk.press(egui::Key::Escape);
    desk.until("all rows", |desk| {
        desk.rows().iter().any(|row| row.starts_with("Completed, "))
    });
    desk.type_into("Filter", "no-such-key");
    desk.until_text("Nothing matches");
    desk.click("Clear");
    desk.until("rows again", |desk| desk.rows().len() > 20);
}

#[test]
fn redis_is_opened_by_its_url_sorted_and_read() {
    let server = articles();
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the demo store", |desk| desk.rows().len() > 20);
    desk.press_ctrl(egui::Key::O);
    desk.type_into("Address of the store", &server.url());
    desk.press(egui::Key::Enter);
    desk.until("the rows of Redis", |desk| {
        (1..20).contains(&desk.rows().len())
    });
    desk.click("Sort by Key");
    desk.until("keys in order", |desk| {
        let keys: Vec<String> = desk.rows().iter().map(|row| key_of(row)).collect();
        !keys.is_empty() && keys.is_sorted()
    });
    desk.click("Sort by Key, sorted up");
    desk.until("keys in the other order", |desk| {
        let mut keys: Vec<String> = desk.rows().iter().map(|row| key_of(row)).collect();
        keys.reverse();
        keys.is_sorted() && keys.len() > 1
    });
    desk.press(egui::Key::Home);
    desk.press(egui::Key::Enter);
    desk.until_text("A retry sent now gets");
    desk.click("Raw");
    desk.until("the raw value", |desk| !desk.has("Payload hash"));
    desk.press(egui::Key::Escape);
    desk.until("the panel to close", |desk| !desk.has("Close (Esc)"));
}

/// The second part of a row's name.
fn key_of(row: &str) -> String {
    row.split(", ").nth(1).unwrap_or_default().to_owned()
}

#[test]
fn postgres_shows_locks_with_their_evidence() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    corpus::load_layout(server, &database, "uuid-key-locked-at");
    let mut desk = Desk::open(&server.database_url(&database));
    desk.until("rows", |desk| !desk.rows().is_empty());
    desk.type_into("Filter", "is:locked");
    desk.until("only locks", |desk| {
        let rows = desk.rows();
        !rows.is_empty() && rows.iter().all(|row| row.contains("locked for"))
    });
    desk.press(egui::Key::Enter);
    desk.press(egui::Key::Enter);
    desk.until_text("By the store’s clock");
    assert!(desk.has("locked_at"), "the column that it rests on");
}

#[test]
fn a_wrong_address_says_why_and_what_now() {
    let mut desk = Desk::open("redis://127.0.0.1:1");
    desk.until_text("127.0.0.1:1 cannot be reached");
    assert!(desk.has("Check host and port"));
    // What was asked for stands in the field, to be mended or written over.
    assert_eq!(desk.value("Address of the store"), "redis://127.0.0.1:1");
    desk.press_ctrl(egui::Key::A);
    desk.type_into("Address of the store", "nonsense");
    desk.press(egui::Key::Enter);
    desk.until_text("neither a URL nor the name of a saved connection");
    assert!(desk.has("a target is `demo:`") || desk.has("A target is"));
}

#[test]
fn an_empty_store_says_so() {
    let server = server::Server::start();
    let mut desk = Desk::open(&server.url());
    desk.until_text("No idempotency records here");
    assert!(desk.has("There are no keys in this store"));
}

#[test]
fn a_lost_server_keeps_its_rows_and_comes_back() {
    let server = articles();
    let mut desk = Desk::open(&server.url());
    let before = 8;
    desk.until_rows(before);
    server.kill();
    desk.press(egui::Key::F5);
    desk.until_text("No answer for");
    assert_eq!(desk.rows().len(), before);
    server.restart();
    for snapshot in corpus::redis_snapshots("plain-article") {
        corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    desk.click("Try now");
    desk.until("the banner to go", |desk| !desk.has("No answer for"));
    desk.until_rows(before);
}

#[test]
fn hostile_keys_are_shown_escaped() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    corpus::load_layout(server, &database, "brandur-rocket-rides");
    let mut desk = Desk::open(&server.database_url(&database));
    desk.until("rows", |desk| !desk.rows().is_empty());
    for row in desk.rows() {
        let hidden = row.chars().any(|c| c.is_control() || c == '\u{202e}');
        assert!(!hidden, "{row:?}");
    }
}

#[test]
fn stuck_locks_come_first_and_a_lease_decides() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(egui::Key::Num2);
    desk.until_text("9 stuck");
    let first = desk.rows().remove(0);
    assert!(
        first.starts_with("Stuck, ") && first.contains("deadline passed"),
        "{first}"
    );
    desk.press(egui::Key::G);
    desk.until_text("main.idempotency_keys");
    desk.press(egui::Key::L);
    desk.until_text("The lease that counts");
    desk.press(egui::Key::Escape);
    desk.until("the dialog to go", |desk| {
        !desk.has("The lease that counts")
    });
    desk.press(egui::Key::Enter);
    desk.until_text("A retry sent now gets");
}

#[test]
fn a_source_is_left_out_and_read_again() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(egui::Key::Num7);
    desk.until_text("Why it was chosen");
    desk.until_text("Payload hash");
    desk.press(egui::Key::S);
    desk.until_text("left out");
    desk.press(egui::Key::Num1);
    desk.until("fewer keys", |desk| {
        !has_all(desk) && !desk.rows().is_empty()
    });
    desk.press(egui::Key::Num7);
    desk.press(egui::Key::S);
    desk.press(egui::Key::Num1);
    desk.until("all records", has_all);
}

#[test]
fn the_filter_is_completed_by_tab() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.type_into("Filter", "sta");
    desk.until_text("Complete status:");
    desk.press(egui::Key::Tab);
    desk.until_text("Complete failed");
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::Enter);
    desk.until("only some rows", |desk| {
        let rows = desk.rows();
        !rows.is_empty() && rows.iter().all(|row| row.starts_with("Completed, "))
    });
    desk.press(egui::Key::Escape);
    assert!(!desk.has("Complete "), "Esc closes the list");
}

#[test]
fn rows_are_selected_by_key_and_counted() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.until_text("Scan complete");
    desk.press(egui::Key::Space);
    desk.until_text("1 selected");
    desk.0
        .key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::ArrowDown);
    desk.until_text("2 selected");
    desk.0
        .key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::Y);
    desk.until_text("Copy 2 records");
    desk.press(egui::Key::J);
    desk.until_text("2 records as JSON copied");
    let before = desk.0.state().state().selection.scan;
    desk.until("another reading", |desk| {
        desk.0.state().state().selection.scan > before
    });
    assert!(desk.has("2 selected"), "it survives a new reading");
    desk.press_ctrl(egui::Key::A);
    desk.until("all selected", has_all);
    let state = desk.0.state().state();
    assert_eq!(state.selection.len() as u64, state.keys.rows());
    desk.press(egui::Key::Escape);
    desk.until("nothing selected", |desk| !desk.has(" selected"));
}

#[test]
fn what_is_listed_is_written_into_a_file() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.until("all records", has_all);
    desk.type_into("Filter", "status:failed ");
    desk.until("only failed rows", |desk| {
        desk.rows().iter().all(|row| row.starts_with("Failed, "))
    });
    let path = folder.path().join("failed.jsonl");
    desk.click("Export…");
    desk.until_text("JSON lines");
    desk.click("JSON lines");
    let ask = idemscope::app::command::ExportCommand::PathTyped(path.display().to_string());
    let ask = idemscope::app::Command::Export(ask);
    desk.0.state_mut().send(ask);
    desk.click("Export");
    desk.until_text("records in ");
    let text = std::fs::read_to_string(&path).expect("the file");
    let all_failed = text
        .lines()
        .all(|line| line.contains("\"status\":\"failed\""));
    assert!(all_failed && text.lines().count() > 2, "{text}");
}

#[test]
fn the_palette_runs_what_was_found() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press_ctrl(egui::Key::K);
    desk.until_text("Run Layouts");
    desk.type_into("Search or run", "lay");
    desk.press(egui::Key::Enter);
    desk.until_text("Why it was chosen");
    assert!(!desk.has("Run Layouts"));
}

#[test]
fn what_is_chosen_in_settings_counts_at_once_and_is_kept() {
    let folder = Folder::new();
    let file = folder.path().join("settings.toml");
    let mut start = Start::plain(Some("demo:"));
    start.reading.demo = Some(folder.path().join("demo.sqlite"));
    start.reading.settings_file = Some(file.clone());
    let mut desk = Desk::with(start);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(egui::Key::Num8);
    desk.click("Density: Roomy");
    desk.click("Language: Русский");
    desk.until_text("Настройки");
    desk.click("Язык: English");
    desk.until_text("They work at once");
    let written = || std::fs::read_to_string(&file).unwrap_or_default();
    // Each choice is written by itself.
    let is_kept = |line: &str| written().contains(line);
    desk.until("the file", |_| {
        is_kept("density = \"roomy\"") && is_kept("language = \"english\"")
    });
    desk.press(egui::Key::Escape);
    desk.until("rows again", |desk| !desk.rows().is_empty());
}

#[test]
fn columns_are_chosen_and_moved_by_keyboard_and_pointer() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.0
        .key_press_modifiers(egui::Modifiers::SHIFT, egui::Key::C);
    desk.0.run_steps(2);
    desk.click("Response");
    desk.click("Hash");
    desk.click("Scope: further left");
    desk.press(egui::Key::Escape);
    assert!(desk.0.query_by_label("Sort by Response").is_some());
    assert!(desk.0.query_by_label("Sort by Hash").is_none());
    let x = |desk: &Desk, label: &str| desk.0.get_by_label(label).rect().min.x;
    assert!(x(&desk, "Sort by Scope") < x(&desk, "Sort by Key"));
    let edge = desk.0.get_by_label("Width of Scope").rect().center();
    let before = x(&desk, "Sort by Key");
    desk.0.drag_at(edge);
    desk.0.run_steps(2);
    desk.0.hover_at(edge + egui::vec2(60.0, 0.0));
    desk.0.run_steps(2);
    desk.0.drop_at(edge + egui::vec2(60.0, 0.0));
    desk.0.run_steps(2);
    assert!(x(&desk, "Sort by Key") > before + 50.0);
}

#[test]
fn private_parts_are_masked_until_they_are_asked_for() {
    let server = server::Server::start();
    let body = r#"{"status":"completed","response":{"card_number":"4242424242424242","id":"p"}}"#;
    let name = "idempotency:7f3a0c1e-5b21-4d7e-9a44-0b6f3c9d1e02";
    let set = redis::cmd("SET")
        .arg(&[name, body])
        .arg(&["EX", "600"])
        .to_owned();
    set.exec(&mut server.connection()).expect("it is set");
    let mut desk = Desk::open(&server.url());
    desk.until_rows(1);
    desk.press(egui::Key::Enter);
    desk.until_text("Raw");
    desk.click("Raw");
    desk.until_text("1 private part is masked");
    assert!(!desk.has("4242"));
    desk.press(egui::Key::M);
    desk.until_text("\"4242424242424242\"");
    desk.click("Fold line 1");
    desk.until("a folded tree", |desk| !desk.has("4242424242424242"));
    desk.click("Hex");
    desk.until_text("00000000  ");
}
