//! What a person can ask for.

mod connect;
mod info;
mod lab;
mod repair;
mod stats;

pub use connect::{ConnectCommand, FormCommand, Part, StoresCommand};
pub use info::{Info, Named, Shortcut};
pub use lab::{FreeCommand, LabCommand, LabSaveCommand, SwitchesCommand};
pub use repair::{ChangesCommand, JournalCommand, Meant, RepairCommand, SaveCommand};
pub use stats::{StatsCommand, StatsExportCommand, StatsForm};

use std::path::PathBuf;

use super::state::{ExportForm, Form, Grouping, Tab};
use crate::app::view::ColumnName;
use crate::config::settings::{Density, LanguageChoice, Motion, ThemeChoice, Times};
use crate::inspect::SortField;
use crate::present::words::Standing;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    App(AppCommand),
    Connect(ConnectCommand),
    Stores(StoresCommand),
    Keys(KeysCommand),
    Locks(LocksCommand),
    Layouts(LayoutsCommand),
    Editor(EditorCommand),
    Select(SelectCommand),
    Export(ExportCommand),
    Changes(ChangesCommand),
    Repair(RepairCommand),
    Journal(JournalCommand),
    Lab(LabCommand),
    Palette(PaletteCommand),
    Record(RecordCommand),
    Settings(SettingsCommand),
    Stats(StatsCommand),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppCommand {
    ShowKeys,
    /// One thing at a time: filter, panel, page.
    StepBack,
    FoldSideBar,
    ShowKeysPage,
    ShowCopyAs,
    NextDensity,
    NextTimes,
    OtherTheme,
    /// The view that was shown before, and the way on again.
    GoBack,
    GoForward,
    DismissNotice(u64),
    Quit,
    /// Although a repair runs: it is stopped, and what is on its way is waited for.
    QuitAnyway,
}

#[derive(Clone, Debug, PartialEq)]
pub enum KeysCommand {
    FocusFilter,
    FilterTyped(String),
    ClearFilter,
    /// Records of other keys as well.
    DropList,
    DropLastTerm,
    Chip(Option<Standing>),
    SortBy(SortField),
    Move(Move),
    PointAt(u64),
    ReadAgain,
    StopScan,
    /// Lists all that is wrong with the store, or the first lines only.
    ToggleFindings,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LocksCommand {
    Show,
    Move(Move),
    PointAt(u64),
    NextGrouping,
    GroupBy(Grouping),
    /// Lists what holds, although nothing is stuck.
    ShowHeld,
    /// Asks for the leases that count.
    AskLease,
    LeaseTyped {
        at: usize,
        text: String,
    },
    SetLease,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutsCommand {
    Show,
    Move(Move),
    PointAt(usize),
    /// Another example, so many further.
    Sample(i64),
    LeaseTyped(String),
    RetentionTyped(String),
    /// What was typed counts from now on.
    SetTerms,
    /// Reads the source, or does not.
    Switch,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorCommand {
    /// A layout for something in the store.
    New,
    /// A copy of the layout of the chosen source.
    EditChosen,
    /// A file of the user's own.
    EditFile(PathBuf),
    /// Another subject.
    PointAt(usize),
    Move(Move),
    Typed(String),
    /// The text that is proposed for the subject, in place of what is there.
    Propose,
    /// Another example, so many further.
    Example(i64),
    FocusText,
    Save,
    /// Over another file.
    SaveOver,
    /// Leaves, and lets go of what was typed.
    Discard,
}

/// Rows by their places in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectCommand {
    Toggle(u64),
    ToggleCursor,
    ExtendTo(u64),
    ExtendBy(Move),
    /// All that is listed.
    All,
    /// Every stuck lock of the list.
    AllStuck,
    None,
    Copy(CopyAs),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportCommand {
    Ask,
    PathTyped(String),
    /// Asks for the path in the desktop's own dialog.
    Browse,
    Form(ExportForm),
    Start,
    Cancel,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaletteCommand {
    Show,
    Typed(String),
    Move(i64),
    Run,
}

/// What is copied of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyAs {
    Key,
    Json,
    Curl,
    Command,
}

/// A way the cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    By(i64),
    First,
    Last,
}

impl Move {
    /// Where it leads from a place among so many rows.
    pub fn from(self, place: Option<u64>, rows: u64) -> Option<u64> {
        let last = rows.checked_sub(1)?;
        Some(match (self, place) {
            (Move::First, _) | (Move::By(_), None) => 0,
            (Move::Last, _) => last,
            (Move::By(by), Some(row)) => row.saturating_add_signed(by).min(last),
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum SettingsCommand {
    Show,
    Theme(ThemeChoice),
    Language(LanguageChoice),
    Density(Density),
    Times(Times),
    Motion(Motion),
    /// How often a store is read again, in seconds; nought for by hand.
    Live(u32),
    /// How long a production store may be changed, in minutes.
    ChangesFor(u32),
    Zoom(Zoom),
    /// In points.
    PanelWidth(f32),
    Columns(ColumnsCommand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zoom {
    In,
    Out,
    Usual,
}

/// Of the table of keys.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnsCommand {
    Ask,
    Toggle(ColumnName),
    /// In points; nothing for the usual width.
    Width(ColumnName, Option<f32>),
    /// Puts it in front of another one; at the end where there is none.
    Before {
        name: ColumnName,
        other: Option<ColumnName>,
    },
    By {
        name: ColumnName,
        by: i64,
    },
    /// As they were before anybody chose.
    Usual,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordCommand {
    /// The record under the cursor.
    Open,
    Close,
    Tab(Tab),
    CopyAddress,
    /// Of the record in the panel.
    CopyKey,
    Form(Form),
    /// Shows private parts, or masks them again.
    Reveal,
    /// Characters that fit a line of the panel.
    Width(usize),
    CopyPayload,
}
