//! The shop's store: any of the layer's, and the mistakes that are made in the place of a claim.
//!
//! A mistake looks and then acts, where the layer claims in one step. What it writes is the same.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Barrier, Mutex, OwnedMutexGuard};

use super::article::ArticleStore;
use super::config::StoreChoice;
use crate::guard::stores::{MemoryStore, PostgresStore, RedisStore, SqliteStore};
use crate::guard::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, StoredAnswer, Ticket,
};
use crate::lab::switches::{self, Records};

/// Connections to PostgreSQL: as many as a barrier may hold.
const CONNECTIONS: u32 = 24;

#[derive(Debug)]
enum Engine {
    Memory(MemoryStore),
    Sqlite(SqliteStore),
    Redis(Box<RedisStore>),
    Postgres(PostgresStore),
    Article(ArticleStore),
}

macro_rules! on_engine {
    ($self:ident, $store:ident => $work:expr) => {
        match &$self.engine {
            Engine::Memory($store) => $work.await,
            Engine::Sqlite($store) => $work.await,
            Engine::Redis($store) => $work.await,
            Engine::Postgres($store) => $work.await,
            Engine::Article($store) => $work.await,
        }
    };
}

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
}

/// The store of one instance.
#[derive(Debug)]
pub struct ShopStore {
    engine: Engine,
    way: Way,
    /// What a later save needs of a claim that wrote nothing.
    claims: Mutex<HashMap<String, Claim>>,
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
        let engine = match choice {
            StoreChoice::Memory => Engine::Memory(MemoryStore::default()),
            StoreChoice::Sqlite { path } => {
                Engine::Sqlite(SqliteStore::prepare(path, "idempotency_keys").await?)
            }
            StoreChoice::Redis { url, prefix } => {
                let client = redis::Client::open(url.as_str());
                let client = client.map_err(|error| StoreTrouble(format!("Redis: {error}")))?;
                match switches.records {
                    Records::LabShop => Engine::Redis(Box::new(RedisStore::new(client, prefix))),
                    Records::Article => Engine::Article(ArticleStore::new(client, prefix)),
                }
            }
            StoreChoice::Postgres { url, schema } => {
                let pool = sqlx::postgres::PgPoolOptions::new().max_connections(CONNECTIONS);
                let pool = pool.connect(url).await;
                let pool = pool.map_err(|error| StoreTrouble(format!("PostgreSQL: {error}")))?;
                Engine::Postgres(PostgresStore::prepare(pool, schema, "idempotency_keys").await?)
            }
        };
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
            _ => Way::Atomic,
        };
        Ok(ShopStore {
            engine,
            way,
            claims: Mutex::default(),
        })
    }

    /// Whether a claim is written before anything is executed.
    pub fn writes_claims(&self) -> bool {
        !matches!(self.way, Way::LookThenAct(_) | Way::ProcessLocal { .. })
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
        }))
    }

    /// Writes the record of a request that claimed nothing: the last one wins.
    async fn write_anyway(
        &self,
        claim: &Claim,
        ticket: &Ticket,
        answer: &StoredAnswer,
    ) -> Result<Saved, StoreTrouble> {
        on_engine!(self, store => store.claim(claim))?;
        on_engine!(self, store => store.save(ticket, answer, Fence::Open))
    }

    async fn let_go(&self, owner: &str) {
        if let Way::ProcessLocal { held, .. } = &self.way {
            held.lock().await.remove(owner);
        }
    }
}

impl GuardStore for ShopStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        match &self.way {
            Way::Atomic => on_engine!(self, store => store.claim(claim)),
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
        on_engine!(self, store => store.look(scope, key))
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let claim = self.claims.lock().await.remove(&ticket.owner);
        let saved = match claim {
            Some(claim) => self.write_anyway(&claim, ticket, answer).await,
            None => on_engine!(self, store => store.save(ticket, answer, fence)),
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
        let claim = self.claims.lock().await.remove(&ticket.owner);
        let released = match claim {
            Some(_) => Ok(Saved::Saved),
            None => on_engine!(self, store => store.release(ticket, fence, leaves)),
        };
        self.let_go(&ticket.owner).await;
        released
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        on_engine!(self, store => store.renew(ticket, lease))
    }
}
