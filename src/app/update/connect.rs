//! Connect area: opening a store, losing it, getting it back.

mod meant;

use std::sync::Arc;

use crate::app::command::{ConnectCommand, FormCommand, LayoutsCommand};
use crate::app::effect::{ConnectEffect, ConnectionsEffect, Effect, KeysEffect};
use crate::app::event::{ConnectEvent, Event};
use crate::app::remote::Failure;
use crate::app::state::{
    Asking, Changes, Keys, Layouts, Locks, Lost, OPEN_MAX, Opened, Place, Record, Running,
    Selection, State,
};
use crate::config::connections::DEMO;
use crate::config::{Connection, Wanted};
use crate::domain::Duration;
use crate::present::say::say;

/// The demo shop gets a record this often.
const DEMO_EVERY_MS: u64 = 4_000;
/// The longest wait between two attempts to get a lost store back.
const TRY_AFTER_MAX_MS: u64 = 30_000;

pub fn command(state: &mut State, command: ConnectCommand) -> Vec<Effect> {
    match command {
        ConnectCommand::ShowPage => {
            state.view.over = None;
            state.view.place = Place::Connect;
            state.view.focus_connect += 1;
            // Others may have added some meanwhile.
            vec![Effect::Connections(ConnectionsEffect::Load)]
        }
        ConnectCommand::Open => {
            super::form::command(state, FormCommand::UrlLeft);
            match super::form::wanted(state) {
                Ok(wanted) => open(state, wanted),
                Err(failure) => not_opened(state, failure, Asking::Nothing),
            }
        }
        ConnectCommand::OpenText(text) => {
            // What is asked for then is asked for this one.
            super::form::clear(state);
            let wanted = Wanted {
                target: Some(text),
                ..Wanted::default()
            };
            open(state, wanted)
        }
        ConnectCommand::OpenItem(item) => {
            state.view.over = None;
            super::form::open_item(state, item)
        }
        ConnectCommand::OpenDemo => open(state, Wanted::text(DEMO)),
        ConnectCommand::Form(command) => super::form::command(state, command),
        ConnectCommand::LookAgain => ask(state),
        ConnectCommand::TryNow => {
            let connection = &mut state.connection;
            let is_loading = connection.store.is_loading();
            let Some(lost) = connection.lost.as_mut().filter(|_| !is_loading) else {
                return Vec::new();
            };
            lost.next_try = None;
            ask(state)
        }
    }
}

/// Opens another store beside those that are open, or shows it where it is open already.
pub fn open(state: &mut State, wanted: Wanted) -> Vec<Effect> {
    // What is asked for goes on being asked for: what is typed meanwhile is meant for its field.
    state.connect.failure = None;
    let mut effects = stop_opening(state);
    if state.connection.lost.is_some() && meant::is_shown(state, &wanted) {
        // Signing in again: what was read stays.
        super::form::clear(state);
        state.view.place = Place::Keys;
        // What the command line said of it goes on counting.
        let flags = std::mem::take(&mut state.connection.wanted.flags);
        state.connection.wanted = Wanted { flags, ..wanted };
        effects.extend(ask(state));
        return effects;
    }
    if let Some(id) = meant::open_store(state, &wanted) {
        effects.extend(super::stores::show(state, id));
        return effects;
    }
    if state.connection.store.value().is_none() {
        state.connection.lost = None;
        state.connection.wanted = wanted;
        effects.extend(ask(state));
        return effects;
    }
    if state.open_stores().len() >= OPEN_MAX {
        let failure = Failure {
            text: say!("connect-too-many", count = OPEN_MAX),
            hint: Some(say!("connect-too-many-hint")),
            is_connection: false,
        };
        effects.extend(not_opened(state, failure, Asking::Nothing));
        return effects;
    }
    state.connect.asked_at = Some((state.view.place, state.stores.current));
    let id = super::stores::add(state);
    effects.extend(super::stores::behind(state, id, |state| {
        state.connection.wanted = wanted;
        ask(state)
    }));
    effects
}

/// Nobody waits any more for the store that is opening.
pub fn stop_opening(state: &mut State) -> Vec<Effect> {
    let Some(id) = state.opening().map(|(id, _)| id) else {
        return Vec::new();
    };
    if id == state.stores.current {
        // No other store is open.
        state.connection.generation += 1;
        state.connection.store.reset();
    } else {
        state.stores.parked.retain(|parked| parked.id != id);
    }
    super::stores::of(id, vec![Effect::Connect(ConnectEffect::Close)])
}

/// Looks for sources again, and shows the one of a layout.
pub fn look_again_for(state: &mut State, layout: String) -> Vec<Effect> {
    state.layouts.wanted = Some(layout);
    ask(state)
}

fn ask(state: &mut State) -> Vec<Effect> {
    let connection = &mut state.connection;
    connection.generation += 1;
    connection.store.loading();
    vec![Effect::Connect(ConnectEffect::Open {
        generation: connection.generation,
        wanted: Box::new(connection.wanted.clone()),
    })]
}

pub fn event(state: &mut State, event: ConnectEvent) -> Vec<Effect> {
    let current = state.connection.generation;
    match event {
        ConnectEvent::Opened {
            generation,
            opened,
            kept,
            warnings,
        } if generation == current => {
            let mut effects = opened_now(state, opened, *kept);
            effects.extend(warnings.into_iter().map(|text| super::notice(state, text)));
            effects
        }
        ConnectEvent::Told(told) => {
            if let Some(opened) = state.connection.store.value_mut() {
                Arc::make_mut(opened).take(*told);
            }
            Vec::new()
        }
        ConnectEvent::Failed {
            generation,
            failure,
            asking,
            asked,
        } if generation == current => failed(state, failure, asking, asked),
        ConnectEvent::TryDue { generation } if generation == current => {
            let lost = state.connection.lost.as_mut();
            match lost.and_then(|lost| lost.next_try.take()) {
                Some(_) => ask(state),
                None => Vec::new(),
            }
        }
        ConnectEvent::DemoDue { generation, beat }
            if generation == current && beat == state.connection.beat =>
        {
            vec![Effect::Connect(ConnectEffect::AddDemoRecord { generation })]
        }
        ConnectEvent::DemoTried { generation } if generation == current => {
            let mut effects = match state.settings.live_secs {
                0 => Vec::new(),
                _ => super::keys::read_again(state),
            };
            effects.push(demo_later(state));
            effects
        }
        ConnectEvent::Tested {
            generation,
            answer,
            asking,
        } => super::form::tested(state, generation, answer, asking),
        // Of a connection that nobody wants any more.
        _ => Vec::new(),
    }
}

fn opened_now(state: &mut State, opened: Arc<Opened>, kept: Connection) -> Vec<Effect> {
    let was_lost = state.connection.lost.take().is_some();
    let is_demo = opened.is_demo;
    let nothing_here = opened.sources.is_empty();
    let is_same = state
        .connection
        .store
        .value()
        .is_some_and(|known| known.label == opened.label);
    state.connection.store.ready(opened, state.clock.here);
    if !was_lost || !is_same {
        begin_anew(state);
        if !is_same {
            super::editor::leave_store(&mut state.editor);
            state.connection.overrides = kept.sources.clone();
            // Our own store may be changed from the start.
            state.changes = match is_demo {
                true => Changes::On { until: None },
                false => Changes::ReadOnly,
            };
        }
        let stays = std::mem::take(&mut state.connect.stays) && is_demo;
        if !stays && (!is_same || !matches!(state.view.place, Place::Layouts | Place::Editor)) {
            state.view.place = Place::Keys;
        }
        if !stays {
            super::form::clear(state);
        }
    }
    let remembered = Effect::Connections(ConnectionsEffect::Opened {
        connection: Box::new(kept.clone()),
        at: state.clock.here,
    });
    state.connection.kept = kept;
    state.keys.scan.failure = None;
    if nothing_here {
        state.keys.scan.running = Running::No;
        return vec![remembered];
    }
    let overrides = state.connection.overrides.clone();
    let mut effects = vec![
        remembered,
        Effect::Connect(ConnectEffect::SetOverrides(overrides)),
    ];
    effects.extend(super::keys::scan(state));
    if state.view.place == Place::Layouts {
        let at = super::layouts::wanted(state);
        effects.extend(super::layouts::command(state, LayoutsCommand::PointAt(at)));
    }
    if is_demo {
        effects.push(demo_later(state));
    }
    effects
}

/// Nothing is known of the store yet; how a person likes to see it stays.
fn begin_anew(state: &mut State) {
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
}

/// The next record of the demo shop; an older run of them ends.
pub fn demo_later(state: &mut State) -> Effect {
    state.connection.beat += 1;
    Effect::Later {
        after_ms: DEMO_EVERY_MS,
        event: Box::new(Event::Connect(ConnectEvent::DemoDue {
            generation: state.connection.generation,
            beat: state.connection.beat,
        })),
    }
}

fn failed(
    state: &mut State,
    failure: Failure,
    asking: Asking,
    asked: Option<Box<Connection>>,
) -> Vec<Effect> {
    state.connection.store.failed(failure.clone());
    match (state.connection.lost.is_some(), asking) {
        (true, Asking::Nothing) => return lose(state, failure),
        (true, _) => return refused_again(state, failure, asking),
        (false, _) => {}
    }
    let wanted = state.connection.wanted.clone();
    super::form::fill_from(state, &wanted, asked.as_deref());
    not_opened(state, failure, asking)
}

/// A store that was asked for did not open: the page says why.
pub fn not_opened(state: &mut State, failure: Failure, asking: Asking) -> Vec<Effect> {
    state.connect.failure = Some(failure);
    state.connect.asking = asking;
    state.connect.stays = false;
    state.view.place = Place::Connect;
    state.view.focus_connect += 1;
    Vec::new()
}

/// A store that was lost wants another login than before: tried again it would refuse again.
fn refused_again(state: &mut State, failure: Failure, asking: Asking) -> Vec<Effect> {
    if let Some(lost) = &mut state.connection.lost {
        lost.next_try = None;
        lost.why = failure.clone();
    }
    state.keys.scan.running = Running::No;
    let mut effects = vec![Effect::Keys(KeysEffect::StopScan)];
    // Who fills in another connection is not torn away; the banner says what is wrong.
    if state.view.place != Place::Connect {
        state.connect.form = Default::default();
        let asked = state.connection.asked();
        let wanted = state.connection.wanted.clone();
        super::form::fill_from(state, &wanted, Some(&asked));
        effects.extend(not_opened(state, failure, asking));
    }
    effects
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
