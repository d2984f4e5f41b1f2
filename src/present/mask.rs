//! Credentials inside what is stored, hidden: `Authorization`, cookies, tokens, passwords, card
//! numbers.
//!
//! Stored requests and answers are private; what a person has not asked for is not shown, not
//! copied and not exported. Works on the text, so that numbers keep their digits and what is not
//! JSON is masked as well.
//! Invariant: only what is found is changed; masked text is never longer than the text by more
//! than a mark for each find. It is a help against glances, not a proof that nothing private is
//! left: a field with an unknown name stays.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

/// What stands in the place of something private.
pub const MARK: &str = "••••••";
/// JSON in a text in JSON, and so on.
const DEPTH_MAX: u32 = 4;

/// A text with its private parts masked, and how many there were.
pub fn mask(text: &str) -> (Cow<'_, str>, usize) {
    let spans = private_spans(text, DEPTH_MAX);
    if spans.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let count = spans.len();
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans {
        masked.push_str(text.get(from..span.start).unwrap_or_default());
        masked.push_str(MARK);
        from = span.end;
    }
    masked.push_str(text.get(from..).unwrap_or_default());
    (Cow::Owned(masked), count)
}

/// The same for every text of a value; names of members decide about their texts.
pub fn mask_value(value: &mut Value) -> usize {
    let mut count = 0;
    match value {
        Value::String(text) => {
            let (masked, found) = mask(text);
            if found > 0 {
                *text = masked.into_owned();
            }
            count += found;
        }
        Value::Array(list) => count += list.iter_mut().map(mask_value).sum::<usize>(),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                match value {
                    Value::String(text) if is_private(name) && !text.is_empty() => {
                        MARK.clone_into(text);
                        count += 1;
                    }
                    value => count += mask_value(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    count
}

/// Names of fields and headers whose values are nobody's business.
pub fn is_private(name: &str) -> bool {
    const WHOLE: [&str; 13] = [
        "authorization",
        "proxyauthorization",
        "cookie",
        "cookies",
        "setcookie",
        "token",
        "secret",
        "passwd",
        "pwd",
        "pan",
        "cvv",
        "cvc",
        "pin",
    ];
    const ENDS: [&str; 12] = [
        "password",
        "apikey",
        "accesstoken",
        "refreshtoken",
        "idtoken",
        "authtoken",
        "sessiontoken",
        "csrftoken",
        "clientsecret",
        "privatekey",
        "cardnumber",
        "secretkey",
    ];
    if name.len() > 64 {
        return false;
    }
    let plain: String = name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    WHOLE.contains(&plain.as_str()) || ENDS.iter().any(|end| plain.ends_with(end))
}

fn is_private_header(text: &str) -> bool {
    let names = [
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
    ];
    names.iter().any(|name| text.eq_ignore_ascii_case(name))
}

/// Where private parts stand, from left to right, none in another.
fn private_spans(text: &str, depth: u32) -> Vec<Range<usize>> {
    let start = text.trim_start();
    if depth > 0 && start.starts_with(['{', '[']) {
        json_spans(text, depth)
    } else {
        plain_spans(text)
    }
}

/// Of a text that looks like JSON; what follows a broken place is taken as it comes.
fn json_spans(text: &str, depth: u32) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    // What the value of a private name is masked by: all its texts, up to the end of a list.
    let mut armed = Armed::No;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = string_end(text, at);
                let inside = at + 1..end.saturating_sub(1).max(at + 1);
                let content = text.get(inside.clone()).unwrap_or_default();
                let is_name = text
                    .get(end..)
                    .unwrap_or_default()
                    .trim_start()
                    .starts_with(':');
                match (is_name, armed) {
                    (true, _) if is_private(content) => armed = Armed::Value,
                    // The value of a header that is named before: `{"name": …, "value": …}`.
                    (true, Armed::Header) => {}
                    (true, _) => armed = Armed::No,
                    (false, Armed::No) => {
                        if is_private_header(content) {
                            armed = Armed::Header;
                        } else {
                            spans.extend(inner_spans(content, inside.start, depth));
                        }
                    }
                    (false, _) => {
                        if !content.is_empty() {
                            spans.push(inside);
                        }
                        if armed != Armed::List {
                            armed = Armed::No;
                        }
                    }
                }
                at = end;
                continue;
            }
            b'[' if armed == Armed::Value || armed == Armed::Header => armed = Armed::List,
            b'{' | b'}' | b']' => armed = Armed::No,
            b'0'..=b'9' if armed == Armed::Value => {
                let rest = text.get(at..).unwrap_or_default();
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                spans.push(at..at + digits);
                armed = Armed::No;
                at += digits;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    spans
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Armed {
    No,
    /// A private name was said: its value follows.
    Value,
    /// A header's name stood as a text: the next text is its value.
    Header,
    /// In the list that is a private value.
    List,
}

/// Past the closing quote of the string that begins at a byte, or the end of the text.
fn string_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Of a string's content, whose quotes may be escaped because it is JSON itself.
fn inner_spans(content: &str, offset: usize, depth: u32) -> Vec<Range<usize>> {
    let moved = |spans: Vec<Range<usize>>| {
        let spans = spans.into_iter();
        spans
            .map(|span| span.start + offset..span.end + offset)
            .collect()
    };
    if !content.contains("\\\"") || depth <= 1 {
        return moved(plain_spans(content));
    }
    // Read without one level of escapes, and the finds are carried back.
    let (plain, places) = unescaped(content);
    let spans = private_spans(&plain, depth - 1);
    let back = |at: usize| places.get(at).copied().unwrap_or(content.len());
    moved(
        spans
            .into_iter()
            .map(|span| back(span.start)..back(span.end))
            .collect(),
    )
}

/// A text without one level of backslashes, and where each of its bytes stood.
fn unescaped(content: &str) -> (String, Vec<usize>) {
    let mut plain = String::with_capacity(content.len());
    let mut places = Vec::with_capacity(content.len());
    let mut chars = content.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let (at, c) = match (c, chars.peek()) {
            ('\\', Some((_, next @ ('"' | '\\' | '/')))) => {
                let next = *next;
                chars.next();
                (at, next)
            }
            _ => (at, c),
        };
        plain.push(c);
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
    }
    (plain, places)
}

/// Header lines, `Bearer …`, form fields and card numbers in any text.
fn plain_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for pattern in patterns() {
        for found in pattern.captures_iter(text) {
            if let Some(private) = found.name("private").filter(|part| !part.is_empty()) {
                spans.push(private.range());
            }
        }
    }
    spans.extend(card_numbers(text));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

fn patterns() -> &'static [Regex] {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    PATTERNS.get_or_init(|| {
        let sources = [
            r"(?im)^[ \t]*(?:proxy-)?authorization[ \t]*:[ \t]*(?<private>\S.*)$",
            r"(?im)^[ \t]*(?:set-)?cookie[ \t]*:[ \t]*(?<private>\S.*)$",
            r"(?im)^[ \t]*x-api-key[ \t]*:[ \t]*(?<private>\S.*)$",
            r"(?i)(?:^|[^A-Za-z0-9])(?:bearer|basic)[ \t]+(?<private>[A-Za-z0-9._~+/=-]{8,})",
            r"(?i)(?:^|[&?;\s])(?:password|passwd|secret|client_secret|access_token|refresh_token|api_key|apikey|token|cvv|cvc)=(?<private>[^&\s;]+)",
        ];
        sources.iter().filter_map(|source| Regex::new(source).ok()).collect()
    })
}

/// Thirteen to nineteen digits, perhaps in groups, that begin as cards do and whose check digit
/// is right (ISO/IEC 7812).
fn card_numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begins = byte.is_ascii_digit()
            && !is_word(at.checked_sub(1).and_then(|before| bytes.get(before)));
        if !begins {
            at += 1;
            continue;
        }
        let mut digits = Vec::new();
        let mut end = at;
        let mut next = at;
        while let Some(byte) = bytes.get(next) {
            match byte {
                b'0'..=b'9' => {
                    digits.push(byte - b'0');
                    end = next + 1;
                }
                // One blank or dash between groups.
                b' ' | b'-' if next == end && digits.len() >= 4 => {}
                _ => break,
            }
            next += 1;
        }
        if !is_word(bytes.get(end)) && is_card(&digits) {
            spans.push(at..end);
        }
        at = end.max(at + 1);
    }
    spans
}

fn is_card(digits: &[u8]) -> bool {
    let begins = match digits {
        [3, 4 | 7, ..] => digits.len() == 15,
        [3, 0 | 5 | 6 | 8, ..] => digits.len() == 14,
        [4..=6, ..] | [2, 2..=7, ..] => (13..=19).contains(&digits.len()),
        _ => false,
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => digit * 2 - 9,
            (_, digit) => digit * 2,
        })
        .sum();
    begins && sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (masked, count) = mask(text);
        assert_eq!(masked.replace(MARK, "*"), expected);
        assert_eq!(count, expected.matches('*').count());
    }

    #[test]
    fn credentials_in_json_are_masked_by_their_names() {
        check(
            r#"{"id": 12345678901234567890.10, "Authorization": "Bearer abc", "name": "x"}"#,
            r#"{"id": 12345678901234567890.10, "Authorization": "*", "name": "x"}"#,
        );
        check(
            r#"{"cvc": 123, "amount": 4900}"#,
            r#"{"cvc": *, "amount": 4900}"#,
        );
        check(
            r#"{"set-cookie": ["a=1", "b=2"], "token": null, "client_secret": ""}"#,
            r#"{"set-cookie": ["*", "*"], "token": null, "client_secret": ""}"#,
        );
        check(
            r#"{"token": {"id": "7"}, "n": "8"}"#,
            r#"{"token": {"id": "7"}, "n": "8"}"#,
        );
    }

    #[test]
    fn headers_stand_in_many_forms() {
        check(
            r#"[["content-type", "text/plain"], ["Set-Cookie", "sid=1"]]"#,
            r#"[["content-type", "text/plain"], ["Set-Cookie", "*"]]"#,
        );
        check(
            r#"[{"name": "Cookie", "value": "sid=1"}, {"name": "Date", "value": "x"}]"#,
            r#"[{"name": "Cookie", "value": "*"}, {"name": "Date", "value": "x"}]"#,
        );
        check(
            "POST /pay\r\nAuthorization: Basic dXNlcjpwYXNz\nHost: a\n",
            "POST /pay\r\nAuthorization: *\nHost: a\n",
        );
        check("a=1&password=x+y&b=2", "a=1&password=*&b=2");
        check("it said bearer eyJhbGciOi.J9", "it said bearer *");
    }

    #[test]
    fn json_in_json_is_looked_into() {
        check(
            r#"{"body": "{\"card\": {\"password\": \"p\\\"q\", \"n\": 1}}"}"#,
            r#"{"body": "{\"card\": {\"password\": \"*\", \"n\": 1}}"}"#,
        );
    }

    #[test]
    fn card_numbers_are_told_from_other_numbers() {
        check("4242 4242 4242 4242 paid", "* paid");
        check(r#"{"n": "4242424242424242"}"#, r#"{"n": "*"}"#);
        // Times, ids, a wrong check digit.
        check(
            "1795953600000 4242424242424241",
            "1795953600000 4242424242424241",
        );
        check("ch_4242424242424242x", "ch_4242424242424242x");
    }

    #[test]
    fn values_are_masked_in_place() {
        let mut value = serde_json::json!({
            "password": "x", "list": [{"authorization": "y"}], "n": 1, "plain": "z",
        });
        assert_eq!(mask_value(&mut value), 2);
        assert_eq!(value["password"], MARK);
        assert_eq!(value["list"][0]["authorization"], MARK);
        assert_eq!(value["plain"], "z");
    }

    #[test]
    fn every_pattern_is_one() {
        assert_eq!(patterns().len(), 5);
    }

    #[test]
    fn broken_and_hostile_texts_do_no_harm() {
        for text in [
            "{\"token\": \"",
            "{\"token\": \"\\",
            "[[[[[[",
            "\"",
            "{\"a\\\"",
            "é\\\"{",
        ] {
            let _ = mask(text);
        }
        let deep = format!("{{\"token\":{}", "[".repeat(100_000));
        let (masked, _) = mask(&deep);
        assert_eq!(masked.len(), deep.len());
    }
}
