//! What is known while a key space is walked: keys to read, and what becomes of each.
//!
//! Invariant: a record is listed once, under its own key, or under its lock where the lock is all
//! there is of it.

use std::sync::Arc;

use super::super::super::catalogue::AddressRef;
use super::super::Scanner;
use super::container::Container;
use super::guide::{Answered, Guide, Named, is_container};
use super::pending::{Candidate, Further, HEADS, Lanes, Pending};
use crate::domain::raw::{KeyType, KeyValue, RawKey};
use crate::domain::{Problem, ProblemCode, Timestamp};
use crate::layouts::reading::Fit;
use crate::layouts::redis::Role;

pub struct Walk {
    guide: Arc<Guide>,
    pub queue: Lanes,
    /// Keys that hold many records, to be read by themselves.
    pub containers: Vec<Container>,
    /// Whether keys are asked for as hashes first.
    hashes: bool,
    /// Of the last strings read, how many were too short to tell.
    cut: u32,
    read: u32,
}

impl Walk {
    pub fn new(guide: Arc<Guide>) -> Walk {
        Walk {
            hashes: guide.prefers_hash(),
            guide,
            queue: Lanes::default(),
            containers: Vec::new(),
            cut: 0,
            read: 0,
        }
    }

    pub fn enqueue(&mut self, scanner: &mut Scanner, named: Named) {
        let Named {
            name,
            mut candidates,
            further,
        } = named;
        if !scanner.is_new(std::iter::once(name.as_slice())) {
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
        let lane = scanner.session.store.lane(&name);
        self.queue.push(
            lane,
            Pending {
                name,
                candidates,
                further,
                kind,
                head,
                turned: false,
            },
        );
    }

    /// Keys of sources whose keys hold many records go another way.
    fn take_containers(&mut self, name: &[u8], candidates: &mut Vec<Candidate>) {
        let guide = &self.guide;
        let mut found = Vec::new();
        candidates.retain(|candidate| {
            let Some((id, source)) = guide.source(candidate) else {
                return false;
            };
            let Some(kind) = source.each().filter(|_| is_container(source, candidate)) else {
                return true;
            };
            found.push(Container {
                id,
                source: source.clone(),
                role: candidate.role,
                name: name.to_vec(),
                kind,
            });
            false
        });
        self.containers.extend(found);
    }

    /// Takes one answer: a record, nothing, or a further question.
    pub fn settle(&mut self, scanner: &mut Scanner, answered: Answered, now: Timestamp) {
        let raw = &answered.raw;
        match &raw.value {
            KeyValue::Missing => {}
            KeyValue::Refused(why) => {
                scanner.progress.refused += 1;
                self.take_name(scanner, raw, Problem::new(ProblemCode::Refused, why), now);
            }
            KeyValue::Opaque(_)
                if !answered.pending.turned && self.guide.both_types(&answered.pending) =>
            {
                let mut pending = answered.pending;
                pending.kind = pending.other_kind();
                self.hashes = pending.kind == KeyType::Hash;
                pending.turned = true;
                self.ask_again(scanner, pending);
            }
            KeyValue::Opaque(_) => {
                let text = "The value is of a type that this layout does not use";
                let problem = Problem::new(ProblemCode::NotUnderstood, text);
                self.take_name(scanner, raw, problem, now);
            }
            _ => self.take_value(scanner, answered, now),
        }
    }

    fn ask_again(&mut self, scanner: &Scanner, pending: Pending) {
        let lane = scanner.session.store.lane(&pending.name);
        self.queue.push(lane, pending);
    }

    fn take_value(&mut self, scanner: &mut Scanner, answered: Answered, now: Timestamp) {
        let Answered {
            mut pending,
            raw,
            further,
            best,
        } = answered;
        let Some(mut best) = best else {
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
                self.ask_again(scanner, pending);
                return;
            }
            let text = format!("Only the first {} bytes were read", HEADS[2]);
            best.reading
                .problems
                .push(Problem::new(ProblemCode::Cut, text));
        }
        let Some((id, source)) = self.guide.source(&best.candidate) else {
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

    /// A record of which only the name is known.
    fn take_name(&self, scanner: &mut Scanner, raw: &RawKey, problem: Problem, now: Timestamp) {
        for (id, source) in &self.guide.sources {
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
