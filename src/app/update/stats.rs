//! Stats area: which window is asked for, what came of it, and when to stop asking.

use crate::app::command::{AppCommand, KeysCommand, StatsCommand};
use crate::app::effect::{Effect, StatsEffect, StatsJob, StatsSpan};
use crate::app::event::StatsEvent;
use crate::app::state::{Place, State};
use crate::app::view::stats_worth;

pub fn command(state: &mut State, command: StatsCommand) -> Vec<Effect> {
    match command {
        StatsCommand::Show => {
            if state.connection.store.value().is_some() {
                state.view.place = Place::Stats;
            }
            Vec::new()
        }
        StatsCommand::Window(window) => {
            state.stats.window = window;
            state.stats.picked = None;
            begin(state)
        }
        StatsCommand::WindowBy(by) => {
            let window = state.stats.window.by(by);
            if window == state.stats.window && state.stats.picked.is_none() {
                return Vec::new();
            }
            self::command(state, StatsCommand::Window(window))
        }
        StatsCommand::Pick(from, to) => {
            // Less than a second has no rates.
            if to.saturating_sub(from) < 1_000 {
                return Vec::new();
            }
            state.stats.picked = Some((from, to));
            begin(state)
        }
        StatsCommand::Unpick => {
            if state.stats.picked.take().is_none() {
                return Vec::new();
            }
            begin(state)
        }
        StatsCommand::OpenKeys(filter) => open_keys(state, filter),
        StatsCommand::OpenFirst => {
            let first = stats_worth(state).into_iter().find_map(|line| line.filter);
            first.map_or(Vec::new(), |filter| open_keys(state, filter))
        }
        StatsCommand::Export(form) => {
            let Some(told) = state.stats.told.value().cloned() else {
                return Vec::new();
            };
            vec![Effect::Stats(StatsEffect::Export { told, form })]
        }
    }
}

fn open_keys(state: &mut State, filter: String) -> Vec<Effect> {
    let mut effects = super::app::command(state, AppCommand::ShowKeys);
    effects.extend(super::keys::command(
        state,
        KeysCommand::FilterTyped(filter),
    ));
    effects
}

/// The view was come to, or left.
pub fn place_changed(state: &mut State, was: Place) -> Vec<Effect> {
    match (was, state.view.place) {
        (_, Place::Stats) => begin(state),
        (Place::Stats, _) => vec![Effect::Stats(StatsEffect::Stop)],
        _ => Vec::new(),
    }
}

/// Asks for the window anew.
pub fn begin(state: &mut State) -> Vec<Effect> {
    let stats = &mut state.stats;
    stats.generation += 1;
    stats.so_far = 0;
    stats.told.loading();
    let live = u64::from(state.settings.live_secs) * 1_000;
    vec![Effect::Stats(StatsEffect::Read(StatsJob {
        generation: stats.generation,
        span: match stats.picked {
            Some((from, to)) => StatsSpan::Between(from, to),
            None => StatsSpan::Last(stats.window.span()),
        },
        every_ms: (live > 0 && stats.picked.is_none()).then_some(live),
    }))]
}

pub fn event(state: &mut State, event: StatsEvent) -> Vec<Effect> {
    match event {
        StatsEvent::SoFar {
            generation,
            entries,
        } if generation == state.stats.generation => {
            state.stats.so_far = entries;
        }
        StatsEvent::Told { generation, told } if generation == state.stats.generation => {
            state.stats.told.ready(told, state.clock.here);
            // A store that waits behind another one is not asked any further.
            if state.view.place != Place::Stats {
                return vec![Effect::Stats(StatsEffect::Stop)];
            }
        }
        StatsEvent::Failed {
            generation,
            failure,
        } if generation == state.stats.generation => {
            state.stats.told.failed(failure);
        }
        StatsEvent::Exported { answer } => {
            let text = match answer {
                Ok(Some(path)) => crate::present::say::say!("stats-exported", path = path),
                Ok(None) => return Vec::new(),
                Err(why) => why,
            };
            return vec![super::notice(state, text)];
        }
        // Answers to questions nobody asks any more.
        _ => {}
    }
    Vec::new()
}
