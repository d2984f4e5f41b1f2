//! Redis and PostgreSQL together: one decides, the other follows.
//!
//! Where PostgreSQL decides, the claim is made there first and Redis is a cache of completed records:
//! a miss is answered from PostgreSQL, and a failure to write the cache fails no request. What the
//! cache has counts only where PostgreSQL says that the record is completed. The other
//! way round is a mistake that the lab shows: what Redis forgets is executed again, whatever
//! PostgreSQL knows.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::Mutex;

use crate::guard::stores::{PostgresStore, RedisStore};
use crate::guard::{
    Claim, Claimed, Fence, GuardStore, Leaves, Note, Outbox, OutboxCount, Saved, StoreTrouble,
    StoredAnswer, Ticket,
};
use crate::lab::shop::Decides;

#[derive(Debug)]
pub struct BothStore {
    redis: RedisStore,
    postgres: PostgresStore,
    decides: Decides,
    /// What the follower needs of a claim when its answer is saved; by owner.
    claims: Mutex<HashMap<String, Claim>>,
}

impl BothStore {
    pub fn new(redis: RedisStore, postgres: PostgresStore, decides: Decides) -> BothStore {
        BothStore {
            redis,
            postgres,
            decides,
            claims: Mutex::default(),
        }
    }

    /// Makes what is missing.
    pub async fn make(&self) -> Result<(), StoreTrouble> {
        self.postgres.make().await
    }

    async fn remember(&self, claim: &Claim, claimed: &Claimed) {
        if let Claimed::Mine(_) = claimed {
            let mut claims = self.claims.lock().await;
            claims.insert(claim.owner.clone(), claim.clone());
        }
    }

    /// Writes a completed record where the follower has it; what goes wrong there fails nobody.
    async fn follow(&self, ticket: &Ticket, answer: &StoredAnswer) {
        let Some(claim) = self.claims.lock().await.remove(&ticket.owner) else {
            return;
        };
        let notes = Vec::new();
        let answer = StoredAnswer {
            notes,
            ..answer.clone()
        };
        // Made where it is missing; what stands there gets the newer answer.
        let _ = match self.decides {
            Decides::Postgres => match self.redis.claim(&claim).await {
                Ok(_) => self.redis.save(ticket, &answer, Fence::Open).await,
                Err(trouble) => Err(trouble),
            },
            Decides::Redis => match self.postgres.claim(&claim).await {
                Ok(_) => self.postgres.save(ticket, &answer, Fence::Open).await,
                Err(trouble) => Err(trouble),
            },
        };
    }
}

impl GuardStore for BothStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let claimed = match self.decides {
            Decides::Redis => self.redis.claim(claim).await?,
            Decides::Postgres => self.postgres.claim(claim).await?,
        };
        self.remember(claim, &claimed).await;
        if let (Claimed::Finished { .. }, Decides::Postgres) = (&claimed, self.decides)
            && let Ok(Some(cached @ Claimed::Finished { .. })) =
                self.redis.look(&claim.scope, &claim.key).await
        {
            return Ok(cached);
        }
        Ok(claimed)
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.look(scope, key).await,
            Decides::Postgres => self.postgres.look(scope, key).await,
        }
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let saved = match self.decides {
            Decides::Redis => self.redis.save(ticket, answer, fence).await?,
            Decides::Postgres => self.postgres.save(ticket, answer, fence).await?,
        };
        if saved == Saved::Saved {
            self.follow(ticket, answer).await;
        }
        Ok(saved)
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        self.claims.lock().await.remove(&ticket.owner);
        match self.decides {
            Decides::Redis => self.redis.release(ticket, fence, leaves).await,
            Decides::Postgres => self.postgres.release(ticket, fence, leaves).await,
        }
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.reach(ticket, point, fence).await,
            Decides::Postgres => self.postgres.reach(ticket, point, fence).await,
        }
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.renew(ticket, lease).await,
            Decides::Postgres => self.postgres.renew(ticket, lease).await,
        }
    }
}

/// The outbox is where the decision is.
impl Outbox for BothStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        self.postgres.prepare_outbox().await
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.unsent(max).await,
            Decides::Postgres => self.postgres.unsent(max).await,
        }
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.mark_sent(note).await,
            Decides::Postgres => self.postgres.mark_sent(note).await,
        }
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        match self.decides {
            Decides::Redis => self.redis.outbox_count().await,
            Decides::Postgres => self.postgres.outbox_count().await,
        }
    }
}
