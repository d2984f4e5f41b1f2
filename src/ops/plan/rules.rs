//! What may be done to a record, by what it is now.
//!
//! Apart from `make`, which reads, because these rules decide alone and are tested alone.

use super::{Ask, Selection, Warning};
use crate::domain::change::{Outcome, Verb};
use crate::domain::stuck::{LockState, judge};
use crate::domain::{Duration, LockVerdict, Record, Status, Stuck, Timestamp};
use crate::present::span;

/// What the rules say of one record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ruling {
    Allowed(Option<Warning>),
    Left(Outcome, String),
}

fn refused(why: impl Into<String>) -> Ruling {
    Ruling::Left(Outcome::Refused, why.into())
}

/// Judges the lock of a record, with the operator's own limit where no lease is known.
pub(super) fn verdict(
    record: &Record,
    older_than: Option<Duration>,
    now: Timestamp,
) -> Option<LockVerdict> {
    let mut lock = record.lock?;
    if lock.lease.is_none() {
        lock.lease = older_than;
    }
    Some(judge(&lock, now))
}

const HELD: &str = "a running transaction holds the row: its request is alive";

/// Clocks and TTLs are read to the millisecond, and not in one moment.
const GROWN: Duration = Duration(2_000);

/// How long a lock is to live: its deadline, else the end of its record.
pub(super) fn lives_until(record: &Record) -> Option<Timestamp> {
    record.lock_until.or_else(|| record.expiry())
}

/// Whether a lock was given more time since it was listed: only its owner does that.
pub(super) fn was_renewed(listed: Option<Timestamp>, record: &Record) -> bool {
    let (Some(listed), Some(now)) = (listed, lives_until(record)) else {
        return false;
    };
    record.status == Status::Processing && listed.until(now) > GROWN
}

/// Decides. `held` is whether a running transaction holds the row.
pub(super) fn rule(
    ask: &Ask,
    record: &Record,
    verdict: Option<&LockVerdict>,
    held: Option<bool>,
    now: Timestamp,
) -> Ruling {
    if held == Some(true) {
        return Ruling::Left(Outcome::Alive, HELD.to_owned());
    }
    match ask.verb {
        Verb::Release => release(ask, record, verdict, now),
        Verb::Settle => settle(record, verdict, now),
        Verb::Purge => purge(ask, record, now),
        Verb::Undo => refused("an undo is made from the journal"),
    }
}

fn release(ask: &Ask, record: &Record, verdict: Option<&LockVerdict>, now: Timestamp) -> Ruling {
    match (record.status, verdict) {
        (Status::Processing, Some(verdict)) => locked(ask, record, verdict, now),
        (Status::Processing, None) => refused("nothing is known of its lock"),
        (Status::Completed, _) => refused("it is completed: a finished record is never released"),
        (Status::Failed, _) => refused("it is failed and holds no lock"),
        (Status::Unknown, _) => refused("the layout cannot tell whether it holds a lock"),
    }
}

fn locked(ask: &Ask, record: &Record, verdict: &LockVerdict, now: Timestamp) -> Ruling {
    if let Some(left) = alive_by_time(record, verdict, now) {
        return left;
    }
    if let Some(limit) = ask.older_than {
        match verdict.age(now) {
            Some(age) if age <= limit => {
                let age = span::sentence(age);
                return refused(format!("it is held for {age} only"));
            }
            None if verdict.stuck != Stuck::Yes => {
                return refused("how long it is held cannot be told");
            }
            _ => {}
        }
    }
    match (verdict.stuck, ask.selection) {
        (Stuck::Yes, _) => Ruling::Allowed(None),
        (_, Selection::Named) => Ruling::Allowed(Some(Warning::MayStillRun)),
        (_, Selection::Rule) => refused("whether it is stuck cannot be told: no lease is known"),
    }
}

/// A lock that holds by its own times.
fn alive_by_time(record: &Record, verdict: &LockVerdict, now: Timestamp) -> Option<Ruling> {
    if verdict.stuck != Stuck::No {
        return None;
    }
    let state = record.lock.map(|lock| lock.state);
    Some(match verdict.lease_end {
        _ if state == Some(LockState::Waiting) => {
            refused("it waits for its turn and holds no lock")
        }
        // Seen by the layout, and let go by the time that the row itself was looked at.
        _ if state == Some(LockState::Alive) => Ruling::Left(Outcome::Alive, HELD.to_owned()),
        Some(end) => {
            let left = span::sentence(now.until(end));
            refused(format!(
                "it is not stuck: its lease runs for another {left}"
            ))
        }
        None => refused("it is not stuck"),
    })
}

fn settle(record: &Record, verdict: Option<&LockVerdict>, now: Timestamp) -> Ruling {
    match (record.status, verdict) {
        (Status::Processing, Some(verdict)) => match alive_by_time(record, verdict, now) {
            Some(left) => left,
            None if verdict.stuck == Stuck::Yes => Ruling::Allowed(None),
            None => Ruling::Allowed(Some(Warning::MayStillRun)),
        },
        (Status::Processing, None) => refused("nothing is known of its lock"),
        (Status::Failed, _) if record.response_status.is_none() => Ruling::Allowed(None),
        (Status::Failed, _) => refused("it holds an answer already"),
        (Status::Completed, _) => refused("it is completed already"),
        (Status::Unknown, _) => refused("the layout cannot tell whether it is finished"),
    }
}

fn purge(ask: &Ask, record: &Record, now: Timestamp) -> Ruling {
    match record.status {
        Status::Processing => {
            return refused("it is processing: a lock is released, never purged");
        }
        Status::Unknown => {
            return refused("the layout cannot tell whether it is finished");
        }
        Status::Completed | Status::Failed => {}
    }
    if ask.expired_only && record.expired(now) != Some(true) {
        return refused("its time has not passed");
    }
    let is_error = record.response_status.is_some_and(|status| status >= 500);
    let matters = is_error && record.expired(now) != Some(true);
    Ruling::Allowed(matters.then_some(Warning::ErrorWithEffects))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::LockFacts;
    use crate::domain::raw::{RawAddress, Ttl};

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn record(status: Status, lock: Option<LockFacts>) -> Record {
        Record {
            address: RawAddress::Key(b"k".to_vec()),
            layout: Arc::from("plain"),
            idempotency_key: None,
            key_digest: None,
            scope: Vec::new(),
            operation: None,
            method: None,
            path: None,
            status,
            payload_hash: None,
            response_status: None,
            response_bytes: None,
            attempts: None,
            replays: None,
            locked_at: None,
            lock_until: None,
            created_at: None,
            completed_at: None,
            failed_at: None,
            expires_at: None,
            ttl: Ttl::Never,
            read_at: NOW,
            lock,
            problems: Vec::new(),
        }
    }

    fn held_for(age: i64, lease: Option<i64>) -> Option<LockFacts> {
        Some(LockFacts {
            start: Some(NOW.minus(Duration::secs(age))),
            lease: lease.map(Duration::secs),
            ..LockFacts::default()
        })
    }

    #[track_caller]
    fn check(ask: &Ask, record: &Record, held: Option<bool>, expected: Result<bool, Outcome>) {
        let verdict = verdict(record, ask.older_than, NOW);
        let ruling = rule(ask, record, verdict.as_ref(), held, NOW);
        let found = match &ruling {
            Ruling::Allowed(warning) => Ok(warning.is_some()),
            Ruling::Left(outcome, _) => Err(*outcome),
        };
        assert_eq!(found, expected, "{ruling:?}");
    }

    #[test]
    fn a_row_that_was_held_a_moment_ago_is_alive_whatever_its_lease() {
        let lock = held_for(900, Some(60)).map(|lock| LockFacts {
            state: LockState::Alive,
            ..lock
        });
        let ask = Ask::new(Verb::Release, Selection::Named);
        let record = record(Status::Processing, lock);
        check(&ask, &record, Some(false), Err(Outcome::Alive));
    }

    #[test]
    fn only_stuck_locks_are_released() {
        let named = Ask::new(Verb::Release, Selection::Named);
        let by_rule = Ask::new(Verb::Release, Selection::Rule);
        let stuck = record(Status::Processing, held_for(100, Some(60)));
        check(&named, &stuck, None, Ok(false));
        check(&by_rule, &stuck, Some(false), Ok(false));
        check(&named, &stuck, Some(true), Err(Outcome::Alive));
        let runs = record(Status::Processing, held_for(10, Some(60)));
        check(&named, &runs, None, Err(Outcome::Refused));
        let cannot_tell = record(Status::Processing, held_for(100, None));
        check(&named, &cannot_tell, None, Ok(true));
        check(&by_rule, &cannot_tell, None, Err(Outcome::Refused));
        for status in [Status::Completed, Status::Failed, Status::Unknown] {
            check(&named, &record(status, None), None, Err(Outcome::Refused));
        }
    }

    #[test]
    fn more_time_is_a_sign_of_life() {
        let mut lock = record(Status::Processing, held_for(100, Some(60)));
        lock.ttl = Ttl::Left(30_000);
        let end = NOW.plus(Duration::secs(30));
        assert!(was_renewed(Some(end.minus(Duration::secs(5))), &lock));
        assert!(!was_renewed(Some(end.minus(Duration(900))), &lock));
        assert!(!was_renewed(Some(end.plus(Duration::secs(5))), &lock));
        assert!(!was_renewed(None, &lock));
    }

    #[test]
    fn older_than_is_a_floor_and_the_lease_where_there_is_none() {
        let mut ask = Ask::new(Verb::Release, Selection::Rule);
        ask.older_than = Some(Duration::secs(600));
        check(
            &ask,
            &record(Status::Processing, held_for(601, None)),
            None,
            Ok(false),
        );
        let young = record(Status::Processing, held_for(100, Some(60)));
        check(&ask, &young, None, Err(Outcome::Refused));
        let unknown = record(Status::Processing, Some(LockFacts::default()));
        check(&ask, &unknown, None, Err(Outcome::Refused));
    }

    #[test]
    fn what_runs_or_may_run_is_never_purged() {
        let ask = Ask::new(Verb::Purge, Selection::Rule);
        let stuck = record(Status::Processing, held_for(100, Some(60)));
        check(&ask, &stuck, None, Err(Outcome::Refused));
        check(
            &ask,
            &record(Status::Unknown, None),
            None,
            Err(Outcome::Refused),
        );
        let mut failed = record(Status::Failed, None);
        check(&ask, &failed, None, Ok(false));
        failed.response_status = Some(503);
        check(&ask, &failed, None, Ok(true));
        let mut expired = Ask::new(Verb::Purge, Selection::Rule);
        expired.expired_only = true;
        check(&expired, &failed, None, Err(Outcome::Refused));
        failed.expires_at = Some(NOW.minus(Duration::secs(1)));
        check(&expired, &failed, None, Ok(false));
    }

    #[test]
    fn only_open_records_are_settled() {
        let ask = Ask::new(Verb::Settle, Selection::Named);
        let stuck = record(Status::Processing, held_for(100, Some(60)));
        check(&ask, &stuck, None, Ok(false));
        let completed = record(Status::Completed, None);
        check(&ask, &completed, None, Err(Outcome::Refused));
        check(&ask, &record(Status::Failed, None), None, Ok(false));
    }
}
