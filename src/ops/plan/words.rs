//! What a change does, in words: which keys go, which columns become what.
//!
//! Values are never said, only names, sizes and the new values of columns that are no payload.

use crate::domain::address::escape_bytes;
use crate::domain::change::{
    Change, ExactCell, ExactValue, PieceChange, PiecePart, PieceState, RowChange, RowState, Verb,
};
use crate::present::escape;
use crate::present::words::plural;

/// Characters of a name, and of a new value, that are shown.
const NAME_CHARS: usize = 120;
const VALUE_CHARS: usize = 40;

/// One line for each thing that changes.
pub fn lines(change: &Change) -> Vec<String> {
    match change {
        Change::Keys(pieces) => pieces
            .iter()
            .filter(|piece| piece.seen != piece.then)
            .map(piece_words)
            .collect(),
        Change::Row(row) => row_words(row),
    }
}

/// The things that are only compared.
pub fn compared(change: &Change) -> usize {
    match change {
        Change::Keys(pieces) => pieces
            .iter()
            .filter(|piece| piece.seen == piece.then)
            .count(),
        Change::Row(_) => 0,
    }
}

/// What a retry does afterwards, as one sentence.
pub fn consequence(verb: Verb) -> &'static str {
    match verb {
        Verb::Release => {
            "The next retry executes again. If the effect happened before the crash, it happens \
             twice: a payment may have been made, and the retry will pay again."
        }
        Verb::Settle => {
            "Retries replay this answer and execute nothing. If the effect did not happen, it \
             never will under this key."
        }
        Verb::Purge => {
            "A retry that comes later than this executes as if it were the first request."
        }
        Verb::Undo => "Records are put back as they were before the run.",
    }
}

fn name(bytes: &[u8]) -> String {
    escape::shown(&escape_bytes(bytes), NAME_CHARS)
}

fn piece_words(change: &PieceChange) -> String {
    let key = name(&change.piece.key);
    let thing = match &change.piece.part {
        PiecePart::Whole => format!("`{key}`"),
        PiecePart::Member(member) => format!("member `{}` of `{key}`", name(member)),
        PiecePart::Field(field) => format!("field `{}` of `{key}`", name(field)),
        PiecePart::Score(member) => format!("member `{}` of `{key}`", name(member)),
    };
    match (&change.seen, &change.then) {
        (PieceState::Absent, then) => format!("writes {thing} ({})", size(then)),
        (seen, PieceState::Absent) => format!("deletes {thing} ({})", size(seen)),
        (
            PieceState::Value {
                value: ExactValue::Hash(seen),
                ..
            },
            PieceState::Value {
                value: ExactValue::Hash(then),
                ..
            },
        ) => {
            let new = then.iter().filter(|field| !seen.contains(field));
            let mut fields: Vec<String> = new.map(|(field, _)| name(field)).collect();
            let is_kept = |field: &[u8]| then.iter().any(|(known, _)| known == field);
            let gone = seen.iter().filter(|(field, _)| !is_kept(field));
            fields.extend(gone.map(|(field, _)| name(field)));
            fields.dedup();
            format!("changes `{}` of {thing}", fields.join("`, `"))
        }
        (_, then) => format!("changes {thing} ({})", size(then)),
    }
}

fn size(state: &PieceState) -> String {
    let bytes = |len: usize| plural(len as u64, "byte", "bytes");
    match state {
        PieceState::Absent => "nothing".to_owned(),
        PieceState::There(value) => bytes(value.len()),
        PieceState::Value { value, .. } => match value {
            ExactValue::String(value) => bytes(value.len()),
            ExactValue::Hash(fields) => plural(fields.len() as u64, "field", "fields"),
            ExactValue::Set(members) => plural(members.len() as u64, "member", "members"),
            ExactValue::SortedSet(members) => plural(members.len() as u64, "member", "members"),
        },
    }
}

fn row_words(row: &RowChange) -> Vec<String> {
    let place = escape::shown(&row.shape.place(), NAME_CHARS);
    match (&row.seen, &row.then) {
        (RowState::Row { .. }, RowState::Absent) => vec![format!("deletes the row of `{place}`")],
        (RowState::Absent, RowState::Row { .. }) => {
            vec![format!("puts the row back into `{place}`")]
        }
        (RowState::Row { cells: seen, .. }, RowState::Row { cells: then, .. }) => {
            let pairs = seen.iter().zip(then).zip(&row.shape.columns);
            let changed = pairs.filter(|((seen, then), _)| seen != then);
            changed
                .map(|((_, then), column)| {
                    let column = escape::shown(&column.name, NAME_CHARS);
                    format!("sets `{column}` to {}", cell_words(then))
                })
                .collect()
        }
        (RowState::Absent, RowState::Absent) => Vec::new(),
    }
}

fn cell_words(cell: &ExactCell) -> String {
    match cell {
        ExactCell::Null => "NULL".to_owned(),
        ExactCell::Int(number) => number.to_string(),
        ExactCell::Real(number) => number.to_string(),
        ExactCell::Text(text) if text.chars().count() <= VALUE_CHARS => {
            let (masked, _) = crate::present::mask::mask(text);
            escape::shown(&masked, VALUE_CHARS)
        }
        ExactCell::Text(text) => plural(text.len() as u64, "byte", "bytes"),
        ExactCell::Blob(bytes) | ExactCell::RawText(bytes) => {
            plural(bytes.len() as u64, "byte", "bytes")
        }
    }
}
