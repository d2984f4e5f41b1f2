//! What the journal says, as text.

use std::sync::Arc;

use super::data;
use crate::app::state::{Opened, RunFace, RunList, State};
use crate::app::view::{ChainState, Header, RunEnd, Tally};
use crate::domain::Timestamp;
use crate::domain::change::{Outcome, Verb};

fn run(verb: Verb, chain: ChainState) -> RunFace {
    let mut tally = Tally::default();
    for outcome in [Outcome::Done, Outcome::Done, Outcome::ChangedMeanwhile] {
        tally.add(outcome);
    }
    RunFace {
        header: Header {
            id: "20261130-095400-release".to_owned(),
            verb,
            target: "redis://db".to_owned(),
            connection: Some("payments-prod".to_owned()),
            production: true,
            login: None,
            by: Some("ada".to_owned()),
            host: Some("desk".to_owned()),
            reason: Some("INC-2291".to_owned()),
            started_at: Timestamp(0),
            planned: 3,
            undoes: None,
            after: None,
        },
        end: Some(RunEnd {
            at: Timestamp(1000),
            tally: tally.clone(),
            stopped: None,
        }),
        tally,
        chain,
    }
}

fn state(run: RunFace) -> State {
    let mut state = State::default();
    let opened = Opened {
        label: "redis://db".to_owned(),
        ..Opened::default()
    };
    state.connection.store.ready(Arc::new(opened), Timestamp(0));
    let list = RunList {
        runs: vec![run],
        wrong: Vec::new(),
    };
    state.journal.list.ready(Arc::new(list), Timestamp(0));
    state
}

#[test]
fn a_run_is_one_item_and_can_be_undone() {
    let state = state(run(Verb::Release, ChainState::Whole));
    let run = state.journal.chosen().expect("a run");
    let item = data::run_item(&state, run);
    assert_eq!(
        item.name,
        "Release, payments-prod, 00:00:00, 2 released, 1 changed meanwhile"
    );
    assert_eq!(
        (item.by.as_str(), item.reason.as_str()),
        ("ada", "INC-2291")
    );
    assert_eq!(data::undo(&state), Ok(()));
    assert_eq!(data::trouble(run), None);
}

#[test]
fn why_a_run_cannot_be_undone_is_said() {
    #[track_caller]
    fn check(state: &State, expected: &str) {
        assert_eq!(data::undo(state), Err(expected.to_owned()));
    }
    let undo = state(run(Verb::Undo, ChainState::Whole));
    check(
        &undo,
        "This run is an undo: do once more what it undid instead",
    );
    let altered = state(run(Verb::Release, ChainState::Altered(4)));
    check(
        &altered,
        "It was altered: what it says was stored cannot be trusted",
    );
    let item = data::run_item(&altered, altered.journal.chosen().expect("a run"));
    assert_eq!(item.mark.as_deref(), Some("altered"));
    let mut other = state(run(Verb::Release, ChainState::Whole));
    let opened = Opened {
        label: "redis://elsewhere".to_owned(),
        ..Opened::default()
    };
    other.connection.store.ready(Arc::new(opened), Timestamp(0));
    check(&other, "Open payments-prod to undo this run");
}

#[test]
fn a_run_without_an_end_broke_off() {
    let mut broken = run(Verb::Release, ChainState::Whole);
    broken.end = None;
    let trouble = data::trouble(&broken);
    assert_eq!(
        trouble.as_deref(),
        Some("The program or the machine stopped before the run ended")
    );
}
