//! What lies over the window: one thing at a time, by what the state says.
//!
//! Apart from `window` because dialogs come and go more often than the parts of the frame.

use egui::{Pos2, Ui};

use super::commands::Commands;
use super::panels::columns::columns_ui;
use super::panels::copy_as::copy_as_ui;
use super::panels::editor::{leave_ui, overwrite_ui};
use super::panels::export::export_ui;
use super::panels::keys_page::keys_page_ui;
use super::panels::lab::{save_ui, switches_ui};
use super::panels::locks::lease::lease_ui;
use super::panels::palette::palette_ui;
use super::panels::repair::{RepairMemory, repair_ui, stop_run_ui, turn_on_ui};
use super::panels::stats;
use super::panels::stores_menu::stores_menu_ui;
use super::theme::Theme;
use crate::app::State;
use crate::app::state::Over;

/// What lies over the window.
pub fn over_ui(
    ui: &mut Ui,
    theme: &Theme,
    under_name: Pos2,
    state: &State,
    repair: &mut RepairMemory,
    send: &Commands,
) {
    if state.view.over != Some(Over::Repair) {
        *repair = RepairMemory::default();
    }
    match state.view.over {
        Some(Over::KeysPage) => keys_page_ui(ui, theme, state, send),
        Some(Over::Columns) => columns_ui(ui, theme, state, send),
        Some(Over::Export) => export_ui(ui, theme, state, send),
        Some(Over::Palette) => palette_ui(ui, theme, state, send),
        Some(Over::Stores) => stores_menu_ui(ui, theme, under_name, state, send),
        Some(Over::CopyAs) => copy_as_ui(ui, theme, state, send),
        Some(Over::LeaveEditor) => leave_ui(ui, theme, send),
        Some(Over::OverwriteLayout) => overwrite_ui(ui, theme, state, send),
        Some(Over::Repair) => repair_ui(ui, theme, state, repair, send),
        Some(Over::TurnChangesOn) => turn_on_ui(ui, theme, state, send),
        Some(Over::StopRun) => stop_run_ui(ui, theme, send),
        Some(Over::LabSwitches) => switches_ui(ui, theme, state, send),
        Some(Over::LabSave) => save_ui(ui, theme, state, send),
        Some(Over::StatsSave) => stats::save_ui(ui, theme, state, send),
        Some(Over::Lease) => lease_ui(ui, theme, state, send),
        None => {}
    }
}
