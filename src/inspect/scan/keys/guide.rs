//! What the names and values of keys are by the scanned sources: the same for every question of a scan.
//!
//! Apart from `walk`, which remembers, because answers are read where they arrive, side by side, and
//! only what came of them goes through one hand.

use std::sync::Arc;

use super::super::super::catalogue::SourceId;
use super::pending::{Candidate, Further, Pending};
use crate::domain::Timestamp;
use crate::domain::raw::{KeyType, RawKey};
use crate::layouts::Source;
use crate::layouts::form::Extent;
use crate::layouts::keys::Seen;
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::redis::Role;

pub struct Guide {
    pub sources: Vec<(SourceId, Arc<Source>)>,
    /// Fields that any source wants of a hash.
    pub fields: Arc<[Vec<u8>]>,
}

/// A name that may be a record's, and what is to be read along.
pub struct Named {
    pub name: Vec<u8>,
    pub candidates: Vec<Candidate>,
    pub further: Vec<Further>,
}

/// A key that was read.
pub struct Answered {
    pub pending: Pending,
    pub raw: RawKey,
    pub further: Vec<RawKey>,
    /// `None` where no source reads it.
    pub best: Option<Best>,
}

/// The reading of the source that a key fits best.
pub struct Best {
    pub candidate: Candidate,
    pub reading: Reading<'static>,
    /// Another source might read it better if more of it were there.
    is_open: bool,
}

impl Best {
    pub fn needs_more(&self) -> bool {
        self.reading.needs_more || self.is_open
    }
}

impl Guide {
    pub fn new(sources: &[(SourceId, Arc<Source>)]) -> Guide {
        let own = sources.iter().map(|(_, source)| source.hash_fields());
        let mut fields: Vec<Vec<u8>> = own.flatten().collect();
        fields.sort_unstable();
        fields.dedup();
        Guide {
            sources: sources.to_vec(),
            fields: fields.into(),
        }
    }

    pub fn source(&self, candidate: &Candidate) -> Option<(SourceId, &Arc<Source>)> {
        let entry = self.sources.get(candidate.source);
        entry.map(|(id, source)| (*id, source))
    }

    /// All sources read hashes and none reads strings.
    pub fn prefers_hash(&self) -> bool {
        self.sources
            .iter()
            .all(|(_, source)| source.key_form(KeyType::String, Extent::List).is_none())
    }

    /// `None` where the name is no record's.
    pub fn named(&self, name: Vec<u8>) -> Option<Named> {
        let candidates = self.candidates(&name);
        if candidates.is_empty() {
            return None;
        }
        let further = self.further(&name, &candidates);
        Some(Named {
            name,
            candidates,
            further,
        })
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

    fn further(&self, name: &[u8], candidates: &[Candidate]) -> Vec<Further> {
        let mut further = Vec::new();
        for candidate in candidates {
            let Some((_, source)) = self.source(candidate) else {
                continue;
            };
            // Keys that hold many records go another way.
            if is_container(source, candidate) {
                continue;
            }
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

    /// Reads the answers, in the order of the questions.
    pub fn read(&self, asked: Vec<Pending>, values: Vec<RawKey>, now: Timestamp) -> Vec<Answered> {
        let mut values = values.into_iter();
        let mut read = Vec::with_capacity(asked.len());
        for pending in asked {
            let Some(raw) = values.next() else { break };
            let further: Vec<RawKey> = values.by_ref().take(pending.further.len()).collect();
            let best = self.best(&pending, &raw, &further, now);
            read.push(Answered {
                pending,
                raw,
                further,
                best,
            });
        }
        read
    }

    /// The best fit; of equal fits the name that says more, then the earlier source.
    fn best(
        &self,
        pending: &Pending,
        raw: &RawKey,
        further: &[RawKey],
        now: Timestamp,
    ) -> Option<Best> {
        let parts = parts_by_source(pending, further);
        let mut best: Option<(Candidate, Reading<'_>)> = None;
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
                .is_none_or(|(known, read)| rank > (read.fit, known.length))
            {
                best = Some((*candidate, reading));
            }
        }
        best.map(|(candidate, reading)| Best {
            candidate,
            is_open: is_open && !matches!(reading.fit, Fit::Telling(_)),
            reading: reading.into_listed(),
        })
    }

    /// Whether a key may be of the other of the two types that records are read of.
    pub fn both_types(&self, pending: &Pending) -> bool {
        let mut kinds: Vec<KeyType> = Vec::new();
        for candidate in &pending.candidates {
            let source = self.source(candidate);
            let redis = source.and_then(|(_, source)| source.layout.redis.as_ref());
            match candidate.role {
                Role::Lock(_) => kinds.extend([KeyType::String, KeyType::Hash]),
                _ => kinds.extend(redis.iter().flat_map(|redis| redis.types())),
            }
        }
        kinds.contains(&pending.other_kind())
    }
}

/// Whether the key holds many records.
pub fn is_container(source: &Source, candidate: &Candidate) -> bool {
    matches!(candidate.role, Role::Record(_)) && source.each().is_some()
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
