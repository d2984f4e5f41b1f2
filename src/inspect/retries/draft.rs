//! What a stream or a table holds, as entries of a log.

use super::find::LogTable;
use crate::domain::raw::{Cell, RawRows};
use crate::stats::{Draft, Entry, Field, key_id};
use crate::stores::logs::{StreamFields, StreamId, TieAt};

/// An entry of a stream; its time is that of its place unless the writer says another.
pub fn of_stream(id: StreamId, fields: &StreamFields) -> Option<Entry<'_>> {
    let mut draft = Draft::default();
    draft.number(Field::At, i64::try_from(id.ms).unwrap_or(i64::MAX));
    for (name, value) in fields {
        let Some(field) = Field::of_short(name) else {
            continue;
        };
        match std::str::from_utf8(value) {
            Ok(text) => draft.text(field, text),
            Err(_) => draft.garbage(),
        }
    }
    draft.finish()
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

/// A row of a page; `None` for one without a time or a number.
pub fn of_row<'r>(
    table: &LogTable,
    rows: &'r RawRows,
    row: usize,
) -> Option<(RowPlace, Entry<'r>)> {
    let mut draft = Draft::default();
    let mut between = None;
    let time = match rows.cell(row, 0) {
        Cell::Int(ms) => {
            draft.number(Field::At, ms);
            ms
        }
        Cell::Time(us) => {
            draft.number(Field::At, us.div_euclid(1_000));
            us
        }
        // SQLite types values, not columns.
        Cell::Float(ms) if ms.is_finite() => {
            between = Some(ms);
            draft.number(Field::At, ms.floor() as i64);
            ms.floor() as i64
        }
        _ => return None,
    };
    let tie = match rows.cell(row, 1) {
        Cell::Int(number) => TieAt::Number(number),
        Cell::Text(address) => TieAt::Address(address.to_owned()),
        _ => return None,
    };
    for (at, (field, _)) in table.fields.iter().enumerate() {
        match rows.cell(row, at + 2) {
            Cell::Null => {}
            // Bytes are shown as hex with two characters before it.
            Cell::Text(text) => draft.text(*field, text.strip_prefix("\\x").unwrap_or(text)),
            Cell::Int(number) => draft.number(*field, number),
            Cell::Float(rate) if *field == Field::SampleRate => draft.rate(rate),
            // A fraction of a millisecond is none.
            Cell::Float(number) if number.is_finite() => draft.number(*field, number as i64),
            _ => draft.garbage(),
        }
    }
    let place = RowPlace { time, between, tie };
    Some((place, draft.finish()?))
}
