//! PostgreSQL's text form of an array of a composite type, such as response headers.
//!
//! `{"(name,\"\\\\x76\")"}` becomes `[["name","v"]]`: bytea members that are UTF-8 are shown as
//! text. Grammar: PostgreSQL manual, chapters "Arrays" and "Composite Types" (input and output
//! syntax). Bound: as many elements as the input has bytes.

use std::borrow::Cow;

use super::{Codec, Fault, Given, Slot, no_argument};

pub const CODEC: Codec = Codec {
    name: "composite-array",
    gives_json: true,
    streams: false,
    check: no_argument,
    decode,
};

fn decode<'a>(slot: &Slot<'a>, _: Given<'_>) -> Result<Slot<'a>, Fault> {
    rows(slot).ok_or(Fault::Not)
}

fn rows<'a>(slot: &Slot<'a>) -> Option<Slot<'a>> {
    let text = slot.text()?;
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut rows = Vec::new();
    for element in split(inner)? {
        let row = element?;
        let fields = split(row.strip_prefix('(')?.strip_suffix(')')?)?;
        let values: Vec<serde_json::Value> = fields
            .into_iter()
            .map(|field| field.map_or(serde_json::Value::Null, readable))
            .collect();
        rows.push(serde_json::Value::Array(values));
    }
    Some(Slot::Json(Cow::Owned(
        serde_json::Value::Array(rows).to_string(),
    )))
}

/// Cuts at commas outside quotes and takes the quotes away. An empty unquoted part is null.
fn split(text: &str) -> Option<Vec<Option<String>>> {
    let mut parts = Vec::new();
    if text.is_empty() {
        return Some(parts);
    }
    let (mut part, mut quoted, mut was_quoted) = (String::new(), false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => part.push(chars.next()?),
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                part.push('"');
            }
            '"' => {
                quoted = !quoted;
                was_quoted = true;
            }
            ',' if !quoted => {
                let done = std::mem::take(&mut part);
                parts.push((was_quoted || !done.is_empty()).then_some(done));
                was_quoted = false;
            }
            other => part.push(other),
        }
    }
    if quoted {
        return None;
    }
    parts.push((was_quoted || !part.is_empty()).then_some(part));
    Some(parts)
}

fn readable(field: String) -> serde_json::Value {
    let decoded = field
        .starts_with("\\x")
        .then(|| super::hex::bytes_of(field.as_bytes()).map(super::slot_of));
    match decoded.flatten() {
        Some(Slot::Text(text)) => serde_json::Value::String(text.into_owned()),
        _ => serde_json::Value::String(field),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = rows(&Slot::Text(text.into()));
        assert_eq!(found.and_then(|slot| slot.text()).as_deref(), expected);
    }

    #[test]
    fn headers_are_read() {
        check(
            r#"{"(location,\"\\\\x2f61\")","(set-cookie,\"\\\\x61\")"}"#,
            Some(r#"[["location","/a"],["set-cookie","a"]]"#),
        );
        check("{}", Some("[]"));
    }

    #[test]
    fn bytes_that_are_not_text_stay_hex() {
        check(
            r#"{"(x-bin,\"\\\\x009fff\")"}"#,
            Some(r#"[["x-bin","\\x009fff"]]"#),
        );
    }

    #[test]
    fn nulls_and_quotes_are_kept_apart() {
        check(
            r#"{"(a,)","(\"q\"\"q\",b)"}"#,
            Some(r#"[["a",null],["q\"q","b"]]"#),
        );
        check("{\"(a", None);
        check("nonsense", None);
    }
}
