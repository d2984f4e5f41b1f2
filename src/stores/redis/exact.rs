//! Pieces of records, byte for byte and with their absolute expiry, as a change needs them.
//!
//! Apart from `fetch` and `whole`, which cut and round. Invariants: few keys are in flight at once;
//! a large collection is read in steps; what changes between two steps makes a picture that the
//! comparison of a change refuses, never one that it takes.

mod collections;

use ::redis::{Pipeline, Value};

use super::{Abilities, push, text_of};
use crate::domain::Timestamp;
use crate::domain::change::{ExactValue, Piece, PiecePart, PieceState};
use crate::domain::raw::KeyType;
use crate::stores::{EXACT_BYTES_MAX, StoreError, Unread};
use collections::{hash, set, sorted_set};

/// Pieces in flight.
const AT_ONCE: usize = 40;
/// A string up to so many bytes comes with its length, in one step.
const SMALL: usize = 64 * 1024;
/// Fields of a hash that are asked for at once.
const FIELDS_AT_ONCE: u64 = 500;
/// Members in one step of a large collection.
const STEP: &[u8] = b"500";

/// Where the questions are asked: the read half, or a change that compares on our side.
pub trait Line {
    fn abilities(&self) -> Abilities;
    fn send(
        &self,
        pipeline: &Pipeline,
        count: usize,
    ) -> impl Future<Output = Result<Vec<Value>, StoreError>> + Send;
}

type Answer = Result<PieceState, Unread>;

pub async fn pieces(line: &impl Line, pieces: &[Piece]) -> Result<Vec<Answer>, StoreError> {
    let mut all = Vec::with_capacity(pieces.len());
    for portion in pieces.chunks(AT_ONCE) {
        all.extend(some(line, portion).await?);
    }
    Ok(all)
}

/// What is known of a piece after the first look.
enum Found {
    Done(Answer),
    Whole(KeyType, Option<Timestamp>),
}

async fn some(line: &impl Line, pieces: &[Piece]) -> Result<Vec<Answer>, StoreError> {
    let found = first_look(line, pieces).await?;
    let mut pipeline = Pipeline::new();
    let mut count = 0;
    for (piece, found) in pieces.iter().zip(&found) {
        if let Found::Whole(kind, _) = found {
            count += ask_value(line, &mut pipeline, &piece.key, *kind);
        }
    }
    let answers = if count == 0 {
        Vec::new()
    } else {
        line.send(&pipeline, count).await?
    };
    let mut answers = answers.into_iter();
    let mut all = Vec::with_capacity(pieces.len());
    for (piece, found) in pieces.iter().zip(found) {
        all.push(match found {
            Found::Done(answer) => answer,
            Found::Whole(kind, expires_at) => {
                let value = match kind {
                    KeyType::String => string(line, &piece.key, &mut answers).await?,
                    KeyType::Hash => hash(line, &piece.key, &mut answers).await?,
                    KeyType::Set => set(line, &piece.key, &mut answers).await?,
                    _ => sorted_set(line, &piece.key, &mut answers).await?,
                };
                value.map(|value| match value {
                    Some(value) => PieceState::Value { value, expires_at },
                    None => PieceState::Absent,
                })
            }
        });
    }
    Ok(all)
}

/// Type and expiry of whole keys; members and fields themselves.
async fn first_look(line: &impl Line, pieces: &[Piece]) -> Result<Vec<Found>, StoreError> {
    let abilities = line.abilities();
    let mut pipeline = Pipeline::new();
    let mut count = 0;
    for piece in pieces {
        let key = piece.key.as_slice();
        count += 1;
        match &piece.part {
            PiecePart::Whole => {
                if abilities.expiretime {
                    push(&mut pipeline, "PEXPIRETIME", &[key]);
                } else if abilities.time {
                    push(&mut pipeline, "TIME", &[]);
                    push(&mut pipeline, "PTTL", &[key]);
                    count += 1;
                } else {
                    push(&mut pipeline, "PTTL", &[key]);
                }
                push(&mut pipeline, "TYPE", &[key]);
                count += 1;
            }
            PiecePart::Member(member) => push(&mut pipeline, "SISMEMBER", &[key, member]),
            PiecePart::Field(field) => push(&mut pipeline, "HMGET", &[key, field]),
            PiecePart::Score(member) => push(&mut pipeline, "ZSCORE", &[key, member]),
        }
    }
    let mut answers = line.send(&pipeline, count).await?.into_iter();
    let found = pieces.iter().map(|piece| match &piece.part {
        PiecePart::Whole => {
            let expiry = if abilities.expiretime {
                absolute(answers.next(), Some(0))
            } else if abilities.time {
                let now = answers.next().and_then(|answer| millis(&answer));
                absolute(answers.next(), now)
            } else {
                absolute(answers.next(), None)
            };
            whole(expiry, answers.next())
        }
        PiecePart::Member(_) => Found::Done(match answers.next() {
            Some(Value::Int(1) | Value::Boolean(true)) => Ok(PieceState::There(Vec::new())),
            Some(Value::Int(_) | Value::Boolean(_)) => Ok(PieceState::Absent),
            other => Err(unread(other)),
        }),
        PiecePart::Field(_) => Found::Done(match answers.next() {
            Some(Value::Array(values)) => there(values.into_iter().next()),
            other => Err(unread(other)),
        }),
        PiecePart::Score(_) => Found::Done(there(answers.next())),
    });
    Ok(found.collect())
}

/// The clock of a `TIME` answer.
pub fn millis(answer: &Value) -> Option<i64> {
    let Value::Array(parts) = answer else {
        return None;
    };
    let number = |at: usize| parts.get(at).and_then(text_of)?.parse::<i64>().ok();
    Some(
        number(0)?
            .saturating_mul(1000)
            .saturating_add(number(1)? / 1000),
    )
}

/// The absolute expiry, from the answer and what it counts from; `None` in it for a key that is not
/// there.
pub fn absolute(
    answer: Option<Value>,
    from: Option<i64>,
) -> Result<Option<Option<Timestamp>>, Unread> {
    match answer {
        Some(Value::Int(-2)) => Ok(None),
        Some(Value::Int(-1)) => Ok(Some(None)),
        Some(Value::Int(left)) => match from {
            Some(from) => Ok(Some(Some(Timestamp(from.saturating_add(left))))),
            None => Err(Unread::Refused(
                "its absolute expiry cannot be told without the right to PEXPIRETIME or TIME"
                    .into(),
            )),
        },
        other => Err(unread(other)),
    }
}

fn whole(expiry: Result<Option<Option<Timestamp>>, Unread>, kind: Option<Value>) -> Found {
    let expires_at = match expiry {
        Ok(Some(expires_at)) => expires_at,
        Ok(None) => return Found::Done(Ok(PieceState::Absent)),
        Err(refused) => return Found::Done(Err(refused)),
    };
    match kind {
        Some(Value::SimpleString(name)) if name == "none" => Found::Done(Ok(PieceState::Absent)),
        Some(Value::SimpleString(name)) => match KeyType::from_name(&name) {
            kind @ (KeyType::String | KeyType::Hash | KeyType::Set | KeyType::SortedSet) => {
                Found::Whole(kind, expires_at)
            }
            other => Found::Done(Err(Unread::OtherType(other))),
        },
        other => Found::Done(Err(unread(other))),
    }
}

/// A field or a score.
fn there(answer: Option<Value>) -> Answer {
    match answer {
        Some(Value::Nil) => Ok(PieceState::Absent),
        Some(Value::BulkString(bytes)) if bytes.len() > EXACT_BYTES_MAX => {
            Err(Unread::TooLarge(bytes.len() as u64))
        }
        Some(Value::BulkString(bytes)) => Ok(PieceState::There(bytes)),
        other => Err(unread(other)),
    }
}

pub fn unread(answer: Option<Value>) -> Unread {
    match answer {
        Some(Value::ServerError(error)) if error.code() == "WRONGTYPE" => {
            Unread::OtherType(KeyType::Other)
        }
        Some(Value::ServerError(error)) => {
            let text = error.details().unwrap_or_default();
            Unread::Refused(format!("the server refuses it: {} {text}", error.code()))
        }
        _ => Unread::Refused("the server gave an answer of another form".to_owned()),
    }
}

/// Asks for a value, or for its size and its beginning; how many commands.
fn ask_value(line: &impl Line, pipeline: &mut Pipeline, key: &[u8], kind: KeyType) -> usize {
    match kind {
        KeyType::String if line.abilities().getrange && line.abilities().strlen => {
            let last = (SMALL - 1).to_string();
            push(pipeline, "STRLEN", &[key]);
            push(pipeline, "GETRANGE", &[key, b"0", last.as_bytes()]);
        }
        KeyType::String => {
            push(pipeline, "GET", &[key]);
            return 1;
        }
        KeyType::Hash => {
            push(pipeline, "HLEN", &[key]);
            return 1;
        }
        KeyType::Set => {
            push(pipeline, "SCARD", &[key]);
            push(pipeline, "SSCAN", &[key, b"0", b"COUNT", STEP]);
        }
        _ => {
            push(pipeline, "ZCARD", &[key]);
            push(pipeline, "ZRANGE", &[key, b"0", b"499", b"WITHSCORES"]);
        }
    }
    2
}

/// A value, nothing where it has gone meanwhile, or why it was not read.
type Read = Result<Option<ExactValue>, Unread>;

async fn string(
    line: &impl Line,
    key: &[u8],
    answers: &mut impl Iterator<Item = Value>,
) -> Result<Read, StoreError> {
    let mut answer = answers.next();
    if line.abilities().getrange && line.abilities().strlen {
        let head = answers.next();
        let len = match &answer {
            Some(Value::Int(len)) => usize::try_from(*len).unwrap_or(usize::MAX),
            _ => return Ok(Err(unread(answer))),
        };
        if len > EXACT_BYTES_MAX {
            return Ok(Err(Unread::TooLarge(len as u64)));
        }
        // A key that went since the first look is as empty as an empty one.
        answer = if (1..=SMALL).contains(&len) {
            head
        } else {
            let mut pipeline = Pipeline::new();
            push(&mut pipeline, "GET", &[key]);
            line.send(&pipeline, 1).await?.into_iter().next()
        };
    }
    Ok(match answer {
        Some(Value::BulkString(bytes)) if bytes.len() > EXACT_BYTES_MAX => {
            Err(Unread::TooLarge(bytes.len() as u64))
        }
        Some(Value::BulkString(bytes)) => Ok(Some(ExactValue::String(bytes))),
        Some(Value::Nil) => Ok(None),
        other => Err(unread(other)),
    })
}
