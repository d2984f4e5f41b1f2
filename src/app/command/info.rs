//! The commands that have a name and a key: one entry holds everything about each.

use super::{
    AppCommand, ChangesCommand, ColumnsCommand, Command, ConnectCommand, CopyAs, EditorCommand,
    ExportCommand, FormCommand, FreeCommand, JournalCommand, KeysCommand, LabCommand,
    LabSaveCommand, LayoutsCommand, LocksCommand, Meant, PaletteCommand, RecordCommand,
    RepairCommand, SelectCommand, SettingsCommand, StatsCommand, StatsExportCommand, StatsForm,
    StoresCommand, SwitchesCommand, Zoom,
};
use crate::app::state::{Place, State, Tab};
use crate::domain::change::Verb;
use crate::present::say;

/// One entry a command: its key, the name of its words (those with `-hint` say what it does), and
/// what is asked for.
macro_rules! commands {
    ($($named:ident, $shortcut:expr, $words:literal, $command:expr;)+) => {
        /// A command without arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Named {
            $($named,)+
        }

        impl Named {
            pub const ALL: &[Named] = &[$(Named::$named,)+];

            pub fn shortcut(self) -> Shortcut {
                use Shortcut::{Alt, Ctrl, Plain, Shift};
                match self {
                    $(Named::$named => $shortcut,)+
                }
            }

            /// In the language of this thread.
            pub fn info(self) -> Info {
                let (label, hint) = match self {
                    $(Named::$named => ($words, concat!($words, "-hint")),)+
                };
                Info {
                    label: say::text(label, &[]),
                    hint: say::text(hint, &[]),
                    shortcut: self.shortcut(),
                }
            }

            pub fn command(self) -> Command {
                match self {
                    $(Named::$named => $command,)+
                }
            }
        }
    };
}

commands! {
    Keys, Plain("1"), "command-keys", Command::App(AppCommand::ShowKeys);
    Locks, Plain("2"), "command-locks", Command::Locks(LocksCommand::Show);
    Stats, Plain("3"), "command-stats", Command::Stats(StatsCommand::Show);
    Lab, Plain("4"), "command-lab", Command::Lab(LabCommand::Show);
    Journal, Plain("6"), "command-journal", Command::Journal(JournalCommand::Show);
    Layouts, Plain("7"), "command-layouts", Command::Layouts(LayoutsCommand::Show);
    Settings, Plain("8"), "command-settings", Command::Settings(SettingsCommand::Show);
    SwitchSource, Plain("S"), "command-switch-source", Command::Layouts(LayoutsCommand::Switch);
    DetectAgain, Plain("D"), "command-detect-again", Command::Connect(ConnectCommand::LookAgain);
    NewLayout, Plain("N"), "command-new-layout", Command::Editor(EditorCommand::New);
    EditLayout, Plain("E"), "command-edit-layout", Command::Editor(EditorCommand::EditChosen);
    SaveLayout, Ctrl("S"), "command-save-layout", Command::Editor(EditorCommand::Save);
    Filter, Plain("/"), "command-filter", Command::Keys(KeysCommand::FocusFilter);
    StepBack, Plain("Esc"), "command-step-back", Command::App(AppCommand::StepBack);
    GoBack, Alt("ArrowLeft"), "command-go-back", Command::App(AppCommand::GoBack);
    GoForward, Alt("ArrowRight"), "command-go-forward", Command::App(AppCommand::GoForward);
    OpenRecord, Plain("Enter"), "command-open-record", Command::Record(RecordCommand::Open);
    Grouping, Plain("G"), "command-grouping", Command::Locks(LocksCommand::NextGrouping);
    Lease, Plain("L"), "command-lease", Command::Locks(LocksCommand::AskLease);
    Connect, Ctrl("O"), "command-connect", Command::Connect(ConnectCommand::ShowPage);
    Stores, Ctrl("L"), "command-stores", Command::Stores(StoresCommand::ShowMenu);
    CloseStore, Ctrl("W"), "command-close-store", Command::Stores(StoresCommand::CloseCurrent);
    OpenConnection, Ctrl("Enter"), "command-open-connection", Command::Connect(ConnectCommand::Open);
    TestConnection, Ctrl("T"), "command-test-connection", Command::Connect(ConnectCommand::Form(FormCommand::Test));
    SaveConnection, Ctrl("S"), "command-save-connection", Command::Connect(ConnectCommand::Form(FormCommand::Save));
    ReadAgain, Plain("F5"), "command-read-again", Command::Keys(KeysCommand::ReadAgain);
    FoldSideBar, Ctrl("B"), "command-fold-side-bar", Command::App(AppCommand::FoldSideBar);
    Density, Ctrl("D"), "command-density", Command::App(AppCommand::NextDensity);
    Times, Plain("T"), "command-times", Command::App(AppCommand::NextTimes);
    Columns, Shift("C"), "command-columns", Command::Settings(SettingsCommand::Columns(ColumnsCommand::Ask));
    ZoomIn, Ctrl("Plus"), "command-zoom-in", Command::Settings(SettingsCommand::Zoom(Zoom::In));
    ZoomOut, Ctrl("Minus"), "command-zoom-out", Command::Settings(SettingsCommand::Zoom(Zoom::Out));
    ZoomUsual, Ctrl("0"), "command-zoom-usual", Command::Settings(SettingsCommand::Zoom(Zoom::Usual));
    CopyKey, Plain("Y"), "command-copy-key", Command::Select(SelectCommand::Copy(CopyAs::Key));
    CopyAs, Shift("Y"), "command-copy-as", Command::App(AppCommand::ShowCopyAs);
    Select, Plain("Space"), "command-select", Command::Select(SelectCommand::ToggleCursor);
    AllStuck, Plain("A"), "command-all-stuck", Command::Select(SelectCommand::AllStuck);
    SelectAll, Ctrl("A"), "command-select-all", Command::Select(SelectCommand::All);
    LabPlay, Plain("Space"), "command-lab-play", Command::Lab(LabCommand::PlayPause);
    LabRun, Plain("R"), "command-lab-run", Command::Lab(LabCommand::Run);
    LabStart, Plain("Home"), "command-lab-start", Command::Lab(LabCommand::Start);
    LabSides, Plain("V"), "command-lab-sides", Command::Lab(LabCommand::NextSides);
    LabSlower, Plain("OpenBracket"), "command-lab-slower", Command::Lab(LabCommand::SpeedBy(-1));
    LabFaster, Plain("CloseBracket"), "command-lab-faster", Command::Lab(LabCommand::SpeedBy(1));
    LabSwitches, Plain("S"), "command-lab-switches", Command::Lab(LabCommand::Switches(SwitchesCommand::Open(0)));
    LabOtherSwitches, Shift("S"), "command-lab-other-switches", Command::Lab(LabCommand::Switches(SwitchesCommand::Open(1)));
    LabSave, Plain("E"), "command-lab-save", Command::Lab(LabCommand::Save(LabSaveCommand::Ask));
    LabStop, Shift("R"), "command-lab-stop", Command::Lab(LabCommand::StopRun);
    LabFreeStop, Shift("F"), "command-lab-free-stop", Command::Lab(LabCommand::Free(FreeCommand::Stop));
    LabFree, Plain("F"), "command-lab-free", Command::Lab(LabCommand::Free(FreeCommand::Show));
    LabProjector, Plain("P"), "command-lab-projector", Command::Lab(LabCommand::Projector);
    Release, Plain("R"), "command-release", Command::Repair(RepairCommand::Ask(Verb::Release, Meant::Selected));
    Settle, Plain("S"), "command-settle", Command::Repair(RepairCommand::Ask(Verb::Settle, Meant::Selected));
    Purge, Plain("X"), "command-purge", Command::Repair(RepairCommand::Ask(Verb::Purge, Meant::Selected));
    Changes, Ctrl("E"), "command-changes", Command::Changes(ChangesCommand::Toggle);
    ShowRepair, Ctrl("R"), "command-show-repair", Command::Repair(RepairCommand::Show);
    Undo, Plain("U"), "command-undo", Command::Journal(JournalCommand::UndoChosen);
    Export, Plain("E"), "command-export", Command::Export(ExportCommand::Ask);
    StatsKeys, Plain("O"), "command-stats-keys", Command::Stats(StatsCommand::OpenFirst);
    StatsBy, Plain("G"), "command-stats-by", Command::Stats(StatsCommand::NextBy);
    StatsExport, Plain("E"), "command-stats-export", Command::Stats(StatsCommand::Export(StatsExportCommand::Ask(StatsForm::Picture)));
    StatsExportCsv, Shift("E"), "command-stats-export-csv", Command::Stats(StatsCommand::Export(StatsExportCommand::Ask(StatsForm::Csv)));
    StatsExportJson, Shift("J"), "command-stats-export-json", Command::Stats(StatsCommand::Export(StatsExportCommand::Ask(StatsForm::Json)));
    Reveal, Plain("M"), "command-reveal", Command::Record(RecordCommand::Reveal);
    Palette, Ctrl("K"), "command-palette", Command::Palette(PaletteCommand::Show);
    KeysPage, Plain("?"), "command-keys-page", Command::App(AppCommand::ShowKeysPage);
    Quit, Ctrl("Q"), "command-quit", Command::App(AppCommand::Quit);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    pub label: String,
    pub hint: String,
    pub shortcut: Shortcut,
}

/// A key as it stands on a key cap, with what is held down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shortcut {
    Plain(&'static str),
    Ctrl(&'static str),
    Shift(&'static str),
    Alt(&'static str),
}

impl Shortcut {
    pub fn text(self) -> String {
        match self {
            Shortcut::Plain("OpenBracket") => "[".to_owned(),
            Shortcut::Plain("CloseBracket") => "]".to_owned(),
            Shortcut::Plain(key) => key.to_owned(),
            Shortcut::Ctrl("Plus") => "Ctrl +".to_owned(),
            Shortcut::Ctrl("Minus") => "Ctrl −".to_owned(),
            Shortcut::Ctrl(key) => format!("Ctrl {key}"),
            Shortcut::Shift(key) => format!("Shift {key}"),
            Shortcut::Alt("ArrowLeft") => "Alt ←".to_owned(),
            Shortcut::Alt("ArrowRight") => "Alt →".to_owned(),
            Shortcut::Alt(key) => format!("Alt {key}"),
        }
    }
}

impl Named {
    pub fn is_available(self, state: &State) -> bool {
        let place = state.view.place;
        let in_keys = place == Place::Keys;
        let in_locks = place == Place::Locks;
        match self {
            Named::Grouping | Named::AllStuck => in_locks,
            Named::Lease => in_locks && state.keys.snapshot.is_some(),
            Named::SwitchSource | Named::DetectAgain => place == Place::Layouts,
            Named::NewLayout => {
                let opened = state.connection.store.value();
                let nothing_here = opened.is_some_and(|opened| opened.sources.is_empty());
                place == Place::Layouts || (in_keys && nothing_here)
            }
            Named::EditLayout => {
                let has_source = crate::app::view::chosen_source(state).is_some();
                place == Place::Editor || (place == Place::Layouts && has_source)
            }
            Named::SaveLayout => place == Place::Editor,
            Named::LabPlay
            | Named::LabRun
            | Named::LabStart
            | Named::LabSides
            | Named::LabSlower
            | Named::LabFaster
            | Named::LabSwitches
            | Named::LabOtherSwitches
            | Named::LabSave
            | Named::LabFree
            | Named::LabProjector
            | Named::LabFreeStop
            | Named::LabStop => self.is_available_of_lab(state),
            Named::Release | Named::Settle | Named::Purge => {
                (in_keys || in_locks) && crate::app::view::cursor_row(state).is_some()
            }
            Named::StatsKeys
            | Named::StatsBy
            | Named::StatsExport
            | Named::StatsExportCsv
            | Named::StatsExportJson => place == Place::Stats && state.stats.told.value().is_some(),
            Named::Changes => state.connection.store.value().is_some(),
            Named::ShowRepair => state.repair.job.is_some(),
            Named::Undo => {
                let is_there = state.journal.chosen().is_some();
                place == Place::Journal
                    && is_there
                    && crate::app::view::why_not_undo(state).is_none()
            }
            Named::Keys | Named::Locks | Named::Stats | Named::Layouts => {
                state.connection.store.value().is_some()
            }
            Named::Filter => in_keys || in_locks,
            Named::Columns => in_keys || place == Place::Settings,
            Named::OpenRecord
            | Named::CopyKey
            | Named::CopyAs
            | Named::Select
            | Named::SelectAll
            | Named::Export => crate::app::view::cursor_row(state).is_some(),
            Named::Reveal => {
                let shows = matches!(state.record.tab, Tab::Response | Tab::Raw);
                state.record.open.is_some() && shows
            }
            Named::ReadAgain | Named::CloseStore => state.connection.store.value().is_some(),
            Named::OpenConnection | Named::TestConnection | Named::SaveConnection => {
                place == Place::Connect
            }
            _ => true,
        }
    }

    fn is_available_of_lab(self, state: &State) -> bool {
        match self {
            Named::LabPlay => state.view.place == Place::Lab,
            Named::LabRun
            | Named::LabSlower
            | Named::LabFaster
            | Named::LabSwitches
            | Named::LabProjector => state.shows_scenario(),
            Named::LabStart => state.shows_scenario() && state.lab.has_story(),
            Named::LabSides | Named::LabOtherSwitches => {
                state.shows_scenario() && state.lab.sides.len() > 1
            }
            Named::LabSave => state.shows_scenario() && state.lab.has_outcome(),
            // There is nothing of it to be seen from afar.
            Named::LabFree => state.shows_scenario() && state.projector().is_none(),
            // What runs unseen can be stopped from anywhere.
            Named::LabFreeStop => state.lab.free.is_at_work(),
            Named::LabStop => state.lab.is_under_way(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_two_commands_have_one_key() {
        // Never to be had in one view.
        let apart = [
            (Named::Export, Named::EditLayout),
            (Named::SaveLayout, Named::SaveConnection),
            (Named::Settle, Named::SwitchSource),
            (Named::Select, Named::LabPlay),
            (Named::Release, Named::LabRun),
            (Named::LabSwitches, Named::SwitchSource),
            (Named::Settle, Named::LabSwitches),
            (Named::LabSave, Named::EditLayout),
            (Named::Export, Named::LabSave),
            (Named::Grouping, Named::StatsBy),
            (Named::Export, Named::StatsExport),
            (Named::LabSave, Named::StatsExport),
            (Named::EditLayout, Named::StatsExport),
        ];
        let mut keys = HashMap::new();
        for named in Named::ALL {
            let Some(clash) = keys.insert(named.shortcut(), *named) else {
                continue;
            };
            let is_apart = apart.contains(&(*named, clash)) || apart.contains(&(clash, *named));
            assert!(is_apart, "{named:?} and {clash:?}");
        }
    }
}
