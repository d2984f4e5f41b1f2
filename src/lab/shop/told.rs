//! The shop's store, with each exchange told to the lab's outside.
//!
//! Apart from `store` because that is what is shown, and this is the showing.
//! Invariant: what the store does is the same with it and without it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::report::{Origin, Outside};
use super::store::ShopStore;
use crate::guard::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, StoredAnswer, Ticket,
};
use crate::lab::world::{Actor, Asked, Happening, Said, Stored};
use crate::sys::clock::Stopwatch;

/// Owners that are remembered; later ones are told without their attempt.
const OWNERS_MAX: usize = 20_000;

/// Which attempt each owner of a claim is.
#[derive(Clone, Debug, Default)]
pub struct Origins(Arc<Mutex<HashMap<String, Known>>>);

#[derive(Clone, Debug, Default)]
struct Known {
    origin: Origin,
    /// What was told of its claim last: a wait asks many times and is told once.
    told: Option<Said>,
    fingerprint: String,
    retention_ms: u64,
}

impl Origins {
    pub fn note(&self, owner: &str, origin: &Origin) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < OWNERS_MAX {
            let origin = origin.clone();
            known.insert(
                owner.to_owned(),
                Known {
                    origin,
                    ..Known::default()
                },
            );
        }
    }

    fn of(&self, owner: &str) -> Known {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(owner).cloned().unwrap_or_default()
    }

    /// Remembers what was said of a claim; true where it was said just before.
    fn says_again(&self, claim: &Claim, said: Said) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = known.get_mut(&claim.owner) else {
            return false;
        };
        known.fingerprint.clone_from(&claim.fingerprint);
        known.retention_ms = millis(claim.retention);
        known.told.replace(said) == Some(said)
    }
}

/// A store that tells.
#[derive(Debug)]
pub struct ToldStore {
    inner: Arc<ShopStore>,
    outside: Outside,
    origins: Origins,
}

impl ToldStore {
    pub fn new(inner: Arc<ShopStore>, outside: Outside, origins: Origins) -> ToldStore {
        ToldStore {
            inner,
            outside,
            origins,
        }
    }

    async fn tell(&self, stored: Stored, origin: &Origin) {
        let text = format!("{:?} {:?}", stored.asked, stored.said).to_lowercase();
        let what = Happening::Stored(stored);
        self.outside.tell(Actor::Store, what, origin, &text).await;
    }

    /// What is the same for everything that the owner of a ticket asks.
    fn of_ticket(&self, ticket: &Ticket, asked: Asked, watch: &Stopwatch) -> (Stored, Origin) {
        let known = self.origins.of(&ticket.owner);
        let stored = Stored {
            asked,
            said: Said::Failed,
            scope: ticket.scope.clone(),
            key: ticket.key.clone(),
            fingerprint: known.fingerprint,
            status: None,
            bytes: 0,
            lease_ms: 0,
            retention_ms: known.retention_ms,
            took_ms: millis(watch.elapsed()),
        };
        (stored, known.origin)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn said(saved: &Result<Saved, StoreTrouble>, done: Said) -> Said {
    match saved {
        Ok(Saved::Saved) => done,
        Ok(Saved::NotOwner) => Said::NotOwner,
        Err(_) => Said::Failed,
    }
}

impl GuardStore for ToldStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let watch = Stopwatch::start();
        let claimed = self.inner.claim(claim).await;
        let mut stored = Stored {
            asked: match self.inner.writes_claims() {
                true => Asked::Claim,
                false => Asked::Look,
            },
            said: Said::Failed,
            scope: claim.scope.clone(),
            key: claim.key.clone(),
            fingerprint: claim.fingerprint.clone(),
            status: None,
            bytes: 0,
            lease_ms: millis(claim.lease),
            retention_ms: millis(claim.retention),
            took_ms: millis(watch.elapsed()),
        };
        stored.said = match &claimed {
            Ok(Claimed::Mine(_)) if stored.asked == Asked::Look => Said::Free,
            Ok(Claimed::Mine(ticket)) if ticket.after == After::Nothing => Said::Claimed,
            Ok(Claimed::Mine(_)) => Said::TakenOver,
            Ok(Claimed::InProgress { .. }) => Said::InProgress,
            Ok(Claimed::Finished { answer, .. }) => {
                stored.status = Some(answer.status);
                stored.bytes = answer.body.len() as u64;
                Said::Finished
            }
            Err(_) => Said::Failed,
        };
        if !self.origins.says_again(claim, stored.said) {
            let origin = self.origins.of(&claim.owner).origin;
            self.tell(stored, &origin).await;
        }
        claimed
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        self.inner.look(scope, key).await
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let watch = Stopwatch::start();
        let saved = self.inner.save(ticket, answer, fence).await;
        let (mut stored, origin) = self.of_ticket(ticket, Asked::Save, &watch);
        stored.said = said(&saved, Said::Saved);
        stored.status = Some(answer.status);
        stored.bytes = answer.body.len() as u64;
        self.tell(stored, &origin).await;
        saved
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        let watch = Stopwatch::start();
        let released = self.inner.release(ticket, fence, leaves).await;
        let (mut stored, origin) = self.of_ticket(ticket, Asked::Release, &watch);
        let done = match leaves {
            Leaves::Fingerprint => Said::Released,
            Leaves::Nothing => Said::Forgotten,
        };
        stored.said = said(&released, done);
        self.tell(stored, &origin).await;
        released
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        self.inner.reach(ticket, point, fence).await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        let watch = Stopwatch::start();
        let renewed = self.inner.renew(ticket, lease).await;
        let (mut stored, origin) = self.of_ticket(ticket, Asked::Renew, &watch);
        stored.said = said(&renewed, Said::Renewed);
        stored.lease_ms = millis(lease);
        self.tell(stored, &origin).await;
        renewed
    }
}
