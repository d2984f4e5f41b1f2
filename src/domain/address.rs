//! Where a record stands, as one line of text that is unique within an answer.
//!
//! The form is part of the command line's contract: a Redis key with bytes that are not UTF-8, and
//! `\`, as `\xNN`; `KEY[MEMBER]` for a member or field; `schema.table/value/value` for a row, with
//! `/` and `%` in values percent-encoded.

use std::fmt::Write as _;

use super::raw::RawAddress;

/// The address as text.
pub fn address_text(address: &RawAddress) -> String {
    match address {
        RawAddress::Key(key) => escape_bytes(key),
        RawAddress::Member { key, member } => {
            format!("{}[{}]", escape_bytes(key), escape_bytes(member))
        }
        RawAddress::Row { schema, table, key } => row_address(schema, table, key),
    }
}

/// `schema.table/value/value`.
pub fn row_address(schema: &str, table: &str, key: &[String]) -> String {
    let mut text = format!("{schema}.{table}");
    for value in key {
        text.push('/');
        text.push_str(&encode_value(value));
    }
    text
}

/// Percent-encodes what would be taken for a separator.
pub fn encode_value(value: &str) -> String {
    value.replace('%', "%25").replace('/', "%2F")
}

/// Undoes [`encode_value`]; `None` where the text is no such encoding.
pub fn decode_value(value: &str) -> Option<String> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        out.push(match after.get(..3)?.to_ascii_uppercase().as_str() {
            "%25" => '%',
            "%2F" => '/',
            _ => return None,
        });
        rest = after.get(3..)?;
    }
    out.push_str(rest);
    Some(out)
}

/// Bytes as text: UTF-8 stays, everything else and `\` become `\xNN`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' {
                text.push_str("\\x5C");
            } else {
                text.push(c);
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

/// Undoes [`escape_bytes`]; `None` where a `\` is not followed by `xNN`.
pub fn unescape_bytes(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, after) = rest.split_at(at);
        out.extend_from_slice(before.as_bytes());
        let code = after.get(..4)?;
        let hex = code.strip_prefix("\\x")?;
        out.push(u8::from_str_radix(hex, 16).ok()?);
        rest = after.get(4..)?;
    }
    out.extend_from_slice(rest.as_bytes());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn round_trip(bytes: &[u8], text: &str) {
        assert_eq!(escape_bytes(bytes), text);
        assert_eq!(unescape_bytes(text).as_deref(), Some(bytes));
    }

    #[test]
    fn bytes_that_are_not_text_are_escaped() {
        round_trip(b"plain:key", "plain:key");
        round_trip(b"a\\b", "a\\x5Cb");
        round_trip(&[0x66, 0xff, 0x00], "f\\xFF\u{0}");
        round_trip("ключ".as_bytes(), "ключ");
    }

    #[test]
    fn separators_in_values_are_encoded() {
        let text = row_address("public", "t", &["a/b%c".to_owned(), "2".to_owned()]);
        assert_eq!(text, "public.t/a%2Fb%25c/2");
        assert_eq!(decode_value("a%2Fb%25c").as_deref(), Some("a/b%c"));
        assert_eq!(decode_value("50%"), None);
    }
}
