//! Changes as JSON, for the journal and for plans in files.
//!
//! Readable by people where the bytes are text, exact where they are not. The tables that rows
//! belong to are written once and named by number.
//! Invariant: reading gives exactly what was written, or nothing.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::domain::Timestamp;
use crate::domain::change::{
    Change, ExactCell, ExactValue, Piece, PieceChange, PiecePart, PieceState, RowChange, RowState,
    ShapeColumn, TableShape,
};
use crate::domain::raw::RawAddress;

/// The tables that were named so far.
#[derive(Clone, Debug, Default)]
pub struct Shapes(Vec<Arc<TableShape>>);

impl Shapes {
    /// The number of a table, and whether it is new.
    pub fn number(&mut self, shape: &Arc<TableShape>) -> (usize, bool) {
        match self.0.iter().position(|known| known == shape) {
            Some(at) => (at, false),
            None => {
                self.0.push(shape.clone());
                (self.0.len() - 1, true)
            }
        }
    }

    pub fn add(&mut self, shape: TableShape) {
        self.0.push(Arc::new(shape));
    }

    fn get(&self, number: u64) -> Option<Arc<TableShape>> {
        self.0.get(usize::try_from(number).ok()?).cloned()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<TableShape>> {
        self.0.iter()
    }
}

/// The table of a row, where the change is of one.
pub fn shape_of(change: &Change) -> Option<&Arc<TableShape>> {
    match change {
        Change::Keys(_) => None,
        Change::Row(row) => Some(&row.shape),
    }
}

pub fn change_json(change: &Change, shapes: &mut Shapes) -> Value {
    match change {
        Change::Keys(pieces) => {
            json!({"pieces": pieces.iter().map(piece_json).collect::<Vec<_>>()})
        }
        Change::Row(row) => json!({
            "table": shapes.number(&row.shape).0,
            "key": row.key,
            "seen": row_json(&row.seen),
            "then": then_json(row),
        }),
    }
}

pub fn read_change(value: &Value, shapes: &Shapes) -> Option<Change> {
    if let Some(pieces) = value.get("pieces") {
        let pieces = pieces.as_array()?.iter().map(read_piece);
        return Some(Change::Keys(pieces.collect::<Option<_>>()?));
    }
    let shape = shapes.get(value.get("table")?.as_u64()?)?;
    let key = texts(value.get("key")?)?;
    let seen = read_row(value.get("seen")?, shape.columns.len())?;
    let then = read_then(value.get("then")?, &seen, &shape)?;
    Some(Change::Row(RowChange {
        shape,
        key,
        seen,
        then,
    }))
}

fn texts(value: &Value) -> Option<Vec<String>> {
    let texts = value.as_array()?.iter();
    texts.map(|text| Some(text.as_str()?.to_owned())).collect()
}

/// Text where the bytes are text, else base64.
fn bytes_json(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => json!({"base64": STANDARD.encode(bytes)}),
    }
}

fn read_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        other => STANDARD.decode(other.get("base64")?.as_str()?).ok(),
    }
}

fn piece_json(change: &PieceChange) -> Value {
    let mut object = Map::new();
    object.insert("key".to_owned(), bytes_json(&change.piece.key));
    let part = match &change.piece.part {
        PiecePart::Whole => None,
        PiecePart::Member(member) => Some(("member", member)),
        PiecePart::Field(field) => Some(("field", field)),
        PiecePart::Score(member) => Some(("score", member)),
    };
    if let Some((name, bytes)) = part {
        object.insert(name.to_owned(), bytes_json(bytes));
    }
    object.insert("seen".to_owned(), state_json(&change.seen));
    if change.then != change.seen {
        object.insert("then".to_owned(), state_json(&change.then));
    }
    Value::Object(object)
}

fn read_piece(value: &Value) -> Option<PieceChange> {
    let part = |name: &str| value.get(name).map(read_bytes);
    let part = match (part("member"), part("field"), part("score")) {
        (Some(member), _, _) => PiecePart::Member(member?),
        (_, Some(field), _) => PiecePart::Field(field?),
        (_, _, Some(member)) => PiecePart::Score(member?),
        _ => PiecePart::Whole,
    };
    let key = read_bytes(value.get("key")?)?;
    let seen = read_state(value.get("seen")?)?;
    let then = match value.get("then") {
        Some(then) => read_state(then)?,
        None => seen.clone(),
    };
    Some(PieceChange {
        piece: Piece { key, part },
        seen,
        then,
    })
}

fn state_json(state: &PieceState) -> Value {
    match state {
        PieceState::Absent => Value::Null,
        PieceState::There(bytes) => json!({"there": bytes_json(bytes)}),
        PieceState::Value { value, expires_at } => {
            let pairs = |pairs: &[(Vec<u8>, Vec<u8>)]| -> Value {
                let pair = |(a, b): &(Vec<u8>, Vec<u8>)| json!([bytes_json(a), bytes_json(b)]);
                pairs.iter().map(pair).collect()
            };
            let (kind, value) = match value {
                ExactValue::String(bytes) => ("string", bytes_json(bytes)),
                ExactValue::Hash(fields) => ("hash", pairs(fields)),
                ExactValue::Set(members) => (
                    "set",
                    members.iter().map(|member| bytes_json(member)).collect(),
                ),
                ExactValue::SortedSet(members) => ("zset", pairs(members)),
            };
            json!({kind: value, "expires_at_ms": expires_at.map(Timestamp::millis)})
        }
    }
}

fn read_state(value: &Value) -> Option<PieceState> {
    if value.is_null() {
        return Some(PieceState::Absent);
    }
    if let Some(there) = value.get("there") {
        return Some(PieceState::There(read_bytes(there)?));
    }
    let pairs = |value: &Value| -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        let pair = |pair: &Value| Some((read_bytes(pair.get(0)?)?, read_bytes(pair.get(1)?)?));
        value.as_array()?.iter().map(pair).collect()
    };
    let exact = if let Some(bytes) = value.get("string") {
        ExactValue::String(read_bytes(bytes)?)
    } else if let Some(fields) = value.get("hash") {
        ExactValue::Hash(pairs(fields)?)
    } else if let Some(members) = value.get("set") {
        let members = members.as_array()?.iter().map(read_bytes);
        ExactValue::Set(members.collect::<Option<_>>()?)
    } else {
        ExactValue::SortedSet(pairs(value.get("zset")?)?)
    };
    let expires_at = match value.get("expires_at_ms")? {
        Value::Null => None,
        millis => Some(Timestamp(millis.as_i64()?)),
    };
    Some(PieceState::Value {
        value: exact,
        expires_at,
    })
}

pub fn shape_json(shape: &TableShape) -> Value {
    let column = |column: &ShapeColumn| {
        let mut object = Map::new();
        object.insert("name".to_owned(), Value::from(column.name.as_str()));
        object.insert("type".to_owned(), Value::from(column.declared.as_str()));
        if column.generated {
            object.insert("generated".to_owned(), Value::Bool(true));
        }
        Value::Object(object)
    };
    json!({
        "schema": shape.schema,
        "table": shape.table,
        "key": shape.key,
        "columns": shape.columns.iter().map(column).collect::<Vec<_>>(),
        "hidden": shape.hidden,
        "cascades": shape.cascades,
    })
}

pub fn read_shape(value: &Value) -> Option<TableShape> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let column = |column: &Value| {
        Some(ShapeColumn {
            name: column.get("name")?.as_str()?.to_owned(),
            declared: column.get("type")?.as_str()?.to_owned(),
            generated: column.get("generated").is_some(),
        })
    };
    let columns = value.get("columns")?.as_array()?.iter().map(column);
    Some(TableShape {
        schema: text("schema")?,
        table: text("table")?,
        columns: columns.collect::<Option<_>>()?,
        key: texts(value.get("key")?)?,
        hidden: texts(value.get("hidden")?)?,
        cascades: texts(value.get("cascades")?)?,
    })
}

fn cell_json(cell: &ExactCell) -> Value {
    match cell {
        ExactCell::Null => Value::Null,
        ExactCell::Int(number) => Value::from(*number),
        // As text, so that no digit and no sign is lost, and the infinities can be said.
        ExactCell::Real(number) => json!({"real": number.to_string()}),
        ExactCell::Text(text) => Value::from(text.as_str()),
        ExactCell::Blob(bytes) => json!({"base64": STANDARD.encode(bytes)}),
        ExactCell::RawText(bytes) => json!({"text_base64": STANDARD.encode(bytes)}),
    }
}

fn read_cell(value: &Value) -> Option<ExactCell> {
    Some(match value {
        Value::Null => ExactCell::Null,
        Value::Number(number) => ExactCell::Int(number.as_i64()?),
        Value::String(text) => ExactCell::Text(text.clone()),
        other => match (other.get("real"), other.get("text_base64")) {
            (Some(number), _) => ExactCell::Real(number.as_str()?.parse().ok()?),
            (None, Some(text)) => ExactCell::RawText(STANDARD.decode(text.as_str()?).ok()?),
            (None, None) => ExactCell::Blob(read_bytes(other)?),
        },
    })
}

fn row_json(state: &RowState) -> Value {
    match state {
        RowState::Absent => Value::Null,
        RowState::Row { version, cells } => json!({
            "version": version,
            "cells": cells.iter().map(cell_json).collect::<Vec<_>>(),
        }),
    }
}

fn read_row(value: &Value, columns: usize) -> Option<RowState> {
    if value.is_null() {
        return Some(RowState::Absent);
    }
    let cells = value.get("cells")?.as_array()?.iter().map(read_cell);
    let cells: Vec<ExactCell> = cells.collect::<Option<_>>()?;
    let version = value.get("version")?.as_str().map(str::to_owned);
    (cells.len() == columns).then_some(RowState::Row { version, cells })
}

/// What a row becomes: only the columns that differ, where there was one.
fn then_json(row: &RowChange) -> Value {
    let (RowState::Row { cells: seen, .. }, RowState::Row { version, cells }) =
        (&row.seen, &row.then)
    else {
        return row_json(&row.then);
    };
    let pairs = seen.iter().zip(cells).zip(&row.shape.columns);
    let changed = pairs.filter(|((seen, then), _)| seen != then);
    let set: Map<String, Value> = changed
        .map(|((_, then), column)| (column.name.clone(), cell_json(then)))
        .collect();
    json!({"version": version, "set": set})
}

fn read_then(value: &Value, seen: &RowState, shape: &TableShape) -> Option<RowState> {
    let (Some(set), RowState::Row { cells, .. }) = (value.get("set"), seen) else {
        return read_row(value, shape.columns.len());
    };
    let mut cells = cells.clone();
    for (name, cell) in set.as_object()? {
        *cells.get_mut(shape.column(name)?)? = read_cell(cell)?;
    }
    let version = value.get("version")?.as_str().map(str::to_owned);
    Some(RowState::Row { version, cells })
}

pub fn address_json(address: &RawAddress) -> Value {
    match address {
        RawAddress::Key(key) => json!({"key": bytes_json(key)}),
        RawAddress::Member { key, member } => {
            json!({"key": bytes_json(key), "member": bytes_json(member)})
        }
        RawAddress::Row { schema, table, key } => {
            json!({"schema": &**schema, "table": &**table, "key": key})
        }
    }
}

pub fn read_address(value: &Value) -> Option<RawAddress> {
    if let Some(schema) = value.get("schema") {
        return Some(RawAddress::Row {
            schema: Arc::from(schema.as_str()?),
            table: Arc::from(value.get("table")?.as_str()?),
            key: texts(value.get("key")?)?,
        });
    }
    let key = read_bytes(value.get("key")?)?;
    Some(match value.get("member") {
        Some(member) => RawAddress::Member {
            key,
            member: read_bytes(member)?,
        },
        None => RawAddress::Key(key),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..12),
            "[a-z\\\\\u{0}\u{202e}é]{0,8}".prop_map(String::into_bytes),
        ]
    }

    fn state() -> impl Strategy<Value = PieceState> {
        let pairs = || proptest::collection::vec((bytes(), bytes()), 0..4);
        let value = prop_oneof![
            bytes().prop_map(ExactValue::String),
            pairs().prop_map(ExactValue::Hash),
            proptest::collection::vec(bytes(), 0..4).prop_map(ExactValue::Set),
            pairs().prop_map(ExactValue::SortedSet),
        ];
        prop_oneof![
            Just(PieceState::Absent),
            bytes().prop_map(PieceState::There),
            (value, any::<Option<i64>>()).prop_map(|(value, at)| PieceState::Value {
                value,
                expires_at: at.map(Timestamp),
            }),
        ]
    }

    fn piece() -> impl Strategy<Value = PieceChange> {
        let part = prop_oneof![
            Just(PiecePart::Whole),
            bytes().prop_map(PiecePart::Member),
            bytes().prop_map(PiecePart::Field),
            bytes().prop_map(PiecePart::Score),
        ];
        (bytes(), part, state(), state()).prop_map(|(key, part, seen, then)| PieceChange {
            piece: Piece { key, part },
            seen,
            then,
        })
    }

    fn row() -> impl Strategy<Value = RowState> {
        let cell = prop_oneof![
            Just(ExactCell::Null),
            any::<i64>().prop_map(ExactCell::Int),
            any::<f64>()
                .prop_filter("SQLite has no NaN", |number| !number.is_nan())
                .prop_map(ExactCell::Real),
            any::<String>().prop_map(ExactCell::Text),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(ExactCell::Blob),
            proptest::collection::vec(any::<u8>(), 0..9).prop_map(ExactCell::RawText),
        ];
        prop_oneof![
            Just(RowState::Absent),
            (any::<Option<String>>(), proptest::collection::vec(cell, 2))
                .prop_map(|(version, cells)| RowState::Row { version, cells }),
        ]
    }

    fn shape() -> Arc<TableShape> {
        let column = |name: &str| ShapeColumn {
            name: name.to_owned(),
            declared: "text".to_owned(),
            generated: name == "b",
        };
        Arc::new(TableShape {
            schema: "public".to_owned(),
            table: "t".to_owned(),
            columns: vec![column("a"), column("b")],
            key: vec!["a".to_owned()],
            hidden: vec!["c".to_owned()],
            cascades: Vec::new(),
        })
    }

    #[track_caller]
    fn round_trip(change: &Change) {
        let mut shapes = Shapes::default();
        let text = change_json(change, &mut shapes).to_string();
        let mut known = Shapes::default();
        for shape in shapes.iter() {
            known.add(read_shape(&shape_json(shape)).expect("a shape"));
        }
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read_change(&value, &known).as_ref(), Some(change), "{text}");
    }

    proptest! {
        #[test]
        fn pieces_come_back_as_they_were(pieces in proptest::collection::vec(piece(), 0..4)) {
            round_trip(&Change::Keys(pieces));
        }

        #[test]
        fn rows_come_back_as_they_were(seen in row(), then in row(), key in any::<String>()) {
            round_trip(&Change::Row(RowChange {
                shape: shape(),
                key: vec![key],
                seen,
                then,
            }));
        }
    }
}
