//! Keys pressed anywhere in the window, as commands.
//!
//! Single letters and arrows work when no text field has the focus.

use egui::{Context, Key, Modifiers};

use super::commands::Commands;
use crate::app::command::{Command, KeysCommand, Shortcut};
use crate::app::state::Place;
use crate::app::{Move, Named, State};

pub fn read(ctx: &Context, state: &State, rows_in_sight: f32, send: &Commands) {
    let is_typing = ctx.text_edit_focused();
    // Enter and Space belong to the button that has the focus.
    let has_focus = ctx.memory(|memory| memory.focused().is_some());
    for named in Named::ALL {
        if !named.is_available(state) {
            continue;
        }
        let pressed = match named.info().shortcut {
            Shortcut::Ctrl(key) => consume(ctx, Modifiers::COMMAND, key),
            Shortcut::Plain(_) if is_typing => false,
            Shortcut::Plain("Enter") if has_focus => false,
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
    if is_typing && escaped && state.view.place == Place::Connect {
        send.send(Named::StepBack.command());
    }
    if !is_typing && state.view.place == Place::Keys {
        read_moves(ctx, &page_moves(rows_in_sight), send);
        // Arrows go from button to button while one has the focus.
        if !has_focus {
            read_moves(ctx, &ARROWS, send);
        }
    }
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

fn read_moves(ctx: &Context, moves: &[(Key, Move)], send: &Commands) {
    for (key, step) in moves {
        while ctx.input_mut(|input| input.consume_key(Modifiers::NONE, *key)) {
            send.send(Command::Keys(KeysCommand::Move(*step)));
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
    ctx.input_mut(|input| input.consume_key(modifiers, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_is_a_key() {
        for named in Named::ALL {
            let (Shortcut::Plain(key) | Shortcut::Ctrl(key)) = named.info().shortcut;
            let key = if key == "Esc" { "Escape" } else { key };
            assert!(Key::from_name(key).is_some(), "{named:?}");
        }
    }
}
