//! Records as changes see them: which pieces they have, what they read as, what a repair makes of
//! them.
//!
//! Apart from `keys` and `source`, which read lists and pages, because here everything is exact.

use super::reading::Reading;
use super::source::Source;
use crate::domain::Timestamp;
use crate::domain::change::{Answer, ExactCell, Piece, PieceState, RowState, TableShape, Verb};
use crate::domain::raw::RawAddress;

/// What a piece is to its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceRole {
    /// The key, member or field that the record is shown under.
    Own,
    /// A further key, by its name in the layout.
    Part(String),
    /// The lock of a record, or the record of a lock.
    Counterpart,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecordPiece {
    pub role: PieceRole,
    pub piece: Piece,
}

impl Source {
    /// Every piece of the record at an address, its own first; empty where the address is none of
    /// this source's.
    pub fn pieces(&self, address: &RawAddress) -> Vec<RecordPiece> {
        let _ = address;
        Vec::new()
    }

    /// Reads a record from its pieces, in the order that [`Source::pieces`] gave them. `None` where
    /// they are no record of this source.
    pub fn read_pieces<'a>(
        &self,
        pieces: &'a [(RecordPiece, PieceState)],
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let _ = (pieces, now);
        None
    }

    /// What each piece becomes by a verb, in the same order.
    ///
    /// Errors: why the layout does not do this, in one sentence without a full stop.
    pub fn edit_pieces(
        &self,
        verb: Verb,
        pieces: &[(RecordPiece, PieceState)],
        answer: Option<&Answer>,
        now: Timestamp,
    ) -> Result<Vec<PieceState>, String> {
        let _ = (verb, pieces, answer, now);
        Err("not described yet".to_owned())
    }

    /// What a row becomes by a verb.
    ///
    /// Errors: why the layout does not do this, in one sentence without a full stop.
    pub fn edit_row(
        &self,
        verb: Verb,
        shape: &TableShape,
        cells: &[ExactCell],
        answer: Option<&Answer>,
        now: Timestamp,
    ) -> Result<RowState, String> {
        let _ = (verb, shape, cells, answer, now);
        Err("not described yet".to_owned())
    }

    /// Whether the layout can do this here at all, before any record is looked at; the reason where
    /// it cannot.
    pub fn can(&self, verb: Verb) -> Result<(), String> {
        let _ = verb;
        Ok(())
    }
}
