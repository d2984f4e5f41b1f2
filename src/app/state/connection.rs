//! The connection area: one store, what it said of itself, whether it is there.

use std::sync::Arc;

use super::{Opened, Overrides};
use crate::app::remote::{Failure, Remote};
use crate::config::{self, Wanted};
use crate::domain::Timestamp;

#[derive(Debug, Default)]
pub struct Connection {
    /// Of the newest wish to connect.
    pub generation: u64,
    /// What was asked for last.
    pub wanted: Wanted,
    /// What is kept of it: its name and its marks.
    pub kept: config::Connection,
    pub store: Remote<Arc<Opened>>,
    pub lost: Option<Lost>,
    /// What was set for its sources.
    pub overrides: Overrides,
    /// Counts the runs of what comes by itself: an older run ends when a newer one starts.
    pub beat: u64,
}

impl Connection {
    /// What is kept of it, with what the command line said of it this time.
    pub fn asked(&self) -> config::Connection {
        let mut asked = self.kept.clone();
        asked.options = self.wanted.flags.clone().or(&asked.options);
        asked.options.password = None;
        asked
    }

    /// It has never answered yet, and is asked.
    pub fn is_opening(&self) -> bool {
        self.store.value().is_none() && self.store.is_loading()
    }
}

/// A connection that was there and is not now.
#[derive(Clone, Debug)]
pub struct Lost {
    pub since: Timestamp,
    pub attempt: u32,
    /// When the next attempt is due; nothing while one runs.
    pub next_try: Option<Timestamp>,
    pub why: Failure,
}
