//! Free play: a fleet of clients against the shop, with knobs.
//!
//! Apart from the scenarios because nothing is expected of it.

use crate::lab::fleet::{FleetView, Plan};
use crate::lab::switches::Switches;

#[derive(Debug, Default)]
pub struct FreePlay {
    /// The page is shown in the place of a scenario.
    pub is_shown: bool,
    pub plan: Plan,
    pub switches: Switches,
    /// Which instances of the shop share the work.
    pub instances: Instances,
    /// Of the newest start.
    pub generation: u64,
    pub phase: FreePhase,
    pub view: FleetView,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FreePhase {
    #[default]
    Idle,
    Starting,
    Running,
    Failed(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Instances {
    #[default]
    One,
    Two,
}

impl FreePlay {
    pub fn is_at_work(&self) -> bool {
        matches!(self.phase, FreePhase::Starting | FreePhase::Running)
    }
}
