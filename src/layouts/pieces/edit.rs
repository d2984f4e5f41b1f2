//! What the keys of a record become by a recipe.

use super::read::raw_of;
use super::{PieceRole, RecordPiece};
use crate::domain::Timestamp;
use crate::domain::change::{Answer, ExactValue, PiecePart, PieceState, Verb};
use crate::layouts::recipe::{Expiry, Expr, Facts, Recipe, What, Writing};
use crate::layouts::redis::Role;
use crate::layouts::slot::Slot;
use crate::layouts::source::Source;

type Pieces<'p> = &'p [(RecordPiece, PieceState)];

pub fn edit(
    source: &Source,
    verb: Verb,
    recipe: &Recipe,
    pieces: Pieces<'_>,
    answer: Option<&Answer>,
    now: Timestamp,
) -> Result<Vec<PieceState>, String> {
    let own = pieces
        .first()
        .filter(|(piece, _)| piece.role == PieceRole::Own);
    let (own, state) = own.ok_or_else(|| "this is no record of the layout".to_owned())?;
    if *state == PieceState::Absent {
        return Err("the record is gone".to_owned());
    }
    let (role, _) = source
        .role(&own.piece.key)
        .ok_or_else(|| "this is no record of the layout".to_owned())?;
    let is_lock = |piece: &RecordPiece| match role {
        Role::Lock(_) => piece.role == PieceRole::Own,
        _ => piece.role == PieceRole::Counterpart,
    };
    let has_record = pieces
        .iter()
        .any(|(piece, state)| piece.role == PieceRole::Counterpart && *state != PieceState::Absent);
    if verb == Verb::Release && matches!(role, Role::Lock(_)) && has_record {
        return Err("the record of this lock is there already".to_owned());
    }
    match recipe {
        Recipe::Not(why) => Err(why.clone()),
        Recipe::Delete(What::Record) => Ok(vec![PieceState::Absent; pieces.len()]),
        Recipe::Delete(What::Lock) => {
            let is_there = |(piece, state): &(RecordPiece, PieceState)| {
                is_lock(piece) && *state != PieceState::Absent
            };
            if !pieces.iter().any(is_there) {
                return Err("no lock of this record is there".to_owned());
            }
            let then = pieces.iter().map(|(piece, state)| match is_lock(piece) {
                true => PieceState::Absent,
                false => state.clone(),
            });
            Ok(then.collect())
        }
        Recipe::Write(writing) => {
            let raw = raw_of(source, own, state, pieces, now)
                .ok_or_else(|| "this is no record of the layout".to_owned())?;
            let seen = raw.seen();
            let values = source
                .values(&writing.form, &seen, role)
                .ok_or_else(|| "this is no record of the layout".to_owned())?;
            let slots = writing.form.requires.iter();
            let stored: Vec<Slot<'_>> = slots.map(|slot| values.slot(*slot).clone()).collect();
            let facts = Facts {
                answer,
                now,
                params: &source.params,
                stored: &stored,
            };
            write(writing, pieces, role, &facts, is_lock)
        }
    }
}

fn write(
    writing: &Writing,
    pieces: Pieces<'_>,
    role: Role,
    facts: &Facts<'_>,
    is_lock: impl Fn(&RecordPiece) -> bool,
) -> Result<Vec<PieceState>, String> {
    check_status(writing.statuses, facts)?;
    let writes_key = writing.string.is_some() || !writing.hash.is_empty();
    let target = match role {
        Role::Lock(_) => pieces
            .iter()
            .position(|(piece, _)| piece.role == PieceRole::Counterpart),
        _ => Some(0),
    };
    let target = target.ok_or_else(|| "the record of this lock has no name".to_owned())?;
    let mut then = Vec::with_capacity(pieces.len());
    for (at, (piece, state)) in pieces.iter().enumerate() {
        then.push(if at == target && writes_key {
            if matches!(role, Role::Lock(_)) && *state != PieceState::Absent {
                return Err("the record of this lock is there already".to_owned());
            }
            let lock = pieces.first().map(|(_, state)| state);
            whole(writing, state, lock, facts)?
        } else if is_lock(piece) {
            PieceState::Absent
        } else {
            part(writing, piece, state, facts)?
        });
    }
    Ok(then)
}

/// Refuses an answer that this layout cannot keep.
pub fn check_status(statuses: Option<[u16; 2]>, facts: &Facts<'_>) -> Result<(), String> {
    let Some([low, high]) = statuses else {
        return Ok(());
    };
    let status = facts.answer()?.status;
    if (low..=high).contains(&status) {
        return Ok(());
    }
    Err(format!(
        "only an answer with a status from {low} to {high} can be kept here, and this one has {status}"
    ))
}

/// The record's own key with what is written there.
fn whole(
    writing: &Writing,
    state: &PieceState,
    lock: Option<&PieceState>,
    facts: &Facts<'_>,
) -> Result<PieceState, String> {
    let kept = match (state, lock) {
        (PieceState::Value { expires_at, .. }, _)
        | (PieceState::Absent, Some(PieceState::Value { expires_at, .. })) => *expires_at,
        _ => None,
    };
    let expires_at = expiry(writing, kept, facts)?;
    let value = match (state, &writing.string) {
        (
            PieceState::Value {
                value: ExactValue::String(bytes),
                ..
            },
            Some(expr),
        ) => string(expr, Some(bytes), facts)?,
        (PieceState::Absent, Some(expr)) => string(expr, None, facts)?,
        (
            PieceState::Value {
                value: ExactValue::Hash(fields),
                ..
            },
            _,
        ) if !writing.hash.is_empty() => ExactValue::Hash(hash(&writing.hash, fields, facts)?),
        (PieceState::Absent, None) => ExactValue::Hash(hash(&writing.hash, &[], facts)?),
        _ => {
            return Err("the layout does not say what a key of this type becomes".to_owned());
        }
    };
    Ok(PieceState::Value { value, expires_at })
}

fn expiry(
    writing: &Writing,
    kept: Option<Timestamp>,
    facts: &Facts<'_>,
) -> Result<Option<Timestamp>, String> {
    match &writing.expires {
        Expiry::Keep => Ok(kept),
        Expiry::Never => Ok(None),
        Expiry::After(period) => facts.later(Some(period)).map(Some),
    }
}

fn string(expr: &Expr, before: Option<&[u8]>, facts: &Facts<'_>) -> Result<ExactValue, String> {
    let bytes = expr.bytes(facts, before)?;
    Ok(ExactValue::String(bytes.unwrap_or_default()))
}

/// Fields of a hash and their values.
type Fields = Vec<(Vec<u8>, Vec<u8>)>;

fn hash(
    written: &[(String, Expr)],
    before: &[(Vec<u8>, Vec<u8>)],
    facts: &Facts<'_>,
) -> Result<Fields, String> {
    let mut fields = before.to_vec();
    for (name, expr) in written {
        let name = name.as_bytes();
        let found = before.iter().find(|(field, _)| field == name);
        let made = expr.bytes(facts, found.map(|(_, value)| value.as_slice()))?;
        fields.retain(|(field, _)| field != name);
        fields.extend(made.map(|value| (name.to_vec(), value)));
    }
    fields.sort();
    Ok(fields)
}

/// A further key: written where the recipe names it, else left as it is.
fn part(
    writing: &Writing,
    piece: &RecordPiece,
    state: &PieceState,
    facts: &Facts<'_>,
) -> Result<PieceState, String> {
    let PieceRole::Part(name) = &piece.role else {
        return Ok(state.clone());
    };
    let Some((_, expr)) = writing.parts.iter().find(|(part, _)| part == name) else {
        return Ok(state.clone());
    };
    let (before, kept) = match state {
        PieceState::Value {
            value: ExactValue::String(bytes),
            expires_at,
        } => (Some(bytes.as_slice()), *expires_at),
        PieceState::There(bytes) => (Some(bytes.as_slice()), None),
        PieceState::Absent => (None, None),
        PieceState::Value { .. } => {
            return Err("the layout does not say what a key of this type becomes".to_owned());
        }
    };
    let Some(bytes) = expr.bytes(facts, before)? else {
        return Ok(PieceState::Absent);
    };
    Ok(match &piece.piece.part {
        PiecePart::Whole => PieceState::Value {
            value: ExactValue::String(bytes),
            expires_at: expiry(writing, kept, facts)?,
        },
        _ => PieceState::There(bytes),
    })
}
