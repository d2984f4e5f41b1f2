//! What a store must do for the layer: claim, save, release, renew, each in one atomic step.
//!
//! Times are the store's own: a store that several instances share is the one clock they agree on.

use std::time::Duration;

use super::answer::{Note, StoredAnswer};

/// What a request asks of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub scope: String,
    pub key: String,
    pub fingerprint: String,
    /// For people who look at the record.
    pub path: String,
    /// Who claims: new for each request, never used again.
    pub owner: String,
    pub lease: Duration,
    pub retention: Duration,
    /// Whether a lock past its lease is taken over.
    pub takes_over: bool,
    /// A finished record that is found is kept for the whole retention from now on.
    pub extends: bool,
}

/// What a claim came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The request is to be executed, and nobody else executes it.
    Mine(Ticket),
    InProgress {
        fingerprint: String,
        /// What is left of the lease; nothing where it is over and not taken over.
        left: Duration,
    },
    Finished {
        fingerprint: String,
        answer: StoredAnswer,
    },
}

/// The right to execute, save and release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    pub scope: String,
    pub key: String,
    pub owner: String,
    /// What stood there before.
    pub after: After,
    /// How far an execution before this one came, where it said so; nothing after an expiry.
    pub point: Option<String>,
}

/// Why a request that is not the first executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum After {
    Nothing,
    /// An earlier execution was released after an error; its fingerprint still counts.
    Error,
    /// The record's retention had ended.
    Expiry,
    /// Another request's lock was past its lease.
    StaleLock,
}

/// Whether a save or a release asks who holds the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// Only the owner, or nobody else since: a former owner is refused.
    Owner,
    /// Anybody: the last one wins.
    Open,
}

/// What a release leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// The record with its fingerprint: something was executed, and the key stays that payload's.
    Fingerprint,
    /// Nothing: the request was refused before anything was done, and may be sent corrected.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    Saved,
    /// Somebody else owns the record now: nothing was written.
    NotOwner,
}

/// The store did not do it, or did not say so; a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreTrouble(pub String);

/// A store of idempotency records.
///
/// Every method is one atomic step; none waits for another request.
pub trait GuardStore: Send + Sync + 'static {
    /// Makes the record where there is none, or takes one that is free, expired, or stale. A record
    /// of another fingerprint is taken only where its retention has ended.
    fn claim(&self, claim: &Claim) -> impl Future<Output = Result<Claimed, StoreTrouble>> + Send;

    /// What stands there, without claiming anything; `None` where there is nothing, or nothing that
    /// has not expired. Nobody may decide by this: between a look and an act others act.
    fn look(
        &self,
        scope: &str,
        key: &str,
    ) -> impl Future<Output = Result<Option<Claimed>, StoreTrouble>> + Send;

    /// Writes the answer and its notes, and ends the lock.
    fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> impl Future<Output = Result<Saved, StoreTrouble>> + Send;

    /// Ends the lock without an answer: the next request executes.
    fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> impl Future<Output = Result<Saved, StoreTrouble>> + Send;

    /// Writes how far an execution has come: the recovery point that the next one begins at.
    fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> impl Future<Output = Result<Saved, StoreTrouble>> + Send;

    /// Starts the lease anew.
    fn renew(
        &self,
        ticket: &Ticket,
        lease: Duration,
    ) -> impl Future<Output = Result<Saved, StoreTrouble>> + Send;
}

/// The notes that were saved with answers, for whoever publishes them.
///
/// Published at least once: whoever publishes may stop between publishing a note and saying so.
pub trait Outbox: Send + Sync {
    /// Makes it, where the store needs that. Saving a note without it fails.
    fn prepare_outbox(&self) -> impl Future<Output = Result<(), StoreTrouble>> + Send;

    /// Notes that were not said to be sent, oldest first.
    fn unsent(&self, max: usize) -> impl Future<Output = Result<Vec<Note>, StoreTrouble>> + Send;

    /// Says that a note was published.
    fn mark_sent(&self, note: &Note) -> impl Future<Output = Result<(), StoreTrouble>> + Send;

    fn outbox_count(&self) -> impl Future<Output = Result<OutboxCount, StoreTrouble>> + Send;
}

/// How many notes there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutboxCount {
    pub pending: u64,
    pub sent: u64,
}

impl<S: GuardStore> GuardStore for std::sync::Arc<S> {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        S::claim(self, claim).await
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        S::look(self, scope, key).await
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        S::save(self, ticket, answer, fence).await
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        S::release(self, ticket, fence, leaves).await
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        S::reach(self, ticket, point, fence).await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        S::renew(self, ticket, lease).await
    }
}
