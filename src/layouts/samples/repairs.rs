//! What a sample becomes by a verb, read again by its own layout.
//!
//! Apart from the samples' readings because a repair is tried on exact pieces, which a sample has to
//! be made into first.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Extra, NOW, extra_of, place_of_row, read_row, value_of};
use crate::domain::change::{
    Answer, ExactCell, ExactValue, PiecePart, PieceState, RowState, ShapeColumn, TableShape, Verb,
};
use crate::domain::raw::{ColumnKind, KeyType, KeyValue, RawAddress, Ttl};
use crate::domain::{Duration, Record, Timestamp};
use crate::layouts::layout::Layout;
use crate::layouts::pieces::{PieceRole, RecordPiece};
use crate::layouts::record::to_record;
use crate::layouts::source::{Place, Source};
use crate::layouts::spec::SampleSpec;

type State = (RecordPiece, PieceState);

/// The answer that samples are settled with.
pub fn answer() -> Answer {
    Answer {
        status: 201,
        body: br#"{"id":7}"#.to_vec(),
    }
}

/// What a sample reads as after a verb; nothing where it is gone.
///
/// Errors: why it cannot be done, or why it could not be read.
pub fn repaired(
    layout: &Arc<Layout>,
    sample: &SampleSpec,
    verb: Verb,
) -> Result<Option<(Record, Extra)>, String> {
    let now = Timestamp(sample.at_ms.unwrap_or(NOW));
    match (&sample.key, &sample.row) {
        (Some(key), None) => keys(layout, sample, key, verb, now),
        (None, Some(row)) => row_after(layout, row, verb, now),
        _ => Err("a sample has either a `key` or a `row`".to_owned()),
    }
}

fn keys(
    layout: &Arc<Layout>,
    sample: &SampleSpec,
    key: &str,
    verb: Verb,
    now: Timestamp,
) -> Result<Option<(Record, Extra)>, String> {
    let source = Source::new(layout.clone(), Place::every_key(layout));
    let key = key.as_bytes().to_vec();
    let address = match &sample.member {
        None => RawAddress::Key(key),
        Some(member) => RawAddress::Member {
            key,
            member: member.clone().into_bytes(),
        },
    };
    let pieces = source.pieces(&address);
    let mut states = Vec::new();
    for piece in pieces {
        let state = state_of(sample, &piece, now)?;
        states.push((piece, state));
    }
    let then = source.edit_pieces(verb, &states, Some(&answer()), now)?;
    let after: Vec<State> = states
        .into_iter()
        .zip(then)
        .map(|((piece, _), state)| (piece, state))
        .collect();
    Ok(read_after(&source, address, after, now))
}

/// Reads what is left: the record, or the one that stands in the place of its lock now.
pub fn read_after(
    source: &Source,
    address: RawAddress,
    after: Vec<State>,
    now: Timestamp,
) -> Option<(Record, Extra)> {
    let is_there = |(piece, state): &&State| {
        piece.role == PieceRole::Counterpart && *state != PieceState::Absent
    };
    let (address, after) = match (after.first(), after.iter().find(is_there)) {
        (Some((_, PieceState::Absent)), Some((record, _))) => {
            let address = RawAddress::Key(record.piece.key.clone());
            let of = |piece: RecordPiece| {
                let known = after.iter().find(|(known, _)| known.piece == piece.piece);
                let state = known.map_or(PieceState::Absent, |(_, state)| state.clone());
                (piece, state)
            };
            let moved = source.pieces(&address).into_iter().map(of).collect();
            (address, moved)
        }
        _ => (address, after),
    };
    let ttl = match after.first() {
        Some((_, PieceState::Value { expires_at, .. })) => {
            expires_at.map_or(Ttl::Never, |at| Ttl::Left(now.until(at).millis()))
        }
        _ => Ttl::Unknown,
    };
    let reading = source.read_pieces(&after, now)?;
    let extra = extra_of(&reading);
    Some((to_record(reading, source, address, ttl, None, now), extra))
}

fn state_of(
    sample: &SampleSpec,
    piece: &RecordPiece,
    now: Timestamp,
) -> Result<PieceState, String> {
    let expires_at = sample.ttl_ms.map(|left| now.plus(Duration(left)));
    let there = |text: &str| match &piece.piece.part {
        PiecePart::Whole => PieceState::Value {
            value: ExactValue::String(text.as_bytes().to_vec()),
            expires_at,
        },
        _ => PieceState::There(text.as_bytes().to_vec()),
    };
    Ok(match &piece.role {
        PieceRole::Counterpart => PieceState::Absent,
        PieceRole::Part(part) => sample
            .parts
            .get(part)
            .map_or(PieceState::Absent, |text| there(text)),
        PieceRole::Own => match value_of(sample)? {
            KeyValue::String { bytes, .. } => match &piece.piece.part {
                PiecePart::Whole => PieceState::Value {
                    value: ExactValue::String(bytes),
                    expires_at,
                },
                _ => PieceState::There(bytes),
            },
            KeyValue::Hash { mut fields, .. } => {
                fields.sort();
                PieceState::Value {
                    value: ExactValue::Hash(fields),
                    expires_at,
                }
            }
            KeyValue::Opaque(KeyType::Set) => PieceState::There(Vec::new()),
            _ => return Err("the sample's value cannot be made exact".to_owned()),
        },
    })
}

fn row_after(
    layout: &Arc<Layout>,
    row: &BTreeMap<String, toml::Value>,
    verb: Verb,
    now: Timestamp,
) -> Result<Option<(Record, Extra)>, String> {
    let place = place_of_row(layout)?;
    let columns = place.columns.iter().map(|(_, name, kind)| ShapeColumn {
        name: name.clone(),
        declared: declared(*kind).to_owned(),
        generated: false,
    });
    let shape = TableShape {
        schema: "main".to_owned(),
        table: "sample".to_owned(),
        columns: columns.collect(),
        ..TableShape::default()
    };
    let cells: Vec<ExactCell> = shape
        .columns
        .iter()
        .map(|column| cell(row.get(&column.name)))
        .collect();
    let source = Source::new(layout.clone(), Place::Table(place));
    let then = source.edit_row(verb, &shape, &cells, Some(&answer()), now)?;
    let RowState::Row { cells, .. } = then else {
        return Ok(None);
    };
    let mut after = row.clone();
    for (column, cell) in shape.columns.iter().zip(cells) {
        match value(cell) {
            Some(value) => after.insert(column.name.clone(), value),
            None => after.remove(&column.name),
        };
    }
    read_row(layout, &after, now).map(Some)
}

/// As SQLite would have it declared.
fn declared(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Int | ColumnKind::Bool => "INTEGER",
        ColumnKind::Float => "REAL",
        ColumnKind::Bytes => "BLOB",
        ColumnKind::Time | ColumnKind::NaiveTime => "TIMESTAMP",
        ColumnKind::Json => "JSON",
        ColumnKind::Text | ColumnKind::Uuid | ColumnKind::Other => "TEXT",
    }
}

fn cell(value: Option<&toml::Value>) -> ExactCell {
    match value {
        Some(toml::Value::String(text)) => ExactCell::Text(text.clone()),
        Some(toml::Value::Integer(number)) => ExactCell::Int(*number),
        Some(toml::Value::Float(number)) => ExactCell::Real(*number),
        Some(toml::Value::Boolean(value)) => ExactCell::Int(i64::from(*value)),
        _ => ExactCell::Null,
    }
}

fn value(cell: ExactCell) -> Option<toml::Value> {
    match cell {
        ExactCell::Null => None,
        ExactCell::Int(number) => Some(toml::Value::Integer(number)),
        ExactCell::Real(number) => Some(toml::Value::Float(number)),
        ExactCell::Text(text) => Some(toml::Value::String(text)),
        ExactCell::Blob(bytes) | ExactCell::RawText(bytes) => {
            String::from_utf8(bytes).ok().map(toml::Value::String)
        }
    }
}
