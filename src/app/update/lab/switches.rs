//! What is chosen for a column before it runs again.

use crate::app::command::SwitchesCommand;
use crate::app::effect::Effect;
use crate::app::state::{Over, State, SwitchForm};

pub fn command(state: &mut State, command: SwitchesCommand) -> Vec<Effect> {
    let lab = &mut state.lab;
    match command {
        SwitchesCommand::Open(at) => {
            // The keyboard names the first; what is shown may be the other.
            let shown = lab.shown_sides();
            let at = if shown.contains(&at) {
                Some(at)
            } else {
                shown.first().copied()
            };
            let Some((at, side)) = at.and_then(|at| Some((at, lab.sides.get(at)?))) else {
                return Vec::new();
            };
            lab.form = Some(SwitchForm {
                side: at,
                pick: side.pick,
                switches: side.variant.switches.clone(),
            });
            state.view.over = Some(Over::LabSwitches);
        }
        SwitchesCommand::Pick(pick) => {
            let known = pick.of(&lab.scenarios);
            let switches = known.map(|(_, variant)| variant.switches.clone());
            if let (Some(form), Some(switches)) = (&mut lab.form, switches) {
                form.pick = pick;
                form.switches = switches;
            }
        }
        SwitchesCommand::Preset(at) => {
            let switches = lab.presets.get(at).map(|preset| preset.switches.clone());
            if let (Some(form), Some(switches)) = (&mut lab.form, switches) {
                form.switches = switches;
            }
        }
        SwitchesCommand::Set { switch, position } => {
            if let Some(form) = &mut lab.form
                && let Some(switches) = form.switches.with(switch, &position)
            {
                form.switches = switches;
            }
        }
        SwitchesCommand::Reset => {
            let pick = lab.form.as_ref().map(|form| form.pick);
            if let Some(pick) = pick {
                return self::command(state, SwitchesCommand::Pick(pick));
            }
        }
        SwitchesCommand::Run => return run(state),
    }
    Vec::new()
}

fn run(state: &mut State) -> Vec<Effect> {
    let lab = &mut state.lab;
    let Some(form) = lab.form.take() else {
        return Vec::new();
    };
    let known = form
        .pick
        .of(&lab.scenarios)
        .map(|(_, variant)| variant.clone());
    if let (Some(side), Some(mut variant)) = (lab.sides.get_mut(form.side), known) {
        // What must come of it is only known of the scenario as it stands.
        if variant.switches != form.switches {
            variant.expected.clear();
        }
        variant.switches = form.switches;
        side.pick = form.pick;
        side.variant = variant;
    }
    state.view.over = None;
    super::run(state)
}
