//! Record area: the panel with one record, whole.

use crate::app::command::RecordCommand;
use crate::app::effect::{Effect, RecordEffect};
use crate::app::event::RecordEvent;
use crate::app::remote::Failure;
use crate::app::state::{Place, State};
use crate::app::view;
use crate::domain::address::address_text;
use crate::domain::raw::RawAddress;

pub fn command(state: &mut State, command: RecordCommand) -> Vec<Effect> {
    match command {
        RecordCommand::Open => match view::cursor_address(state) {
            Some(address) => {
                match state.view.place {
                    Place::Locks => state.locks.is_cursor_placed = true,
                    _ => state.keys.is_cursor_placed = true,
                }
                open(state, address)
            }
            None => Vec::new(),
        },
        RecordCommand::Close => {
            let record = &mut state.record;
            record.generation += 1;
            record.open = None;
            record.whole.reset();
            Vec::new()
        }
        RecordCommand::Tab(tab) => {
            state.record.tab = tab;
            Vec::new()
        }
        RecordCommand::CopyKey => match view::open_record(state) {
            Some((record, _)) => {
                let notice = super::notice(state, "Key copied");
                vec![Effect::Copy(crate::present::copy::key(&record)), notice]
            }
            None => Vec::new(),
        },
        RecordCommand::CopyAddress => match &state.record.open {
            Some(address) => {
                let text = address_text(address);
                let notice = super::notice(state, "Address copied");
                vec![Effect::Copy(text), notice]
            }
            None => Vec::new(),
        },
    }
}

/// The panel shows the record under the cursor, where it is open.
pub fn follow(state: &mut State) -> Vec<Effect> {
    if state.record.open.is_none() {
        return Vec::new();
    }
    match view::cursor_address(state) {
        Some(address) if state.record.open.as_ref() != Some(&address) => open(state, address),
        _ => Vec::new(),
    }
}

/// The store was read again: so is the record.
pub fn look_again(state: &mut State) -> Vec<Effect> {
    match state.record.open.clone() {
        Some(address) => ask(state, address),
        None => Vec::new(),
    }
}

fn open(state: &mut State, address: RawAddress) -> Vec<Effect> {
    state.record.whole.reset();
    ask(state, address)
}

fn ask(state: &mut State, address: RawAddress) -> Vec<Effect> {
    let record = &mut state.record;
    record.generation += 1;
    record.open = Some(address.clone());
    record.whole.loading();
    vec![Effect::Record(RecordEffect::Open {
        generation: record.generation,
        address,
    })]
}

pub fn event(state: &mut State, event: RecordEvent) -> Vec<Effect> {
    let current = state.record.generation;
    match event {
        RecordEvent::Opened { generation, whole } if generation == current => {
            state.record.whole.ready(whole, state.clock.here);
            Vec::new()
        }
        RecordEvent::Failed {
            generation,
            failure,
        } if generation == current => failed(state, failure),
        _ => Vec::new(),
    }
}

fn failed(state: &mut State, failure: Failure) -> Vec<Effect> {
    state.record.whole.failed(failure.clone());
    if failure.is_connection && state.connection.lost.is_none() {
        return super::connect::lose(state, failure);
    }
    Vec::new()
}
