//! What can be done to records, and what came of it, for what is in sight.

use crate::app::state::State;
use crate::domain::change::{Outcome, Verb};
use crate::domain::{Status, Stuck};
use crate::ops::journal::{ChainState, Tally};
use crate::present::count::{Font, grouped};
use crate::present::say::say;
use crate::stores::target::is_same_store;

/// A verb that fits the record in the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordAction {
    pub verb: Verb,
    /// Or why the layout does it not.
    pub can: Result<(), String>,
}

/// What fits the state of the record in the panel; nothing where none does.
pub fn record_actions(state: &State) -> Vec<RecordAction> {
    let Some((record, Some(whole))) = super::open_record(state) else {
        return Vec::new();
    };
    if super::open_row(state).is_none() {
        return Vec::new();
    }
    let now = state.now();
    let verdict = record
        .lock
        .as_ref()
        .map(|lock| crate::domain::stuck::judge(lock, now));
    let holds = verdict.is_some_and(|verdict| verdict.stuck == Stuck::No);
    let verbs: &[Verb] = match record.status {
        // Its request is alive by its own times.
        Status::Processing if holds => &[],
        Status::Processing => &[Verb::Release, Verb::Settle],
        Status::Failed if record.response_status.is_none() => &[Verb::Settle, Verb::Purge],
        Status::Completed | Status::Failed => &[Verb::Purge],
        Status::Unknown => &[],
    };
    let action = |verb: &Verb| RecordAction {
        verb: *verb,
        can: whole.source.can(*verb),
    };
    verbs.iter().map(action).collect()
}

/// `4 released, 1 changed meanwhile`.
pub fn outcome_words(tally: &Tally, verb: Verb) -> String {
    let parts = Outcome::ALL.into_iter().filter_map(|outcome| {
        let count = tally.of(outcome);
        let word = crate::present::words::outcome_word(outcome, verb);
        (count > 0).then(|| format!("{} {word}", grouped(count, Font::Text)))
    });
    let words: Vec<String> = parts.collect();
    match words.is_empty() {
        true => say!("repair-nothing-done"),
        false => words.join(", "),
    }
}

/// Why the run that is looked at cannot be undone from here; nothing where it can.
pub fn why_not_undo(state: &State) -> Option<String> {
    let run = state.journal.chosen()?;
    let header = &run.header;
    if header.verb == Verb::Undo {
        return Some(say!("journal-is-undo"));
    }
    if let ChainState::Altered(_) = run.chain {
        return Some(say!("journal-not-trusted"));
    }
    if run.tally.of(Outcome::Done) + run.tally.of(Outcome::Unknown) == 0 {
        return Some(say!("journal-nothing-changed"));
    }
    let opened = state.connection.store.value();
    if opened.is_none_or(|opened| !is_same_store(&opened.label, &header.target)) {
        let name = header.connection.as_ref().unwrap_or(&header.target);
        let name = crate::present::escape::shown(name, 80);
        return Some(say!("journal-other-store", name = name));
    }
    None
}
