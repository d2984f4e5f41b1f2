//! Figures in words: why there is none, what one rests on.

use super::Told;
use crate::domain::attempt::Family;
use crate::present::say::say;
use crate::stats::{Basis, Why};

/// Why a figure is not there: one sentence without a full stop.
pub fn why(why: Why) -> String {
    match why {
        Why::NothingLogged => say!("stats-why-nothing-logged"),
        Why::NoLog => say!("stats-why-no-log"),
        Why::NoKeys => say!("stats-why-no-keys"),
        Why::NoNumbers => say!("stats-why-no-numbers"),
        Why::NoRetries => say!("stats-why-no-retries"),
        Why::NoDurations => say!("stats-why-no-durations"),
        Why::NoLease => say!("stats-why-no-lease"),
        Why::NoRetention => say!("stats-why-no-retention"),
        Why::NoFingerprints => say!("stats-why-no-fingerprints"),
        Why::NoLedger => say!("stats-why-no-ledger"),
        Why::NoLocks => say!("stats-why-no-locks"),
        Why::NoCounters => say!("stats-why-no-counters"),
        Why::NotByThisStore => say!("stats-why-not-by-store"),
        Why::NoRights => say!("stats-why-no-rights"),
        Why::OnReplica => say!("stats-why-on-replica"),
        Why::CountsUse => say!("stats-why-counts-use"),
        Why::NotInstalled => say!("stats-why-not-installed"),
        Why::NoRecords => say!("stats-why-no-records"),
        Why::OneLook => say!("stats-why-one-look"),
        Why::TooMany => say!("stats-why-too-many"),
        Why::NotEnabled => say!("stats-why-not-enabled"),
        Why::NothingHeard => say!("stats-why-nothing-heard"),
        Why::LineLost => say!("stats-why-line-lost"),
        Why::WideNames => say!("stats-why-wide-names"),
        Why::NotAsked => say!("stats-why-not-asked"),
        Why::NotLogged => say!("stats-why-not-logged"),
    }
}

/// What a figure rests on, in a word or two.
pub fn basis(basis: Basis) -> String {
    match basis {
        Basis::Log => say!("stats-from-log"),
        Basis::LogNumbers => say!("stats-from-numbers"),
        Basis::LogKeys => say!("stats-from-keys"),
        Basis::LogSample(of) => say!("stats-from-sample", of = of),
        Basis::Records => say!("stats-from-records"),
        Basis::Server => say!("stats-from-server"),
        Basis::Idle => say!("stats-from-idle"),
        Basis::Snapshots => say!("stats-from-snapshots"),
        Basis::Events => say!("stats-from-events"),
        Basis::Pushes => say!("stats-from-pushes"),
        Basis::Monitor => say!("stats-from-monitor"),
    }
}

/// What came of attempts, in a word or two; `None` for words that are no outcome.
pub fn family(family: Option<Family>) -> String {
    match family {
        Some(Family::Executed) => say!("stats-family-executed"),
        Some(Family::Replayed) => say!("stats-family-replayed"),
        Some(Family::InProgress) => say!("stats-family-in-progress"),
        Some(Family::Refused) => say!("stats-family-refused"),
        Some(Family::Repeated) => say!("stats-family-repeated"),
        Some(Family::Store) => say!("stats-family-store"),
        None => say!("stats-family-unknown"),
    }
}

impl Told {
    /// Why a figure of the log is not there: without any log, that is why.
    pub fn why(&self, because: Why) -> String {
        match because {
            Why::NothingLogged if self.logs.places.is_empty() => why(Why::NoLog),
            other => why(other),
        }
    }
}
