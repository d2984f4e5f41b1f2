//! Made-up plans, for the tests of whoever shows them.
//!
//! Apart from the tests of `plan` because other modules need them and cannot make a plan.

use std::sync::Arc;

use super::{Item, Plan, Refusal, Warning};
use crate::domain::change::{Change, ExactValue, Outcome, Piece, PieceChange, PieceState, Verb};
use crate::domain::raw::RawAddress;
use crate::domain::{Duration, LockAgeSource, Status, Stuck, Timestamp};

/// A plan that deletes so many keys, and leaves one alone.
pub fn plan(verb: Verb, count: usize) -> Plan {
    let mut plan = Plan::empty(verb, "redis://db", Timestamp(3_597_000));
    let mut bytes = 0;
    for at in 0..count {
        plan.add(item(at), &mut bytes);
    }
    plan.refuse(Refusal {
        address: RawAddress::Key(b"idem:alive".to_vec()),
        outcome: Outcome::Alive,
        why: "its lease grew since it was listed: its request is alive".to_owned(),
    });
    plan
}

fn item(at: usize) -> Item {
    let key = format!("idem:key-{at}").into_bytes();
    Item {
        address: RawAddress::Key(key.clone()),
        layout: Arc::from("plain"),
        idempotency_key: Some(format!("key-{at}")),
        scope: None,
        operation: None,
        status: Status::Processing,
        stuck: Stuck::Yes,
        age: Some(Duration::secs(11_520 - at as i64)),
        age_source: LockAgeSource::Field,
        past_lease: None,
        recovery_point: (at == 0).then(|| "charge_started".to_owned()),
        response_status: None,
        warning: (at == 1).then_some(Warning::MayStillRun),
        change: Change::Keys(vec![PieceChange {
            piece: Piece::whole(key),
            seen: PieceState::Value {
                value: ExactValue::String(vec![b'x'; 36]),
                expires_at: None,
            },
            then: PieceState::Absent,
        }]),
    }
}
