//! Lab area: which scenario is looked at, its runs, where the time cursor stands.

mod back;
mod cursor;
mod free;
mod save;
mod switches;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::app::command::{FreeCommand, LabCommand, LabSaveCommand, Move, SwitchesCommand};
use crate::app::effect::{Effect, LabEffect, LabJob};
use crate::app::event::LabEvent;
use crate::app::state::{
    Cursor, HOUSE, Lab, LabStore, Place, Room, ShownSides, Side, SidePhase, State, StoreId, Theme,
};
use crate::lab::pairs::{self, Pick};
use crate::lab::presets::presets;
use crate::lab::scenario::{self, Scenario, Variant};
use crate::lab::trace::{Axis, Moment, Trace};

pub use back::step_back;
pub use cursor::tick;

/// So many seeds can be gone through.
const SEEDS: u64 = 99;

pub fn command(state: &mut State, command: LabCommand) -> Vec<Effect> {
    let here = state.clock.here;
    // What is not shown is not played either.
    if state.lab.free.is_shown && is_of_scenario(&command) {
        return Vec::new();
    }
    match command {
        LabCommand::Show => return show(state),
        LabCommand::Move(step) => return move_by(state, step),
        LabCommand::PointAt(at) => return point_at(state, at),
        LabCommand::ShowId(id) => {
            let mut effects = show(state);
            let mut all = state.lab.scenarios.iter();
            if let Some(at) = all.position(|scenario| scenario.id.eq_ignore_ascii_case(&id)) {
                effects.extend(point_at(state, at));
            }
            return effects;
        }
        LabCommand::Run => return run(state),
        LabCommand::StopRun => return back::stop_run(state),
        LabCommand::PlayPause if state.lab.free.is_shown => {
            return free::command(state, FreeCommand::Toggle);
        }
        LabCommand::PlayPause => {
            let is_new = |side: &Side| matches!(side.phase, SidePhase::Idle);
            if state.lab.sides.iter().all(is_new) {
                return run(state);
            }
            cursor::play_pause(&mut state.lab, here);
        }
        LabCommand::Step(by) => cursor::step(&mut state.lab, by, here),
        LabCommand::Start => cursor::seek(&mut state.lab, 0.0, here),
        LabCommand::Seek(at) => cursor::seek(&mut state.lab, at, here),
        LabCommand::Speed(speed) => state.lab.cursor.speed = speed,
        LabCommand::SpeedBy(by) => cursor::speed_by(&mut state.lab, by),
        LabCommand::NextSides => next_sides(&mut state.lab),
        LabCommand::Room(room) => state.lab.room = room,
        LabCommand::Projector => {
            let lab = &mut state.lab;
            lab.projector = match lab.projector {
                Some(_) => None,
                None => Some(Theme::Light),
            };
        }
        LabCommand::Store(place) => {
            if place == LabStore::Own || why_not_open(state).is_none() {
                state.lab.place = place;
            }
        }
        LabCommand::NextSeed => state.lab.other_seeds = (state.lab.other_seeds + 1) % SEEDS,
        LabCommand::Switches(command) => return switches::command(state, command),
        LabCommand::Save(command) => return save::command(state, command),
        LabCommand::Free(command) => return free::command(state, command),
    }
    Vec::new()
}

fn show(state: &mut State) -> Vec<Effect> {
    state.view.place = Place::Lab;
    if state.lab.scenarios.is_empty() {
        match scenario::all() {
            Ok(all) => state.lab.scenarios = all.into(),
            Err(why) => state.lab.trouble = Some(why),
        }
        match presets() {
            Ok(presets) => state.lab.presets = presets.into(),
            Err(why) => state.lab.trouble = Some(why),
        }
        // The first that has a pair worth comparing.
        let chosen = state
            .lab
            .scenarios
            .iter()
            .position(|scenario| scenario.id == "S02");
        lay_out(&mut state.lab, chosen.unwrap_or_default());
    }
    Vec::new()
}

/// Whether a command is about the scenario's runs, which free play covers.
fn is_of_scenario(command: &LabCommand) -> bool {
    matches!(
        command,
        LabCommand::Run
            | LabCommand::Step(_)
            | LabCommand::Start
            | LabCommand::Seek(_)
            | LabCommand::NextSides
            | LabCommand::Projector
            | LabCommand::Switches(SwitchesCommand::Open(_))
            | LabCommand::Save(LabSaveCommand::Ask)
    )
}

fn move_by(state: &mut State, step: Move) -> Vec<Effect> {
    // Free play stands behind the last scenario, but is nothing to be seen from afar.
    let count = state.lab.scenarios.len() as u64;
    let places = count + u64::from(state.lab.projector.is_none());
    let here = match state.lab.free.is_shown {
        true => count,
        false => state.lab.chosen as u64,
    };
    match step.from(Some(here), places) {
        Some(at) => point_at(state, at as usize),
        None => Vec::new(),
    }
}

fn point_at(state: &mut State, at: usize) -> Vec<Effect> {
    if at == state.lab.scenarios.len() {
        return free::command(state, FreeCommand::Show);
    }
    state.lab.free.is_shown = false;
    let mut effects = free::stop(state);
    if at == state.lab.chosen || at > state.lab.scenarios.len() {
        return effects;
    }
    effects.extend(stop(state));
    lay_out(&mut state.lab, at);
    effects
}

/// The usual pair of a scenario, not run yet.
fn lay_out(lab: &mut Lab, chosen: usize) {
    lab.chosen = chosen;
    lab.reveal += 1;
    lab.shown = ShownSides::Both;
    let picks = pairs::usual(&lab.scenarios, chosen);
    lab.sides = picks
        .into_iter()
        .filter_map(|pick| side(lab, pick))
        .collect();
    lab.axis = Arc::default();
    let speed = lab.cursor.speed;
    lab.cursor = Cursor {
        speed,
        ..Cursor::default()
    };
}

fn side(lab: &Lab, pick: Pick) -> Option<Side> {
    let (scenario, variant) = pick.of(&lab.scenarios)?;
    Some(Side {
        pick,
        variant: variant.clone(),
        phase: SidePhase::default(),
        trace: unwritten(scenario, variant),
        moment: Moment::default(),
        began_at: None,
    })
}

/// A story of which nothing has happened yet, but what it is about is known.
fn unwritten(scenario: &Scenario, variant: &Variant) -> Arc<Trace> {
    Arc::new(Trace {
        about: scenario.about(variant),
        ..Trace::default()
    })
}

/// As if it had not been run.
fn clear(side: &mut Side, scenarios: &[Scenario]) {
    let scenario = scenarios.get(side.pick.scenario);
    side.trace = scenario.map_or_else(Arc::default, |scenario| unwritten(scenario, &side.variant));
    side.moment = Moment::default();
    side.began_at = None;
}

/// Starts both columns anew.
fn run(state: &mut State) -> Vec<Effect> {
    let mut effects = stop(state);
    let place = match why_not_open(state) {
        None => state.lab.place,
        Some(_) => LabStore::Own,
    };
    let current = state.stores.current;
    let lab = &mut state.lab;
    if lab.sides.is_empty() {
        return effects;
    }
    lab.place = place;
    lab.generation += 1;
    lab.axis = Arc::default();
    lab.cursor.at = 0.0;
    lab.cursor.is_playing = true;
    lab.cursor.moved_at = Some(state.clock.here);
    for side in &mut lab.sides {
        side.phase = SidePhase::Starting;
        clear(side, &lab.scenarios);
    }
    lab.runs_on = match place {
        LabStore::Own => HOUSE,
        LabStore::Open => current,
    };
    let sides = lab.sides.iter();
    let job = LabJob {
        generation: lab.generation,
        scenarios: lab.scenarios.clone(),
        sides: sides
            .map(|side| (side.pick.scenario, side.variant.clone()))
            .collect(),
        place,
        seed: lab.seed(),
        is_alone: sides_alone(lab),
    };
    effects.push(of(lab.runs_on, LabEffect::Run(Box::new(job))));
    effects
}

/// Whether one of the sides has to run by itself.
fn sides_alone(lab: &Lab) -> bool {
    let is_alone = |side: &Side| {
        let scenario = lab.scenarios.get(side.pick.scenario);
        let usual = scenario.is_some_and(|scenario| scenario.is_alone);
        side.variant.is_alone.unwrap_or(usual)
    };
    lab.sides.iter().any(is_alone)
}

/// What is under way comes to nothing.
fn stop(state: &mut State) -> Vec<Effect> {
    let lab = &mut state.lab;
    if !lab.is_under_way() {
        return Vec::new();
    }
    lab.generation += 1;
    vec![of(lab.runs_on, LabEffect::Stop)]
}

fn of(store: StoreId, effect: LabEffect) -> Effect {
    Effect::Of {
        store,
        effect: Box::new(Effect::Lab(effect)),
    }
}

/// Both, the second, the first.
fn next_sides(lab: &mut Lab) {
    let last = lab.sides.len().saturating_sub(1);
    lab.shown = match (lab.shown, lab.room) {
        (_, Room::Two) if last == 0 => ShownSides::Both,
        (ShownSides::Both, _) => ShownSides::One(last),
        (ShownSides::One(0), Room::Two) => ShownSides::Both,
        (ShownSides::One(0), Room::One) => ShownSides::One(last),
        (ShownSides::One(_), _) => ShownSides::One(0),
    };
}

/// Why the open store is not for the lab; nothing where it is.
pub fn why_not_open(state: &State) -> Option<WhyNot> {
    let opened = state.connection.store.value();
    match opened {
        None => Some(WhyNot::NoneOpen),
        Some(_) if state.connection.kept.is_production => Some(WhyNot::Production),
        Some(opened) if opened.is_demo => Some(WhyNot::Demo),
        Some(opened) if opened.product.starts_with("SQLite") => Some(WhyNot::File),
        Some(_) => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyNot {
    NoneOpen,
    Production,
    /// It is a file of somebody's, or the demo store.
    Demo,
    File,
}

pub fn event(state: &mut State, event: LabEvent) -> Vec<Effect> {
    let here = state.clock.here;
    match event {
        LabEvent::Drawn {
            generation,
            side,
            trace,
        } if generation == state.lab.generation => {
            let lab = &mut state.lab;
            let others_have_ended = lab.sides.iter().any(|side| side.outcome().is_some());
            if let Some(side) = lab.sides.get_mut(side) {
                if trace.has_begun && side.began_at.is_none() {
                    side.began_at = Some(here);
                    side.phase = SidePhase::Running;
                    // It waited for the other one: both are shown from the beginning.
                    if others_have_ended {
                        lab.cursor.at = 0.0;
                    }
                }
                side.trace = trace;
            }
            lay_messages(lab);
        }
        LabEvent::Ended {
            generation,
            side,
            answer,
            trace,
        } if generation == state.lab.generation => {
            let lab = &mut state.lab;
            if let Some(side) = lab.sides.get_mut(side) {
                side.trace = trace;
                side.moment = Moment::default();
                side.phase = match answer {
                    Ok(outcome) => SidePhase::Ended(outcome),
                    Err(why) => SidePhase::Failed(why),
                };
            }
            lay_messages(lab);
            note_result(lab);
        }
        LabEvent::Free { generation, answer } => free::told(state, generation, answer),
        LabEvent::Saved { answer } => return save::saved(state, answer),
        LabEvent::Browsed { path } => save::browsed(state, path),
        // Of a run that nobody waits for any more.
        LabEvent::Drawn { .. } | LabEvent::Ended { .. } => {}
    }
    Vec::new()
}

fn lay_messages(lab: &mut Lab) {
    let columns: Vec<&[_]> = lab
        .sides
        .iter()
        .map(|side| side.trace.messages.as_slice())
        .collect();
    lab.axis = Arc::new(Axis::new(&columns));
    cursor::refresh(lab);
}

/// Marks the scenario, where its runs were of the scenario as it stands.
fn note_result(lab: &mut Lab) {
    let Some(id) = lab.scenario().map(|scenario| scenario.id.clone()) else {
        return;
    };
    if !lab.has_ended() || lab.sides.iter().any(|side| is_changed(lab, side)) {
        return;
    }
    // What is not here to run says nothing.
    if lab.sides.iter().any(|side| side.outcome().is_none()) {
        return;
    }
    let has_passed = |side: &Side| side.outcome().is_some_and(|done| done.missed.is_empty());
    let passed = lab.sides.iter().all(has_passed);
    lab.results.insert(id, passed);
}

/// Whether a side has other switches than the scenario.
pub fn is_changed(lab: &Lab, side: &Side) -> bool {
    let known = side.pick.of(&lab.scenarios);
    known.is_none_or(|(_, variant)| variant.switches != side.variant.switches)
}
