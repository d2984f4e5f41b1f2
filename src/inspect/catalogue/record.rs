//! A whole record out of a row, when one is opened or exported.
//!
//! Apart from `row` because this allocates every text, and a list must not.

use super::pack::Packed;
use super::row::RowView;
use super::tags::Basis;
use crate::domain::Record;

impl RowView<'_> {
    /// The whole record, as the layout made it when it was read.
    pub fn record(&self) -> Record {
        let details = self.details();
        let owned = |text: Option<Packed<'_>>| text.map(|text| text.text().into_owned());
        let operation = self.operation();
        Record {
            address: self.address(),
            layout: self.source().layout.id.clone(),
            idempotency_key: owned(details.key),
            key_digest: owned(details.digest),
            scope: self
                .scope_parts()
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .collect(),
            operation: operation.name.map(str::to_owned),
            method: operation.method.map(str::to_owned),
            path: operation.path.map(str::to_owned),
            status: self.status(),
            payload_hash: owned(details.hash),
            response_status: self.response_status(),
            response_bytes: None,
            attempts: details.attempts,
            replays: details.replays,
            locked_at: self.time(Basis::Locked, details.locked_at),
            lock_until: self.time(Basis::None, details.lock_until),
            created_at: self.time(Basis::Created, details.created_at),
            completed_at: self.time(Basis::Completed, details.completed_at),
            failed_at: self.time(Basis::Failed, details.failed_at),
            expires_at: self.expires_at(),
            ttl: self.ttl_of(&details),
            read_at: self.read_at(),
            lock: self.lock(),
            problems: self.problems(),
        }
    }
}
