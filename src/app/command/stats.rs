//! What can be asked of the stats view.

use crate::app::state::StatsWindow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatsCommand {
    Show,
    Window(StatsWindow),
    /// A longer window, or a shorter one.
    WindowBy(i64),
    /// Only what lies between two times, in milliseconds.
    Pick(i64, i64),
    Unpick,
    /// The records that a filter lets through.
    OpenKeys(String),
    /// The records behind the first thing that is worth a look.
    OpenFirst,
    /// Writes the figures into a file.
    Export(StatsForm),
}

/// What figures are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsForm {
    Json,
    Csv,
}

impl StatsForm {
    pub fn extension(self) -> &'static str {
        match self {
            StatsForm::Json => "json",
            StatsForm::Csv => "csv",
        }
    }
}
