//! Records in the memory of one process: for tests, and to show what is lost with a process.
//!
//! Bound: records whose retention has ended are dropped as new ones come, so that the memory of a
//! long run is that of the records that are kept.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::domain::{Duration as Span, Timestamp};
use crate::guard::answer::{Note, StoredAnswer};
use crate::guard::store::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Outbox, OutboxCount, Saved, StoreTrouble,
    Ticket,
};
use crate::sys::clock;

/// Claims between two looks for what has expired.
const SWEEP_EVERY: u64 = 1_000;

#[derive(Debug, Default)]
pub struct MemoryStore {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    records: HashMap<(String, String), Record>,
    claims: u64,
    notes: Vec<Note>,
    sent: u64,
}

#[derive(Clone, Debug)]
struct Record {
    fingerprint: String,
    expires_at: Timestamp,
    lock: Option<Lock>,
    answer: Option<StoredAnswer>,
    /// Who saved or released last.
    owner: String,
    point: Option<String>,
}

#[derive(Clone, Debug)]
struct Lock {
    owner: String,
    until: Timestamp,
}

fn span(duration: Duration) -> Span {
    Span(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
}

impl MemoryStore {
    /// Records that are kept, expired ones that were not dropped yet among them.
    pub fn len(&self) -> usize {
        self.inner().records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(
        &self,
        ticket: &Ticket,
        fence: Fence,
        change: impl FnOnce(&mut Record),
    ) -> Result<Saved, StoreTrouble> {
        let mut inner = self.inner();
        let id = (ticket.scope.clone(), ticket.key.clone());
        let Some(record) = inner.records.get_mut(&id) else {
            return Ok(Saved::NotOwner);
        };
        let is_owner = match &record.lock {
            Some(lock) => lock.owner == ticket.owner,
            None => record.owner == ticket.owner,
        };
        if fence == Fence::Owner && !is_owner {
            return Ok(Saved::NotOwner);
        }
        change(record);
        record.owner.clone_from(&ticket.owner);
        Ok(Saved::Saved)
    }
}

impl Inner {
    fn claim(&mut self, claim: &Claim, now: Timestamp) -> Claimed {
        self.claims += 1;
        if self.claims.is_multiple_of(SWEEP_EVERY) {
            self.records.retain(|_, record| record.expires_at > now);
        }
        let id = (claim.scope.clone(), claim.key.clone());
        let after = match self.records.get_mut(&id) {
            None => After::Nothing,
            Some(record) if record.expires_at <= now => After::Expiry,
            Some(record) => match taken(record, claim, now) {
                Ok(after) => after,
                Err(claimed) => return claimed,
            },
        };
        let known = self.records.get(&id).filter(|_| after != After::Expiry);
        let point = known.and_then(|record| record.point.clone());
        let expires_at = now.plus(span(claim.retention));
        let lock = Lock {
            owner: claim.owner.clone(),
            until: now.plus(span(claim.lease)),
        };
        self.records.insert(
            id,
            Record {
                fingerprint: claim.fingerprint.clone(),
                expires_at,
                lock: Some(lock),
                answer: None,
                owner: claim.owner.clone(),
                point: point.clone(),
            },
        );
        Claimed::Mine(Ticket {
            scope: claim.scope.clone(),
            key: claim.key.clone(),
            owner: claim.owner.clone(),
            after,
            point,
        })
    }
}

/// Why a live record may be taken, or what it is instead.
fn taken(record: &mut Record, claim: &Claim, now: Timestamp) -> Result<After, Claimed> {
    let fingerprint = record.fingerprint.clone();
    let is_same = fingerprint == claim.fingerprint;
    if let Some(answer) = record.answer.clone() {
        if claim.extends && is_same {
            record.expires_at = now.plus(span(claim.retention));
        }
        return Err(Claimed::Finished {
            fingerprint,
            answer,
        });
    }
    let left = match &record.lock {
        None if is_same => return Ok(After::Error),
        None => Span::ZERO,
        Some(lock) if lock.until <= now && claim.takes_over && is_same => {
            return Ok(After::StaleLock);
        }
        Some(lock) => now.until(lock.until),
    };
    Err(Claimed::InProgress {
        fingerprint,
        left: Duration::from_millis(u64::try_from(left.millis()).unwrap_or(0)),
    })
}

impl GuardStore for MemoryStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        Ok(self.inner().claim(claim, clock::now()))
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        let now = clock::now();
        let inner = self.inner();
        let found = inner.records.get(&(scope.to_owned(), key.to_owned()));
        Ok(found
            .filter(|record| record.expires_at > now)
            .map(|record| {
                let fingerprint = record.fingerprint.clone();
                match (&record.answer, &record.lock) {
                    (Some(answer), _) => Claimed::Finished {
                        fingerprint,
                        answer: answer.clone(),
                    },
                    (None, lock) => Claimed::InProgress {
                        fingerprint,
                        left: lock.as_ref().map_or(Duration::ZERO, |lock| {
                            let left = now.until(lock.until).millis();
                            Duration::from_millis(u64::try_from(left).unwrap_or(0))
                        }),
                    },
                }
            }))
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let saved = self.change(ticket, fence, |record| {
            let notes = Vec::new();
            record.answer = Some(StoredAnswer {
                notes,
                ..answer.clone()
            });
            record.lock = None;
        })?;
        if saved == Saved::Saved {
            self.inner().notes.extend(answer.notes.iter().cloned());
        }
        Ok(saved)
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        let released = self.change(ticket, fence, |record| record.lock = None)?;
        if (released, leaves) == (Saved::Saved, Leaves::Nothing) {
            let id = (ticket.scope.clone(), ticket.key.clone());
            self.inner().records.remove(&id);
        }
        Ok(released)
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        self.change(ticket, fence, |record| {
            record.point = Some(point.to_owned());
        })
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        let until = clock::now().plus(span(lease));
        self.change(ticket, Fence::Owner, |record| {
            if let Some(lock) = &mut record.lock {
                lock.until = until;
            }
        })
    }
}

impl Outbox for MemoryStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        Ok(())
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        Ok(self.inner().notes.iter().take(max).cloned().collect())
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        let mut inner = self.inner();
        let before = inner.notes.len();
        inner.notes.retain(|known| known.id != note.id);
        inner.sent += (before - inner.notes.len()) as u64;
        Ok(())
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        let inner = self.inner();
        Ok(OutboxCount {
            pending: inner.notes.len() as u64,
            sent: inner.sent,
        })
    }
}
