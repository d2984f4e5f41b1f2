//! The shop's store: any of the layer's, and the mistakes that are made in the place of a claim.
//!
//! A mistake looks and then acts, where the layer claims in one step. What it writes is the same.

mod held;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Barrier, Mutex, OwnedMutexGuard};

use super::config::StoreChoice;
use crate::guard::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Outbox, Saved, StoreTrouble, StoredAnswer,
    Ticket,
};
use crate::lab::engine::Engine;
use crate::lab::switches::{self, Records};
use held::Held;

pub use held::{LocalPayment, local_id, payments_table};

/// How a key is claimed.
#[derive(Debug)]
enum Way {
    Atomic,
    /// Everybody looks, then everybody acts.
    LookThenAct(Option<Barrier>),
    /// One at a time in this process; others do not know of it.
    ProcessLocal {
        barrier: Option<Barrier>,
        locks: Mutex<HashMap<String, Arc<Mutex<()>>>>,
        held: Mutex<HashMap<String, OwnedMutexGuard<()>>>,
    },
    /// By an open transaction; others wait for it.
    Held(Held),
}

/// The store of one instance.
#[derive(Debug)]
pub struct ShopStore {
    engine: Engine,
    way: Way,
    /// What a later save needs of a claim that wrote nothing.
    claims: Mutex<HashMap<String, Claim>>,
    /// Owners for whom the store is away from now on.
    cut_off: Mutex<HashSet<String>>,
    schema: Option<String>,
}

impl ShopStore {
    /// Opens the store, and makes the lab's own schema or table in it.
    ///
    /// Errors: it cannot be reached, or does not allow it; a sentence.
    pub async fn open(
        choice: &StoreChoice,
        switches: &switches::Switches,
        lookers: usize,
    ) -> Result<ShopStore, StoreTrouble> {
        let engine = match (choice, switches.records) {
            (StoreChoice::Redis { url, prefix }, Records::Article) => Engine::article(url, prefix)?,
            _ => Engine::open(choice).await?,
        };
        let schema = match choice {
            StoreChoice::Postgres { schema, .. } => Some(schema.clone()),
            _ => None,
        };
        if switches.has_outbox() {
            engine.prepare_outbox().await?;
        }
        let barrier = (lookers > 1).then(|| Barrier::new(lookers));
        let way = match (switches.c1, switches.c2) {
            (switches::Claim::ProcessLocal, _) => Way::ProcessLocal {
                barrier,
                locks: Mutex::default(),
                held: Mutex::default(),
            },
            (switches::Claim::None, _) | (_, switches::Order::ExecuteSave) => {
                Way::LookThenAct(barrier)
            }
            (switches::Claim::RowLock, _) => Way::Held(Held::default()),
            (_, switches::Order::OneTransaction) => {
                held::prepare(&engine, schema.as_deref()).await?;
                Way::Held(Held::default())
            }
            _ => Way::Atomic,
        };
        Ok(ShopStore {
            engine,
            way,
            claims: Mutex::default(),
            cut_off: Mutex::default(),
            schema,
        })
    }

    /// As [`Engine::warm`].
    pub async fn warm(&self, crowd: u32) -> Result<(), StoreTrouble> {
        self.engine.warm(crowd).await
    }

    /// Whether a claim is written before anything is executed.
    pub fn writes_claims(&self) -> bool {
        !matches!(self.way, Way::LookThenAct(_) | Way::ProcessLocal { .. })
    }

    /// Books a payment in the shop's own database, within the transaction of its claim: the id.
    pub async fn book(&self, owner: &str, payment: &LocalPayment) -> Result<String, StoreTrouble> {
        match &self.way {
            Way::Held(held) => held.book(owner, self.schema.as_deref(), payment).await,
            _ => Err(StoreTrouble("nothing holds a transaction".to_owned())),
        }
    }

    /// From now on the store is away for this request.
    pub async fn cut_off(&self, owner: &str) {
        self.cut_off.lock().await.insert(owner.to_owned());
    }

    async fn is_there(&self, owner: &str) -> Result<(), StoreTrouble> {
        match self.cut_off.lock().await.contains(owner) {
            false => Ok(()),
            true => Err(StoreTrouble("the store does not answer".to_owned())),
        }
    }

    async fn look_then_act(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let found = self.look(&claim.scope, &claim.key).await?;
        if let Some(claimed @ Claimed::Finished { .. }) = found {
            return Ok(claimed);
        }
        self.claims
            .lock()
            .await
            .insert(claim.owner.clone(), claim.clone());
        Ok(Claimed::Mine(Ticket {
            scope: claim.scope.clone(),
            key: claim.key.clone(),
            owner: claim.owner.clone(),
            after: After::Nothing,
            point: None,
        }))
    }

    /// Writes the record of a request that claimed nothing: the last one wins.
    async fn write_anyway(
        &self,
        claim: &Claim,
        ticket: &Ticket,
        answer: &StoredAnswer,
    ) -> Result<Saved, StoreTrouble> {
        self.engine.claim(claim).await?;
        self.engine.save(ticket, answer, Fence::Open).await
    }

    async fn let_go(&self, owner: &str) {
        if let Way::ProcessLocal { held, .. } = &self.way {
            held.lock().await.remove(owner);
        }
    }
}

impl GuardStore for ShopStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        self.is_there(&claim.owner).await?;
        match &self.way {
            Way::Atomic => self.engine.claim(claim).await,
            Way::Held(held) => held.claim(&self.engine, claim).await,
            Way::LookThenAct(barrier) => {
                let claimed = self.look_then_act(claim).await?;
                if let (Some(barrier), Claimed::Mine(_)) = (barrier, &claimed) {
                    barrier.wait().await;
                }
                Ok(claimed)
            }
            Way::ProcessLocal {
                barrier,
                locks,
                held,
            } => {
                let name = format!("{} {}", claim.scope, claim.key);
                let lock = locks.lock().await.entry(name).or_default().clone();
                let guard = lock.lock_owned().await;
                let claimed = self.look_then_act(claim).await?;
                if let Claimed::Mine(_) = &claimed {
                    held.lock().await.insert(claim.owner.clone(), guard);
                    // The first look of each instance, before any of them writes.
                    if let Some(barrier) = barrier {
                        barrier.wait().await;
                    }
                }
                Ok(claimed)
            }
        }
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        self.engine.look(scope, key).await
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        self.is_there(&ticket.owner).await?;
        if let Way::Held(held) = &self.way {
            return held.save(&self.engine, ticket, answer).await;
        }
        let claim = self.claims.lock().await.remove(&ticket.owner);
        let saved = match claim {
            Some(claim) => self.write_anyway(&claim, ticket, answer).await,
            None => self.engine.save(ticket, answer, fence).await,
        };
        self.let_go(&ticket.owner).await;
        saved
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        self.is_there(&ticket.owner).await?;
        if let Way::Held(held) = &self.way {
            return Ok(held.release(&ticket.owner).await);
        }
        let claim = self.claims.lock().await.remove(&ticket.owner);
        let released = match claim {
            Some(_) => Ok(Saved::Saved),
            None => self.engine.release(ticket, fence, leaves).await,
        };
        self.let_go(&ticket.owner).await;
        released
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        self.engine.reach(ticket, point, fence).await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        self.engine.renew(ticket, lease).await
    }
}
