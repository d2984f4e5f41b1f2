//! The write half: compares and changes records in the store, each in one atomic step.
//!
//! Apart from the read half, which has no way here; `ops::run` is its only user.
//! Invariants: nothing is sent twice; what was sent without an answer is `Unknown`, what was never
//! sent is `NotReached`; a record that is not as it was seen is left alone.

use super::memory::ExactMemory;
use super::postgres::change::PostgresWriter;
use super::redis::change::RedisWriter;
use super::sqlite::change::SqliteWriter;
use super::{EngineTarget, StoreError, Target};
use crate::domain::change::{Applied, Change};

/// The write half of a store.
#[derive(Debug)]
pub struct WriteStore {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Memory(ExactMemory),
    Redis(Box<RedisWriter>),
    Postgres(Box<PostgresWriter>),
    Sqlite(Box<SqliteWriter>),
}

/// What came of some changes.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// In the order of the changes.
    pub outcomes: Vec<Applied>,
    /// What went wrong with the store as a whole, so that the next changes may meet it too.
    pub trouble: Option<StoreError>,
}

/// Connects to what `target` names, to change records there.
///
/// Errors: unreachable, login refused, a replica or a store that cannot be written.
pub async fn open_writing(target: &Target) -> Result<WriteStore, StoreError> {
    let engine = match &target.engine {
        EngineTarget::Redis(redis) => Engine::Redis(Box::new(
            RedisWriter::open(redis, target.ssh.as_ref(), target.timeout).await?,
        )),
        EngineTarget::Postgres(pg) => {
            Engine::Postgres(Box::new(PostgresWriter::open(target, pg).await?))
        }
        EngineTarget::Sqlite(sqlite) => {
            Engine::Sqlite(Box::new(SqliteWriter::open(sqlite, target.timeout).await?))
        }
    };
    Ok(WriteStore { engine })
}

impl WriteStore {
    /// The write half of a store in memory.
    pub fn memory(memory: ExactMemory) -> WriteStore {
        WriteStore {
            engine: Engine::Memory(memory),
        }
    }

    /// How many changes one call should take: small enough that no other client waits for them.
    pub fn batch_max(&self) -> usize {
        match &self.engine {
            Engine::Memory(_) => 20,
            Engine::Redis(redis) => redis.batch_max(),
            Engine::Postgres(pg) => pg.batch_max(),
            Engine::Sqlite(sqlite) => sqlite.batch_max(),
        }
    }

    /// Compares and changes each record by itself. There is no error: every change has an outcome.
    pub async fn apply(&self, changes: &[&Change]) -> Batch {
        match &self.engine {
            Engine::Memory(memory) => memory.apply(changes),
            Engine::Redis(redis) => redis.apply(changes).await,
            Engine::Postgres(pg) => pg.apply(changes).await,
            Engine::Sqlite(sqlite) => sqlite.apply(changes).await,
        }
    }
}
