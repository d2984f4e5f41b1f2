//! One idempotency record, as a layout read it.
//!
//! Invariant: what the layout cannot tell is `None`, never a guess; what was hard to read is a
//! `Problem` beside the record, not an error instead of it.

use std::sync::Arc;

use super::raw::{RawAddress, Ttl};
use super::stuck::LockFacts;
use super::time::{Duration, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    Processing,
    Completed,
    Failed,
    /// The layout cannot tell.
    Unknown,
}

impl Status {
    pub const ALL: [Status; 4] = [
        Status::Processing,
        Status::Completed,
        Status::Failed,
        Status::Unknown,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Status::Processing => "processing",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Unknown => "unknown",
        }
    }

    pub fn from_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Why something about a record could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemCode {
    /// The value is not what the layout describes.
    NotUnderstood,
    /// Only the beginning of the value was read.
    Cut,
    /// A field holds something else than expected.
    BadField,
    /// A time lies outside what can be told apart.
    BadTime,
    /// The login may not read this.
    Refused,
    /// It was gone when its value was read.
    Gone,
}

impl ProblemCode {
    pub const ALL: [ProblemCode; 6] = [
        ProblemCode::NotUnderstood,
        ProblemCode::Cut,
        ProblemCode::BadField,
        ProblemCode::BadTime,
        ProblemCode::Refused,
        ProblemCode::Gone,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ProblemCode::NotUnderstood => "not-understood",
            ProblemCode::Cut => "cut",
            ProblemCode::BadField => "bad-field",
            ProblemCode::BadTime => "bad-time",
            ProblemCode::Refused => "refused",
            ProblemCode::Gone => "gone",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: ProblemCode,
    pub text: String,
}

impl Problem {
    pub fn new(code: ProblemCode, text: impl Into<String>) -> Problem {
        Problem {
            code,
            text: text.into(),
        }
    }
}

/// One record. Times are by the store's clock.
#[derive(Clone, Debug)]
pub struct Record {
    pub address: RawAddress,
    pub layout: Arc<str>,
    /// The key as the client sent it; `None` where the store has only a digest.
    pub idempotency_key: Option<String>,
    pub key_digest: Option<String>,
    /// Scope columns and their values, in the layout's order.
    pub scope: Vec<(String, String)>,
    pub operation: Option<String>,
    pub method: Option<String>,
    pub path: Option<String>,
    pub status: Status,
    pub payload_hash: Option<String>,
    pub response_status: Option<u16>,
    pub response_bytes: Option<u64>,
    pub attempts: Option<i64>,
    pub replays: Option<i64>,
    pub locked_at: Option<Timestamp>,
    pub lock_until: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    /// What the key's own TTL said when it was read.
    pub ttl: Ttl,
    /// The store's clock when the record was read.
    pub read_at: Timestamp,
    /// Only for a processing record.
    pub lock: Option<LockFacts>,
    pub problems: Vec<Problem>,
}

impl Record {
    /// Scope as one text: several columns joined by `/`.
    pub fn scope_text(&self) -> Option<String> {
        if self.scope.is_empty() {
            return None;
        }
        let values: Vec<&str> = self.scope.iter().map(|(_, value)| value.as_str()).collect();
        Some(values.join("/"))
    }

    /// When the record's time is over: its stored expiry, else the end of its TTL.
    pub fn expiry(&self) -> Option<Timestamp> {
        self.expires_at.or_else(|| match self.ttl {
            Ttl::Left(left) => Some(self.read_at.plus(Duration(left))),
            Ttl::Never | Ttl::Unknown => None,
        })
    }

    /// True when the time has passed and the record is still there; `None` without an expiry.
    pub fn expired(&self, now: Timestamp) -> Option<bool> {
        self.expiry().map(|expiry| expiry < now)
    }
}

/// The status of a finished record: a stored answer of 500 or more is a failure, 4xx is not.
pub fn finished_status(response_status: Option<u16>) -> Status {
    match response_status {
        Some(code) if code >= 500 => Status::Failed,
        _ => Status::Completed,
    }
}
