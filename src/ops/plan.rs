//! Plans: the exact changes of records, made from what is stored now, to be shown and then run.
//!
//! Only this module makes a [`Plan`], and it holds the rules: a finished record is never released, a
//! processing one never purged, a lock with a sign of life left alone. What is not in the plan is
//! listed with the reason.
//! Bounds: so many records and so many bytes; what lies beyond is counted and left for the next.

pub mod file;
mod make;
mod rules;
pub mod words;

use std::sync::Arc;

use crate::domain::change::{Answer, Change, Outcome, Verb};
use crate::domain::raw::RawAddress;
use crate::domain::{Duration, LockAgeSource, Status, Stuck, Timestamp};
use crate::layouts::Source;

pub use make::{Progress, make};

/// Records in one plan.
pub const ITEMS_MAX: usize = 200_000;
/// Bytes that a plan holds: twice what the records hold.
pub const BYTES_MAX: usize = 1 << 30;

/// One record that is asked for, as a list knows it.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub source: Arc<Source>,
    pub address: RawAddress,
    /// The longest TTL seen in the source, which tells which lifetime its records have.
    pub longest_ttl: Option<Duration>,
    /// How long its lock was to live when it was listed: its deadline, else its expiry.
    pub lives_until: Option<Timestamp>,
}

/// How the records were chosen, which decides what is taken along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// By a person, one by one: a lock of which nothing can be told is taken with a warning.
    Named,
    /// By a rule: only what is certain.
    Rule,
}

/// What an operator asks for.
#[derive(Clone, Debug)]
pub struct Ask {
    pub verb: Verb,
    pub selection: Selection,
    /// What a settled record is to replay.
    pub answer: Option<Answer>,
    /// Only locks held longer than this; it is the lease where none is known.
    pub older_than: Option<Duration>,
    /// Only records whose time has passed.
    pub expired_only: bool,
    /// Keys of which no record was found.
    pub missing: Vec<String>,
}

impl Ask {
    pub fn new(verb: Verb, selection: Selection) -> Ask {
        Ask {
            verb,
            selection,
            answer: None,
            older_than: None,
            expired_only: false,
            missing: Vec::new(),
        }
    }
}

/// The changes that are to be made, as they are shown, run and journalled.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    verb: Verb,
    /// The store, without secrets.
    target: String,
    /// When it was made, by the store's clock.
    made_at: Timestamp,
    items: Vec<Item>,
    refused: Vec<Refusal>,
    /// Records beyond the bounds.
    beyond: u64,
    /// The run that is undone.
    undoes: Option<String>,
}

/// One record in a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub address: RawAddress,
    pub layout: Arc<str>,
    pub idempotency_key: Option<String>,
    pub scope: Option<String>,
    pub operation: Option<String>,
    pub status: Status,
    pub stuck: Stuck,
    /// How long the lock was held when the plan was made, and what that rests on.
    pub age: Option<Duration>,
    pub age_source: LockAgeSource,
    /// How far past its lease it was.
    pub past_lease: Option<Duration>,
    pub recovery_point: Option<String>,
    pub response_status: Option<u16>,
    pub warning: Option<Warning>,
    pub change: Change,
}

/// What a person should know before one record is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Warning {
    /// Nothing tells whether the lock is stuck: the request may still be running.
    MayStillRun,
    /// Whether a transaction holds the row cannot be told while looking.
    MayBeHeld,
    /// A stored server error is removed: its effect may have happened before the error.
    ErrorWithEffects,
    /// The undo puts back a lock: until it is released again retries are refused.
    LockComesBack,
    /// The undone run never learned whether it made this change: an application may have made it.
    MayBeOfOthers,
}

impl Warning {
    pub const ALL: [Warning; 5] = [
        Warning::MayStillRun,
        Warning::MayBeHeld,
        Warning::ErrorWithEffects,
        Warning::LockComesBack,
        Warning::MayBeOfOthers,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Warning::MayStillRun => "may_still_run",
            Warning::MayBeHeld => "may_be_held",
            Warning::ErrorWithEffects => "error_with_effects",
            Warning::LockComesBack => "lock_comes_back",
            Warning::MayBeOfOthers => "may_be_of_others",
        }
    }

    pub fn from_name(name: &str) -> Option<Warning> {
        Warning::ALL
            .into_iter()
            .find(|warning| warning.name() == name)
    }
}

/// A record that was asked for and is left alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub address: RawAddress,
    /// `Refused`, `Alive`, `Gone` or `ChangedMeanwhile`.
    pub outcome: Outcome,
    /// One sentence without a full stop.
    pub why: String,
}

impl Plan {
    pub fn verb(&self) -> Verb {
        self.verb
    }

    pub fn target(&self) -> &str {
        &self.target
    }

    pub fn made_at(&self) -> Timestamp {
        self.made_at
    }

    pub fn items(&self) -> &[Item] {
        &self.items
    }

    pub fn refused(&self) -> &[Refusal] {
        &self.refused
    }

    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    pub fn undoes(&self) -> Option<&str> {
        self.undoes.as_deref()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many records carry each warning.
    pub fn warnings(&self) -> Vec<(Warning, usize)> {
        let count = |warning: Warning| {
            let carry = |item: &&Item| item.warning == Some(warning);
            (warning, self.items.iter().filter(carry).count())
        };
        let counted = Warning::ALL.into_iter().map(count);
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// A plan that is still empty; `make`, `file` and `undo` fill it.
    pub(in crate::ops) fn empty(verb: Verb, target: &str, made_at: Timestamp) -> Plan {
        Plan {
            verb,
            target: target.to_owned(),
            made_at,
            items: Vec::new(),
            refused: Vec::new(),
            beyond: 0,
            undoes: None,
        }
    }

    pub(in crate::ops) fn undoing(mut self, run: &str) -> Plan {
        self.undoes = Some(run.to_owned());
        self
    }

    pub(in crate::ops) fn refuse(&mut self, refusal: Refusal) {
        self.refused.push(refusal);
    }

    /// Adds a record, if the bounds allow it.
    pub(in crate::ops) fn add(&mut self, item: Item, bytes: &mut usize) {
        *bytes += item.change.bytes();
        if self.items.len() >= ITEMS_MAX || *bytes > BYTES_MAX {
            self.beyond += 1;
        } else {
            self.items.push(item);
        }
    }
}

/// Made-up plans for the tests of whoever shows them.
#[cfg(test)]
pub mod testing;
