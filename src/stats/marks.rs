//! The keys behind a figure: what a mark in a chart, a line or a tile leads to.
//!
//! Apart from `tell` because nobody asks for all of them: they are looked up when somebody wants to
//! see the records. Invariants: by the same rules as the figure itself, so that there are as many as
//! were counted; bounded, the same keys whatever the order of the attempts, and cutting is told.

use std::collections::BinaryHeap;
use std::sync::Arc;

use super::breakdown::Dimension;
use super::findings::{has_false_mismatch, is_abandoned, serves_several};
use super::keys::{KeyStory, Try, attempts_bin};
use super::names::{Names, REST};
use super::spikes::delay_bar;
use super::storms::Storm;
use super::tally::{Span, Tally};
use crate::domain::attempt::{Family, Outcome};

/// Keys that one list holds.
pub const KEYS_LISTED_MAX: usize = 10_000;

/// Something that was counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Keys with a retry.
    Retried,
    Mismatches,
    FalseMismatches,
    NewKeys,
    /// Retries after the retention, and executions anew after expiry.
    AfterExpiry,
    Abandoned,
    SeveralOperations,
    /// Executions over the lease, takeovers, locks that were lost.
    LeaseTooShort,
    /// Attempts that came to this; `None` for words that are none.
    Family(Option<Family>),
    /// A bar of attempts per key.
    Attempts(usize),
    /// A bar of the time from the first attempt to a retry.
    Delay(usize),
    /// Retries in one bin of the chart.
    Bin(usize),
    /// A line of the table of operations and clients.
    Pair(Option<Arc<str>>, Option<Arc<str>>),
    /// A line of another breakdown.
    Line(Dimension, Option<Arc<str>>),
    Storm(Box<Storm>),
}

/// What was found behind a mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// As `key_id` has them, in order.
    pub keys: Arc<[u64]>,
    /// How many there are, listed or not.
    pub counted: u64,
    /// For how many keys each stands: 1 where all keys are held.
    pub factor: u64,
}

impl Behind {
    pub fn is_cut(&self) -> bool {
        self.counted > self.keys.len() as u64
    }
}

/// Keeps the smallest of any number of keys, each once.
#[derive(Default)]
struct Smallest {
    kept: BinaryHeap<u64>,
    counted: u64,
}

impl Smallest {
    /// Takes a key that did not come before.
    fn take(&mut self, key: u64) {
        self.counted += 1;
        self.kept.push(key);
        if self.kept.len() > KEYS_LISTED_MAX {
            self.kept.pop();
        }
    }

    fn behind(self, factor: u64) -> Behind {
        Behind {
            keys: self.kept.into_sorted_vec().into(),
            counted: self.counted,
            factor,
        }
    }
}

impl Tally {
    /// The keys behind a mark, at the time `now` of the report that shows it.
    pub fn behind(&self, mark: &Mark, now: i64) -> Behind {
        if *mark == Mark::NewKeys {
            return self.new_keys_behind();
        }
        let test = self.test(mark, now.min(self.span.to));
        let mut found = Smallest::default();
        for (key, story) in self.keys.stories() {
            if test.fits(key, story) {
                found.take(key);
            }
        }
        found.behind(self.keys.factor())
    }

    /// One key may have been sent with several payloads.
    fn new_keys_behind(&self) -> Behind {
        let mut keys: Vec<u64> = self.payloads.suspect_keys().collect();
        keys.sort_unstable();
        keys.dedup();
        let mut found = Smallest::default();
        keys.into_iter().for_each(|key| found.take(key));
        found.behind(self.payloads.factor())
    }

    fn test(&self, mark: &Mark, to: i64) -> Test {
        let operation = |name: &Option<Arc<str>>| number(&self.tables.operations, name.as_ref());
        let client = |name: &Option<Arc<str>>| number(&self.tables.clients, name.as_ref());
        match mark {
            Mark::Retried => Test::Retried,
            Mark::Mismatches => Test::Mismatch,
            Mark::FalseMismatches => Test::FalseMismatch,
            Mark::AfterExpiry => Test::AfterExpiry(self.terms.retention_ms),
            Mark::Abandoned => Test::Abandoned(to),
            Mark::SeveralOperations => Test::SeveralOperations,
            Mark::LeaseTooShort => Test::LeaseTooShort,
            Mark::Family(family) => Test::Family(*family),
            Mark::Attempts(bin) => Test::Attempts(*bin),
            Mark::Delay(bar) => Test::Delay(*bar),
            Mark::Bin(bin) => Test::Bin(self.span, *bin),
            Mark::Pair(name, by) => Test::Place(Some(operation(name)), Some(client(by))),
            Mark::Line(Dimension::Operation, name) => Test::Place(Some(operation(name)), None),
            Mark::Line(Dimension::Client, name) => Test::Place(None, Some(client(name))),
            Mark::Line(Dimension::StatusClass, name) => {
                let class = name.as_ref().and_then(|name| name.strip_suffix("xx"));
                Test::StatusClass(class.and_then(|class| class.parse().ok()).unwrap_or(0))
            }
            // Of a key's attempts neither scope nor instance is held.
            Mark::NewKeys | Mark::Line(Dimension::Scope | Dimension::Instance, _) => Test::Never,
            Mark::Storm(storm) => match storm.key {
                Some(key) => Test::Key(key),
                None => Test::During(operation(&storm.operation), storm.from, storm.to),
            },
        }
    }
}

/// A mark with its names as this tally's numbers.
enum Test {
    Never,
    Retried,
    Mismatch,
    FalseMismatch,
    AfterExpiry(Option<u64>),
    /// At this time.
    Abandoned(i64),
    SeveralOperations,
    LeaseTooShort,
    Family(Option<Family>),
    Attempts(usize),
    Delay(usize),
    Bin(Span, usize),
    /// Of this operation, by this client.
    Place(Option<u16>, Option<u16>),
    StatusClass(u16),
    /// Of this operation, from the one time and before the other.
    During(u16, i64, i64),
    Key(u64),
}

impl Test {
    fn fits(&self, key: u64, story: &KeyStory) -> bool {
        match self {
            Test::Never => false,
            Test::Key(wanted) => key == *wanted,
            Test::FalseMismatch => has_false_mismatch(story),
            Test::Abandoned(now) => is_abandoned(story, *now),
            Test::SeveralOperations => serves_several(story),
            Test::Attempts(bin) => attempts_bin(story.attempts) == *bin,
            // The last one is held besides where there are very many.
            one => story.tries().any(|it| one.is_one(it)) || one.is_one(story.last()),
        }
    }

    /// Whether one attempt makes the key fit.
    fn is_one(&self, attempt: &Try) -> bool {
        let outcome = attempt.outcome();
        match self {
            Test::Retried => attempt.came_to.is_retry(),
            Test::Mismatch => outcome == Some(Outcome::Mismatch),
            Test::AfterExpiry(retention) => {
                let late = attempt.since_ms().zip(*retention);
                outcome == Some(Outcome::ReexecExpired)
                    || late.is_some_and(|(since, retention)| since > retention)
            }
            Test::LeaseTooShort => {
                attempt.came_to.is_over_lease()
                    || matches!(outcome, Some(Outcome::TakenOver | Outcome::StaleOwner))
            }
            Test::Family(family) => outcome.map(Outcome::family) == *family,
            Test::Delay(bar) => attempt.since_ms().is_some_and(|ms| delay_bar(ms) == *bar),
            Test::Bin(span, bin) => attempt.came_to.is_retry() && span.bin(attempt.at) == *bin,
            Test::Place(operation, client) => {
                operation.is_none_or(|operation| operation == attempt.endpoint)
                    && client.is_none_or(|client| client == attempt.client)
            }
            Test::StatusClass(class) => (attempt.status / 100).min(99) == *class,
            Test::During(operation, from, to) => {
                attempt.endpoint == *operation && (*from..*to).contains(&attempt.at)
            }
            Test::Never
            | Test::Key(_)
            | Test::FalseMismatch
            | Test::Abandoned(_)
            | Test::SeveralOperations
            | Test::Attempts(_) => false,
        }
    }
}

impl Dimension {
    /// Whether the keys behind a line can be told.
    pub fn leads_to_keys(self) -> bool {
        !matches!(self, Dimension::Scope | Dimension::Instance)
    }
}

fn number(names: &Names, name: Option<&Arc<str>>) -> u16 {
    name.and_then(|name| names.find(name)).unwrap_or(REST)
}
