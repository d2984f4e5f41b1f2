//! The locks area: what holds a lock now, in groups.
//!
//! Counts keep the ends of the leases, so that they are right at any time without a new look.

use std::ops::Range;
use std::sync::Arc;

use crate::domain::{Duration, Timestamp};
use crate::inspect::catalogue::RowId;
use crate::present::say::say;

#[derive(Debug, Default)]
pub struct Locks {
    pub grouping: Grouping,
    /// A place in the list.
    pub cursor: Option<u64>,
    pub is_cursor_placed: bool,
    /// Counts the moves that the list must follow.
    pub reveal: u64,
    /// Locks that hold are listed although none is stuck.
    pub shows_held: bool,
    /// The leases being typed.
    pub form: Option<LeaseForm>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    #[default]
    Operation,
    Source,
    Flat,
}

impl Grouping {
    pub const ALL: [Grouping; 3] = [Grouping::Operation, Grouping::Source, Grouping::Flat];

    pub fn word(self) -> String {
        match self {
            Grouping::Operation => say!("locks-by-operation"),
            Grouping::Source => say!("locks-by-source"),
            Grouping::Flat => say!("locks-flat"),
        }
    }

    pub fn next(self) -> Grouping {
        match self {
            Grouping::Operation => Grouping::Source,
            Grouping::Source => Grouping::Flat,
            Grouping::Flat => Grouping::Operation,
        }
    }
}

/// The locks of a snapshot, oldest first within their groups.
#[derive(Clone, Debug, Default)]
pub struct LockList {
    pub grouping: Grouping,
    pub rows: Arc<[RowId]>,
    pub groups: Vec<LockGroup>,
    pub counts: LockCounts,
    /// Locks that are too many to be listed.
    pub not_listed: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockGroup {
    pub method: Option<String>,
    /// Nothing where there is only one group, or what it is grouped by is not stored.
    pub title: Option<String>,
    /// The layout whose records these are; nothing where there are several.
    pub layout: Option<String>,
    /// Places in the list.
    pub rows: Range<u64>,
    pub counts: LockCounts,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockCounts {
    pub total: u64,
    /// Stuck whatever the time is.
    pub orphaned: u64,
    pub cannot_tell: u64,
    /// When the leases of the others end, in order.
    pub ends: Vec<Timestamp>,
    /// When the oldest was taken, where that is known.
    pub oldest: Option<Timestamp>,
}

impl LockCounts {
    pub fn stuck(&self, now: Timestamp) -> u64 {
        let over = self.ends.partition_point(|end| *end < now);
        over as u64 + self.orphaned
    }
}

/// The leases that count, one field for each source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaseForm {
    pub fields: Vec<LeaseField>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseField {
    /// Which source this is.
    pub source: String,
    pub layout: String,
    pub place: String,
    /// What the layout itself says.
    pub told: Option<Duration>,
    pub typed: String,
}

impl LeaseField {
    pub fn lease(&self) -> TypedSpan {
        TypedSpan::of(&self.typed)
    }
}

/// A span that a person has typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedSpan {
    /// Whatever is said elsewhere.
    Nothing,
    Span(Duration),
    Wrong,
}

impl TypedSpan {
    pub fn of(typed: &str) -> TypedSpan {
        let typed = typed.trim();
        if typed.is_empty() {
            return TypedSpan::Nothing;
        }
        match Duration::parse(typed) {
            Some(span) if span > Duration::ZERO => TypedSpan::Span(span),
            _ => TypedSpan::Wrong,
        }
    }

    pub fn span(self) -> Option<Duration> {
        match self {
            TypedSpan::Span(span) => Some(span),
            _ => None,
        }
    }

    pub fn is_wrong(self) -> bool {
        self == TypedSpan::Wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_ends_makes_a_stuck_lock() {
        let counts = LockCounts {
            total: 4,
            orphaned: 1,
            cannot_tell: 1,
            ends: vec![Timestamp(10), Timestamp(20)],
            oldest: None,
        };
        let stuck: Vec<u64> = [10, 11, 21]
            .map(|now| counts.stuck(Timestamp(now)))
            .to_vec();
        assert_eq!(stuck, [1, 2, 3]);
    }

    #[test]
    fn only_spans_are_leases() {
        let of = TypedSpan::of;
        assert_eq!(of(" 5m ").span(), Some(Duration::secs(300)));
        assert_eq!(of(""), TypedSpan::Nothing);
        assert!(of("soon").is_wrong() && of("0s").is_wrong());
    }
}
