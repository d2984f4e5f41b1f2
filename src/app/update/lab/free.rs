//! Free play: knobs, start and stop, and how the clients fare.

use crate::app::command::FreeCommand;
use crate::app::effect::{Effect, FreeJob, LabEffect};
use crate::app::state::{FreePhase, HOUSE, Instances, State};
use crate::lab::fleet::FleetView;

pub fn command(state: &mut State, command: FreeCommand) -> Vec<Effect> {
    match command {
        // There is nothing of it to be seen from afar.
        FreeCommand::Show if state.projector().is_some() => return Vec::new(),
        FreeCommand::Show => {
            let effects = super::stop(state);
            state.lab.free.is_shown = true;
            return effects;
        }
        FreeCommand::Stop => return stop(state),
        FreeCommand::Toggle if state.lab.free.is_at_work() => return stop(state),
        FreeCommand::Toggle => return start(state),
        FreeCommand::Plan(plan) => state.lab.free.plan = plan.bounded(),
        FreeCommand::Instances(instances) => state.lab.free.instances = instances,
        FreeCommand::Preset(at) => {
            if let Some(preset) = state.lab.presets.get(at) {
                state.lab.free.switches = preset.switches.clone();
            }
        }
    }
    // What was turned counts from now on.
    match state.lab.free.is_at_work() {
        true => start(state),
        false => Vec::new(),
    }
}

fn start(state: &mut State) -> Vec<Effect> {
    let free = &mut state.lab.free;
    free.generation += 1;
    free.phase = FreePhase::Starting;
    free.view = FleetView::default();
    let job = FreeJob {
        generation: free.generation,
        plan: free.plan.clone(),
        switches: free.switches.clone(),
        instances: match free.instances {
            Instances::One => 1,
            Instances::Two => 2,
        },
    };
    vec![super::of(HOUSE, LabEffect::Free(Box::new(job)))]
}

pub fn stop(state: &mut State) -> Vec<Effect> {
    let free = &mut state.lab.free;
    if !free.is_at_work() {
        return Vec::new();
    }
    free.generation += 1;
    free.phase = FreePhase::Idle;
    vec![super::of(HOUSE, LabEffect::StopFree)]
}

pub fn told(state: &mut State, generation: u64, answer: Result<FleetView, String>) {
    let free = &mut state.lab.free;
    if generation != free.generation {
        return;
    }
    match answer {
        Ok(view) => {
            free.phase = match view.is_over {
                true => FreePhase::Idle,
                false => FreePhase::Running,
            };
            free.view = view;
        }
        Err(why) => free.phase = FreePhase::Failed(why),
    }
}
