//! What the lab asks of the outside.

use std::sync::Arc;

use crate::app::state::{LabForm, LabStore};
use crate::lab::fleet::Plan;
use crate::lab::report::RunReport;
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::switches::Switches;

#[derive(Clone, Debug)]
pub enum LabEffect {
    /// Runs these; what runs is ended first.
    Run(Box<LabJob>),
    Stop,
    Save(Box<LabSaveJob>),
    Browse(String),
    /// Clients against the shop; what was under way is ended first.
    Free(Box<FreeJob>),
    StopFree,
}

#[derive(Clone, Debug)]
pub struct LabJob {
    pub generation: u64,
    pub scenarios: Arc<[Scenario]>,
    /// The places of the scenarios, and the variants.
    pub sides: Vec<(usize, Variant)>,
    pub place: LabStore,
    pub seed: u64,
    /// One after the other.
    pub is_alone: bool,
}

#[derive(Clone, Debug)]
pub struct LabSaveJob {
    pub report: RunReport,
    pub form: LabForm,
    pub path: String,
}

#[derive(Clone, Debug)]
pub struct FreeJob {
    pub generation: u64,
    pub plan: Plan,
    pub switches: Switches,
    pub instances: u8,
}
