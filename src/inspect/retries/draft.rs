//! What a stream or a table holds, as entries of a log.

use super::find::{LogStream, LogTable};
use crate::domain::attempt::{Field, key_hash};
use crate::domain::raw::{Cell, RawRows};
use crate::layouts::log::{Given, LogPart, Wording};
use crate::stats::{Draft, Entry, key_id};
use crate::stores::logs::{StreamFields, StreamId, TieAt};

/// Where the digest of a raw key is kept while its entry is.
pub type Digest = String;

/// An entry of a stream; its time is that of its place unless the writer says another.
pub fn of_stream<'r>(
    log: &'r LogStream,
    id: StreamId,
    fields: &'r StreamFields,
    digest: &'r mut Digest,
) -> Option<Entry<'r>> {
    let mut begun = Begun::of(&log.wording);
    let ms = i64::try_from(id.ms).unwrap_or(i64::MAX);
    begun.draft.number(Field::At, ms);
    for (name, value) in fields {
        for name in log.wording.named(name) {
            let given = match std::str::from_utf8(value) {
                Ok(text) => name.of_text(text, &log.wording),
                Err(_) => Given::Garbage,
            };
            begun.put(name.part, given);
        }
    }
    begun.finish(digest)
}

/// An entry on its way, in the words of its log.
struct Begun<'r> {
    draft: Draft<'r>,
    scope: &'r str,
    raw_key: Option<&'r str>,
    has_digest: bool,
}

impl<'r> Begun<'r> {
    fn of(wording: &'r Wording) -> Begun<'r> {
        let mut begun = Begun {
            draft: Draft::default(),
            scope: "",
            raw_key: None,
            has_digest: false,
        };
        for (part, text) in &wording.fixed {
            begun.put(*part, Given::Text(text));
        }
        begun
    }

    fn put(&mut self, part: LogPart, given: Given<'r>) {
        let field = match (part, &given) {
            (LogPart::Field(field), _) => field,
            (LogPart::RawKey, Given::Text(text)) => {
                self.raw_key = Some(text).filter(|text| !text.is_empty()).copied();
                return;
            }
            (LogPart::RawKey, Given::Nothing) => return,
            (LogPart::RawKey, _) => return self.draft.garbage(),
        };
        match given {
            Given::Nothing => {}
            Given::Text(text) => {
                match field {
                    Field::Scope => self.scope = text,
                    Field::Key => self.has_digest |= !text.is_empty(),
                    _ => {}
                }
                self.draft.text(field, text);
            }
            Given::Number(number) => self.draft.number(field, number),
            Given::Fraction(rate) if field == Field::SampleRate => self.draft.rate(rate),
            // A fraction of a millisecond is none.
            Given::Fraction(number) => self.draft.number(field, number as i64),
            Given::Garbage => self.draft.garbage(),
        }
    }

    fn finish(mut self, digest: &'r mut Digest) -> Option<Entry<'r>> {
        if let Some(key) = self.raw_key.filter(|_| !self.has_digest) {
            *digest = key_hash(self.scope, key);
            self.draft.text(Field::Key, digest);
        }
        self.draft.finish()
    }
}

/// Where a row of a log stands: its time in the unit of its column, and what tells it from others.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPlace {
    pub time: i64,
    /// The time itself, where it lies between two numbers.
    pub between: Option<f64>,
    pub tie: TieAt,
}

impl RowPlace {
    /// The same for the same row.
    pub fn id(&self) -> u64 {
        match &self.tie {
            TieAt::First => 0,
            TieAt::Number(number) => number.cast_unsigned(),
            TieAt::Address(address) => key_id(address),
        }
    }
}

/// Where a row of a page stands, and when it was written, in milliseconds; `None` without a time or a
/// number.
pub fn place_of(table: &LogTable, rows: &RawRows, row: usize) -> Option<(RowPlace, i64)> {
    let mut between = None;
    let (time, at) = match rows.cell(row, 0) {
        Cell::Int(number) => (number, table.unit.to_millis(number)),
        Cell::Time(us) => (us, us.div_euclid(1_000)),
        // SQLite types values, not columns.
        Cell::Float(number) if number.is_finite() => {
            between = Some(number);
            let ms = table.unit.fraction_to_millis(number);
            (number.floor() as i64, ms.floor() as i64)
        }
        _ => return None,
    };
    let tie = match rows.cell(row, 1) {
        Cell::Int(number) => TieAt::Number(number),
        Cell::Text(address) => TieAt::Address(address.to_owned()),
        _ => return None,
    };
    Some((RowPlace { time, between, tie }, at))
}

/// A row of a page that stands somewhere.
pub fn of_row<'r>(
    table: &'r LogTable,
    (rows, row): (&'r RawRows, usize),
    at: i64,
    digest: &'r mut Digest,
) -> Option<Entry<'r>> {
    let mut begun = Begun::of(&table.wording);
    begun.draft.number(Field::At, at);
    for (column, (name, _)) in table.columns.iter().enumerate() {
        let given = name.of_cell(rows.cell(row, column + 2), &table.wording);
        begun.put(name.part, given);
    }
    begun.finish(digest)
}
