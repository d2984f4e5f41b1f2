//! What a person can ask of repairs: changes on and off, plans, runs, the journal.

use super::Move;
use crate::app::state::SavedForm;
use crate::domain::change::{Outcome, Verb};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangesCommand {
    /// On where it is off; asks for the name of a store that is production.
    Toggle,
    NameTyped(String),
    /// The name was typed.
    TurnOn,
}

/// Which records are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// Those that are selected, else the one under the cursor.
    Selected,
    /// The one in the panel.
    Open,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairCommand {
    Ask(Verb, Meant),
    /// A plan that puts back what a run changed.
    Undo(String),
    /// The other verb for the same records.
    Instead(Verb),
    StatusTyped(String),
    BodyTyped(String),
    /// The answer of a settle is typed: makes the plan.
    MakePlan,
    ReasonTyped(String),
    NameTyped(String),
    /// Turns changes on where they are off, else runs the plan.
    Run,
    Pause,
    GoOn,
    Stop,
    /// Leaves the dialog; a run goes on.
    Hide,
    /// Shows the dialog of the run again.
    Show,
    ShowOutcome(Option<Outcome>),
    Save(SaveCommand),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveCommand {
    Ask(SavedForm),
    Form(SavedForm),
    PathTyped(String),
    Browse,
    Start,
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JournalCommand {
    Show,
    /// Shows this run.
    ShowRun(String),
    Move(Move),
    PointAt(usize),
    ShowOutcome(Option<Outcome>),
    /// Makes the plan that undoes the chosen run.
    UndoChosen,
}
