//! The stats area: the window of time, and what was told of it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::app::command::StatsForm;
use crate::app::remote::Remote;
use crate::domain::{Duration, Timestamp};
use crate::inspect::retries::Told;
use crate::inspect::retries::looks::Looks;
use crate::present::say::say;

/// How far back is looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatsWindow {
    Quarter,
    #[default]
    Hour,
    Day,
    Week,
}

impl StatsWindow {
    pub const ALL: [StatsWindow; 4] = [
        StatsWindow::Quarter,
        StatsWindow::Hour,
        StatsWindow::Day,
        StatsWindow::Week,
    ];

    pub fn span(self) -> Duration {
        Duration::secs(match self {
            StatsWindow::Quarter => 900,
            StatsWindow::Hour => 3_600,
            StatsWindow::Day => 86_400,
            StatsWindow::Week => 604_800,
        })
    }

    pub fn word(self) -> String {
        match self {
            StatsWindow::Quarter => say!("stats-window-quarter"),
            StatsWindow::Hour => say!("stats-window-hour"),
            StatsWindow::Day => say!("stats-window-day"),
            StatsWindow::Week => say!("stats-window-week"),
        }
    }

    pub fn by(self, by: i64) -> StatsWindow {
        let at = StatsWindow::ALL.iter().position(|window| *window == self);
        let at = at.unwrap_or(0) as i64 + by;
        let at = usize::try_from(at.clamp(0, 3)).unwrap_or(0);
        StatsWindow::ALL.get(at).copied().unwrap_or(self)
    }
}

/// What the table tells attempts apart by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatsBy {
    /// Operation and client.
    #[default]
    Operation,
    Client,
    Scope,
    Instance,
    StatusClass,
    /// Of the records, not of the log.
    Layout,
    Status,
}

impl StatsBy {
    pub const ALL: [StatsBy; 7] = [
        StatsBy::Operation,
        StatsBy::Client,
        StatsBy::Scope,
        StatsBy::Instance,
        StatsBy::StatusClass,
        StatsBy::Layout,
        StatsBy::Status,
    ];

    pub fn next(self) -> StatsBy {
        let at = StatsBy::ALL.iter().position(|by| *by == self).unwrap_or(0);
        let next = (at + 1) % StatsBy::ALL.len();
        StatsBy::ALL.get(next).copied().unwrap_or_default()
    }

    pub fn word(self) -> String {
        match self {
            StatsBy::Operation => say!("stats-by-operation"),
            StatsBy::Client => say!("stats-by-client"),
            StatsBy::Scope => say!("stats-by-scope"),
            StatsBy::Instance => say!("stats-by-instance"),
            StatsBy::StatusClass => say!("stats-by-response"),
            StatsBy::Layout => say!("stats-by-layout"),
            StatsBy::Status => say!("stats-by-status"),
        }
    }
}

/// Points of the oldest lock's age that are kept.
const TREND_MAX: usize = 120;

/// How old the oldest lock was at each reading of the records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LockTrend {
    /// By the store's clock, oldest first; 0 where nothing was locked.
    points: VecDeque<(Timestamp, Duration)>,
}

impl LockTrend {
    pub fn add(&mut self, at: Timestamp, age: Duration) {
        if self.points.back().is_some_and(|(last, _)| *last >= at) {
            return;
        }
        if self.points.len() >= TREND_MAX {
            self.points.pop_front();
        }
        self.points.push_back((at, age));
    }

    pub fn ages(&self) -> impl Iterator<Item = Duration> + '_ {
        self.points.iter().map(|(_, age)| *age)
    }

    pub fn since(&self) -> Option<Timestamp> {
        self.points.front().map(|(at, _)| *at)
    }
}

/// Where figures are written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatsSaving {
    pub path: String,
    pub form: StatsForm,
    pub is_running: bool,
    pub failure: Option<String>,
    pub hint: Option<String>,
}

#[derive(Debug, Default)]
pub struct Stats {
    pub window: StatsWindow,
    /// A part of the chart that was dragged over: from and to, in milliseconds.
    pub picked: Option<(i64, i64)>,
    pub told: Remote<Arc<Told>>,
    /// Attempts that were read of a long log so far.
    pub so_far: u64,
    /// Of the newest question.
    pub generation: u64,
    pub by: StatsBy,
    /// What changed between readings of the records since the store was opened.
    pub looks: Looks,
    pub locks: LockTrend,
    pub saving: Option<StatsSaving>,
    /// Counts the wishes to have the page drawn as a picture.
    pub draws: u64,
}
