//! Reads a key space: names by SCAN, values in small units, longer beginnings only where the
//! status depends on them.
//!
//! The size of the unit decides how much other clients feel, not pauses between units: gentle is
//! about 30 keys in flight, full is 1000. The next page of names travels with the values of the
//! last one.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::catalogue::{AddressRef, SourceId};
use super::Scanner;
use crate::domain::raw::{KeyRead, KeyType, KeyValue, RawKey};
use crate::domain::{Problem, ProblemCode, Timestamp};
use crate::layouts::form::{Extent, Input};
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::{Place, Source};
use crate::stores::{KeyStep, Pace, ScanStep, StoreError};

const GENTLE_UNIT: usize = 30;
const FULL_UNIT: usize = 1000;
/// Bytes read of a string at first, then, and at last.
const HEADS: [usize; 3] = [512, 64 << 10, 1 << 20];
/// A template with fewer fixed bytes than this does not make a key a record by its name alone.
const TELLING_LITERAL: usize = 4;

type Sources = [(SourceId, Arc<Source>)];

/// A key that is to be read.
struct Pending {
    name: Vec<u8>,
    kind: KeyType,
    /// How often it was asked for already, by a longer beginning each time.
    head: usize,
    /// The other type was tried before.
    turned: bool,
}

pub async fn scan(scanner: &mut Scanner, sources: &Sources) -> Result<(), StoreError> {
    let mut walk = Walk {
        sources,
        fields: hash_fields(sources),
        glob: common_glob(sources),
        queue: VecDeque::new(),
        hashes: prefers_hash(sources),
        cut: 0,
        read: 0,
    };
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
                glob: walk.glob.clone(),
                count: unit,
            });
        let fetch = walk.take(unit);
        let scanned = scan.is_some();
        let wants: Vec<(Vec<u8>, KeyRead)> = fetch
            .iter()
            .map(|pending| (pending.name.clone(), walk.read_of(pending)))
            .collect();
        let result = scanner
            .session
            .store
            .key_step(KeyStep {
                scan,
                fetch: &wants,
            })
            .await?;
        let now = scanner.session.now();
        for (pending, raw) in fetch.into_iter().zip(&result.values) {
            walk.settle(scanner, pending, raw, now);
        }
        if scanned {
            let next = result.cursor.unwrap_or(0);
            cursor = Some(next).filter(|next| *next != 0);
            scanner.progress.share = Some(match cursor {
                // SCAN counts with the bits reversed.
                Some(cursor) => (cursor.reverse_bits() as f64 / u64::MAX as f64) as f32,
                None => 1.0,
            });
            scanner.progress.looked_at += result.names.len() as u64;
            for name in result.names {
                walk.enqueue(scanner, name);
            }
        }
        scanner.show();
    }
    Ok(())
}

struct Walk<'s> {
    sources: &'s Sources,
    /// Fields that any source wants of a hash.
    fields: Arc<[Vec<u8>]>,
    glob: Option<Vec<u8>>,
    queue: VecDeque<Pending>,
    /// Whether keys are asked for as hashes first.
    hashes: bool,
    /// Of the last strings read, how many were too short to tell.
    cut: u32,
    read: u32,
}

impl Walk<'_> {
    fn enqueue(&mut self, scanner: &mut Scanner, name: Vec<u8>) {
        let fits = self
            .sources
            .iter()
            .any(|(_, source)| source.template_of(&name).is_some());
        if fits && scanner.is_new(std::iter::once(name.as_slice())) {
            let kind = if self.hashes {
                KeyType::Hash
            } else {
                KeyType::String
            };
            let head = usize::from(self.read >= 100 && self.cut * 4 > self.read);
            self.queue.push_back(Pending {
                name,
                kind,
                head,
                turned: false,
            });
        }
    }

    fn take(&mut self, count: usize) -> Vec<Pending> {
        self.queue.drain(..count.min(self.queue.len())).collect()
    }

    fn read_of(&self, pending: &Pending) -> KeyRead {
        match pending.kind {
            KeyType::Hash => KeyRead::Fields(self.fields.clone()),
            _ => {
                let bytes = HEADS.get(pending.head).copied().unwrap_or(HEADS[2]);
                KeyRead::Head { bytes }
            }
        }
    }

    /// Takes one answer: a record, nothing, or a further question.
    fn settle(
        &mut self,
        scanner: &mut Scanner,
        mut pending: Pending,
        raw: &RawKey,
        now: Timestamp,
    ) {
        match &raw.value {
            KeyValue::Missing => {}
            KeyValue::Refused(why) => {
                scanner.progress.refused += 1;
                self.take_name(scanner, raw, Problem::new(ProblemCode::Refused, why), now);
            }
            KeyValue::Opaque(_) if !pending.turned && self.both_types(&raw.name) => {
                pending.kind = match pending.kind {
                    KeyType::Hash => KeyType::String,
                    _ => KeyType::Hash,
                };
                self.hashes = pending.kind == KeyType::Hash;
                pending.turned = true;
                self.queue.push_back(pending);
            }
            KeyValue::Opaque(_) => {
                let text = "The value is of a type that this layout does not use";
                let problem = Problem::new(ProblemCode::NotUnderstood, text);
                self.take_name(scanner, raw, problem, now);
            }
            _ => self.take_value(scanner, pending, raw, now),
        }
    }

    fn take_value(
        &mut self,
        scanner: &mut Scanner,
        mut pending: Pending,
        raw: &RawKey,
        now: Timestamp,
    ) {
        let Some((id, mut reading)) = best(self.sources, raw, now) else {
            return;
        };
        let is_cut =
            matches!(&raw.value, KeyValue::String { bytes, len } if (bytes.len() as u64) < *len);
        if pending.head == 0 {
            self.read = self.read.saturating_add(1);
            self.cut += u32::from(reading.needs_more);
        }
        if reading.needs_more && is_cut {
            if pending.head + 1 < HEADS.len() {
                pending.head += 1;
                self.queue.push_back(pending);
                return;
            }
            let text = format!("Only the first {} bytes were read", HEADS[2]);
            reading.problems.push(Problem::new(ProblemCode::Cut, text));
        }
        if reading.fit == Fit::Not && !named_for_it(self.sources, id, &raw.name) {
            return;
        }
        scanner
            .catalogue
            .push(id, &reading, AddressRef::Key(&raw.name), raw.ttl, now);
    }

    /// A record of which only the name is known.
    fn take_name(&self, scanner: &mut Scanner, raw: &RawKey, problem: Problem, now: Timestamp) {
        for (id, source) in self.sources {
            if !named_for_it(self.sources, *id, &raw.name) {
                continue;
            }
            if let Some(reading) = source.read_name(raw, problem.clone(), now) {
                scanner
                    .catalogue
                    .push(*id, &reading, AddressRef::Key(&raw.name), raw.ttl, now);
                return;
            }
        }
    }

    fn both_types(&self, name: &[u8]) -> bool {
        let of_name = self
            .sources
            .iter()
            .filter(|(_, source)| source.template_of(name).is_some());
        let mut kinds: Vec<KeyType> = of_name
            .flat_map(|(_, source)| source.layout.redis.iter().flat_map(|redis| redis.types()))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len() > 1
    }
}

/// The reading of the source that the key fits best; the earlier source where several fit alike.
fn best<'k>(sources: &Sources, raw: &'k RawKey, now: Timestamp) -> Option<(SourceId, Reading<'k>)> {
    let mut best: Option<(SourceId, Reading<'k>)> = None;
    for (id, source) in sources {
        if let Some(reading) = source.read_key(raw, Extent::List, now)
            && best
                .as_ref()
                .is_none_or(|(_, known)| reading.fit > known.fit)
        {
            best = Some((*id, reading));
        }
    }
    best
}

/// Whether the name alone says that a key belongs to the source.
fn named_for_it(sources: &Sources, id: SourceId, name: &[u8]) -> bool {
    sources
        .iter()
        .filter(|(known, _)| *known == id)
        .any(|(_, source)| {
            let template = source.template_of(name);
            let template =
                template.and_then(|at| source.layout.redis.as_ref().and_then(|r| r.keys.get(at)));
            template.is_some_and(|template| template.literal_len() >= TELLING_LITERAL)
        })
}

fn hash_fields(sources: &Sources) -> Arc<[Vec<u8>]> {
    let mut fields: Vec<Vec<u8>> = sources
        .iter()
        .filter_map(|(_, source)| source.key_form(KeyType::Hash, Extent::List))
        .flat_map(|form| &form.inputs)
        .filter_map(|input| match input {
            Input::HashField(name) => Some(name.clone().into_bytes()),
            _ => None,
        })
        .collect();
    fields.sort_unstable();
    fields.dedup();
    fields.into()
}

/// All sources read hashes and none reads strings.
fn prefers_hash(sources: &Sources) -> bool {
    sources
        .iter()
        .all(|(_, source)| source.key_form(KeyType::String, Extent::List).is_none())
}

/// What all keys of all sources begin with, as a glob for the server.
fn common_glob(sources: &Sources) -> Option<Vec<u8>> {
    let mut prefix: Option<Vec<u8>> = None;
    for (_, source) in sources {
        let (Place::Keys { templates }, Some(redis)) = (&source.place, &source.layout.redis) else {
            continue;
        };
        for template in templates.iter().filter_map(|at| redis.keys.get(*at)) {
            let glob = template.glob(|_| None);
            let literal = glob.split(|byte| *byte == b'*').next().unwrap_or_default();
            prefix = Some(match prefix {
                None => literal.to_vec(),
                Some(known) => known
                    .iter()
                    .zip(literal)
                    .take_while(|(a, b)| a == b)
                    .map(|(a, _)| *a)
                    .collect(),
            });
        }
    }
    let mut glob = prefix.filter(|prefix| !prefix.is_empty() && prefix.last() != Some(&b'\\'))?;
    glob.push(b'*');
    Some(glob)
}
