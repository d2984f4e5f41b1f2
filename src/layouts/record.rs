//! Makes a whole record of a reading.

use super::reading::Reading;
use super::source::Source;
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::stuck::LockFacts;
use crate::domain::{Duration, Record, Status, Timestamp};

/// The facts about a reading's lock, by the source's lease and lifetime; `None` where no lock is
/// held because the record is not in progress.
pub fn lock_facts(
    reading: &Reading<'_>,
    source: &Source,
    ttl: Ttl,
    longest_ttl: Option<Duration>,
    read_at: Timestamp,
) -> Option<LockFacts> {
    (reading.status == Status::Processing).then(|| LockFacts {
        state: reading.lock,
        start: reading.locked_at,
        deadline: reading.lock_until,
        expiry: reading.expires_at,
        ttl: match ttl {
            Ttl::Left(left) => Some((Duration(left), read_at)),
            Ttl::Never | Ttl::Unknown => None,
        },
        lifetime: source.lifetime(longest_ttl),
        lease: source.lease(),
    })
}

/// The record, with nothing borrowed any more.
pub fn to_record(
    reading: Reading<'_>,
    source: &Source,
    address: RawAddress,
    ttl: Ttl,
    longest_ttl: Option<Duration>,
    read_at: Timestamp,
) -> Record {
    let owned = |text: Option<std::borrow::Cow<'_, str>>| text.map(|text| text.into_owned());
    Record {
        address,
        layout: source.layout.id.clone(),
        lock: lock_facts(&reading, source, ttl, longest_ttl, read_at),
        idempotency_key: owned(reading.key),
        key_digest: owned(reading.digest),
        scope: reading.scope_parts,
        operation: owned(reading.operation),
        method: owned(reading.method),
        path: owned(reading.path),
        status: reading.status,
        payload_hash: owned(reading.payload_hash),
        response_status: reading.response_status,
        response_bytes: None,
        attempts: reading.attempts,
        replays: reading.replays,
        locked_at: reading.locked_at,
        lock_until: reading.lock_until,
        created_at: reading.created_at,
        completed_at: reading.completed_at,
        failed_at: reading.failed_at,
        expires_at: reading.expires_at,
        ttl,
        read_at,
        problems: reading.problems,
    }
}
