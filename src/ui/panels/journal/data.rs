//! What the journal says: a line for each run, and the run that is looked at.

use crate::app::State;
use crate::app::state::RunFace;
use crate::app::view::{ChainState, Entry, Run, found_words, why_not_undo};
use crate::domain::Timestamp;
use crate::domain::change::Outcome;
use crate::present::clock::{iso_local, time_of_day};
use crate::present::count::{Font, grouped};
use crate::present::escape;
use crate::present::say::say;
use crate::present::words::outcome_word;
use crate::ui::panels::repair::data::{outcome_glyph, verb_word};
use crate::ui::theme::Tone;

/// Characters of a reason and of names in the list.
const SHOWN_CHARS: usize = 160;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunItem {
    pub icon: &'static str,
    pub verb: String,
    pub store: String,
    pub at: String,
    pub by: String,
    /// Counts by outcome, each with its colour.
    pub counts: Vec<(String, Tone)>,
    pub reason: String,
    /// What is wrong with it.
    pub mark: Option<String>,
    pub is_production: bool,
    /// What a screen reader says.
    pub name: String,
}

pub fn run_item(state: &State, run: &RunFace) -> RunItem {
    let header = &run.header;
    let store = store_name(&header.connection, &header.target);
    let at = time_of_day(header.started_at, state.clock.here, state.clock.offset);
    let counts: Vec<(String, Tone)> = Outcome::ALL
        .into_iter()
        .filter(|outcome| run.tally.of(*outcome) > 0)
        .map(|outcome| {
            let count = grouped(run.tally.of(outcome), Font::Mono);
            (count, outcome_glyph(outcome).1)
        })
        .collect();
    let words = crate::app::view::outcome_words(&run.tally, header.verb);
    let verb = verb_word(header.verb);
    let mark = mark(run);
    let said = mark.iter().map(|mark| format!(", {mark}"));
    let name = format!("{verb}, {store}, {at}, {words}{}", said.collect::<String>());
    RunItem {
        icon: header.verb.name(),
        verb,
        store,
        at,
        by: escape::shown(header.by.as_deref().unwrap_or_default(), 40),
        counts,
        reason: escape::shown(header.reason.as_deref().unwrap_or_default(), SHOWN_CHARS),
        mark,
        is_production: header.production,
        name,
    }
}

/// What a person calls the store of a run.
fn store_name(connection: &Option<String>, target: &str) -> String {
    match connection {
        Some(name) => escape::shown(name, 80),
        None if target == crate::config::connections::DEMO => say!("stores-demo"),
        None => escape::shown(target, 80),
    }
}

fn mark(run: &RunFace) -> Option<String> {
    match (&run.chain, &run.end) {
        (ChainState::Altered(_), _) => Some(say!("journal-altered")),
        (ChainState::BeforeMissing(_), _) => Some(say!("journal-before-missing")),
        (ChainState::BrokenTail, _) | (ChainState::Whole, None) => Some(say!("journal-broken")),
        (ChainState::Whole, Some(end)) => end.stopped.is_some().then(|| say!("journal-stopped")),
    }
}

/// What is known of the run that is looked at: words and values.
pub fn facts(state: &State, run: &RunFace) -> Vec<(String, String)> {
    let header = &run.header;
    let text = |value: &Option<String>| value.as_deref().map(|value| escape::shown(value, 500));
    let by: Vec<String> = [&header.by, &header.host]
        .into_iter()
        .filter_map(text)
        .collect();
    let time = |at: Timestamp| iso_local(at, state.clock.offset);
    let mut facts = vec![
        (say!("journal-run"), header.id.clone()),
        (say!("journal-store"), escape::shown(&header.target, 300)),
        (say!("journal-at"), time(header.started_at)),
    ];
    let mut add =
        |word: String, value: Option<String>| facts.extend(value.map(|value| (word, value)));
    add(
        say!("journal-ended"),
        run.end.as_ref().map(|end| time(end.at)),
    );
    add(say!("journal-by"), (!by.is_empty()).then(|| by.join(" · ")));
    add(say!("journal-login"), text(&header.login));
    add(say!("journal-reason"), text(&header.reason));
    add(say!("journal-undoes"), header.undoes.clone());
    let stopped = run.end.as_ref().and_then(|end| end.stopped.clone());
    add(say!("journal-why-stopped"), text(&stopped));
    facts
}

/// What is wrong with the lines of a run, as a sentence.
pub fn trouble(run: &RunFace) -> Option<String> {
    Some(match (&run.chain, &run.end) {
        (ChainState::Altered(line), _) => say!("journal-altered-from", line = line.to_string()),
        (ChainState::BeforeMissing(before), _) => {
            say!("journal-before-missing-whole", run = before.as_str())
        }
        (ChainState::BrokenTail, _) | (ChainState::Whole, None) => say!("journal-broken-whole"),
        (ChainState::Whole, Some(_)) => return None,
    })
}

/// One record of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryLine {
    pub key: String,
    pub outcome: Outcome,
    pub word: String,
    pub why: String,
}

/// How many lines a run has, of one outcome or of all.
pub fn entry_places(run: &Run, shown: Option<Outcome>) -> Vec<usize> {
    let entries = run.entries.iter().map(outcome_of);
    let all = entries.chain(run.left.iter().map(|left| left.outcome));
    let places = all
        .enumerate()
        .filter(|(_, outcome)| shown.is_none_or(|shown| shown == *outcome));
    places.map(|(at, _)| at).collect()
}

fn outcome_of(entry: &Entry) -> Outcome {
    entry.outcome.unwrap_or(Outcome::Unknown)
}

pub fn entry_line(run: &Run, at: usize) -> Option<EntryLine> {
    let verb = run.header.verb;
    if let Some(entry) = run.entries.get(at) {
        let outcome = outcome_of(entry);
        let said = match entry.outcome {
            None => Some(say!("journal-no-outcome")),
            Some(_) => entry.why.clone(),
        };
        let found = entry.found.map(|found| found_words(found).to_owned());
        let why: Vec<String> = said.into_iter().chain(found).collect();
        return Some(EntryLine {
            key: escape::shown(
                entry
                    .idempotency_key
                    .as_ref()
                    .unwrap_or(&entry.address_text),
                200,
            ),
            outcome,
            word: outcome_word(outcome, verb),
            why: escape::shown(&why.join("; "), 300),
        });
    }
    let left = run.left.get(at - run.entries.len())?;
    Some(EntryLine {
        key: escape::shown(&left.address, 200),
        outcome: left.outcome,
        word: outcome_word(left.outcome, verb),
        why: escape::shown(&left.why, 300),
    })
}

/// The way back from the run that is looked at, or why there is none.
pub fn undo(state: &State) -> Result<(), String> {
    match why_not_undo(state) {
        None => Ok(()),
        Some(why) => Err(why),
    }
}
