//! Reads a key space: names by SCAN, values in small units, longer beginnings only where the
//! status depends on them.
//!
//! The size of the unit decides how much other clients feel, not pauses between units: gentle is
//! under 30 keys in flight, full is 1000. The next page of names travels with the values of the
//! last one.

mod container;
mod pending;
mod walk;

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::catalogue::SourceId;
use super::Scanner;
use tokio::task::JoinHandle;

use crate::domain::Timestamp;
use crate::domain::raw::{KeyRead, RawKey};
use crate::layouts::{Place, Source};
use crate::stores::{KeyStep, KeyStepResult, Pace, ScanStep, StoreError, StoreErrorKind};
use pending::Pending;
use walk::Walk;

const GENTLE_UNIT: usize = 26;
const FULL_UNIT: usize = 1000;

type Sources = [(SourceId, Arc<Source>)];

pub async fn scan(scanner: &mut Scanner, sources: &Sources) -> Result<(), StoreError> {
    let mut walk = Walk::new(sources);
    let glob = common_glob(sources);
    let unit = match scanner.pace {
        // Of all servers together.
        Pace::Gentle => GENTLE_UNIT,
        Pace::Full => FULL_UNIT * scanner.session.store.width(),
    };
    let mut next = Next {
        cursor: Some(0),
        glob,
        unit,
    };
    let mut under_way = None;
    while !scanner.cancel.is_cancelled() {
        let asked = match under_way.take() {
            Some(asked) => asked,
            None => match next.ask(scanner, &mut walk) {
                Some(asked) => asked,
                None => break,
            },
        };
        let (answer, now) = asked.answer.await.map_err(|_| ended())??;
        if asked.scanned {
            next.cursor = answer.cursor.filter(|cursor| *cursor != 0);
            scanner.progress.share = answer.share;
            scanner.progress.looked_at += answer.names.len() as u64;
            for name in answer.names {
                walk.enqueue(scanner, name);
            }
        }
        // The next question travels while these answers are read; gently, one waits for the other.
        if scanner.pace == Pace::Full {
            under_way = next.ask(scanner, &mut walk);
        }
        let mut values = answer.values.into_iter();
        for pending in asked.fetch {
            let Some(raw) = values.next() else { break };
            let further: Vec<RawKey> = values.by_ref().take(pending.further.len()).collect();
            walk.settle(scanner, pending, raw, further, now);
        }
        while let Some(container) = walk.containers.pop() {
            container::scan(scanner, &container).await?;
        }
        scanner.show();
    }
    Ok(())
}

fn ended() -> StoreError {
    let text = "the store's answer could not be waited for";
    StoreError::new(StoreErrorKind::Lost, text)
}

/// What is asked next.
struct Next {
    /// `None` when all names were told.
    cursor: Option<u64>,
    glob: Option<Vec<u8>>,
    unit: usize,
}

/// A question under way, and for which keys.
struct Asked {
    scanned: bool,
    fetch: Vec<Pending>,
    answer: JoinHandle<Result<(KeyStepResult, Timestamp), StoreError>>,
}

impl Next {
    /// One round trip: values of keys, and the next page of names where one is asked for; `None` where
    /// nothing is left to ask.
    fn ask(&self, scanner: &Scanner, walk: &mut Walk<'_>) -> Option<Asked> {
        if self.cursor.is_none() && walk.queue.is_empty() {
            return None;
        }
        // Names are looked for only as fast as their values can be read.
        let scan = self
            .cursor
            .filter(|_| walk.queue.len() < self.unit)
            .map(|cursor| ScanStep {
                cursor,
                glob: self.glob.clone(),
                count: self.unit,
            });
        let fetch = take(&mut walk.queue, self.unit);
        let wants: Vec<(Vec<u8>, KeyRead)> = fetch
            .iter()
            .flat_map(|pending| pending.wants(&walk.fields))
            .collect();
        let (session, scanned) = (scanner.session.clone(), scan.is_some());
        let answer = tokio::spawn(async move {
            let step = KeyStep {
                scan,
                fetch: &wants,
            };
            let answer = session.store.key_step(step).await?;
            // Ages are by the time at which the values were read.
            Ok((answer, session.now()))
        });
        Some(Asked {
            scanned,
            fetch,
            answer,
        })
    }
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
    let is_open = first.starts_with(b"*");
    if globs.iter().any(|glob| glob.starts_with(b"*") != is_open) {
        return None;
    }
    // Behind the open front, where all have one.
    let text = |glob: &[u8]| {
        glob.get(usize::from(is_open)..)
            .unwrap_or_default()
            .to_vec()
    };
    let common = globs.iter().fold(text(first), |common, glob| {
        let (a, b) = (common.iter(), text(glob));
        let same = a.zip(&b).take_while(|(a, b)| a == b && **a != b'*');
        same.map(|(a, _)| *a).collect()
    });
    let mut glob = Some(common).filter(|text| !text.is_empty() && text.last() != Some(&b'\\'))?;
    if is_open {
        glob.insert(0, b'*');
    }
    glob.push(b'*');
    Some(glob)
}

#[cfg(test)]
mod tests {
    use super::super::super::catalogue::{Bound, Catalogue};
    use super::*;
    use crate::layouts::Layouts;

    #[track_caller]
    fn check(layouts: &[&str], expected: Option<&str>) {
        let mut catalogue = Catalogue::new(Bound::USUAL);
        let source = |id: &&str| {
            let layout = Layouts::built_in().get(id).expect("a layout").clone();
            let place = Place::every_key(&layout);
            let source = Source::new(layout, place);
            (catalogue.add_source(source.clone()), Arc::new(source))
        };
        let sources: Vec<(SourceId, Arc<Source>)> = layouts.iter().map(source).collect();
        let glob = common_glob(&sources).map(|glob| String::from_utf8_lossy(&glob).into_owned());
        assert_eq!(glob.as_deref(), expected);
    }

    #[test]
    fn the_server_is_asked_for_what_all_names_have() {
        check(&["idemgate"], Some("*idemgate:v1:*"));
        check(&["plain-article"], Some("*idempotency:*"));
        check(
            &["plain-article", "drf-idempotency"],
            Some("*idempotency:*"),
        );
        check(&["express-idempotency"], None);
        check(&["plain-article", "express-idempotency"], None);
    }
}
