//! The policy switches of the lab: what an API decides about idempotency, and the mistakes that are
//! made in its place.
//!
//! Apart from `guard::Policy`, which has no wrong positions but those an API may choose: the lab also
//! shows what happens without an atomic claim, or with the order turned round.
//! The first position of each switch is the lab's default.

mod policy;
pub mod table;

use serde::{Deserialize, Serialize};

macro_rules! switch {
    ($(#[$about:meta])* $name:ident { $first:ident $(, $other:ident)* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            #[default]
            $first,
            $($other),*
        }

        impl $name {
            pub const ALL: &[$name] = &[$name::$first $(, $name::$other)*];
        }
    };
}

switch!(/// K1: where the client's key stands.
    KeyCarrier { Header, OtherHeader, BodyField, Repeatable });
switch!(/// K2: whether a POST needs a key.
    KeyRequired { Yes, No });
switch!(/// K3: how a key may be written.
    KeySyntax { Either, Bare, Quoted, Uuid });
switch!(/// S1: what a key means something together with.
    Scope { UserMethodRoute, User, Global, TenantUserMethodPath });
switch!(/// F1: what makes two payloads the same.
    Fingerprint { Canonical, Sorted, Raw, SelectedFields, None });
switch!(/// C1: how a key is claimed.
    Claim { Atomic, None, ProcessLocal, RowLock });
switch!(/// C2: in which order things are done.
    Order { ClaimExecuteSave, ExecuteSave, OneTransaction, RecoveryPoints });
switch!(/// A1: the answer while the first request runs.
    InProgress { ConflictRetryAfter, Conflict, Accepted, Unprocessable, Wait });
switch!(/// A2: the answer to another payload.
    Mismatch { Unprocessable, BadRequest, Conflict, Replay });
switch!(/// E5: what a first answer of 5xx means.
    ServerError { Release, Store, Unknown, Resume, Leave });
switch!(/// E4: what a first answer of 4xx means.
    ClientError { IfExecuted, Always, Never });
switch!(/// L1: how long a lock holds.
    Lease { Own, Retention, Renewed });
switch!(/// L2: what becomes of a lock past its lease.
    Stale { TakenOver, Never, Fenced });
switch!(/// T1: whether a replay starts the retention anew.
    Retention { Fixed, Extended });
switch!(/// R1: what a replay consists of.
    Replay { Whole, StatusAndBody, BodyWithOk });
switch!(/// R2: whether a replay is marked.
    Marker { Replayed, OtherName, None });
switch!(/// D2: what happens while the store does not answer.
    Unavailable { Refuse, Execute });
switch!(/// B1: the key that the bank gets.
    BankKey { Derived, None });
switch!(/// O1: how what happened is told to others.
    Events { Outbox, InlineFirst, InlineLast });
switch!(/// O2: how a consumer tells a message that it has handled.
    ConsumerDedup { On, Off, MarkedFirst });
switch!(/// What a second payment of one business reference is.
    BusinessReference { Any, Unique });
switch!(/// What a refund of nothing leaves behind.
    Tombstone { Kept, None });
switch!(/// X1: the answer to a DELETE of what is not there.
    DeleteAbsent { NotFound, NoContent, Gone, Error });
switch!(/// P1: what protects a relative PATCH.
    RelativePatch { Key, IfMatch, Unprotected });

switch!(/// How records are written: in the layout of the layer, or in the one of articles (Redis only:
    /// a hash with a status, one lifetime for lock and answer, no owner).
    Records { LabShop, Article });

/// All switches of one run. Times are the scaled ones, in milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Switches {
    pub k1: KeyCarrier,
    pub k2: KeyRequired,
    pub k3: KeySyntax,
    pub s1: Scope,
    pub f1: Fingerprint,
    pub c1: Claim,
    pub c2: Order,
    pub a1: InProgress,
    pub a2: Mismatch,
    pub e5: ServerError,
    pub e4: ClientError,
    pub l1: Lease,
    pub l2: Stale,
    pub t1: Retention,
    pub r1: Replay,
    pub r2: Marker,
    pub d2: Unavailable,
    pub b1: BankKey,
    pub o1: Events,
    pub o2: ConsumerDedup,
    pub reference: BusinessReference,
    pub tombstone: Tombstone,
    pub x1: DeleteAbsent,
    pub p1: RelativePatch,
    pub records: Records,
    /// Keys are ignored and nothing is kept.
    pub unprotected: bool,
    pub lease_ms: u64,
    pub retention_ms: u64,
    /// How long `A1 wait` waits.
    pub wait_ms: u64,
    /// How long after it was first sent a repeatable request is taken.
    pub window_ms: u64,
}

impl Default for Switches {
    fn default() -> Switches {
        Switches {
            k1: KeyCarrier::default(),
            k2: KeyRequired::default(),
            k3: KeySyntax::default(),
            s1: Scope::default(),
            f1: Fingerprint::default(),
            c1: Claim::default(),
            c2: Order::default(),
            a1: InProgress::default(),
            a2: Mismatch::default(),
            e5: ServerError::default(),
            e4: ClientError::default(),
            l1: Lease::default(),
            l2: Stale::default(),
            t1: Retention::default(),
            r1: Replay::default(),
            r2: Marker::default(),
            d2: Unavailable::default(),
            // A bank that de-duplicates hides double charges.
            b1: BankKey::None,
            o1: Events::default(),
            o2: ConsumerDedup::default(),
            reference: BusinessReference::default(),
            tombstone: Tombstone::default(),
            x1: DeleteAbsent::default(),
            p1: RelativePatch::default(),
            records: Records::default(),
            unprotected: false,
            lease_ms: 4_000,
            retention_ms: 20_000,
            wait_ms: 5_000,
            window_ms: 300_000,
        }
    }
}

impl Switches {
    /// Whether events are saved with answers, to be published later.
    pub fn has_outbox(&self) -> bool {
        self.o1 == Events::Outbox && !self.unprotected
    }
}
