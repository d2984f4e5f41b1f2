//! Questions about decoded values, with three answers: a value that was cut may hold the answer in
//! the part that was not read.

use super::evaluate::Values;
use super::slot::Slot;
use super::times::{self, Time, Unit};
use crate::domain::Timestamp;

#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    OneOf { slot: usize, texts: Vec<String> },
    Present { slot: usize },
    Absent { slot: usize },
    Between { slot: usize, low: f64, high: f64 },
    Is { slot: usize, kinds: Vec<Kind> },
    Passed { slot: usize, unit: Unit },
    NotPassed { slot: usize, unit: Unit },
    Decoded { node: usize },
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

impl Predicate {
    pub fn ask(&self, values: &Values<'_>, now: Timestamp) -> Answer {
        match self {
            Predicate::Decoded { node } => values.decoded(*node).into(),
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
