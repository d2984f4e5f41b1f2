//! Layouts area: choosing a source, its samples, what is set for it.

use crate::app::command::{LayoutsCommand, Move};
use crate::app::effect::{Effect, LayoutsEffect};
use crate::app::event::LayoutsEvent;
use crate::app::state::{Place, SourceFace, State, TypedSpan};
use crate::present::span;

pub fn command(state: &mut State, command: LayoutsCommand) -> Vec<Effect> {
    match command {
        LayoutsCommand::Show => {
            if state.connection.store.value().is_none() {
                return Vec::new();
            }
            state.view.place = Place::Layouts;
            let chosen = state.layouts.chosen;
            choose(state, chosen)
        }
        LayoutsCommand::Move(step) => {
            let place = Some(state.layouts.chosen as u64);
            match step.from(place, count(state)) {
                Some(to) => choose(state, usize::try_from(to).unwrap_or_default()),
                None => Vec::new(),
            }
        }
        LayoutsCommand::PointAt(at) => choose(state, at),
        LayoutsCommand::Sample(by) => other_sample(state, by),
        LayoutsCommand::LeaseTyped(text) => {
            state.layouts.lease = text;
            Vec::new()
        }
        LayoutsCommand::RetentionTyped(text) => {
            state.layouts.retention = text;
            Vec::new()
        }
        LayoutsCommand::SetTerms => set_terms(state),
        LayoutsCommand::Switch => switch(state),
    }
}

fn count(state: &State) -> u64 {
    let opened = state.connection.store.value();
    opened.map_or(0, |opened| opened.sources.len() as u64)
}

/// The source that is looked at.
pub fn chosen(state: &State) -> Option<&SourceFace> {
    let opened = state.connection.store.value()?;
    opened.sources.get(state.layouts.chosen)
}

/// The place of the source that is to be shown.
pub fn wanted(state: &mut State) -> usize {
    let Some(wanted) = state.layouts.wanted.take() else {
        return 0;
    };
    let opened = state.connection.store.value();
    let place = opened.and_then(|opened| {
        let mut sources = opened.sources.iter();
        sources.position(|source| source.layout == wanted)
    });
    place.unwrap_or_default()
}

fn choose(state: &mut State, at: usize) -> Vec<Effect> {
    if at as u64 >= count(state) {
        return Vec::new();
    }
    state.layouts.chosen = at;
    state.layouts.sample = 0;
    let Some(source) = chosen(state) else {
        return Vec::new();
    };
    let set = state.connection.overrides.get(&source.name());
    state.layouts.lease = set.lease.map(span::typed).unwrap_or_default();
    state.layouts.retention = set.retention.map(span::typed).unwrap_or_default();
    ask(state)
}

fn other_sample(state: &mut State, by: i64) -> Vec<Effect> {
    let samples = chosen(state).map_or(0, |source| source.examples.len() as u64);
    let place = Some(state.layouts.sample as u64);
    match Move::By(by).from(place, samples) {
        Some(to) if to != state.layouts.sample as u64 => {
            state.layouts.sample = usize::try_from(to).unwrap_or_default();
            ask(state)
        }
        _ => Vec::new(),
    }
}

fn ask(state: &mut State) -> Vec<Effect> {
    state.layouts.whole.reset();
    state.layouts.generation += 1;
    let Some(source) = chosen(state) else {
        return Vec::new();
    };
    let Some(address) = source.examples.get(state.layouts.sample).cloned() else {
        return Vec::new();
    };
    let effect = LayoutsEffect::Sample {
        generation: state.layouts.generation,
        source: source.name(),
        address,
    };
    state.layouts.whole.loading();
    vec![Effect::Layouts(effect)]
}

fn set_terms(state: &mut State) -> Vec<Effect> {
    let Some(name) = chosen(state).map(SourceFace::name) else {
        return Vec::new();
    };
    if state.layouts.is_wrong() {
        return Vec::new();
    }
    let mut set = state.connection.overrides.get(&name);
    set.lease = TypedSpan::of(&state.layouts.lease).span();
    set.retention = TypedSpan::of(&state.layouts.retention).span();
    state.connection.overrides.set(&name, set);
    let mut effects = super::locks::judge_again(state);
    effects.extend(ask(state));
    effects
}

/// Its records leave the keys, or come back: the store is read again.
fn switch(state: &mut State) -> Vec<Effect> {
    let Some(name) = chosen(state).map(SourceFace::name) else {
        return Vec::new();
    };
    let mut set = state.connection.overrides.get(&name);
    set.is_off = !set.is_off;
    state.connection.overrides.set(&name, set);
    let mut effects = super::locks::judge_again(state);
    effects.extend(super::keys::scan(state));
    effects
}

pub fn event(state: &mut State, event: LayoutsEvent) -> Vec<Effect> {
    let LayoutsEvent::Sample { generation, answer } = event;
    if generation != state.layouts.generation {
        return Vec::new();
    }
    match answer {
        Ok(whole) => state.layouts.whole.ready(whole, state.clock.here),
        Err(failure) => state.layouts.whole.failed(failure),
    }
    Vec::new()
}

#[cfg(test)]
mod tests;
