//! What a reducer asks of the outside.

use std::path::PathBuf;
use std::sync::Arc;

mod lab;
mod repair;
mod stats;

pub use lab::{FreeJob, LabEffect, LabJob, LabSaveJob};
pub use repair::{JournalEffect, PlanJob, RepairEffect, RunJob, SaveWhat};
pub use stats::{StatsEffect, StatsFile, StatsJob, StatsSpan};

use super::event::Event;
use super::state::{
    ExportForm, Form, Grouping, KeyList, LockList, Overrides, Page, Selection, Settings, StoreId,
    Tab,
};
use crate::config::{Connection, Wanted, Who, layouts};
use crate::domain::raw::RawAddress;
use crate::domain::{Secret, Timestamp};
use crate::inspect::catalogue::RowId;
use crate::inspect::describe::{Sampled, Subjects};
use crate::inspect::findings::Bodies;
use crate::inspect::show::Whole;
use crate::inspect::{Order, Snapshot};
use crate::present::words::Standing;
use crate::stores::Eviction;

#[derive(Clone, Debug)]
pub enum Effect {
    Connect(ConnectEffect),
    Connections(ConnectionsEffect),
    /// Of another store than the one that is shown.
    Of {
        store: StoreId,
        effect: Box<Effect>,
    },
    Keys(KeysEffect),
    Record(RecordEffect),
    Layouts(LayoutsEffect),
    Editor(EditorEffect),
    Export(ExportEffect),
    Repair(RepairEffect),
    Journal(JournalEffect),
    Lab(LabEffect),
    Stats(StatsEffect),
    /// Writes them into their file.
    SaveSettings(Box<Settings>),
    /// Tells when the desktop's look changes, from now on.
    WatchDesktop,
    /// Puts a text into the clipboard; the window does that.
    Copy(String),
    /// Brings the window to the front; the window does that.
    Raise,
    /// Ends the program; the window does that.
    Quit,
    /// Gives the event back after a while.
    Later {
        after_ms: u64,
        event: Box<Event>,
    },
}

impl Effect {
    /// Whether it concerns no store.
    pub fn is_of_house(&self) -> bool {
        match self {
            Effect::Connections(_)
            | Effect::Export(_)
            | Effect::Journal(_)
            | Effect::SaveSettings(_)
            | Effect::WatchDesktop
            | Effect::Connect(ConnectEffect::Test { .. }) => true,
            Effect::Later { event, .. } => event.is_of_house(),
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub enum ConnectEffect {
    /// Opens a store, and closes what was open under its number.
    Open {
        generation: u64,
        wanted: Box<Wanted>,
    },
    /// Ends all work of a store.
    Close,
    /// Looks what would be found, and closes it again.
    Test {
        generation: u64,
        wanted: Box<Wanted>,
    },
    AddDemoRecord {
        generation: u64,
    },
    /// From now on these count when the store is read.
    SetOverrides(Overrides),
}

/// What is kept between runs. These are carried out one after the other.
#[derive(Clone, Debug)]
pub enum ConnectionsEffect {
    /// Reads what is kept, and what this machine's settings name.
    Load,
    Save {
        old: Option<Who>,
        connection: Box<Connection>,
        /// Typed: it goes to the keyring where there is one.
        password: Option<Secret>,
    },
    Remove(Who),
    /// It was opened just now.
    Opened {
        connection: Box<Connection>,
        at: Timestamp,
    },
    /// What was set for its sources.
    Remember {
        who: Who,
        sources: Overrides,
    },
}

#[derive(Clone, Debug)]
pub enum KeysEffect {
    Scan { generation: u64 },
    StopScan,
    Look(Box<Question>),
}

/// Which rows are wanted, and in what order.
#[derive(Clone, Debug)]
pub struct Question {
    pub number: u64,
    /// The reading that the rows are of.
    pub scan: u64,
    pub snapshot: Snapshot,
    pub filter: String,
    /// Only records of these keys.
    pub list: Option<Arc<KeyList>>,
    pub standing: Option<Standing>,
    pub order: Order,
    pub keep: Keep,
    pub grouping: Grouping,
    /// The same locks as before, where nothing has come since.
    pub locks: Option<Arc<LockList>>,
    pub keep_lock: Keep,
    /// What the locks are judged by.
    pub terms: Overrides,
    /// The rows of an earlier reading that are shown now.
    pub before: Option<Arc<Page>>,
    /// Of that reading.
    pub selected: Selection,
    pub findings: WantedFindings,
    /// When the rows were read, by the store's clock.
    pub read: Timestamp,
    pub now: Timestamp,
}

/// Where the findings of a page come from.
#[derive(Clone, Debug)]
pub enum WantedFindings {
    /// A reading that is not whole has none.
    Later,
    /// The same as before, where nothing has come since.
    Same(Arc<Page>),
    Anew {
        eviction: Option<Eviction>,
        bodies: Option<Arc<Bodies>>,
    },
}

/// How the row under the cursor is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    Nothing,
    /// The rows are the same.
    Row(RowId),
    /// They were read again.
    Address(String),
}

#[derive(Clone, Debug)]
pub enum RecordEffect {
    Open {
        generation: u64,
        address: RawAddress,
    },
    LayOut(Box<LayOut>),
}

/// A payload that is to be laid out as lines.
#[derive(Clone, Debug)]
pub struct LayOut {
    pub number: u64,
    pub whole: Arc<Whole>,
    pub tab: Tab,
    pub form: Form,
    pub reveals: bool,
    /// Characters that fit a line.
    pub chars: usize,
}

#[derive(Clone, Debug)]
pub enum LayoutsEffect {
    /// Reads an example of a source whole.
    Sample {
        generation: u64,
        source: String,
        address: String,
    },
}

#[derive(Clone, Debug)]
pub enum EditorEffect {
    /// Looks what there is to describe; with a source, brings its layout and its records.
    Begin {
        generation: u64,
        source: Option<String>,
    },
    /// Brings the text of a file.
    OpenFile {
        generation: u64,
        path: PathBuf,
    },
    /// Takes a sample of a subject, and proposes a text for it.
    Sample {
        generation: u64,
        subjects: Arc<Subjects>,
        at: usize,
        proposes: bool,
    },
    /// Tries a text on a sample.
    Try {
        trial: u64,
        text: Arc<str>,
        sample: Option<Arc<Sampled>>,
        now: Timestamp,
    },
    Save(Box<SaveJob>),
}

/// What is written, and over what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveJob {
    pub generation: u64,
    pub id: String,
    pub text: String,
    /// The file that the text came from; nothing for a new one.
    pub path: Option<PathBuf>,
    pub over: layouts::Over,
}

#[derive(Clone, Debug)]
pub enum ExportEffect {
    Start(Box<ExportJob>),
    /// Asks for a path, beginning with this one.
    Browse(String),
    Cancel,
}

/// What is written, and how.
#[derive(Clone, Debug)]
pub struct ExportJob {
    pub generation: u64,
    pub snapshot: Snapshot,
    pub rows: Arc<[RowId]>,
    pub form: ExportForm,
    pub path: String,
    pub now: Timestamp,
}
