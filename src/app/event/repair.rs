//! What the outside tells of repairs and of the journal.

use std::sync::Arc;

use crate::app::remote::Failure;
use crate::app::state::{HistoryLine, RunList};
use crate::ops::journal::Run;
use crate::ops::plan::{Plan, Progress};
use crate::ops::run::{Report, RunProgress};

#[derive(Clone, Debug)]
pub enum RepairEvent {
    Making {
        generation: u64,
        progress: Progress,
    },
    Planned {
        generation: u64,
        answer: Result<Arc<Plan>, Failure>,
    },
    Progress {
        generation: u64,
        progress: Box<RunProgress>,
    },
    /// Or nothing was changed, with the reason.
    Ended {
        generation: u64,
        answer: Result<Arc<Report>, String>,
    },
    /// With the path, or a sentence.
    Saved {
        generation: u64,
        answer: Result<String, String>,
    },
    /// Nothing where none was chosen, or no dialog is there.
    Browsed {
        path: Option<String>,
    },
}

#[derive(Clone, Debug)]
pub enum JournalEvent {
    Listed {
        generation: u64,
        list: Arc<RunList>,
    },
    Read {
        generation: u64,
        answer: Result<Arc<Run>, String>,
    },
    History {
        generation: u64,
        lines: Arc<Vec<HistoryLine>>,
    },
}
