//! The export area: what is listed, into a file.

use crate::present::say::say;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    pub generation: u64,
    pub path: String,
    pub form: ExportForm,
    /// Records written so far, while it runs.
    pub running: Option<u64>,
    pub failure: Option<String>,
    /// Under the path: nothing was chosen.
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportForm {
    #[default]
    Csv,
    JsonLines,
}

impl ExportForm {
    pub const ALL: [ExportForm; 2] = [ExportForm::Csv, ExportForm::JsonLines];

    pub fn word(self) -> String {
        match self {
            ExportForm::Csv => "CSV".to_owned(),
            ExportForm::JsonLines => say!("export-json-lines"),
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            ExportForm::Csv => "csv",
            ExportForm::JsonLines => "jsonl",
        }
    }
}
