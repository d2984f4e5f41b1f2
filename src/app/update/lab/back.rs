//! Leaving what is open in the lab, one thing at a time, before the lab itself is left.
//!
//! Apart from `lab` because it undoes what each of its commands has begun.

use std::sync::Arc;

use crate::app::effect::Effect;
use crate::app::state::{ShownSides, SidePhase, State};

/// What `Esc` leaves within the lab, one thing at a time; nothing where all of it is left.
pub fn step_back(state: &mut State) -> Option<Vec<Effect>> {
    if state.lab.free.is_at_work() {
        return Some(super::free::stop(state));
    }
    if state.lab.free.is_shown {
        state.lab.free.is_shown = false;
        return Some(Vec::new());
    }
    if state.lab.is_under_way() {
        return Some(stop_run(state));
    }
    let lab = &mut state.lab;
    let seen = lab.shown_sides();
    let chosen = std::mem::take(&mut lab.shown);
    let is_other = chosen != ShownSides::Both && seen != lab.shown_sides();
    is_other.then(Vec::new)
}

/// What is under way comes to nothing: the columns are as if they had not been run.
pub fn stop_run(state: &mut State) -> Vec<Effect> {
    let effects = super::stop(state);
    if effects.is_empty() {
        return effects;
    }
    let lab = &mut state.lab;
    for side in &mut lab.sides {
        side.phase = SidePhase::Idle;
        super::clear(side, &lab.scenarios);
    }
    lab.axis = Arc::default();
    lab.cursor.at = 0.0;
    lab.cursor.is_playing = false;
    effects
}
