//! The record area: the record in the panel, and its payload as lines.

use std::sync::Arc;

use super::Remote;
use crate::domain::raw::RawAddress;
use crate::inspect::show::Whole;
use crate::present::payload::{Form, Sheet};
use crate::present::say::say;

#[derive(Debug, Default)]
pub struct Record {
    pub generation: u64,
    /// The record in the panel.
    pub open: Option<RawAddress>,
    /// None inside: the record is gone.
    pub whole: Remote<Option<Arc<Whole>>>,
    pub tab: Tab,
    pub form: Form,
    /// Private parts are shown; of this record only.
    pub reveals: bool,
    /// Characters that fit a line of the panel.
    pub chars: usize,
    /// Of the newest wish to lay a payload out.
    pub sheet_number: u64,
    pub sheet: Option<Arc<PayloadSheet>>,
    pub is_laying_out: bool,
}

/// A payload of the open record, laid out.
#[derive(Debug)]
pub struct PayloadSheet {
    pub number: u64,
    pub tab: Tab,
    pub sheet: Arc<Sheet>,
    /// What was asked for, else text.
    pub form: Form,
    /// Private parts that are not shown.
    pub masked: usize,
    pub bytes: u64,
    pub is_nothing: bool,
    /// As it may be copied.
    pub text: Arc<str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tab {
    #[default]
    Fields,
    Response,
    Raw,
    Parts,
    /// What the journal says of it.
    History,
}

impl Tab {
    pub const ALL: [Tab; 5] = [
        Tab::Fields,
        Tab::Response,
        Tab::Raw,
        Tab::Parts,
        Tab::History,
    ];

    pub fn word(self) -> String {
        match self {
            Tab::Fields => say!("record-tab-fields"),
            Tab::Response => say!("record-tab-response"),
            Tab::Raw => say!("record-tab-raw"),
            Tab::Parts => say!("record-tab-parts"),
            Tab::History => say!("record-tab-history"),
        }
    }
}
