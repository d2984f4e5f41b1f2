//! What a person can ask of the lab.

use super::Move;
use crate::app::state::{Instances, LabForm, LabStore, Room, Speed};
use crate::lab::fleet::Plan;
use crate::lab::pairs::Pick;
use crate::lab::switches::table::Time;

#[derive(Clone, Debug, PartialEq)]
pub enum LabCommand {
    Show,
    Move(Move),
    PointAt(usize),
    /// The scenario of this id.
    ShowId(String),
    /// Anew.
    Run,
    /// Ends what runs: it counts as not run.
    StopRun,
    /// Goes on or stands still; runs what was not run yet.
    PlayPause,
    /// So many messages further.
    Step(i64),
    Start,
    /// To this shown time, and stands still there.
    Seek(f64),
    Speed(Speed),
    /// Slower or faster.
    SpeedBy(i64),
    /// Without, with, both.
    NextSides,
    Room(Room),
    Projector,
    Store(LabStore),
    /// Another one for what is random.
    NextSeed,
    Switches(SwitchesCommand),
    Save(LabSaveCommand),
    Free(FreeCommand),
}

#[derive(Clone, Debug, PartialEq)]
pub enum SwitchesCommand {
    /// Of the column at this place.
    Open(usize),
    Pick(Pick),
    /// The preset at this place.
    Preset(usize),
    Set {
        switch: &'static str,
        position: String,
    },
    TimeTyped {
        time: Time,
        text: String,
    },
    /// The next longer or shorter one.
    TimeBy {
        time: Time,
        by: i64,
    },
    /// As the scenario has them.
    Reset,
    /// Runs both columns with what was chosen.
    Run,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabSaveCommand {
    Ask,
    Form(LabForm),
    PathTyped(String),
    Browse,
    Start,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FreeCommand {
    Show,
    /// Starts the clients, or stops them.
    Toggle,
    /// Wherever the window is.
    Stop,
    /// They behave so from now on.
    Plan(Plan),
    Instances(Instances),
    /// The shop decides as this preset.
    Preset(usize),
}
