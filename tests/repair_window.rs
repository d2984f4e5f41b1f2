//! Repairs in the window over real stores: from what is selected to a plan, a run, a report, an undo
//! and the journal, mostly without a pointer.
//!
//! Apart from `window` because here stores are changed.

mod support;

use egui::{Key, Role};
use egui_kittest::kittest::Queryable;
use idemscope::app::Start;
use idemscope::app::state::Stage;
use idemscope::domain::change::Outcome;
use idemscope::ops::journal::{self, ChainState};
use support::desk::{Desk, articles};
use support::process::Folder;
use support::redis as server;

/// A desk whose journal is in a folder of its own.
fn open(target: &str, folder: &Folder) -> Desk {
    let mut start = Start::plain(Some(target));
    start.reading.demo = Some(folder.join("demo.sqlite"));
    start.reading.journal = Some(folder.join("journal"));
    Desk::with(start)
}

/// The same with a connection that is marked as production.
fn open_production(server: &server::Server, folder: &Folder) -> Desk {
    let text = format!(
        "[connection.payments-prod]\nurl = \"{}\"\nproduction = true\n",
        server.url()
    );
    let path = folder.write("connections.toml", &text);
    let mut start = Start::plain(Some("payments-prod"));
    start.reading.kept.connections = Some(path);
    start.reading.journal = Some(folder.join("journal"));
    Desk::with(start)
}

/// Shows the locks of plain-article as stuck, by a lease that is typed.
fn show_stuck(desk: &mut Desk) {
    desk.until("rows", |desk| !desk.rows().is_empty());
    desk.until_all_is_read();
    desk.press(Key::Num2);
    desk.until_text("locks");
    desk.press(Key::L);
    desk.until_text("The lease that counts");
    let field = desk.label_of(Role::TextInput, "Lease of ");
    desk.type_into(&field, "1s");
    desk.press(Key::Enter);
    desk.until("stuck locks", |desk| {
        desk.rows().iter().any(|row| row.starts_with("Stuck, "))
    });
}

/// How many records the plan in sight changes.
fn planned(desk: &mut Desk) -> usize {
    let mut count = 0;
    desk.until("a plan", |desk| {
        let job = desk.0.state().state().repair.job.as_ref();
        let Some(Stage::Planned(plan)) = job.map(|job| &job.stage) else {
            return false;
        };
        count = plan.items().len();
        true
    });
    desk.0.run_steps(2);
    count
}

fn type_body(desk: &mut Desk, text: &str) {
    let field = |desk: &Desk| {
        let node = desk
            .0
            .get_by_role_and_label(Role::MultilineTextInput, "Body");
        node.focus();
        node.type_text(text);
    };
    field(desk);
    desk.0.run_steps(2);
}

fn stuck(desk: &Desk) -> usize {
    let rows = desk.rows();
    rows.iter().filter(|row| row.starts_with("Stuck, ")).count()
}

#[test]
fn what_is_stuck_in_the_demo_store_is_released_and_put_back() {
    let folder = Folder::new();
    let mut desk = open("demo:", &folder);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    assert!(
        desk.has("Changes on"),
        "the demo store is the program's own"
    );
    // What is selected are the rows that are there.
    desk.until_all_is_read();
    desk.press(Key::Num2);
    desk.until("stuck locks", |desk| stuck(desk) > 3);
    desk.press(Key::A);
    desk.until_text("Plan release…");
    desk.press(Key::R);
    let before = planned(&mut desk);
    desk.until_text(&format!("Release {before} in Demo store"));
    assert!(desk.has("Was it already done?"));
    desk.type_into("Reason", "the worker was killed");
    desk.press_ctrl(Key::Enter);
    desk.until_text(&format!("{before} released"));
    // The report leads to the way back.
    desk.press(Key::U);
    desk.until_text(&format!("Put back {before} in Demo store"));
    assert!(desk.has("locks come back"));
    desk.press(Key::Escape);
    desk.until("the locks to go", |desk| stuck(desk) == 0);
    desk.press(Key::Num6);
    desk.until_text("the worker was killed");
    desk.press(Key::U);
    desk.until_text(&format!("Put back {before} in Demo store"));
    desk.press_ctrl(Key::Enter);
    desk.until_text(&format!("{before} restored"));
    desk.press(Key::Escape);
    desk.press(Key::Home);
    desk.until_text("This run is an undo");
    desk.press(Key::ArrowDown);
    desk.until_text("Puts back what was changed");
    desk.press(Key::Num2);
    desk.until("the locks to come back", |desk| stuck(desk) == before);
    desk.press(Key::Home);
    desk.press(Key::Enter);
    desk.until_text("Why it counts as stuck");
    desk.click("History");
    desk.until("both runs", |desk| {
        desk.has("restored") && desk.has("released")
    });
}

#[test]
fn a_store_is_read_only_until_a_person_turns_changes_on() {
    let server = articles();
    let folder = Folder::new();
    let mut desk = open(&server.url(), &folder);
    show_stuck(&mut desk);
    assert!(desk.has("Read-only"));
    desk.press(Key::A);
    desk.press(Key::R);
    let before = planned(&mut desk);
    assert!(before > 0);
    desk.until_text("Turn changes on");
    desk.press_ctrl(Key::Enter);
    desk.until_text(&format!("Release {before} in "));
    assert!(!desk.has("released"), "one key more");
    desk.press_ctrl(Key::Enter);
    desk.until_text(&format!("{before} released"));
    desk.press(Key::Escape);
    desk.until("the locks to go", |desk| stuck(desk) == 0);
    assert!(desk.has("Changes on"));
    desk.press_ctrl(Key::E);
    desk.until_text("Read-only again");
}

#[test]
fn production_wants_its_name_for_a_release() {
    let server = articles();
    let folder = Folder::new();
    let mut desk = open_production(&server, &folder);
    show_stuck(&mut desk);
    desk.press(Key::A);
    desk.press(Key::R);
    let before = planned(&mut desk);
    assert!(before > 0);
    desk.until_text("Turns changes on for 15 min");
    // The reason has the focus; the name is a Tab further.
    desk.type_into("Reason", "INC-2291");
    desk.press_ctrl(Key::Enter);
    assert!(desk.has("Type the target"), "nothing runs without the name");
    desk.type_into("Type the target", "payments-pro");
    desk.press_ctrl(Key::Enter);
    assert!(desk.has("Type the target"), "another name");
    desk.type_into("Type the target", "d");
    desk.press_ctrl(Key::Enter);
    desk.until_text(&format!("{before} released"));
    desk.press(Key::Escape);
    desk.until_text("Changes on, 14:");
    desk.press(Key::Num6);
    desk.until_text("INC-2291");
    assert!(desk.has("Release in payments-prod"));
}

#[test]
fn turning_changes_on_in_production_wants_the_name() {
    let server = articles();
    let folder = Folder::new();
    let mut desk = open_production(&server, &folder);
    desk.until("rows", |desk| !desk.rows().is_empty());
    desk.press_ctrl(Key::E);
    desk.until_text("Turn changes on in payments-prod");
    desk.press_ctrl(Key::Enter);
    assert!(desk.has("Read-only"));
    desk.type_into("Type the target", "payments-prod");
    desk.press_ctrl(Key::Enter);
    desk.until_text("Changes on, 14:");
    desk.press_ctrl(Key::E);
    desk.until_text("Read-only again");
}

#[test]
fn a_settle_asks_for_the_answer_first() {
    let folder = Folder::new();
    let mut desk = open("demo:", &folder);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(Key::Home);
    desk.press(Key::S);
    desk.until_text("Did it really happen?");
    desk.type_into("HTTP status", "x");
    assert!(desk.has("A status is a number"));
    desk.press(Key::Backspace);
    type_body(&mut desk, "{\"ok\":");
    desk.until_text("Not JSON");
    type_body(&mut desk, " true}");
    desk.press_ctrl(Key::Enter);
    assert_eq!(planned(&mut desk), 1);
    desk.press_ctrl(Key::Enter);
    desk.until_text("1 settled");
}

#[test]
fn what_is_finished_is_left_alone_with_the_reason() {
    let server = articles();
    let folder = Folder::new();
    let mut desk = open(&server.url(), &folder);
    desk.until("rows", |desk| !desk.rows().is_empty());
    desk.type_into("Filter", "status:completed");
    desk.until("only completed", |desk| {
        let rows = desk.rows();
        !rows.is_empty() && rows.iter().all(|row| row.starts_with("Completed"))
    });
    desk.press(Key::Enter);
    desk.press_ctrl(Key::A);
    desk.press(Key::R);
    desk.until_text("a finished record is never released");
    assert_eq!(planned(&mut desk), 0);
    desk.press(Key::Escape);
    desk.until("the plan to close", |desk| !desk.has("Save plan…"));
}

#[test]
fn plans_and_reports_are_saved_and_never_over_a_file() {
    let folder = Folder::new();
    let mut desk = open("demo:", &folder);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    // What is selected are the rows that are there.
    desk.until_all_is_read();
    desk.press(Key::Num2);
    desk.until("stuck locks", |desk| stuck(desk) > 3);
    desk.press(Key::A);
    desk.press(Key::R);
    planned(&mut desk);
    desk.0.run_steps(6);
    desk.click("Save plan…");
    let path = folder.join("plan.json");
    desk.press_ctrl(Key::A);
    let field = |desk: &mut Desk| {
        desk.0
            .get_by_role_and_label(Role::TextInput, "File")
            .focus();
        desk.0.run_steps(2);
        desk.press_ctrl(Key::A);
    };
    field(&mut desk);
    desk.type_into("File", &path.display().to_string());
    desk.press(Key::Enter);
    desk.until_text("Written to");
    let plan = std::fs::read_to_string(&path).expect("a plan");
    assert!(plan.contains("\"verb\": \"release\""), "{plan}");
    desk.click("Save plan…");
    field(&mut desk);
    desk.type_into("File", &path.display().to_string());
    desk.press(Key::Enter);
    desk.until_text("A file of that name is there");
    desk.press(Key::Escape);
    desk.until_text("Save plan…");
}

/// A Redis with so many locks of plain-article, hours old.
fn many_locks(count: usize) -> server::Server {
    let server = articles();
    let mut connection = server.connection();
    for start in (0..count).step_by(1000) {
        let mut pipe = redis::pipe();
        for at in start..(start + 1000).min(count) {
            let key = format!("idempotency:a8098c1a-f86e-11da-bd1a-{at:012}");
            pipe.cmd("SET")
                .arg(key)
                .arg("processing")
                .arg("EX")
                .arg(70_000);
        }
        pipe.exec(&mut connection).expect("they are written");
    }
    server
}

/// A plan over many locks, one key before it runs.
fn plan_many(desk: &mut Desk, least: usize) -> usize {
    show_stuck(desk);
    desk.until("all locks", |desk| {
        let page = desk.0.state().state().keys.page.as_ref();
        page.is_some_and(|page| page.locks.rows.len() >= least)
    });
    desk.press(Key::A);
    desk.press(Key::R);
    let count = planned(desk);
    desk.press_ctrl(Key::Enter);
    count
}

#[test]
fn a_long_run_goes_on_behind_the_window() {
    let server = many_locks(20_000);
    let folder = Folder::new();
    let mut desk = open(&server.url(), &folder);
    let count = plan_many(&mut desk, 20_000);
    assert!(count >= 20_000, "{count}");
    desk.press_ctrl(Key::Enter);
    desk.press(Key::Escape);
    let said = format!("{}\u{202f}{:03} released", count / 1000, count % 1000);
    desk.until_text(&said);
    desk.press(Key::Num6);
    desk.until_text("Puts back what was changed");
    let job = desk.0.state().state().repair.job.as_ref();
    assert!(matches!(job.map(|job| &job.stage), Some(Stage::Ended(_))));
}

#[test]
fn a_window_that_closes_ends_its_run_cleanly() {
    let server = many_locks(50_000);
    let folder = Folder::new();
    let mut desk = open(&server.url(), &folder);
    let count = plan_many(&mut desk, 50_000);
    desk.press_ctrl(Key::Enter);
    desk.until("the run to begin", |desk| {
        let job = desk.0.state().state().repair.job.as_ref();
        match job.map(|job| &job.stage) {
            Some(Stage::Running(running)) => running.progress.tally.total() > 0,
            _ => true,
        }
    });
    drop(desk);
    let (runs, wrong) = journal::list(&folder.join("journal"));
    assert!(wrong.is_empty(), "{wrong:?}");
    let run = runs.first().expect("a run");
    assert_eq!(run.chain, ChainState::Whole);
    assert!(run.end.is_some(), "it came to an end");
    let tally = run.tally();
    assert_eq!(tally.total(), count as u64);
    assert_eq!(tally.of(Outcome::Unknown), 0);
}
