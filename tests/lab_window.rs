//! The lab in the window: scenarios run for real from shops in processes of their own, driven by keys
//! and found by the labels that a screen reader reads.
//!
//! Apart from `window` because here nothing of a store is looked at.

mod support;

use egui::Key;
use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::Start;
use idemscope::app::state::{LabStore, Theme};
use support::desk::Desk;
use support::postgres;
use support::process::Folder;
use support::redis as server;

/// A window whose shops are started from the built program.
fn open(target: &str, folder: &Folder) -> Desk {
    let mut start = Start::plain(Some(target));
    start.reading.demo = Some(folder.join("demo.sqlite"));
    start.reading.program = Some(env!("CARGO_BIN_EXE_idemscope").into());
    Desk::with(start)
}

/// The demo store is there, and the lab is shown.
fn lab(folder: &Folder) -> Desk {
    let mut desk = open("demo:", folder);
    desk.until("the demo store", |desk| !desk.rows().is_empty());
    desk.press(Key::Num4);
    desk.until_text("Three taps, one charge");
    desk
}

fn run_to_the_end(desk: &mut Desk) {
    desk.press(Key::Space);
    // It is drawn as it happens.
    desk.until("the first messages", |desk| {
        let lab = &desk.0.state().state().lab;
        lab.is_under_way() && lab.sides.iter().all(|side| !side.trace.messages.is_empty())
    });
    desk.until("both runs", |desk| desk.0.state().state().lab.has_ended());
}

/// Steps to the end of what has run.
fn to_the_end(desk: &mut Desk) {
    for _ in 0..300 {
        let lab = &desk.0.state().state().lab;
        if lab.cursor.at >= lab.axis.end() {
            return;
        }
        desk.press(Key::ArrowRight);
    }
}

#[test]
fn three_taps_are_run_and_told_by_the_keyboard() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    assert!(desk.has("Not run yet"));
    run_to_the_end(&mut desk);
    to_the_end(&mut desk);
    desk.until_text("as expected");
    assert!(desk.has("3 charges") && desk.has("1 charge"));
    assert!(desk.has("Shop remembers: 1 answer"));
    assert!(desk.has("not wanted"));
    // Back in time: less is known.
    desk.press(Key::Home);
    desk.until_text("0 charges");
    assert!(desk.has("So far: wanted 1, the bank made 0, the customer knows of 0"));
    desk.press(Key::ArrowRight);
    desk.until_text("client → proxy: POST 1500");
    // One column, the other, both.
    desk.press(Key::V);
    assert!(desk.0.query_by_label("Switches of Without").is_none());
    desk.press(Key::V);
    desk.press(Key::V);
    assert!(desk.0.query_by_label("Switches of Without").is_some());
    // Nothing of the lab is left on the disk.
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    let names = files.filter_map(|file| Some(file.ok()?.file_name().display().to_string()));
    let left: Vec<String> = names.filter(|name| name.starts_with("lab-")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn switches_change_a_run_and_that_is_said() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.press(Key::S);
    desk.until_text("Presets");
    desk.click("Keys: kept");
    desk.until_text("1 changed from the scenario");
    desk.press_ctrl(Key::Enter);
    desk.until("the run", |desk| desk.0.state().state().lab.has_ended());
    assert!(desk.has("changed from the scenario"));
    to_the_end(&mut desk);
    // The clients of S01 send no key: the shop that wants one charges nothing.
    desk.until_text("the bank made 0, the customer knows of 0");
    // As a page, into a file.
    desk.press(Key::E);
    desk.until_text("Save this run");
    let path = folder.join("run.html");
    let field = desk.0.get_by_role_and_label(egui::Role::TextInput, "File");
    field.focus();
    desk.0.run_steps(2);
    desk.press_ctrl(Key::A);
    desk.type_into("File", &path.display().to_string());
    desk.press(Key::Enter);
    desk.until_text("Run saved to");
    let page = std::fs::read_to_string(&path).expect("a page");
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    assert!(page.contains("changed from the scenario"));
}

#[test]
fn the_projector_leaves_only_what_is_seen_from_afar() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.press(Key::P);
    assert_eq!(desk.0.state().state().theme(), Theme::Light);
    assert!(!desk.has("Ledger of the bank") && !desk.has("Scenarios"));
    assert!(desk.has("So far: wanted"));
    desk.press(Key::Escape);
    desk.until_text("Ledger of the bank");
}

#[test]
fn the_open_store_is_used_with_the_lab_s_own_keys_only() {
    let server = server::Server::start();
    let mut connection = server.connection();
    redis::cmd("SET")
        .arg("idem:mine")
        .arg("{\"status\":\"processing\"}")
        .exec(&mut connection)
        .expect("a key");
    let folder = Folder::new();
    let mut desk = open(&server.url(), &folder);
    desk.until("the store", |desk| {
        desk.0.state().state().connection.store.value().is_some()
    });
    desk.press(Key::Num4);
    desk.until_text("Three taps, one charge");
    desk.click("Records stand in: Own file");
    assert_eq!(desk.0.state().state().lab.place, LabStore::Open);
    run_to_the_end(&mut desk);
    to_the_end(&mut desk);
    desk.until_text("as expected");
    let keys: Vec<String> = redis::cmd("KEYS")
        .arg("*")
        .query(&mut connection)
        .expect("keys");
    assert_eq!(
        keys,
        ["idem:mine"],
        "what is not the lab's stays, what is goes"
    );
}

#[test]
fn free_play_starts_counts_and_stops() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.press(Key::F);
    desk.until_text("Clients that keep paying");
    desk.press(Key::Space);
    desk.until("some charges", |desk| {
        desk.0.state().state().lab.free.view.charges > 3
    });
    desk.click("Clients: 20");
    desk.until("more clients", |desk| {
        let free = &desk.0.state().state().lab.free;
        free.plan.clients == 20 && free.view.attempts > 20
    });
    desk.press(Key::Space);
    assert!(!desk.0.state().state().lab.free.is_at_work());
    // Back to the scenarios.
    desk.press(Key::ArrowUp);
    desk.until_text("The operator repairs a blocked key");
}

#[test]
fn free_play_that_goes_on_unseen_is_shown_and_stopped_from_there() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.press(Key::F);
    desk.press(Key::Space);
    desk.until("some charges", |desk| {
        desk.0.state().state().lab.free.view.charges > 0
    });
    desk.press(Key::Num1);
    desk.until_text("Lab, at work");
    desk.click("Stop free play");
    assert!(!desk.0.state().state().lab.free.is_at_work());
    assert!(!desk.has("Lab, at work") && !desk.has("Stop free play"));
}

#[test]
fn a_lease_is_changed_by_the_keyboard() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.press(Key::S);
    desk.until_text("Lease lasts");
    assert_eq!(desk.value("Lease lasts"), "4s");
    let field = desk
        .0
        .get_by_role_and_label(egui::Role::TextInput, "Lease lasts");
    field.focus();
    desk.0.run_steps(2);
    desk.press(Key::ArrowDown);
    desk.until("a shorter lease", |desk| {
        desk.value("Lease lasts") == "3.5s"
    });
    desk.press_ctrl(Key::A);
    desk.type_into("Lease lasts", "2m");
    desk.press_ctrl(Key::Enter);
    // Too long: nothing runs.
    assert!(!desk.0.state().state().lab.is_under_way());
    desk.press_ctrl(Key::A);
    desk.type_into("Lease lasts", "900ms");
    desk.until_text("1 changed from the scenario");
    desk.press_ctrl(Key::Enter);
    desk.until("the run", |desk| desk.0.state().state().lab.has_ended());
    let lab = &desk.0.state().state().lab;
    assert_eq!(lab.sides[0].variant.switches.lease_ms, 900);
}

#[test]
fn an_open_postgres_is_used_in_a_schema_of_the_lab_s_own() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, "CREATE TABLE mine (id int)");
    let folder = Folder::new();
    let mut desk = open(&server.database_url(&database), &folder);
    desk.until("the store", |desk| {
        desk.0.state().state().connection.store.value().is_some()
    });
    desk.press(Key::Num4);
    desk.until_text("Three taps, one charge");
    desk.click("Records stand in: Own file");
    run_to_the_end(&mut desk);
    to_the_end(&mut desk);
    desk.until_text("as expected");
    let left = "SELECT string_agg(nspname || '.' || relname, ' ') FROM pg_class
        JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relkind = 'r' AND nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema'";
    let left = server.text(&database, left);
    assert_eq!(left.as_deref(), Some("public.mine"));
}

#[test]
fn every_scenario_is_listed_with_its_name() {
    let folder = Folder::new();
    let mut desk = lab(&folder);
    desk.0.run_steps(2);
    let options = desk.0.query_all_by_role(egui::Role::ListBoxOption);
    let names: Vec<String> = options
        .filter_map(|node| node.accesskit_node().label())
        .collect();
    assert!(names.len() >= 18, "{names:?}");
    assert!(names[0].starts_with("S01 Three taps, three charges"));
}
