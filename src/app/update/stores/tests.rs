//! Changing over: what is kept, what lands where, how many there may be.

use std::sync::Arc;

use crate::app::command::{Command, ConnectCommand, FormCommand, StoresCommand};
use crate::app::effect::{ConnectEffect, Effect};
use crate::app::event::{ConnectEvent, ConnectionsEvent, Done, Event, KeysEvent, PasswordFate};
use crate::app::remote::Failure;
use crate::app::state::{
    Asking, Changes, OPEN_MAX, Opened, Over, Place, Running, SourceFace, State, StoreId,
};
use crate::app::update;
use crate::config::{Book, Connection, Wanted, Who};
use crate::domain::Secret;
use crate::inspect::scan::{Progress, ScanView};

fn opened(url: &str) -> Event {
    let opened = Opened {
        label: url.to_owned(),
        is_demo: url == "demo:",
        sources: vec![SourceFace::default()],
        ..Opened::default()
    };
    Event::Connect(ConnectEvent::Opened {
        generation: 1,
        opened: Arc::new(opened),
        kept: Box::new(Connection::of_url(url)),
        warnings: Vec::new(),
    })
}

fn failed() -> Event {
    Event::Connect(ConnectEvent::Failed {
        generation: 1,
        failure: Failure {
            text: "it cannot be reached".to_owned(),
            hint: None,
            is_connection: true,
        },
        asking: Asking::Password,
        asked: None,
    })
}

/// Asks for another store on the page of connecting; gives its number.
fn ask(state: &mut State, url: &str) -> StoreId {
    update::command(state, Command::Connect(ConnectCommand::ShowPage));
    let open = ConnectCommand::OpenText(Secret::new(url));
    update::command(state, Command::Connect(open));
    state.opening().map_or(0, |(id, _)| id)
}

fn open(state: &mut State, url: &str) -> StoreId {
    let id = ask(state, url);
    update::event_of(state, id, opened(url));
    assert_eq!(state.stores.current, id);
    id
}

/// A state with these stores open, the last one shown.
fn stores(urls: &[&str]) -> State {
    let mut state = State::default();
    update::begin(&mut state, Wanted::default());
    update::event(&mut state, opened(urls[0]));
    for url in &urls[1..] {
        open(&mut state, url);
    }
    state
}

fn send(state: &mut State, command: StoresCommand) -> Vec<Effect> {
    update::command(state, Command::Stores(command))
}

/// The stores that effects are of; 0 for the one that is shown.
fn of(effects: &[Effect]) -> Vec<StoreId> {
    let of = effects.iter().map(|effect| match effect {
        Effect::Of { store, .. } => *store,
        _ => 0,
    });
    of.collect()
}

fn scanned(generation: u64, records: u64) -> Event {
    let mut view = ScanView::empty();
    view.progress = Progress {
        records,
        done: true,
        ..Progress::default()
    };
    Event::Keys(KeysEvent::ScanEnded {
        generation,
        view: Box::new(view),
        failure: None,
    })
}

#[test]
fn a_store_is_shown_as_it_was_left() {
    let mut state = stores(&["redis://a"]);
    state.keys.filter = "is:stuck".to_owned();
    state.keys.cursor = Some(7);
    state.view.place = Place::Locks;
    let second = open(&mut state, "redis://b");
    assert_eq!((state.keys.filter.as_str(), state.keys.cursor), ("", None));
    state.keys.filter = "other".to_owned();
    send(&mut state, StoresCommand::Show(1));
    assert_eq!(
        (state.keys.filter.as_str(), state.keys.cursor),
        ("is:stuck", Some(7))
    );
    send(&mut state, StoresCommand::Show(second));
    assert_eq!(state.keys.filter, "other");
    assert_eq!(state.open_stores().len(), 2);
}

#[test]
fn what_comes_for_a_store_behind_never_lands_in_front() {
    let mut state = stores(&["redis://a", "redis://b"]);
    let running = state.keys.scan.running;
    let effects = update::event_of(&mut state, 1, scanned(1, 42));
    // What it asks for is of that store, too.
    assert!(!effects.is_empty() && of(&effects).iter().all(|store| *store == 1));
    assert_eq!(state.keys.scan.progress.records, 0);
    assert_eq!(state.keys.scan.running, running);
    // Nor anything for a store that is closed.
    assert!(update::event_of(&mut state, 99, scanned(1, 5)).is_empty());
    send(&mut state, StoresCommand::Show(1));
    assert_eq!(state.keys.scan.progress.records, 42);
}

#[test]
fn a_store_behind_asks_nothing_by_itself_and_catches_up() {
    let mut state = stores(&["demo:"]);
    update::event(&mut state, scanned(1, 42));
    let due = |state: &State| {
        let beat = state.connection.beat;
        Event::Connect(ConnectEvent::DemoDue {
            generation: 1,
            beat,
        })
    };
    let old = due(&state);
    open(&mut state, "redis://b");
    assert!(update::event_of(&mut state, 1, old.clone()).is_empty());
    let live = Event::Keys(KeysEvent::LiveDue { live: 1 });
    assert!(update::event_of(&mut state, 1, live).is_empty());
    let effects = send(&mut state, StoresCommand::Show(1));
    assert!(
        matches!(effects.first(), Some(Effect::Keys(_))),
        "it is read"
    );
    assert_ne!(state.keys.scan.running, Running::No);
    // One run of new records goes on, not two.
    assert!(update::event_of(&mut state, 1, old).is_empty());
    let now = due(&state);
    assert_eq!(update::event_of(&mut state, 1, now).len(), 1);
}

#[test]
fn who_has_gone_elsewhere_is_not_torn_away() {
    let mut state = stores(&["redis://a"]);
    let id = ask(&mut state, "redis://b");
    state.view.place = Place::Keys;
    update::event_of(&mut state, id, opened("redis://b"));
    assert_eq!(state.stores.current, 1);
    let notice = state.notices.list.last().map(|notice| notice.text.clone());
    assert_eq!(
        notice.as_deref(),
        Some("redis://b is open. Ctrl L shows it")
    );
    send(&mut state, StoresCommand::Show(id));
    assert_eq!(state.connection.kept.url, "redis://b");
}

#[test]
fn a_store_that_does_not_open_leaves_the_other_as_it_is() {
    let mut state = stores(&["redis://a"]);
    state.keys.filter = "x".to_owned();
    let id = ask(&mut state, "redis://u:hunter22@b");
    let effects = update::event_of(&mut state, id, failed());
    assert!(matches!(&effects[..], [Effect::Of { store, effect }]
        if *store == id && matches!(**effect, Effect::Connect(ConnectEffect::Close))));
    assert_eq!(
        (state.stores.current, state.view.place),
        (1, Place::Connect)
    );
    assert_eq!(state.connect.asking, Asking::Password);
    // The form says what was asked for, the password apart.
    let form = &state.connect.form;
    assert_eq!(form.url(), "redis://u@b");
    assert_eq!(form.password.reveal(), "hunter22");
    assert!(!format!("{state:?}").contains("hunter22"));
    assert_eq!(state.keys.filter, "x");
    assert!(state.opening().is_none());
}

#[test]
fn the_newest_wish_to_open_wins() {
    let mut state = stores(&["redis://a"]);
    let first = ask(&mut state, "redis://b");
    let second = ask(&mut state, "redis://c");
    assert_ne!(first, second);
    assert!(update::event_of(&mut state, first, opened("redis://b")).is_empty());
    update::event_of(&mut state, second, opened("redis://c"));
    assert_eq!(state.connection.kept.url, "redis://c");
    assert_eq!(state.open_stores().len(), 2);
}

#[test]
fn a_store_that_is_open_is_not_opened_twice() {
    let mut state = stores(&["redis://a", "redis://b"]);
    let open = ConnectCommand::OpenText(Secret::new("redis://a"));
    update::command(&mut state, Command::Connect(open));
    assert_eq!(state.stores.current, 1);
    assert_eq!(state.open_stores().len(), 2);
}

#[test]
fn so_many_stores_and_no_more() {
    let urls: Vec<String> = (0..OPEN_MAX).map(|at| format!("redis://h{at}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let mut state = stores(&urls);
    assert_eq!(ask(&mut state, "redis://more"), 0);
    let failure = state.open_failure().expect("it is told");
    assert_eq!(failure.text, "8 stores are open, which is the most");
    send(&mut state, StoresCommand::CloseCurrent);
    open(&mut state, "redis://more");
}

#[test]
fn a_store_that_is_closed_makes_room_for_the_one_before() {
    let mut state = stores(&["redis://a", "redis://b", "redis://c"]);
    send(&mut state, StoresCommand::Show(1));
    let effects = send(&mut state, StoresCommand::CloseCurrent);
    assert_eq!(of(&effects)[0], 1);
    assert_eq!(state.connection.kept.url, "redis://c", "shown last before");
    send(&mut state, StoresCommand::Close(2));
    assert_eq!(state.open_stores().len(), 1);
    send(&mut state, StoresCommand::CloseCurrent);
    assert_eq!(state.view.place, Place::Connect);
    assert!(state.open_stores().is_empty());
    // And another one opens as on the first day.
    let open = ConnectCommand::OpenText(Secret::new("redis://a"));
    update::command(&mut state, Command::Connect(open));
    let current = state.stores.current;
    update::event_of(&mut state, current, opened("redis://a"));
    assert_eq!(state.view.place, Place::Keys);
}

#[test]
fn the_menu_goes_round() {
    let mut state = stores(&["redis://a", "redis://b"]);
    send(&mut state, StoresCommand::ShowMenu);
    assert_eq!(
        (state.stores.chosen, state.view.over),
        (1, Some(Over::Stores))
    );
    // The demo store and the page come after the open ones.
    send(&mut state, StoresCommand::Move(2));
    send(&mut state, StoresCommand::Run);
    assert_eq!((state.view.place, state.view.over), (Place::Connect, None));
    send(&mut state, StoresCommand::ShowMenu);
    send(&mut state, StoresCommand::Move(-1));
    send(&mut state, StoresCommand::Run);
    assert_eq!(state.connection.kept.url, "redis://a");
}

#[test]
fn escape_ends_the_wait_for_a_store() {
    use crate::app::command::AppCommand;
    let back = || Command::App(AppCommand::StepBack);
    let mut state = stores(&["redis://a"]);
    let id = ask(&mut state, "redis://b");
    assert_eq!(of(&update::command(&mut state, back())), [id]);
    assert!(state.opening().is_none());
    update::command(&mut state, back());
    assert_eq!(state.view.place, Place::Keys);
    // The very first store as well.
    let mut state = State::default();
    update::begin(&mut state, Wanted::text("redis://a"));
    state.view.place = Place::Connect;
    update::command(&mut state, back());
    assert!(state.opening().is_none());
    update::event(&mut state, opened("redis://a"));
    assert!(state.open_stores().is_empty(), "too late");
}

/// A store that is lost and then refuses the login for want of something.
fn refused(asking: Asking) -> State {
    let mut state = stores(&["redis://a"]);
    let failure = Failure {
        text: "it refuses the login".to_owned(),
        hint: None,
        is_connection: true,
    };
    update::connect::lose(&mut state, failure.clone());
    let due = ConnectEvent::TryDue {
        generation: state.connection.generation,
    };
    update::event_of(&mut state, 1, Event::Connect(due));
    let failed = ConnectEvent::Failed {
        generation: state.connection.generation,
        failure,
        asking,
        asked: None,
    };
    let effects = update::event_of(&mut state, 1, Event::Connect(failed));
    let is_later = |effect: &Effect| matches!(effect, Effect::Later { .. });
    assert!(!effects.iter().any(is_later), "it would be refused again");
    assert_eq!(state.view.place, Place::Connect);
    assert_eq!(state.connect.asking, asking);
    assert_eq!(state.connect.form.url(), "redis://a");
    let typed = FormCommand::PasswordTyped(Secret::new("hunter22"));
    update::command(&mut state, Command::Connect(ConnectCommand::Form(typed)));
    update::command(&mut state, Command::Connect(ConnectCommand::Open));
    assert_eq!(
        (state.open_stores().len(), state.view.place),
        (1, Place::Keys)
    );
    assert!(state.connection.store.is_loading() && state.connection.lost.is_some());
    assert!(!format!("{state:?}").contains("hunter22"));
    state
}

#[test]
fn a_lost_store_that_refuses_the_login_asks_instead_of_trying_again() {
    let typed = Some(Secret::new("hunter22"));
    let wanted = refused(Asking::Password).connection.wanted;
    assert_eq!((wanted.password, wanted.passphrase), (typed.clone(), None));
    let wanted = refused(Asking::Passphrase).connection.wanted;
    assert_eq!((wanted.password, wanted.passphrase), (None, typed));
}

#[test]
fn an_address_by_another_way_is_another_store() {
    let mut state = stores(&["redis://a"]);
    let mut through = Connection::of_url("redis://a");
    through.options.ssh = Some("bastion".to_owned());
    update::connect::open(&mut state, Wanted::known(through));
    assert!(state.opening().is_some());
    update::connect::open(&mut state, Wanted::known(Connection::of_url("redis://a")));
    assert!(state.opening().is_none());
}

/// A connection with a name, as it is saved.
fn saved(name: &str, url: &str, ssh: Option<&str>) -> Connection {
    let mut connection = Connection::of_url(url);
    connection.name = Some(name.to_owned());
    connection.options.ssh = ssh.map(str::to_owned);
    connection
}

fn done(state: &mut State, book: &[Connection], done: Done) {
    let mut all = Book::default();
    for connection in book {
        all.save(None, connection.clone()).expect("saved");
    }
    let answer = Ok(Box::new(all));
    let changed = ConnectionsEvent::Changed { answer, done };
    update::event(state, Event::Connections(changed));
}

#[test]
fn names_are_of_stores_that_are_reached_as_it_was_saved() {
    let was_saved = |name: &str, old: Option<Who>| Done::Saved {
        name: name.to_owned(),
        old,
        password: PasswordFate::Nothing,
    };
    let mut state = stores(&["redis://a"]);
    let mut through = saved("prod", "redis://a", Some("bastion"));
    through.is_production = true;
    done(&mut state, &[through.clone()], was_saved("prod", None));
    assert_eq!(state.connection.kept.name, None, "it is reached straight");
    // By its name it is another one, which is to be opened.
    update::connect::open(&mut state, Wanted::text("prod"));
    assert!(state.opening().is_some());
    update::connect::stop_opening(&mut state);
    let straight = saved("shop", "redis://a", None);
    let both = [through.clone(), straight.clone()];
    done(&mut state, &both, was_saved("shop", None));
    assert_eq!(state.connection.kept.name.as_deref(), Some("shop"));
    assert!(!state.connection.kept.is_production);
    // Under another name it is the same store, and nobody typed the name of what is production now.
    state.changes = Changes::On { until: None };
    let mut renamed = saved("cart", "redis://a", None);
    renamed.is_production = true;
    let old = Some(Who::Named("shop".to_owned()));
    done(&mut state, &[through, renamed], was_saved("cart", old));
    assert_eq!(state.connection.kept.name.as_deref(), Some("cart"));
    assert!(matches!(state.changes, Changes::ReadOnly));
}
