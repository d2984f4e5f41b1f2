//! What can be asked of the stats view.

use crate::app::state::{StatsBy, StatsWindow};
use crate::stats::Mark;

#[derive(Clone, Debug, PartialEq)]
pub enum StatsCommand {
    Show,
    Window(StatsWindow),
    /// A longer window, or a shorter one.
    WindowBy(i64),
    /// Only what lies between two times, in milliseconds.
    Pick(i64, i64),
    Unpick,
    /// The records of the keys that were counted here.
    OpenKeys(Mark),
    /// The records that a filter lets through.
    OpenFilter(String),
    /// The records behind the first thing that is worth a look.
    OpenFirst,
    /// What the table tells attempts apart by.
    By(StatsBy),
    NextBy,
    Export(StatsExportCommand),
}

/// What can be asked while figures are written into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatsExportCommand {
    Ask(StatsForm),
    Form(StatsForm),
    PathTyped(String),
    Browse,
    Start,
    /// The page as it was drawn, a PNG, or why it was not.
    Drawn(Result<std::sync::Arc<[u8]>, String>),
}

/// What figures are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatsForm {
    #[default]
    Picture,
    Csv,
    Json,
}

impl StatsForm {
    pub const ALL: [StatsForm; 3] = [StatsForm::Picture, StatsForm::Csv, StatsForm::Json];

    pub fn extension(self) -> &'static str {
        match self {
            StatsForm::Picture => "png",
            StatsForm::Csv => "csv",
            StatsForm::Json => "json",
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            StatsForm::Picture => "PNG",
            StatsForm::Csv => "CSV",
            StatsForm::Json => "JSON",
        }
    }
}
