//! Which member of a record is what: by the names that are usual, else by what stands there.
//!
//! Apart from the text because what is guessed is tested by itself. A guess says why it was made, so
//! that the person who reads the proposal can judge it.

use super::decoder::is_base64_of_text;
use super::grid::{Grid, Member, Value};
use super::token::{Token, is_method, is_uuid};
use crate::domain::Timestamp;
use crate::domain::raw::ColumnKind;
use crate::layouts::vocabulary::{Role, Vocabulary, is_called, kind_name};

/// What a member is taken for.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub role: String,
    /// Its place in the grid.
    pub member: usize,
    /// Why it was taken, where its name does not say so.
    pub guess: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Parts(pub Vec<Part>);

impl Parts {
    pub fn get<'g>(&self, grid: &'g Grid, role: &str) -> Option<&'g Member> {
        let part = self.0.iter().find(|part| part.role == role)?;
        grid.members.get(part.member)
    }

    pub fn has(&self, role: &str) -> bool {
        self.0.iter().any(|part| part.role == role)
    }

    fn takes(&self, member: usize) -> bool {
        self.0.iter().any(|part| part.member == member)
    }

    fn add(&mut self, role: &str, member: usize, guess: Option<String>) {
        let role = role.to_owned();
        self.0.push(Part {
            role,
            member,
            guess,
        });
    }
}

/// The shortest list of different texts that is no longer a state.
const STATES_MAX: usize = 8;

pub fn assign(words: &Vocabulary, grid: &Grid, now: Timestamp) -> Parts {
    let mut parts = Parts::default();
    for role in &words.role {
        take(role, &role.columns, words, grid, &mut parts, false);
    }
    for role in &words.role {
        if !parts.has(&role.name) {
            take(role, &role.guesses, words, grid, &mut parts, true);
        }
    }
    guess_by_values(words, grid, &mut parts, now);
    parts
}

/// The member that has the best of these names.
fn take(
    role: &Role,
    names: &[String],
    words: &Vocabulary,
    grid: &Grid,
    parts: &mut Parts,
    is_guess: bool,
) {
    // A nested member is called by its own name only where its whole name says nothing else.
    let says_else = |member: &Member| {
        member.depth > 0
            && words.role.iter().any(|other| {
                other.name != role.name
                    && other
                        .columns
                        .iter()
                        .any(|name| is_called(&member.full, name))
            })
    };
    for name in names {
        let found = grid.members.iter().enumerate().find(|(at, member)| {
            let by_name = is_called(&member.full, name)
                || (is_called(&member.last, name) && !says_else(member));
            by_name && !parts.takes(*at) && may_be(role, member, is_guess)
        });
        if let Some((at, _)) = found {
            let guess = is_guess.then(|| "by its name".to_owned());
            return parts.add(&role.name, at, guess);
        }
    }
}

/// Whether what stands there can be what the name says.
fn may_be(role: &Role, member: &Member, is_guess: bool) -> bool {
    let by_kind = member.kind.is_none_or(|kind| {
        role.kinds.is_empty() || role.kinds.iter().any(|name| name == kind_name(kind))
    });
    if !by_kind {
        return false;
    }
    if member.is_empty() {
        // What is always null may be anything; an unsure name is not enough then.
        return !is_guess && (member.kind.is_some() || member.values.is_empty());
    }
    match role.name.as_str() {
        "response_status" => member.all(|value| value.is_nothing() || is_code(value)),
        "attempts" => member.all(|value| value.number().is_some_and(|n| (0.0..1e6).contains(&n))),
        "is_done" | "is_running" => member.all(is_flag),
        "state" => is_state(member),
        "method" => member.all(|value| value.text().is_some_and(is_method)),
        "path" => member.all(|value| matches!(value, Value::Text(_))),
        "idempotency_key" | "scope" | "operation" | "owner" => {
            member.all(|value| matches!(value, Value::Text(_) | Value::Number(..)))
        }
        "key_digest" | "payload_hash" => {
            let is_hash = |value: &Value| matches!(value, Value::Text(_) | Value::Bytes);
            member.all(is_hash)
                && (!is_guess || member.all(|value| value.is_nothing() || is_digest(value)))
        }
        name if name.ends_with("_at") || name == "lock_until" => member.is_time(),
        _ => true,
    }
}

fn is_code(value: &Value) -> bool {
    let number = value.number();
    number.is_some_and(|n| n.fract() == 0.0 && (100.0..600.0).contains(&n))
}

fn is_flag(value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        other => matches!(other.text(), Some("0" | "1" | "true" | "false")),
    }
}

/// A few short texts or small numbers.
fn is_state(member: &Member) -> bool {
    let texts = member.texts();
    let short = |text: &str| {
        !text.is_empty()
            && text.len() <= 32
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_- .".contains(&b))
    };
    // An HTTP status is no state.
    texts.len() <= STATES_MAX
        && !member.all(is_code)
        && member.all(|value| match value {
            Value::Text(text) => short(text),
            Value::Number(number, _) => number.fract() == 0.0 && number.abs() < 100.0,
            Value::Bool(_) => true,
            _ => false,
        })
}

fn is_digest(value: &Value) -> bool {
    let Value::Text(text) = value else {
        return matches!(value, Value::Bytes);
    };
    let bare = text
        .split_once([':', '-'])
        .filter(|(name, _)| name.len() < 8);
    let text = bare.map_or(text.as_str(), |(_, rest)| rest);
    let hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let base64 = text.len() == 44 && text.ends_with('=');
    (hex && matches!(text.len(), 32 | 40 | 56 | 64 | 96 | 128)) || base64
}

/// A guess: the role, why, and whether a member may be it.
type Guess = (
    &'static str,
    &'static str,
    fn(&Member, &Vocabulary, Timestamp) -> bool,
);

/// What no name tells, by what stands there; the surest first.
const GUESSES: [Guess; 9] = [
    (
        "state",
        "its values are words of a state",
        |member, words, _| {
            let mut texts = member.texts().into_iter();
            is_state(member) && texts.any(|(text, _)| super::status::known(words, text).is_some())
        },
    ),
    (
        "response_status",
        "its values are HTTP statuses",
        |member, _, _| {
            let is_fitting = |value: &Value| value.is_nothing() || is_code(value);
            member.depth < 2 && member.all(is_fitting) && member.found().any(is_code)
        },
    ),
    (
        "payload_hash",
        "its values look like a hash",
        |member, _, _| member.all(is_digest),
    ),
    ("method", "its values are HTTP methods", |member, _, _| {
        member.all(|value| value.text().is_some_and(is_method))
    }),
    ("path", "its values look like a path", |member, _, _| {
        let is_path = |text: &str| Token::of(text.as_bytes()) == Token::Path;
        member.all(|value| value.text().is_some_and(is_path))
    }),
    (
        "expires_at",
        "its values are times to come",
        |member, _, now| member.is_time() && times(member).all(|time| time > now),
    ),
    (
        "created_at",
        "its values are times gone by",
        |member, _, now| member.is_time() && times(member).all(|time| time <= now),
    ),
    (
        "response_body",
        "its values look like an answer",
        |member, words, _| {
            let called = |name: &String| is_called(&member.last, name);
            let mut roles = words.role.iter();
            let is_other =
                roles.any(|role| role.name != "response_body" && role.columns.iter().any(called));
            member.depth == 0 && !is_other && member.all(is_payload)
        },
    ),
    ("idempotency_key", "its values are UUIDs", |member, _, _| {
        let is_id = |value: &Value| value.text().is_some_and(|text| is_uuid(text.as_bytes()));
        member.kind.is_some() && member.all(is_id)
    }),
];

fn guess_by_values(words: &Vocabulary, grid: &Grid, parts: &mut Parts, now: Timestamp) {
    for (role, why, holds) in GUESSES {
        if parts.has(role) {
            continue;
        }
        let mut members = grid.members.iter().enumerate();
        let found = members.find(|(at, member)| {
            !parts.takes(*at) && !member.is_empty() && holds(member, words, now)
        });
        if let Some((at, _)) = found {
            parts.add(role, at, Some(why.to_owned()));
        }
    }
}

fn times(member: &Member) -> impl Iterator<Item = Timestamp> {
    member.found().filter_map(Value::time)
}

/// An object, a list, or text that holds one.
fn is_payload(value: &Value) -> bool {
    match value {
        Value::Object | Value::Array => true,
        Value::Text(text) => text.starts_with(['{', '[']) || is_base64_of_text(text),
        _ => false,
    }
}

/// How a field's values are decoded, where they are Base64 throughout.
pub fn decoding(member: &Member) -> Option<&'static str> {
    let is_packed = |value: &Value| matches!(value, Value::Text(text) if is_base64_of_text(text));
    member.all(is_packed).then_some("base64")
}

/// The unit that a layout names for a member's times; none where the text says it all.
pub fn unit(member: &Member) -> Option<&'static str> {
    let mut units: Vec<Option<&'static str>> = Vec::new();
    for value in member.found() {
        let unit = match value {
            Value::Time(_) => None,
            _ if value.is_nothing() => Some("auto"),
            _ => value.number().map(unit_of),
        };
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    match units.as_slice() {
        [] => match member.kind {
            Some(ColumnKind::Int | ColumnKind::Float | ColumnKind::Text) => Some("auto"),
            _ => None,
        },
        [one] => *one,
        _ => Some("auto"),
    }
}

/// The unit in which a number is a time of this century.
fn unit_of(number: f64) -> &'static str {
    match number.abs() {
        size if size < 1.0e11 => "s",
        size if size < 1.0e14 => "ms",
        size if size < 1.0e17 => "us",
        _ => "ticks",
    }
}
