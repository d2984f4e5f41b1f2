//! The lab's stores behind one type: where the records, and what is written along with them, stand.
//!
//! Apart from `shop::store`, which adds the mistakes: relay, consumer and experiment open the same
//! engines and make none.

mod article;
mod both;

use std::time::Duration;

use crate::guard::stores::{MemoryStore, PostgresStore, RedisStore, SqliteStore};
use crate::guard::{
    Claim, Claimed, Fence, GuardStore, Leaves, Note, Outbox, OutboxCount, Saved, StoreTrouble,
    StoredAnswer, Ticket,
};
use crate::lab::shop::StoreChoice;
use article::ArticleStore;
use both::BothStore;

/// Connections to PostgreSQL: as many as a barrier may hold.
const CONNECTIONS: u32 = 24;
/// The table of records.
pub const TABLE: &str = "idempotency_keys";
/// The name under which the shop's sessions appear in PostgreSQL.
pub const APPLICATION: &str = "idemscope-lab-shop";

#[derive(Debug)]
pub enum Engine {
    Memory(MemoryStore),
    Sqlite(SqliteStore),
    Redis(Box<RedisStore>),
    Postgres(PostgresStore),
    Both(Box<BothStore>),
    Article(Box<ArticleStore>),
}

macro_rules! on_engine {
    ($self:ident, $store:ident => $work:expr) => {
        match $self {
            Engine::Memory($store) => $work.await,
            Engine::Sqlite($store) => $work.await,
            Engine::Redis($store) => $work.await,
            Engine::Postgres($store) => $work.await,
            Engine::Both($store) => $work.await,
            Engine::Article($store) => $work.await,
        }
    };
}

impl Engine {
    /// Records as articles write them.
    ///
    /// Errors: the URL is none.
    pub fn article(url: &str, prefix: &str) -> Result<Engine, StoreTrouble> {
        let client = client(url)?;
        Ok(Engine::Article(Box::new(ArticleStore::new(client, prefix))))
    }

    /// Opens a store, and makes the lab's own schema or table in it.
    ///
    /// Errors: it cannot be reached, or does not allow it; a sentence.
    pub async fn open(choice: &StoreChoice) -> Result<Engine, StoreTrouble> {
        let engine = Engine::over(choice, APPLICATION).await?;
        match &engine {
            Engine::Sqlite(store) => store.make().await?,
            Engine::Postgres(store) => store.make().await?,
            Engine::Both(store) => store.make().await?,
            Engine::Memory(_) | Engine::Redis(_) | Engine::Article(_) => {}
        }
        Ok(engine)
    }

    /// Opens a store that the shop has made ready: nothing in it is made or locked.
    ///
    /// Errors: it cannot be reached.
    pub async fn attach(choice: &StoreChoice) -> Result<Engine, StoreTrouble> {
        Engine::over(choice, "idemscope-lab").await
    }

    async fn over(choice: &StoreChoice, name: &str) -> Result<Engine, StoreTrouble> {
        Ok(match choice {
            StoreChoice::Memory => Engine::Memory(MemoryStore::default()),
            StoreChoice::Sqlite { path } => Engine::Sqlite(SqliteStore::open(path, TABLE).await?),
            StoreChoice::Redis { url, prefix } => Engine::Redis(Box::new(redis(url, prefix)?)),
            StoreChoice::Postgres { url, schema } => {
                Engine::Postgres(postgres(url, schema, name).await?)
            }
            StoreChoice::Both(both) => {
                let cache = redis(&both.redis_url, &both.prefix)?;
                let postgres = postgres(&both.postgres_url, &both.schema, name).await?;
                Engine::Both(Box::new(BothStore::new(cache, postgres, both.decides)))
            }
        })
    }
}

fn client(url: &str) -> Result<redis::Client, StoreTrouble> {
    let client = redis::Client::open(url);
    client.map_err(|error| StoreTrouble(format!("Redis: {error}")))
}

fn redis(url: &str, prefix: &str) -> Result<RedisStore, StoreTrouble> {
    Ok(RedisStore::new(client(url)?, prefix))
}

async fn postgres(url: &str, schema: &str, name: &str) -> Result<PostgresStore, StoreTrouble> {
    let trouble = |error: sqlx::Error| StoreTrouble(format!("PostgreSQL: {error}"));
    let options: sqlx::postgres::PgConnectOptions = url.parse().map_err(trouble)?;
    let pool = sqlx::postgres::PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(Duration::from_secs(8))
        .connect_with(options.application_name(name))
        .await
        .map_err(trouble)?;
    Ok(PostgresStore::open(pool, schema, TABLE))
}

impl Engine {
    /// Logs all connections in that will be needed, so that requests which come at once do not wait
    /// for logins.
    ///
    /// Errors: the store does not answer.
    pub async fn warm(&self, crowd: u32) -> Result<(), StoreTrouble> {
        let Engine::Postgres(store) = self else {
            return Ok(());
        };
        let logins = (0..crowd.min(CONNECTIONS)).map(|_| store.pool().acquire());
        let held = futures_util::future::join_all(logins).await;
        let failed = held.into_iter().find_map(Result::err);
        failed.map_or(Ok(()), |error| {
            Err(StoreTrouble(format!("PostgreSQL: {error}")))
        })
    }
}

impl GuardStore for Engine {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        on_engine!(self, store => store.claim(claim))
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
        on_engine!(self, store => store.save(ticket, answer, fence))
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        on_engine!(self, store => store.release(ticket, fence, leaves))
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        on_engine!(self, store => store.reach(ticket, point, fence))
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        on_engine!(self, store => store.renew(ticket, lease))
    }
}

impl Outbox for Engine {
    async fn prepare_outbox(&self) -> Result<(), StoreTrouble> {
        on_engine!(self, store => store.prepare_outbox())
    }

    async fn unsent(&self, max: usize) -> Result<Vec<Note>, StoreTrouble> {
        on_engine!(self, store => store.unsent(max))
    }

    async fn mark_sent(&self, note: &Note) -> Result<(), StoreTrouble> {
        on_engine!(self, store => store.mark_sent(note))
    }

    async fn outbox_count(&self) -> Result<OutboxCount, StoreTrouble> {
        on_engine!(self, store => store.outbox_count())
    }
}
