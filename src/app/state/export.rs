//! The export area: what is listed, into a file.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    pub generation: u64,
    pub path: String,
    pub form: ExportForm,
    /// Records written so far, while it runs.
    pub running: Option<u64>,
    pub failure: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportForm {
    #[default]
    Csv,
    JsonLines,
}

impl ExportForm {
    pub const ALL: [ExportForm; 2] = [ExportForm::Csv, ExportForm::JsonLines];

    pub fn word(self) -> &'static str {
        match self {
            ExportForm::Csv => "CSV",
            ExportForm::JsonLines => "JSON lines",
        }
    }

    pub fn extension(self) -> &'static str {
        match self {
            ExportForm::Csv => "csv",
            ExportForm::JsonLines => "jsonl",
        }
    }
}
