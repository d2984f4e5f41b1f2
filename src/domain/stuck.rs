//! Decides whether a lock is stuck, is not, or cannot be told.
//!
//! Apart from `record` because the answer depends on `now` and a record does not.
//! Invariant: no clock is read here; without a lease the answer is `CannotTell`, but for what a
//! layout can state outright.

use super::time::{Duration, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stuck {
    Yes,
    No,
    CannotTell,
}

impl Stuck {
    /// As the command line's JSON has it: true, false, null.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Stuck::Yes => Some(true),
            Stuck::No => Some(false),
            Stuck::CannotTell => None,
        }
    }
}

/// What the age of a lock, or the answer to stuck, rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockAgeSource {
    Field,
    Deadline,
    ExpiryMinusTtl,
    Pttl,
    None,
}

impl LockAgeSource {
    pub fn name(self) -> &'static str {
        match self {
            LockAgeSource::Field => "field",
            LockAgeSource::Deadline => "deadline",
            LockAgeSource::ExpiryMinusTtl => "expiry-minus-ttl",
            LockAgeSource::Pttl => "pttl",
            LockAgeSource::None => "none",
        }
    }

    pub fn from_name(name: &str) -> Option<LockAgeSource> {
        [
            LockAgeSource::Field,
            LockAgeSource::Deadline,
            LockAgeSource::ExpiryMinusTtl,
            LockAgeSource::Pttl,
            LockAgeSource::None,
        ]
        .into_iter()
        .find(|source| source.name() == name)
    }

    /// Whether the age was worked out from something else than a stored time.
    pub fn is_inferred(self) -> bool {
        matches!(self, LockAgeSource::ExpiryMinusTtl | LockAgeSource::Pttl)
    }
}

/// What a layout can state about a lock beside times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LockState {
    /// An ordinary lock: only time tells.
    #[default]
    Held,
    /// Waiting (scheduled, awaiting approval, unowned, attempt finished): nothing holds a lock.
    Waiting,
    /// Claim and answer are committed together, so a visible record without an answer is dead.
    Orphaned,
    /// A running transaction holds the row: a sign of life, whatever the times say.
    Alive,
}

/// Everything known about one lock, all of it by the store's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct LockFacts {
    pub state: LockState,
    /// The stored start of the lock.
    pub start: Option<Timestamp>,
    /// The stored end of the lease.
    pub deadline: Option<Timestamp>,
    /// The stored expiry of the record.
    pub expiry: Option<Timestamp>,
    /// What is left of the key's own TTL, and when that was read.
    pub ttl: Option<(Duration, Timestamp)>,
    /// How long a record lives by the operator's word or the layout's.
    pub lifetime: Option<Duration>,
    /// The lease that counts: the operator's, else the layout's.
    pub lease: Option<Duration>,
}

/// The answer, with what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockVerdict {
    pub stuck: Stuck,
    pub source: LockAgeSource,
    /// When the lock was taken, where that can be had.
    pub start: Option<Timestamp>,
    /// When its lease ends, where that can be had.
    pub lease_end: Option<Timestamp>,
}

impl LockVerdict {
    pub fn age(&self, now: Timestamp) -> Option<Duration> {
        self.start.map(|start| start.until(now))
    }

    /// How far past its lease the lock is; negative while the lease runs.
    pub fn past_lease(&self, now: Timestamp) -> Option<Duration> {
        self.lease_end.map(|end| end.until(now))
    }
}

/// Judges one lock at `now`.
pub fn judge(lock: &LockFacts, now: Timestamp) -> LockVerdict {
    let (start, source) = match (lock.start, lock.deadline) {
        (None, Some(deadline)) => {
            let start = lock.lease.map(|lease| deadline.minus(lease));
            (start.or(start_of(lock).0), LockAgeSource::Deadline)
        }
        _ => start_of(lock),
    };
    let lease_end = match (lock.deadline, start, lock.lease) {
        (Some(deadline), _, _) => Some(deadline),
        (None, Some(start), Some(lease)) => Some(start.plus(lease)),
        _ => None,
    };
    let stuck = match (lock.state, lease_end) {
        (LockState::Waiting | LockState::Alive, _) => Stuck::No,
        (LockState::Orphaned, _) => Stuck::Yes,
        (LockState::Held, Some(end)) if end < now => Stuck::Yes,
        (LockState::Held, Some(_)) => Stuck::No,
        (LockState::Held, None) => Stuck::CannotTell,
    };
    LockVerdict {
        stuck,
        source,
        start,
        lease_end,
    }
}

fn start_of(lock: &LockFacts) -> (Option<Timestamp>, LockAgeSource) {
    if let Some(start) = lock.start {
        return (Some(start), LockAgeSource::Field);
    }
    let Some(lifetime) = lock.lifetime else {
        return (None, LockAgeSource::None);
    };
    if let Some(expiry) = lock.expiry {
        return (Some(expiry.minus(lifetime)), LockAgeSource::ExpiryMinusTtl);
    }
    match lock.ttl {
        Some((left, read_at)) => (
            Some(read_at.plus(left).minus(lifetime)),
            LockAgeSource::Pttl,
        ),
        None => (None, LockAgeSource::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn ago(secs: i64) -> Timestamp {
        NOW.minus(Duration::secs(secs))
    }

    #[track_caller]
    fn check(lock: LockFacts, stuck: Stuck, source: LockAgeSource) {
        let verdict = judge(&lock, NOW);
        assert_eq!((verdict.stuck, verdict.source), (stuck, source));
    }

    #[test]
    fn a_stored_deadline_comes_first() {
        let passed = LockFacts {
            deadline: Some(ago(1)),
            ..LockFacts::default()
        };
        check(passed, Stuck::Yes, LockAgeSource::Deadline);
        let lease_says_no = LockFacts {
            start: Some(ago(5)),
            lease: Some(Duration::secs(90)),
            ..passed
        };
        check(lease_says_no, Stuck::Yes, LockAgeSource::Field);
    }

    #[test]
    fn without_a_lease_it_cannot_be_told() {
        let lock = LockFacts {
            start: Some(ago(86_400)),
            ..LockFacts::default()
        };
        check(lock, Stuck::CannotTell, LockAgeSource::Field);
    }

    #[test]
    fn a_start_past_its_lease_is_stuck() {
        let lock = |age| LockFacts {
            start: Some(ago(age)),
            lease: Some(Duration::secs(60)),
            ..LockFacts::default()
        };
        check(lock(61), Stuck::Yes, LockAgeSource::Field);
        check(lock(5), Stuck::No, LockAgeSource::Field);
    }

    #[test]
    fn the_ttl_tells_the_age_where_the_lifetime_is_known() {
        let lock = LockFacts {
            ttl: Some((Duration::secs(86_358), NOW)),
            lifetime: Some(Duration::secs(86_400)),
            ..LockFacts::default()
        };
        check(lock, Stuck::CannotTell, LockAgeSource::Pttl);
        assert_eq!(judge(&lock, NOW).age(NOW), Some(Duration::secs(42)));
        let lease = LockFacts {
            lease: Some(Duration::secs(30)),
            ..lock
        };
        check(lease, Stuck::Yes, LockAgeSource::Pttl);
    }

    #[test]
    fn a_sign_of_life_overrules_every_time() {
        let alive = LockFacts {
            state: LockState::Alive,
            deadline: Some(ago(3600)),
            ..LockFacts::default()
        };
        check(alive, Stuck::No, LockAgeSource::Deadline);
    }

    #[test]
    fn what_the_layout_states_needs_no_lease() {
        let waiting = LockFacts {
            state: LockState::Waiting,
            ..LockFacts::default()
        };
        check(waiting, Stuck::No, LockAgeSource::None);
        let orphan = LockFacts {
            state: LockState::Orphaned,
            ..LockFacts::default()
        };
        check(orphan, Stuck::Yes, LockAgeSource::None);
    }
}
