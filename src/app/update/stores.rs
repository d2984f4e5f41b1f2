//! Stores area: changing over from one open store to another, closing them, and what comes for
//! those that are not shown.
//!
//! A store that waits keeps its session and its rows; it finishes what it was doing and asks
//! nothing by itself. Invariant: what comes for it never lands in the one that is shown.

use crate::app::command::{ConnectCommand, StoresCommand};
use crate::app::effect::{ConnectEffect, Effect};
use crate::app::event::{ConnectEvent, Event, KeysEvent};
use crate::app::state::{Areas, Over, Parked, Place, State, StoreId, Then};
use crate::app::view::{MenuItem, connection_name, store_menu};
use crate::present::say::say;

pub fn command(state: &mut State, command: StoresCommand) -> Vec<Effect> {
    match command {
        StoresCommand::ShowMenu => {
            let items = store_menu(state);
            let current = MenuItem::Open(state.stores.current);
            let at = items.iter().position(|item| *item == current);
            state.stores.chosen = at.unwrap_or_default();
            state.view.over = Some(Over::Stores);
            Vec::new()
        }
        StoresCommand::Move(by) => {
            let items = store_menu(state).len();
            let to = state.stores.chosen as i64 + by;
            state.stores.chosen = to.rem_euclid(items.max(1) as i64) as usize;
            Vec::new()
        }
        StoresCommand::Run => {
            let item = store_menu(state).into_iter().nth(state.stores.chosen);
            state.view.over = None;
            match item {
                Some(MenuItem::Open(id)) => show(state, id),
                Some(MenuItem::Kept(item)) => {
                    super::connect::command(state, ConnectCommand::OpenItem(item))
                }
                Some(MenuItem::Connect) => super::connect::command(state, ConnectCommand::ShowPage),
                None => Vec::new(),
            }
        }
        StoresCommand::Show(id) => {
            state.view.over = None;
            show(state, id)
        }
        StoresCommand::Close(id) => close(state, id),
        StoresCommand::CloseCurrent => close(state, state.stores.current),
    }
}

/// An effect of a certain store.
pub fn of(store: StoreId, effects: Vec<Effect>) -> Vec<Effect> {
    let tagged = effects.into_iter().map(|effect| match effect {
        Effect::Of { .. } | Effect::Copy(_) | Effect::Quit => effect,
        effect => Effect::Of {
            store,
            effect: Box::new(effect),
        },
    });
    tagged.collect()
}

/// Room for another store; the one that is shown stays.
pub fn add(state: &mut State) -> StoreId {
    let stores = &mut state.stores;
    stores.last += 1;
    // How a person likes to see a store holds for the next one, too.
    let mut areas = Areas::default();
    areas.keys.order = state.keys.order;
    areas.locks.grouping = state.locks.grouping;
    areas.record.tab = state.record.tab;
    areas.record.form = state.record.form;
    areas.record.chars = state.record.chars;
    stores.parked.push(Parked {
        id: stores.last,
        areas,
        shown: 0,
        place: Place::Keys,
    });
    stores.last
}

/// Does something to a store as if it were shown; its effects are tagged.
pub fn behind(
    state: &mut State,
    store: StoreId,
    what: impl FnOnce(&mut State) -> Vec<Effect>,
) -> Vec<Effect> {
    if store == state.stores.current {
        return what(state);
    }
    let Some(at) = place(state, store) else {
        return Vec::new();
    };
    let mut areas = take_areas(state, at);
    state.swap(&mut areas);
    let current = std::mem::replace(&mut state.stores.current, store);
    let (shown, over) = (state.view.place, state.view.over);
    let effects = what(state);
    // What is shown is not its business.
    (state.view.place, state.view.over) = (shown, over);
    state.stores.current = current;
    state.swap(&mut areas);
    if let Some(parked) = state.stores.parked.get_mut(at) {
        parked.areas = areas;
    }
    of(store, effects)
}

fn place(state: &State, store: StoreId) -> Option<usize> {
    let mut parked = state.stores.parked.iter();
    parked.position(|parked| parked.id == store)
}

fn take_areas(state: &mut State, at: usize) -> Areas {
    let parked = state.stores.parked.get_mut(at);
    parked.map_or_else(Areas::default, |parked| std::mem::take(&mut parked.areas))
}

/// What has come for a store.
pub fn event(state: &mut State, store: StoreId, event: Event) -> Vec<Effect> {
    if event.is_of_house() || store == state.stores.current {
        return super::event(state, event);
    }
    let Some(at) = place(state, store) else {
        return Vec::new();
    };
    let is_opening = state
        .stores
        .parked
        .get(at)
        .is_some_and(|parked| parked.areas.connection.is_opening());
    match &event {
        // A store that waits asks nothing by itself.
        Event::Keys(KeysEvent::LiveDue { .. })
        | Event::Connect(ConnectEvent::DemoDue { .. } | ConnectEvent::TryDue { .. }) => Vec::new(),
        Event::Connect(ConnectEvent::Opened { .. }) if is_opening => {
            if is_waited_for(state) {
                swap_in(state, at);
                return super::event(state, event);
            }
            let effects = behind(state, store, |state| super::event(state, event));
            with_notice(state, store, effects)
        }
        Event::Connect(ConnectEvent::Failed {
            failure,
            asking,
            asked,
            ..
        }) if is_opening => {
            let (failure, asking, asked) = (failure.clone(), *asking, asked.clone());
            let parked = state.stores.parked.remove(at);
            let mut effects = of(store, vec![Effect::Connect(ConnectEffect::Close)]);
            let wanted = &parked.areas.connection.wanted;
            super::form::fill_from(state, wanted, asked.as_deref());
            if is_waited_for(state) {
                effects.extend(super::connect::not_opened(state, failure, asking));
            } else {
                effects.push(super::notice(state, failure.text.clone()));
                state.connect.failure = Some(failure);
                state.connect.asking = asking;
            }
            effects
        }
        _ => {
            // The form is of what is shown: a store that wants a login asks for it when it is.
            let form = (state.connect.form.clone(), state.connect.chosen.clone());
            let asking = (state.connect.failure.clone(), state.connect.asking);
            let effects = behind(state, store, |state| super::event(state, event));
            (state.connect.form, state.connect.chosen) = form;
            (state.connect.failure, state.connect.asking) = asking;
            effects
        }
    }
}

/// Whether the person is still where the store was asked for.
fn is_waited_for(state: &State) -> bool {
    state.connect.asked_at == Some((state.view.place, state.stores.current))
}

fn with_notice(state: &mut State, store: StoreId, mut effects: Vec<Effect>) -> Vec<Effect> {
    let all = state.open_stores();
    let found = all.iter().find(|(id, _)| *id == store);
    if let Some(name) = found.map(|(_, connection)| connection_name(connection)) {
        let text = say!("stores-is-open", name = name);
        effects.push(super::notice(state, text));
    }
    effects
}

/// The parked store at a place and the one that is shown change places.
fn swap_in(state: &mut State, at: usize) {
    let mut areas = take_areas(state, at);
    state.swap(&mut areas);
    state.stores.shown += 1;
    let shown = state.stores.shown;
    let is_open = areas.connection.store.value().is_some();
    let stores = &mut state.stores;
    let Some(parked) = stores.parked.get_mut(at) else {
        return;
    };
    let old = std::mem::replace(&mut stores.current, parked.id);
    if is_open {
        *parked = Parked {
            id: old,
            areas,
            shown,
            place: state.view.place,
        };
        stores.parked.sort_by_key(|parked| parked.id);
    } else {
        stores.parked.remove(at);
    }
}

/// Shows an open store as it was left.
pub fn show(state: &mut State, store: StoreId) -> Vec<Effect> {
    if let Some(at) = place(state, store) {
        let parked = state.stores.parked.get(at);
        let was_editing = parked.is_some_and(|parked| parked.place == Place::Editor);
        swap_in(state, at);
        // What was typed there is not lost.
        if was_editing {
            state.view.place = Place::Editor;
            return wake(state);
        }
    } else if store != state.stores.current {
        return Vec::new();
    }
    if !matches!(
        state.view.place,
        Place::Keys | Place::Locks | Place::Layouts | Place::Journal
    ) {
        state.view.place = Place::Keys;
    }
    wake(state)
}

/// What a store that waited may do by itself again.
fn wake(state: &mut State) -> Vec<Effect> {
    if state.connection.lost.is_some() {
        return super::connect::command(state, ConnectCommand::TryNow);
    }
    super::keys::wake(state)
}

fn close(state: &mut State, store: StoreId) -> Vec<Effect> {
    let job = state.repair.job.as_ref();
    if job.is_some_and(|job| job.store == store && job.is_running()) {
        state.view.over = Some(Over::Repair);
        return vec![super::notice(state, say!("repair-runs-here"))];
    }
    let parked = state.stores.parked.iter().find(|parked| parked.id == store);
    let editor = match parked {
        Some(parked) => &parked.areas.editor,
        None => &state.editor,
    };
    if editor.is_unsaved() {
        let effects = match parked {
            Some(_) => show(state, store),
            None => Vec::new(),
        };
        let asked = super::editor::ask_before(state, Then::CloseStore);
        return effects.into_iter().chain(asked).collect();
    }
    let mut effects = of(store, vec![Effect::Connect(ConnectEffect::Close)]);
    if let Some(at) = place(state, store) {
        state.stores.parked.remove(at);
        let items = store_menu(state).len();
        state.stores.chosen = state.stores.chosen.min(items.saturating_sub(1));
        return effects;
    }
    if store != state.stores.current {
        return Vec::new();
    }
    state.view.over = None;
    let parked = state.stores.parked.iter().enumerate();
    let open = parked.filter(|(_, parked)| parked.areas.connection.store.value().is_some());
    match open.max_by_key(|(_, parked)| parked.shown) {
        Some((at, _)) => {
            // Nothing of the closed one is parked.
            state.swap(&mut Areas::default());
            swap_in(state, at);
            effects.extend(wake(state));
        }
        None => {
            state.swap(&mut Areas::default());
            state.stores.last += 1;
            state.stores.current = state.stores.last;
            effects.extend(super::connect::command(state, ConnectCommand::ShowPage));
        }
    }
    effects
}

#[cfg(test)]
mod tests;
