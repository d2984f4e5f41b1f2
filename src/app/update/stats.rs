//! Stats area: which window is asked for, what came of it, and when to stop asking.

mod export;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::app::command::{AppCommand, KeysCommand, StatsCommand};
use crate::app::effect::{Effect, StatsEffect, StatsJob, StatsSpan};
use crate::app::event::StatsEvent;
use crate::app::state::{KeyList, Place, State};
use crate::app::view::{mark_words, stats_worth};
use crate::domain::Duration;
use crate::present::say::say;
use crate::stats::{Behind, Mark};

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
        StatsCommand::OpenKeys(mark) => ask_behind(state, mark),
        StatsCommand::OpenFilter(filter) => {
            state.keys.list = None;
            let mut effects = super::app::command(state, AppCommand::ShowKeys);
            let typed = KeysCommand::FilterTyped(filter);
            effects.extend(super::keys::command(state, typed));
            effects
        }
        StatsCommand::OpenFirst => match stats_worth(state).into_iter().next() {
            Some(first) => ask_behind(state, first.mark),
            None => Vec::new(),
        },
        StatsCommand::By(by) => {
            state.stats.by = by;
            Vec::new()
        }
        StatsCommand::NextBy => {
            state.stats.by = state.stats.by.next();
            Vec::new()
        }
        StatsCommand::Export(command) => export::command(state, command),
    }
}

fn ask_behind(state: &State, mark: Mark) -> Vec<Effect> {
    let generation = state.stats.generation;
    vec![Effect::Stats(StatsEffect::Behind { generation, mark })]
}

/// The keys have come: the table shows their records, and nothing that was typed before.
fn show_behind(state: &mut State, mark: &Mark, behind: Behind) -> Vec<Effect> {
    if behind.counted == 0 {
        let text = say!("stats-no-keys-behind");
        return vec![super::notice(state, text)];
    }
    let words = mark_words(state, mark, behind.counted);
    state.keys.list = Some(Arc::new(KeyList {
        words,
        keys: behind.keys,
        counted: behind.counted,
        factor: behind.factor,
    }));
    state.keys.filter.clear();
    state.keys.standing = None;
    let was = state.view.place;
    let mut effects = super::app::command(state, AppCommand::ShowKeys);
    if state.view.place != was {
        state.view.way.went(was);
        effects.extend(place_changed(state, was));
    }
    effects.extend(super::keys::ask_again(state));
    effects
}

pub fn drop_list(state: &mut State) -> Vec<Effect> {
    if state.keys.list.take().is_none() {
        return Vec::new();
    }
    super::keys::ask_again(state)
}

/// Records were read again: what changed is kept in numbers.
pub fn page_came(state: &mut State) {
    let Some(page) = &state.keys.page else { return };
    if let Some(looks) = page.since.as_ref().and_then(|since| since.looks) {
        state.stats.looks.add(&looks);
    }
    // A part of the records does not tell the oldest lock.
    let is_whole = page.findings_of.is_some();
    let age = match page.all.locked {
        0 => Some(Duration(0)),
        _ => page.all.oldest_lock,
    };
    if let (true, Some(age)) = (is_whole, age) {
        state.stats.locks.add(page.read, age);
    }
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
        StatsEvent::Behind {
            generation,
            mark,
            behind,
        } if generation == state.stats.generation && state.view.place == Place::Stats => {
            return show_behind(state, &mark, behind);
        }
        StatsEvent::Browsed { path } => export::browsed(state, path),
        StatsEvent::Exported { answer } => return export::written(state, answer),
        // Answers to questions nobody asks any more.
        _ => {}
    }
    Vec::new()
}
