//! Record area: the panel with one record, whole.

use crate::app::command::RecordCommand;
use crate::app::effect::{Effect, LayOut, RecordEffect};
use crate::app::event::RecordEvent;
use crate::app::remote::Failure;
use crate::app::state::{Place, State, Tab};
use crate::app::view;
use crate::domain::address::address_text;
use crate::domain::raw::RawAddress;
use crate::present::say::say;

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
            record.sheet = None;
            record.is_laying_out = false;
            Vec::new()
        }
        RecordCommand::Tab(tab) => {
            state.record.tab = tab;
            let mut effects = lay_out(state);
            effects.extend(super::journal::history(state));
            effects
        }
        RecordCommand::Form(form) => {
            state.record.form = form;
            lay_out(state)
        }
        RecordCommand::Reveal => {
            state.record.reveals = !state.record.reveals;
            lay_out(state)
        }
        RecordCommand::Width(chars) => {
            if state.record.chars == chars {
                return Vec::new();
            }
            state.record.chars = chars;
            lay_out(state)
        }
        RecordCommand::CopyPayload => match &state.record.sheet {
            Some(sheet) => {
                let text = sheet.text.to_string();
                let notice = match sheet.masked {
                    0 => say!("record-copied"),
                    masked => say!("record-copied-masked", count = masked),
                };
                vec![Effect::Copy(text), super::notice(state, notice)]
            }
            None => Vec::new(),
        },
        RecordCommand::CopyKey => match view::open_record(state) {
            Some((record, _)) => {
                let notice = super::notice(state, say!("record-key-copied"));
                vec![Effect::Copy(crate::present::copy::key(&record)), notice]
            }
            None => Vec::new(),
        },
        RecordCommand::CopyAddress => match &state.record.open {
            Some(address) => {
                let text = address_text(address);
                let notice = super::notice(state, say!("record-address-copied"));
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
    let record = &mut state.record;
    record.whole.reset();
    record.sheet = None;
    record.is_laying_out = false;
    // What one asked to see of one record is not asked of the next.
    record.reveals = false;
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
            let mut effects = lay_out(state);
            effects.extend(super::journal::history(state));
            effects
        }
        RecordEvent::LaidOut { sheet } if sheet.number == state.record.sheet_number => {
            state.record.is_laying_out = false;
            state.record.sheet = Some(sheet);
            Vec::new()
        }
        RecordEvent::Failed {
            generation,
            failure,
        } if generation == current => failed(state, failure),
        _ => Vec::new(),
    }
}

/// The payload of the tab, as lines; what was laid out before is shown until then.
fn lay_out(state: &mut State) -> Vec<Effect> {
    let record = &mut state.record;
    let has_payload = matches!(record.tab, Tab::Response | Tab::Raw);
    let whole = record.whole.value().cloned().flatten();
    let (true, Some(whole)) = (has_payload && record.chars > 0, whole) else {
        return Vec::new();
    };
    record.sheet_number += 1;
    record.is_laying_out = true;
    vec![Effect::Record(RecordEffect::LayOut(Box::new(LayOut {
        number: record.sheet_number,
        whole,
        tab: record.tab,
        form: record.form,
        reveals: record.reveals,
        chars: record.chars,
    })))]
}

fn failed(state: &mut State, failure: Failure) -> Vec<Effect> {
    state.record.whole.failed(failure.clone());
    if failure.is_connection && state.connection.lost.is_none() {
        return super::connect::lose(state, failure);
    }
    Vec::new()
}
