//! A key whose type has just been told, all of it up to a bound.
//!
//! Apart from `fetch` because it takes as many round trips as the value is large.
//! Invariants: a small hash is read by the one command that the least rights give; a large
//! collection is read in steps, none of which holds the server for long.

use std::collections::HashSet;

use ::redis::{Pipeline, Value};

use super::fetch::{Left, ask, head, not_a_value, ttl_of};
use super::walks::{Walk, member_step};
use super::{RedisStore, push, text_of};
use crate::domain::raw::{KeyRead, KeyType, KeyValue, MemberPage, Ttl};
use crate::stores::StoreError;

/// Members read of a set, sorted set or hash when it is opened.
const MEMBERS_MAX: usize = 10_000;
/// Fields of a hash that are asked for at once.
const FIELDS_AT_ONCE: u64 = 500;
/// Members in one step.
const STEP: usize = 500;

pub async fn value(
    store: &RedisStore,
    name: &[u8],
    kind: KeyType,
    bytes_max: usize,
) -> Result<KeyValue, StoreError> {
    match kind {
        KeyType::String => {
            let read = KeyRead::Head { bytes: bytes_max };
            let mut pipeline = Pipeline::new();
            let asked = ask(&mut pipeline, name, &read, store.abilities);
            let mut answers = store.send(&pipeline, asked).await?.into_iter();
            Ok(head(name, bytes_max, &mut answers, store.abilities).value)
        }
        KeyType::Hash => hash(store, name, bytes_max).await,
        KeyType::Set => {
            let len = length(store, "SCARD", name).await?;
            Ok(match collect(store, "SSCAN", name, 1, bytes_max).await? {
                Err(refused) => refused,
                Ok(members) => KeyValue::Set {
                    len: len.unwrap_or(members.len() as u64),
                    members,
                },
            })
        }
        KeyType::SortedSet => sorted_set(store, name, bytes_max).await,
        other => Ok(KeyValue::Opaque(other)),
    }
}

/// All fields of a hash, or the first ones of a very large one.
async fn hash(store: &RedisStore, name: &[u8], bytes_max: usize) -> Result<KeyValue, StoreError> {
    let len = length(store, "HLEN", name).await?;
    if len.is_none_or(|len| len <= FIELDS_AT_ONCE) {
        return all_fields(store, name, bytes_max).await;
    }
    Ok(match collect(store, "HSCAN", name, 2, bytes_max).await? {
        // A login that may read hashes whole only.
        Err(KeyValue::Refused(_)) if len.is_some_and(|len| len <= MEMBERS_MAX as u64) => {
            all_fields(store, name, bytes_max).await?
        }
        Err(refused) => refused,
        Ok(items) => KeyValue::Hash {
            fields: pairs(items),
            len,
        },
    })
}

async fn all_fields(
    store: &RedisStore,
    name: &[u8],
    bytes_max: usize,
) -> Result<KeyValue, StoreError> {
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, "HGETALL", &[name]);
    Ok(match store.send(&pipeline, 1).await?.into_iter().next() {
        Some(Value::Array(items)) => {
            // The older protocol gives one flat list.
            let mut fields = pairs(strings(items));
            let len = Some(fields.len() as u64);
            let mut bytes = 0;
            fields.retain(|(field, value)| {
                let fits = bytes <= bytes_max;
                bytes += field.len() + value.len();
                fits
            });
            KeyValue::Hash { fields, len }
        }
        other => not_a_value(other),
    })
}

async fn sorted_set(
    store: &RedisStore,
    name: &[u8],
    bytes_max: usize,
) -> Result<KeyValue, StoreError> {
    let len = length(store, "ZCARD", name).await?;
    let mut members: Vec<(Vec<u8>, f64)> = Vec::new();
    let mut bytes = 0;
    while members.len() < MEMBERS_MAX && bytes <= bytes_max {
        let from = members.len().to_string();
        let to = (members.len() + STEP - 1).to_string();
        let mut pipeline = Pipeline::new();
        let range = [name, from.as_bytes(), to.as_bytes(), b"WITHSCORES"];
        push(&mut pipeline, "ZRANGE", &range);
        let items = match store.send(&pipeline, 1).await?.into_iter().next() {
            Some(Value::Array(items)) => pairs(strings(items)),
            other => return Ok(not_a_value(other)),
        };
        let whole = items.len() == STEP;
        for (member, score) in items {
            bytes += member.len();
            let score = String::from_utf8_lossy(&score).parse().unwrap_or(0.0);
            members.push((member, score));
        }
        if !whole {
            break;
        }
    }
    Ok(KeyValue::SortedSet {
        len: len.unwrap_or(members.len() as u64),
        members,
    })
}

async fn length(
    store: &RedisStore,
    command: &'static str,
    name: &[u8],
) -> Result<Option<u64>, StoreError> {
    let mut pipeline = Pipeline::new();
    push(&mut pipeline, command, &[name]);
    Ok(match store.send(&pipeline, 1).await?.first() {
        Some(Value::Int(len)) => u64::try_from(*len).ok(),
        _ => None,
    })
}

/// What a cursor gives, up to the bounds; `width` answers make one member. A member that comes
/// twice, which a growing collection may do, is kept once.
async fn collect(
    store: &RedisStore,
    command: &'static str,
    name: &[u8],
    width: usize,
    bytes_max: usize,
) -> Result<Result<Vec<Vec<u8>>, KeyValue>, StoreError> {
    let mut walk = Walk::default();
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut bytes = 0;
    let count = STEP.to_string();
    loop {
        let ask = |cursor: u64| {
            let cursor = cursor.to_string();
            let mut pipeline = Pipeline::new();
            let step = [name, cursor.as_bytes(), b"COUNT", count.as_bytes()];
            push(&mut pipeline, command, &step);
            (pipeline, 1)
        };
        let (answers, stepped) = member_step(store, walk, ask).await?;
        walk = stepped;
        let answer = answers.into_iter().next();
        let Some(Value::Array(parts)) = answer else {
            return Ok(Err(not_a_value(answer)));
        };
        let mut parts = parts.into_iter();
        let next = parts.next().as_ref().and_then(cursor_of);
        let items = match parts.next() {
            Some(Value::Array(items)) => strings(items),
            other => return Ok(Err(not_a_value(other))),
        };
        for member in items.chunks_exact(width) {
            let full = found.len() >= MEMBERS_MAX * width || bytes > bytes_max;
            let Some(first) = member.first().filter(|_| !full) else {
                break;
            };
            if seen.insert(first.clone()) {
                bytes += member.iter().map(Vec::len).sum::<usize>();
                found.extend_from_slice(member);
            }
        }
        let full = found.len() >= MEMBERS_MAX * width || bytes > bytes_max;
        match next {
            Some(next) if next != 0 && !full => walk.cursor = next,
            _ => return Ok(Ok(found)),
        }
    }
}

/// A page by the collection's own cursor, with the TTL of the whole.
pub async fn page(
    store: &RedisStore,
    name: &[u8],
    kind: KeyType,
    cursor: u64,
    count: usize,
) -> Result<MemberPage, StoreError> {
    let command = match kind {
        KeyType::Hash => "HSCAN",
        KeyType::SortedSet => "ZSCAN",
        _ => "SSCAN",
    };
    let count = count.to_string();
    let ask = |cursor: u64| {
        let cursor = cursor.to_string();
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "PTTL", &[name]);
        let step = [name, cursor.as_bytes(), b"COUNT", count.as_bytes()];
        push(&mut pipeline, command, &step);
        (pipeline, 2)
    };
    let walk = store.cursors.taken(cursor, Some(name));
    let (answers, walk) = match member_step(store, walk, ask).await {
        Ok(stepped) => stepped,
        Err(error) => {
            // It may be asked again.
            store.cursors.kept(walk);
            return Err(error);
        }
    };
    let mut answers = answers.into_iter();
    let ttl = match ttl_of(answers.next()) {
        Left::Gone => Ttl::Unknown,
        Left::Ttl(ttl) => ttl,
    };
    let (next, items) = match answers.next() {
        Some(Value::Array(parts)) => {
            let mut parts = parts.into_iter();
            let next = parts.next().as_ref().and_then(cursor_of);
            match parts.next() {
                Some(Value::Array(items)) => (next, strings(items)),
                _ => (None, Vec::new()),
            }
        }
        other => {
            let value = not_a_value(other);
            let next = None;
            return Ok(MemberPage { value, ttl, next });
        }
    };
    let value = members_of(kind, items);
    let next = next.filter(|next| *next != 0);
    store.cursors.kept(walk.at(next.unwrap_or(0)));
    Ok(MemberPage { value, ttl, next })
}

fn members_of(kind: KeyType, items: Vec<Vec<u8>>) -> KeyValue {
    match kind {
        KeyType::Hash => KeyValue::Hash {
            fields: pairs(items),
            len: None,
        },
        KeyType::SortedSet => {
            let score = |text: Vec<u8>| String::from_utf8_lossy(&text).parse().unwrap_or(0.0);
            let scored = pairs(items)
                .into_iter()
                .map(|(member, text)| (member, score(text)));
            let members: Vec<(Vec<u8>, f64)> = scored.collect();
            let len = members.len() as u64;
            KeyValue::SortedSet { members, len }
        }
        _ => KeyValue::Set {
            len: items.len() as u64,
            members: items,
        },
    }
}

fn cursor_of(value: &Value) -> Option<u64> {
    text_of(value)?.parse().ok()
}

fn strings(items: Vec<Value>) -> Vec<Vec<u8>> {
    let strings = items.into_iter().filter_map(|item| match item {
        Value::BulkString(bytes) => Some(bytes),
        _ => None,
    });
    strings.collect()
}

fn pairs(items: Vec<Vec<u8>>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut pairs = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(first), Some(second)) = (items.next(), items.next()) {
        pairs.push((first, second));
    }
    pairs
}
