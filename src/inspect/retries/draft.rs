//! What a stream or a table holds, as entries of a log.

use super::find::LogTable;
use crate::domain::raw::{Cell, RawRows};
use crate::stats::{Draft, Entry, Field};
use crate::stores::logs::{StreamFields, StreamId};

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

/// Where a row of a log stands: its time in the unit of its column, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowPlace {
    pub time: i64,
    pub number: i64,
}

/// A row of a page; `None` for one without a time or a number.
pub fn of_row<'r>(
    table: &LogTable,
    rows: &'r RawRows,
    row: usize,
) -> Option<(RowPlace, Entry<'r>)> {
    let mut draft = Draft::default();
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
            draft.number(Field::At, ms as i64);
            ms as i64
        }
        _ => return None,
    };
    let Cell::Int(number) = rows.cell(row, 1) else {
        return None;
    };
    for (at, (field, _)) in table.fields.iter().enumerate() {
        match rows.cell(row, at + 2) {
            Cell::Null => {}
            Cell::Text(text) => draft.text(*field, text),
            Cell::Int(number) => draft.number(*field, number),
            Cell::Float(rate) if *field == Field::SampleRate => draft.rate(rate),
            // A fraction of a millisecond is none.
            Cell::Float(number) if number.is_finite() => draft.number(*field, number as i64),
            _ => draft.garbage(),
        }
    }
    Some((RowPlace { time, number }, draft.finish()?))
}
