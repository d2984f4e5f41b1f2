//! One record of a key space, whole: its own key, its further keys, its lock.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::session::Session;
use super::{Part, VALUE_BYTES_MAX, Whole, assemble, text};
use crate::domain::address::escape_bytes;
use crate::domain::raw::{KeyRead, KeyType, KeyValue, RawAddress, RawKey};
use crate::domain::{Problem, ProblemCode};
use crate::layouts::Source;
use crate::layouts::form::Extent;
use crate::layouts::keys::{Member, PartWant, Seen};
use crate::layouts::redis::Role;
use crate::stores::{KeyStep, StoreError};

const WHOLE: KeyRead = KeyRead::Whole {
    bytes_max: VALUE_BYTES_MAX,
};

/// A source that may read a key, with what was read along for it.
struct Candidate<'s> {
    source: &'s Arc<Source>,
    role: Role,
    length: usize,
    wants: Vec<PartWant>,
    parts: Vec<(String, RawKey)>,
    /// The lock of a record, or the records of a lock.
    counterparts: Vec<Vec<u8>>,
    others: Vec<RawKey>,
}

/// Reads the record under a key; for a lock whose record is there, that record.
pub async fn open(
    session: &Session,
    sources: &[Arc<Source>],
    name: &[u8],
) -> Result<Option<Whole>, StoreError> {
    let mut name = name.to_vec();
    // A lock leads to its record once.
    for _ in 0..2 {
        match open_once(session, sources, &name).await? {
            Opened::Whole(whole) => return Ok(Some(*whole)),
            Opened::Nothing => return Ok(None),
            Opened::LockOf(record) => name = record,
        }
    }
    Ok(None)
}

enum Opened {
    Whole(Box<Whole>),
    LockOf(Vec<u8>),
    Nothing,
}

async fn open_once(
    session: &Session,
    sources: &[Arc<Source>],
    name: &[u8],
) -> Result<Opened, StoreError> {
    let mut candidates: Vec<Candidate<'_>> = sources
        .iter()
        .filter_map(|source| candidate(source, name))
        .collect();
    let mut fetch = vec![(name.to_vec(), WHOLE)];
    for candidate in &candidates {
        let wants = candidate.wants.iter();
        fetch.extend(wants.map(|want| (want.name.clone(), want.read.clone())));
        fetch.extend(
            candidate
                .counterparts
                .iter()
                .map(|name| (name.clone(), WHOLE)),
        );
    }
    let mut values = read(session, &fetch).await?.into_iter();
    let Some(raw) = values.next() else {
        return Ok(Opened::Nothing);
    };
    for candidate in &mut candidates {
        let names: Vec<String> = candidate
            .wants
            .iter()
            .map(|want| want.part.clone())
            .collect();
        candidate.parts = names.into_iter().zip(values.by_ref()).collect();
        let count = candidate.counterparts.len();
        candidate.others = values.by_ref().take(count).collect();
    }
    Ok(best(session, &candidates, &raw))
}

fn candidate<'s>(source: &'s Arc<Source>, name: &[u8]) -> Option<Candidate<'s>> {
    let (role, length) = source.role(name)?;
    let counterparts = match role {
        Role::Side => return None,
        Role::Lock(_) => source.records_of_lock(name),
        // A member of it is a record, the whole is none.
        Role::Record(_) if source.each().is_some() => return None,
        Role::Record(_) => source.locks_of_record(name),
    };
    Some(Candidate {
        source,
        role,
        length,
        wants: source.part_wants(role, name, None, Extent::Whole, VALUE_BYTES_MAX),
        parts: Vec::new(),
        counterparts,
        others: Vec::new(),
    })
}

async fn read(session: &Session, fetch: &[(Vec<u8>, KeyRead)]) -> Result<Vec<RawKey>, StoreError> {
    let step = KeyStep { scan: None, fetch };
    Ok(session.store.key_step(step).await?.values)
}

fn best(session: &Session, candidates: &[Candidate<'_>], raw: &RawKey) -> Opened {
    if matches!(raw.value, KeyValue::Missing) {
        return Opened::Nothing;
    }
    let now = session.now();
    let mut best = None;
    for candidate in candidates {
        let seen = Seen {
            key: raw,
            member: None,
            parts: &candidate.parts,
        };
        let reading = candidate
            .source
            .read_seen(&seen, candidate.role, Extent::Whole, now);
        let Some(reading) = reading else { continue };
        let rank = (reading.fit, candidate.length);
        if best.as_ref().is_none_or(|(known, _, _)| rank > *known) {
            best = Some((rank, candidate, reading));
        }
    }
    let Some((_, candidate, mut reading)) = best else {
        return Opened::Nothing;
    };
    if let KeyValue::String { bytes, len } = &raw.value
        && (bytes.len() as u64) < *len
    {
        let text = format!("Only the first {} of {len} bytes were read", bytes.len());
        let cut = Problem::new(ProblemCode::Cut, text);
        reading.problems.push(cut);
    }
    let present = |other: &&RawKey| !matches!(other.value, KeyValue::Missing);
    if let (Role::Lock(_), Some(record)) = (candidate.role, candidate.others.iter().find(present)) {
        return Opened::LockOf(record.name.clone());
    }
    let address = RawAddress::Key(raw.name.clone());
    let mut whole = assemble(reading, candidate.source, address, raw.ttl, now);
    let parts = candidate.parts.iter().map(|(_, raw)| raw);
    let further: Vec<&RawKey> = parts.chain(&candidate.others).filter(present).collect();
    whole.raw = raw_of(raw, text::raw_value(&raw.value), &further);
    whole.parts = std::iter::once(raw).chain(further).map(part).collect();
    Opened::Whole(Box::new(whole))
}

/// Reads a member of a key that holds many records.
pub async fn open_member(
    session: &Session,
    sources: &[Arc<Source>],
    key: &[u8],
    member: &[u8],
) -> Result<Option<Whole>, StoreError> {
    for source in sources {
        let (Some(kind), Some((role @ Role::Record(_), _))) = (source.each(), source.role(key))
        else {
            continue;
        };
        let own: Arc<[Vec<u8>]> = Arc::from(vec![member.to_vec()]);
        let how = match kind {
            KeyType::Hash => KeyRead::Fields(own),
            KeyType::SortedSet => KeyRead::Scores(own),
            _ => KeyRead::Members(own),
        };
        let wants = source.part_wants(role, key, Some(member), Extent::Whole, VALUE_BYTES_MAX);
        let mut fetch = vec![(key.to_vec(), how)];
        fetch.extend(
            wants
                .iter()
                .map(|want| (want.name.clone(), want.read.clone())),
        );
        let mut values = read(session, &fetch).await?.into_iter();
        let Some(raw) = values.next() else {
            return Ok(None);
        };
        let names = wants.into_iter().map(|want| want.part);
        let parts: Vec<(String, RawKey)> = names.zip(values).collect();
        let Some(found) = member_of(&raw, member) else {
            continue;
        };
        let now = session.now();
        let seen = Seen {
            key: &raw,
            member: Some(found),
            parts: &parts,
        };
        let Some(reading) = source.read_seen(&seen, role, Extent::Whole, now) else {
            continue;
        };
        let address = RawAddress::Member {
            key: key.to_vec(),
            member: member.to_vec(),
        };
        let mut whole = assemble(reading, source, address, raw.ttl, now);
        let parts = parts.iter().map(|(_, raw)| raw);
        let further: Vec<&RawKey> = parts
            .filter(|part| !matches!(part.value, KeyValue::Missing))
            .collect();
        whole.raw = raw_of(&raw, text::raw_value(&raw.value), &further);
        whole.parts = std::iter::once(&raw).chain(further).map(part).collect();
        return Ok(Some(whole));
    }
    Ok(None)
}

fn member_of<'k>(raw: &'k RawKey, wanted: &[u8]) -> Option<Member<'k>> {
    match &raw.value {
        KeyValue::Set { members, .. } => {
            members
                .iter()
                .find(|member| *member == wanted)
                .map(|name| Member {
                    name,
                    ..Member::default()
                })
        }
        KeyValue::Hash { fields, .. } => {
            fields
                .iter()
                .find(|(field, _)| field == wanted)
                .map(|(name, value)| Member {
                    name,
                    value: Some(value),
                    score: None,
                })
        }
        KeyValue::SortedSet { members, .. } => members
            .iter()
            .find(|(member, _)| member == wanted)
            .map(|(name, score)| Member {
                name,
                value: None,
                score: Some(*score),
            }),
        _ => None,
    }
}

/// What is stored: the value, or by address where several keys make the record.
fn raw_of(raw: &RawKey, value: Value, further: &[&RawKey]) -> Value {
    if further.is_empty() {
        return value;
    }
    let mut object = Map::new();
    object.insert(escape_bytes(&raw.name), value);
    for part in further {
        object.insert(escape_bytes(&part.name), text::raw_value(&part.value));
    }
    Value::Object(object)
}

fn part(raw: &RawKey) -> Part {
    Part {
        address: escape_bytes(&raw.name),
        kind: raw
            .value
            .key_type()
            .map_or("unknown", |kind| kind.name())
            .to_owned(),
        ttl: raw.ttl,
        bytes: text::stored_bytes(&raw.value),
    }
}
