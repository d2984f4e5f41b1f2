//! A row's bytes, taken apart; and the entries of the dictionaries that rows point to.
//!
//! Apart from `row` because this is how they lie, and `row` is what they mean.

use std::borrow::Cow;

use super::encode::Part;
use super::pack::{Packed, Reader};

/// What the key is for, in the words of the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operation<'a> {
    pub name: Option<&'a str>,
    pub method: Option<&'a str>,
    pub path: Option<&'a str>,
}

impl Operation<'_> {
    /// As one text: method and path, else the name.
    pub fn text(&self) -> Option<String> {
        match (self.method, self.path, self.name) {
            (Some(method), Some(path), _) => Some(format!("{method} {path}")),
            (None, None, None) => None,
            (_, _, Some(name)) => Some(name.to_owned()),
            (method, path, None) => method.or(path).map(str::to_owned),
        }
    }
}

/// Everything in a row's bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Details<'a> {
    pub key: Option<Packed<'a>>,
    pub digest: Option<Packed<'a>>,
    pub hash: Option<Packed<'a>>,
    pub recipe: u8,
    pub address: Option<&'a [u8]>,
    pub ttl: i64,
    pub locked_at: Option<i64>,
    pub lock_until: Option<i64>,
    pub created_at: Option<i64>,
    pub completed_at: Option<i64>,
    pub failed_at: Option<i64>,
    pub attempts: Option<i64>,
    pub replays: Option<i64>,
    pub problems: u64,
    pub problem_bytes: &'a [u8],
    pub scope: &'a [u8],
    pub operation: &'a [u8],
}

impl<'a> Details<'a> {
    pub(super) fn read(blob: &'a [u8]) -> Details<'a> {
        let mut reader = Reader::new(blob);
        let mask = reader.varint();
        let has = |part: Part| mask & part.bit() != 0;
        let mut details = Details {
            key: has(Part::Key).then(|| reader.text()),
            digest: has(Part::Digest).then(|| reader.text()),
            hash: has(Part::Hash).then(|| reader.text()),
            ..Details::default()
        };
        // Most rows end here.
        if mask < Part::Recipe.bit() {
            return details;
        }
        if has(Part::Recipe) {
            details.recipe = reader.byte();
        }
        details.address = has(Part::Address).then(|| reader.bytes());
        let mut number = |part: Part| has(part).then(|| reader.signed());
        details.ttl = number(Part::Ttl).unwrap_or(0);
        details.locked_at = number(Part::LockedAt);
        details.lock_until = number(Part::LockUntil);
        details.created_at = number(Part::CreatedAt);
        details.completed_at = number(Part::CompletedAt);
        details.failed_at = number(Part::FailedAt);
        details.attempts = number(Part::Attempts);
        details.replays = number(Part::Replays);
        if has(Part::Problems) {
            details.problems = reader.varint();
            if details.problems == 0 {
                details.problem_bytes = reader.bytes();
            }
        }
        if has(Part::Scope) {
            details.scope = reader.bytes();
        }
        if has(Part::Operation) {
            details.operation = reader.bytes();
        }
        details
    }
}

pub(super) fn scope_parts(bytes: &[u8]) -> impl Iterator<Item = (&str, &str)> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(move || (!reader.is_at_end()).then(|| (reader.str(), reader.str())))
}

pub(super) fn join_scope<'a>(
    mut parts: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<Cow<'a, str>> {
    let mut text = Cow::Borrowed(parts.next()?.1);
    for (_, value) in parts {
        text = Cow::Owned(format!("{text}/{value}"));
    }
    Some(text)
}

pub(super) fn read_operation(bytes: &[u8]) -> Operation<'_> {
    let mut reader = Reader::new(bytes);
    let mut part = || {
        let len = reader.varint().checked_sub(1)?;
        Some(reader.str_of(len as usize))
    };
    Operation {
        name: part(),
        method: part(),
        path: part(),
    }
}
