//! Reads a record from its exact pieces, by the same forms as any list does.
//!
//! What is read is copied out: the raw keys that a form wants are made here and do not outlive it.

use std::borrow::Cow;

use super::{PieceRole, RecordPiece};
use crate::domain::Timestamp;
use crate::domain::change::{ExactValue, PiecePart, PieceState};
use crate::domain::raw::{KeyType, KeyValue, RawKey, Ttl};
use crate::layouts::form::Extent;
use crate::layouts::keys::{Member, Seen};
use crate::layouts::reading::Reading;
use crate::layouts::redis::Role;
use crate::layouts::source::Source;

/// A record's own raw key, what it is a member of, and its further keys.
pub struct Raw {
    pub key: RawKey,
    pub role: Role,
    member: Option<Of>,
    parts: Vec<(String, RawKey)>,
}

/// The member of a key that the record is.
#[derive(Default)]
struct Of {
    name: Vec<u8>,
    value: Option<Vec<u8>>,
    score: Option<f64>,
}

impl Raw {
    pub fn seen(&self) -> Seen<'_> {
        Seen {
            key: &self.key,
            member: self.member.as_ref().map(|of| Member {
                name: &of.name,
                value: of.value.as_deref(),
                score: of.score,
            }),
            parts: &self.parts,
        }
    }
}

/// The reading of a record. Where the record of a lock is there, it is that.
pub fn record(
    source: &Source,
    pieces: &[(RecordPiece, PieceState)],
    now: Timestamp,
) -> Option<Reading<'static>> {
    let (own, state) = pieces.first()?;
    if own.role != PieceRole::Own || *state == PieceState::Absent {
        return None;
    }
    let (role, _) = source.role(&own.piece.key)?;
    let counterpart = pieces.iter().find(|(piece, state)| {
        piece.role == PieceRole::Counterpart && *state != PieceState::Absent
    });
    if let (Role::Lock(_), Some((piece, state))) = (role, counterpart)
        && let Some(raw) = raw_of(source, piece, state, pieces, now)
        && let Some(reading) = read(source, &raw, now)
    {
        return Some(reading);
    }
    read(source, &raw_of(source, own, state, pieces, now)?, now)
}

fn read(source: &Source, raw: &Raw, now: Timestamp) -> Option<Reading<'static>> {
    let reading = source.read_seen(&raw.seen(), raw.role, Extent::Whole, now)?;
    Some(owned(reading))
}

/// A piece as forms want it.
pub fn raw_of(
    source: &Source,
    piece: &RecordPiece,
    state: &PieceState,
    all: &[(RecordPiece, PieceState)],
    now: Timestamp,
) -> Option<Raw> {
    let name = piece.piece.key.clone();
    let (role, _) = source.role(&name)?;
    let parts = all
        .iter()
        .filter_map(|(other, state)| match &other.role {
            PieceRole::Part(part) => Some((part.clone(), raw_part(other, state, now))),
            _ => None,
        })
        .collect();
    let there = match state {
        PieceState::There(bytes) => bytes.clone(),
        _ => Vec::new(),
    };
    let of = |name: &Vec<u8>| Of {
        name: name.clone(),
        ..Of::default()
    };
    let (kind, member) = match &piece.piece.part {
        PiecePart::Whole => {
            return Some(Raw {
                key: raw_part(piece, state, now),
                role,
                member: None,
                parts,
            });
        }
        PiecePart::Member(member) => (KeyType::Set, of(member)),
        PiecePart::Field(field) => {
            let value = Some(there);
            (KeyType::Hash, Of { value, ..of(field) })
        }
        PiecePart::Score(member) => {
            let score = number(&there);
            (
                KeyType::SortedSet,
                Of {
                    score,
                    ..of(member)
                },
            )
        }
    };
    Some(Raw {
        key: RawKey {
            name,
            ttl: Ttl::Unknown,
            value: KeyValue::Opaque(kind),
        },
        role,
        member: Some(member),
        parts,
    })
}

fn raw_part(piece: &RecordPiece, state: &PieceState, now: Timestamp) -> RawKey {
    let (value, ttl) = match (state, &piece.piece.part) {
        (PieceState::Absent, _) => (KeyValue::Missing, Ttl::Unknown),
        (PieceState::Value { value, expires_at }, _) => (
            key_value(value),
            expires_at.map_or(Ttl::Never, |at| Ttl::Left(now.until(at).millis().max(0))),
        ),
        (PieceState::There(bytes), PiecePart::Score(member)) => (
            KeyValue::SortedSet {
                members: number(bytes)
                    .map(|score| (member.clone(), score))
                    .into_iter()
                    .collect(),
                len: 1,
            },
            Ttl::Unknown,
        ),
        (PieceState::There(bytes), PiecePart::Field(field)) => (
            KeyValue::Hash {
                fields: vec![(field.clone(), bytes.clone())],
                len: None,
            },
            Ttl::Unknown,
        ),
        (PieceState::There(_), _) => (KeyValue::Missing, Ttl::Unknown),
    };
    RawKey {
        name: piece.piece.key.clone(),
        ttl,
        value,
    }
}

fn key_value(value: &ExactValue) -> KeyValue {
    match value {
        ExactValue::String(bytes) => KeyValue::String {
            bytes: bytes.clone(),
            len: bytes.len() as u64,
        },
        ExactValue::Hash(fields) => KeyValue::Hash {
            fields: fields.clone(),
            len: Some(fields.len() as u64),
        },
        ExactValue::Set(members) => KeyValue::Set {
            members: members.clone(),
            len: members.len() as u64,
        },
        ExactValue::SortedSet(members) => KeyValue::SortedSet {
            len: members.len() as u64,
            members: members
                .iter()
                .filter_map(|(member, score)| Some((member.clone(), number(score)?)))
                .collect(),
        },
    }
}

fn number(bytes: &[u8]) -> Option<f64> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

fn owned(reading: Reading<'_>) -> Reading<'static> {
    let text = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
    Reading {
        key: text(reading.key),
        digest: text(reading.digest),
        scope: text(reading.scope),
        operation: text(reading.operation),
        method: text(reading.method),
        path: text(reading.path),
        payload_hash: text(reading.payload_hash),
        extra: reading
            .extra
            .into_iter()
            .map(|(field, slot)| (field, slot.into_owned()))
            .collect(),
        case: reading.case,
        status: reading.status,
        lock: reading.lock,
        needs_more: reading.needs_more,
        is_record: reading.is_record,
        fit: reading.fit,
        response_status: reading.response_status,
        attempts: reading.attempts,
        replays: reading.replays,
        locked_at: reading.locked_at,
        lock_until: reading.lock_until,
        created_at: reading.created_at,
        completed_at: reading.completed_at,
        failed_at: reading.failed_at,
        expires_at: reading.expires_at,
        never_expires: reading.never_expires,
        scope_parts: reading.scope_parts,
        problems: reading.problems,
    }
}
