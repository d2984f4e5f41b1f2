//! How long a run rests between two batches, so that others hardly feel it.
//!
//! Apart from the run because it is a bargain and not a rule: a client that asks while a batch is
//! at work waits for a part of it, so most of the time there should be none.

use std::time::Duration;

use crate::stores::Pace;

/// Of ten parts of the time one is spent in the store: nine in ten questions meet nobody.
const PARTS: u32 = 9;
/// A store far away takes long for a batch without being busy.
const REST_MAX: Duration = Duration::from_millis(100);

/// Records in one gentle batch at most: more hold up others.
const GENTLE_MAX: usize = 40;

pub fn rest(pace: Pace, took: Duration) -> Duration {
    match pace {
        Pace::Full => Duration::ZERO,
        Pace::Gentle => took.saturating_mul(PARTS).min(REST_MAX),
    }
}

/// How many records go into one batch of a store that takes at most so many: a gentle run asks for
/// little at a time, so that whoever comes in between waits for little.
pub fn step(pace: Pace, most: usize) -> usize {
    match pace {
        Pace::Full => most.max(1),
        Pace::Gentle => most.div_ceil(10).clamp(1, GENTLE_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gentle_run_rests_most_of_the_time_but_never_long() {
        let took = Duration::from_millis(2);
        assert_eq!(rest(Pace::Gentle, took), Duration::from_millis(18));
        assert_eq!(rest(Pace::Gentle, Duration::MAX), REST_MAX);
        assert_eq!(rest(Pace::Full, took), Duration::ZERO);
        assert_eq!(
            (step(Pace::Gentle, 100), step(Pace::Gentle, 1000)),
            (10, 40)
        );
        assert_eq!((step(Pace::Gentle, 0), step(Pace::Full, 400)), (1, 400));
    }
}
