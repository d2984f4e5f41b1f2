//! One round trip: the next page of names together with the values of earlier ones.
//!
//! Only a key that is read whole takes more: its type has to be known first.

use ::redis::{Pipeline, Value};

use super::{Abilities, Lines, RedisStore, push, text_of, walks, whole};
use crate::domain::raw::{KeyRead, KeyType, KeyValue, RawKey, Ttl};
use crate::stores::{KeyStep, KeyStepResult, ScanStep, StoreError, StoreErrorKind};

pub async fn step(store: &RedisStore, step: &KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
    let mut result = KeyStepResult::default();
    let mut answers = match (&store.lines, &step.scan) {
        (Lines::Cluster(cluster), Some(scan)) => {
            let (walked, answers) = tokio::join!(cluster.walk(scan), values(store, step));
            let walked = walked?;
            result.cursor = Some(walked.cursor);
            (result.names, result.share) = (walked.names, walked.share);
            answers?.into_iter()
        }
        (Lines::One(line), Some(scan)) => {
            let (cursor, names, answers) = walks::step(store, line, step, scan).await?;
            result.cursor = Some(cursor);
            result.share = Some(share(cursor));
            result.names = names;
            answers
        }
        (_, None) => values(store, step).await?.into_iter(),
    };
    for (name, read) in step.fetch {
        let key = match read {
            KeyRead::Head { bytes } => head(name, *bytes, &mut answers, store.abilities),
            KeyRead::Fields(fields) => hash_fields(name, fields, &mut answers),
            KeyRead::Members(members) => set_members(name, members, &mut answers),
            KeyRead::Scores(members) => scores(name, members, &mut answers),
            KeyRead::Whole { bytes_max } => {
                let ttl = ttl_of(answers.next());
                let value = match answers.next() {
                    Some(Value::SimpleString(kind)) => {
                        let kind = KeyType::from_name(&kind);
                        whole::value(store, name, kind, *bytes_max).await?
                    }
                    other => not_a_value(other),
                };
                key(name, ttl, value)
            }
        };
        result.values.push(key);
    }
    Ok(result)
}

/// The values alone.
async fn values(store: &RedisStore, step: &KeyStep<'_>) -> Result<Vec<Value>, StoreError> {
    let mut pipeline = Pipeline::new();
    match ask_all(&mut pipeline, step, store.abilities) {
        0 => Ok(Vec::new()),
        count => store.send(&pipeline, count).await,
    }
}

/// Adds the commands that read all that is wanted; how many.
pub fn ask_all(pipeline: &mut Pipeline, step: &KeyStep<'_>, abilities: Abilities) -> usize {
    let all = step.fetch.iter();
    all.map(|(name, read)| ask(pipeline, name, read, abilities))
        .sum()
}

/// Adds the question for the next names.
pub fn scan_page(pipeline: &mut Pipeline, scan: &ScanStep, cursor: u64, count: usize) {
    let (cursor, size) = (cursor.to_string(), count.to_string());
    let mut arguments: Vec<&[u8]> = vec![cursor.as_bytes()];
    if let Some(glob) = &scan.glob {
        arguments.extend([b"MATCH".as_slice(), glob]);
    }
    arguments.extend([b"COUNT".as_slice(), size.as_bytes()]);
    push(pipeline, "SCAN", &arguments);
}

/// How much of a server's names is walked: SCAN counts with the bits reversed, and is at 0 at the end.
pub fn share(cursor: u64) -> f32 {
    match cursor {
        0 => 1.0,
        cursor => (cursor.reverse_bits() as f64 / u64::MAX as f64) as f32,
    }
}

/// Adds the commands that read one key; how many.
pub fn ask(pipeline: &mut Pipeline, name: &[u8], read: &KeyRead, abilities: Abilities) -> usize {
    push(pipeline, "PTTL", &[name]);
    match read {
        KeyRead::Head { bytes } => {
            let last = bytes.saturating_sub(1).to_string();
            if !abilities.getrange {
                push(pipeline, "GET", &[name]);
                return 2;
            }
            push(pipeline, "GETRANGE", &[name, b"0", last.as_bytes()]);
            if !abilities.strlen {
                return 2;
            }
            push(pipeline, "STRLEN", &[name]);
            3
        }
        KeyRead::Fields(fields) => {
            let mut arguments: Vec<&[u8]> = vec![name];
            arguments.extend(fields.iter().map(Vec::as_slice));
            if fields.is_empty() {
                // The command wants one; its answer is left out.
                arguments.push(b"");
            }
            push(pipeline, "HMGET", &arguments);
            2
        }
        KeyRead::Members(members) => each(pipeline, "SISMEMBER", name, members),
        KeyRead::Scores(members) => each(pipeline, "ZSCORE", name, members),
        KeyRead::Whole { .. } => {
            push(pipeline, "TYPE", &[name]);
            2
        }
    }
}

/// One command a member; how many commands that and the TTL make.
fn each(pipeline: &mut Pipeline, command: &'static str, name: &[u8], all: &[Vec<u8>]) -> usize {
    for member in all {
        push(pipeline, command, &[name, member]);
    }
    all.len() + 1
}

/// The next cursor, and names.
///
/// Errors: it is refused, or the answer has another form.
pub fn page(label: &str, answer: Option<Value>) -> Result<(u64, Vec<Vec<u8>>), StoreError> {
    let wrong = |kind, text: String| Err(StoreError::new(kind, text));
    match answer {
        Some(Value::Array(parts)) => {
            let mut parts = parts.into_iter();
            let cursor = parts
                .next()
                .as_ref()
                .and_then(text_of)
                .and_then(|text| text.parse().ok());
            match (cursor, parts.next()) {
                (Some(cursor), Some(Value::Array(names))) => {
                    let names = names.into_iter().filter_map(|name| match name {
                        Value::BulkString(bytes) => Some(bytes),
                        _ => None,
                    });
                    Ok((cursor, names.collect()))
                }
                _ => wrong(
                    StoreErrorKind::Protocol,
                    "SCAN gave an answer of another form".into(),
                ),
            }
        }
        Some(Value::ServerError(error)) => {
            let kind = match error.code() {
                "NOPERM" => StoreErrorKind::Denied,
                "NOAUTH" => StoreErrorKind::Login,
                _ => StoreErrorKind::Protocol,
            };
            let text = error.details().unwrap_or(error.code());
            wrong(kind, format!("{label} refuses SCAN: {text}"))
        }
        _ => wrong(StoreErrorKind::Protocol, "SCAN gave no answer".into()),
    }
}

pub enum Left {
    Gone,
    Ttl(Ttl),
}

pub fn ttl_of(answer: Option<Value>) -> Left {
    match answer {
        Some(Value::Int(-2)) => Left::Gone,
        Some(Value::Int(-1)) => Left::Ttl(Ttl::Never),
        Some(Value::Int(left)) => Left::Ttl(Ttl::Left(left.max(0))),
        _ => Left::Ttl(Ttl::Unknown),
    }
}

fn missing(name: &[u8]) -> RawKey {
    RawKey {
        name: name.to_vec(),
        ttl: Ttl::Unknown,
        value: KeyValue::Missing,
    }
}

fn key(name: &[u8], ttl: Left, value: KeyValue) -> RawKey {
    match ttl {
        Left::Gone => missing(name),
        Left::Ttl(ttl) => RawKey {
            name: name.to_vec(),
            ttl,
            value,
        },
    }
}

/// What an error in the place of a value means.
pub fn not_a_value(answer: Option<Value>) -> KeyValue {
    match answer {
        Some(Value::Nil) => KeyValue::Missing,
        Some(Value::ServerError(error)) if error.code() == "WRONGTYPE" => {
            KeyValue::Opaque(KeyType::Other)
        }
        Some(Value::ServerError(error)) => {
            let text = error.details().unwrap_or(error.code());
            KeyValue::Refused(format!("{}: {text}", error.code()))
        }
        _ => KeyValue::Refused("an answer of another form".to_owned()),
    }
}

pub fn head(
    name: &[u8],
    wanted: usize,
    answers: &mut impl Iterator<Item = Value>,
    abilities: Abilities,
) -> RawKey {
    let ttl = ttl_of(answers.next());
    let value = answers.next();
    let length = if abilities.getrange && abilities.strlen {
        answers.next()
    } else {
        None
    };
    let value = match value {
        Some(Value::BulkString(mut bytes)) => {
            let len = match length {
                Some(Value::Int(len)) => u64::try_from(len).unwrap_or(0),
                // Without STRLEN a full answer may go on; one byte more says so.
                _ if abilities.getrange && bytes.len() >= wanted => bytes.len() as u64 + 1,
                _ => bytes.len() as u64,
            };
            if bytes.len() > wanted {
                bytes.truncate(wanted);
                bytes.shrink_to_fit();
            }
            KeyValue::String { bytes, len }
        }
        other => not_a_value(other),
    };
    key(name, ttl, value)
}

fn hash_fields(
    name: &[u8],
    fields: &[Vec<u8>],
    answers: &mut impl Iterator<Item = Value>,
) -> RawKey {
    let ttl = ttl_of(answers.next());
    let value = match answers.next() {
        Some(Value::Array(values)) => {
            let found = fields
                .iter()
                .zip(values)
                .filter_map(|(field, value)| match value {
                    Value::BulkString(bytes) => Some((field.clone(), bytes)),
                    _ => None,
                });
            KeyValue::Hash {
                fields: found.collect(),
                len: None,
            }
        }
        other => not_a_value(other),
    };
    key(name, ttl, value)
}

fn set_members(
    name: &[u8],
    wanted: &[Vec<u8>],
    answers: &mut impl Iterator<Item = Value>,
) -> RawKey {
    let ttl = ttl_of(answers.next());
    let mut members = Vec::new();
    for member in wanted {
        match answers.next() {
            Some(Value::Int(1) | Value::Boolean(true)) => members.push(member.clone()),
            Some(Value::Int(_) | Value::Boolean(_)) => {}
            other => return after_refusal(name, ttl, other, answers, wanted.len()),
        }
    }
    let len = members.len() as u64;
    key(name, ttl, KeyValue::Set { members, len })
}

fn scores(name: &[u8], wanted: &[Vec<u8>], answers: &mut impl Iterator<Item = Value>) -> RawKey {
    let ttl = ttl_of(answers.next());
    let mut members = Vec::new();
    for member in wanted {
        match answers.next() {
            Some(Value::Double(score)) => members.push((member.clone(), score)),
            Some(Value::Nil) => {}
            Some(other) => match text_of(&other).and_then(|text| text.parse().ok()) {
                Some(score) => members.push((member.clone(), score)),
                None => return after_refusal(name, ttl, Some(other), answers, wanted.len()),
            },
            None => {}
        }
    }
    let len = members.len() as u64;
    key(name, ttl, KeyValue::SortedSet { members, len })
}

/// What the first error says; a refusal is the same for every member, and so is a wrong type.
fn after_refusal(
    name: &[u8],
    ttl: Left,
    first: Option<Value>,
    answers: &mut impl Iterator<Item = Value>,
    asked: usize,
) -> RawKey {
    // The error came for the first member, so the answers for the others are still to be taken.
    answers
        .by_ref()
        .take(asked.saturating_sub(1))
        .for_each(drop);
    key(name, ttl, not_a_value(first))
}
