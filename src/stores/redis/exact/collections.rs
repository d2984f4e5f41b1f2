//! Hashes, sets and sorted sets exactly, in steps that hold the server for a moment only.
//!
//! Apart from the rest of exact reading because these take as many round trips as they are large.
//! Invariant: what is listed twice while a collection grows is kept once, and all of it is sorted.

use std::collections::BTreeMap;

use ::redis::{Pipeline, Value};

use super::super::{push, text_of};
use super::{FIELDS_AT_ONCE, Line, Read, STEP, unread};
use crate::domain::change::ExactValue;
use crate::stores::{EXACT_BYTES_MAX, StoreError, Unread};

pub async fn hash(
    line: &impl Line,
    key: &[u8],
    answers: &mut impl Iterator<Item = Value>,
) -> Result<Read, StoreError> {
    let mut fields = BTreeMap::new();
    let read = match answers.next() {
        Some(Value::Int(len)) if u64::try_from(len).is_ok_and(|len| len <= FIELDS_AT_ONCE) => {
            let mut pipeline = Pipeline::new();
            push(&mut pipeline, "HGETALL", &[key]);
            let answer = line.send(&pipeline, 1).await?.into_iter().next();
            keep(&mut fields, answer, 2)
        }
        Some(Value::Int(_)) => by_cursor(line, "HSCAN", key, None, 2, &mut fields).await?,
        other => Err(unread(other)),
    };
    Ok(read.map(|()| (!fields.is_empty()).then(|| ExactValue::Hash(fields.into_iter().collect()))))
}

pub async fn set(
    line: &impl Line,
    key: &[u8],
    answers: &mut impl Iterator<Item = Value>,
) -> Result<Read, StoreError> {
    let (len, first) = (answers.next(), answers.next());
    let mut members = BTreeMap::new();
    if !matches!(len, Some(Value::Int(_))) {
        return Ok(Err(unread(len)));
    }
    let read = by_cursor(line, "SSCAN", key, first, 1, &mut members).await?;
    Ok(
        read.map(|()| {
            (!members.is_empty()).then(|| ExactValue::Set(members.into_keys().collect()))
        }),
    )
}

pub async fn sorted_set(
    line: &impl Line,
    key: &[u8],
    answers: &mut impl Iterator<Item = Value>,
) -> Result<Read, StoreError> {
    let (len, mut page) = (answers.next(), answers.next());
    let len = match len {
        Some(Value::Int(len)) => usize::try_from(len).unwrap_or(0),
        other => return Ok(Err(unread(other))),
    };
    let mut members = BTreeMap::new();
    let mut from = 0;
    loop {
        if let Err(why) = keep(&mut members, page.take(), 2) {
            return Ok(Err(why));
        }
        from += 500;
        if from >= len {
            break;
        }
        let (first, last) = (from.to_string(), (from + 499).to_string());
        let mut pipeline = Pipeline::new();
        let range = [key, first.as_bytes(), last.as_bytes(), b"WITHSCORES"];
        push(&mut pipeline, "ZRANGE", &range);
        page = line.send(&pipeline, 1).await?.into_iter().next();
    }
    let all = || ExactValue::SortedSet(members.into_iter().collect());
    Ok(Ok((len > 0).then(all)))
}

/// Follows a cursor to its end; the first page may have been read already.
async fn by_cursor(
    line: &impl Line,
    command: &'static str,
    key: &[u8],
    mut page: Option<Value>,
    width: usize,
    found: &mut BTreeMap<Vec<u8>, Vec<u8>>,
) -> Result<Result<(), Unread>, StoreError> {
    let mut cursor = "0".to_owned();
    loop {
        if page.is_none() {
            let mut pipeline = Pipeline::new();
            let step = [key, cursor.as_bytes(), b"COUNT", STEP];
            push(&mut pipeline, command, &step);
            page = line.send(&pipeline, 1).await?.into_iter().next();
        }
        let parts = match page.take() {
            Some(Value::Array(parts)) => parts,
            other => return Ok(Err(unread(other))),
        };
        let mut parts = parts.into_iter();
        let next = parts.next().as_ref().and_then(text_of);
        if let Err(why) = keep(found, parts.next(), width) {
            return Ok(Err(why));
        }
        match next {
            Some(next) if next != "0" => cursor = next,
            _ => return Ok(Ok(())),
        }
    }
}

/// Adds what one answer lists, up to the bound of what is kept for undo.
fn keep(
    found: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    answer: Option<Value>,
    width: usize,
) -> Result<(), Unread> {
    let mut items = match answer {
        Some(Value::Array(items)) => items.into_iter(),
        other => return Err(unread(other)),
    };
    while let Some(Value::BulkString(name)) = items.next() {
        let value = match width {
            2 => items.next(),
            _ => Some(Value::BulkString(Vec::new())),
        };
        let Some(Value::BulkString(value)) = value else {
            return Err(unread(value));
        };
        found.insert(name, value);
    }
    let bytes: usize = found.iter().map(|(a, b)| a.len() + b.len()).sum();
    if bytes > EXACT_BYTES_MAX {
        return Err(Unread::TooLarge(bytes as u64));
    }
    Ok(())
}
