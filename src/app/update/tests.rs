//! Reducers: a state, commands and events, and what comes of them.

use std::sync::Arc;

use super::{begin, command, event};
use crate::app::command::{AppCommand, Command, ConnectCommand, KeysCommand, Move, RecordCommand};
use crate::app::effect::{
    ConnectEffect, ConnectionsEffect, Effect, Keep, KeysEffect, RecordEffect,
};
use crate::app::event::{ConnectEvent, Event, KeysEvent, RecordEvent};
use crate::app::remote::Failure;
use crate::app::state::{Asking, Opened, Overrides, Page, Place, Running, SourceFace, State};
use crate::config::Wanted;
use crate::domain::Timestamp;
use crate::inspect::filter::Facts;
use crate::inspect::scan::{Progress, ScanView};
use crate::inspect::{Direction, SortField, Summary};
use crate::present::words::Standing;

/// Effects in a word each.
fn words(effects: &[Effect]) -> Vec<String> {
    let word = |effect: &Effect| match effect {
        Effect::Connect(ConnectEffect::Open { generation, .. }) => format!("open {generation}"),
        Effect::Connect(ConnectEffect::Close) => "close".to_owned(),
        Effect::Connect(ConnectEffect::Test { generation, .. }) => format!("test {generation}"),
        Effect::Connections(ConnectionsEffect::Opened { .. }) => "note".to_owned(),
        Effect::Connections(effect) => {
            let what = format!("{effect:?}");
            let name = what.split(['{', '(']).next().unwrap_or_default().trim();
            name.to_lowercase()
        }
        Effect::Of { store, effect } => {
            format!(
                "{store}: {}",
                words(std::slice::from_ref(effect)).join(", ")
            )
        }
        Effect::Connect(ConnectEffect::AddDemoRecord { .. }) => "add demo".to_owned(),
        Effect::Keys(KeysEffect::Scan { generation }) => format!("scan {generation}"),
        Effect::Keys(KeysEffect::StopScan) => "stop".to_owned(),
        Effect::Keys(KeysEffect::Look(question)) => {
            format!("look {} `{}`", question.number, question.filter)
        }
        Effect::Connect(ConnectEffect::SetOverrides(overrides)) => {
            format!("set {}", overrides.iter().count())
        }
        Effect::Record(RecordEffect::Open { generation, .. }) => format!("record {generation}"),
        Effect::Export(_) => "export".to_owned(),
        Effect::Repair(_) => "repair".to_owned(),
        Effect::Journal(_) => "journal".to_owned(),
        Effect::Lab(_) => "lab".to_owned(),
        Effect::Stats(_) => "stats".to_owned(),
        Effect::Raise => "raise".to_owned(),
        Effect::Record(RecordEffect::LayOut(job)) => format!("lay out {}", job.number),
        Effect::Editor(_) => "editor".to_owned(),
        Effect::WatchDesktop => "watch desktop".to_owned(),
        Effect::SaveSettings(_) => "save settings".to_owned(),
        Effect::Layouts(effect) => format!("{effect:?}"),
        Effect::Copy(text) => format!("copy {text}"),
        Effect::Quit => "quit".to_owned(),
        Effect::Later { after_ms, event } => {
            let what = format!("{event:?}");
            let name = what.split(['{', '(']).nth(1).unwrap_or_default().trim();
            format!("{name} in {after_ms}")
        }
    };
    effects.iter().map(word).collect()
}

#[track_caller]
fn check(effects: &[Effect], expected: &[&str]) {
    assert_eq!(words(effects), expected);
}

fn opened(is_demo: bool) -> Arc<Opened> {
    Arc::new(Opened {
        label: "redis://db".to_owned(),
        is_demo,
        sources: vec![SourceFace {
            layout: "plain-article".to_owned(),
            ..SourceFace::default()
        }],
        ..Opened::default()
    })
}

fn failure(is_connection: bool) -> Failure {
    Failure {
        text: "db cannot be reached".to_owned(),
        hint: None,
        is_connection,
    }
}

fn connected() -> State {
    let mut state = State::default();
    begin(&mut state, Wanted::default());
    let event = Event::Connect(ConnectEvent::Opened {
        generation: 1,
        opened: opened(false),
        kept: Box::default(),
        warnings: Vec::new(),
    });
    super::event(&mut state, event);
    state
}

fn view(records: u64, done: bool) -> Box<ScanView> {
    let mut view = ScanView::empty();
    view.progress = Progress {
        records,
        done,
        ..Progress::default()
    };
    Box::new(view)
}

fn page(state: &State, rows: u32, found: Option<u64>) -> Event {
    let snapshot = state.keys.snapshot.clone().expect("rows have come");
    Event::Keys(KeysEvent::Page {
        question: state.keys.question,
        page: Arc::new(Page {
            scan: state.keys.snapshot_scan,
            read: state.clock.here,
            snapshot,
            rows: (0..rows).collect(),
            all: Summary::default(),
            filtered: Summary::default(),
            listed: None,
            found,
            facts: Facts::default(),
            locks: Arc::default(),
            found_lock: None,
            terms: Overrides::default(),
            since: None,
            findings: Arc::from([]),
            findings_of: None,
        }),
    })
}

fn ended(generation: u64, failure: Option<Failure>) -> Event {
    Event::Keys(KeysEvent::ScanEnded {
        generation,
        view: view(10, failure.is_none()),
        failure,
    })
}

#[test]
fn a_store_that_opens_is_read() {
    let mut state = State::default();
    check(&begin(&mut state, Wanted::default()), &["open 1"]);
    let opened = Event::Connect(ConnectEvent::Opened {
        generation: 1,
        opened: opened(true),
        kept: Box::default(),
        warnings: Vec::new(),
    });
    check(
        &event(&mut state, opened),
        &["note", "set 0", "scan 1", "DemoDue in 4000"],
    );
    assert_eq!(state.keys.scan.running, Running::First);
}

#[test]
fn late_answers_are_dropped() {
    let mut state = connected();
    check(
        &command(&mut state, Command::Connect(ConnectCommand::LookAgain)),
        &["open 2"],
    );
    let late = Event::Connect(ConnectEvent::Failed {
        generation: 1,
        failure: failure(true),
        asking: Asking::Nothing,
        asked: None,
    });
    check(&event(&mut state, late), &[]);
    assert!(state.connection.store.is_loading());
    check(&event(&mut state, ended(0, None)), &[]);
}

#[test]
fn a_wrong_url_leads_to_the_page_with_the_reason() {
    let mut state = State::default();
    begin(&mut state, Wanted::default());
    let failed = Event::Connect(ConnectEvent::Failed {
        generation: 1,
        failure: failure(true),
        asking: Asking::Nothing,
        asked: None,
    });
    check(&event(&mut state, failed), &[]);
    assert_eq!(state.view.place, Place::Connect);
    let failed = state.connection.store.failure();
    assert_eq!(
        failed.map(|failure| failure.text.as_str()),
        Some("db cannot be reached")
    );
}

#[test]
fn a_look_that_is_under_way_is_let_finish_while_rows_come() {
    let mut state = connected();
    let scanned = |records| {
        Event::Keys(KeysEvent::Scanned {
            generation: 1,
            view: view(records, false),
        })
    };
    check(&event(&mut state, scanned(1)), &["look 1 ``"]);
    check(&event(&mut state, scanned(2)), &[]);
    let page = page(&state, 2, None);
    check(&event(&mut state, page), &["look 1 ``"]);
    assert_eq!(state.keys.cursor, Some(0));
}

#[test]
fn the_newest_filter_wins() {
    let mut state = connected();
    event(&mut state, ended(1, None));
    let old = page(&state, 5, None);
    let typed = |text: &str| Command::Keys(KeysCommand::FilterTyped(text.to_owned()));
    check(&command(&mut state, typed("is:")), &["look 2 `is:`"]);
    check(
        &command(&mut state, typed("is:stuck")),
        &["look 3 `is:stuck`"],
    );
    check(&event(&mut state, old), &[]);
    assert!(state.keys.page.is_none());
}

#[test]
fn a_small_store_is_read_again_and_the_old_rows_stay() {
    let mut state = connected();
    let effects = event(&mut state, ended(1, None));
    check(&effects, &["look 1 ``", "LiveDue in 5000"]);
    let came = page(&state, 5, None);
    event(&mut state, came);
    let due = Event::Keys(KeysEvent::LiveDue { live: 1 });
    check(&event(&mut state, due), &["scan 2"]);
    let scanned = Event::Keys(KeysEvent::Scanned {
        generation: 2,
        view: view(1, false),
    });
    check(&event(&mut state, scanned), &[]);
    assert_eq!(
        (state.keys.rows(), state.keys.scan.running),
        (5, Running::Again)
    );
    let effects = event(&mut state, ended(2, None));
    check(&effects, &["look 1 ``", "LiveDue in 5000"]);
}

#[test]
fn what_changed_under_a_reading_is_read_once_more() {
    let mut state = connected();
    check(&super::keys::read_after_change(&mut state), &[]);
    let effects = event(&mut state, ended(1, None));
    check(&effects, &["look 1 ``", "LiveDue in 5000", "scan 2"]);
    let effects = event(&mut state, ended(2, None));
    check(&effects, &["LiveDue in 5000"]);
    check(&super::keys::read_after_change(&mut state), &["scan 3"]);
}

#[test]
fn a_demo_shop_that_could_not_write_is_tried_again() {
    let mut state = State::default();
    begin(&mut state, Wanted::default());
    let opened = Event::Connect(ConnectEvent::Opened {
        generation: 1,
        opened: opened(true),
        kept: Box::default(),
        warnings: Vec::new(),
    });
    event(&mut state, opened);
    event(&mut state, ended(1, None));
    let tried = Event::Connect(ConnectEvent::DemoTried { generation: 1 });
    check(&event(&mut state, tried), &["scan 2", "DemoDue in 4000"]);
}

#[test]
fn a_lost_store_keeps_its_rows_and_is_tried_again() {
    let mut state = connected();
    event(&mut state, ended(1, None));
    let came = page(&state, 5, None);
    event(&mut state, came);
    state.clock.here = Timestamp(60_000);
    command(&mut state, Command::Keys(KeysCommand::ReadAgain));
    let effects = event(&mut state, ended(2, Some(failure(true))));
    check(&effects, &["stop", "TryDue in 2000"]);
    assert_eq!(state.keys.rows(), 5);
    let due = Event::Connect(ConnectEvent::TryDue { generation: 1 });
    check(&event(&mut state, due), &["open 2"]);
    let failed = Event::Connect(ConnectEvent::Failed {
        generation: 2,
        failure: failure(true),
        asking: Asking::Nothing,
        asked: None,
    });
    check(&event(&mut state, failed), &["stop", "TryDue in 4000"]);
    state.clock.here = Timestamp(90_000);
    assert_eq!(state.now(), Timestamp(60_000), "ages stand still");
    check(
        &command(&mut state, Command::Connect(ConnectCommand::TryNow)),
        &["open 3"],
    );
    let back = Event::Connect(ConnectEvent::Opened {
        generation: 3,
        opened: opened(false),
        kept: Box::default(),
        warnings: Vec::new(),
    });
    check(&event(&mut state, back), &["note", "set 0", "scan 3"]);
    assert_eq!(
        (state.keys.rows(), state.keys.scan.running),
        (5, Running::Again)
    );
}

#[test]
fn the_cursor_stays_inside() {
    let mut state = connected();
    event(&mut state, ended(1, None));
    let came = page(&state, 5, None);
    event(&mut state, came);
    let mut go = |step: Move, expected: u64| {
        command(&mut state, Command::Keys(KeysCommand::Move(step)));
        assert_eq!(state.keys.cursor, Some(expected), "{step:?}");
    };
    go(Move::By(2), 2);
    go(Move::By(-9), 0);
    go(Move::Last, 4);
    go(Move::By(1), 4);
    let shorter = page(&state, 2, None);
    event(&mut state, shorter);
    assert_eq!(state.keys.cursor, Some(1));
    let reveal = state.keys.reveal;
    let chip = KeysCommand::Chip(Some(Standing::Failed));
    command(&mut state, Command::Keys(chip));
    let others = page(&state, 5, None);
    event(&mut state, others);
    assert_eq!(
        (state.keys.cursor, state.keys.reveal),
        (Some(0), reveal + 1)
    );
    let moved = page(&state, 5, Some(3));
    event(&mut state, moved);
    assert_eq!(state.keys.cursor, Some(3));
}

#[test]
fn a_header_sorts_turns_round_and_lets_go() {
    let mut state = connected();
    event(&mut state, ended(1, None));
    let mut click = |field| {
        command(&mut state, Command::Keys(KeysCommand::SortBy(field)));
        (state.keys.order.field, state.keys.order.direction)
    };
    let (up, down) = (Direction::Ascending, Direction::Descending);
    assert_eq!(click(SortField::Key), (SortField::Key, up));
    assert_eq!(click(SortField::Key), (SortField::Key, down));
    assert_eq!(click(SortField::Key), (SortField::Usual, up));
    assert_eq!(click(SortField::Age), (SortField::Age, down));
}

#[test]
fn escape_goes_back_one_thing_at_a_time() {
    let mut state = connected();
    event(&mut state, ended(1, None));
    state.keys.filter = "x".to_owned();
    state.keys.standing = Some(Standing::Stuck);
    let back = || Command::App(AppCommand::StepBack);
    check(&command(&mut state, back()), &["look 2 ``"]);
    assert_eq!(state.keys.standing, None);
    state.record.open = Some(crate::domain::raw::RawAddress::Key(b"k".to_vec()));
    check(&command(&mut state, back()), &[]);
    assert_eq!(state.record.open, None);
    command(&mut state, Command::Connect(ConnectCommand::ShowPage));
    command(&mut state, back());
    assert_eq!(state.view.place, Place::Keys);
}

#[test]
fn a_record_that_comes_late_is_not_shown() {
    let mut state = connected();
    state.record.open = Some(crate::domain::raw::RawAddress::Key(b"k".to_vec()));
    state.record.generation = 4;
    state.record.whole.loading();
    command(&mut state, Command::Record(RecordCommand::Close));
    let late = Event::Record(RecordEvent::Opened {
        generation: 4,
        whole: None,
    });
    check(&event(&mut state, late), &[]);
    assert!(state.record.whole.value().is_none());
}

#[test]
fn without_a_cursor_nothing_is_looked_for() {
    let mut state = connected();
    let effects = event(&mut state, ended(1, None));
    let Some(Effect::Keys(KeysEffect::Look(question))) = effects.first() else {
        panic!("{:?}", words(&effects))
    };
    assert_eq!(question.keep, Keep::Nothing);
}
