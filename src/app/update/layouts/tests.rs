//! Layouts: choosing a source, its samples, switching it off.

use crate::app::command::{Command, LayoutsCommand, Move};
use crate::app::effect::{ConnectEffect, Effect, KeysEffect, LayoutsEffect};
use crate::app::event::{Event, LayoutsEvent};
use crate::app::state::{Grouping, Opened, Running, SourceFace, State};
use crate::app::{tests as testing, update, view};
use crate::domain::{Duration, Timestamp};
use std::sync::Arc;

fn state() -> State {
    let mut state = testing::locks(&[], None, Grouping::Flat, Timestamp(0));
    let source = |layout: &str| SourceFace {
        layout: layout.to_owned(),
        place: "idem:*".to_owned(),
        examples: vec!["idem:a".to_owned(), "idem:b".to_owned()],
        ..SourceFace::default()
    };
    let opened = Opened {
        sources: vec![source("one"), source("two")],
        ..Opened::default()
    };
    state.connection.store.ready(Arc::new(opened), Timestamp(0));
    state
}

fn send(state: &mut State, command: LayoutsCommand) -> Vec<Effect> {
    update::command(state, Command::Layouts(command))
}

#[track_caller]
fn asked(effects: &[Effect]) -> String {
    match effects {
        [
            Effect::Layouts(LayoutsEffect::Sample {
                source, address, ..
            }),
        ] => {
            format!("{address} of {source}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn another_source_or_sample_is_read() {
    let mut state = state();
    assert_eq!(
        asked(&send(&mut state, LayoutsCommand::Show)),
        "idem:a of one idem:*"
    );
    let effects = send(&mut state, LayoutsCommand::Move(Move::By(1)));
    assert_eq!(asked(&effects), "idem:a of two idem:*");
    assert_eq!(
        asked(&send(&mut state, LayoutsCommand::Sample(1))),
        "idem:b of two idem:*"
    );
    assert!(send(&mut state, LayoutsCommand::Sample(1)).is_empty());
    let late = LayoutsEvent::Sample {
        generation: 1,
        answer: Ok(None),
    };
    update::event(&mut state, Event::Layouts(late));
    assert!(state.layouts.whole.is_loading());
}

#[test]
fn a_source_that_is_switched_off_is_remembered_and_the_store_read_again() {
    let mut state = state();
    let effects = send(&mut state, LayoutsCommand::Switch);
    let is_off = |state: &State| {
        let name = view::chosen_source(state).map(SourceFace::name);
        state
            .connection
            .overrides
            .get(&name.unwrap_or_default())
            .is_off
    };
    assert!(is_off(&state));
    assert!(matches!(
        effects.first(),
        Some(Effect::Connect(ConnectEffect::SetOverrides(_)))
    ));
    assert!(matches!(
        effects.last(),
        Some(Effect::Keys(KeysEffect::Scan { .. }))
    ));
    assert_eq!(state.keys.scan.running, Running::Again);
    send(&mut state, LayoutsCommand::Switch);
    assert!(!is_off(&state));
}

#[test]
fn only_spans_are_set() {
    let mut state = state();
    send(&mut state, LayoutsCommand::LeaseTyped("soon".to_owned()));
    assert!(send(&mut state, LayoutsCommand::SetTerms).is_empty());
    send(&mut state, LayoutsCommand::LeaseTyped("30s".to_owned()));
    send(&mut state, LayoutsCommand::RetentionTyped("24h".to_owned()));
    send(&mut state, LayoutsCommand::SetTerms);
    let set = state.connection.overrides.get("one idem:*");
    assert_eq!(
        (set.lease, set.retention),
        (Some(Duration::secs(30)), Some(Duration::secs(86_400)))
    );
}
