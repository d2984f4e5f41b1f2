//! Whether a store may be changed from this window, and until when.
//!
//! Apart from `connection` because a person turns it on and off and the store knows nothing of it.
//! Invariant: a store opens read-only, unless it is the program's own.

use crate::domain::{Duration, Timestamp};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Changes {
    #[default]
    ReadOnly,
    On {
        /// By this machine's clock; nothing where it stays so until somebody turns it off.
        until: Option<Timestamp>,
    },
}

impl Changes {
    pub fn is_on(self, here: Timestamp) -> bool {
        match self {
            Changes::ReadOnly => false,
            Changes::On { until } => until.is_none_or(|until| here < until),
        }
    }

    /// What is left of the time, where it is counted.
    pub fn left(self, here: Timestamp) -> Option<Duration> {
        match self {
            Changes::On { until: Some(until) } if here < until => Some(here.until(until)),
            _ => None,
        }
    }

    /// The time that was given is over.
    pub fn is_over(self, here: Timestamp) -> bool {
        matches!(self, Changes::On { until: Some(until) } if here >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_counted_to_its_end() {
        let changes = Changes::On {
            until: Some(Timestamp(1000)),
        };
        assert!(changes.is_on(Timestamp(999)) && !changes.is_on(Timestamp(1000)));
        assert!(changes.is_over(Timestamp(1000)) && !changes.is_over(Timestamp(0)));
        assert_eq!(changes.left(Timestamp(400)), Some(Duration(600)));
        let untimed = Changes::On { until: None };
        assert!(untimed.is_on(Timestamp(i64::MAX)) && untimed.left(Timestamp(0)).is_none());
        assert!(!Changes::ReadOnly.is_on(Timestamp(0)));
    }
}
