//! What is chosen for a column before it runs again.

use std::collections::BTreeMap;

use crate::app::command::SwitchesCommand;
use crate::app::effect::Effect;
use crate::app::state::{Over, State, SwitchForm};
use crate::lab::switches::table::Time;

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
                typed: BTreeMap::new(),
            });
            state.view.over = Some(Over::LabSwitches);
        }
        SwitchesCommand::Pick(pick) => {
            let known = pick.of(&lab.scenarios);
            let switches = known.map(|(_, variant)| variant.switches.clone());
            if let (Some(form), Some(switches)) = (&mut lab.form, switches) {
                form.pick = pick;
                form.switches = switches;
                form.typed.clear();
            }
        }
        SwitchesCommand::Preset(at) => {
            let switches = lab.presets.get(at).map(|preset| preset.switches.clone());
            if let (Some(form), Some(switches)) = (&mut lab.form, switches) {
                form.switches = switches;
                form.typed.clear();
            }
        }
        SwitchesCommand::TimeTyped { time, text } => {
            if let Some(form) = &mut lab.form {
                time_typed(form, &time, text);
            }
        }
        SwitchesCommand::TimeBy { time, by } => {
            if let Some(form) = &mut lab.form {
                time_by(form, &time, by);
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

/// What was typed stays as it is; it counts where it is a time within its bounds.
fn time_typed(form: &mut SwitchForm, time: &Time, text: String) {
    if let Some(switches) = form.taking(time, &text) {
        form.switches = switches;
    }
    form.typed.insert(time.id, text);
}

fn time_by(form: &mut SwitchForm, time: &Time, by: i64) {
    let stands = form.switches.millis(time.id);
    let other = stands.and_then(|ms| form.switches.with_millis(time, time.step(ms, by)));
    if let Some(switches) = other {
        form.switches = switches;
        form.typed.remove(time.id);
    }
}

fn run(state: &mut State) -> Vec<Effect> {
    let lab = &mut state.lab;
    let Some(form) = lab.form.take_if(|form| form.is_good()) else {
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
