//! A record as text for the clipboard: its key, JSON, a request, a command of its store.
//!
//! Invariant: nothing of a record ends a quoted word or adds a line; what cannot be quoted is
//! escaped.

use super::record_json::record_json;
use crate::domain::address::{address_text, escape_bytes};
use crate::domain::raw::RawAddress;
use crate::domain::{Record, Timestamp};

/// The key, else its digest, else the address.
pub fn key(record: &Record) -> String {
    let key = record
        .idempotency_key
        .as_ref()
        .or(record.key_digest.as_ref());
    key.cloned()
        .unwrap_or_else(|| address_text(&record.address))
}

pub fn json(record: &Record, now: Timestamp) -> String {
    serde_json::Value::Object(record_json(record, now)).to_string()
}

/// The request again, as far as it is known; what is not stands in angle brackets.
pub fn curl(record: &Record) -> String {
    let method = record.method.as_deref().unwrap_or("POST");
    let path = record.path.as_deref().unwrap_or("/<path>");
    let key = record
        .idempotency_key
        .as_deref()
        .unwrap_or("<idempotency-key>");
    let url = format!("https://<host>{path}");
    let header = format!("Idempotency-Key: {key}");
    format!(
        "curl -X {} {} -H {} -H 'Content-Type: application/json' --data-binary @<body>",
        word(method),
        word(&url),
        word(&header)
    )
    .replace("@<body>", "'@<body>'")
}

/// How a record of a source is read in its store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// Of Redis.
    pub verb: &'static str,
    /// The columns that a row is found by.
    pub columns: Vec<String>,
}

/// What shows the record in its own store, by `redis-cli` or in SQL.
pub fn command(record: &Record, read: &Read) -> String {
    match &record.address {
        RawAddress::Key(name) => format!("{} {}", read.verb, redis(name)),
        RawAddress::Member { key, member } => format!("HGET {} {}", redis(key), redis(member)),
        RawAddress::Row { schema, table, key } => {
            let pairs = read.columns.iter().zip(key);
            let terms: Vec<String> = pairs
                .map(|(column, value)| format!("{} = {}", name(column), literal(value)))
                .collect();
            let terms = if terms.is_empty() {
                "false".to_owned()
            } else {
                terms.join(" AND ")
            };
            format!(
                "SELECT * FROM {}.{} WHERE {terms};",
                name(schema),
                name(table)
            )
        }
    }
}

/// A word of a shell.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A word of `redis-cli`.
fn redis(bytes: &[u8]) -> String {
    let mut text = String::from('"');
    for c in escape_bytes(bytes).chars() {
        match c {
            '"' => text.push_str("\\\""),
            c if c.is_ascii_control() => text.push_str(&format!("\\x{:02X}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

fn name(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    let text: String = text.chars().filter(|c| *c != '\0' && *c != '\n').collect();
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_quoted_word() {
        assert_eq!(word("a;rm -rf"), "'a;rm -rf'");
        assert_eq!(word("it's"), "'it'\\''s'");
        assert_eq!(word("a\nb"), "'a b'");
        assert_eq!(literal("a' or '1"), "'a'' or ''1'");
        assert_eq!(name("t\"x"), "\"t\"\"x\"");
        assert_eq!(redis(b"a\"b\n"), "\"a\\\"b\\x0A\"");
    }
}
