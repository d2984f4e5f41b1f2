//! The commands that have a name and a key: one entry holds everything about each.

use super::{AppCommand, Command, ConnectCommand, KeysCommand, RecordCommand};
use crate::app::state::{Place, State};

/// A command without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    Keys,
    Filter,
    StepBack,
    OpenRecord,
    Connect,
    ReadAgain,
    FoldSideBar,
    Density,
    Times,
    CopyKey,
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
}

impl Shortcut {
    pub fn text(self) -> String {
        match self {
            Shortcut::Plain(key) => key.to_owned(),
            Shortcut::Ctrl(key) => format!("Ctrl {key}"),
        }
    }
}

impl Named {
    pub const ALL: [Named; 12] = [
        Named::Keys,
        Named::Filter,
        Named::StepBack,
        Named::OpenRecord,
        Named::Connect,
        Named::ReadAgain,
        Named::FoldSideBar,
        Named::Density,
        Named::Times,
        Named::CopyKey,
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
            Named::Filter => info("Filter", "Type into the filter", plain("/")),
            Named::StepBack => info("Back", "One step back", plain("Esc")),
            Named::OpenRecord => info("Open record", "Show the record whole", plain("Enter")),
            Named::Connect => info("Connect…", "Open another store", ctrl("O")),
            Named::ReadAgain => info("Read again", "Read the store again", plain("F5")),
            Named::FoldSideBar => info("Fold side bar", "Fold or open the side bar", ctrl("B")),
            Named::Density => info("Density", "Compact, normal or roomy rows", ctrl("D")),
            Named::Times => info("Times", "Ages, local times or UTC", plain("T")),
            Named::CopyKey => info("Copy key", "Copy the key under the cursor", plain("Y")),
            Named::KeysPage => info("All keys", "The keys of this view", plain("?")),
            Named::Quit => info("Quit", "Close the window", ctrl("Q")),
        }
    }

    pub fn command(self) -> Command {
        match self {
            Named::Keys => Command::App(AppCommand::ShowKeys),
            Named::Filter => Command::Keys(KeysCommand::FocusFilter),
            Named::StepBack => Command::App(AppCommand::StepBack),
            Named::OpenRecord => Command::Record(RecordCommand::Open),
            Named::Connect => Command::Connect(ConnectCommand::ShowPage),
            Named::ReadAgain => Command::Keys(KeysCommand::ReadAgain),
            Named::FoldSideBar => Command::App(AppCommand::FoldSideBar),
            Named::Density => Command::App(AppCommand::NextDensity),
            Named::Times => Command::App(AppCommand::NextTimes),
            Named::CopyKey => Command::Keys(KeysCommand::CopyKey),
            Named::KeysPage => Command::App(AppCommand::ShowKeysPage),
            Named::Quit => Command::App(AppCommand::Quit),
        }
    }

    pub fn is_available(self, state: &State) -> bool {
        let in_keys = state.view.place == Place::Keys;
        match self {
            Named::Keys => state.connection.store.value().is_some(),
            Named::Filter => in_keys,
            Named::OpenRecord | Named::CopyKey => in_keys && state.keys.cursor.is_some(),
            Named::ReadAgain => state.connection.store.value().is_some(),
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
