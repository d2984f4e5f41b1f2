//! Connect area: opening a store, losing it, getting it back.

use std::sync::Arc;

use crate::app::command::{ConnectCommand, LayoutsCommand};
use crate::app::effect::{ConnectEffect, Effect, KeysEffect};
use crate::app::event::{ConnectEvent, Event};
use crate::app::remote::Failure;
use crate::app::state::{
    Keys, Layouts, Locks, Lost, Opened, Overrides, Place, Record, Running, Selection, State,
};
use crate::domain::{Duration, Secret};

/// The demo shop gets a record this often.
const DEMO_EVERY_MS: u64 = 4_000;
/// The longest wait between two attempts to get a lost store back.
const TRY_AFTER_MAX_MS: u64 = 30_000;

pub fn command(state: &mut State, command: ConnectCommand) -> Vec<Effect> {
    match command {
        ConnectCommand::ShowPage => {
            state.view.place = Place::Connect;
            state.view.focus_connect += 1;
            Vec::new()
        }
        ConnectCommand::Typed(text) => {
            state.connection.typed = text;
            Vec::new()
        }
        ConnectCommand::Open => {
            let typed = state.connection.typed.trim().to_owned();
            if typed.is_empty() {
                return Vec::new();
            }
            open(state, Some(Secret::new(typed)))
        }
        ConnectCommand::OpenDemo => open(state, Some(Secret::new("demo:"))),
        ConnectCommand::LookAgain => ask(state),
        ConnectCommand::TryNow => {
            let connection = &mut state.connection;
            let Some(lost) = connection.lost.as_mut().filter(|l| l.next_try.is_some()) else {
                return Vec::new();
            };
            lost.next_try = None;
            try_again(state)
        }
    }
}

/// Opens another store; what is shown stays until it answers.
pub fn open(state: &mut State, target: Option<Secret>) -> Vec<Effect> {
    state.connection.lost = None;
    state.connection.target = target;
    ask(state)
}

/// Looks for sources again, and shows the one of a layout.
pub fn look_again_for(state: &mut State, layout: String) -> Vec<Effect> {
    state.layouts.wanted = Some(layout);
    ask(state)
}

fn try_again(state: &mut State) -> Vec<Effect> {
    ask(state)
}

fn ask(state: &mut State) -> Vec<Effect> {
    let connection = &mut state.connection;
    connection.generation += 1;
    connection.store.loading();
    vec![Effect::Connect(ConnectEffect::Open {
        generation: connection.generation,
        target: connection.target.clone(),
    })]
}

pub fn event(state: &mut State, event: ConnectEvent) -> Vec<Effect> {
    let current = state.connection.generation;
    match event {
        ConnectEvent::Opened {
            generation,
            opened,
            warnings,
        } if generation == current => {
            let mut effects = opened_now(state, opened);
            effects.extend(warnings.into_iter().map(|text| super::notice(state, text)));
            effects
        }
        ConnectEvent::Failed {
            generation,
            failure,
        } if generation == current => failed(state, failure),
        ConnectEvent::TryDue { generation } if generation == current => {
            let lost = state.connection.lost.as_mut();
            match lost.and_then(|lost| lost.next_try.take()) {
                Some(_) => try_again(state),
                None => Vec::new(),
            }
        }
        ConnectEvent::DemoDue { generation } if generation == current => {
            vec![Effect::Connect(ConnectEffect::AddDemoRecord { generation })]
        }
        ConnectEvent::DemoAdded { generation } if generation == current => {
            let mut effects = match state.settings.live_secs {
                0 => Vec::new(),
                _ => super::keys::read_again(state),
            };
            effects.push(demo_later(generation));
            effects
        }
        // Of a connection that nobody wants any more.
        _ => Vec::new(),
    }
}

fn opened_now(state: &mut State, opened: Arc<Opened>) -> Vec<Effect> {
    let was_lost = state.connection.lost.take().is_some();
    let is_demo = opened.is_demo;
    let nothing_here = opened.sources.is_empty();
    let is_same = state
        .connection
        .store
        .value()
        .is_some_and(|known| known.label == opened.label);
    state.connection.store.ready(opened, state.clock.here);
    if !was_lost {
        state.keys = Keys {
            scan: std::mem::take(&mut state.keys.scan),
            question: state.keys.question + 1,
            reveal: state.keys.reveal + 1,
            order: state.keys.order,
            ..Keys::default()
        };
        state.record = Record {
            generation: state.record.generation + 1,
            tab: state.record.tab,
            form: state.record.form,
            chars: state.record.chars,
            sheet_number: state.record.sheet_number + 1,
            ..Record::default()
        };
        state.locks = Locks {
            grouping: state.locks.grouping,
            ..Locks::default()
        };
        let wanted = state.layouts.wanted.take();
        state.layouts = Layouts {
            generation: state.layouts.generation + 1,
            wanted,
            ..Layouts::default()
        };
        state.selection = Selection::default();
        if !is_same {
            super::editor::leave_store(&mut state.editor);
            state.connection.overrides = Overrides::default();
        }
        if !is_same || !matches!(state.view.place, Place::Layouts | Place::Editor) {
            state.view.place = Place::Keys;
        }
        state.connection.typed.clear();
    }
    state.keys.scan.failure = None;
    if nothing_here {
        state.keys.scan.running = Running::No;
        return Vec::new();
    }
    let overrides = state.connection.overrides.clone();
    let mut effects = vec![Effect::Connect(ConnectEffect::SetOverrides(overrides))];
    effects.extend(super::keys::scan(state));
    if state.view.place == Place::Layouts {
        let at = super::layouts::wanted(state);
        effects.extend(super::layouts::command(state, LayoutsCommand::PointAt(at)));
    }
    if is_demo {
        effects.push(demo_later(state.connection.generation));
    }
    effects
}

fn demo_later(generation: u64) -> Effect {
    Effect::Later {
        after_ms: DEMO_EVERY_MS,
        event: Box::new(Event::Connect(ConnectEvent::DemoDue { generation })),
    }
}

fn failed(state: &mut State, failure: Failure) -> Vec<Effect> {
    state.connection.store.failed(failure.clone());
    if state.connection.lost.is_some() {
        return lose(state, failure);
    }
    state.view.place = Place::Connect;
    state.view.focus_connect += 1;
    Vec::new()
}

/// The store is gone: what was read stays, and it is tried again after a while.
pub fn lose(state: &mut State, why: Failure) -> Vec<Effect> {
    let here = state.clock.here;
    let connection = &mut state.connection;
    let attempt = connection.lost.as_ref().map_or(1, |lost| lost.attempt + 1);
    let since = connection.lost.as_ref().map_or(here, |lost| lost.since);
    let after_ms = (1_000_u64 << attempt.min(5)).min(TRY_AFTER_MAX_MS);
    connection.lost = Some(Lost {
        since,
        attempt,
        next_try: Some(here.plus(Duration(after_ms as i64))),
        why,
    });
    state.keys.scan.running = Running::No;
    vec![
        Effect::Keys(KeysEffect::StopScan),
        Effect::Later {
            after_ms,
            event: Box::new(Event::Connect(ConnectEvent::TryDue {
                generation: connection.generation,
            })),
        },
    ]
}
