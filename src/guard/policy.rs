//! The policy as a value: every decision that an API has to make about idempotency keys.
//!
//! The default is what the draft of the header asks for, with the safe position where it is silent.

use std::time::Duration;

/// Where the client's key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// A header, `Idempotency-Key` by the draft.
    Header(String),
    /// A member of the JSON body.
    Member(String),
    /// `Repeatability-Request-ID` with `Repeatability-First-Sent` (OASIS Repeatable Requests 1.0):
    /// a request that was first sent longer ago than this is refused with 412.
    Repeatable(Duration),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// A guarded request without a key is refused with 400.
    Required,
    /// It is executed without protection.
    Optional,
}

/// How a key may be written. The draft makes it a structured-field string (in quotes); most clients
/// send it bare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// Bare or quoted; both are one value.
    Either,
    Bare,
    Quoted,
    /// A UUID, bare or quoted.
    Uuid,
}

/// What a key means something together with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user, the method and the route.
    Operation,
    User,
    /// Everybody and everything: one user may get another's answer.
    Global,
    /// The tenant, the user, the method and the path.
    TenantPath,
}

/// What makes two payloads the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FingerprintMode {
    /// JSON with sorted members, numbers by value, text in NFC.
    Canonical,
    /// JSON with sorted members; numbers and text as they were spelt.
    Sorted,
    Raw,
    /// These members of a JSON object, by value and type.
    Members(Vec<String>),
    /// Nothing is compared.
    Nothing,
}

/// The answer while the first request is still running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InProgress {
    /// 409 with `Retry-After`.
    ConflictWithDelay,
    Conflict,
    Accepted,
    Unprocessable,
    /// Waits so long for the first one's answer, then 409.
    Wait(Duration),
}

/// The answer to another payload under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    Unprocessable,
    BadRequest,
    Conflict,
    /// The stored answer: payloads are not compared.
    Replay,
}

/// What a first answer of 5xx means for the next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerError {
    /// The lock is released: the next attempt executes again.
    Release,
    /// It is stored and replayed like any answer.
    Store,
    /// It is not known whether the effect happened: the lock stays, and the next attempt asks the
    /// [`Watch`] whether it did before it executes.
    Unknown,
    /// The lock is left as it is: the key is blocked until its lease is over.
    Leave,
}

/// What a first answer of 4xx means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientError {
    /// It is stored only if execution had begun; a request that was refused before releases the lock.
    StoreIfExecuted,
    Store,
    Never,
}

/// How long a lock holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    Own(Duration),
    /// As long as the record: a crash blocks the key for all that time.
    Retention,
    /// So long, and renewed while the request runs.
    Renewed(Duration),
}

/// What becomes of a lock that is past its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// The next attempt takes it over, and a former owner cannot save or release any more.
    Fenced,
    /// The next attempt takes it over; a former owner may still save over it.
    TakenOver,
    Never,
}

/// What a replay consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Status, body and the headers that the policy lists.
    Whole,
    StatusAndBody,
    /// The body with 200, whatever the status was.
    BodyWithOk,
}

/// What happens while the store does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// 503: nothing is executed without protection.
    Refuse,
    Execute,
}

/// Every decision, in one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub carrier: Carrier,
    pub requirement: Requirement,
    pub syntax: Syntax,
    /// Characters of a key.
    pub key_max: usize,
    pub scope: Scope,
    pub fingerprint: FingerprintMode,
    pub in_progress: InProgress,
    pub mismatch: Mismatch,
    pub server_error: ServerError,
    pub client_error: ClientError,
    pub lease: Lease,
    pub stale: Stale,
    pub retention: Duration,
    /// A replay starts the retention anew.
    pub is_extended_by_replay: bool,
    pub replay: Replay,
    /// Headers of the first answer that a replay has too, in lower case.
    pub replayed_headers: Vec<String>,
    /// A header that says whether an answer is a replay.
    pub marker: Option<String>,
    pub unavailable: Unavailable,
    /// Methods that are guarded; the others are safe to repeat by themselves (RFC 9110, 9.2.2).
    pub methods: Vec<String>,
    /// Bytes of a request's body.
    pub body_max: usize,
    /// How long a client may take to send it; 408 after that.
    pub body_time: Duration,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            carrier: Carrier::Header("idempotency-key".to_owned()),
            requirement: Requirement::Required,
            syntax: Syntax::Either,
            key_max: 255,
            scope: Scope::Operation,
            fingerprint: FingerprintMode::Canonical,
            in_progress: InProgress::ConflictWithDelay,
            mismatch: Mismatch::Unprocessable,
            server_error: ServerError::Release,
            client_error: ClientError::StoreIfExecuted,
            lease: Lease::Own(Duration::from_secs(60)),
            stale: Stale::Fenced,
            retention: Duration::from_secs(86_400),
            is_extended_by_replay: false,
            replay: Replay::Whole,
            replayed_headers: ["content-type", "location", "etag"]
                .map(str::to_owned)
                .to_vec(),
            marker: Some("idempotent-replayed".to_owned()),
            unavailable: Unavailable::Refuse,
            methods: ["POST", "PATCH"].map(str::to_owned).to_vec(),
            body_max: 1 << 20,
            body_time: Duration::from_secs(10),
        }
    }
}

impl Policy {
    /// How long a lock holds, by the lease and the retention.
    pub fn lease_time(&self) -> Duration {
        match self.lease {
            Lease::Own(lease) | Lease::Renewed(lease) => lease,
            Lease::Retention => self.retention,
        }
    }

    pub fn is_guarded(&self, method: &str) -> bool {
        self.methods.iter().any(|guarded| guarded == method)
    }
}
