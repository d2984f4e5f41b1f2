//! Questions about decoded values, with three answers: a value that was cut may hold the answer in
//! the part that was not read.

use regex::bytes::Regex;

use super::evaluate::Values;
use super::slot::Slot;
use super::times::{self, Time, Unit};
use crate::domain::Timestamp;

#[derive(Clone, Debug)]
pub enum Predicate {
    OneOf {
        slot: usize,
        texts: Vec<String>,
    },
    /// Words in the form of [`plain_word`].
    Word {
        slot: usize,
        words: Vec<String>,
    },
    Matches {
        slot: usize,
        regex: Regex,
    },
    Present {
        slot: usize,
    },
    Absent {
        slot: usize,
    },
    Between {
        slot: usize,
        low: f64,
        high: f64,
    },
    /// Two numbers, compared.
    Compared {
        slot: usize,
        other: usize,
        holds: fn(f64, f64) -> bool,
    },
    Is {
        slot: usize,
        kinds: Vec<Kind>,
    },
    Passed {
        slot: usize,
        unit: Unit,
    },
    NotPassed {
        slot: usize,
        unit: Unit,
    },
    Decoded {
        node: usize,
    },
    /// One of these lists is answered yes throughout.
    Any(Vec<Vec<Predicate>>),
    /// All of them are.
    All(Vec<Vec<Predicate>>),
}

/// A word without what people write differently: case, `_`, `-` and blanks.
pub fn plain_word(text: &str) -> String {
    text.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Object,
    Array,
    Text,
    Number,
    Bool,
}

impl Kind {
    pub fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "object" => Kind::Object,
            "array" => Kind::Array,
            "string" => Kind::Text,
            "number" => Kind::Number,
            "bool" => Kind::Bool,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Yes,
    No,
    /// It depends on what was not read.
    Unread,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Answer {
        if yes { Answer::Yes } else { Answer::No }
    }
}

impl Answer {
    /// Yes only if both are; no as soon as one is.
    fn and(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::No, _) | (_, Answer::No) => Answer::No,
            (Answer::Unread, _) | (_, Answer::Unread) => Answer::Unread,
            _ => Answer::Yes,
        }
    }
}

/// Asks all of them; the first no ends it.
pub fn ask_all(predicates: &[Predicate], values: &Values<'_>, now: Timestamp) -> Answer {
    let mut answer = Answer::Yes;
    for predicate in predicates {
        answer = answer.and(predicate.ask(values, now));
        if answer == Answer::No {
            break;
        }
    }
    answer
}

impl Predicate {
    pub fn ask(&self, values: &Values<'_>, now: Timestamp) -> Answer {
        match self {
            Predicate::Decoded { node } => values.decoded(*node),
            Predicate::Any(lists) => lists.iter().fold(Answer::No, |answer, list| {
                match (answer, ask_all(list, values, now)) {
                    (Answer::Yes, _) | (_, Answer::Yes) => Answer::Yes,
                    (Answer::Unread, _) | (_, Answer::Unread) => Answer::Unread,
                    _ => Answer::No,
                }
            }),
            Predicate::All(lists) => lists.iter().fold(Answer::Yes, |answer, list| {
                answer.and(ask_all(list, values, now))
            }),
            Predicate::Word { slot, words } => match values.slot(*slot) {
                Slot::Unseen | Slot::Cut => Answer::Unread,
                Slot::Text(found) if found.len() <= 64 => words.contains(&plain_word(found)).into(),
                _ => Answer::No,
            },
            Predicate::Matches { slot, regex } => match values.slot(*slot) {
                Slot::Unseen | Slot::Cut => Answer::Unread,
                Slot::Text(found) => regex.is_match(found.as_bytes()).into(),
                Slot::Bytes(found) => regex.is_match(found).into(),
                found => found
                    .text()
                    .is_some_and(|text| regex.is_match(text.as_bytes()))
                    .into(),
            },
            Predicate::Present { slot } => match values.slot(*slot) {
                Slot::Unseen => Answer::Unread,
                found => found.is_present().into(),
            },
            Predicate::Absent { slot } => match values.slot(*slot) {
                Slot::Unseen => Answer::Unread,
                found => (!found.is_present()).into(),
            },
            Predicate::OneOf { slot, texts } => match values.slot(*slot) {
                Slot::Unseen | Slot::Cut => Answer::Unread,
                Slot::Text(found) | Slot::Number(found) => {
                    texts.iter().any(|text| text == found.as_ref()).into()
                }
                found => found
                    .text()
                    .is_some_and(|found| texts.contains(&found.into_owned()))
                    .into(),
            },
            Predicate::Compared { slot, other, holds } => compared(values, *slot, *other, *holds),
            Predicate::Between { slot, low, high } => match values.slot(*slot) {
                Slot::Unseen | Slot::Cut => Answer::Unread,
                found => found
                    .number()
                    .is_some_and(|n| (*low..=*high).contains(&n))
                    .into(),
            },
            Predicate::Is { slot, kinds } => match values.slot(*slot) {
                Slot::Unseen => Answer::Unread,
                Slot::Cut => values
                    .cut_kind()
                    .map_or(Answer::Unread, |kind| kinds.contains(&kind).into()),
                found => kind_of(found)
                    .is_some_and(|kind| kinds.contains(&kind))
                    .into(),
            },
            Predicate::Passed { slot, unit } => passed(values, *slot, *unit, now, true),
            Predicate::NotPassed { slot, unit } => passed(values, *slot, *unit, now, false),
        }
    }
}

fn compared(values: &Values<'_>, slot: usize, other: usize, holds: fn(f64, f64) -> bool) -> Answer {
    match (values.slot(slot), values.slot(other)) {
        (Slot::Unseen | Slot::Cut, _) | (_, Slot::Unseen | Slot::Cut) => Answer::Unread,
        (left, right) => match (left.number(), right.number()) {
            (Some(left), Some(right)) => holds(left, right).into(),
            _ => Answer::No,
        },
    }
}

fn passed(values: &Values<'_>, slot: usize, unit: Unit, now: Timestamp, wanted: bool) -> Answer {
    match (values.slot(slot), times::read(values.slot(slot), unit)) {
        (Slot::Unseen | Slot::Cut, _) => Answer::Unread,
        (_, Time::At(time)) => ((time <= now) == wanted).into(),
        (_, Time::Never) => (!wanted).into(),
        _ => Answer::No,
    }
}

fn kind_of(slot: &Slot<'_>) -> Option<Kind> {
    Some(match slot {
        Slot::Json(text) if text.trim_start().starts_with('[') => Kind::Array,
        Slot::Json(_) => Kind::Object,
        Slot::Text(_) => Kind::Text,
        Slot::Int(_) | Slot::Float(_) | Slot::Number(_) => Kind::Number,
        Slot::Bool(_) => Kind::Bool,
        _ => return None,
    })
}
