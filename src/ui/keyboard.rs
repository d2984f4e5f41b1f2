//! Keys pressed anywhere in the window, as commands.
//!
//! Single letters and arrows work when no text field has the focus.

use egui::{Context, Key, Modifiers};

use super::commands::Commands;
use crate::app::command::{
    Command, EditorCommand, JournalCommand, KeysCommand, LabCommand, LayoutsCommand, LocksCommand,
    SelectCommand, Shortcut, StatsCommand,
};
use crate::app::state::Place;
use crate::app::{Move, Named, State};

pub fn read(ctx: &Context, state: &State, rows_in_sight: f32, send: &Commands) {
    let is_typing = ctx.text_edit_focused();
    // Enter and Space belong to the button that has the focus.
    let has_focus = ctx.memory(|memory| memory.focused().is_some());
    // Shift first: a key without it would take both.
    let is_shift = |named: &Named| matches!(named.shortcut(), Shortcut::Shift(_));
    let (first, rest): (Vec<_>, Vec<_>) = Named::ALL.iter().copied().partition(is_shift);
    for named in first.into_iter().chain(rest) {
        // What lies over the window keeps the keyboard.
        let is_kept = state.view.over.is_some() && !works_over(named);
        if is_kept || !named.is_available(state) {
            continue;
        }
        let pressed = match named.shortcut() {
            // A text that is selected in a field is the field's.
            Shortcut::Ctrl("A") if is_typing => false,
            Shortcut::Ctrl(key) => consume(ctx, Modifiers::COMMAND, key),
            Shortcut::Plain(_) if is_typing => false,
            Shortcut::Plain("Enter" | "Space") if has_focus => false,
            Shortcut::Shift(_) if is_typing => false,
            Shortcut::Shift(key) => consume(ctx, Modifiers::SHIFT, key),
            Shortcut::Alt(key) => consume(ctx, Modifiers::ALT, key),
            Shortcut::Plain(key) => consume(ctx, Modifiers::NONE, key),
        };
        // F5 means the same while typing.
        let again = named == Named::ReadAgain && is_typing && consume(ctx, Modifiers::NONE, "F5");
        if pressed || again {
            send.send(named.command());
        }
    }
    // The page of connecting is nothing but its field.
    let escaped = ctx.input(|input| input.key_pressed(Key::Escape));
    let is_left = state.view.place == Place::Connect || state.view.over.is_some();
    if is_typing && escaped && is_left {
        send.send(Named::StepBack.command());
    }
    if is_typing || state.view.over.is_some() {
        return;
    }
    let has_rows = matches!(state.view.place, Place::Keys | Place::Locks);
    if has_rows {
        read_extending(ctx, rows_in_sight, send);
        // The window turns Ctrl C into this.
        let copies = ctx.input(|input| input.events.contains(&egui::Event::Copy));
        if copies && !has_focus {
            send.send(Named::CopyKey.command());
        }
    }
    if !has_focus {
        read_steps(ctx, state.view.place, send);
    }
    if let Some(moved) = moved_in(state.view.place) {
        read_moves(ctx, &page_moves(rows_in_sight), moved, send);
        // Arrows go from button to button while one has the focus.
        if !has_focus {
            read_moves(ctx, &ARROWS, moved, send);
            if let Some(sampled) = sampled_in(state.view.place) {
                read_samples(ctx, sampled, send);
            }
        }
    }
}

/// Arrows in a view whose list, where it has one, is not all there is to move in.
fn read_steps(ctx: &Context, place: Place, send: &Commands) {
    match place {
        Place::Lab => {
            let moved = |step| Command::Lab(LabCommand::Move(step));
            read_moves(ctx, &ARROWS, moved, send);
            read_samples(ctx, |by| Command::Lab(LabCommand::Step(by)), send);
        }
        Place::Stats => {
            read_samples(ctx, |by| Command::Stats(StatsCommand::WindowBy(by)), send);
        }
        _ => {}
    }
}

fn works_over(named: Named) -> bool {
    matches!(
        named,
        Named::StepBack
            | Named::KeysPage
            | Named::Quit
            | Named::ZoomIn
            | Named::ZoomOut
            | Named::ZoomUsual
    )
}

const ARROWS: [(Key, Move); 2] = [(Key::ArrowDown, Move::By(1)), (Key::ArrowUp, Move::By(-1))];

fn page_moves(rows_in_sight: f32) -> [(Key, Move); 6] {
    let page = (rows_in_sight.floor() as i64 - 1).max(1);
    [
        (Key::J, Move::By(1)),
        (Key::K, Move::By(-1)),
        (Key::PageDown, Move::By(page)),
        (Key::PageUp, Move::By(-page)),
        (Key::Home, Move::First),
        (Key::End, Move::Last),
    ]
}

/// What a move is in a view that has rows.
fn moved_in(place: Place) -> Option<fn(Move) -> Command> {
    match place {
        Place::Keys => Some(|step| Command::Keys(KeysCommand::Move(step))),
        Place::Locks => Some(|step| Command::Locks(LocksCommand::Move(step))),
        Place::Layouts => Some(|step| Command::Layouts(LayoutsCommand::Move(step))),
        Place::Editor => Some(|step| Command::Editor(EditorCommand::Move(step))),
        Place::Journal => Some(|step| Command::Journal(JournalCommand::Move(step))),
        // Its list is moved in by arrows alone: the other keys move in time.
        Place::Lab | Place::Stats | Place::Settings | Place::Connect => None,
    }
}

/// What another sample is in a view that has some.
fn sampled_in(place: Place) -> Option<fn(i64) -> Command> {
    match place {
        Place::Layouts => Some(|by| Command::Layouts(LayoutsCommand::Sample(by))),
        Place::Editor => Some(|by| Command::Editor(EditorCommand::Example(by))),
        Place::Keys
        | Place::Locks
        | Place::Lab
        | Place::Stats
        | Place::Journal
        | Place::Settings
        | Place::Connect => None,
    }
}

fn read_moves(ctx: &Context, moves: &[(Key, Move)], moved: fn(Move) -> Command, send: &Commands) {
    for (key, step) in moves {
        while ctx.input_mut(|input| input.consume_key(Modifiers::NONE, *key)) {
            send.send(moved(*step));
        }
    }
}

fn read_samples(ctx: &Context, sampled: fn(i64) -> Command, send: &Commands) {
    for (key, by) in [(Key::ArrowLeft, -1), (Key::ArrowRight, 1)] {
        while ctx.input_mut(|input| input.consume_key(Modifiers::NONE, key)) {
            send.send(sampled(by));
        }
    }
}

/// `Shift` extends the selection.
fn read_extending(ctx: &Context, rows_in_sight: f32, send: &Commands) {
    let moves = page_moves(rows_in_sight);
    for (key, step) in ARROWS.iter().chain(&moves) {
        while ctx.input_mut(|input| input.consume_key(Modifiers::SHIFT, *key)) {
            send.send(Command::Select(SelectCommand::ExtendBy(*step)));
        }
    }
}

fn consume(ctx: &Context, modifiers: Modifiers, name: &str) -> bool {
    let name = match name {
        "Esc" => "Escape",
        name => name,
    };
    let Some(key) = Key::from_name(name) else {
        return false;
    };
    // On many keyboards the plus stands with the equals sign.
    let twin = (key == Key::Plus).then_some(Key::Equals);
    ctx.input_mut(|input| {
        input.consume_key(modifiers, key)
            || twin.is_some_and(|twin| input.consume_key(modifiers, twin))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_is_a_key() {
        for named in Named::ALL {
            let (Shortcut::Plain(key)
            | Shortcut::Ctrl(key)
            | Shortcut::Shift(key)
            | Shortcut::Alt(key)) = named.shortcut();
            let key = if key == "Esc" { "Escape" } else { key };
            assert!(Key::from_name(key).is_some(), "{named:?}");
        }
    }
}
