//! Pictures of the lab: two runs in the middle, the projector, and a saved diagram's twin.

use egui::Ui;

use super::check;
use crate::app::state::Theme as Kind;
use crate::app::tests::lab;
use crate::ui::commands::Commands;
use crate::ui::panels::lab::{LabMemory, lab_ui, projector_ui};
use crate::ui::theme::Theme;

#[test]
fn two_runs_in_the_middle() {
    let state = lab(Some(2_330.0));
    check("lab", [1160, 640], |ui: &mut Ui, theme: &Theme, rect| {
        let mut memory = LabMemory::default();
        lab_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_projector_at_the_end() {
    let mut state = lab(None);
    state.lab.projector = Some(Kind::Light);
    check(
        "projector",
        [960, 540],
        |ui: &mut Ui, theme: &Theme, rect| {
            let mut memory = LabMemory::default();
            projector_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
        },
    );
}
