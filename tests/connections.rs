//! Connections in the window, against real servers: fill in, test, save, open, change over.
//!
//! Apart from `window` because here several stores are open at once, and something is kept.

mod support;

use std::path::PathBuf;

use egui_kittest::kittest::{NodeT, Queryable};
use idemscope::app::Start;
use idemscope::app::start::Writing;
use idemscope::domain::Secret;
use idemscope::sys::keyring::Keyring;
use support::desk::{Desk, articles};
use support::process::Folder;
use support::{corpus, postgres, redis as server};

/// A desk that keeps its connections in a folder.
struct Kept {
    folder: Folder,
    keyring: Keyring,
}

impl Kept {
    fn new() -> Kept {
        Kept {
            folder: Folder::new(),
            keyring: Keyring::memory(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("connections.toml")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    fn desk(&self, target: Option<&str>) -> Desk {
        let mut start = Start::plain(target);
        start.reading.demo = Some(self.folder.join("demo.sqlite"));
        start.reading.kept.connections = Some(self.file());
        start.reading.kept.writing = Writing::On;
        start.reading.kept.keyring = self.keyring.clone();
        Desk::with(start)
    }
}

fn until_demo(desk: &mut Desk) {
    desk.until("the demo store", |desk| desk.rows().len() > 20);
}

#[test]
fn the_first_start_shows_the_page_beside_the_demo_store() {
    let kept = Kept::new();
    let mut desk = kept.desk(None);
    desk.until_text("Connect to a store");
    desk.until_text("records, made by the lab");
    assert!(desk.has("Nothing yet"));
    desk.press(egui::Key::Escape);
    until_demo(&mut desk);
    drop(desk);
    // The next start is no first one.
    let mut desk = kept.desk(None);
    until_demo(&mut desk);
}

#[test]
fn the_form_is_filled_tested_saved_and_opened() {
    let server = server::Server::start();
    for snapshot in corpus::redis_snapshots("plain-article") {
        corpus::load_snapshot(&mut server.connection(), &snapshot.lines);
    }
    let kept = Kept::new();
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    desk.type_into("Host", "127.0.0.1");
    desk.type_into("Port", &server.port().to_string());
    let address = desk.value("Address of the store");
    assert_eq!(address, format!("redis://127.0.0.1:{}", server.port()));
    desk.press_ctrl(egui::Key::T);
    desk.until_text("Records: 1 source: plain-article");
    assert!(desk.has("not encrypted"), "it says so");
    assert!(desk.has("this login may do all that looking needs"));
    // A name is needed to save it.
    desk.press_ctrl(egui::Key::S);
    desk.until_text("A connection needs a name");
    desk.type_into("Name", "shop");
    desk.click("Teal");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("shop is saved");
    assert!(kept.text().contains("[connection.shop]"), "{}", kept.text());
    desk.press(egui::Key::Enter);
    desk.until_rows(8);
    assert!(desk.has("Change the store, now shop"));
    drop(desk);
    // The name opens it from the command line as well.
    let mut desk = kept.desk(Some("shop"));
    desk.until_rows(8);
    assert!(desk.has("Change the store, now shop"));
}

#[test]
fn stores_are_changed_over_and_shown_as_they_were_left() {
    let server = articles();
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    corpus::load_layout(postgres, &database, "uuid-key-locked-at");
    let kept = Kept::new();
    let mut desk = kept.desk(Some(&server.url()));
    desk.until_rows(8);
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::Space);
    let before = desk.0.state().state().keys.cursor;
    assert_eq!(before, Some(2));
    desk.press_ctrl(egui::Key::O);
    desk.type_into("Address of the store", &postgres.database_url(&database));
    desk.press(egui::Key::Enter);
    desk.until("the rows of PostgreSQL", |desk| {
        desk.has("Change the store, now postgres://") && !desk.rows().is_empty()
    });
    let rows = desk.rows().len();
    desk.type_into("Filter", "is:locked");
    desk.until("only locks", |desk| (1..rows).contains(&desk.rows().len()));
    let locked = desk.rows().len();
    // Back to Redis by the menu: its cursor and what is selected are there.
    desk.press_ctrl(egui::Key::L);
    desk.until_text("Connect…");
    desk.press(egui::Key::ArrowUp);
    desk.press(egui::Key::Enter);
    desk.until_rows(8);
    let state = desk.0.state().state();
    assert_eq!(state.keys.cursor, before);
    assert_eq!(state.selection.len(), 1);
    assert_eq!(state.keys.filter, "");
    // And to PostgreSQL, whose filter holds.
    desk.press_ctrl(egui::Key::L);
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::Enter);
    desk.until_rows(locked);
    assert_eq!(desk.0.state().state().keys.filter, "is:locked");
    // Closed, Redis is shown again.
    desk.press_ctrl(egui::Key::W);
    desk.until_rows(8);
    assert_eq!(desk.0.state().state().open_stores().len(), 1);
    // Both are kept among the recent ones, with no word of the passwords.
    let text = kept.text();
    assert_eq!(text.matches("[[recent]]").count(), 2, "{text}");
}

#[test]
fn a_password_goes_to_the_keyring_and_never_to_the_file() {
    let server = server::Server::options()
        .acl("user app on >hunter22 ~* +@read +@connection +info +time\nuser default off\n")
        .start();
    let kept = Kept::new();
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    let url = format!("redis://app:wrong@127.0.0.1:{}", server.port());
    desk.type_into("Address of the store", &url);
    desk.press(egui::Key::Enter);
    // The login is refused: the password is asked for, and is not in the address any more.
    let field = "Password for app at 127.0.0.1".to_owned();
    desk.until_text("refuses");
    desk.until_text(&field);
    let password = |desk: &Desk| {
        desk.0
            .get_by_role_and_label(egui::Role::PasswordInput, &field)
            .focus()
    };
    password(&desk);
    desk.0.run_steps(2);
    desk.press_ctrl(egui::Key::A);
    desk.0
        .get_by_role_and_label(egui::Role::PasswordInput, &field)
        .type_text("hunter22");
    desk.0.run_steps(2);
    assert!(!desk.value("Address of the store").contains("wrong"));
    desk.type_into("Name", "app");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("its password is in the keyring");
    let text = kept.text();
    assert!(text.contains("password = \"keyring\""), "{text}");
    assert!(
        !text.contains("hunter22") && !text.contains("wrong"),
        "{text}"
    );
    let account = format!("redis://app@127.0.0.1:{}", server.port());
    let secret = kept.keyring.get(&account).expect("a keyring");
    assert_eq!(secret, Some(Secret::new("hunter22")));
    assert!(!format!("{:?}", desk.0.state().state()).contains("hunter22"));
    drop(desk);
    let mut desk = kept.desk(Some("app"));
    desk.until_text("There are no keys in this store");
}

#[test]
fn a_lease_is_remembered_with_the_connection() {
    let server = articles();
    let kept = Kept::new();
    let mut desk = kept.desk(Some(&server.url()));
    desk.until_rows(8);
    desk.press(egui::Key::Num2);
    desk.press(egui::Key::L);
    let label = desk.label_of(egui::Role::TextInput, "Lease of ");
    desk.type_into(&label, "5m");
    desk.press(egui::Key::Enter);
    desk.until("the file", |_| kept.text().contains("lease = \"5m\""));
    drop(desk);
    let mut desk = kept.desk(Some(&server.url()));
    desk.until_rows(8);
    let state = desk.0.state().state();
    assert_eq!(state.connection.overrides.iter().count(), 1);
}

#[test]
fn production_is_marked_everywhere() {
    let server = articles();
    let kept = Kept::new();
    let url = server.url();
    kept.folder.write(
        "connections.toml",
        &format!("[connection.prod]\nurl = \"{url}\"\nproduction = true\n"),
    );
    // By its URL it is production too.
    let mut desk = kept.desk(Some(&url));
    desk.until_rows(8);
    assert!(desk.has("PRODUCTION"));
    assert!(desk.has("Change the store, now prod"));
}

#[test]
fn a_broken_file_is_told_and_left_alone() {
    let kept = Kept::new();
    kept.folder
        .write("connections.toml", "[connection.a]\nurl = 7\n");
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.until_text("line 2: `url` must be a text");
    desk.press_ctrl(egui::Key::O);
    desk.until_text("is not used and not changed until it is mended");
    assert_eq!(kept.text(), "[connection.a]\nurl = 7\n");
}

#[test]
fn a_connection_is_removed_and_can_be_put_back() {
    let kept = Kept::new();
    kept.folder.write(
        "connections.toml",
        "[connection.old]\nurl = \"redis://127.0.0.1:1\"\n",
    );
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    desk.until_text("old, 127.0.0.1:1");
    desk.press(egui::Key::ArrowDown);
    desk.press(egui::Key::ArrowDown);
    assert_eq!(desk.value("Address of the store"), "redis://127.0.0.1:1");
    desk.click("Remove old");
    desk.until_text("old is removed");
    assert!(!kept.text().contains("connection.old"), "{}", kept.text());
    desk.press_ctrl(egui::Key::S);
    desk.until_text("old is saved");
    assert!(kept.text().contains("connection.old"));
    let node = desk.0.query_all_by_label_contains("old, 127").next();
    assert!(node.is_some_and(|node| node.accesskit_node().label().is_some()));
}

#[test]
fn production_in_postgres_says_how_the_server_is_verified() {
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    corpus::load_layout(postgres, &database, "uuid-key-locked-at");
    let kept = Kept::new();
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    desk.type_into("Address of the store", &postgres.database_url(&database));
    desk.click("This is production");
    desk.click("Test");
    desk.until_text("marked as production, and does not say");
    // On purpose it may be plain.
    desk.click("Off");
    assert!(
        desk.value("Address of the store")
            .ends_with("sslmode=disable")
    );
    desk.click("Test");
    desk.until_text("Records: 1 source: uuid-key-locked-at");
    desk.click("Open");
    desk.until_text("PRODUCTION");
}

#[test]
fn what_was_copied_is_taken_wherever_the_focus_is() {
    let server = articles();
    let kept = Kept::new();
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    desk.0.run_steps(2);
    let focused = desk.0.ctx.memory(|memory| memory.focused());
    if let Some(id) = focused {
        desk.0.ctx.memory_mut(|memory| memory.surrender_focus(id));
    }
    desk.0.run_steps(2);
    let text = format!("$ redis-cli -h 127.0.0.1 -p {} -n 0", server.port());
    desk.0.event(egui::Event::Paste(text));
    desk.0.run_steps(3);
    let url = format!("redis://127.0.0.1:{}/0", server.port());
    assert_eq!(desk.value("Address of the store"), url);
    desk.press(egui::Key::Enter);
    desk.until_rows(8);
}

#[test]
fn a_name_that_is_taken_is_told_where_it_is_typed() {
    let kept = Kept::new();
    kept.folder.write(
        "connections.toml",
        "[connection.shop]\nurl = \"redis://127.0.0.1:1\"\n",
    );
    let mut desk = kept.desk(Some("demo:"));
    until_demo(&mut desk);
    desk.press_ctrl(egui::Key::O);
    desk.type_into("Address of the store", "redis://127.0.0.1:2");
    desk.type_into("Name", "shop");
    desk.press_ctrl(egui::Key::S);
    desk.until_text("a connection named `shop` is there already");
}
