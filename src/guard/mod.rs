//! The idempotency layer: claim, execute once, save, replay.
//!
//! A [`tower::Layer`] over a store, with the policy as a value. It is the reference of what this
//! program inspects, and can be used apart from the lab: `Router::new()….layer(guard)`.
//!
//! What it promises, on every store: of any number of requests under one key and scope one is
//! executed at a time; a finished answer is replayed until its retention ends; another payload under
//! the same key is refused; a request whose process died leaves a lock that outlives it by the lease
//! and no longer, where the policy lets others take over.
//! What it cannot promise: that an effect outside the store happened once, where a process died
//! between the effect and the save. That takes a key handed on, or a look-up (`ServerError::Unknown`).
//!
//! Sources: draft-ietf-httpapi-idempotency-key-header (the header, the answers 400, 409 and 422),
//! RFC 9457 (problem details), RFC 9110 section 9.2.2 (idempotent methods).

mod answer;
mod fingerprint;
mod key;
mod layer;
pub mod log;
mod policy;
mod problem;
pub mod store;
pub mod stores;

pub use answer::{Note, Notes, StoredAnswer};
pub use fingerprint::{Fingerprint, fingerprint};
pub use key::{KeyError, read_key};
pub use layer::{
    Attempt, Caller, Checkpoint, Executed, Guard, GuardService, NotExecuted, Outcome, Step, Watch,
};
pub use policy::{
    Carrier, ClientError, FingerprintMode, InProgress, Lease, Mismatch, Policy, Replay,
    Requirement, Scope, ServerError, Stale, Syntax, Unavailable,
};
pub use store::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Outbox, OutboxCount, Saved, StoreTrouble,
    Ticket,
};
