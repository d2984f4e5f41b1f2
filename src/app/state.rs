//! All that the window shows, in one struct per area.

mod changes;
mod connect;
mod connection;
mod editor;
mod export;
mod journal;
mod key_list;
mod lab;
mod layouts;
mod locks;
mod opened;
mod overrides;
mod record;
mod repair;
mod selection;
mod stats;
mod stores;
mod way;

use std::sync::Arc;

pub use crate::config::overrides::{Override, Overrides, name_of, source_name};
pub use changes::Changes;
pub use connect::{Asking, Connect, ConnectForm, Item, Origin, Tested};
pub use connection::{Connection, Lost};
pub use editor::{EditedFile, Editor, Then, Tried};
pub use export::{Export, ExportForm};
pub use journal::{History, HistoryLine, JournalArea, RunFace, RunList};
pub use key_list::KeyList;
pub use lab::{
    Cursor, FreePhase, FreePlay, Instances, Lab, LabForm, LabSaving, LabStore, Room, ShownSides,
    Side, SidePhase, Speed, SwitchForm,
};
pub use layouts::Layouts;
pub use locks::{
    Grouping, LeaseField, LeaseForm, LockCounts, LockGroup, LockList, Locks, TypedSpan,
};
pub use opened::{BrokenFile, Opened, RefusedFace, Servers, SourceFace, Told};
pub use overrides::{SourceTerms, judge};
pub use record::{PayloadSheet, Record, Tab};
pub use repair::{
    AnswerForm, Asked, BODY_MAX, Body, Job, REASON_MAX, Repair, RunningPlan, SavedForm, Saving,
    Stage, Wish,
};
pub use selection::Selection;
pub use stats::{LockTrend, Stats, StatsBy, StatsSaving, StatsWindow};
pub use stores::{Areas, HOUSE, OPEN_MAX, Parked, StoreId, Stores};
pub use way::Way;

use super::remote::{Failure, Remote};
pub use super::start::Theme;
use crate::config::settings::ThemeChoice;
pub use crate::config::settings::{Density, LanguageChoice, Motion, Settings, SideBar, Times};
use crate::domain::Timestamp;
use crate::inspect::catalogue::RowId;
use crate::inspect::filter::Facts;
use crate::inspect::findings::{Bodies, Finding};
use crate::inspect::retries::looks::Looks;
use crate::inspect::scan::Progress;
use crate::inspect::{Order, Snapshot, Summary};
use crate::present::clock::Offset;
pub use crate::present::payload::Form;
use crate::present::say::Language;
use crate::present::words::Standing;

/// A store up to this size is read again by itself.
pub const LIVE_RECORDS_MAX: u64 = 1_000_000;
/// The wait between two readings is so many times as long as a reading takes, at least.
pub const LIVE_REST: u64 = 10;

#[derive(Debug, Default)]
pub struct State {
    /// Which stores are open; the areas down to `record` are of the one that is shown.
    pub stores: Stores,
    /// The page of connecting.
    pub connect: Connect,
    pub connection: Connection,
    pub changes: Changes,
    pub keys: Keys,
    pub locks: Locks,
    pub layouts: Layouts,
    pub editor: Editor,
    pub selection: Selection,
    pub export: Export,
    pub palette: Palette,
    /// The home folder.
    pub home: String,
    pub folders: Folders,
    pub record: Record,
    pub stats: Stats,
    pub repair: Repair,
    pub journal: JournalArea,
    pub lab: Lab,
    pub view: View,
    pub notices: Notices,
    pub settings: Settings,
    /// The file of the settings could not be read and must not be written over.
    pub settings_broken: bool,
    pub desktop: Desktop,
    /// Of this run only, before the settings.
    pub theme_of_run: Option<Theme>,
    pub zoom_of_run: Option<f32>,
    pub clock: Clock,
}

impl State {
    /// Now by the store's clock. It stands still while the store is lost: what is shown is of then.
    pub fn now(&self) -> Timestamp {
        let here = match &self.connection.lost {
            Some(lost) => lost.since,
            None => self.clock.here,
        };
        let opened = self.connection.store.value();
        let skew = opened.and_then(|opened| opened.skew).unwrap_or_default();
        here.plus(skew)
    }

    /// The theme that is drawn: dark where nobody says.
    pub fn theme(&self) -> Theme {
        if let Some(theme) = self.projector() {
            return theme;
        }
        match (self.theme_of_run, self.settings.theme) {
            (Some(theme), _) => theme,
            (None, ThemeChoice::Dark) => Theme::Dark,
            (None, ThemeChoice::Light) => Theme::Light,
            (None, ThemeChoice::System) => self.desktop.theme.unwrap_or_default(),
        }
    }

    pub fn zoom(&self) -> f32 {
        self.zoom_of_run.unwrap_or(self.settings.zoom)
    }

    pub fn language(&self) -> Language {
        self.settings.language(self.desktop.language)
    }

    /// Nothing moves but what has to.
    pub fn is_calm(&self) -> bool {
        match self.settings.motion {
            Motion::System => self.desktop.reduces_motion,
            Motion::Full => false,
            Motion::Reduced => true,
        }
    }
}

/// This machine's time, as it was handed in last.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub here: Timestamp,
    pub offset: Offset,
}

impl Default for Clock {
    fn default() -> Clock {
        Clock {
            here: Timestamp(0),
            offset: Offset::UTC,
        }
    }
}

#[derive(Debug, Default)]
pub struct Keys {
    pub scan: Scan,
    /// The newest rows that came, which the page may not show yet.
    pub snapshot: Option<Snapshot>,
    /// The reading that they are of.
    pub snapshot_scan: u64,
    pub filter: String,
    /// Only records of these keys, besides what is typed.
    pub list: Option<Arc<KeyList>>,
    pub standing: Option<Standing>,
    pub order: Order,
    /// Number of the newest question.
    pub question: u64,
    /// The question that the page answers.
    pub answered: u64,
    /// The question that is being answered.
    pub asked: Option<u64>,
    /// Newer rows have come since it was asked.
    pub stale: bool,
    /// What was found in some stored bodies, of the newest whole reading.
    pub bodies: Option<Arc<Bodies>>,
    /// All findings are listed, not the first ones only.
    pub are_findings_open: bool,
    pub page: Option<Arc<Page>>,
    pub marks: Option<Marks>,
    /// A place in the page.
    pub cursor: Option<u64>,
    /// A person has put it there: it stays with its row, not at the top.
    pub is_cursor_placed: bool,
    /// Counts the moves that the list must follow.
    pub reveal: u64,
}

impl Keys {
    pub fn rows(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.rows.len() as u64)
    }
}

#[derive(Debug, Default)]
pub struct Scan {
    pub generation: u64,
    pub running: Running,
    pub progress: Progress,
    /// When what is shown was read, by this machine's clock.
    pub read_at: Option<Timestamp>,
    /// When the newest reading began.
    pub began_at: Option<Timestamp>,
    /// How long the newest whole reading took, in milliseconds.
    pub took_ms: u64,
    /// Something was changed while the store was being read: what is read then may be older.
    pub is_owed: bool,
    /// Of the newest wish to read again by itself.
    pub live: u64,
    pub failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Running {
    #[default]
    No,
    /// Rows are shown as they come.
    First,
    /// The old rows are shown until all the new ones are there.
    Again,
}

/// The answer to a question about the rows: which, in what order, how many of what.
#[derive(Debug)]
pub struct Page {
    /// The reading that the rows are of.
    pub scan: u64,
    /// When they were read, by the store's clock.
    pub read: Timestamp,
    pub snapshot: Snapshot,
    pub rows: Arc<[RowId]>,
    /// Of all rows.
    pub all: Summary,
    /// Of the rows that the filter lets through, whatever chip is chosen.
    pub filtered: Summary,
    /// How many records belong to the listed keys, where only these are wanted.
    pub listed: Option<u64>,
    /// Where the row under the cursor is now.
    pub found: Option<u64>,
    /// What the filter can be completed with.
    pub facts: Facts,
    pub locks: Arc<LockList>,
    pub found_lock: Option<u64>,
    /// What the locks were judged by.
    pub terms: Overrides,
    /// What came of an earlier reading's rows.
    pub since: Option<Since>,
    /// What is wrong with the store; nothing before a whole reading.
    pub findings: Arc<[Finding]>,
    /// The bodies that were known then; `None` before a whole reading.
    pub findings_of: Option<Option<Arc<Bodies>>>,
}

/// What another reading has brought.
#[derive(Debug)]
pub struct Since {
    /// Rows that are new or other than before, sorted.
    pub changed: Arc<[RowId]>,
    /// What changed in numbers, where both readings were whole.
    pub looks: Option<Looks>,
    /// What was selected before, and where it is now.
    pub selected: Selection,
    pub selected_now: Vec<RowId>,
}

/// Rows that the store has changed, for a moment.
#[derive(Clone, Debug)]
pub struct Marks {
    pub scan: u64,
    pub rows: Arc<[RowId]>,
    /// By this machine's clock.
    pub at: Timestamp,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    pub text: String,
    pub chosen: usize,
}

#[derive(Debug, Default)]
pub struct View {
    pub place: Place,
    pub way: Way,
    /// What lies over everything.
    pub over: Option<Over>,
    /// Counts the wishes to type into the filter.
    pub focus_filter: u64,
    /// Counts the wishes to type into the connect field.
    pub focus_connect: u64,
}

/// Something that lies over the window until it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The keys of the view.
    KeysPage,
    /// The leases that count.
    Lease,
    /// What is copied of the records.
    CopyAs,
    /// Where what is listed goes.
    Export,
    /// Every command.
    Palette,
    /// The stores that are open and could be.
    Stores,
    /// What was typed would be lost.
    LeaveEditor,
    /// Another layout file would be written over.
    OverwriteLayout,
    /// Which columns the table has.
    Columns,
    /// The plan of a repair, its run, its report.
    Repair,
    /// The name of the store, before it may be changed.
    TurnChangesOn,
    /// A repair runs and would be stopped.
    StopRun,
    /// What a column of the lab runs with.
    LabSwitches,
    /// Where a run of the lab is written to.
    LabSave,
    /// Where figures are written to.
    StatsSave,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Keys,
    Locks,
    Stats,
    Lab,
    Journal,
    Layouts,
    Editor,
    Settings,
    Connect,
}

/// Where things are kept, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Settings, connections, layouts.
    pub config: Option<String>,
    /// The demo store.
    pub data: Option<String>,
    /// What is remembered of the window.
    pub state: Option<String>,
}

/// What the desktop says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Desktop {
    /// Nothing where it does not say.
    pub theme: Option<Theme>,
    pub reduces_motion: bool,
    pub language: Language,
}

#[derive(Debug, Default)]
pub struct Notices {
    pub list: Vec<Notice>,
    pub last: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub number: u64,
    pub text: String,
}
