//! Locks area: grouping, moving among them, the leases that count.

use crate::app::command::{LocksCommand, Move};
use crate::app::effect::{ConnectEffect, Effect};
use crate::app::state::{LeaseField, LeaseForm, Over, Place, State, judge, source_name};
use crate::app::view;

pub fn command(state: &mut State, command: LocksCommand) -> Vec<Effect> {
    match command {
        LocksCommand::Show => {
            if state.connection.store.value().is_some() {
                state.view.place = Place::Locks;
            }
            super::record::follow(state)
        }
        LocksCommand::Move(step) => go(state, step),
        LocksCommand::PointAt(row) => point_at(state, row),
        LocksCommand::NextGrouping => group_by(state, state.locks.grouping.next()),
        LocksCommand::GroupBy(grouping) => group_by(state, grouping),
        LocksCommand::ShowHeld => {
            state.locks.shows_held = true;
            Vec::new()
        }
        LocksCommand::AskLease => {
            ask_lease(state);
            Vec::new()
        }
        LocksCommand::LeaseTyped { at, text } => {
            let form = state.locks.form.as_mut();
            if let Some(field) = form.and_then(|form| form.fields.get_mut(at)) {
                field.typed = text;
            }
            Vec::new()
        }
        LocksCommand::SetLease => set_lease(state),
    }
}

fn group_by(state: &mut State, grouping: crate::app::state::Grouping) -> Vec<Effect> {
    if state.locks.grouping == grouping {
        return Vec::new();
    }
    state.locks.grouping = grouping;
    state.locks.reveal += 1;
    super::keys::ask_again(state)
}

fn go(state: &mut State, step: Move) -> Vec<Effect> {
    let rows = view::locks(state).map_or(0, |locks| locks.rows.len() as u64);
    match step.from(state.locks.cursor, rows) {
        Some(row) => point_at(state, row),
        None => Vec::new(),
    }
}

fn point_at(state: &mut State, row: u64) -> Vec<Effect> {
    let rows = view::locks(state).map_or(0, |locks| locks.rows.len() as u64);
    if row >= rows {
        return Vec::new();
    }
    state.locks.cursor = Some(row);
    state.locks.is_cursor_placed = true;
    state.locks.reveal += 1;
    super::record::follow(state)
}

fn ask_lease(state: &mut State) {
    let Some(snapshot) = &state.keys.snapshot else {
        return;
    };
    let overrides = &state.connection.overrides;
    let fields = snapshot.sources().map(|(_, source)| {
        let name = source_name(source);
        let set = overrides.get(&name).lease;
        LeaseField {
            layout: source.layout.id.to_string(),
            place: source.place_text(),
            told: source.params.get("lease").or(source.layout.lock.lease),
            typed: set.map(crate::present::span::typed).unwrap_or_default(),
            source: name,
        }
    });
    state.locks.form = Some(LeaseForm {
        fields: fields.collect(),
    });
    state.view.over = Some(Over::Lease);
}

fn set_lease(state: &mut State) -> Vec<Effect> {
    let Some(form) = &state.locks.form else {
        return Vec::new();
    };
    if form.fields.iter().any(|field| field.lease().is_wrong()) {
        return Vec::new();
    }
    for field in &form.fields {
        let mut value = state.connection.overrides.get(&field.source);
        value.lease = field.lease().span();
        state.connection.overrides.set(&field.source, value);
    }
    state.locks.form = None;
    state.view.over = None;
    judge_again(state)
}

/// What counts has changed: every verdict follows at once.
pub fn judge_again(state: &mut State) -> Vec<Effect> {
    let overrides = state.connection.overrides.clone();
    let mut effects = vec![
        Effect::Connect(ConnectEffect::SetOverrides(overrides.clone())),
        super::connections::remember(state),
    ];
    let opened = state.connection.store.value().cloned();
    if let (Some(snapshot), Some(opened)) = (&mut state.keys.snapshot, opened) {
        judge(&overrides, snapshot, &opened.terms);
        effects.extend(super::keys::ask_again(state));
    }
    effects.extend(super::record::look_again(state));
    effects
}

/// The locks that came: the cursor stays with its row.
pub fn page_came(state: &mut State) {
    let Some(page) = state.keys.page.clone() else {
        return;
    };
    let rows = page.locks.rows.len() as u64;
    let locks = &mut state.locks;
    locks.cursor = match (page.found_lock, locks.cursor) {
        _ if rows == 0 => None,
        _ if !locks.is_cursor_placed => Some(0),
        (Some(found), _) => Some(found),
        (None, cursor) => Some(cursor.unwrap_or(0).min(rows - 1)),
    };
}

#[cfg(test)]
mod tests;
