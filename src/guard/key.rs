//! The client's key, from a header or the body, checked.
//!
//! Bare and quoted forms of one value are one key: the draft makes the header a structured-field
//! string (RFC 8941, section 3.3.3), and most clients send it bare.

use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use chrono::DateTime;
use serde_json::Value;

use super::policy::{Carrier, Policy, Syntax};
use crate::sys::clock;

/// Why there is no usable key; each is a sentence for the problem's detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    Missing,
    /// Two headers: which one counts is not for us to guess.
    Several,
    Empty,
    TooLong,
    /// Characters that a key may not have, or a form that this API does not take.
    Malformed,
    /// There is no time at which the request was first sent, or it is no HTTP date.
    NoFirstSent,
    /// The request was first sent before the time that records are kept, or in the future.
    OutOfWindow,
}

/// Clocks of clients may be ahead by so much.
const AHEAD_MAX: Duration = Duration::from_secs(60);

impl KeyError {
    /// What such a request is answered with.
    pub fn status(self) -> StatusCode {
        match self {
            KeyError::OutOfWindow => StatusCode::PRECONDITION_FAILED,
            _ => StatusCode::BAD_REQUEST,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            KeyError::Missing => "This operation needs an idempotency key",
            KeyError::Several => "The idempotency key was sent more than once",
            KeyError::Empty => "The idempotency key is empty",
            KeyError::TooLong => "The idempotency key is too long",
            KeyError::Malformed => "The idempotency key is not written as this API takes it",
            KeyError::NoFirstSent => "A repeatable request says when it was first sent",
            KeyError::OutOfWindow => {
                "The request was first sent too long ago to tell whether it was executed"
            }
        }
    }
}

/// The key of a request, unquoted.
pub fn read_key(policy: &Policy, headers: &HeaderMap, body: &[u8]) -> Result<String, KeyError> {
    match &policy.carrier {
        Carrier::Header(name) => check(policy, header(headers, name)?),
        Carrier::Repeatable(window) => {
            let key = check(policy, header(headers, "repeatability-request-id")?)?;
            let sent = header(headers, "repeatability-first-sent");
            within(sent.map_err(|_| KeyError::NoFirstSent)?, *window)?;
            Ok(key)
        }
        Carrier::Member(name) => {
            let value: Value = serde_json::from_slice(body).map_err(|_| KeyError::Missing)?;
            match value.get(name) {
                Some(Value::String(text)) => length(policy, text.clone()),
                Some(_) => Err(KeyError::Malformed),
                None => Err(KeyError::Missing),
            }
        }
    }
}

fn header<'h>(headers: &'h HeaderMap, name: &str) -> Result<&'h str, KeyError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().ok_or(KeyError::Missing)?;
    if values.next().is_some() {
        return Err(KeyError::Several);
    }
    let text = first.to_str().map_err(|_| KeyError::Malformed)?;
    Ok(text.trim_matches([' ', '\t']))
}

/// An HTTP date (RFC 9110, 5.6.7) of the last moments.
fn within(sent: &str, window: Duration) -> Result<(), KeyError> {
    let sent = DateTime::parse_from_rfc2822(sent).map_err(|_| KeyError::NoFirstSent)?;
    let ago = clock::now().millis() - sent.timestamp_millis();
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match (-millis(AHEAD_MAX)..=millis(window)).contains(&ago) {
        true => Ok(()),
        false => Err(KeyError::OutOfWindow),
    }
}

fn check(policy: &Policy, text: &str) -> Result<String, KeyError> {
    let is_quoted = text.starts_with('"');
    let key = match (policy.syntax, is_quoted) {
        (Syntax::Bare, true) | (Syntax::Quoted, false) => return Err(KeyError::Malformed),
        (_, true) => unquoted(text).ok_or(KeyError::Malformed)?,
        (_, false) => text.to_owned(),
    };
    let key = length(policy, key)?;
    // Visible ASCII, as a structured-field string has it; a bare key has no blanks either.
    let fits = |c: char| matches!(c, '!'..='~') || (c == ' ' && is_quoted);
    if !key.chars().all(fits) {
        return Err(KeyError::Malformed);
    }
    if policy.syntax == Syntax::Uuid && !is_uuid(&key) {
        return Err(KeyError::Malformed);
    }
    Ok(key)
}

fn length(policy: &Policy, key: String) -> Result<String, KeyError> {
    match key.chars().count() {
        0 => Err(KeyError::Empty),
        chars if chars > policy.key_max => Err(KeyError::TooLong),
        _ => Ok(key),
    }
}

/// The text of a structured-field string: `\"` and `\\` are the only escapes.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut key = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => key.push(chars.next().filter(|c| matches!(c, '"' | '\\'))?),
            '"' => return None,
            c => key.push(c),
        }
    }
    Some(key)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check_key(syntax: Syntax, value: &[u8], expected: Result<&str, KeyError>) {
        let policy = Policy {
            syntax,
            ..Policy::default()
        };
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_bytes(value).expect("a header's value");
        headers.append("Idempotency-Key", value);
        let found = read_key(&policy, &headers, b"");
        assert_eq!(found.as_deref().map_err(|error| *error), expected);
    }

    #[test]
    fn bare_and_quoted_are_one_value() {
        check_key(Syntax::Either, b"ord-1", Ok("ord-1"));
        check_key(Syntax::Either, b"\"ord-1\"", Ok("ord-1"));
        check_key(Syntax::Either, b"\"a\\\"b\\\\\"", Ok("a\"b\\"));
        check_key(Syntax::Bare, b"\"ord-1\"", Err(KeyError::Malformed));
        check_key(Syntax::Quoted, b"ord-1", Err(KeyError::Malformed));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        check_key(Syntax::Either, b"", Err(KeyError::Empty));
        check_key(Syntax::Either, b"\"\"", Err(KeyError::Empty));
        check_key(Syntax::Either, b"\"open", Err(KeyError::Malformed));
        check_key(Syntax::Either, b"two words", Err(KeyError::Malformed));
        check_key(Syntax::Either, "é".as_bytes(), Err(KeyError::Malformed));
        check_key(Syntax::Either, &[b'k'; 255], Ok(&"k".repeat(255)));
        check_key(Syntax::Either, &[b'k'; 256], Err(KeyError::TooLong));
        check_key(Syntax::Uuid, b"ord-1", Err(KeyError::Malformed));
        let uuid = "a8098c1a-f86e-11da-bd1a-00112444be01";
        check_key(Syntax::Uuid, uuid.as_bytes(), Ok(uuid));
    }

    #[test]
    fn two_keys_are_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(
            read_key(&Policy::default(), &headers, b""),
            Err(KeyError::Missing)
        );
        headers.append("idempotency-key", HeaderValue::from_static("a"));
        headers.append("idempotency-key", HeaderValue::from_static("a"));
        assert_eq!(
            read_key(&Policy::default(), &headers, b""),
            Err(KeyError::Several)
        );
    }
}
