//! What the lab shows of its runs, worked out for the frame.

use crate::app::state::{LabStore, Side, SidePhase, State};
use crate::app::update::WhyNot;
pub use crate::app::update::{is_changed, why_not_open};
pub use crate::lab::fleet::{Delay, FleetView, Keys, Patience as FleetPatience, Plan, SECONDS};
pub use crate::lab::pairs::{Pick, choices};
pub use crate::lab::scenario::{Scenario, Variant};
pub use crate::lab::switches::Switches;
pub use crate::lab::switches::table::{Switch, all as all_switches};
pub use crate::lab::trace::says::actor_word;
pub use crate::lab::trace::{
    Axis, Bar, Entry, Kind, Lane, Message, Moment, Placed, Row, RowState, Says, Trace,
};
pub use crate::lab::world::Actor;
use crate::present::say::say;

/// Lab time stands for so many times as much: 20 seconds for a day.
pub const STANDS_FOR: u64 = 4_320;

/// Where the records of a run stand.
pub fn lab_store_word(state: &State) -> String {
    match state.lab.place {
        LabStore::Own => say!("lab-store-own"),
        LabStore::Open => super::connection_name(&state.connection),
    }
}

/// The same in a sentence.
pub fn lab_store_place(state: &State) -> String {
    match state.lab.place {
        LabStore::Own => say!("lab-store-own-file"),
        LabStore::Open => super::connection_name(&state.connection),
    }
}

/// Why the open store is not for the lab, as a sentence.
pub fn why_not_open_words(state: &State) -> Option<String> {
    Some(match why_not_open(state)? {
        WhyNot::NoneOpen => say!("lab-store-none"),
        WhyNot::Production => say!("lab-store-production"),
        WhyNot::Demo | WhyNot::File => say!("lab-store-file"),
    })
}

/// What a side came to.
pub enum Verdict {
    /// It runs, or was never run.
    Open,
    AsExpected,
    /// What was missed, a sentence each.
    Missed(Vec<String>),
    /// Its switches are others than the scenario's: nothing is expected.
    Changed,
    Failed(String),
}

pub fn verdict(state: &State, side: &Side) -> Verdict {
    match &side.phase {
        SidePhase::Failed(why) => Verdict::Failed(why.clone()),
        SidePhase::Ended(_) if is_changed(&state.lab, side) => Verdict::Changed,
        SidePhase::Ended(outcome) if outcome.missed.is_empty() => Verdict::AsExpected,
        SidePhase::Ended(outcome) => Verdict::Missed(outcome.missed.clone()),
        SidePhase::Idle | SidePhase::Starting | SidePhase::Running => Verdict::Open,
    }
}

/// The cursor has come to the end of what was run.
pub fn is_at_end(state: &State) -> bool {
    state.lab.has_ended() && state.lab.cursor.at >= state.lab.axis.end() - 0.5
}
