//! The form: the URL and its fields, passwords, what is saved.

use super::*;
use crate::app::command::{Command, ConnectCommand};
use crate::app::event::{ConnectEvent, ConnectionsEvent, Done, Event, PasswordFate};
use crate::app::update;
use crate::config::found::{Found, Place};
use crate::config::{Book, Colour};

fn send(state: &mut State, command: FormCommand) -> Vec<Effect> {
    update::command(state, Command::Connect(ConnectCommand::Form(command)))
}

fn typed(state: &mut State, text: &str) {
    send(state, FormCommand::UrlTyped(Secret::new(text)));
}

fn book() -> Book {
    let mut book = Book::default();
    let mut shop = Connection::of_url("rediss://app@h:1/2");
    shop.name = Some("shop".to_owned());
    shop.is_production = true;
    shop.options.timeout = Some(std::time::Duration::from_secs(3));
    book.save(None, shop).expect("saved");
    book.opened(
        &Connection::of_url("sqlite:/a.db"),
        crate::domain::Timestamp(1),
    );
    book
}

fn kept() -> State {
    let mut state = State::default();
    let loaded = ConnectionsEvent::Loaded {
        book: Ok(Box::new(book())),
        found: vec![Found {
            name: "REDIS_URL".to_owned(),
            url: "redis://env".to_owned(),
            password: Some(Secret::new("hunter22")),
            place: Place::Variable,
        }],
        is_first: false,
    };
    update::event(&mut state, Event::Connections(loaded));
    state
}

#[test]
fn the_fields_follow_the_url_and_the_url_the_fields() {
    let mut state = State::default();
    typed(&mut state, "redis://app@h:6380/2");
    let address = &state.connect.form.address;
    assert_eq!(
        (address.host.as_str(), address.port.as_str()),
        ("h", "6380")
    );
    send(
        &mut state,
        FormCommand::Part(Part::Host, "other".to_owned()),
    );
    assert_eq!(state.connect.form.url(), "redis://app@other:6380/2");
    send(&mut state, FormCommand::Security(Security::Verified));
    assert_eq!(state.connect.form.url(), "rediss://app@other:6380/2");
    // Another engine has other ports.
    send(
        &mut state,
        FormCommand::Engine(crate::config::address::Engine::Postgres),
    );
    assert_eq!(state.connect.form.url(), "postgres://app@other/2");
    // What is half typed leaves the fields alone.
    typed(&mut state, "postg");
    assert_eq!(state.connect.form.address.host, "other");
}

#[test]
fn a_password_leaves_the_url_when_the_field_is_left() {
    let mut state = State::default();
    typed(&mut state, "redis://app:hunter22@h");
    assert!(state.connect.form.url().contains("hunter22"));
    send(&mut state, FormCommand::UrlLeft);
    let form = &state.connect.form;
    assert_eq!(
        (form.url(), form.password.reveal()),
        ("redis://app@h", "hunter22")
    );
    assert!(!format!("{state:?}").contains("hunter22"));
    // What is pasted never shows it.
    send(
        &mut state,
        FormCommand::UrlPasted(Secret::new("redis://:other1@h/1\n")),
    );
    let form = &state.connect.form;
    assert_eq!(
        (form.url(), form.password.reveal()),
        ("redis://h/1", "other1")
    );
}

#[test]
fn the_list_fills_the_form() {
    let mut state = kept();
    // The demo store first, then what was found, saved and recent.
    for expected in ["demo:", "redis://env", "rediss://app@h:1/2", "sqlite:/a.db"] {
        send(&mut state, FormCommand::Move(Move::By(1)));
        assert_eq!(state.connect.form.url(), expected);
    }
    send(&mut state, FormCommand::Move(Move::By(-1)));
    assert!(state.connect.form.is_production);
    let wanted = wanted(&state).expect("filled in");
    let connection = wanted.connection.expect("known");
    assert_eq!(connection.name.as_deref(), Some("shop"));
    assert!(
        connection.options.timeout.is_some(),
        "kept, though no field has it"
    );
    // Under another address it is not that connection any more.
    send(
        &mut state,
        FormCommand::Part(Part::Host, "elsewhere".to_owned()),
    );
    let wanted = super::wanted(&state).expect("filled in");
    assert_eq!(wanted.connection.expect("known").name, None);
}

#[test]
fn what_is_saved_has_a_name_and_no_secret_in_it() {
    let mut state = kept();
    typed(&mut state, "redis://app:hunter22@h");
    assert!(send(&mut state, FormCommand::Save).is_empty());
    assert!(state.open_failure().is_some(), "a name is missing");
    send(
        &mut state,
        FormCommand::Part(Part::Name, " cart ".to_owned()),
    );
    send(&mut state, FormCommand::Colour(Colour::Sand));
    let effects = send(&mut state, FormCommand::Save);
    let [
        Effect::Connections(ConnectionsEffect::Save {
            old,
            connection,
            password,
        }),
    ] = effects.as_slice()
    else {
        panic!("{effects:?}")
    };
    assert_eq!((old, connection.name.as_deref()), (&None, Some("cart")));
    assert_eq!(connection.url, "redis://app@h");
    assert_eq!(password.as_ref().map(Secret::reveal), Some("hunter22"));
    assert!(!format!("{effects:?}").contains("hunter22"));
    let mut book = book();
    book.save(None, Connection::clone(connection))
        .expect("saved");
    let changed = ConnectionsEvent::Changed {
        answer: Ok(Box::new(book)),
        done: Done::Saved {
            name: "cart".to_owned(),
            old: None,
            password: PasswordFate::InKeyring,
        },
    };
    update::event(&mut state, Event::Connections(changed));
    assert_eq!(state.connect.form.origin, Origin::Saved("cart".to_owned()));
    assert_eq!(state.connect.form.password, Secret::default());
    // Saved once more it takes its own place, not another one.
    let effects = send(&mut state, FormCommand::Save);
    let [Effect::Connections(ConnectionsEffect::Save { old, .. })] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    assert_eq!(*old, Some(Who::Named("cart".to_owned())));
}

#[test]
fn only_what_is_kept_is_removed() {
    let mut state = kept();
    typed(&mut state, "redis://h");
    assert!(send(&mut state, FormCommand::Remove).is_empty());
    send(
        &mut state,
        FormCommand::Choose(Item::Saved("shop".to_owned())),
    );
    let effects = send(&mut state, FormCommand::Remove);
    assert!(matches!(
        &effects[..],
        [Effect::Connections(ConnectionsEffect::Remove(_))]
    ));
}

#[test]
fn a_test_of_other_fields_is_not_answered() {
    let mut state = State::default();
    assert!(
        send(&mut state, FormCommand::Test).is_empty(),
        "nothing is typed"
    );
    assert!(state.connect.test.failure().is_some());
    typed(&mut state, "redis://h");
    let effects = send(&mut state, FormCommand::Test);
    let [Effect::Connect(ConnectEffect::Test { generation, .. })] = effects.as_slice() else {
        panic!("{effects:?}")
    };
    let generation = *generation;
    typed(&mut state, "redis://other");
    tested(&mut state, generation, Ok(Arc::default()), Asking::Nothing);
    assert!(state.connect.test.value().is_none());
}

#[test]
fn the_first_start_shows_the_page_with_what_was_found() {
    let mut state = State::default();
    update::begin(&mut state, Wanted::default());
    let loaded = ConnectionsEvent::Loaded {
        book: Ok(Box::default()),
        found: kept().connect.found,
        is_first: true,
    };
    update::event(&mut state, Event::Connections(loaded));
    assert_eq!(state.view.place, crate::app::state::Place::Connect);
    assert_eq!(state.connect.form.url(), "redis://env");
    assert!(state.connect.stays);
}

#[test]
fn what_did_not_open_is_tried_again_by_the_same_way() {
    let mut state = State::default();
    let mut wanted = Wanted::text("redis://:hunter22@db");
    wanted.flags.ssh = Some("bastion".to_owned());
    update::begin(&mut state, wanted);
    let mut asked = Connection::of_url("redis://db");
    asked.options.ssh = Some("bastion".to_owned());
    asked.options.password = Some(Secret::new("hunter22"));
    let failed = ConnectEvent::Failed {
        generation: 1,
        failure: plain("the key is locked".to_owned(), None),
        asking: Asking::Passphrase,
        asked: Some(Box::new(asked)),
    };
    update::event(&mut state, Event::Connect(failed));
    assert!(state.connect.form.shows_more);
    send(
        &mut state,
        FormCommand::PasswordTyped(Secret::new("open sesame")),
    );
    let wanted = super::wanted(&state).expect("filled in");
    let options = wanted.connection.as_ref().map(|asked| &asked.options);
    assert_eq!(
        options.and_then(|options| options.ssh.as_deref()),
        Some("bastion")
    );
    assert_eq!(wanted.password, Some(Secret::new("hunter22")));
    assert_eq!(wanted.passphrase, Some(Secret::new("open sesame")));
}

#[test]
fn a_password_is_of_the_server_that_it_was_typed_for() {
    let typed_for = |from: &str, to: &str| {
        let mut state = State::default();
        typed(&mut state, from);
        send(
            &mut state,
            FormCommand::PasswordTyped(Secret::new("hunter22")),
        );
        typed(&mut state, to);
        state.connect.form.password != Secret::default()
    };
    assert!(typed_for("redis://a/1", "redis://a/2"));
    assert!(typed_for("postgres://u@a/x?sslmode=xx", "postgres://u@a/x"));
    assert!(!typed_for("postgres://u@a/x", "redis://b/1"));
    assert!(!typed_for("redis://a", "redis+cluster://b:1"));
    assert!(!typed_for("redis+cluster://a:1", "redis+cluster://b:1"));
    assert!(!typed_for("postgres://u@a/x", "postgres://u@a/x?host=b"));
}

#[test]
fn a_name_gives_way_to_its_fields_and_what_is_typed_meanwhile_does_not() {
    let after = |text: &str| {
        let mut state = kept();
        typed(&mut state, text);
        let shop = state.connect.book.named("shop").cloned();
        fill_from(&mut state, &Wanted::text("shop"), shop.as_ref());
        state.connect.form.url().to_owned()
    };
    assert_eq!(after("shop"), "rediss://app@h:1/2");
    assert_eq!(after("red"), "red");
    assert_eq!(after("redis://other"), "redis://other");
}
