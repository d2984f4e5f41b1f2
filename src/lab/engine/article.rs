//! Records as articles write them into Redis: a hash with a status, one lifetime for lock and answer.
//!
//! Apart from the layer's own stores because it is worse on purpose: no owner, no lease, nothing
//! left after an error. The inspector reads it as `plain-article`.
//! Invariant: every key begins with `idempotency:{prefix}.`, which is the lab's alone.

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Client, RedisError, Script};

use crate::guard::stores::RedisStore;
use crate::guard::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Note, Outbox, OutboxCount, Saved,
    StoreTrouble, StoredAnswer, Ticket,
};

/// Looks, and claims where nothing stands, in one step: a command of its own for each would let two in.
const CLAIM: &str = "
if redis.call('HSETNX', KEYS[1], 'status', 'processing') == 1 then
  redis.call('HSET', KEYS[1], 'payload_hash', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return { 'mine' }
end
local found = redis.call('HMGET', KEYS[1], 'status', 'payload_hash', 'response_status', 'response_body')
for i = 1, 4 do found[i] = found[i] or '' end
found[5] = redis.call('PTTL', KEYS[1])
return found";

const LOOK: &str = "
if redis.call('EXISTS', KEYS[1]) == 0 then return { 'mine' } end
local found = redis.call('HMGET', KEYS[1], 'status', 'payload_hash', 'response_status', 'response_body')
for i = 1, 4 do found[i] = found[i] or '' end
found[5] = redis.call('PTTL', KEYS[1])
return found";

#[derive(Debug)]
pub struct ArticleStore {
    client: Client,
    prefix: String,
    /// The lab's own place beside it. Nothing is written there with a save: articles know no outbox.
    beside: RedisStore,
}

fn trouble(error: &RedisError) -> StoreTrouble {
    StoreTrouble(format!("Redis: {error}"))
}

impl ArticleStore {
    pub fn new(client: Client, prefix: &str) -> ArticleStore {
        ArticleStore {
            beside: RedisStore::new(client.clone(), prefix),
            client,
            prefix: format!("idempotency:{prefix}."),
        }
    }

    fn name(&self, scope: &str, key: &str) -> String {
        // A colon parts scope and key.
        format!("{}{}:{key}", self.prefix, scope.replace(':', "."))
    }

    async fn connection(&self) -> Result<MultiplexedConnection, StoreTrouble> {
        let made = self.client.get_multiplexed_async_connection().await;
        made.map_err(|error| trouble(&error))
    }

    async fn found(
        &self,
        script: &str,
        name: String,
        arguments: &[String],
    ) -> Result<Option<Claimed>, StoreTrouble> {
        let mut connection = self.connection().await?;
        let script = Script::new(script);
        let mut call = script.key(name);
        arguments.iter().for_each(|argument| {
            call.arg(argument);
        });
        let answer: Result<Vec<Vec<u8>>, RedisError> = call.invoke_async(&mut connection).await;
        let answer = answer.map_err(|error| trouble(&error))?;
        let text = |at: usize| {
            let bytes = answer.get(at).map(Vec::as_slice).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let fingerprint = text(1);
        Ok(match text(0).as_str() {
            "mine" => None,
            "processing" => Some(Claimed::InProgress {
                fingerprint,
                left: Duration::from_millis(text(4).parse().unwrap_or(0)),
            }),
            _ => Some(Claimed::Finished {
                fingerprint,
                answer: StoredAnswer {
                    status: text(2).parse().unwrap_or(200),
                    headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                    body: answer.into_iter().nth(3).unwrap_or_default(),
                    notes: Vec::new(),
                },
            }),
        })
    }
}

impl GuardStore for ArticleStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let name = self.name(&claim.scope, &claim.key);
        let retention = claim.retention.as_millis().to_string();
        let arguments = [claim.fingerprint.clone(), retention];
        let found = self.found(CLAIM, name, &arguments).await?;
        Ok(found.unwrap_or_else(|| {
            Claimed::Mine(Ticket {
                scope: claim.scope.clone(),
                key: claim.key.clone(),
                owner: claim.owner.clone(),
                after: After::Nothing,
                point: None,
            })
        }))
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        self.found(LOOK, self.name(scope, key), &[]).await
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        _: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let mut connection = self.connection().await?;
        let mut set = redis::cmd("HSET");
        set.arg(self.name(&ticket.scope, &ticket.key))
            .arg("status")
            .arg("completed")
            .arg("response_status")
            .arg(answer.status)
            .arg("response_body")
            .arg(answer.body.as_slice());
        let set = set.exec_async(&mut connection).await;
        set.map_err(|error| trouble(&error))?;
        Ok(Saved::Saved)
    }

    async fn release(&self, ticket: &Ticket, _: Fence, _: Leaves) -> Result<Saved, StoreTrouble> {
        let mut connection = self.connection().await?;
        let mut delete = redis::cmd("DEL");
        delete.arg(self.name(&ticket.scope, &ticket.key));
        let deleted = delete.exec_async(&mut connection).await;
        deleted.map_err(|error| trouble(&error))?;
        Ok(Saved::Saved)
    }

    /// There is no place for it.
    async fn reach(&self, _: &Ticket, _: &str, _: Fence) -> Result<Saved, StoreTrouble> {
        Ok(Saved::Saved)
    }

    /// There is nothing to renew: the lock lives as long as the record.
    async fn renew(&self, _: &Ticket, _: Duration) -> Result<Saved, StoreTrouble> {
        Ok(Saved::Saved)
    }
}

impl Outbox for ArticleStore {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        self.beside.prepare_outbox().await
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        self.beside.unsent(max).await
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        self.beside.mark_sent(note).await
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        self.beside.outbox_count().await
    }
}
