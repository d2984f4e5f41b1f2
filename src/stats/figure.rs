//! One figure: its value or why there is none, what it rests on, of how much, and whether that is all.
//!
//! Invariant: an unknown value is never zero.

/// What a figure rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Every entry of the retry log.
    Log,
    /// The numbers that attempts carry in the retry log.
    LogNumbers,
    /// A map of the keys of the retry log.
    LogKeys,
    /// One in so many keys of the retry log: an estimate.
    LogSample(u64),
    /// Fields of the records.
    Records,
    /// What the server counts of itself.
    Server,
    /// Times since keys were last touched, less their ages: an estimate.
    Idle,
    /// What changed between two looks.
    Snapshots,
    /// Keyspace events that the server told while it was listened to.
    Events,
    /// Names of changed keys that the server pushed while it was listened to.
    Pushes,
    /// Commands that were seen for a while.
    Monitor,
}

impl Basis {
    pub fn is_estimate(self) -> bool {
        matches!(self, Basis::LogSample(_) | Basis::Idle)
    }

    pub fn is_of_log(self) -> bool {
        matches!(
            self,
            Basis::Log | Basis::LogNumbers | Basis::LogKeys | Basis::LogSample(_)
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Basis::Log => "retry_log",
            Basis::LogNumbers => "retry_log_numbers",
            Basis::LogKeys => "retry_log_keys",
            Basis::LogSample(_) => "retry_log_key_sample",
            Basis::Records => "records",
            Basis::Server => "server",
            Basis::Idle => "idle_time_estimate",
            Basis::Snapshots => "snapshots",
            Basis::Events => "keyspace_events",
            Basis::Pushes => "invalidations",
            Basis::Monitor => "monitor",
        }
    }
}

/// Why there is no figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// Nothing was logged in this window.
    NothingLogged,
    NoLog,
    NoKeys,
    NoNumbers,
    NoRetries,
    NoDurations,
    NoLease,
    NoRetention,
    NoFingerprints,
    /// Only the application's own books tell.
    NoLedger,
    /// Records tell no lock.
    NoLocks,
    /// Records keep no counters.
    NoCounters,
    /// The store has no such count.
    NotByThisStore,
    /// This login may not ask.
    NoRights,
    /// The server throws keys away by how often they are used and tells no idle times.
    CountsUse,
    /// The extension is not installed.
    NotInstalled,
    /// There is no record.
    NoRecords,
    /// Takes two looks.
    OneLook,
    /// More records than are compared.
    TooMany,
    /// The server tells no keyspace events: changes came, and no event named them.
    NotEnabled,
    /// Nothing came: it is quiet, or events are not enabled.
    NothingHeard,
    /// The line broke while it was listened to.
    LineLost,
    /// Keys of the records have no beginning of their own.
    WideNames,
    /// A replica counts its own uses, not those of its primary.
    OnReplica,
    /// It was not asked for.
    NotAsked,
    /// The log tells no times of the store's work.
    NotLogged,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Figure<T> {
    pub value: Result<T, Why>,
    pub basis: Basis,
    /// Attempts, keys or records that it rests on.
    pub sample: u64,
    pub complete: bool,
}

impl<T> Figure<T> {
    pub fn of(value: T, basis: Basis, sample: u64) -> Figure<T> {
        Figure {
            value: Ok(value),
            basis,
            sample,
            complete: true,
        }
    }

    pub fn none(why: Why, basis: Basis) -> Figure<T> {
        Figure {
            value: Err(why),
            basis,
            sample: 0,
            complete: false,
        }
    }

    /// As it is where `complete` holds, else marked as part of the whole.
    pub fn but_only_if(mut self, complete: bool) -> Figure<T> {
        self.complete &= complete;
        self
    }

    pub fn known(&self) -> Option<&T> {
        self.value.as_ref().ok()
    }

    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Figure<U> {
        Figure {
            value: self.value.map(with),
            basis: self.basis,
            sample: self.sample,
            complete: self.complete,
        }
    }
}
