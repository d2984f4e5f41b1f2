//! A client's key or a digest in a key space: names that can be built are read at once, others are
//! looked for with the server's own matching.
//!
//! Invariant: what is found is opened and compared; a name that only looks alike is not shown.

use std::sync::Arc;

use super::super::super::session::Session;
use super::super::{Whole, open};
use super::FOUND_MAX;
use crate::domain::address::unescape_bytes;
use crate::domain::raw::RawAddress;
use crate::layouts::redis::RedisLayout;
use crate::layouts::template::{PREFIX, Template};
use crate::layouts::{Place, Source};
use crate::stores::{KeyStep, ScanStep, StoreError};

const SCAN_COUNT: usize = 500;
/// Names that are opened to be compared.
const OPENED_MAX: usize = 1000;

/// What `text` is, read as an address: a key, or `KEY[MEMBER]`.
pub fn addresses(source: &Source, text: &str) -> Vec<RawAddress> {
    let mut addresses = Vec::new();
    if let Some(name) = unescape_bytes(text)
        && source.role(&name).is_some()
    {
        addresses.push(RawAddress::Key(name));
    }
    if source.each().is_none() {
        return addresses;
    }
    let Some(inner) = text.strip_suffix(']') else {
        return addresses;
    };
    for (at, _) in inner.match_indices('[') {
        let (key, member) = inner.split_at(at);
        let key = unescape_bytes(key);
        let member = member.get(1..).and_then(unescape_bytes);
        if let (Some(key), Some(member)) = (key, member)
            && source.role(&key).is_some()
        {
            addresses.push(RawAddress::Member { key, member });
        }
    }
    addresses
}

/// All records whose key or digest is `text`.
pub async fn find(
    session: &Session,
    sources: &[Arc<Source>],
    text: &str,
) -> Result<Vec<Whole>, StoreError> {
    let mut found = Vec::new();
    for source in sources {
        for address in built(source, text) {
            take(session, sources, &address, text, &mut found).await?;
        }
    }
    if !found.is_empty() && sources.iter().all(|source| is_all_built(source)) {
        return Ok(found);
    }
    let mut globs: Vec<Vec<u8>> = sources
        .iter()
        .flat_map(|source| globs(source, text))
        .collect();
    globs.sort_unstable();
    globs.dedup();
    let mut opened = 0;
    for glob in globs {
        let mut cursor = 0;
        loop {
            let scan = ScanStep {
                cursor,
                glob: Some(glob.clone()),
                count: SCAN_COUNT,
            };
            let step = KeyStep {
                scan: Some(scan),
                fetch: &[],
            };
            let page = session.store.key_step(step).await?;
            for name in page.names {
                let may = sources.iter().any(|source| source.role(&name).is_some());
                if may && opened < OPENED_MAX && found.len() < FOUND_MAX {
                    opened += 1;
                    let address = RawAddress::Key(name);
                    take(session, sources, &address, text, &mut found).await?;
                }
            }
            cursor = page.cursor.unwrap_or(0);
            if cursor == 0 || opened >= OPENED_MAX || found.len() >= FOUND_MAX {
                break;
            }
        }
    }
    Ok(found)
}

async fn take(
    session: &Session,
    sources: &[Arc<Source>],
    address: &RawAddress,
    text: &str,
    found: &mut Vec<Whole>,
) -> Result<(), StoreError> {
    if let Some(whole) = open(session, sources, address).await?
        && is_meant(&whole, text)
        && !found
            .iter()
            .any(|known| known.record.address == whole.record.address)
    {
        found.push(whole);
    }
    Ok(())
}

/// Whether the record's key or digest is exactly `text`, or is made of it.
fn is_meant(whole: &Whole, text: &str) -> bool {
    let record = &whole.record;
    let search = whole
        .source
        .layout
        .redis
        .as_ref()
        .map(|redis| &redis.search);
    let made = search
        .filter(|search| search.makes.is_some())
        .map(|search| search.made_of(text));
    let of = [
        &record.idempotency_key,
        &record.key_digest,
        &record.payload_hash,
    ];
    of.into_iter().flatten().any(|value| {
        value == text
            || made
                .as_ref()
                .is_some_and(|made| value.as_bytes() == made.as_slice())
    })
}

/// Whether every name of the source can be built of a key and the prefixes that were seen.
fn is_all_built(source: &Source) -> bool {
    let (Place::Keys(place), Some(redis)) = (&source.place, &source.layout.redis) else {
        return true;
    };
    place
        .templates
        .iter()
        .filter_map(|at| redis.keys.get(*at))
        .all(|template| {
            let known = |name: &String| name == PREFIX || is_key(redis, name);
            template.names().iter().all(known)
        })
}

fn is_key(redis: &RedisLayout, capture: &str) -> bool {
    matches!(capture, "key" | "digest" | "hash") || redis.search.makes.as_deref() == Some(capture)
}

/// What a capture would hold for a key as it was sent, and for a digest that was pasted.
fn values(redis: &RedisLayout, text: &str) -> [Vec<u8>; 2] {
    let pasted = text.as_bytes().to_vec();
    match redis.search.makes {
        Some(_) => [redis.search.made_of(text), pasted],
        None => [pasted.clone(), pasted],
    }
}

/// Addresses that follow from the text and the prefixes that were seen.
fn built(source: &Source, text: &str) -> Vec<RawAddress> {
    let (Place::Keys(place), Some(redis)) = (&source.place, &source.layout.redis) else {
        return Vec::new();
    };
    let none = [String::new()];
    let prefixes = if place.prefixes.is_empty() {
        none.as_slice()
    } else {
        place.prefixes.as_slice()
    };
    let mut addresses = Vec::new();
    for template in templates(place.templates.as_slice(), redis) {
        for prefix in prefixes {
            for value in values(redis, text) {
                let name = template.build(|capture| match capture {
                    PREFIX => Some(prefix.clone().into_bytes()),
                    capture => is_key(redis, capture).then(|| value.clone()),
                });
                let Some(key) = name else { continue };
                if redis.each.is_none() {
                    addresses.push(RawAddress::Key(key));
                    continue;
                }
                let quoted = serde_json::Value::from(text).to_string().into_bytes();
                for member in [text.as_bytes().to_vec(), quoted] {
                    let key = key.clone();
                    addresses.push(RawAddress::Member { key, member });
                }
            }
        }
    }
    addresses
}

fn templates<'r>(
    places: &'r [usize],
    redis: &'r RedisLayout,
) -> impl Iterator<Item = &'r Template> {
    let keys = places.iter().filter_map(|at| redis.keys.get(*at));
    keys.chain(&redis.locks)
}

/// What the server is asked to look for where names cannot be built.
fn globs(source: &Source, text: &str) -> Vec<Vec<u8>> {
    let (Place::Keys(place), Some(redis)) = (&source.place, &source.layout.redis) else {
        return Vec::new();
    };
    if redis.each.is_some() {
        return Vec::new();
    }
    let mut globs = Vec::new();
    for template in templates(place.templates.as_slice(), redis) {
        for value in values(redis, text) {
            let has_key = template.names().iter().any(|name| is_key(redis, name));
            let glob = template.glob(|capture| is_key(redis, capture).then(|| value.clone()));
            globs.push(if has_key { glob } else { around(&value) });
        }
    }
    globs
}

/// Names that hold the text anywhere.
fn around(text: &[u8]) -> Vec<u8> {
    let mut glob = vec![b'*'];
    for byte in text {
        if matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\') {
            glob.push(b'\\');
        }
        glob.push(*byte);
    }
    glob.push(b'*');
    glob
}
