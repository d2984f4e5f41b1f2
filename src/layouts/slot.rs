//! One value on its way from raw bytes to a record's field.
//!
//! Apart from `domain::raw::Cell` because decoding adds two states a store does not know: a value
//! that is there but was cut, and one that may come after the cut.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::domain::raw::Cell;

#[derive(Clone, Debug, PartialEq)]
pub enum Slot<'a> {
    /// Not there.
    Absent,
    /// There, and null.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A number as it was written, with all its digits.
    Number(Cow<'a, str>),
    Text(Cow<'a, str>),
    Bytes(Cow<'a, [u8]>),
    /// Microseconds since the Unix epoch.
    Time(i64),
    /// A JSON object or array as text.
    Json(Cow<'a, str>),
    /// There, but only partly read.
    Cut,
    /// Perhaps in the part that was not read.
    Unseen,
}

impl<'a> Slot<'a> {
    pub fn from_cell(cell: Cell<'a>) -> Slot<'a> {
        match cell {
            Cell::Null => Slot::Null,
            Cell::Bool(value) => Slot::Bool(value),
            Cell::Int(value) => Slot::Int(value),
            Cell::Float(value) => Slot::Float(value),
            Cell::Text(text) => Slot::Text(Cow::Borrowed(text)),
            Cell::Bytes(bytes) => Slot::Bytes(Cow::Borrowed(bytes)),
            Cell::Uuid(bytes) => Slot::Text(Cow::Owned(uuid_text(bytes))),
            Cell::Time(micros) => Slot::Time(micros),
            Cell::Json(text) => Slot::Json(Cow::Borrowed(text)),
        }
    }

    /// Bytes of a store, as text where they are UTF-8.
    pub fn from_bytes(bytes: &'a [u8]) -> Slot<'a> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Slot::Text(Cow::Borrowed(text)),
            Err(_) => Slot::Bytes(Cow::Borrowed(bytes)),
        }
    }

    pub fn from_json(raw: &'a RawValue) -> Slot<'a> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => match serde_json::from_str::<BorrowedText<'a>>(text) {
                Ok(BorrowedText(text)) => Slot::Text(text),
                Err(_) => Slot::Absent,
            },
            Some(b't') => Slot::Bool(true),
            Some(b'f') => Slot::Bool(false),
            Some(b'n') | None => Slot::Null,
            Some(b'{' | b'[') => Slot::Json(Cow::Borrowed(text)),
            Some(_) => Slot::Number(Cow::Borrowed(text)),
        }
    }

    /// Anything but absence and null; empty text counts as nothing.
    pub fn is_present(&self) -> bool {
        match self {
            Slot::Absent | Slot::Null | Slot::Unseen => false,
            Slot::Text(text) => !text.is_empty(),
            Slot::Bytes(bytes) => !bytes.is_empty(),
            _ => true,
        }
    }

    /// The value as text, as a person or a comparison wants it.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Slot::Text(text) | Slot::Json(text) | Slot::Number(text) => Some(text.clone()),
            Slot::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Slot::Int(value) => Some(Cow::Owned(value.to_string())),
            Slot::Float(value) => Some(Cow::Owned(value.to_string())),
            Slot::Bytes(bytes) => Some(Cow::Owned(hex(bytes))),
            Slot::Time(micros) => Some(Cow::Owned(micros.to_string())),
            Slot::Absent | Slot::Null | Slot::Cut | Slot::Unseen => None,
        }
    }

    /// The raw bytes a decoder works on.
    pub fn bytes(&self) -> Option<Cow<'a, [u8]>> {
        match self {
            Slot::Bytes(bytes) => Some(bytes.clone()),
            Slot::Text(Cow::Borrowed(text)) | Slot::Json(Cow::Borrowed(text)) => {
                Some(Cow::Borrowed(text.as_bytes()))
            }
            Slot::Text(Cow::Owned(text)) | Slot::Json(Cow::Owned(text)) => {
                Some(Cow::Owned(text.clone().into_bytes()))
            }
            _ => None,
        }
    }

    pub fn integer(&self) -> Option<i64> {
        match self {
            Slot::Int(value) => Some(*value),
            Slot::Number(text) | Slot::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Slot::Int(value) => Some(*value as f64),
            Slot::Float(value) => Some(*value),
            Slot::Number(text) | Slot::Text(text) => text
                .trim()
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite()),
            _ => None,
        }
    }
}

/// Text borrowed where it holds no escapes.
#[derive(serde::Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from(
                DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'?'),
            ));
        }
    }
    text
}

/// The canonical form of a UUID: lower case, with hyphens.
pub fn uuid_text(bytes: &[u8; 16]) -> String {
    let digits = hex(bytes);
    let mut text = String::with_capacity(36);
    for (at, c) in digits.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(c);
    }
    text
}
