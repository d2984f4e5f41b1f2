//! Reads a key space: names by SCAN, values in small units, longer beginnings only where the
//! status depends on them.
//!
//! The size of the unit decides how much other clients feel, not pauses between units: gentle is
//! about 30 keys in flight, full is 1000. The next page of names travels with the values of the
//! last one.

mod container;
mod pending;
mod walk;

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::catalogue::SourceId;
use super::Scanner;
use crate::domain::raw::{KeyRead, RawKey};
use crate::layouts::{Place, Source};
use crate::stores::{KeyStep, Pace, ScanStep, StoreError};
use pending::Pending;
use walk::Walk;

const GENTLE_UNIT: usize = 30;
const FULL_UNIT: usize = 1000;

type Sources = [(SourceId, Arc<Source>)];

pub async fn scan(scanner: &mut Scanner, sources: &Sources) -> Result<(), StoreError> {
    let mut walk = Walk::new(sources);
    let glob = common_glob(sources);
    let unit = match scanner.pace {
        Pace::Gentle => GENTLE_UNIT,
        Pace::Full => FULL_UNIT,
    };
    let mut cursor = Some(0);
    while (cursor.is_some() || !walk.queue.is_empty()) && !scanner.cancel.is_cancelled() {
        // Names are looked for only as fast as their values can be read.
        let scan = cursor
            .filter(|_| walk.queue.len() < unit)
            .map(|cursor| ScanStep {
                cursor,
                glob: glob.clone(),
                count: unit,
            });
        let fetch = take(&mut walk.queue, unit);
        let scanned = scan.is_some();
        let (cursor_told, names) = exchange(scanner, &mut walk, scan, fetch).await?;
        if scanned {
            cursor = Some(cursor_told).filter(|next| *next != 0);
            scanner.progress.share = Some(match cursor {
                // SCAN counts with the bits reversed.
                Some(cursor) => (cursor.reverse_bits() as f64 / u64::MAX as f64) as f32,
                None => 1.0,
            });
            scanner.progress.looked_at += names.len() as u64;
            for name in names {
                walk.enqueue(scanner, name);
            }
        }
        while let Some(container) = walk.containers.pop() {
            container::scan(scanner, &container).await?;
        }
        scanner.show();
    }
    Ok(())
}

/// One round trip: values of keys, and the next page of names where one is asked for.
async fn exchange(
    scanner: &mut Scanner,
    walk: &mut Walk<'_>,
    scan: Option<ScanStep>,
    fetch: Vec<Pending>,
) -> Result<(u64, Vec<Vec<u8>>), StoreError> {
    let wants: Vec<(Vec<u8>, KeyRead)> = fetch
        .iter()
        .flat_map(|pending| pending.wants(&walk.fields))
        .collect();
    let step = KeyStep {
        scan,
        fetch: &wants,
    };
    let result = scanner.session.store.key_step(step).await?;
    let now = scanner.session.now();
    let mut values = result.values.into_iter();
    for pending in fetch {
        let Some(raw) = values.next() else { break };
        let further: Vec<RawKey> = values.by_ref().take(pending.further.len()).collect();
        walk.settle(scanner, pending, raw, further, now);
    }
    Ok((result.cursor.unwrap_or(0), result.names))
}

fn take(queue: &mut VecDeque<Pending>, count: usize) -> Vec<Pending> {
    queue.drain(..count.min(queue.len())).collect()
}

/// What all keys of all sources have in common, as a glob for the server.
fn common_glob(sources: &Sources) -> Option<Vec<u8>> {
    let mut globs: Vec<Vec<u8>> = Vec::new();
    for (_, source) in sources {
        let (Place::Keys(place), Some(redis)) = (&source.place, &source.layout.redis) else {
            continue;
        };
        let keys = place.templates.iter().filter_map(|at| redis.keys.get(*at));
        globs.extend(
            keys.chain(&redis.locks)
                .map(|template| template.glob(|_| None)),
        );
    }
    let first = globs.first()?;
    if globs.iter().all(|glob| glob == first) {
        return Some(first.clone()).filter(|glob| glob != b"*");
    }
    let prefix = globs.iter().fold(first.clone(), |prefix, glob| {
        let same = prefix
            .iter()
            .zip(glob)
            .take_while(|(a, b)| a == b && **a != b'*');
        same.map(|(a, _)| *a).collect()
    });
    let mut glob = Some(prefix).filter(|p| !p.is_empty() && p.last() != Some(&b'\\'))?;
    glob.push(b'*');
    Some(glob)
}
