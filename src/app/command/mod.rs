//! What a person can ask for.

mod info;

pub use info::{Info, Named, Shortcut};

use super::state::Tab;
use crate::inspect::SortField;
use crate::present::words::Standing;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    App(AppCommand),
    Connect(ConnectCommand),
    Keys(KeysCommand),
    Record(RecordCommand),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AppCommand {
    ShowKeys,
    /// One thing at a time: filter, panel, page.
    StepBack,
    FoldSideBar,
    ShowKeysPage,
    NextDensity,
    NextTimes,
    OtherTheme,
    DismissNotice(u64),
    Quit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectCommand {
    ShowPage,
    Typed(String),
    /// Opens what was typed.
    Open,
    OpenDemo,
    /// Tries a lost store at once.
    TryNow,
    /// Looks for sources again.
    LookAgain,
}

#[derive(Clone, Debug, PartialEq)]
pub enum KeysCommand {
    FocusFilter,
    FilterTyped(String),
    ClearFilter,
    DropLastTerm,
    Chip(Option<Standing>),
    SortBy(SortField),
    Move(Move),
    PointAt(u64),
    ReadAgain,
    StopScan,
    CopyKey,
}

/// A way the cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    By(i64),
    First,
    Last,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordCommand {
    /// The record under the cursor.
    Open,
    Close,
    Tab(Tab),
    CopyAddress,
}
