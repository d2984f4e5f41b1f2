//! Everything that a tally tells, figure by figure.
//!
//! Apart from `tally` because a tally is for adding and a report is for reading: it is made when
//! somebody looks, and holds no more than is shown.

use std::sync::Arc;

use super::breakdown::{Dimension, Row};
use super::figure::Figure;
use super::findings::Findings;
use super::keys::AttemptsPerKey;
use super::series::{BINS, Bin, TRENDS};
use super::sketch::Sketch;
use super::spikes::DelayBar;
use super::storms::Storm;
use super::tally::{Late, Span, Terms};
use crate::domain::attempt::{Family, Outcome};

/// Outcomes, each by its word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mix {
    /// In the order of `Outcome::ALL`.
    pub known: [u64; 14],
    /// Words that are none of them, the most frequent first.
    pub words: Vec<(String, u64)>,
    pub other_words: u64,
}

impl Mix {
    pub fn of(&self, outcome: Outcome) -> u64 {
        self.known.get(outcome as usize).copied().unwrap_or(0)
    }

    pub fn of_family(&self, family: Family) -> u64 {
        let of = Outcome::ALL
            .into_iter()
            .filter(|outcome| outcome.family() == family);
        of.map(|outcome| self.of(outcome)).sum()
    }

    pub fn unknown(&self) -> u64 {
        self.words.iter().map(|(_, count)| count).sum::<u64>() + self.other_words
    }
}

/// Retries of attempts; and what is usual outside of storms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetryRate {
    pub retries: u64,
    /// Attempts with a key of which it is known.
    pub of: u64,
    /// The rate while there was no storm, where there was one.
    pub usual: Option<f64>,
}

impl RetryRate {
    pub fn rate(self) -> f64 {
        self.retries as f64 / self.of.max(1) as f64
    }
}

/// Quantiles of spans, each within 1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
    pub most: u64,
}

impl Times {
    pub fn of(sketch: &Sketch) -> Option<Times> {
        Some(Times {
            p50: sketch.quantile(0.5)?,
            p95: sketch.quantile(0.95)?,
            p99: sketch.quantile(0.99)?,
            most: sketch.most(),
        })
    }
}

/// From the first attempt to a retry, and from one attempt to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DelayFacts {
    pub times: Times,
    pub bars: Vec<DelayBar>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LateShare {
    pub late: Late,
    /// Executions anew after the record had gone.
    pub executed: u64,
}

/// Executions against the lease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaseFacts {
    pub over: u64,
    /// Past four fifths of it.
    pub near: u64,
    pub taken_over: u64,
    pub stale_owners: u64,
}

/// One line of a breakdown.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// `None` for attempts without it, or for all others.
    pub name: Option<Arc<str>>,
    pub client: Option<Arc<str>>,
    pub row: Row,
    /// Keys whose first attempt was this one's; where all keys are held.
    pub keys: Option<u64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Breakdown {
    pub dimension: Dimension,
    /// The most frequent first.
    pub places: Vec<Place>,
    pub others: Row,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub span: Span,
    pub terms: Terms,
    pub entries: u64,
    pub first_at: Option<i64>,
    pub last_at: Option<i64>,
    /// Entries that stand for several, and how many attempts all entries stand for.
    pub sampled: Option<(u64, u64)>,
    /// In the order of `Defect::ALL`.
    pub defects: [u64; 7],
    /// From when on storms can be seen, where that is not the whole window.
    pub storms_from: Option<i64>,
    pub bins: Box<[Bin; BINS]>,
    pub keyed_share: Figure<(u64, u64)>,
    pub retry_rate: Figure<RetryRate>,
    pub attempts_per_key: Figure<AttemptsPerKey>,
    pub outcomes: Figure<Mix>,
    pub first_retry_delay: Figure<DelayFacts>,
    pub retry_gap: Figure<DelayFacts>,
    pub late_share: Figure<LateShare>,
    pub execution_time: Figure<Times>,
    pub execution_p99s: [Option<u64>; TRENDS],
    pub lease: Figure<LeaseFacts>,
    pub findings: Figure<Findings>,
    pub false_mismatches: Figure<u64>,
    pub new_key_suspects: Figure<u64>,
    pub storms: Figure<Vec<Storm>>,
    pub breakdowns: Vec<Breakdown>,
    /// By operation and client.
    pub places: Vec<Place>,
    pub breakdown_complete: bool,
}
