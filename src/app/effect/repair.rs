//! What repairs ask of the outside: plans, runs, files, the journal.

use std::sync::Arc;

use crate::app::state::{SavedForm, Wish};
use crate::domain::change::{Answer, Verb};
use crate::inspect::Snapshot;
use crate::inspect::catalogue::RowId;
use crate::ops::plan::Plan;
use crate::ops::run::Report;

#[derive(Clone, Debug)]
pub enum RepairEffect {
    Plan(Box<PlanJob>),
    /// A plan that puts back what a run changed.
    PlanUndo {
        generation: u64,
        run: String,
    },
    /// Nobody waits for the plan any more.
    Cancel,
    Run(Box<RunJob>),
    Steer(Wish),
    Save {
        generation: u64,
        what: SaveWhat,
        path: String,
    },
    /// Asks for a path, beginning with this one.
    Browse(String),
}

/// The records that a plan is to be made for.
#[derive(Clone, Debug)]
pub struct PlanJob {
    pub generation: u64,
    pub verb: Verb,
    pub answer: Option<Answer>,
    pub snapshot: Snapshot,
    pub rows: Arc<[RowId]>,
}

#[derive(Clone, Debug)]
pub struct RunJob {
    pub generation: u64,
    pub plan: Arc<Plan>,
    pub reason: Option<String>,
    pub connection: Option<String>,
    pub is_production: bool,
}

#[derive(Clone, Debug)]
pub enum SaveWhat {
    Plan(Arc<Plan>),
    Report(Arc<Report>, SavedForm),
}

#[derive(Clone, Debug)]
pub enum JournalEffect {
    List {
        generation: u64,
    },
    Read {
        generation: u64,
        run: String,
    },
    /// What was done to one record.
    History {
        generation: u64,
        target: String,
        address: String,
    },
}
