//! The keys behind *lease too short* and *executed again after expiry*, against an own reckoning by the
//! words of the retry log alone.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Made, SPAN, TERMS, made, plain, tally};
use crate::domain::attempt::Outcome;
use crate::stats::{Mark, key_id};

/// What these attempts come to, reckoned anew.
#[derive(Debug, Default, PartialEq)]
struct Reckoned {
    over: u64,
    near: u64,
    taken_over: u64,
    stale: u64,
    lease_keys: BTreeSet<u64>,
    told: u64,
    after: u64,
    executed_after: u64,
    expiry_keys: BTreeSet<u64>,
}

fn reckon(all: &[Made]) -> Reckoned {
    let mut told = Reckoned::default();
    for made in all {
        if made.at < SPAN.from || made.at >= SPAN.to {
            continue;
        }
        let key = made.key.map(|key| key_id(&format!("key-{key}")));
        let outcome = made.outcome.and_then(|at| Outcome::ALL.get(at));
        let name = outcome.map_or("vanished", |outcome| outcome.name());
        let executes = [
            "executed",
            "reexec_error",
            "reexec_expired",
            "taken_over",
            "stale_owner",
            "unprotected",
        ];
        let is_over = executes.contains(&name) && made.took > 300_000;
        told.over += u64::from(is_over);
        told.near += u64::from(executes.contains(&name) && made.took > 240_000 && !is_over);
        told.taken_over += u64::from(name == "taken_over");
        told.stale += u64::from(name == "stale_owner");
        if is_over || name == "taken_over" || name == "stale_owner" {
            told.lease_keys.extend(key);
        }
        // A number of nought is none; where there is none the age tells a retry.
        let is_retry = match (made.number.filter(|number| *number > 0), made.since) {
            (Some(number), _) => number > 1,
            (None, since) => since > Some(0),
        };
        let since = made.since.filter(|_| is_retry && key.is_some());
        let is_late = since > Some(600_000);
        told.told += u64::from(since.is_some());
        told.after += u64::from(is_late);
        told.executed_after += u64::from(name == "reexec_expired");
        if is_late || name == "reexec_expired" {
            told.expiry_keys.extend(key);
        }
    }
    told
}

/// The same by the tally.
fn told(all: &[Made]) -> Reckoned {
    let tally = tally(all, 1_000);
    let report = tally.report(SPAN.to);
    let lease = report.lease.known().copied().unwrap_or_default();
    let share = report.late_share.known().copied().unwrap_or_default();
    let keys = |mark| {
        let behind = tally.behind(&mark, SPAN.to);
        assert_eq!((behind.factor, behind.is_cut()), (1, false));
        behind.keys.iter().copied().collect()
    };
    Reckoned {
        over: lease.over,
        near: lease.near,
        taken_over: lease.taken_over,
        stale: lease.stale_owners,
        lease_keys: keys(Mark::LeaseTooShort),
        told: share.late.told,
        after: share.late.after,
        executed_after: share.executed,
        expiry_keys: keys(Mark::AfterExpiry),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn they_are_exactly_those_of_the_log(all in prop::collection::vec(made(), 0..300)) {
        prop_assert_eq!(told(&all), reckon(&all));
    }
}

/// A log by hand: each line stands for one way to be marked, or for one that is close to it.
#[test]
fn each_way_to_be_marked_leads_to_its_record() {
    let (lease, retention) = (TERMS.lease_ms.unwrap_or(0), TERMS.retention_ms.unwrap_or(0));
    let line = |key: u16, outcome, number, took, since| Made {
        took,
        since: Some(since),
        ..plain(i64::from(key) * 1_000, key, number, outcome, 201)
    };
    let all = [
        // An execution that takes as long as the lease, and one that takes longer.
        line(1, Outcome::Executed, 1, lease, 0),
        line(2, Outcome::Executed, 1, lease + 1, 0),
        // A replay holds no lock, however long it takes.
        line(3, Outcome::Replayed, 2, lease + 1, 10),
        line(4, Outcome::TakenOver, 2, 20, 10),
        line(5, Outcome::StaleOwner, 1, 20, 0),
        // A retry as late as the retention, and later ones.
        line(6, Outcome::Replayed, 2, 20, retention),
        line(7, Outcome::Replayed, 2, 20, retention + 1),
        line(8, Outcome::ReexecExpired, 2, 20, retention - 1),
        line(9, Outcome::ReexecExpired, 2, lease + 1, retention + 1),
    ];
    let keys = |keys: &[u16]| -> BTreeSet<u64> {
        let keys = keys.iter();
        keys.map(|key| key_id(&format!("key-{key}"))).collect()
    };
    let told = told(&all);
    assert_eq!(told.lease_keys, keys(&[2, 4, 5, 9]));
    assert_eq!((told.over, told.taken_over, told.stale), (2, 1, 1));
    assert_eq!(told.expiry_keys, keys(&[7, 8, 9]));
    assert_eq!((told.after, told.executed_after), (2, 2));
}
