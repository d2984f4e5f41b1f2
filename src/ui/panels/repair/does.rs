//! What is done to a record, in a few words that machines have too: the command, or the columns.
//!
//! Apart from `data` because these words are the same in every language.

use crate::domain::address::escape_bytes;
use crate::domain::change::{
    Change, ExactCell, PieceChange, PiecePart, PieceState, RowChange, RowState,
};
use crate::present::count::bytes;
use crate::present::escape;

/// Characters of a name.
const NAME_CHARS: usize = 40;

/// A change in a few words that machines have too.
pub fn words(change: &Change) -> String {
    let words: Vec<String> = match change {
        Change::Keys(pieces) => {
            let changed = pieces.iter().filter(|piece| piece.seen != piece.then);
            changed.map(of_piece).collect()
        }
        Change::Row(row) => vec![of_row(row)],
    };
    words.join(", ")
}

fn of_piece(piece: &PieceChange) -> String {
    let name = |bytes: &[u8]| escape::shown(&escape_bytes(bytes), NAME_CHARS);
    let size = |state: &PieceState| bytes(state.bytes() as u64);
    let is_gone = piece.then == PieceState::Absent;
    match (&piece.piece.part, is_gone) {
        (PiecePart::Whole, true) => format!("DEL {}", size(&piece.seen)),
        (PiecePart::Whole, false) => format!("SET {}", size(&piece.then)),
        (PiecePart::Field(field), true) => format!("HDEL {}", name(field)),
        (PiecePart::Field(field), false) => format!("HSET {}", name(field)),
        (PiecePart::Member(_), true) => "SREM".to_owned(),
        (PiecePart::Member(_), false) => "SADD".to_owned(),
        (PiecePart::Score(_), true) => "ZREM".to_owned(),
        (PiecePart::Score(_), false) => "ZADD".to_owned(),
    }
}

fn of_row(row: &RowChange) -> String {
    match (&row.seen, &row.then) {
        (_, RowState::Absent) => "DELETE".to_owned(),
        (RowState::Absent, RowState::Row { .. }) => "INSERT".to_owned(),
        (RowState::Row { cells: seen, .. }, RowState::Row { cells: then, .. }) => {
            let cells = seen.iter().zip(then).zip(&row.shape.columns);
            let changed = cells.filter(|((seen, then), _)| seen != then);
            let words: Vec<String> = changed
                .map(|((_, then), column)| {
                    let name = escape::shown(&column.name, NAME_CHARS);
                    match then {
                        ExactCell::Null => format!("{name} = NULL"),
                        _ => name,
                    }
                })
                .collect();
            format!("SET {}", words.join(", "))
        }
    }
}
