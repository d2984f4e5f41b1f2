//! What happens in a variant beside its steps: storms of clients, a client that polls, what befalls
//! the store, and what an operator does.
//!
//! Apart from the scenario itself because each belongs to one or two scenarios.

use serde::Deserialize;

use crate::lab::shop::Decides;

/// Many clients at once, each with one operation, until it is done or their budget is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storm {
    pub clients: u32,
    pub delay: Delay,
    /// The first delay, or the only one.
    #[serde(default)]
    pub ms: u64,
    /// Delays grow to this.
    #[serde(default)]
    pub most_ms: u64,
    /// Attempts of each.
    pub budget: u32,
}

/// How long a client waits before it tries again (M2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delay {
    None,
    Fixed,
    /// Doubles each time.
    Exponential,
    /// Anything between nothing and what the exponential one would be.
    FullJitter,
}

/// One client that gives up early and asks again under the same key, without a budget.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Poller {
    pub gives_up_ms: u64,
    pub round_trip_ms: u64,
    pub patience: Patience,
}

/// Whether a client does what `Retry-After` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Patience {
    None,
    RetryAfter,
}

/// Servers that the lab starts for one variant (D1).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnServer {
    pub persistence: Persistence,
    #[serde(default)]
    pub memory: Memory,
    #[serde(default)]
    pub has_replica: bool,
    /// Records stand in PostgreSQL too.
    #[serde(default)]
    pub with_postgres: bool,
    #[serde(default)]
    pub decides: Decides,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Persistence {
    None,
    /// Every write is on the disk before it is answered.
    Aof,
}

/// What Redis does when it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    #[default]
    Unbounded,
    AllkeysLru,
    Noeviction,
}

/// Something befalls the store.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Befalls {
    pub at_ms: u64,
    pub what: Act,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Redis stops and starts again.
    Restart,
    /// Others write to Redis until the records are gone.
    Evict,
    /// Others write to Redis until it takes no more.
    Fill,
    /// The primary dies; the replica, two seconds behind, takes its place.
    Failover,
    /// The store that decides cannot be reached.
    Down,
    Up,
}

/// What an operator does about one key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorAct {
    pub at_ms: u64,
    pub key: String,
    pub repair: Repair,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// Writes the ledger's answer into the record; where the ledger has none, one that is made up.
    Complete,
    Release,
    /// By hand, past what this program would do: it refuses to release a lock that is alive.
    ReleaseByHand,
    /// Plans a release, waits until somebody else has settled the record, and runs the plan.
    ReleaseTooLate,
}
