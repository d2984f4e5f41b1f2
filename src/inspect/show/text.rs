//! Stored values as text or JSON, whatever bytes they are.

use serde_json::Value;

use crate::domain::address::escape_bytes;
use crate::domain::raw::{Cell, KeyValue};
use crate::layouts::slot::{Slot, hex, uuid_text};

/// A stored value for people: text where it is text.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub text: String,
    /// Size of what is stored, decoded.
    pub bytes: u64,
    /// It was no text: `text` is hex.
    pub is_binary: bool,
}

impl Shown {
    pub fn of(slot: &Slot<'_>) -> Option<Shown> {
        match slot {
            Slot::Absent | Slot::Null | Slot::Cut | Slot::Unseen => None,
            Slot::Bytes(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Some(Shown::text(text)),
                Err(_) => Some(Shown {
                    text: hex(bytes),
                    bytes: bytes.len() as u64,
                    is_binary: true,
                }),
            },
            other => other.text().map(|text| Shown::text(&text)),
        }
    }

    fn text(text: &str) -> Shown {
        Shown {
            text: text.to_owned(),
            bytes: text.len() as u64,
            is_binary: false,
        }
    }
}

fn bytes_value(bytes: &[u8]) -> Value {
    Value::String(escape_or_text(bytes))
}

/// Text as it is; other bytes as `\xNN`.
fn escape_or_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => escape_bytes(bytes),
    }
}

pub fn raw_value(value: &KeyValue) -> Value {
    match value {
        KeyValue::String { bytes, .. } => bytes_value(bytes),
        KeyValue::Hash { fields, .. } => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (escape_or_text(name), bytes_value(value)))
                .collect(),
        ),
        KeyValue::Set { members, .. } => {
            Value::Array(members.iter().map(|member| bytes_value(member)).collect())
        }
        KeyValue::SortedSet { members, .. } => Value::Array(
            members
                .iter()
                .map(|(member, score)| Value::Array(vec![bytes_value(member), (*score).into()]))
                .collect(),
        ),
        KeyValue::Opaque(_) | KeyValue::Missing | KeyValue::Refused(_) => Value::Null,
    }
}

pub fn raw_cell(cell: Cell<'_>) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Bool(value) => value.into(),
        Cell::Int(value) => value.into(),
        Cell::Float(value) => value.into(),
        Cell::Text(text) | Cell::Json(text) => text.into(),
        Cell::Bytes(bytes) => format!("\\x{}", hex(bytes)).into(),
        Cell::Uuid(bytes) => uuid_text(bytes).into(),
        Cell::Time(i64::MAX) => "infinity".into(),
        Cell::Time(i64::MIN) => "-infinity".into(),
        Cell::Time(micros) => time_text(micros).into(),
    }
}

fn time_text(micros: i64) -> String {
    chrono::DateTime::from_timestamp_micros(micros).map_or_else(
        || format!("{micros} µs"),
        |time| time.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
    )
}

pub fn stored_bytes(value: &KeyValue) -> Option<u64> {
    match value {
        KeyValue::String { len, .. } => Some(*len),
        KeyValue::Hash { fields, .. } => Some(
            fields
                .iter()
                .map(|(name, value)| (name.len() + value.len()) as u64)
                .sum(),
        ),
        KeyValue::Set { members, .. } => Some(members.iter().map(|m| m.len() as u64).sum()),
        KeyValue::SortedSet { members, .. } => {
            Some(members.iter().map(|(m, _)| m.len() as u64 + 8).sum())
        }
        _ => None,
    }
}
