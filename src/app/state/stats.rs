//! The stats area: the window of time, and what was told of it.

use std::sync::Arc;

use crate::app::remote::Remote;
use crate::domain::Duration;
use crate::inspect::retries::Told;
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
}
