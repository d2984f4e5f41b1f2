//! Changes area: a store is read-only until a person says otherwise, and again after a while where
//! it is production.

use crate::app::command::ChangesCommand;
use crate::app::effect::Effect;
use crate::app::state::{Changes, Over, State, StoreId};
use crate::app::view::connection_name;
use crate::domain::Duration;
use crate::present::say::say;

pub fn command(state: &mut State, command: ChangesCommand) -> Vec<Effect> {
    match command {
        ChangesCommand::Toggle => toggle(state),
        ChangesCommand::NameTyped(text) => {
            state.repair.typed_to_turn_on = text;
            Vec::new()
        }
        ChangesCommand::TurnOn => {
            let name = connection_name(&state.connection);
            if state.repair.typed_to_turn_on.trim() != name {
                return Vec::new();
            }
            state.repair.typed_to_turn_on.clear();
            state.view.over = None;
            turn_on(state, state.stores.current);
            let text = said(state);
            vec![super::notice(state, text)]
        }
    }
}

fn toggle(state: &mut State) -> Vec<Effect> {
    if state.connection.store.value().is_none() {
        return Vec::new();
    }
    if state.changes.is_on(state.clock.here) {
        state.changes = Changes::ReadOnly;
        return vec![super::notice(state, say!("changes-are-off"))];
    }
    if state.connection.kept.is_production {
        state.repair.typed_to_turn_on.clear();
        state.view.over = Some(Over::TurnChangesOn);
        return Vec::new();
    }
    turn_on(state, state.stores.current);
    let text = said(state);
    vec![super::notice(state, text)]
}

fn said(state: &State) -> String {
    let name = connection_name(&state.connection);
    match state.changes.left(state.clock.here) {
        Some(left) => {
            let left = crate::present::span::sentence(left);
            say!("changes-are-on-for", name = name, left = left)
        }
        None => say!("changes-are-on", name = name),
    }
}

/// A production store is read-only again after a while.
pub fn turn_on(state: &mut State, store: StoreId) {
    let here = state.clock.here;
    let minutes = i64::from(state.settings.changes_minutes);
    let of = |is_production: bool| Changes::On {
        until: is_production.then(|| here.plus(Duration::secs(minutes * 60))),
    };
    if store == state.stores.current {
        state.changes = of(state.connection.kept.is_production);
        return;
    }
    let mut parked = state.stores.parked.iter_mut();
    if let Some(parked) = parked.find(|parked| parked.id == store) {
        parked.areas.changes = of(parked.areas.connection.kept.is_production);
    }
}

/// Whether one of the open stores may be changed now.
pub fn is_on(state: &State, store: StoreId) -> bool {
    changes_of(state, store).is_some_and(|changes| changes.is_on(state.clock.here))
}

pub fn changes_of(state: &State, store: StoreId) -> Option<Changes> {
    if store == state.stores.current {
        return Some(state.changes);
    }
    let parked = state.stores.parked.iter();
    let mut all = parked.filter(|parked| parked.id == store);
    all.next().map(|parked| parked.areas.changes)
}

/// Time has passed: what was on for a while ends.
pub fn tick(state: &mut State) -> Vec<Effect> {
    let here = state.clock.here;
    let mut names = Vec::new();
    if state.changes.is_over(here) {
        state.changes = Changes::ReadOnly;
        names.push(connection_name(&state.connection));
    }
    for parked in &mut state.stores.parked {
        if parked.areas.changes.is_over(here) {
            parked.areas.changes = Changes::ReadOnly;
            names.push(connection_name(&parked.areas.connection));
        }
    }
    let told = names
        .into_iter()
        .map(|name| super::notice(state, say!("changes-are-over", name = name)));
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::event::{AppEvent, Event};
    use crate::app::state::Grouping;
    use crate::app::tests as testing;
    use crate::app::{Command, update};
    use crate::domain::Timestamp;
    use crate::present::clock::Offset;

    fn send(state: &mut State, command: ChangesCommand) {
        update::command(state, Command::Changes(command));
    }

    fn tick_to(state: &mut State, ms: i64) {
        let event = AppEvent::Tick {
            here: Timestamp(ms),
            offset: Offset::UTC,
        };
        update::event(state, Event::App(event));
    }

    #[test]
    fn production_asks_for_its_name_and_ends_by_itself() {
        let mut state = testing::locks(&[], None, Grouping::Flat, Timestamp(0));
        state.connection.kept.is_production = true;
        state.connection.kept.name = Some("payments-prod".to_owned());
        send(&mut state, ChangesCommand::Toggle);
        assert_eq!(state.view.over, Some(Over::TurnChangesOn));
        assert!(!state.changes.is_on(Timestamp(0)));
        send(&mut state, ChangesCommand::NameTyped("payments".to_owned()));
        send(&mut state, ChangesCommand::TurnOn);
        assert!(!state.changes.is_on(Timestamp(0)), "another name");
        let name = "payments-prod".to_owned();
        send(&mut state, ChangesCommand::NameTyped(name));
        send(&mut state, ChangesCommand::TurnOn);
        assert!(state.view.over.is_none());
        let end = 15 * 60_000;
        tick_to(&mut state, end - 1);
        assert!(state.changes.is_on(state.clock.here));
        tick_to(&mut state, end);
        assert_eq!(state.changes, Changes::ReadOnly);
        let told = state.notices.list.last().map(|notice| notice.text.as_str());
        assert_eq!(told, Some("payments-prod is read-only again"));
    }

    #[test]
    fn any_other_store_is_turned_on_and_off_at_once() {
        let mut state = testing::locks(&[], None, Grouping::Flat, Timestamp(0));
        send(&mut state, ChangesCommand::Toggle);
        assert_eq!(state.changes, Changes::On { until: None });
        send(&mut state, ChangesCommand::Toggle);
        assert_eq!(state.changes, Changes::ReadOnly);
        let mut closed = State::default();
        send(&mut closed, ChangesCommand::Toggle);
        assert_eq!(closed.changes, Changes::ReadOnly);
    }
}
