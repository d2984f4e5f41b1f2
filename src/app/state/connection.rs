//! The connection area: one store, what it said of itself, whether it is there.

use std::sync::Arc;

use super::{Overrides, SourceTerms, name_of};
use crate::app::remote::{Failure, Remote};
use crate::config::{self, Wanted};
use crate::domain::{Duration, Timestamp};

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
    /// It has never answered yet, and is asked.
    pub fn is_opening(&self) -> bool {
        self.store.value().is_none() && self.store.is_loading()
    }
}

/// A store that answered.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// Without secrets.
    pub label: String,
    pub product: String,
    pub encryption: Option<String>,
    pub skew: Option<Duration>,
    pub is_demo: bool,
    pub sources: Vec<SourceFace>,
    pub refused: Vec<RefusedFace>,
    /// Keys or tables that were looked at.
    pub sampled: u64,
    /// What those are called.
    pub sampled_word: &'static str,
    pub missing_rights: Vec<String>,
    /// The periods of its sources before anything was set here.
    pub terms: Vec<SourceTerms>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFace {
    pub layout: String,
    pub title: String,
    pub about: String,
    pub place: String,
    /// How sure it is, of a hundred.
    pub percent: u8,
    pub is_sure: bool,
    pub reasons: Vec<String>,
    /// Records of the sample that it reads.
    pub matched: u64,
    /// Addresses of a few records.
    pub examples: Vec<String>,
    /// What the layout says.
    pub lease: Option<Duration>,
    pub retention: Option<Duration>,
}

impl SourceFace {
    /// What it is known by.
    pub fn name(&self) -> String {
        name_of(&self.layout, &self.place)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFace {
    pub place: String,
    /// The layout it looks like.
    pub resembles: String,
    pub why: String,
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
