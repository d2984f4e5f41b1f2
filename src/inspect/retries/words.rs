//! Figures in words: why there is none, what one rests on.

use super::Told;
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
        Why::CountsUse => say!("stats-why-counts-use"),
        Why::NotInstalled => say!("stats-why-not-installed"),
        Why::OneLook => say!("stats-why-one-look"),
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
        Basis::Monitor => say!("stats-from-monitor"),
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
