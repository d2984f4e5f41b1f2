//! A change without a script: the keys are watched, read, compared here, and changed together.
//!
//! Apart from the script because it takes several round trips a record; only a login that may not
//! run scripts comes here. Invariants: the connection is nobody else's meanwhile; a change is only
//! sent while everything that was compared is watched.

use std::collections::BTreeMap;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Cmd, Pipeline, Value};

use super::super::exact::{self, Line, millis};
use super::super::{Abilities, lacks_right};
use super::allow::{command, push};
use super::answers::{self, Refusal};
use super::{Called, RedisWriter};
use crate::domain::change::{Applied, ExactValue, Piece, PieceChange, PiecePart, PieceState};
use crate::stores::{StoreError, Unread};

/// Before Redis 7.0 an expiry is the clock plus what is left, which differs by the way of the
/// answer.
const TOLERANCE_MS: i64 = 5;

struct Watching<'w> {
    writer: &'w RedisWriter,
    connection: MultiplexedConnection,
}

impl Line for Watching<'_> {
    fn abilities(&self) -> Abilities {
        self.writer.abilities
    }

    async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        self.writer
            .send(self.connection.clone(), pipeline, count)
            .await
    }
}

pub async fn apply(writer: &RedisWriter, records: &[(usize, &[PieceChange])]) -> Called {
    let connection = match writer.connection(&writer.watching).await {
        Ok(connection) => connection,
        Err(error) => {
            return Called {
                outcomes: Vec::new(),
                trouble: Some(error),
            };
        }
    };
    let done = by(writer, connection, records).await;
    if done.trouble.is_some() {
        // Nothing stays watched on a connection that is used again.
        *writer.watching.lock().await = None;
    }
    done
}

/// The same on a connection that nobody else uses; after a trouble it is not to be used again.
pub async fn by(
    writer: &RedisWriter,
    connection: MultiplexedConnection,
    records: &[(usize, &[PieceChange])],
) -> Called {
    let mut all = Called {
        outcomes: Vec::new(),
        trouble: None,
    };
    let line = Watching { writer, connection };
    for (at, pieces) in records {
        let (applied, trouble) = one(&line, pieces).await;
        all.outcomes.push((*at, applied));
        all.trouble = trouble;
        if all.trouble.is_some() {
            break;
        }
    }
    all
}

async fn one(line: &Watching<'_>, pieces: &[PieceChange]) -> (Applied, Option<StoreError>) {
    let label = line.writer.connector.label();
    let refused = |refusal: &Refusal| (refusal.applied(), refusal.error(&label));
    match compared(line, pieces).await {
        // Up to here nothing was asked to change.
        Err(error) => return (answers::not_reached(), Some(error)),
        Ok(Err(refusal)) => {
            let _ = unwatch(line).await;
            return refused(&refusal);
        }
        Ok(Ok(Some(applied))) => return (applied, unwatch(line).await.err()),
        Ok(Ok(None)) => {}
    }
    for remove in [b"UNLINK".as_slice(), b"DEL"] {
        let commands = commands(pieces, remove);
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, command(&[b"MULTI"]));
        let count = commands.len() + 2;
        for command in commands {
            push(&mut pipeline, command);
        }
        push(&mut pipeline, command(&[b"EXEC"]));
        let answers = match line.send(&pipeline, count).await {
            Ok(answers) => answers,
            Err(error) => return (answers::unanswered(), Some(error)),
        };
        match executed(&answers) {
            Ok(applied) => return (applied, None),
            // It ended before anything was done, and watches nothing any more.
            Err(refusal) => {
                let lacks = answers.iter().any(lacks_right);
                if remove == b"UNLINK" && lacks && refusal.trouble.is_none() {
                    match compared(line, pieces).await {
                        Err(error) => return (answers::not_reached(), Some(error)),
                        Ok(Err(refusal)) => return refused(&refusal),
                        Ok(Ok(Some(applied))) => return (applied, unwatch(line).await.err()),
                        Ok(Ok(None)) => continue,
                    }
                }
                return refused(&refusal);
            }
        }
    }
    (answers::not_reached(), None)
}

async fn unwatch(line: &Watching<'_>) -> Result<(), StoreError> {
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, command(&[b"UNWATCH"]));
    line.send(&pipeline, 1).await.map(drop)
}

/// What came of `MULTI` … `EXEC`; an error where the server refused it as a whole.
fn executed(answers: &[Value]) -> Result<Applied, Refusal> {
    let (last, before) = match answers.split_last() {
        Some(split) => split,
        None => return Ok(answers::unanswered()),
    };
    match last {
        Value::Nil => Ok(answers::changed()),
        Value::Array(done) => {
            let errors: Vec<Refusal> = done.iter().filter_map(Refusal::of_answer).collect();
            match errors.into_iter().next() {
                None => Ok(Applied::done()),
                Some(refusal) if done.len() == 1 => Err(refusal),
                Some(refusal) => Ok(answers::half(&refusal.why)),
            }
        }
        last => {
            let errors = before.iter().chain(std::iter::once(last));
            match errors.filter_map(Refusal::of_answer).next() {
                Some(refusal) => Err(refusal),
                None => Ok(answers::unanswered()),
            }
        }
    }
}

type Comparison = Result<Option<Applied>, Refusal>;

/// Watches and compares: `None` if everything is as it was seen and may be changed.
async fn compared(line: &Watching<'_>, pieces: &[PieceChange]) -> Result<Comparison, StoreError> {
    let mut watch = Cmd::new();
    watch.arg("WATCH");
    for change in pieces {
        watch.arg(change.piece.key.as_slice());
    }
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, watch);
    let answers = line.send(&pipeline, 1).await?;
    if let Some(refusal) = answers.first().and_then(Refusal::of_answer) {
        return Ok(Err(refusal));
    }
    let names: Vec<Piece> = pieces.iter().map(|change| change.piece.clone()).collect();
    let found = exact::pieces(line, &names).await?;
    let (mut same, mut other, mut leaves, mut stays) = (true, false, false, false);
    for (change, found) in pieces.iter().zip(&found) {
        let absent = matches!(found, Ok(PieceState::Absent));
        let equal = match found {
            Err(Unread::Refused(why)) => {
                let (why, trouble) = (why.clone(), None);
                return Ok(Err(Refusal { why, trouble }));
            }
            Err(_) => false,
            Ok(found) => is_as_seen(&change.seen, found, line.writer.abilities),
        };
        same &= equal;
        other |= !equal && !absent;
        if change.seen != PieceState::Absent && change.then != change.seen {
            leaves = true;
            stays |= !absent;
        }
    }
    if !same {
        let gone = leaves && !stays && !other;
        return Ok(Ok(Some(if gone {
            answers::gone()
        } else {
            answers::changed()
        })));
    }
    Ok(Ok(has_passed(line, pieces).await?.then(answers::expired)))
}

fn is_as_seen(seen: &PieceState, found: &PieceState, abilities: Abilities) -> bool {
    match (seen, found) {
        (
            PieceState::Value { value, expires_at },
            PieceState::Value {
                value: found,
                expires_at: found_at,
            },
        ) => {
            let near = match (expires_at, found_at) {
                (Some(a), Some(b)) => a.0.abs_diff(b.0) <= TOLERANCE_MS.unsigned_abs(),
                _ => false,
            };
            value == found && (expires_at == found_at || !abilities.expiretime && near)
        }
        (seen, found) => seen == found,
    }
}

/// Whether something is to be put there with an expiry that has passed.
async fn has_passed(line: &Watching<'_>, pieces: &[PieceChange]) -> Result<bool, StoreError> {
    let expiries = pieces.iter().filter_map(|change| match &change.then {
        PieceState::Value { expires_at, .. } if change.then != change.seen => *expires_at,
        _ => None,
    });
    let Some(first) = expiries.min() else {
        return Ok(false);
    };
    if !line.writer.abilities.time {
        return Ok(false);
    }
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, command(&[b"TIME"]));
    let answers = line.send(&pipeline, 1).await?;
    let now = answers.first().and_then(millis);
    Ok(now.is_some_and(|now| first.0 <= now))
}

fn commands(pieces: &[PieceChange], remove: &[u8]) -> Vec<Cmd> {
    let mut commands = Vec::new();
    for change in pieces.iter().filter(|change| change.then != change.seen) {
        let key = change.piece.key.as_slice();
        match (&change.piece.part, &change.then) {
            (PiecePart::Whole, PieceState::Value { value, expires_at }) => {
                whole(&mut commands, key, &change.seen, value, remove);
                match (expires_at, value) {
                    (Some(at), _) => {
                        let at = at.0.to_string();
                        commands.push(command(&[b"PEXPIREAT", key, at.as_bytes()]));
                    }
                    // `SET` takes an expiry away, and a new collection has none.
                    (None, ExactValue::String(_)) => {}
                    (None, _) => commands.push(command(&[b"PERSIST", key])),
                }
            }
            (PiecePart::Whole, _) => commands.push(command(&[remove, key])),
            (PiecePart::Field(name), PieceState::There(value)) => {
                commands.push(command(&[b"HSET", key, name, value]));
            }
            (PiecePart::Field(name), _) => commands.push(command(&[b"HDEL", key, name])),
            (PiecePart::Member(name), PieceState::There(_)) => {
                commands.push(command(&[b"SADD", key, name]));
            }
            (PiecePart::Member(name), _) => commands.push(command(&[b"SREM", key, name])),
            (PiecePart::Score(name), PieceState::There(score)) => {
                commands.push(command(&[b"ZADD", key, score, name]));
            }
            (PiecePart::Score(name), _) => commands.push(command(&[b"ZREM", key, name])),
        }
    }
    commands
}

/// The commands that make a whole value of what was seen, of a collection only what differs.
fn whole(
    commands: &mut Vec<Cmd>,
    key: &[u8],
    seen: &PieceState,
    value: &ExactValue,
    remove: &[u8],
) {
    let seen = match seen {
        PieceState::Value { value, .. } => Some(value),
        _ => None,
    };
    if let ExactValue::String(bytes) = value {
        commands.push(command(&[b"SET", key, bytes]));
        return;
    }
    let same_type =
        seen.is_some_and(|seen| std::mem::discriminant(seen) == std::mem::discriminant(value));
    if seen.is_some() && !same_type {
        commands.push(command(&[remove, key]));
    }
    let had = seen.filter(|_| same_type).map(items).unwrap_or_default();
    let has = items(value);
    let (add, take): (&[u8], &[u8]) = match value {
        ExactValue::Hash(_) => (b"HSET", b"HDEL"),
        ExactValue::Set(_) => (b"SADD", b"SREM"),
        _ => (b"ZADD", b"ZREM"),
    };
    for (name, value) in &has {
        if had.get(name) != Some(value) {
            commands.push(match add {
                b"HSET" => command(&[add, key, name, value]),
                b"ZADD" => command(&[add, key, value, name]),
                _ => command(&[add, key, name]),
            });
        }
    }
    for name in had.keys().filter(|name| !has.contains_key(*name)) {
        commands.push(command(&[take, key, name]));
    }
}

fn items(value: &ExactValue) -> BTreeMap<&[u8], &[u8]> {
    match value {
        ExactValue::String(_) => BTreeMap::new(),
        ExactValue::Set(members) => members.iter().map(|m| (m.as_slice(), &b""[..])).collect(),
        ExactValue::Hash(pairs) | ExactValue::SortedSet(pairs) => pairs
            .iter()
            .map(|(name, value)| (name.as_slice(), value.as_slice()))
            .collect(),
    }
}
