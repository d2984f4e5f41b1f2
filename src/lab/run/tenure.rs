//! Holds the lab's place in a store that others can reach, so that two labs never write into one.
//!
//! Apart from `place` because the mark there says whose the place is and stays, and this says that
//! somebody is at work in it now and goes with them. In Redis it is a key that its owner renews; in
//! PostgreSQL an advisory lock, which ends with the connection that holds it.
//! Invariant: a place that is held by another lab is neither emptied nor written to.

use std::time::Duration;

use redis::Script;
use redis::aio::MultiplexedConnection;
use sqlx::{Connection, PgConnection};
use tokio::sync::oneshot;

use crate::lab::shop::StoreChoice;
use crate::sys::clock;

/// What a lab leaves that was killed is void after this.
const LEASE: Duration = Duration::from_secs(5);
/// How often the owner says that it is still there.
const RENEWAL: Duration = Duration::from_secs(1);
/// How often a place in use is looked at again.
const LOOK: Duration = Duration::from_millis(100);
/// A connection that was dropped is noticed by PostgreSQL within this.
const GRACE: Duration = Duration::from_secs(2);

/// Takes the key, or keeps it: 1 if it is the caller's now, else 0.
const TAKE: &str = "local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1";

/// Removes the key where it is the caller's.
const LEAVE: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0";

/// A place of the lab's that is held; free again when this is dropped.
#[derive(Debug, Default)]
pub struct Tenure {
    _keys: Option<Keys>,
    _schema: Option<PgConnection>,
}

/// Its keeper ends, and lets the key go, when this is dropped.
#[derive(Debug)]
struct Keys {
    _until: oneshot::Sender<()>,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Holds the place that `store` names, for as long as what it returns is kept.
///
/// Errors: another lab is at work there, or the store does not answer; a sentence.
pub async fn hold(store: &StoreChoice) -> Result<Tenure, String> {
    let mut tenure = Tenure::default();
    match store {
        // A file of its own is reached by nobody else.
        StoreChoice::Memory | StoreChoice::Sqlite { .. } => {}
        StoreChoice::Redis { url, prefix } => tenure._keys = Some(hold_keys(url, prefix).await?),
        StoreChoice::Postgres { url, schema } => {
            tenure._schema = Some(hold_schema(url, schema).await?);
        }
        StoreChoice::Both(both) => {
            tenure._keys = Some(hold_keys(&both.redis_url, &both.prefix).await?);
            tenure._schema = Some(hold_schema(&both.postgres_url, &both.schema).await?);
        }
    }
    Ok(tenure)
}

fn in_use(place: &str) -> String {
    format!(
        "another lab is at work in `{place}` of this store: end it, or take another database or a \
         file of its own"
    )
}

async fn hold_keys(url: &str, prefix: &str) -> Result<Keys, String> {
    let client = redis::Client::open(url).map_err(text)?;
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.map_err(text)?;
    let held = Held {
        // Not among the lab's own keys, which are counted and removed.
        name: format!("idemscope-lab:{prefix}"),
        owner: owner(),
    };
    let mut left = None;
    while !held.take(&mut connection).await.map_err(text)? {
        let mut pttl = redis::cmd("PTTL");
        let now: i64 = pttl
            .arg(&held.name)
            .query_async(&mut connection)
            .await
            .map_err(text)?;
        // Only a living owner makes it longer.
        if left.is_some_and(|left| now > left) {
            return Err(in_use(prefix));
        }
        left = Some(now);
        tokio::time::sleep(LOOK).await;
    }
    let (until, mut ended) = oneshot::channel();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = &mut ended => break,
                () = tokio::time::sleep(RENEWAL) => {}
            }
            // A server that is away now may be back at the next turn.
            let _ = held.take(&mut connection).await;
        }
        held.leave(&mut connection).await;
    });
    Ok(Keys { _until: until })
}

/// Nobody else's word: another process, or another hold of the same one, has another.
fn owner() -> String {
    let (process, now) = (std::process::id(), clock::now().millis());
    format!("{process}-{now}-{:016x}", fastrand::u64(..))
}

struct Held {
    name: String,
    owner: String,
}

impl Held {
    async fn take(
        &self,
        connection: &mut MultiplexedConnection,
    ) -> Result<bool, redis::RedisError> {
        let script = Script::new(TAKE);
        let mut call = script.key(&self.name);
        let lease = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        let taken: i64 = call
            .arg(&self.owner)
            .arg(lease)
            .invoke_async(connection)
            .await?;
        Ok(taken == 1)
    }

    async fn leave(&self, connection: &mut MultiplexedConnection) {
        let script = Script::new(LEAVE);
        let mut call = script.key(&self.name);
        // What cannot be removed now is void when its lease is over.
        let _ = call.arg(&self.owner).invoke_async::<i64>(connection).await;
    }
}

async fn hold_schema(url: &str, schema: &str) -> Result<PgConnection, String> {
    let mut connection = PgConnection::connect(url).await.map_err(text)?;
    let mut waited = Duration::ZERO;
    loop {
        let sql = "SELECT pg_try_advisory_lock(hashtextextended('idemscope lab ' || $1, 0))";
        let is_ours: bool = sqlx::query_scalar(sql)
            .persistent(false)
            .bind(schema)
            .fetch_one(&mut connection)
            .await
            .map_err(text)?;
        if is_ours {
            return Ok(connection);
        }
        if waited >= GRACE {
            return Err(in_use(schema));
        }
        waited += LOOK;
        tokio::time::sleep(LOOK).await;
    }
}
