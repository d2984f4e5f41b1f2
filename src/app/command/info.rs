//! The commands that have a name and a key: one entry holds everything about each.

use super::{
    AppCommand, ColumnsCommand, Command, ConnectCommand, CopyAs, ExportCommand, FormCommand,
    KeysCommand, LayoutsCommand, LocksCommand, PaletteCommand, RecordCommand, SelectCommand,
    SettingsCommand, StoresCommand, Zoom,
};
use crate::app::state::{Place, State};

/// A command without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Keys,
    Locks,
    Layouts,
    Settings,
    SwitchSource,
    DetectAgain,
    Filter,
    StepBack,
    OpenRecord,
    Grouping,
    Lease,
    Connect,
    Stores,
    CloseStore,
    OpenConnection,
    TestConnection,
    SaveConnection,
    ReadAgain,
    FoldSideBar,
    Density,
    Times,
    Columns,
    ZoomIn,
    ZoomOut,
    ZoomUsual,
    CopyKey,
    CopyAs,
    Select,
    SelectAll,
    Export,
    Palette,
    KeysPage,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    pub label: &'static str,
    pub hint: &'static str,
    pub shortcut: Shortcut,
}

/// A key as it stands on a key cap, with what is held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shortcut {
    Plain(&'static str),
    Ctrl(&'static str),
    Shift(&'static str),
}

impl Shortcut {
    pub fn text(self) -> String {
        match self {
            Shortcut::Plain(key) => key.to_owned(),
            Shortcut::Ctrl("Plus") => "Ctrl +".to_owned(),
            Shortcut::Ctrl("Minus") => "Ctrl −".to_owned(),
            Shortcut::Ctrl(key) => format!("Ctrl {key}"),
            Shortcut::Shift(key) => format!("Shift {key}"),
        }
    }
}

impl Named {
    pub const ALL: [Named; 33] = [
        Named::Keys,
        Named::Locks,
        Named::Layouts,
        Named::Settings,
        Named::SwitchSource,
        Named::DetectAgain,
        Named::Filter,
        Named::StepBack,
        Named::OpenRecord,
        Named::Grouping,
        Named::Lease,
        Named::Connect,
        Named::Stores,
        Named::CloseStore,
        Named::OpenConnection,
        Named::TestConnection,
        Named::SaveConnection,
        Named::ReadAgain,
        Named::FoldSideBar,
        Named::Density,
        Named::Times,
        Named::Columns,
        Named::ZoomIn,
        Named::ZoomOut,
        Named::ZoomUsual,
        Named::CopyKey,
        Named::CopyAs,
        Named::Select,
        Named::SelectAll,
        Named::Export,
        Named::Palette,
        Named::KeysPage,
        Named::Quit,
    ];

    pub fn info(self) -> Info {
        let info = |label, hint, shortcut| Info {
            label,
            hint,
            shortcut,
        };
        let (plain, ctrl) = (Shortcut::Plain, Shortcut::Ctrl);
        match self {
            Named::Keys => info("Keys", "All records of the store", plain("1")),
            Named::Locks => info("Locks", "What holds a lock, and what is stuck", plain("2")),
            Named::Layouts => info("Layouts", "What was found here, and why", plain("7")),
            Named::Settings => info("Settings", "How the window looks and reads", plain("8")),
            Named::Columns => info("Columns…", "Which columns are shown", Shortcut::Shift("C")),
            Named::ZoomIn => info("Zoom in", "Everything larger", ctrl("Plus")),
            Named::ZoomOut => info("Zoom out", "Everything smaller", ctrl("Minus")),
            Named::ZoomUsual => info("Usual size", "Everything as large as usual", ctrl("0")),
            Named::SwitchSource => info("Read or leave out", "Switch the source", plain("S")),
            Named::DetectAgain => info("Detect again", "Look for sources again", plain("D")),
            Named::Grouping => info("Grouping", "By operation, by source or flat", plain("G")),
            Named::Lease => info(
                "Lease that counts…",
                "When a lock counts as stuck",
                plain("L"),
            ),
            Named::Filter => info("Filter", "Type into the filter", plain("/")),
            Named::StepBack => info("Back", "One step back", plain("Esc")),
            Named::OpenRecord => info("Open record", "Show the record whole", plain("Enter")),
            Named::Connect => info("Connect…", "Open another store", ctrl("O")),
            Named::Stores => info("Stores…", "Change over to another store", ctrl("L")),
            Named::CloseStore => info("Close store", "Close the store that is shown", ctrl("W")),
            Named::OpenConnection => info("Open", "Open what is filled in", ctrl("Enter")),
            Named::TestConnection => info("Test", "Look what would be found", ctrl("T")),
            Named::SaveConnection => info("Save", "Keep the connection", ctrl("S")),
            Named::ReadAgain => info("Read again", "Read the store again", plain("F5")),
            Named::FoldSideBar => info("Fold side bar", "Fold or open the side bar", ctrl("B")),
            Named::Density => info("Density", "Compact, normal or roomy rows", ctrl("D")),
            Named::Times => info("Times", "Ages, local times or UTC", plain("T")),
            Named::CopyKey => info(
                "Copy keys",
                "Copy what is selected, else the key here",
                plain("Y"),
            ),
            Named::CopyAs => info(
                "Copy as…",
                "As JSON, curl or a store command",
                Shortcut::Shift("Y"),
            ),
            Named::Select => info("Select", "Select the row, or let it go", plain("Space")),
            Named::Export => info("Export…", "Write what is listed into a file", plain("E")),
            Named::Palette => info("Search or run…", "Every command", ctrl("K")),
            Named::SelectAll => info("Select all", "Select all that is listed", ctrl("A")),
            Named::KeysPage => info("All keys", "The keys of this view", plain("?")),
            Named::Quit => info("Quit", "Close the window", ctrl("Q")),
        }
    }

    pub fn command(self) -> Command {
        let form = |command| Command::Connect(ConnectCommand::Form(command));
        match self {
            Named::Keys => Command::App(AppCommand::ShowKeys),
            Named::Locks => Command::Locks(LocksCommand::Show),
            Named::Layouts => Command::Layouts(LayoutsCommand::Show),
            Named::Settings => Command::Settings(SettingsCommand::Show),
            Named::Columns => Command::Settings(SettingsCommand::Columns(ColumnsCommand::Ask)),
            Named::ZoomIn => Command::Settings(SettingsCommand::Zoom(Zoom::In)),
            Named::ZoomOut => Command::Settings(SettingsCommand::Zoom(Zoom::Out)),
            Named::ZoomUsual => Command::Settings(SettingsCommand::Zoom(Zoom::Usual)),
            Named::SwitchSource => Command::Layouts(LayoutsCommand::Switch),
            Named::DetectAgain => Command::Connect(ConnectCommand::LookAgain),
            Named::Grouping => Command::Locks(LocksCommand::NextGrouping),
            Named::Lease => Command::Locks(LocksCommand::AskLease),
            Named::Filter => Command::Keys(KeysCommand::FocusFilter),
            Named::StepBack => Command::App(AppCommand::StepBack),
            Named::OpenRecord => Command::Record(RecordCommand::Open),
            Named::Connect => Command::Connect(ConnectCommand::ShowPage),
            Named::Stores => Command::Stores(StoresCommand::ShowMenu),
            Named::CloseStore => Command::Stores(StoresCommand::CloseCurrent),
            Named::OpenConnection => Command::Connect(ConnectCommand::Open),
            Named::TestConnection => form(FormCommand::Test),
            Named::SaveConnection => form(FormCommand::Save),
            Named::ReadAgain => Command::Keys(KeysCommand::ReadAgain),
            Named::FoldSideBar => Command::App(AppCommand::FoldSideBar),
            Named::Density => Command::App(AppCommand::NextDensity),
            Named::Times => Command::App(AppCommand::NextTimes),
            Named::CopyKey => Command::Select(SelectCommand::Copy(CopyAs::Key)),
            Named::CopyAs => Command::App(AppCommand::ShowCopyAs),
            Named::Select => Command::Select(SelectCommand::ToggleCursor),
            Named::Export => Command::Export(ExportCommand::Ask),
            Named::Palette => Command::Palette(PaletteCommand::Show),
            Named::SelectAll => Command::Select(SelectCommand::All),
            Named::KeysPage => Command::App(AppCommand::ShowKeysPage),
            Named::Quit => Command::App(AppCommand::Quit),
        }
    }

    pub fn is_available(self, state: &State) -> bool {
        let place = state.view.place;
        let in_keys = place == Place::Keys;
        let in_locks = place == Place::Locks;
        match self {
            Named::Grouping => in_locks,
            Named::Lease => in_locks && state.keys.snapshot.is_some(),
            Named::SwitchSource | Named::DetectAgain => place == Place::Layouts,
            Named::Keys | Named::Locks | Named::Layouts => state.connection.store.value().is_some(),
            Named::Filter => in_keys || in_locks,
            Named::Columns => in_keys || place == Place::Settings,
            Named::OpenRecord
            | Named::CopyKey
            | Named::CopyAs
            | Named::Select
            | Named::SelectAll
            | Named::Export => crate::app::view::cursor_row(state).is_some(),
            Named::ReadAgain | Named::CloseStore => state.connection.store.value().is_some(),
            Named::OpenConnection | Named::TestConnection | Named::SaveConnection => {
                place == Place::Connect
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_two_commands_have_one_key() {
        let mut keys = HashMap::new();
        for named in Named::ALL {
            let clash = keys.insert(named.info().shortcut, named);
            assert_eq!(clash, None, "{named:?}");
        }
    }
}
