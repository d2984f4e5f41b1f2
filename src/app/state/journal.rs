//! The journal area: past runs on all stores, the one that is looked at, and what was done to the
//! record in the panel.

use std::sync::Arc;

use super::Remote;
use crate::domain::Timestamp;
use crate::domain::change::{Outcome, Verb};
use crate::ops::journal::{ChainState, End, Header, Run, Tally};

#[derive(Debug, Default)]
pub struct JournalArea {
    /// Of the newest wish to read the list.
    pub generation: u64,
    pub list: Remote<Arc<RunList>>,
    /// A place in the list.
    pub cursor: usize,
    /// Counts the moves that the list must follow.
    pub reveal: u64,
    /// Of the newest wish to read one run.
    pub run_generation: u64,
    pub run: Remote<Arc<Run>>,
    /// Only these lines of the run.
    pub shown: Option<Outcome>,
    /// A run that is to be shown once the list has come.
    pub wanted: Option<String>,
    pub history: History,
}

#[derive(Debug, Default)]
pub struct RunList {
    /// Newest first.
    pub runs: Vec<RunFace>,
    /// Files that are no runs, with the reason.
    pub wrong: Vec<String>,
}

/// One run as the list has it.
#[derive(Clone, Debug)]
pub struct RunFace {
    pub header: Header,
    pub tally: Tally,
    pub end: Option<End>,
    pub chain: ChainState,
}

/// What the journal says of one record.
#[derive(Debug, Default)]
pub struct History {
    pub generation: u64,
    pub address: String,
    pub lines: Remote<Arc<Vec<HistoryLine>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryLine {
    pub run: String,
    pub at: Timestamp,
    pub verb: Verb,
    pub outcome: Outcome,
    pub why: Option<String>,
    pub by: Option<String>,
    pub reason: Option<String>,
}

impl JournalArea {
    /// The run under the cursor.
    pub fn chosen(&self) -> Option<&RunFace> {
        self.list.value()?.runs.get(self.cursor)
    }
}
