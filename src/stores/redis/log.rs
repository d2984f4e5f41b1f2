//! Streams by pages, and what the server tells of expiry, eviction and use.
//!
//! Apart from `fetch` because none of it is a record. Invariant: nothing here touches a key, so that
//! looking does not change when it was last used.

use ::redis::{Pipeline, Value};

use super::line::Line;
use super::{Lines, RedisStore, lacks_right, push, text_of};
use crate::stores::logs::{
    IdleTimes, ServerCounts, StreamFields, StreamId, StreamNames, StreamPage, StreamQuery, Untold,
};
use crate::stores::{StoreError, StoreErrorKind};

/// Streams that are looked at.
const STREAMS_MAX: usize = 100;
/// Round trips that looking for them may take: the key space is then of some millions.
const STEPS_MAX: usize = 2_000;
const NAMES_EACH: &[u8] = b"2000";

/// A server that is not reached forbids nothing.
fn untold(error: &StoreError) -> Untold {
    match error.is_connection() {
        true => Untold::LineLost,
        false => Untold::NoRights,
    }
}

impl RedisStore {
    /// Every stream, by the type; by the convention's name where the server cannot sort by type.
    pub async fn streams(&self) -> Result<StreamNames, StoreError> {
        let by_type: [&[u8]; 2] = [b"TYPE", b"stream"];
        match self.walk(&by_type).await? {
            Some(found) => Ok(found),
            // Before Redis 6.
            None => {
                let found = self.walk(&[b"MATCH", b"idem:log*"]).await?;
                Ok(StreamNames {
                    complete: false,
                    ..found.unwrap_or_default()
                })
            }
        }
    }

    /// Walks the names of every server; `None` where one does not know the condition.
    async fn walk(&self, condition: &[&[u8]]) -> Result<Option<StreamNames>, StoreError> {
        let lines = match &self.lines {
            Lines::One(line) => return walk_one(line, condition).await,
            Lines::Cluster(cluster) => cluster.served().await?,
        };
        let mut all = StreamNames {
            complete: true,
            ..StreamNames::default()
        };
        for line in lines {
            let Some(found) = walk_one(&line, condition).await? else {
                return Ok(None);
            };
            all.complete &= found.complete;
            for name in found.names {
                // On its way between two nodes it is seen at both.
                if !all.names.contains(&name) {
                    all.names.push(name);
                }
            }
        }
        all.complete &= all.names.len() <= STREAMS_MAX;
        all.names.truncate(STREAMS_MAX);
        Ok(Some(all))
    }

    pub async fn stream_page(&self, query: &StreamQuery) -> Result<StreamPage, StoreError> {
        let from = format!("{}-{}", query.from.ms, query.from.seq);
        let (to, count) = (query.to_ms.to_string(), query.count.to_string());
        let mut pipeline = Pipeline::new();
        let arguments: [&[u8]; 5] = [
            &query.name,
            from.as_bytes(),
            to.as_bytes(),
            b"COUNT",
            count.as_bytes(),
        ];
        push(&mut pipeline, "XRANGE", &arguments);
        let answer = self.send(&pipeline, 1).await?.into_iter().next();
        match answer {
            Some(Value::Array(entries)) => Ok(page(entries)),
            Some(Value::ServerError(error)) => {
                let kind = match error.code() {
                    "NOPERM" => StoreErrorKind::Denied,
                    "WRONGTYPE" => StoreErrorKind::Vanished,
                    _ => StoreErrorKind::Protocol,
                };
                let text = error.details().unwrap_or(error.code());
                let text = format!("{} refuses XRANGE: {text}", self.label());
                Err(StoreError::new(kind, text))
            }
            _ => {
                let text = "XRANGE gave an answer of another form";
                Err(StoreError::new(StoreErrorKind::Protocol, text))
            }
        }
    }

    pub async fn counts(&self) -> Result<ServerCounts, Untold> {
        if !self.abilities.info {
            return Err(Untold::NoRights);
        }
        let told = self.each("INFO", &[b"stats"]).await;
        let told = told.map_err(|error| untold(&error))?;
        let sections: Vec<String> = told.iter().filter_map(text_of).collect();
        // Of all servers together; what one does not tell is not known of all.
        let of = |name: &str| {
            let of_one = |info: &String| {
                let mut lines = info.lines();
                let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
                value.trim().parse::<u64>().ok()
            };
            sections.iter().map(of_one).sum::<Option<u64>>()
        };
        Ok(ServerCounts {
            expired: of("expired_keys"),
            evicted: of("evicted_keys"),
            hits: of("keyspace_hits"),
            misses: of("keyspace_misses"),
        })
    }

    pub async fn idle_times(&self, names: &[Vec<u8>]) -> Result<IdleTimes, Untold> {
        let mut found = IdleTimes::default();
        for names in names.chunks(500) {
            let mut pipeline = Pipeline::new();
            for name in names {
                push(&mut pipeline, "OBJECT", &[b"IDLETIME", name]);
                push(&mut pipeline, "PTTL", &[name]);
            }
            let answers = self.send(&pipeline, names.len() * 2).await;
            let answers = answers.map_err(|error| untold(&error))?;
            for pair in answers.chunks(2) {
                match pair {
                    [Value::Int(secs), Value::Int(left)] if *left >= 0 => {
                        found.keys.push((secs.saturating_mul(1_000), *left));
                    }
                    [error @ Value::ServerError(_), _] if lacks_right(error) => {
                        return Err(Untold::NoRights);
                    }
                    [Value::ServerError(error), _] => {
                        let text = error.details().unwrap_or_default();
                        return Err(match text.contains("LFU") {
                            true => Untold::CountsUse,
                            false => Untold::NoRights,
                        });
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}

async fn walk_one(line: &Line, condition: &[&[u8]]) -> Result<Option<StreamNames>, StoreError> {
    let mut found = StreamNames::default();
    let mut cursor = "0".to_owned();
    for _ in 0..STEPS_MAX {
        let mut pipeline = Pipeline::new();
        let mut arguments: Vec<&[u8]> = vec![cursor.as_bytes(), b"COUNT", NAMES_EACH];
        arguments.extend(condition);
        push(&mut pipeline, "SCAN", &arguments);
        let answer = line.send(&pipeline, 1).await?.into_iter().next();
        let Some(Value::Array(parts)) = answer else {
            return match answer {
                Some(Value::ServerError(error)) if error.code() == "NOPERM" => Ok(Some(found)),
                _ => Ok(None),
            };
        };
        let mut parts = parts.into_iter();
        cursor = parts.next().as_ref().and_then(text_of).unwrap_or_default();
        if let Some(Value::Array(names)) = parts.next() {
            for name in names {
                if let Value::BulkString(name) = name
                    && !found.names.contains(&name)
                {
                    found.names.push(name);
                }
            }
        }
        found.complete = cursor == "0" && found.names.len() <= STREAMS_MAX;
        if cursor == "0" || cursor.is_empty() || found.names.len() >= STREAMS_MAX {
            break;
        }
    }
    found.names.truncate(STREAMS_MAX);
    Ok(Some(found))
}

fn page(entries: Vec<Value>) -> StreamPage {
    let mut page = StreamPage {
        entries: Vec::with_capacity(entries.len()),
        strange: 0,
    };
    for entry in entries {
        match understood(entry) {
            Some(entry) => page.entries.push(entry),
            None => page.strange += 1,
        }
    }
    page
}

fn understood(entry: Value) -> Option<(StreamId, StreamFields)> {
    let Value::Array(parts) = entry else {
        return None;
    };
    let mut parts = parts.into_iter();
    let Some(Value::BulkString(id)) = parts.next() else {
        return None;
    };
    let (ms, seq) = std::str::from_utf8(&id).ok()?.split_once('-')?;
    let id = StreamId {
        ms: ms.parse().ok()?,
        seq: seq.parse().ok()?,
    };
    let fields = match parts.next() {
        Some(Value::Array(fields)) => pairs(fields.into_iter()),
        // As the third protocol gives them.
        Some(Value::Map(fields)) => {
            pairs(fields.into_iter().flat_map(|(name, value)| [name, value]))
        }
        // Deleted while it was read.
        _ => StreamFields::new(),
    };
    Some((id, fields))
}

fn pairs(mut parts: impl Iterator<Item = Value>) -> StreamFields {
    let mut fields = StreamFields::with_capacity(parts.size_hint().0 / 2);
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        if let (Value::BulkString(name), Value::BulkString(value)) = (name, value) {
            fields.push((name, value));
        }
    }
    fields
}
