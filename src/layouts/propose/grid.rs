//! What the records of a sample hold, member by member.
//!
//! Apart from the guesses because those ask the same things of a JSON member, a hash field and a
//! column: what is there, of what kind, how many different values.
//! Bounds: so many members, so deep, so many bytes of a text.

use serde_json::Value as Json;

use super::token::is_plain;
use crate::domain::Timestamp;
use crate::domain::raw::{Cell, ColumnKind};
use crate::layouts::slot::{Slot, uuid_text};
use crate::layouts::times::{self, Time, Unit};
use crate::layouts::vocabulary::snake;

/// A value as far as guesses need it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    /// With its text, since a layout compares texts.
    Number(f64, String),
    Bool(bool),
    Object,
    Array,
    Time(Timestamp),
    Bytes,
}

#[derive(Clone, Debug, Default)]
pub struct Member {
    /// As a layout writes it: `value.response.status`.
    pub path: String,
    /// Its name in snake case, and with the names around it.
    pub last: String,
    pub full: String,
    /// Names around it.
    pub depth: usize,
    /// By record; none where it is absent or null.
    pub values: Vec<Option<Value>>,
    /// A column's kind, known without any value.
    pub kind: Option<ColumnKind>,
}

#[derive(Clone, Debug, Default)]
pub struct Grid {
    pub records: usize,
    pub members: Vec<Member>,
}

const MEMBERS_MAX: usize = 200;
const DEPTH_MAX: usize = 3;
const TEXT_MAX: usize = 4096;
/// Times a record may hold: from 2001 to 2100.
const TIMES: std::ops::Range<i64> = 978_307_200_000..4_102_444_800_000;

impl Grid {
    pub fn of(records: usize) -> Grid {
        Grid {
            records,
            members: Vec::new(),
        }
    }

    /// Puts what stands at a path; `heads` of its parts are no names of members.
    pub fn put(&mut self, record: usize, path: &[String], heads: usize, value: Option<Value>) {
        let Some(written) = written(path) else { return };
        let records = self.records;
        let at = match self.members.iter().position(|known| known.path == written) {
            Some(at) => at,
            None if self.members.len() >= MEMBERS_MAX => return,
            None => {
                let names: Vec<String> = path.iter().skip(heads).map(|name| snake(name)).collect();
                self.members.push(Member {
                    path: written,
                    last: names.last().cloned().unwrap_or_default(),
                    full: names.join("_"),
                    depth: names.len().saturating_sub(1),
                    values: vec![None; records],
                    kind: None,
                });
                self.members.len() - 1
            }
        };
        let member = self.members.get_mut(at);
        if let Some(place) = member.and_then(|member| member.values.get_mut(record)) {
            *place = value;
        }
    }

    /// Puts a JSON value and what is in it.
    pub fn put_json(&mut self, record: usize, path: &mut Vec<String>, heads: usize, json: &Json) {
        if path.len() > 1 {
            self.put(record, path, heads, Value::of_json(json));
        }
        if let Json::Object(members) = json
            && path.len() <= DEPTH_MAX
        {
            for (name, value) in members {
                path.push(name.clone());
                self.put_json(record, path, heads, value);
                path.pop();
            }
        }
    }
}

/// A path as a layout writes it; none where a name cannot be written.
pub fn written(path: &[String]) -> Option<String> {
    let mut parts = Vec::new();
    for part in path {
        match part.as_str() {
            "" => return None,
            text if text.contains('"') || !text.chars().all(is_plain) => return None,
            text if text.contains('.') => parts.push(format!("\"{text}\"")),
            text => parts.push(text.to_owned()),
        }
    }
    Some(parts.join("."))
}

impl Value {
    fn of_json(json: &Json) -> Option<Value> {
        Some(match json {
            Json::Null => return None,
            Json::Bool(yes) => Value::Bool(*yes),
            Json::Number(number) => Value::Number(number.as_f64()?, number.to_string()),
            Json::String(text) => Value::Text(cut(text)),
            Json::Array(_) => Value::Array,
            Json::Object(_) => Value::Object,
        })
    }

    /// A stored text; what is not UTF-8 is bytes.
    pub fn of_bytes(bytes: &[u8]) -> Value {
        match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(cut(text)),
            Err(_) => Value::Bytes,
        }
    }

    pub fn of_cell(cell: Cell<'_>) -> Option<Value> {
        Some(match cell {
            Cell::Null => return None,
            Cell::Bool(yes) => Value::Bool(yes),
            Cell::Int(number) => Value::Number(number as f64, number.to_string()),
            Cell::Float(number) => Value::Number(number, number.to_string()),
            Cell::Text(text) => Value::Text(cut(text)),
            Cell::Json(text) => match text.trim_start().as_bytes().first() {
                Some(b'{') => Value::Object,
                Some(b'[') => Value::Array,
                _ => Value::Text(cut(text)),
            },
            Cell::Bytes(_) => Value::Bytes,
            Cell::Uuid(bytes) => Value::Text(uuid_text(bytes)),
            Cell::Time(i64::MAX | i64::MIN) => return None,
            Cell::Time(micros) => Value::Time(Timestamp(micros.div_euclid(1000))),
        })
    }

    /// The text that a layout compares with.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Number(_, text) => Some(text),
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number, _) => Some(*number),
            Value::Text(text) => text.trim().parse().ok().filter(|n: &f64| n.is_finite()),
            _ => None,
        }
    }

    /// The time it may be, whatever its unit.
    pub fn time(&self) -> Option<Timestamp> {
        let slot = match self {
            Value::Time(time) => return Some(*time),
            Value::Number(_, text) => Slot::Number(text.into()),
            Value::Text(text) => Slot::Text(text.into()),
            _ => return None,
        };
        match times::read(&slot, Unit::Auto) {
            Time::At(time) if TIMES.contains(&time.millis()) => Some(time),
            _ => None,
        }
    }

    pub fn is_nothing(&self) -> bool {
        match self {
            Value::Text(text) => text.is_empty() || text == "0",
            Value::Number(number, _) => *number == 0.0,
            _ => false,
        }
    }
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(TEXT_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

impl Member {
    pub fn found(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().flatten()
    }

    pub fn is_in_all(&self) -> bool {
        !self.values.is_empty() && self.values.iter().all(Option::is_some)
    }

    pub fn is_empty(&self) -> bool {
        self.found().next().is_none()
    }

    /// Whether something of weight stands there in a record.
    pub fn is_filled(&self, record: usize) -> bool {
        let value = self.values.get(record).and_then(Option::as_ref);
        value.is_some_and(|value| !value.is_nothing())
    }

    /// All values answer a question with yes; nothing answers none.
    pub fn all(&self, holds: impl Fn(&Value) -> bool) -> bool {
        !self.is_empty() && self.found().all(holds)
    }

    pub fn is_time(&self) -> bool {
        let told = self.found().filter(|value| !value.is_nothing());
        let mut any = false;
        for value in told {
            any = true;
            if value.time().is_none() {
                return false;
            }
        }
        any || matches!(self.kind, Some(ColumnKind::Time | ColumnKind::NaiveTime))
    }

    /// The different texts that stand there, with how often, in the order in which they came.
    pub fn texts(&self) -> Vec<(&str, usize)> {
        let mut texts: Vec<(&str, usize)> = Vec::new();
        for text in self.found().filter_map(Value::text) {
            match texts.iter_mut().find(|(known, _)| *known == text) {
                Some((_, count)) => *count += 1,
                None => texts.push((text, 1)),
            }
        }
        texts
    }
}
