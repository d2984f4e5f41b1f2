//! One record as a layout reads it, still borrowing from the raw bytes.
//!
//! Apart from `domain::Record` because a list of millions keeps a few numbers of each and must not
//! allocate the rest.

use std::borrow::Cow;

use super::evaluate::Values;
use super::field::Field;
use super::form::{FieldSource, FieldTable, Form, Period};
use super::predicate::Answer;
use super::slot::{Slot, hex};
use super::times::{self, Time};
use crate::domain::record::finished_status;
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Problem, ProblemCode, Status, Timestamp};

#[derive(Debug)]
pub struct Reading<'a> {
    /// The case that fitted, by its place in the form.
    pub case: Option<usize>,
    pub status: Status,
    pub lock: LockState,
    /// The answer depends on bytes that were not read.
    pub needs_more: bool,
    pub fit: Fit,
    pub key: Option<Cow<'a, str>>,
    pub digest: Option<Cow<'a, str>>,
    pub scope: Option<Cow<'a, str>>,
    pub operation: Option<Cow<'a, str>>,
    pub method: Option<Cow<'a, str>>,
    pub path: Option<Cow<'a, str>>,
    pub payload_hash: Option<Cow<'a, str>>,
    pub response_status: Option<u16>,
    pub attempts: Option<i64>,
    pub replays: Option<i64>,
    pub locked_at: Option<Timestamp>,
    pub lock_until: Option<Timestamp>,
    pub created_at: Option<Timestamp>,
    pub completed_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    /// The record says itself that it never expires.
    pub never_expires: bool,
    /// Fields that only an opened record has.
    pub extra: Vec<(Field, Slot<'a>)>,
    pub scope_parts: Vec<(String, String)>,
    pub problems: Vec<Problem>,
}

/// How well a record fits the form it was read by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// What the form requires is not there, or no case fits.
    #[default]
    Not,
    /// It fits, and so it would other layouts: a bare word, any JSON.
    Common,
    /// It fits, and the number of required things that are there says how telling that is.
    Telling(u8),
}

/// The values of a source's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Params(pub Vec<(String, Duration)>);

impl Params {
    pub fn get(&self, name: &str) -> Option<Duration> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
    }

    pub fn set(&mut self, name: &str, value: Duration) {
        self.0.retain(|(known, _)| known != name);
        self.0.push((name.to_owned(), value));
    }
}

/// Reads one record: which case it is, and its fields.
pub fn read<'a>(form: &Form, values: &Values<'a>, params: &Params, now: Timestamp) -> Reading<'a> {
    let mut reading = blank();
    let table = choose(form, values, now, &mut reading);
    for (field, sources) in table.iter() {
        reading.fill(field, sources, values, params);
    }
    for (name, slot) in &form.scope {
        if let Some(text) = values.slot(*slot).text() {
            reading.scope = Some(match reading.scope.take() {
                None => text.clone(),
                Some(before) => Cow::Owned(format!("{before}/{text}")),
            });
            reading.scope_parts.push((name.clone(), text.into_owned()));
        }
    }
    reading.fit = fit(form, values, &reading);
    if reading.status == Status::Completed {
        reading.status = finished_status(reading.response_status);
    }
    reading
}

fn fit(form: &Form, values: &Values<'_>, reading: &Reading<'_>) -> Fit {
    let there = |slot: &usize| match values.slot(*slot) {
        // It may come later, or it is there and empty: an explicit null is a member too.
        Slot::Unseen | Slot::Null => true,
        slot => slot.is_present(),
    };
    let case = reading.case.and_then(|at| form.cases.get(at));
    match case {
        _ if !form.requires.iter().all(there) => Fit::Not,
        None if reading.needs_more => Fit::Common,
        None => Fit::Not,
        Some(case) if case.common => Fit::Common,
        Some(_) => Fit::Telling(u8::try_from(form.requires.len()).unwrap_or(u8::MAX)),
    }
}

fn blank<'a>() -> Reading<'a> {
    Reading {
        case: None,
        status: Status::Unknown,
        lock: LockState::Held,
        needs_more: false,
        fit: Fit::Not,
        key: None,
        digest: None,
        scope: None,
        operation: None,
        method: None,
        path: None,
        payload_hash: None,
        response_status: None,
        attempts: None,
        replays: None,
        locked_at: None,
        lock_until: None,
        created_at: None,
        completed_at: None,
        failed_at: None,
        expires_at: None,
        never_expires: false,
        extra: Vec::new(),
        scope_parts: Vec::new(),
        problems: Vec::new(),
    }
}

/// The first case whose questions are all answered yes. One that depends on unread bytes ends the
/// search: a later case must not win only because less was read.
fn choose<'f>(
    form: &'f Form,
    values: &Values<'_>,
    now: Timestamp,
    reading: &mut Reading<'_>,
) -> &'f FieldTable {
    for (at, case) in form.cases.iter().enumerate() {
        let mut answer = Answer::Yes;
        for predicate in &case.when {
            match predicate.ask(values, now) {
                Answer::Yes => {}
                Answer::No => {
                    answer = Answer::No;
                    break;
                }
                Answer::Unread => answer = Answer::Unread,
            }
        }
        match answer {
            Answer::Yes => {
                reading.case = Some(at);
                reading.status = case.status;
                reading.lock = case.lock;
                return &case.fields;
            }
            Answer::Unread => {
                reading.needs_more = true;
                return &form.fields;
            }
            Answer::No => {}
        }
    }
    reading.problems.push(Problem::new(
        ProblemCode::NotUnderstood,
        "The value is none of the forms this layout knows",
    ));
    &form.fields
}

impl<'a> Reading<'a> {
    fn fill(
        &mut self,
        field: Field,
        sources: &[FieldSource],
        values: &Values<'a>,
        params: &Params,
    ) {
        if field.is_time() {
            return self.fill_time(field, sources, values, params);
        }
        let Some((source, slot)) = first_present(sources, values) else {
            return;
        };
        if matches!(slot, Slot::Unseen | Slot::Cut) {
            if field.is_listed() {
                self.needs_more = true;
            }
            return;
        }
        let value = match decoded(slot, source) {
            Some(value) => value,
            None => {
                return self.bad(field, "is not in the form this layout describes");
            }
        };
        match field {
            Field::IdempotencyKey => self.key = value.text(),
            Field::KeyDigest => self.digest = value.text(),
            Field::Operation => self.operation = value.text(),
            Field::Method => self.method = value.text(),
            Field::Path => self.path = value.text(),
            Field::PayloadHash => self.payload_hash = hash_text(&value),
            Field::ResponseStatus => {
                match value.integer().and_then(|code| u16::try_from(code).ok()) {
                    Some(code) if (100..1000).contains(&code) => self.response_status = Some(code),
                    _ => self.bad(field, "is no HTTP status"),
                }
            }
            Field::Attempts => self.attempts = value.integer(),
            Field::Replays => self.replays = value.integer(),
            other => self.extra.push((other, value)),
        }
    }

    fn fill_time(
        &mut self,
        field: Field,
        sources: &[FieldSource],
        values: &Values<'a>,
        params: &Params,
    ) {
        for source in sources {
            let slot = values.slot(source.slot);
            if matches!(slot, Slot::Unseen | Slot::Cut) {
                self.needs_more = true;
                return;
            }
            let Some(value) = decoded(slot, source) else {
                continue;
            };
            let time = match times::read(&value, source.unit) {
                Time::Absent => continue,
                Time::Bad => return self.bad_time(field),
                Time::Never => {
                    self.never_expires |= field == Field::ExpiresAt;
                    if field != Field::ExpiresAt {
                        self.bad_time(field);
                    }
                    return;
                }
                Time::At(time) => time,
            };
            let period = match &source.plus {
                None => Duration::ZERO,
                Some(Period::Fixed(period)) => *period,
                Some(Period::Param(name)) => match params.get(name) {
                    Some(period) => period,
                    None => continue,
                },
            };
            return self.set_time(field, time.plus(period));
        }
    }

    fn set_time(&mut self, field: Field, time: Timestamp) {
        match field {
            Field::LockedAt => self.locked_at = Some(time),
            Field::LockUntil => self.lock_until = Some(time),
            Field::CreatedAt => self.created_at = Some(time),
            Field::CompletedAt => self.completed_at = Some(time),
            Field::FailedAt => self.failed_at = Some(time),
            _ => self.expires_at = Some(time),
        }
    }

    fn bad(&mut self, field: Field, what: &str) {
        self.problems.push(Problem::new(
            ProblemCode::BadField,
            format!("`{}` {what}", field.name()),
        ));
    }

    fn bad_time(&mut self, field: Field) {
        let text = format!("`{}` holds no time between 1970 and 9999", field.name());
        self.problems.push(Problem::new(ProblemCode::BadTime, text));
    }
}

/// The first alternative that holds something; failing that, the first that was not read.
fn first_present<'s, 'v, 'a>(
    sources: &'s [FieldSource],
    values: &'v Values<'a>,
) -> Option<(&'s FieldSource, &'v Slot<'a>)> {
    let mut unread = None;
    for source in sources {
        let slot = values.slot(source.slot);
        match slot {
            Slot::Unseen | Slot::Cut => unread = unread.or(Some((source, slot))),
            slot if slot.is_present() => return Some((source, slot)),
            _ => {}
        }
    }
    unread
}

fn decoded<'a>(slot: &Slot<'a>, source: &FieldSource) -> Option<Slot<'a>> {
    let mut value = slot.clone();
    for codec in &source.decode {
        value = codec.decode(&value)?;
    }
    Some(value)
}

/// A hash is shown as it is stored; raw bytes are shown as hex.
fn hash_text<'a>(value: &Slot<'a>) -> Option<Cow<'a, str>> {
    match value {
        Slot::Bytes(bytes) => Some(Cow::Owned(hex(bytes))),
        // A fixed-width SQL column pads with blanks.
        Slot::Text(Cow::Borrowed(text)) => Some(Cow::Borrowed(text.trim_end())),
        other => other.text(),
    }
    .filter(|text| !text.is_empty())
}
