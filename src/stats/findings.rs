//! What is odd about keys: left without an answer, served twice, refused wrongly.
//!
//! Apart from `keys` because each of these is a word on how applications behave, and a suspicion,
//! not a count. Invariant: counts are of the keys that are held; whoever shows them says of how many.

use super::keys::{KeyStory, Keys, Try};
use crate::domain::attempt::{Family, Outcome};

/// A key without a final answer for so long is left alone.
pub const ABANDONED_MS: i64 = 20 * 60_000;

/// Keys, or attempts, that are worth a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Keys whose last answer was in progress or a server error, long ago.
    pub abandoned: u64,
    /// Mismatches under the payload that the key was executed with, or another canonical form.
    pub false_mismatches: u64,
    /// Mismatches of which payload and that of the execution are told.
    pub mismatches_told: u64,
    pub mismatches: u64,
    /// Keys whose record answered more than one operation.
    pub several_operations: u64,
    /// Keys that were executed twice or more.
    pub executed_again: u64,
    /// Keys that were never attempted again after an answer of 5xx or in progress, whenever.
    pub looked_at: u64,
}

/// Whether a client has its final answer.
pub fn is_answer(outcome: Outcome, status: u16) -> bool {
    status < 500 && !matches!(outcome, Outcome::InProgress | Outcome::StoreError)
}

/// Looks at all keys that are held, at the time `now`.
pub fn findings(keys: &Keys, now: i64) -> Findings {
    let mut all = Findings::default();
    for (_, story) in keys.stories() {
        all.looked_at += 1;
        all.abandoned += u64::from(is_abandoned(story, now));
        all.several_operations += u64::from(serves_several(story));
        let executions = story.tries().filter(|attempt| is_execution(attempt));
        all.executed_again += u64::from(executions.count() > 1);
        mismatches(story, &mut all);
    }
    all
}

fn outcome(attempt: &Try) -> Option<Outcome> {
    Outcome::ALL.get(usize::from(attempt.outcome)).copied()
}

fn is_execution(attempt: &Try) -> bool {
    outcome(attempt).is_some_and(Outcome::is_execution)
}

fn is_abandoned(story: &KeyStory, now: i64) -> bool {
    let last = story.last();
    let is_open = match outcome(last) {
        Some(Outcome::InProgress) => true,
        Some(_) => last.status >= 500,
        None => false,
    };
    is_open && now.saturating_sub(last.at) >= ABANDONED_MS
}

fn serves_several(story: &KeyStory) -> bool {
    let served = |attempt: &&Try| {
        outcome(attempt)
            .is_some_and(|outcome| outcome.is_execution() || outcome.family() == Family::Replayed)
    };
    let mut served = story.tries().filter(served).map(|attempt| attempt.endpoint);
    let Some(first) = served.next() else {
        return false;
    };
    served.any(|endpoint| endpoint != first)
}

fn mismatches(story: &KeyStory, all: &mut Findings) {
    let executed = story.tries().find(|attempt| is_execution(attempt));
    for attempt in story.tries() {
        if outcome(attempt) != Some(Outcome::Mismatch) {
            continue;
        }
        all.mismatches += 1;
        let Some(executed) =
            executed.filter(|executed| executed.fingerprint != 0 && attempt.fingerprint != 0)
        else {
            continue;
        };
        all.mismatches_told += 1;
        let is_same = attempt.fingerprint == executed.fingerprint;
        let is_other_form = attempt.version != executed.version;
        all.false_mismatches += u64::from(is_same || is_other_form);
    }
}
