//! Private parts of any text: header lines, fields of forms, tags and quoted members, tokens that
//! are known by their form, passwords in URLs, card numbers.
//!
//! Apart from JSON because here a regular expression finds what a reader of structure cannot.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::names::{innermost, is_private};

/// Where private parts stand, from left to right, none in another.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    // Most texts are words and numbers, where no pattern finds anything.
    let has_marks = text.bytes().any(|byte| b":= <@'\"_.-".contains(&byte));
    for pattern in patterns().iter().filter(|_| has_marks) {
        for found in pattern.captures_iter(text.as_bytes()) {
            let name = found.name("name").map(|name| name.as_bytes());
            let name = name.map(String::from_utf8_lossy);
            let is_named =
                name.is_none_or(|name| is_private(&name) || is_private(innermost(&name)));
            let private = found.name("private").filter(|_| is_named);
            spans.extend(private.map(|part| part.range()));
        }
    }
    spans.extend(card_numbers(text));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in spans.into_iter().filter(|span| !span.is_empty()) {
        match apart.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

/// With a `name`, only where that is private.
fn patterns() -> &'static [Regex] {
    static PATTERNS: OnceLock<Vec<Regex>> = OnceLock::new();
    let all = || SOURCES.iter().filter_map(|source| built(source).ok());
    PATTERNS.get_or_init(|| all().collect())
}

/// Without Unicode: the program is built without its tables, and a pattern that asks for them would
/// be missing there, although it is there in tests, whose helpers bring the tables in.
pub(super) fn built(source: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(source).unicode(false).build()
}

pub(super) const SOURCES: [&str; 8] = [
    // A line of headers.
    r"(?m)^[ \t]*(?<name>[A-Za-z][A-Za-z0-9_-]{0,63})[ \t]*:[ \t]*(?<private>[^\s{\[].*)$",
    r"(?i)(?:^|[^A-Za-z0-9])(?:bearer|basic)[ \t]+(?<private>[A-Za-z0-9._~+/=-]{8,})",
    // A field of a form or of a query.
    r#"(?:^|[&?;\s"'])(?<name>[A-Za-z0-9_.%\[\]-]{1,96})=(?<private>[^&\s;"']+)"#,
    // `<password>x</password>`.
    r"<(?:[A-Za-z0-9_-]{1,32}:)?(?<name>[A-Za-z0-9_.-]{1,64})(?:\s[^<>]*)?>(?<private>[^<>]+)</",
    // A member as Python, Ruby and PHP write it.
    r#"['"](?<name>[A-Za-z0-9_.-]{1,64})['"]\s*(?::|=>|;(?:s:[0-9]+:)?)\s*['"](?<private>[^'"]+)['"]"#,
    // `scheme://user:password@host`.
    r#"(?i)\b[a-z][a-z0-9+.-]{1,31}://[^\s/:@"']*:(?<private>[^\s/@"']+)@"#,
    // Tokens that say what they are.
    r"\b(?<private>(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{8,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    r"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?<private>[^-]+)",
];

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

/// Whether a number that stands by itself is that of a card.
pub fn is_card_number(text: &str, place: Range<usize>) -> bool {
    let digits = text.as_bytes().get(place).unwrap_or_default();
    (13..=19).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_digit)
        && is_card(&digits.iter().map(|byte| byte - b'0').collect::<Vec<u8>>())
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
