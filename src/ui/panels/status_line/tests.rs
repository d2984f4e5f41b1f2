//! What the status line says, as text.

use std::sync::Arc;

use super::status_data;
use crate::app::remote::Failure;
use crate::app::state::{Lost, Opened, Running};
use crate::app::{Named, State, update};
use crate::domain::Timestamp;

#[track_caller]
fn check(state: &State, expected: &str) {
    let data = status_data(state);
    let parts: Vec<&str> = std::iter::once(data.lead.as_str())
        .chain(data.parts.iter().map(String::as_str))
        .collect();
    assert_eq!(parts.join(" | ").replace('\u{202f}', " "), expected);
}

#[test]
fn it_says_what_is_going_on() {
    let mut state = State::default();
    check(&state, "Not connected");
    state.connection.store.loading();
    check(&state, "Connecting…");
    let opened = Arc::new(Opened::default());
    state.connection.store.ready(opened, Timestamp(0));
    state.keys.scan.running = Running::First;
    state.keys.scan.progress.records = 312_480;
    state.keys.scan.progress.share = Some(0.26);
    check(&state, "312 480 so far, about 26 %");
    assert!(status_data(&state).can_stop);
    state.keys.scan.running = Running::No;
    state.keys.scan.read_at = Some(Timestamp(3_600_000));
    state.keys.scan.progress.refused = 214;
    check(&state, "Scan stopped | 214 without access | as of 01:00:00");
    state.keys.scan.progress.done = true;
    check(
        &state,
        "Scan complete | 214 without access | as of 01:00:00",
    );
}

#[test]
fn it_says_how_long_the_store_is_lost() {
    let mut state = State::default();
    state.clock.here = Timestamp(42_000);
    state.connection.lost = Some(Lost {
        since: Timestamp(0),
        attempt: 4,
        next_try: None,
        why: Failure {
            text: String::new(),
            hint: None,
            is_connection: true,
        },
    });
    check(&state, "Lost 42 s ago, try 4");
}

/// Keys and their words.
fn keys(state: &State) -> String {
    let keys = status_data(state).keys;
    let keys: Vec<String> = keys
        .iter()
        .map(|(key, word)| format!("{key} {word}"))
        .collect();
    keys.join(", ")
}

#[test]
fn the_lab_offers_only_what_does_something() {
    let mut state = State::default();
    let press = |state: &mut State, named: Named| {
        update::command(state, named.command());
    };
    press(&mut state, Named::Lab);
    let new = "Space run, ↑↓ scenario, V column, P projector, ? all keys";
    assert_eq!(keys(&state), new);
    press(&mut state, Named::LabFree);
    assert_eq!(keys(&state), "Space start, ↑↓ scenario, ? all keys");
    press(&mut state, Named::LabPlay);
    assert_eq!(keys(&state), "Space stop, ↑↓ scenario, ? all keys");
    let ran = crate::app::tests::lab(Some(0.0));
    let played = "Space play, ← → step, V column, P projector, ? all keys";
    assert_eq!(keys(&ran), played);
}

#[test]
fn what_the_lab_does_unseen_is_said_with_a_way_to_stop_it() {
    let mut state = State::default();
    for named in [Named::Lab, Named::LabFree, Named::LabPlay] {
        assert_eq!(status_data(&state).lab, None);
        update::command(&mut state, named.command());
    }
    update::command(&mut state, Named::Settings.command());
    let work = status_data(&state).lab.expect("work");
    assert_eq!(
        (work.words.as_str(), work.stop.as_str(), work.command),
        ("Free play runs", "Stop free play", Named::LabFreeStop)
    );
    update::command(&mut state, Named::LabFreeStop.command());
    assert_eq!(status_data(&state).lab, None);
}
