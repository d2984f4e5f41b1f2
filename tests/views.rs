//! Every view for everybody: names for those who cannot see, and an incident from start to end
//! without a pointer.
//!
//! Apart from `window` because these go through all views at once.

mod support;

use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::Start;
use support::desk::{Desk, articles};
use support::process::Folder;
use support::{corpus, postgres};

/// What a person can use, or is told by its name.
const NAMED: [Role; 11] = [
    Role::Button,
    Role::CheckBox,
    Role::Tab,
    Role::Row,
    Role::TextInput,
    Role::MenuItem,
    Role::ListBoxOption,
    Role::Splitter,
    Role::Link,
    Role::RadioButton,
    Role::ColumnHeader,
];

/// Everything that can be used has a name, and no two buttons in sight have the same one.
#[track_caller]
fn check_names(desk: &Desk, view: &str) {
    desk.0.check_accessibility();
    let mut buttons = Vec::new();
    let mut count = 0;
    for role in NAMED {
        for node in desk.0.query_all_by_role(role) {
            let node = node.accesskit_node();
            let name = node.label().unwrap_or_default();
            assert!(!name.trim().is_empty(), "{view}: a {role:?} without a name");
            count += 1;
            if role == Role::Button {
                buttons.push(name);
            }
        }
    }
    assert!(count > 5, "{view}: hardly anything is there");
    buttons.sort();
    for pair in buttons.windows(2) {
        assert_ne!(pair[0], pair[1], "{view}: two buttons of one name");
    }
}

/// `Tab` reaches something new each time until it comes round.
#[track_caller]
fn check_tab(desk: &mut Desk, view: &str) {
    let mut seen = Vec::new();
    for _ in 0..60 {
        desk.press(Key::Tab);
        let focused = desk.0.ctx.memory(|memory| memory.focused());
        let Some(focused) = focused else { continue };
        if seen.contains(&focused) {
            break;
        }
        seen.push(focused);
    }
    assert!(seen.len() > 4, "{view}: Tab reaches {} things", seen.len());
    // Nothing is left with the focus.
    if let Some(focused) = desk.0.ctx.memory(|memory| memory.focused()) {
        desk.0
            .ctx
            .memory_mut(|memory| memory.surrender_focus(focused));
    }
    desk.0.run_steps(2);
}

fn shift(desk: &mut Desk, key: Key) {
    desk.0.key_press_modifiers(Modifiers::SHIFT, key);
    desk.0.run_steps(2);
}

#[test]
fn every_view_has_names_and_is_reached_by_tab() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    check_names(&desk, "keys");
    check_tab(&mut desk, "keys");
    desk.press(Key::Enter);
    desk.until_text("A retry sent now gets");
    for tab in ["Response", "Raw", "Parts", "History", "Fields"] {
        desk.0.get_by_role_and_label(Role::Tab, tab).click();
        desk.0.run_steps(6);
        check_names(&desk, tab);
    }
    desk.press(Key::Escape);
    for (key, view, told) in [
        (Key::Num2, "locks", "stuck"),
        (Key::Num3, "stats", "Worth a look"),
        (Key::Num6, "journal", "Nothing was changed yet"),
        (Key::Num7, "layouts", "Found here"),
        (Key::Num8, "settings", "They work at once"),
    ] {
        desk.press(key);
        desk.until_text(told);
        check_names(&desk, view);
        check_tab(&mut desk, view);
    }
    desk.press_ctrl(Key::O);
    desk.until_text("Test");
    check_names(&desk, "connect");
    desk.press(Key::Escape);
    desk.press(Key::Num1);
    desk.until("rows again", |desk| !desk.rows().is_empty());
}

#[test]
fn what_lies_over_the_window_has_names() {
    let folder = Folder::new();
    let mut desk = Desk::demo(folder.path());
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press_ctrl(Key::K);
    desk.until_text("commands");
    check_names(&desk, "palette");
    desk.press(Key::Escape);
    shift(&mut desk, Key::C);
    desk.until_text("As usual");
    check_names(&desk, "columns");
    desk.press(Key::Escape);
    shift(&mut desk, Key::Y);
    desk.until_text("Copy as JSON");
    check_names(&desk, "copy as");
    desk.press(Key::Escape);
    desk.press(Key::E);
    desk.until_text("Formulas are made harmless");
    check_names(&desk, "export");
    desk.press(Key::Escape);
    desk.press(Key::Num2);
    desk.until_text("stuck");
    desk.press(Key::L);
    desk.until_text("The lease that counts");
    check_names(&desk, "lease");
    desk.press(Key::Escape);
}

#[test]
fn a_repair_has_names_from_the_plan_to_the_journal() {
    let folder = Folder::new();
    let mut start = Start::plain(Some("demo:"));
    start.reading.demo = Some(folder.join("demo.sqlite"));
    start.reading.journal = Some(folder.join("journal"));
    let mut desk = Desk::with(start);
    desk.until("the first rows", |desk| desk.rows().len() > 20);
    desk.press(Key::Num2);
    desk.until_text("stuck");
    desk.press(Key::A);
    desk.until_text("Plan release…");
    check_names(&desk, "a selection");
    desk.press(Key::S);
    desk.until_text("Did it really happen?");
    check_names(&desk, "the answer of a settle");
    desk.press(Key::Escape);
    desk.press(Key::Escape);
    desk.until("the dialog to close", |desk| !desk.has("HTTP status"));
    desk.press(Key::A);
    desk.press(Key::R);
    desk.until_text("Plan: ");
    check_names(&desk, "the plan");
    check_trapped(&mut desk, "Release ");
    desk.press_ctrl(Key::Enter);
    desk.until_text("It stands in the journal");
    check_names(&desk, "the report");
    desk.press(Key::Escape);
    desk.press(Key::Num6);
    desk.until_text("Puts back what was changed");
    check_names(&desk, "the journal");
    check_tab(&mut desk, "the journal");
}

/// `Tab` goes round in a dialog and never out of it.
#[track_caller]
fn check_trapped(desk: &mut Desk, button: &str) {
    let mut seen = Vec::new();
    for _ in 0..20 {
        desk.press(Key::Tab);
        let all = desk.0.query_all_by_role(Role::Button);
        let focused = all.filter(|node| node.accesskit_node().is_focused());
        seen.extend(focused.filter_map(|node| node.accesskit_node().label()));
    }
    assert!(seen.iter().any(|name| name.starts_with(button)), "{seen:?}");
    let outside = ["Journal", "Keys", "Search or run (Ctrl K)"];
    assert!(
        !seen.iter().any(|name| outside.contains(&name.as_str())),
        "{seen:?}"
    );
}

/// What an on-call engineer does at three in the morning, without touching a pointer.
#[test]
fn an_incident_is_gone_through_by_keyboard_alone() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    corpus::load_layout(server, &database, "uuid-key-locked-at");
    let mut desk = Desk::open(&server.database_url(&database));
    desk.until("rows", |desk| !desk.rows().is_empty());
    // What is stuck, since when, and why.
    desk.press(Key::Num2);
    desk.until_text("locks");
    desk.press(Key::L);
    desk.until_text("The lease that counts");
    desk.type_into(&lease_field(&desk), "1s");
    desk.press(Key::Enter);
    desk.until("stuck locks", |desk| {
        desk.rows().iter().any(|row| row.starts_with("Stuck, "))
    });
    desk.press(Key::Home);
    desk.press(Key::Enter);
    desk.until_text("Why it counts as stuck");
    desk.until_text("A retry sent now gets");
    // Into the panel, through its tabs, and back.
    desk.press(Key::F6);
    assert!(desk.0.ctx.memory(|memory| memory.focused()).is_some());
    shift(&mut desk, Key::F6);
    assert!(desk.0.ctx.memory(|memory| memory.focused()).is_none());
    desk.press(Key::A);
    desk.until_text("selected");
    desk.press(Key::Y);
    desk.until_text("copied");
    // To all keys with a filter, and back to where it began.
    desk.press(Key::Slash);
    desk.0
        .get_by_role_and_label(Role::TextInput, "Filter")
        .type_text("is:stuck");
    desk.0.run_steps(3);
    desk.until("only stuck rows", |desk| {
        let rows = desk.rows();
        !rows.is_empty() && rows.iter().all(|row| row.starts_with("Stuck, "))
    });
    desk.press(Key::Escape);
    desk.0.key_press_modifiers(Modifiers::ALT, Key::ArrowLeft);
    desk.0.run_steps(2);
    desk.until_text("By operation");
}

fn lease_field(desk: &Desk) -> String {
    desk.label_of(Role::TextInput, "Lease of ")
}

#[test]
fn the_window_speaks_russian_everywhere() {
    let server = articles();
    let mut desk = Desk::open(&server.url());
    desk.until("rows", |desk| !desk.rows().is_empty());
    desk.press(Key::Num8);
    desk.click("Language: Русский");
    for (key, told) in [
        (Key::Num1, "Ключ"),
        (Key::Num2, "Блокировки"),
        (Key::Num3, "По этому хранилищу повторов не видно"),
        (Key::Num7, "Схемы"),
    ] {
        desk.press(key);
        desk.until_text(told);
        let left = english(&desk);
        assert!(left.is_empty(), "{told}: {left:?}");
    }
}

/// Labels with an English word of ours in them.
fn english(desk: &Desk) -> Vec<String> {
    const WORDS: [&str; 14] = [
        " the ",
        " of ",
        "Search",
        "Read",
        "Stuck",
        "Processing",
        "Completed",
        "Found",
        "Refused",
        "records",
        "Live",
        "Why",
        "Sources",
        "Set for",
    ];
    let mut found = Vec::new();
    for role in [Role::Label, Role::Button, Role::CheckBox, Role::Row] {
        for node in desk.0.query_all_by_role(role) {
            let node = node.accesskit_node();
            let text = node.label().or(node.value()).unwrap_or_default();
            // What a layout is called is its author's word.
            let is_title = text.starts_with("Plain pattern of articles");
            if !is_title && WORDS.iter().any(|word| text.contains(word)) {
                found.push(text);
            }
        }
    }
    found
}
