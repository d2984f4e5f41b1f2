//! Journal area: the runs there were, the one that is looked at, the history of a record.

use crate::app::command::{JournalCommand, RepairCommand};
use crate::app::effect::{Effect, JournalEffect};
use crate::app::event::JournalEvent;
use crate::app::remote::Failure;
use crate::app::state::{Over, Place, State, Tab};
use crate::app::view;
use crate::domain::address::address_text;

pub fn command(state: &mut State, command: JournalCommand) -> Vec<Effect> {
    match command {
        JournalCommand::Show => {
            state.view.place = Place::Journal;
            list(state)
        }
        JournalCommand::ShowRun(run) => {
            if state.view.over == Some(Over::Repair) {
                super::repair::leave(state);
            }
            state.view.place = Place::Journal;
            state.journal.wanted = Some(run);
            list(state)
        }
        JournalCommand::Move(step) => {
            let journal = &state.journal;
            let runs = journal.list.value().map_or(0, |list| list.runs.len());
            match step.from(Some(journal.cursor as u64), runs as u64) {
                Some(at) => point_at(state, at as usize),
                None => Vec::new(),
            }
        }
        JournalCommand::PointAt(at) => point_at(state, at),
        JournalCommand::ShowOutcome(outcome) => {
            state.journal.shown = outcome;
            Vec::new()
        }
        JournalCommand::UndoChosen => {
            if view::why_not_undo(state).is_some() {
                return Vec::new();
            }
            match state.journal.chosen().map(|run| run.header.id.clone()) {
                Some(id) => super::repair::command(state, RepairCommand::Undo(id)),
                None => Vec::new(),
            }
        }
    }
}

fn list(state: &mut State) -> Vec<Effect> {
    let journal = &mut state.journal;
    journal.generation += 1;
    journal.list.loading();
    vec![Effect::Journal(JournalEffect::List {
        generation: journal.generation,
    })]
}

fn point_at(state: &mut State, at: usize) -> Vec<Effect> {
    let journal = &mut state.journal;
    let Some(list) = journal.list.value() else {
        return Vec::new();
    };
    let Some(run) = list.runs.get(at).map(|run| run.header.id.clone()) else {
        return Vec::new();
    };
    let is_other = journal
        .run
        .value()
        .is_none_or(|known| known.header.id != run);
    if is_other {
        journal.run.reset();
        journal.shown = None;
    }
    journal.cursor = at;
    journal.reveal += 1;
    journal.run_generation += 1;
    journal.run.loading();
    vec![Effect::Journal(JournalEffect::Read {
        generation: journal.run_generation,
        run,
    })]
}

/// A run has ended: what is shown of the journal is old.
pub fn look_again(state: &mut State) -> Vec<Effect> {
    let mut effects = match state.view.place {
        Place::Journal => list(state),
        _ => Vec::new(),
    };
    effects.extend(ask_history(state));
    effects
}

/// The record in the panel, where its history is looked at.
pub fn history(state: &mut State) -> Vec<Effect> {
    let open = state.record.open.as_ref().map(address_text);
    if state.record.tab != Tab::History || open.as_ref() == Some(&state.journal.history.address) {
        return Vec::new();
    }
    ask_history(state)
}

fn ask_history(state: &mut State) -> Vec<Effect> {
    let opened = state.connection.store.value();
    let target = opened.map(|opened| opened.label.clone());
    let open = state.record.open.as_ref().map(address_text);
    let history = &mut state.journal.history;
    let (Some(address), Some(target)) = (open, target) else {
        return Vec::new();
    };
    if state.record.tab != Tab::History {
        // It is asked for when somebody looks.
        history.address.clear();
        return Vec::new();
    }
    if history.address != address {
        history.lines.reset();
    }
    history.generation += 1;
    history.address.clone_from(&address);
    history.lines.loading();
    vec![Effect::Journal(JournalEffect::History {
        generation: history.generation,
        target,
        address,
    })]
}

pub fn event(state: &mut State, event: JournalEvent) -> Vec<Effect> {
    let here = state.clock.here;
    let journal = &mut state.journal;
    match event {
        JournalEvent::Listed { generation, list } if generation == journal.generation => {
            let known = journal.chosen().map(|run| run.header.id.clone());
            let wanted = journal.wanted.take().or(known);
            let place = |id: &String| list.runs.iter().position(|run| run.header.id == *id);
            let at = wanted.as_ref().and_then(place).unwrap_or(0);
            journal.list.ready(list, here);
            journal.cursor = at;
            return point_at(state, at);
        }
        JournalEvent::Read { generation, answer } if generation == journal.run_generation => {
            match answer {
                Ok(run) => journal.run.ready(run, here),
                Err(text) => journal.run.failed(Failure {
                    text,
                    hint: None,
                    is_connection: false,
                }),
            }
        }
        JournalEvent::History { generation, lines } if generation == journal.history.generation => {
            journal.history.lines.ready(lines, here);
        }
        _ => {}
    }
    Vec::new()
}
