//! A reading as a row: fixed columns, and bytes for what is not the same in every row.
//!
//! Apart from `row`, which reads them, only because writing needs the dictionaries; the order of
//! the parts stands here once, in [`Part`].

use super::dictionary::{Dictionary, EntryId};
use super::pack::{put_bytes, put_signed, put_text, put_varint};
use super::recipe::{AddressRef, Recipes, put_address};
use super::segment::Fixed;
use super::tags::{Basis, ExpiryKind, Tags, TtlKind};
use crate::domain::raw::Ttl;
use crate::domain::{Problem, ProblemCode, Status, Timestamp};
use crate::layouts::Source;
use crate::layouts::reading::Reading;

/// The parts of a row's bytes, in their order; each is there when its bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Key,
    Digest,
    Hash,
    Recipe,
    Address,
    Ttl,
    LockedAt,
    LockUntil,
    CreatedAt,
    CompletedAt,
    FailedAt,
    Attempts,
    Replays,
    Problems,
    Scope,
    Operation,
}

impl Part {
    pub(super) fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// The number of a text that stands in the row itself, because its dictionary is full.
pub(super) const INLINE: EntryId = EntryId::MAX;

/// What many rows share.
#[derive(Debug)]
pub(super) struct Shared {
    pub scopes: Dictionary,
    pub operations: Dictionary,
    pub problems: Dictionary,
}

/// Buffers that are used again for every row.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub blob: Vec<u8>,
    parts: Vec<u8>,
    entry: Vec<u8>,
}

/// What is pushed.
pub(super) struct Arrival<'a> {
    pub source: &'a Source,
    pub reading: &'a Reading<'a>,
    pub address: AddressRef<'a>,
    pub ttl: Ttl,
    pub read_at: Timestamp,
}

/// Writes the row's bytes into `scratch.blob` and gives its fixed part, without the source.
pub(super) fn encode(
    arrival: &Arrival<'_>,
    shared: &mut Shared,
    recipes: &mut Recipes,
    scratch: &mut Scratch,
) -> Fixed {
    let reading = arrival.reading;
    let (basis, basis_time) = basis(reading);
    let end = end(arrival);
    let tags = tags(reading, basis, &end);
    let scope = scope_number(reading, shared, &mut scratch.entry);
    let inline_scope = (scope == INLINE).then(|| scratch.entry.clone());
    let operation = operation_number(reading, shared, &mut scratch.entry);
    let inline_operation = (operation == INLINE).then(|| scratch.entry.clone());

    let mut writer = Writer {
        mask: 0,
        out: &mut scratch.parts,
    };
    writer.out.clear();
    writer.text(Part::Key, reading.key.as_deref());
    writer.text(Part::Digest, reading.digest.as_deref());
    writer.text(Part::Hash, reading.payload_hash.as_deref());
    match recipes.find(arrival.source, reading, &arrival.address) {
        Some(0) => {}
        Some(recipe) => writer.part(Part::Recipe, |out| out.push(recipe)),
        None => writer.part(Part::Address, |out| {
            let mut address = Vec::new();
            put_address(&mut address, arrival.source, &arrival.address);
            put_bytes(out, &address);
        }),
    }
    if end.ttl == TtlKind::Kept {
        writer.number(Part::Ttl, ttl_left(arrival.ttl));
    }
    writer.times(reading, basis, basis_time);
    writer.number(Part::Attempts, reading.attempts);
    writer.number(Part::Replays, reading.replays);
    if !reading.problems.is_empty() {
        writer.part(Part::Problems, |out| {
            put_problems(
                out,
                &reading.problems,
                &mut shared.problems,
                &mut scratch.entry,
            );
        });
    }
    writer.inline(Part::Scope, inline_scope);
    writer.inline(Part::Operation, inline_operation);
    let mask = writer.mask;
    scratch.blob.clear();
    put_varint(&mut scratch.blob, mask);
    scratch.blob.extend_from_slice(&scratch.parts);
    Fixed {
        tags,
        source: 0,
        scope,
        operation,
        response: reading.response_status.unwrap_or(0),
        basis: basis_time.0,
        expiry: end.at.0,
    }
}

fn tags(reading: &Reading<'_>, basis: Basis, end: &End) -> Tags {
    let mut tags = Tags::new(reading.status, reading.lock, basis, end.ttl, end.expiry);
    if !reading.problems.is_empty() {
        tags = tags.with_problems();
    }
    if reading.needs_more {
        tags = tags.with_needs_more();
    }
    if reading.response_status.is_some() {
        tags = tags.with_response();
    }
    tags
}

/// The time that the age of a record counts from: what happened last, of what is stored.
fn basis(reading: &Reading<'_>) -> (Basis, Timestamp) {
    let first = match reading.status {
        Status::Processing => reading.locked_at.map(|time| (Basis::Locked, time)),
        Status::Failed => reading.failed_at.map(|time| (Basis::Failed, time)),
        Status::Completed | Status::Unknown => None,
    };
    first
        .or(reading.completed_at.map(|time| (Basis::Completed, time)))
        .or(reading.failed_at.map(|time| (Basis::Failed, time)))
        .or(reading.created_at.map(|time| (Basis::Created, time)))
        .or(reading.locked_at.map(|time| (Basis::Locked, time)))
        .unwrap_or((Basis::None, Timestamp(0)))
}

struct End {
    ttl: TtlKind,
    expiry: ExpiryKind,
    at: Timestamp,
}

fn ttl_left(ttl: Ttl) -> Option<i64> {
    match ttl {
        Ttl::Left(left) => Some(left),
        Ttl::Never | Ttl::Unknown => None,
    }
}

fn end(arrival: &Arrival<'_>) -> End {
    let reading = arrival.reading;
    let sum = ttl_left(arrival.ttl).map(|left| (left, arrival.read_at.0.checked_add(left)));
    let ttl = match (arrival.ttl, sum) {
        (Ttl::Never, _) => TtlKind::Never,
        (Ttl::Unknown, _) => TtlKind::Unknown,
        (Ttl::Left(_), Some((_, Some(_)))) if reading.expires_at.is_none() => TtlKind::InExpiry,
        (Ttl::Left(_), _) => TtlKind::Kept,
    };
    let (expiry, at) = match (reading.expires_at, sum) {
        (Some(at), _) => (ExpiryKind::Stored, at),
        (None, Some((left, sum))) => {
            let clamped = if left < 0 { i64::MIN } else { i64::MAX };
            (ExpiryKind::FromTtl, Timestamp(sum.unwrap_or(clamped)))
        }
        (None, None) if never_expires(arrival) => (ExpiryKind::Never, Timestamp(0)),
        (None, None) => (ExpiryKind::Unknown, Timestamp(0)),
    };
    End { ttl, expiry, at }
}

/// Nothing will end it: the record or the store says so, or it is a row without an expiry.
fn never_expires(arrival: &Arrival<'_>) -> bool {
    let unread = |problem: &Problem| {
        problem.code == ProblemCode::BadTime && problem.text.contains("expires_at")
    };
    let is_row = matches!(arrival.address, AddressRef::Row { .. });
    arrival.reading.never_expires
        || (is_row || arrival.ttl == Ttl::Never) && !arrival.reading.problems.iter().any(unread)
}

fn scope_number(reading: &Reading<'_>, shared: &mut Shared, entry: &mut Vec<u8>) -> EntryId {
    if reading.scope_parts.is_empty() {
        return 0;
    }
    entry.clear();
    for (name, value) in &reading.scope_parts {
        put_bytes(entry, name.as_bytes());
        put_bytes(entry, value.as_bytes());
    }
    shared.scopes.number(entry).unwrap_or(INLINE)
}

fn operation_number(reading: &Reading<'_>, shared: &mut Shared, entry: &mut Vec<u8>) -> EntryId {
    let parts = [&reading.operation, &reading.method, &reading.path];
    if parts.iter().all(|part| part.is_none()) {
        return 0;
    }
    entry.clear();
    for part in parts {
        // One more than the length, so that an empty text is not an absent one.
        match part {
            None => entry.push(0),
            Some(text) => {
                put_varint(entry, text.len() as u64 + 1);
                entry.extend_from_slice(text.as_bytes());
            }
        }
    }
    shared.operations.number(entry).unwrap_or(INLINE)
}

/// The number of this list of problems; 0 and the list where the dictionary is full.
fn put_problems(
    out: &mut Vec<u8>,
    problems: &[Problem],
    dictionary: &mut Dictionary,
    entry: &mut Vec<u8>,
) {
    entry.clear();
    for problem in problems {
        entry.push(problem.code as u8);
        put_bytes(entry, problem.text.as_bytes());
    }
    match dictionary.number(entry) {
        Some(number) => put_varint(out, u64::from(number)),
        None => {
            out.push(0);
            put_bytes(out, entry);
        }
    }
}

struct Writer<'a> {
    mask: u64,
    out: &'a mut Vec<u8>,
}

impl Writer<'_> {
    fn part(&mut self, part: Part, put: impl FnOnce(&mut Vec<u8>)) {
        self.mask |= part.bit();
        put(self.out);
    }

    fn text(&mut self, part: Part, text: Option<&str>) {
        if let Some(text) = text {
            self.part(part, |out| put_text(out, text));
        }
    }

    fn number(&mut self, part: Part, number: Option<i64>) {
        if let Some(number) = number {
            self.part(part, |out| put_signed(out, number));
        }
    }

    fn inline(&mut self, part: Part, bytes: Option<Vec<u8>>) {
        if let Some(bytes) = bytes {
            self.part(part, |out| put_bytes(out, &bytes));
        }
    }

    /// The times that are not the basis, as differences from it.
    fn times(&mut self, reading: &Reading<'_>, basis: Basis, basis_time: Timestamp) {
        let times = [
            (Part::LockedAt, Basis::Locked, reading.locked_at),
            (Part::LockUntil, Basis::None, reading.lock_until),
            (Part::CreatedAt, Basis::Created, reading.created_at),
            (Part::CompletedAt, Basis::Completed, reading.completed_at),
            (Part::FailedAt, Basis::Failed, reading.failed_at),
        ];
        for (part, kind, time) in times {
            let kept = time.filter(|_| kind == Basis::None || kind != basis);
            self.number(part, kept.map(|time| time.0.wrapping_sub(basis_time.0)));
        }
    }
}
