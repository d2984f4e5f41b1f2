//! Which commands the palette has found.

use crate::app::command::Named;
use crate::app::state::State;

/// What the first letter makes of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaletteMode<'a> {
    Commands(&'a str),
    Keys(&'a str),
    Connection(&'a str),
}

pub fn palette_mode(text: &str) -> PaletteMode<'_> {
    if let Some(rest) = text.strip_prefix('/') {
        PaletteMode::Keys(rest)
    } else if let Some(rest) = text.strip_prefix('@') {
        PaletteMode::Connection(rest)
    } else {
        PaletteMode::Commands(text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCommand {
    pub named: Named,
    /// Places of the letters that were found in the label.
    pub letters: Vec<usize>,
    pub is_available: bool,
}

/// Best first; what cannot run now comes last.
pub fn palette_names(state: &State) -> Vec<FoundCommand> {
    let PaletteMode::Commands(text) = palette_mode(&state.palette.text) else {
        return Vec::new();
    };
    let found = Named::ALL.iter().copied().filter_map(|named| {
        Some(FoundCommand {
            named,
            letters: letters(&named.info().label, text.trim())?,
            is_available: named.is_available(state),
        })
    });
    let mut found: Vec<FoundCommand> = found.collect();
    found.sort_by_key(|found| (!found.is_available, spread(&found.letters)));
    found
}

/// Where the wanted letters stand, in their order; a run of them is taken whole where there is one.
fn letters(label: &str, wanted: &str) -> Option<Vec<usize>> {
    let label: Vec<char> = label.chars().flat_map(char::to_lowercase).collect();
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).collect();
    if let Some(start) = label
        .windows(wanted.len().max(1))
        .position(|part| part == wanted)
    {
        return Some((start..start + wanted.len()).collect());
    }
    let mut from = 0;
    let mut places = Vec::new();
    for letter in wanted {
        let at = label.iter().skip(from).position(|known| *known == letter)? + from;
        places.push(at);
        from = at + 1;
    }
    Some(places)
}

/// Letters that stand close together and early are meant.
fn spread(letters: &[usize]) -> (usize, usize) {
    match letters {
        [] => (0, 0),
        [first, .., last] => (last - first + 1 - letters.len(), *first),
        [only] => (0, *only),
    }
}
