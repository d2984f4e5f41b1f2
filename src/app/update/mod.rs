//! Changes the state by one command or event, and says what is to be done outside.
//!
//! Invariant: no I/O, no clock, no waiting; late answers are dropped by their generation.

mod app;
mod changes;
mod connect;
mod connections;
mod editor;
mod export;
mod form;
mod journal;
mod keys;
mod lab;
mod layouts;
mod locks;
mod palette;
mod record;
mod repair;
mod select;
mod settings;
mod stats;
mod stores;
#[cfg(test)]
mod tests;

use super::command::{AppCommand, Command};
use super::effect::Effect;
use super::event::Event;
use super::state::{State, StoreId};
use crate::config::Wanted;

pub fn command(state: &mut State, command: Command) -> Vec<Effect> {
    let before = state.settings.clone();
    let was = state.view.place;
    let is_way = matches!(
        command,
        Command::App(AppCommand::GoBack | AppCommand::GoForward)
    );
    let mut effects = by_area(state, command);
    if state.view.place != was {
        if !is_way {
            state.view.way.went(was);
        }
        effects.extend(stats::place_changed(state, was));
    }
    // What a person likes is kept, whichever command changed it.
    if state.settings != before && !state.settings_broken {
        effects.push(Effect::SaveSettings(Box::new(state.settings.clone())));
    }
    effects
}

fn by_area(state: &mut State, command: Command) -> Vec<Effect> {
    match command {
        Command::App(command) => app::command(state, command),
        Command::Connect(command) => connect::command(state, command),
        Command::Stores(command) => stores::command(state, command),
        Command::Keys(command) => keys::command(state, command),
        Command::Locks(command) => locks::command(state, command),
        Command::Layouts(command) => layouts::command(state, command),
        Command::Editor(command) => editor::command(state, command),
        Command::Select(command) => select::command(state, command),
        Command::Export(command) => export::command(state, command),
        Command::Changes(command) => changes::command(state, command),
        Command::Repair(command) => repair::command(state, command),
        Command::Journal(command) => journal::command(state, command),
        Command::Lab(command) => lab::command(state, command),
        Command::Palette(command) => palette::command(state, command),
        Command::Record(command) => record::command(state, command),
        Command::Settings(command) => settings::command(state, command),
        Command::Stats(command) => stats::command(state, command),
    }
}

/// What has come for one of the open stores.
pub fn event_of(state: &mut State, store: StoreId, event: Event) -> Vec<Effect> {
    stores::event(state, store, event)
}

/// What has come for the store that is shown.
pub fn event(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::App(event) => app::event(state, event),
        Event::Connect(event) => connect::event(state, event),
        Event::Connections(event) => connections::event(state, event),
        Event::Keys(event) => keys::event(state, event),
        Event::Record(event) => record::event(state, event),
        Event::Export(event) => export::event(state, event),
        Event::Repair(event) => repair::event(state, event),
        Event::Journal(event) => journal::event(state, event),
        Event::Lab(event) => lab::event(state, event),
        Event::Stats(event) => stats::event(state, event),
        Event::Layouts(event) => layouts::event(state, event),
        Event::Editor(event) => editor::event(state, event),
    }
}

/// Whether something would be lost with the window, or cut short: it asks before it closes.
pub fn asks_before_closing(state: &State) -> bool {
    editor::unsaved(state).is_some() || repair::is_under_way(state)
}

/// Whether one of the open stores may be changed now.
pub fn changes_on(state: &State, store: StoreId) -> bool {
    changes::is_on(state, store)
}

/// The source that the layouts view looks at.
pub fn chosen_source(state: &State) -> Option<&super::state::SourceFace> {
    layouts::chosen(state)
}

pub use keys::live_every_ms;
pub use lab::{WhyNot, is_changed, why_not_open};

/// The first thing to do.
pub fn begin(state: &mut State, wanted: Wanted) -> Vec<Effect> {
    connect::open(state, wanted)
}

/// Puts a notice up for a while.
pub fn notice(state: &mut State, text: impl Into<String>) -> Effect {
    app::notice(state, text)
}
