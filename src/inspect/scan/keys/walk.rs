//! What is known while a key space is walked: keys to read, and what becomes of each.
//!
//! Invariant: a record is listed once, under its own key, or under its lock where the lock is all
//! there is of it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::super::catalogue::{AddressRef, SourceId};
use super::super::Scanner;
use super::Sources;
use super::container::Container;
use super::pending::{Candidate, Further, HEADS, Pending};
use crate::domain::raw::{KeyType, KeyValue, RawKey};
use crate::domain::{Problem, ProblemCode, Timestamp};
use crate::layouts::Source;
use crate::layouts::form::Extent;
use crate::layouts::keys::Seen;
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::redis::Role;

pub struct Walk<'s> {
    sources: &'s Sources,
    /// Fields that any source wants of a hash.
    pub fields: Arc<[Vec<u8>]>,
    pub queue: VecDeque<Pending>,
    /// Keys that hold many records, to be read by themselves.
    pub containers: Vec<Container>,
    /// Whether keys are asked for as hashes first.
    hashes: bool,
    /// Of the last strings read, how many were too short to tell.
    cut: u32,
    read: u32,
}

/// The reading of the source that a key fits best.
struct Best<'k> {
    candidate: Candidate,
    reading: Reading<'k>,
    /// Another source might read it better if more of it were there.
    is_open: bool,
}

impl Best<'_> {
    fn needs_more(&self) -> bool {
        self.reading.needs_more || self.is_open
    }
}

impl<'s> Walk<'s> {
    pub fn new(sources: &'s Sources) -> Walk<'s> {
        Walk {
            sources,
            fields: hash_fields(sources),
            queue: VecDeque::new(),
            containers: Vec::new(),
            hashes: prefers_hash(sources),
            cut: 0,
            read: 0,
        }
    }

    fn source(&self, candidate: &Candidate) -> Option<(SourceId, &'s Arc<Source>)> {
        self.sources
            .get(candidate.source)
            .map(|(id, source)| (*id, source))
    }

    /// What the key may be. One that plainly belongs beside a record is none itself.
    fn candidates(&self, name: &[u8]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut side = 0;
        for (at, (_, source)) in self.sources.iter().enumerate() {
            match source.role(name) {
                Some((Role::Side, length)) => side = side.max(length),
                Some((role, length)) => candidates.push(Candidate {
                    source: at,
                    role,
                    length,
                }),
                None => {}
            }
        }
        candidates.retain(|candidate| candidate.length > side || side == 0);
        candidates
    }

    pub fn enqueue(&mut self, scanner: &mut Scanner, name: Vec<u8>) {
        let mut candidates = self.candidates(&name);
        if candidates.is_empty() || !scanner.is_new(std::iter::once(name.as_slice())) {
            return;
        }
        self.take_containers(&name, &mut candidates);
        if candidates.is_empty() {
            return;
        }
        let kind = if self.hashes {
            KeyType::Hash
        } else {
            KeyType::String
        };
        let head = usize::from(self.read >= 100 && self.cut * 4 > self.read);
        let further = self.further(&name, &candidates);
        self.queue.push_back(Pending {
            name,
            candidates,
            further,
            kind,
            head,
            turned: false,
        });
    }

    /// Keys of sources whose keys hold many records go another way.
    fn take_containers(&mut self, name: &[u8], candidates: &mut Vec<Candidate>) {
        let sources = self.sources;
        let mut found = Vec::new();
        candidates.retain(|candidate| {
            let Some((id, source)) = sources.get(candidate.source) else {
                return false;
            };
            let Some(kind) = source
                .each()
                .filter(|_| matches!(candidate.role, Role::Record(_)))
            else {
                return true;
            };
            found.push(Container {
                id: *id,
                source: source.clone(),
                role: candidate.role,
                name: name.to_vec(),
                kind,
            });
            false
        });
        self.containers.extend(found);
    }

    fn further(&self, name: &[u8], candidates: &[Candidate]) -> Vec<Further> {
        let mut further = Vec::new();
        for candidate in candidates {
            let Some((_, source)) = self.source(candidate) else {
                continue;
            };
            let at = candidate.source;
            match candidate.role {
                Role::Lock(_) => {
                    let names = source.records_of_lock(name).into_iter();
                    further.extend(names.map(|name| Further::Record { source: at, name }));
                }
                role => {
                    let wants = source
                        .part_wants(role, name, None, Extent::List, 0)
                        .into_iter();
                    further.extend(wants.map(|want| Further::Part { source: at, want }));
                }
            }
        }
        further
    }

    /// Takes one answer: a record, nothing, or a further question.
    pub fn settle(
        &mut self,
        scanner: &mut Scanner,
        mut pending: Pending,
        raw: RawKey,
        further: Vec<RawKey>,
        now: Timestamp,
    ) {
        match &raw.value {
            KeyValue::Missing => {}
            KeyValue::Refused(why) => {
                scanner.progress.refused += 1;
                self.take_name(scanner, &raw, Problem::new(ProblemCode::Refused, why), now);
            }
            KeyValue::Opaque(_) if !pending.turned && self.both_types(&pending) => {
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
                self.take_name(scanner, &raw, problem, now);
            }
            _ => self.take_value(scanner, pending, &raw, further, now),
        }
    }

    fn take_value(
        &mut self,
        scanner: &mut Scanner,
        mut pending: Pending,
        raw: &RawKey,
        further: Vec<RawKey>,
        now: Timestamp,
    ) {
        let parts = parts_by_source(&pending, &further);
        let Some(mut best) = self.best(&pending, raw, &parts, now) else {
            return;
        };
        let is_cut =
            matches!(&raw.value, KeyValue::String { bytes, len } if (bytes.len() as u64) < *len);
        if pending.head == 0 {
            self.read = self.read.saturating_add(1);
            self.cut += u32::from(best.needs_more());
        }
        if best.needs_more() && is_cut {
            if pending.head + 1 < HEADS.len() {
                pending.head += 1;
                self.queue.push_back(pending);
                return;
            }
            let text = format!("Only the first {} bytes were read", HEADS[2]);
            best.reading
                .problems
                .push(Problem::new(ProblemCode::Cut, text));
        }
        let Some((id, source)) = self.source(&best.candidate) else {
            return;
        };
        let Candidate { role, length, .. } = best.candidate;
        if best.reading.fit <= Fit::Unread && !source.is_named_for(role, length, &raw.name) {
            return;
        }
        if matches!(best.candidate.role, Role::Lock(_))
            && !is_all_there_is(scanner, &pending, &best.candidate, &further)
        {
            return;
        }
        let address = AddressRef::Key(&raw.name);
        scanner
            .catalogue
            .push(id, &best.reading, address, raw.ttl, now);
    }

    /// The best fit; of equal fits the name that says more, then the earlier source.
    fn best<'k>(
        &self,
        pending: &Pending,
        raw: &'k RawKey,
        parts: &'k [(usize, Vec<(String, RawKey)>)],
        now: Timestamp,
    ) -> Option<Best<'k>> {
        let mut best: Option<Best<'k>> = None;
        let mut is_open = false;
        for candidate in &pending.candidates {
            let (_, source) = self.source(candidate)?;
            let own = parts.iter().find(|(at, _)| *at == candidate.source);
            let seen = Seen {
                key: raw,
                member: None,
                parts: own.map_or(&[], |(_, parts)| parts),
            };
            let reading = source.read_seen(&seen, candidate.role, Extent::List, now);
            let Some(reading) = reading else { continue };
            is_open |= reading.fit == Fit::Unread;
            let rank = (reading.fit, candidate.length);
            if best
                .as_ref()
                .is_none_or(|known| rank > (known.reading.fit, known.candidate.length))
            {
                best = Some(Best {
                    candidate: *candidate,
                    reading,
                    is_open: false,
                });
            }
        }
        if let Some(best) = &mut best {
            best.is_open = is_open && !matches!(best.reading.fit, Fit::Telling(_));
        }
        best
    }

    /// A record of which only the name is known.
    fn take_name(&self, scanner: &mut Scanner, raw: &RawKey, problem: Problem, now: Timestamp) {
        for (id, source) in self.sources {
            let is_named = source
                .role(&raw.name)
                .is_some_and(|(role, length)| source.is_named_for(role, length, &raw.name));
            if !is_named {
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

    fn both_types(&self, pending: &Pending) -> bool {
        let mut kinds: Vec<KeyType> = Vec::new();
        for candidate in &pending.candidates {
            let source = self.source(candidate);
            let redis = source.and_then(|(_, source)| source.layout.redis.as_ref());
            match candidate.role {
                Role::Lock(_) => kinds.extend([KeyType::String, KeyType::Hash]),
                _ => kinds.extend(redis.iter().flat_map(|redis| redis.types())),
            }
        }
        let other = match pending.kind {
            KeyType::Hash => KeyType::String,
            _ => KeyType::Hash,
        };
        kinds.contains(&other)
    }
}

/// The parts that were read, by the source that asked for them.
fn parts_by_source(pending: &Pending, further: &[RawKey]) -> Vec<(usize, Vec<(String, RawKey)>)> {
    let mut parts: Vec<(usize, Vec<(String, RawKey)>)> = Vec::new();
    for (want, raw) in pending.further.iter().zip(further) {
        let Further::Part { source, want } = want else {
            continue;
        };
        let part = (want.part.clone(), raw.clone());
        match parts.iter_mut().find(|(known, _)| known == source) {
            Some((_, list)) => list.push(part),
            None => parts.push((*source, vec![part])),
        }
    }
    parts
}

/// Whether no record stands beside the lock. The record's name then counts as seen, so that one
/// which is written a moment later does not show twice.
fn is_all_there_is(
    scanner: &mut Scanner,
    pending: &Pending,
    candidate: &Candidate,
    further: &[RawKey],
) -> bool {
    let mut alone = true;
    for (want, raw) in pending.further.iter().zip(further) {
        let Further::Record { source, name } = want else {
            continue;
        };
        if *source == candidate.source {
            let is_gone = matches!(raw.value, KeyValue::Missing);
            alone &= is_gone && scanner.is_new(std::iter::once(name.as_slice()));
        }
    }
    alone
}

fn hash_fields(sources: &Sources) -> Arc<[Vec<u8>]> {
    let own = sources.iter().map(|(_, source)| source.hash_fields());
    let mut fields: Vec<Vec<u8>> = own.flatten().collect();
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
