//! Locks: moving, grouping and the lease that counts.

use crate::app::command::{AppCommand, Command, LocksCommand, Move};
use crate::app::effect::{ConnectEffect, ConnectionsEffect, Effect, Keep, KeysEffect};
use crate::app::state::{Grouping, Over, State};
use crate::app::tests::{self as testing, Told};
use crate::app::{update, view};
use crate::domain::{Duration, Stuck, Timestamp};

const NOW: Timestamp = Timestamp(3_600_000);

fn state() -> State {
    let told = [10, 2].map(|minutes| Told {
        operation: "POST /payments",
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    let mut state = testing::locks(&told, None, Grouping::Operation, NOW);
    state.locks.shows_held = true;
    state
}

fn send(state: &mut State, command: LocksCommand) -> Vec<Effect> {
    update::command(state, Command::Locks(command))
}

#[test]
fn a_lease_that_is_set_changes_every_verdict_at_once() {
    let mut state = state();
    send(&mut state, LocksCommand::AskLease);
    assert_eq!(state.view.over, Some(Over::Lease));
    let typed = |text: &str| LocksCommand::LeaseTyped {
        at: 0,
        text: text.to_owned(),
    };
    send(&mut state, typed("soon"));
    assert!(send(&mut state, LocksCommand::SetLease).is_empty());
    send(&mut state, typed("5m"));
    let effects = send(&mut state, LocksCommand::SetLease);
    let [
        Effect::Connect(ConnectEffect::SetOverrides(_)),
        Effect::Connections(ConnectionsEffect::Remember { .. }),
        Effect::Keys(KeysEffect::Look(question)),
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    assert!(question.locks.is_none(), "the list is made anew");
    let stuck: Vec<Stuck> = question
        .snapshot
        .rows()
        .filter_map(|row| row.verdict(NOW))
        .map(|verdict| verdict.stuck)
        .collect();
    assert_eq!(stuck, [Stuck::Yes, Stuck::No]);
    assert_eq!(state.view.over, None);
}

#[test]
fn leaving_the_lease_sets_nothing() {
    let mut state = state();
    send(&mut state, LocksCommand::AskLease);
    update::command(&mut state, Command::App(AppCommand::StepBack));
    assert_eq!((state.view.over, state.locks.form.is_none()), (None, true));
    assert_eq!(state.connection.overrides.iter().count(), 0);
}

#[test]
fn another_grouping_keeps_the_cursor_with_its_lock() {
    let mut state = state();
    send(&mut state, LocksCommand::Move(Move::Last));
    assert_eq!(
        view::lock_row(&state, 1).map(|row| row.record.key),
        Some(Some("key-1".to_owned()))
    );
    let effects = send(&mut state, LocksCommand::NextGrouping);
    let [Effect::Keys(KeysEffect::Look(question))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(
        (question.grouping, &question.keep_lock),
        (Grouping::Source, &Keep::Row(1))
    );
    assert!(send(&mut state, LocksCommand::GroupBy(Grouping::Source)).is_empty());
}
