//! The lab area: the scenario that is looked at, its runs beside each other, the time cursor.

mod free;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::free::{FreePhase, FreePlay, Instances};
use super::{Place, State, StoreId, Theme};
use crate::domain::{Duration, Timestamp};
use crate::lab::pairs::Pick;
use crate::lab::presets::Preset;
use crate::lab::run::{NotRun, Outcome};
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::switches::Switches;
use crate::lab::switches::table::{TIMES, Time};
use crate::lab::trace::{Axis, Moment, Trace};
use crate::present::span;

#[derive(Debug, Default)]
pub struct Lab {
    /// All there are, once the view was shown.
    pub scenarios: Arc<[Scenario]>,
    pub presets: Arc<[Preset]>,
    /// Why there are none.
    pub trouble: Option<String>,
    /// The scenario that is looked at.
    pub chosen: usize,
    /// Counts the moves that the list must follow.
    pub reveal: u64,
    /// Of the newest run.
    pub generation: u64,
    /// One or two.
    pub sides: Vec<Side>,
    pub axis: Arc<Axis>,
    pub cursor: Cursor,
    pub shown: ShownSides,
    pub room: Room,
    /// Only what can be read from afar, in this theme.
    pub projector: Option<Theme>,
    pub place: LabStore,
    /// Of what is random, counted from 0.
    pub other_seeds: u64,
    /// Whose store the newest run is on.
    pub runs_on: StoreId,
    /// By scenario: whether all that was run came out as expected.
    pub results: BTreeMap<String, bool>,
    pub form: Option<SwitchForm>,
    pub saving: Option<LabSaving>,
    pub free: FreePlay,
}

/// A run, or what would be run.
#[derive(Debug)]
pub struct Side {
    pub pick: Pick,
    /// With the switches that it has here.
    pub variant: Variant,
    pub phase: SidePhase,
    pub trace: Arc<Trace>,
    pub moment: Moment,
    /// When its clients began, by this machine's clock.
    pub began_at: Option<Timestamp>,
}

#[derive(Clone, Debug, Default)]
pub enum SidePhase {
    #[default]
    Idle,
    /// Another one goes first, or its shop is being started.
    Starting,
    Running,
    Ended(Arc<Outcome>),
    Failed(NotRun),
}

/// The time cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cursor {
    /// Shown time, in milliseconds.
    pub at: f64,
    pub is_playing: bool,
    pub speed: Speed,
    /// When it was moved last.
    pub moved_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    Quarter,
    #[default]
    Usual,
    Four,
}

impl Speed {
    pub const ALL: [Speed; 3] = [Speed::Quarter, Speed::Usual, Speed::Four];

    pub fn factor(self) -> f64 {
        match self {
            Speed::Quarter => 0.25,
            Speed::Usual => 1.0,
            Speed::Four => 4.0,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Speed::Quarter => "¼×",
            Speed::Usual => "1×",
            Speed::Four => "4×",
        }
    }
}

/// Which columns are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShownSides {
    #[default]
    Both,
    /// Only the one at this place.
    One(usize),
}

/// How many columns the window has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    #[default]
    Two,
    One,
}

/// Where records stand in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabStore {
    /// The lab's own file.
    #[default]
    Own,
    /// The store that is open.
    Open,
}

/// What is chosen for a side before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchForm {
    pub side: usize,
    pub pick: Pick,
    pub switches: Switches,
    /// Times as they were typed, by their names.
    pub typed: BTreeMap<&'static str, String>,
}

impl SwitchForm {
    /// What stands in the field of a time.
    pub fn text(&self, time: &Time) -> String {
        let stands = || {
            let ms = self.switches.millis(time.id).unwrap_or_default();
            span::typed_exact(Duration(i64::try_from(ms).unwrap_or(i64::MAX)))
        };
        self.typed.get(time.id).cloned().unwrap_or_else(stands)
    }

    /// A time that was typed is none, or out of its bounds.
    pub fn is_wrong(&self, time: &Time) -> bool {
        let typed = self.typed.get(time.id);
        typed.is_some_and(|text| self.taking(time, text).is_none())
    }

    /// With what was typed; nothing where it cannot be.
    pub fn taking(&self, time: &Time, text: &str) -> Option<Switches> {
        let ms = u64::try_from(Duration::parse(text)?.millis()).ok()?;
        self.switches.with_millis(time, ms)
    }

    /// It can be run.
    pub fn is_good(&self) -> bool {
        TIMES.iter().all(|time| !self.is_wrong(time))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabSaving {
    pub path: String,
    pub form: LabForm,
    pub is_running: bool,
    pub failure: Option<String>,
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabForm {
    #[default]
    Html,
    Json,
}

impl LabForm {
    pub const ALL: [LabForm; 2] = [LabForm::Html, LabForm::Json];

    pub fn extension(self) -> &'static str {
        match self {
            LabForm::Html => "html",
            LabForm::Json => "json",
        }
    }
}

impl State {
    /// The theme of the projector, where it is on.
    pub fn projector(&self) -> Option<Theme> {
        self.lab.projector.filter(|_| self.view.place == Place::Lab)
    }

    /// The lab is shown, and a scenario in it.
    pub fn shows_scenario(&self) -> bool {
        self.view.place == Place::Lab && !self.lab.free.is_shown && !self.lab.sides.is_empty()
    }
}

impl Side {
    pub fn is_under_way(&self) -> bool {
        matches!(self.phase, SidePhase::Starting | SidePhase::Running)
    }

    pub fn outcome(&self) -> Option<&Arc<Outcome>> {
        match &self.phase {
            SidePhase::Ended(outcome) => Some(outcome),
            _ => None,
        }
    }
}

impl Lab {
    /// What is random is the same whenever it begins with this.
    pub fn seed(&self) -> u64 {
        self.other_seeds + 1
    }

    pub fn scenario(&self) -> Option<&Scenario> {
        self.scenarios.get(self.chosen)
    }

    pub fn is_under_way(&self) -> bool {
        self.sides.iter().any(Side::is_under_way)
    }

    /// Something came of a run, and everything has come to its end.
    pub fn has_outcome(&self) -> bool {
        self.has_ended() && self.sides.iter().any(|side| side.outcome().is_some())
    }

    /// Something happened that can be gone through.
    pub fn has_story(&self) -> bool {
        self.axis.end() > 0.0
    }

    /// Something was run, and everything has come to its end.
    pub fn has_ended(&self) -> bool {
        let is_over =
            |side: &Side| matches!(side.phase, SidePhase::Ended(_) | SidePhase::Failed(_));
        !self.sides.is_empty() && self.sides.iter().all(is_over)
    }

    /// The places of the sides that are shown.
    pub fn shown_sides(&self) -> Vec<usize> {
        let all = 0..self.sides.len();
        match (self.shown, self.room) {
            (ShownSides::One(at), _) if at < self.sides.len() => vec![at],
            (_, Room::One) => all.take(1).collect(),
            _ => all.collect(),
        }
    }

    /// How far the shown time can go now.
    pub fn edge(&self, here: Timestamp) -> f64 {
        let end = self.axis.end();
        let edge = |side: &Side| match (&side.phase, side.began_at) {
            (SidePhase::Running, Some(began)) => {
                (began.until(here).millis().max(0) as f64 - LAG_MS).max(0.0)
            }
            (SidePhase::Idle | SidePhase::Starting | SidePhase::Running, _) => 0.0,
            (SidePhase::Ended(_) | SidePhase::Failed(_), _) => f64::INFINITY,
        };
        // One that waits for another's end does not hold it up.
        let has_begun = self.sides.iter().any(|side| side.began_at.is_some());
        let waits = |side: &&Side| has_begun && matches!(side.phase, SidePhase::Starting);
        let edges = self.sides.iter().filter(|side| !waits(side)).map(edge);
        let edge = edges.fold(f64::INFINITY, f64::min);
        if edge.is_finite() { edge } else { end }
    }

    /// How long the shown time is, or is expected to be.
    pub fn length(&self) -> f64 {
        let script = self.sides.iter().filter(|side| side.is_under_way());
        let planned = script.filter_map(|side| {
            let scenario = self.scenarios.get(side.pick.scenario)?;
            let steps = scenario.steps(&side.variant).iter();
            let last = steps.map(|step| step.at_ms).max()?;
            Some((last + side.variant.execution_ms) as f64 + 900.0)
        });
        planned.fold(self.axis.end(), f64::max)
    }
}

/// What happened comes this much later.
const LAG_MS: f64 = 150.0;
