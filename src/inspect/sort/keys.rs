//! What a row is sorted by, as a number that orders like it.
//!
//! Apart from the sorting because a field is added here and nowhere else.
//! Invariant: [`MISSING`] is no key of a row that has the field.

use std::cell::Cell;

use super::SortField;
use crate::domain::Timestamp;
use crate::inspect::cancel::Cancel;
use crate::inspect::catalogue::{ExpiryKind, Packed, RowId, RowView, Snapshot};
use crate::inspect::pass::pass;
use crate::present::words::Standing;

/// Rows looked at to see whether texts begin alike, and rows that one thread then looks at.
const SAMPLES: usize = 512;
const PIECE: usize = 1 << 18;
/// The key of a row without the field.
pub(super) const MISSING: u64 = u64::MAX;

pub(super) type TextOf = fn(&RowView<'_>, &mut Vec<u8>) -> bool;

/// How a row's key is had.
pub(super) enum Keys {
    Usual(Timestamp),
    Status(Timestamp),
    Age(Timestamp),
    Ttl,
    Response,
    Attempts,
    /// The place of each source's layout among the ids.
    Layout(Vec<u32>),
    /// The place of each scope or operation among their texts.
    Scope(Vec<u32>),
    Operation(Vec<u32>),
    /// A text from a place on, up to which all rows agree.
    Text(TextOf, usize),
}

impl Keys {
    pub(super) fn new(
        snapshot: &Snapshot,
        rows: &[RowId],
        field: SortField,
        now: Timestamp,
        cancel: &Cancel,
    ) -> Keys {
        let text = |text: TextOf| Keys::Text(text, shared_prefix(snapshot, rows, text, cancel));
        match field {
            SortField::Usual => Keys::Usual(now),
            SortField::Status => Keys::Status(now),
            SortField::Age => Keys::Age(now),
            SortField::Ttl => Keys::Ttl,
            SortField::Response => Keys::Response,
            SortField::Attempts => Keys::Attempts,
            SortField::Layout => Keys::Layout(places(
                snapshot
                    .sources()
                    .map(|(_, source)| Some(source.layout.id.to_string())),
            )),
            SortField::Scope if snapshot.scope_numbers_are_all() => {
                let numbers = 0..=snapshot.scope_numbers() as u32;
                Keys::Scope(places(numbers.map(|number| {
                    snapshot.scope_of(number).map(|scope| scope.into_owned())
                })))
            }
            SortField::Operation if snapshot.operation_numbers_are_all() => {
                let numbers = 0..=snapshot.operation_numbers() as u32;
                Keys::Operation(places(
                    numbers.map(|number| snapshot.operation_of(number).text()),
                ))
            }
            SortField::Key => text(|row, out| push(row.key().or(row.digest()), out)),
            SortField::Hash => text(|row, out| push(row.payload_hash(), out)),
            SortField::Scope => text(|row, out| match row.scope() {
                Some(scope) => push(Some(Packed::Text(&scope)), out),
                None => false,
            }),
            SortField::Operation => text(|row, out| match row.operation().text() {
                Some(text) => push(Some(Packed::Text(&text)), out),
                None => false,
            }),
        }
    }

    pub(super) fn number(&self, snapshot: &Snapshot, id: RowId) -> u64 {
        let Some(row) = snapshot.row(id) else {
            return MISSING;
        };
        let place = |places: &[u32], number: Option<u32>| {
            let place = number.and_then(|number| places.get(number as usize));
            place
                .filter(|place| **place != u32::MAX)
                .map_or(MISSING, |place| u64::from(*place))
        };
        match self {
            Keys::Usual(now) => usual(&row, *now),
            Keys::Status(now) => row.standing(*now) as u64,
            Keys::Age(now) => row.age(*now).map_or(MISSING, |age| ordered(age.millis())),
            Keys::Ttl => match (row.expiry_kind(), row.expiry()) {
                (ExpiryKind::Never, _) => MISSING - 1,
                (_, Some(expiry)) => ordered(expiry.millis()).min(MISSING - 2),
                (_, None) => MISSING,
            },
            Keys::Response => row.response_status().map_or(MISSING, u64::from),
            Keys::Attempts => row.attempts().map_or(MISSING, ordered),
            Keys::Layout(places) => place(places, Some(row.source_id().index() as u32)),
            Keys::Scope(places) => place(places, row.scope_number()),
            Keys::Operation(places) => place(places, row.operation_number()),
            Keys::Text(text, depth) => {
                let mut room = TEXT_ROOM.take();
                room.clear();
                let key = if text(&row, &mut room) {
                    prefix(&room, *depth)
                } else {
                    MISSING
                };
                TEXT_ROOM.set(room);
                key
            }
        }
    }
}

thread_local! {
    /// A text is made for each row; the room for it is made once a thread.
    static TEXT_ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

fn push(text: Option<Packed<'_>>, out: &mut Vec<u8>) -> bool {
    match text {
        Some(text) => {
            text.push_to(out);
            true
        }
        None => false,
    }
}

/// Numbers below zero come before those above; the largest two make room for what is missing.
fn ordered(number: i64) -> u64 {
    (number as u64 ^ 1 << 63).min(MISSING - 1)
}

/// Stuck, processing, the rest; within each the newest first.
fn usual(row: &RowView<'_>, now: Timestamp) -> u64 {
    let rank = match row.standing(now) {
        Standing::Stuck => 0,
        Standing::Processing => 1,
        _ => 2,
    };
    let newest = match row.age_start(now) {
        // Times of 1970 to 9999 take 48 bits; what lies outside is put at the ends.
        Some(start) => (1_i64 << 60) - start.millis().clamp(-(1 << 60), 1 << 60),
        None => (1 << 61) + 1,
    };
    rank << 62 | newest as u64
}

/// For each text its place among all of them; `u32::MAX` where there is none.
fn places(texts: impl Iterator<Item = Option<String>>) -> Vec<u32> {
    let texts: Vec<Option<String>> = texts.collect();
    let mut sorted: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    texts
        .iter()
        .map(|text| {
            let place = text
                .as_deref()
                .and_then(|text| sorted.binary_search(&text).ok());
            place.map_or(u32::MAX, |place| place as u32)
        })
        .collect()
}

/// How many bytes all texts begin with alike: `order-2026-11-` would else make every key the same.
/// Most stores have no such beginning, which a few rows tell.
fn shared_prefix(snapshot: &Snapshot, rows: &[RowId], text: TextOf, cancel: &Cancel) -> usize {
    let some: Vec<RowId> = rows
        .iter()
        .step_by(rows.len() / SAMPLES + 1)
        .copied()
        .collect();
    let Some(model) = some.iter().find_map(|id| text_of(snapshot, *id, text)) else {
        return 0;
    };
    if shared_with(&model, snapshot, &some, text) == 0 {
        return 0;
    }
    let lengths = pass(rows.len().div_ceil(PIECE), cancel, |piece| {
        let first = piece * PIECE;
        let rows = rows
            .get(first..rows.len().min(first + PIECE))
            .unwrap_or_default();
        shared_with(&model, snapshot, rows, text)
    });
    lengths
        .and_then(|lengths| lengths.into_iter().min())
        .unwrap_or(0)
}

fn shared_with(model: &[u8], snapshot: &Snapshot, rows: &[RowId], text: TextOf) -> usize {
    let mut shared = model.len();
    let mut room = Vec::new();
    for row in rows.iter().filter_map(|id| snapshot.row(*id)) {
        room.clear();
        if text(&row, &mut room) {
            let same = model.iter().zip(&room).take(shared);
            shared = same.take_while(|(a, b)| a == b).count();
        }
        if shared == 0 {
            break;
        }
    }
    shared
}

fn text_of(snapshot: &Snapshot, id: RowId, text: TextOf) -> Option<Vec<u8>> {
    let mut room = Vec::new();
    text(&snapshot.row(id)?, &mut room).then_some(room)
}

/// Eight bytes of a text from a place on, as a number that orders like them.
pub(super) fn prefix(text: &[u8], depth: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = text.get(depth..).unwrap_or_default();
    for (place, byte) in bytes.iter_mut().zip(rest) {
        *place = *byte;
    }
    u64::from_be_bytes(bytes).min(MISSING - 1)
}
