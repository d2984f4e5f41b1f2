//! A change of one record, as exact as the store itself: what was seen, and what is to stand there.
//!
//! Apart from `raw` because a reading may be cut and rounded, and what is compared and put back may
//! not. Invariants: a change names every piece of its record; turned around (`inverted`) it is the
//! change that undoes it; nothing here is interpreted.

use std::fmt;
use std::sync::Arc;

use super::time::Timestamp;

/// What an operator does to records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Take the lock away, so that the next retry executes again.
    Release,
    /// Write the outcome, so that retries replay it.
    Settle,
    /// Remove a finished record.
    Purge,
    /// Put back what a run changed.
    Undo,
}

impl Verb {
    pub const ALL: [Verb; 4] = [Verb::Release, Verb::Settle, Verb::Purge, Verb::Undo];

    pub fn name(self) -> &'static str {
        match self {
            Verb::Release => "release",
            Verb::Settle => "settle",
            Verb::Purge => "purge",
            Verb::Undo => "undo",
        }
    }

    /// The word for a change of this kind that was made.
    pub fn done(self) -> &'static str {
        match self {
            Verb::Release => "released",
            Verb::Settle => "settled",
            Verb::Purge => "purged",
            Verb::Undo => "restored",
        }
    }

    pub fn from_name(name: &str) -> Option<Verb> {
        Verb::ALL.into_iter().find(|verb| verb.name() == name)
    }
}

/// What came of one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    Done,
    /// It is not as it was seen: left alone.
    ChangedMeanwhile,
    /// It was gone already.
    Gone,
    /// A live transaction holds it: left alone.
    Alive,
    /// The rules of this house, of the layout or of the store do not allow it.
    Refused,
    /// It was sent, and no answer came. It is never sent again.
    Unknown,
    /// It was never sent.
    NotReached,
}

impl Outcome {
    pub const ALL: [Outcome; 7] = [
        Outcome::Done,
        Outcome::ChangedMeanwhile,
        Outcome::Gone,
        Outcome::Alive,
        Outcome::Refused,
        Outcome::Unknown,
        Outcome::NotReached,
    ];

    /// The word of the command line's JSON; the verb's own word for success.
    pub fn name(self, verb: Verb) -> &'static str {
        match self {
            Outcome::Done => verb.done(),
            Outcome::ChangedMeanwhile => "changed_meanwhile",
            Outcome::Gone => "gone",
            Outcome::Alive => "alive",
            Outcome::Refused => "refused",
            Outcome::Unknown => "unknown",
            Outcome::NotReached => "not_reached",
        }
    }

    pub fn from_name(name: &str, verb: Verb) -> Option<Outcome> {
        Outcome::ALL
            .into_iter()
            .find(|outcome| outcome.name(verb) == name)
    }
}

/// The answer that a settled record is to replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// The body as bytes; layouts that hold text or JSON refuse what is none.
    pub body: Vec<u8>,
}

/// The change of one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Every key, member and field of the record, compared and changed together.
    Keys(Vec<PieceChange>),
    Row(RowChange),
}

impl Change {
    /// The change that puts back what this one changes.
    pub fn inverted(&self) -> Change {
        match self {
            Change::Keys(pieces) => Change::Keys(
                pieces
                    .iter()
                    .map(|piece| PieceChange {
                        piece: piece.piece.clone(),
                        seen: piece.then.clone(),
                        then: piece.seen.clone(),
                    })
                    .collect(),
            ),
            Change::Row(row) => Change::Row(RowChange {
                shape: row.shape.clone(),
                key: row.key.clone(),
                seen: row.then.clone(),
                then: row.seen.clone(),
            }),
        }
    }

    /// Bytes held, for the bounds of a plan.
    pub fn bytes(&self) -> usize {
        match self {
            Change::Keys(pieces) => pieces
                .iter()
                .map(|piece| piece.piece.key.len() + piece.seen.bytes() + piece.then.bytes() + 64)
                .sum(),
            Change::Row(row) => row.seen.bytes() + row.then.bytes() + 64,
        }
    }
}

/// One piece of a record in a key space.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Piece {
    pub key: Vec<u8>,
    pub part: PiecePart,
}

/// How much of a key is the record's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PiecePart {
    /// The key itself, with its value and its expiry.
    Whole,
    /// One member of a set that holds many records.
    Member(Vec<u8>),
    /// One field of a hash that holds many.
    Field(Vec<u8>),
    /// One member of a sorted set that holds many.
    Score(Vec<u8>),
}

impl Piece {
    pub fn whole(key: impl Into<Vec<u8>>) -> Piece {
        Piece {
            key: key.into(),
            part: PiecePart::Whole,
        }
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", super::address::escape_bytes(&self.key))?;
        match &self.part {
            PiecePart::Whole => Ok(()),
            PiecePart::Member(m) | PiecePart::Field(m) | PiecePart::Score(m) => {
                write!(f, "[{}]", super::address::escape_bytes(m))
            }
        }
    }
}

/// What stands, stood or is to stand in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceState {
    Absent,
    /// A whole key. `expires_at` is the absolute expiry by the store's clock, in ms; `None` for a
    /// key that never expires.
    Value {
        value: ExactValue,
        expires_at: Option<Timestamp>,
    },
    /// A member, field or score. The bytes are the field's value, the score as the store writes
    /// it, or nothing for a member of a set.
    There(Vec<u8>),
}

impl PieceState {
    pub fn bytes(&self) -> usize {
        match self {
            PieceState::Absent => 0,
            PieceState::Value { value, .. } => value.bytes(),
            PieceState::There(bytes) => bytes.len(),
        }
    }
}

/// A whole value, byte for byte. Fields and members are sorted by their bytes, so that equal values
/// are equal here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExactValue {
    String(Vec<u8>),
    Hash(Vec<(Vec<u8>, Vec<u8>)>),
    Set(Vec<Vec<u8>>),
    /// Member and score, the score as the store writes it.
    SortedSet(Vec<(Vec<u8>, Vec<u8>)>),
}

impl ExactValue {
    pub fn bytes(&self) -> usize {
        let pairs = |pairs: &[(Vec<u8>, Vec<u8>)]| -> usize {
            pairs.iter().map(|(a, b)| a.len() + b.len()).sum()
        };
        match self {
            ExactValue::String(bytes) => bytes.len(),
            ExactValue::Hash(fields) => pairs(fields),
            ExactValue::Set(members) => members.iter().map(Vec::len).sum(),
            ExactValue::SortedSet(members) => pairs(members),
        }
    }
}

/// A piece compared with what was seen of it, and what it becomes. Where both are equal it is only
/// compared.
#[derive(Clone, Debug, PartialEq)]
pub struct PieceChange {
    pub piece: Piece,
    pub seen: PieceState,
    pub then: PieceState,
}

impl PieceChange {
    /// It is not there and is not to come: looked at, and never touched.
    pub fn stays_away(&self) -> bool {
        self.seen == PieceState::Absent && self.then == PieceState::Absent
    }
}

/// A row compared with what was seen of it, and what it becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct RowChange {
    pub shape: Arc<TableShape>,
    /// The key columns' values as text, in the order of `shape.key`: the row's address.
    pub key: Vec<String>,
    pub seen: RowState,
    pub then: RowState,
}

/// A table as far as rows of it are changed and put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableShape {
    pub schema: String,
    pub table: String,
    /// The columns this login may read, in the order of `RowState`'s cells.
    pub columns: Vec<ShapeColumn>,
    /// The columns that address a row: the primary key, else `ctid` or `rowid`.
    pub key: Vec<String>,
    /// Columns that this login may not read: a row with such cannot be put back whole.
    pub hidden: Vec<String>,
    /// Other tables whose rows a deletion here would delete or change too.
    pub cascades: Vec<String>,
}

impl TableShape {
    pub fn place(&self) -> String {
        format!("{}.{}", self.schema, self.table)
    }

    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether two versions of a row are of the same write. The second word is the row's place,
    /// which changes when a table is packed anew; where it is all that addresses the row, it counts.
    pub fn is_same_write(&self, one: &str, other: &str) -> bool {
        let number = |version: &str| version.split(' ').next().map(str::to_owned);
        match self.key.as_slice() {
            [only] if only == "ctid" => one == other,
            _ => number(one) == number(other),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeColumn {
    pub name: String,
    /// The type as the store writes it, to cast a text to.
    pub declared: String,
    /// A generated column has its value from the others and is never written.
    pub generated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowState {
    Absent,
    Row {
        /// The row's version (`xmin`, and after a space its place), where the store has such a
        /// thing; `None` in what a row is to become, since the store makes the version.
        version: Option<String>,
        /// In the order of the shape's columns.
        cells: Vec<ExactCell>,
    },
}

impl RowState {
    pub fn bytes(&self) -> usize {
        match self {
            RowState::Absent => 0,
            RowState::Row { cells, .. } => cells.iter().map(|cell| 16 + cell.bytes()).sum(),
        }
    }
}

/// One cell, so that the store takes back exactly what it gave: PostgreSQL as its own text, SQLite
/// in its storage class.
#[derive(Clone, Debug, PartialEq)]
pub enum ExactCell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// Text that is not UTF-8, by its bytes.
    RawText(Vec<u8>),
}

impl ExactCell {
    pub fn bytes(&self) -> usize {
        match self {
            ExactCell::Null | ExactCell::Int(_) | ExactCell::Real(_) => 8,
            ExactCell::Text(text) => text.len(),
            ExactCell::Blob(bytes) | ExactCell::RawText(bytes) => bytes.len(),
        }
    }
}

/// What a store answered to one change.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    pub outcome: Outcome,
    /// Why, where it was not done; one sentence without a full stop.
    pub why: Option<String>,
    /// The row's new version, where the store has such a thing and the row is still there.
    pub version: Option<String>,
}

impl Applied {
    pub fn done() -> Applied {
        Applied {
            outcome: Outcome::Done,
            why: None,
            version: None,
        }
    }

    pub fn not(outcome: Outcome, why: impl Into<String>) -> Applied {
        Applied {
            outcome,
            why: Some(why.into()),
            version: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_turned_around_twice_is_itself() {
        let change = Change::Keys(vec![PieceChange {
            piece: Piece::whole("idempotency:a"),
            seen: PieceState::Value {
                value: ExactValue::String(b"processing".to_vec()),
                expires_at: Some(Timestamp(7)),
            },
            then: PieceState::Absent,
        }]);
        assert_ne!(change.inverted(), change);
        assert_eq!(change.inverted().inverted(), change);
    }

    #[test]
    fn words_of_outcomes_lead_back() {
        for verb in Verb::ALL {
            for outcome in Outcome::ALL {
                assert_eq!(Outcome::from_name(outcome.name(verb), verb), Some(outcome));
            }
        }
    }
}
