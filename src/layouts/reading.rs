//! One record as a layout reads it, still borrowing from the raw bytes.
//!
//! Apart from `domain::Record` because a list of millions keeps a few numbers of each and must not
//! allocate the rest.

use std::borrow::Cow;

use super::evaluate::Values;
use super::field::Field;
use super::form::{FieldSource, FieldTable, Form, Period, Telling};
use super::predicate::{Answer, ask_all};
use super::slot::{Slot, hex};
use super::times::{self, Time, Unit};
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
    /// False where the layout says that this is no record at all.
    pub is_record: bool,
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
    /// It depends on bytes that were not read.
    Unread,
    /// A guess, which anything else overrules.
    Weak,
    /// It fits what idempotency records hold in general.
    Generic,
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
    let mut reading = Reading::blank();
    let table = choose(form, values, now, &mut reading);
    for (field, sources) in table.iter() {
        reading.fill(field, sources, values, params);
    }
    for (name, slot) in &form.scope {
        if let Some(text) = values.slot(*slot).text() {
            reading.add_scope(name, text);
        }
    }
    reading.fit = fit(form, values, &reading);
    if reading.status == Status::Completed {
        reading.status = finished_status(reading.response_status);
    }
    reading
}

fn fit(form: &Form, values: &Values<'_>, reading: &Reading<'_>) -> Fit {
    // What may come later counts as there, and so does what is there and empty.
    let there = |slot: &usize| *values.slot(*slot) != Slot::Absent;
    let case = reading.case.and_then(|at| form.cases.get(at));
    match case {
        _ if !form.requires.iter().all(there) => Fit::Not,
        None if reading.needs_more => Fit::Unread,
        None => Fit::Not,
        Some(case) => match case.telling {
            Telling::Weak => Fit::Weak,
            Telling::Common => Fit::Common,
            Telling::Much => Fit::Telling(u8::try_from(form.requires.len()).unwrap_or(u8::MAX)),
        },
    }
}

impl<'a> Reading<'a> {
    /// One more part of whose key it is.
    pub fn add_scope(&mut self, name: &str, text: Cow<'a, str>) {
        self.scope = Some(match self.scope.take() {
            None => text.clone(),
            Some(before) => Cow::Owned(format!("{before}/{text}")),
        });
        self.scope_parts.push((name.to_owned(), text.into_owned()));
    }
}

impl Reading<'_> {
    /// What a list needs of it, without the raw bytes: fields of an opened record are left out.
    #[must_use]
    pub fn into_listed(self) -> Reading<'static> {
        let own = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        Reading {
            key: own(self.key),
            digest: own(self.digest),
            scope: own(self.scope),
            operation: own(self.operation),
            method: own(self.method),
            path: own(self.path),
            payload_hash: own(self.payload_hash),
            extra: Vec::new(),
            ..self
        }
    }

    /// A reading that has found nothing yet: of unknown status, and fitting no layout.
    #[must_use]
    pub fn blank() -> Self {
        Reading {
            case: None,
            status: Status::Unknown,
            lock: LockState::Held,
            needs_more: false,
            is_record: true,
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
        let answer = ask_all(&case.when, values, now);
        match answer {
            Answer::Yes => {
                reading.case = Some(at);
                reading.status = case.status;
                reading.lock = case.lock;
                reading.is_record = case.is_record;
                return &case.fields;
            }
            Answer::Unread => {
                reading.needs_more = true;
                return &form.fields;
            }
            Answer::No => {}
        }
    }
    let text = if values.bound_hit() {
        "The value is deeper or expands further than anything is read"
    } else {
        "The value is none of the forms this layout knows"
    };
    reading
        .problems
        .push(Problem::new(ProblemCode::NotUnderstood, text));
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
        let value = match first_readable(sources, values) {
            Found::Nothing => {
                let empty = |source: &FieldSource| {
                    let slot = values.slot(source.slot);
                    source.keep_empty && matches!(slot, Slot::Text(text) if text.is_empty())
                };
                if field == Field::PayloadHash && sources.iter().any(empty) {
                    self.payload_hash = Some(Cow::Borrowed(""));
                }
                return;
            }
            Found::Unread => {
                self.needs_more |= field.is_listed();
                return;
            }
            Found::Bad => return self.bad(field, "is not in the form this layout describes"),
            Found::Value(value) => value,
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
            let Some(value) = decoded(slot, source, false) else {
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
            if source.unit == Unit::Local && field != Field::ExpiresAt {
                let text = format!("`{}` has no zone: read as UTC", field.name());
                self.problems.push(Problem::new(ProblemCode::BadTime, text));
            }
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

enum Found<'a> {
    Nothing,
    /// It may stand in what was not read.
    Unread,
    /// It is there and could not be decoded.
    Bad,
    Value(Slot<'a>),
}

/// The first alternative that holds something and can be decoded.
fn first_readable<'a>(sources: &[FieldSource], values: &Values<'a>) -> Found<'a> {
    let mut found = Found::Nothing;
    for source in sources {
        let slot = values.slot(source.slot);
        let is_unread = matches!(slot, Slot::Unseen | Slot::Cut);
        if !is_unread && !slot.is_present() {
            continue;
        }
        let cut = values.is_cut(source.slot);
        match decoded(slot, source, cut) {
            _ if is_unread => found = Found::Unread,
            Some(value) if value.is_present() => return Found::Value(value),
            Some(_) => {}
            None if matches!(found, Found::Nothing) && !cut => found = Found::Bad,
            None => {}
        }
    }
    found
}

fn decoded<'a>(slot: &Slot<'a>, source: &FieldSource, cut: bool) -> Option<Slot<'a>> {
    let mut value = slot.clone();
    for step in &source.decode {
        value = step.decode(&value, cut).ok()?;
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
