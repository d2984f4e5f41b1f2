//! What one part of a key's name, or one short text, looks like.
//!
//! Apart from `families` because values are looked at in the same way.

use crate::layouts::detect::foreign;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Token {
    /// Letters that a programmer wrote.
    Word,
    Method,
    Path,
    Digits,
    Uuid,
    /// A fingerprint of 40, 64 or 128 hex digits.
    Digest,
    /// Anything else that differs from record to record.
    Id,
}

/// Longer than any word of a key's name.
const WORD_MAX: usize = 24;

impl Token {
    pub fn of(part: &[u8]) -> Token {
        let Ok(text) = std::str::from_utf8(part) else {
            return Token::Id;
        };
        // What does not show as it is written is never fixed text.
        if !text.chars().all(is_plain) {
            return Token::Id;
        }
        let is_hex = !part.is_empty() && part.iter().all(u8::is_ascii_hexdigit);
        match () {
            () if is_method(text) => Token::Method,
            () if text.starts_with('/') && text.len() > 1 => Token::Path,
            () if !text.is_empty() && part.iter().all(u8::is_ascii_digit) => Token::Digits,
            () if is_uuid(part) => Token::Uuid,
            () if is_hex && matches!(part.len(), 40 | 64 | 128) => Token::Digest,
            () if is_version(text) => Token::Word,
            () if part.iter().any(u8::is_ascii_digit) => Token::Id,
            () if is_longer_than_words(text) => Token::Id,
            () => Token::Word,
        }
    }
}

/// A character that shows as it is written.
pub fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c.is_ascii_graphic() || c == ' '
}

pub fn is_method(text: &str) -> bool {
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    methods.contains(&text)
}

pub fn is_uuid(part: &[u8]) -> bool {
    part.len() == 36
        && part.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// `my_application_cache` is several words.
fn is_longer_than_words(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    text.len() > WORD_MAX * 4 || words.any(|word| word.len() > WORD_MAX)
}

/// `v1` is a word that somebody wrote.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix(['v', 'V']);
    number.is_some_and(|number| {
        !number.is_empty() && number.len() < 3 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Words that say what kind of thing a key is: keys with another one are another family.
pub fn is_one_of_a_kind(word: &[u8]) -> bool {
    let kinds = [
        "lock",
        "locks",
        "result",
        "results",
        "response",
        "responses",
        "request",
        "requests",
        "data",
        "meta",
        "status",
        "state",
        "body",
        "processing",
        "done",
        "claim",
        "owner",
        "key",
        "keys",
        "index",
        "set",
    ];
    let lower = word.to_ascii_lowercase();
    let text = std::str::from_utf8(&lower).unwrap_or_default();
    kinds.contains(&text) || foreign::speaks_for_it(word) || foreign::veto(word).is_some()
}
