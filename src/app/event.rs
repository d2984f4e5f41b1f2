//! What the outside tells: answers to effects, and time.

use std::path::PathBuf;
use std::sync::Arc;

mod lab;
mod repair;
mod stats;

pub use lab::LabEvent;
pub use repair::{JournalEvent, RepairEvent};
pub use stats::StatsEvent;

use super::remote::Failure;
use super::start::Theme;
use super::state::{Asking, EditedFile, Opened, Page, PayloadSheet, Tested, Told, Tried};
use crate::config::found::Found;
use crate::config::{Book, Connection, Who};
use crate::domain::{Secret, Timestamp};
use crate::inspect::describe::{Sampled, Subjects};
use crate::inspect::findings::Bodies;
use crate::inspect::scan::ScanView;
use crate::inspect::show::Whole;
use crate::present::clock::Offset;

#[derive(Clone, Debug)]
pub enum Event {
    App(AppEvent),
    Connect(ConnectEvent),
    Connections(ConnectionsEvent),
    Keys(KeysEvent),
    Record(RecordEvent),
    Layouts(LayoutsEvent),
    Editor(EditorEvent),
    Export(ExportEvent),
    Repair(RepairEvent),
    Journal(JournalEvent),
    Lab(LabEvent),
    Stats(StatsEvent),
}

impl Event {
    /// Whether it concerns no store.
    pub fn is_of_house(&self) -> bool {
        matches!(
            self,
            Event::App(_)
                | Event::Connections(_)
                | Event::Export(_)
                | Event::Repair(_)
                | Event::Journal(_)
                | Event::Lab(_)
                | Event::Connect(ConnectEvent::Tested { .. })
        )
    }
}

#[derive(Clone, Debug)]
pub enum AppEvent {
    /// This machine's time, before something is shown.
    Tick { here: Timestamp, offset: Offset },
    /// A notice has been there long enough.
    NoticeOver { number: u64 },
    /// Something that a person should know.
    Say { text: String },
    /// The program was called once more: opens this, or only comes to the front.
    Called { target: Option<Secret> },
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
        /// What is kept of it.
        kept: Box<Connection>,
        warnings: Vec<String>,
    },
    /// The store that is open said again who it is.
    Told(Box<Told>),
    Failed {
        generation: u64,
        failure: Failure,
        /// What would mend it, where that is known.
        asking: Asking,
        /// What was tried, where it was known that far.
        asked: Option<Box<Connection>>,
    },
    Tested {
        generation: u64,
        answer: Result<Arc<Tested>, Failure>,
        asking: Asking,
    },
    /// A lost store may be tried again.
    TryDue { generation: u64 },
    /// The demo shop gets its next record.
    DemoDue { generation: u64, beat: u64 },
    /// It was added, or not: the file may have been busy, and the next one is tried all the same.
    DemoTried { generation: u64 },
}

#[derive(Clone, Debug)]
pub enum ConnectionsEvent {
    Loaded {
        /// Or a sentence.
        book: Result<Box<Book>, String>,
        found: Vec<Found>,
        /// Nothing was ever kept.
        is_first: bool,
    },
    /// What is kept has changed, or a sentence on why it could not.
    Changed {
        answer: Result<Box<Book>, String>,
        done: Done,
    },
}

/// What was done with what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// Under this name; what it was known by until then, and what became of a password that was typed.
    Saved {
        name: String,
        old: Option<Who>,
        password: PasswordFate,
    },
    Removed(Who),
    Noted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PasswordFate {
    /// None was typed.
    Nothing,
    InKeyring,
    /// With the reason.
    NotKept(String),
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
    /// What was found in some stored bodies.
    Bodies {
        generation: u64,
        bodies: Arc<Bodies>,
    },
    /// A small store may be read again.
    LiveDue {
        live: u64,
    },
}

#[derive(Clone, Debug)]
pub enum RecordEvent {
    LaidOut {
        sheet: Arc<PayloadSheet>,
    },
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
pub enum EditorEvent {
    Begun {
        generation: u64,
        subjects: Arc<Subjects>,
        begun: Box<Begun>,
    },
    Sampled {
        generation: u64,
        sample: Arc<Sampled>,
        /// A proposal, where one was wanted.
        text: Option<String>,
    },
    Failed {
        generation: u64,
        failure: Failure,
    },
    Tried {
        trial: u64,
        result: Arc<Tried>,
        /// The sample with further keys that the text asked for.
        sample: Option<Arc<Sampled>>,
    },
    Saved {
        generation: u64,
        id: String,
        path: PathBuf,
        text: String,
    },
    /// Another file is there.
    Differs {
        generation: u64,
        path: PathBuf,
    },
    NotSaved {
        generation: u64,
        why: String,
    },
}

/// What an editor begins with.
#[derive(Clone, Debug, Default)]
pub struct Begun {
    pub text: String,
    pub is_proposal: bool,
    pub file: Option<EditedFile>,
    pub subject: Option<usize>,
    pub sample: Option<Arc<Sampled>>,
}

#[derive(Clone, Debug)]
pub enum ExportEvent {
    /// Nothing where none was chosen, or no dialog is there: nobody can tell which.
    Browsed {
        path: Option<String>,
    },
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
