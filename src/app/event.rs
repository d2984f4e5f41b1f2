//! What the outside tells: answers to effects, and time.

use std::sync::Arc;

use super::remote::Failure;
use super::start::Theme;
use super::state::{Opened, Page};
use crate::domain::Timestamp;
use crate::inspect::scan::ScanView;
use crate::inspect::show::Whole;
use crate::present::clock::Offset;

#[derive(Clone, Debug)]
pub enum Event {
    App(AppEvent),
    Connect(ConnectEvent),
    Keys(KeysEvent),
    Record(RecordEvent),
    Layouts(LayoutsEvent),
    Export(ExportEvent),
}

#[derive(Clone, Debug)]
pub enum AppEvent {
    /// This machine's time, before something is shown.
    Tick { here: Timestamp, offset: Offset },
    /// A notice has been there long enough.
    NoticeOver { number: u64 },
    /// Something that a person should know.
    Say { text: String },
    /// What the desktop says of itself has changed.
    Desktop {
        theme: Option<Theme>,
        reduces_motion: bool,
    },
}

#[derive(Clone, Debug)]
pub enum ConnectEvent {
    Opened {
        generation: u64,
        opened: Arc<Opened>,
        warnings: Vec<String>,
    },
    Failed {
        generation: u64,
        failure: Failure,
    },
    /// A lost store may be tried again.
    TryDue {
        generation: u64,
    },
    /// The demo shop gets its next record.
    DemoDue {
        generation: u64,
    },
    DemoAdded {
        generation: u64,
    },
}

#[derive(Clone, Debug)]
pub enum KeysEvent {
    Scanned {
        generation: u64,
        view: Box<ScanView>,
    },
    ScanEnded {
        generation: u64,
        view: Box<ScanView>,
        failure: Option<Failure>,
    },
    Page {
        question: u64,
        page: Arc<Page>,
    },
    /// A small store may be read again.
    LiveDue {
        generation: u64,
    },
}

#[derive(Clone, Debug)]
pub enum RecordEvent {
    Opened {
        generation: u64,
        whole: Option<Arc<Whole>>,
    },
    Failed {
        generation: u64,
        failure: Failure,
    },
}

#[derive(Clone, Debug)]
pub enum LayoutsEvent {
    Sample {
        generation: u64,
        answer: Result<Option<Arc<Whole>>, Failure>,
    },
}

#[derive(Clone, Debug)]
pub enum ExportEvent {
    Written {
        generation: u64,
        records: u64,
    },
    /// With the number of records, or a sentence.
    Ended {
        generation: u64,
        answer: Result<u64, String>,
    },
}
