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
        let executions = story.tries().filter(|attempt| attempt.is_execution());
        all.executed_again += u64::from(executions.count() > 1);
        mismatches(story, &mut all);
    }
    all
}

pub fn is_abandoned(story: &KeyStory, now: i64) -> bool {
    let last = story.last();
    let is_open = match last.outcome() {
        Some(Outcome::InProgress) => true,
        Some(_) => last.status >= 500,
        None => false,
    };
    is_open && now.saturating_sub(last.at) >= ABANDONED_MS
}

pub fn serves_several(story: &KeyStory) -> bool {
    let served = |attempt: &&Try| {
        attempt
            .outcome()
            .is_some_and(|outcome| outcome.is_execution() || outcome.family() == Family::Replayed)
    };
    let mut served = story.tries().filter(served).map(|attempt| attempt.endpoint);
    let Some(first) = served.next() else {
        return false;
    };
    served.any(|endpoint| endpoint != first)
}

fn mismatches(story: &KeyStory, all: &mut Findings) {
    each_mismatch(story, |suspect| {
        all.mismatches += 1;
        all.mismatches_told += u64::from(suspect.is_some());
        all.false_mismatches += u64::from(suspect == Some(Suspect::Equal));
    });
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Suspect {
    /// The payload that the key was executed with, or another canonical form.
    Equal,
    Other,
}

/// Looks at each mismatch; nothing is told of one whose payload, or that of the execution, is not.
fn each_mismatch(story: &KeyStory, mut look: impl FnMut(Option<Suspect>)) {
    let executed = story.tries().find(|attempt| attempt.is_execution());
    let mismatches = story
        .tries()
        .filter(|attempt| attempt.outcome() == Some(Outcome::Mismatch));
    for attempt in mismatches {
        let is_told = |executed: &&Try| executed.fingerprint != 0 && attempt.fingerprint != 0;
        look(executed.filter(is_told).map(|executed| {
            let is_same = attempt.fingerprint == executed.fingerprint;
            let is_other_form = attempt.version != executed.version;
            match is_same || is_other_form {
                true => Suspect::Equal,
                false => Suspect::Other,
            }
        }));
    }
}

pub fn has_false_mismatch(story: &KeyStory) -> bool {
    let mut has = false;
    each_mismatch(story, |suspect| has |= suspect == Some(Suspect::Equal));
    has
}
