//! A change as arguments of the script.
//!
//! Apart from `script.lua`, which reads them, because one is Rust and one is Lua; they change
//! together. The arguments are `x` or `t` (whether the server knows PEXPIRETIME), the number of
//! records, and for each its number of pieces; a piece is its part (`w`, or `f`, `m`, `z` and a
//! name), what was seen and what it becomes. A state is `-`, `=` (as seen), `t` and bytes, or a
//! type, an expiry (empty for never) and a value; a collection has its length before its items. Where
//! every record of a call is one string to be removed, they are `p` and then an expiry (-1 for never)
//! and a value a key.

use ::redis::Cmd;

use crate::domain::Timestamp;
use crate::domain::change::{Change, ExactValue, PieceChange, PiecePart, PieceState};

/// Some records in one call of the script.
#[derive(Default)]
pub struct Arguments<'c> {
    keys: Vec<&'c [u8]>,
    words: Vec<Word<'c>>,
    pub bytes: usize,
    records: usize,
    is_plain: bool,
}

enum Word<'c> {
    Borrowed(&'c [u8]),
    Text(String),
}

/// Whether the server knows `PEXPIRETIME`, from Redis 7.0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    Absolute,
    Reckoned,
}

impl<'c> Arguments<'c> {
    pub fn of(records: impl Iterator<Item = &'c [PieceChange]> + Clone, expiry: Expiry) -> Self {
        let mut all = Arguments::default();
        all.is_plain =
            expiry == Expiry::Absolute && records.clone().all(|one| plain(one).is_some());
        for record in records {
            all.records += 1;
            match plain(record) {
                Some((key, value, expires_at)) if all.is_plain => {
                    all.keys.push(key);
                    all.bytes += key.len();
                    all.text(expires_at.map_or("-1".to_owned(), |at| at.0.to_string()));
                    all.word(value);
                }
                _ => all.add(record),
            }
        }
        all
    }

    fn add(&mut self, pieces: &'c [PieceChange]) {
        self.text(pieces.len().to_string());
        for change in pieces {
            self.keys.push(&change.piece.key);
            self.bytes += change.piece.key.len();
            let (part, name) = match &change.piece.part {
                PiecePart::Whole => (b"w", None),
                PiecePart::Field(name) => (b"f", Some(name)),
                PiecePart::Member(name) => (b"m", Some(name)),
                PiecePart::Score(name) => (b"z", Some(name)),
            };
            self.word(part);
            if let Some(name) = name {
                self.word(name);
            }
            self.state(&change.seen);
            if change.then == change.seen {
                self.word(b"=");
            } else {
                self.state(&change.then);
            }
        }
    }

    fn state(&mut self, state: &'c PieceState) {
        match state {
            PieceState::Absent => self.word(b"-"),
            PieceState::There(bytes) => {
                self.word(b"t");
                self.word(bytes);
            }
            PieceState::Value { value, expires_at } => {
                self.word(match value {
                    ExactValue::String(_) => b"s",
                    ExactValue::Hash(_) => b"h",
                    ExactValue::Set(_) => b"m",
                    ExactValue::SortedSet(_) => b"z",
                });
                self.text(expires_at.map_or(String::new(), |at| at.0.to_string()));
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: &'c ExactValue) {
        match value {
            ExactValue::String(bytes) => self.word(bytes),
            ExactValue::Set(members) => {
                self.text(members.len().to_string());
                for member in members {
                    self.word(member);
                }
            }
            ExactValue::Hash(pairs) | ExactValue::SortedSet(pairs) => {
                self.text(pairs.len().to_string());
                for (first, second) in pairs {
                    self.word(first);
                    self.word(second);
                }
            }
        }
    }

    fn word(&mut self, bytes: &'c [u8]) {
        self.bytes += bytes.len() + 8;
        self.words.push(Word::Borrowed(bytes));
    }

    fn text(&mut self, text: String) {
        self.bytes += text.len() + 8;
        self.words.push(Word::Text(text));
    }

    /// The call: `EVALSHA` with a hash, or `EVAL` with the script itself.
    pub fn command(&self, name: &str, script: &str, expiry: Expiry) -> Cmd {
        let mut command = Cmd::with_capacity(self.keys.len() + self.words.len() + 5, self.bytes);
        command.arg(name).arg(script).arg(self.keys.len());
        for key in &self.keys {
            command.arg(*key);
        }
        match (self.is_plain, expiry) {
            (true, _) => command.arg("p"),
            (false, Expiry::Absolute) => command.arg("x").arg(self.records),
            (false, Expiry::Reckoned) => command.arg("t").arg(self.records),
        };
        for word in &self.words {
            match word {
                Word::Borrowed(bytes) => command.arg(*bytes),
                Word::Text(text) => command.arg(text.as_bytes()),
            };
        }
        command
    }
}

/// Key, value and expiry of the usual release: one string that is compared and removed.
fn plain(record: &[PieceChange]) -> Option<(&[u8], &[u8], Option<Timestamp>)> {
    let [change] = record else { return None };
    match (&change.piece.part, &change.seen, &change.then) {
        (
            PiecePart::Whole,
            PieceState::Value {
                value: ExactValue::String(bytes),
                expires_at,
            },
            PieceState::Absent,
        ) => Some((&change.piece.key, bytes, *expires_at)),
        _ => None,
    }
}

/// The pieces of a change, if a store of keys can hold them.
///
/// Errors: why not, in one sentence.
pub fn pieces(change: &Change) -> Result<&[PieceChange], &'static str> {
    let Change::Keys(pieces) = change else {
        return Err("it is a row, and this store holds keys");
    };
    let holds = |part: &PiecePart, state: &PieceState| match (part, state) {
        (_, PieceState::Absent) => true,
        (PiecePart::Whole, PieceState::Value { value, .. }) => match value {
            // There is no empty collection.
            ExactValue::Hash(items) | ExactValue::SortedSet(items) => !items.is_empty(),
            ExactValue::Set(members) => !members.is_empty(),
            ExactValue::String(_) => true,
        },
        (PiecePart::Whole, PieceState::There(_)) | (_, PieceState::Value { .. }) => false,
        (_, PieceState::There(_)) => true,
    };
    let fits = |change: &PieceChange| {
        holds(&change.piece.part, &change.seen) && holds(&change.piece.part, &change.then)
    };
    match pieces.as_slice() {
        [] => Err("it names no key"),
        pieces if pieces.iter().all(fits) => Ok(pieces),
        _ => Err("what it is to hold does not fit its place"),
    }
}
