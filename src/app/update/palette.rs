//! Palette area: finding a command by a few of its letters.

use crate::app::command::{Command, ConnectCommand, KeysCommand, Move, Named, PaletteCommand};
use crate::app::effect::Effect;
use crate::app::state::{Over, State};
use crate::app::view::{PaletteMode, palette_mode, palette_names};
use crate::domain::Secret;

pub fn command(state: &mut State, command: PaletteCommand) -> Vec<Effect> {
    match command {
        PaletteCommand::Show => {
            state.palette = Default::default();
            state.view.over = Some(Over::Palette);
            Vec::new()
        }
        PaletteCommand::Typed(text) => {
            state.palette.text = text;
            state.palette.chosen = 0;
            Vec::new()
        }
        PaletteCommand::Move(by) => {
            let found = palette_names(state).len() as u64;
            let place = Some(state.palette.chosen as u64);
            let to = Move::By(by).from(place, found).unwrap_or_default();
            state.palette.chosen = usize::try_from(to).unwrap_or_default();
            Vec::new()
        }
        PaletteCommand::Run => run(state),
    }
}

fn run(state: &mut State) -> Vec<Effect> {
    match palette_mode(&state.palette.text) {
        PaletteMode::Keys(text) => {
            let text = text.trim().to_owned();
            state.view.over = None;
            super::command(state, Command::Keys(KeysCommand::FocusFilter));
            super::command(state, Command::Keys(KeysCommand::FilterTyped(text)))
        }
        PaletteMode::Connection(text) => {
            let open = ConnectCommand::OpenText(Secret::new(text.trim()));
            // It may hold a password.
            state.palette = Default::default();
            state.view.over = None;
            super::command(state, Command::Connect(ConnectCommand::ShowPage));
            super::command(state, Command::Connect(open))
        }
        PaletteMode::Commands(_) => {
            let found: Option<Named> = palette_names(state)
                .get(state.palette.chosen)
                .filter(|found| found.is_available)
                .map(|found| found.named);
            let Some(named) = found else {
                return Vec::new();
            };
            state.view.over = None;
            super::command(state, named.command())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Place;

    #[test]
    fn a_command_is_found_by_a_few_letters_and_run() {
        let mut state = State::default();
        command(&mut state, PaletteCommand::Show);
        command(&mut state, PaletteCommand::Typed("cnct".to_owned()));
        let found = palette_names(&state);
        assert_eq!(found[0].named, Named::Connect);
        assert_eq!(found[0].letters, [0, 2, 5, 6]);
        command(&mut state, PaletteCommand::Run);
        assert_eq!((state.view.place, state.view.over), (Place::Connect, None));
    }

    #[test]
    fn what_cannot_run_now_comes_last_and_does_not_run() {
        let mut state = State::default();
        command(&mut state, PaletteCommand::Show);
        let found = palette_names(&state);
        let first_off = found.iter().position(|found| !found.is_available);
        assert!(
            found[first_off.expect("some")..]
                .iter()
                .all(|found| !found.is_available)
        );
        command(&mut state, PaletteCommand::Typed("export".to_owned()));
        assert!(command(&mut state, PaletteCommand::Run).is_empty());
        assert_eq!(state.view.over, Some(Over::Palette));
    }

    #[test]
    fn a_slash_filters_the_keys() {
        let mut state = State::default();
        command(&mut state, PaletteCommand::Typed("/a80".to_owned()));
        command(&mut state, PaletteCommand::Run);
        assert_eq!(state.keys.filter, "a80");
    }
}
