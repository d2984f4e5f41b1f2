//! Databases, as bytes and cells: one contract over memory, SQLite, Redis and PostgreSQL.
//!
//! The read half and the write half (`write`) are separate types; this is the read half, and there is
//! no way from it to a change. Stores know no layout.
//! Invariant: every answer is bounded, and nothing waits longer than the target's time-out.

pub mod error;
pub mod facts;
mod glob;
pub mod lane;
pub mod logs;
pub mod memory;
mod postgres;
mod redis;
pub mod sql;
mod sqlite;
pub mod target;
mod wire;
pub mod write;

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::domain::Timestamp;
use crate::domain::change::{Piece, PieceState, RowState, TableShape};
use crate::domain::raw::{
    ColumnWant, KeyRead, KeyType, KeyValue, MemberPage, RawKey, RawRows, Ttl,
};
use crate::domain::survey::{KeySample, Table};

pub use error::{StoreError, StoreErrorKind};
pub use facts::{Eviction, Lag, Place, StoreFacts};
pub use memory::{ExactMemory, MemoryStore};
pub use sqlite::own;
pub use target::{EngineTarget, Target};
pub use write::{Batch, WriteStore, open_writing};

/// How a store is built: keys with values, or tables with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Keys,
    Tables,
}

/// One step through a key space: the next page of names, and values of keys from earlier pages.
#[derive(Clone, Debug, Default)]
pub struct KeyStep<'s> {
    pub scan: Option<ScanStep>,
    pub fetch: &'s [(Vec<u8>, KeyRead)],
}

#[derive(Clone, Debug)]
pub struct ScanStep {
    pub cursor: u64,
    /// A glob that the server matches; `None` for all keys.
    pub glob: Option<Vec<u8>>,
    pub count: usize,
}

#[derive(Clone, Debug, Default)]
pub struct KeyStepResult {
    /// The next cursor, 0 at the end; `None` if nothing was scanned.
    pub cursor: Option<u64>,
    /// How much of the names was walked, from 0 to 1, where cursors tell.
    pub share: Option<f32>,
    pub names: Vec<Vec<u8>>,
    /// In the order of `fetch`.
    pub values: Vec<RawKey>,
}

/// Rows to read of one table.
#[derive(Clone, Debug)]
pub struct RowQuery {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub wants: Vec<ColumnWant>,
    pub filter: RowFilter,
    /// At most so many rows.
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RowFilter {
    All,
    /// Every one of these columns, as text, has this value.
    Equals(Vec<(String, String)>),
    /// The same for the columns of an address, in which an empty text also stands for what is not
    /// there.
    Address(Vec<(String, String)>),
}

/// A full read of one table.
#[derive(Clone, Debug)]
pub struct RowScan {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub wants: Vec<ColumnWant>,
    /// Rows the catalogue estimates; a huge table is read in bounded snapshots.
    pub estimate: Option<u64>,
    pub pace: Pace,
}

/// Rows to read exactly, as a change of them needs it.
#[derive(Clone, Debug)]
pub struct ExactQuery {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    /// The key columns' values as text, as in an address.
    pub keys: Vec<Vec<String>>,
    /// What a layout reads of each row, of the same snapshot.
    pub wants: Vec<ColumnWant>,
}

/// What [`ReadStore::exact_rows`] found, in the order of the keys that were asked for.
#[derive(Clone, Debug, Default)]
pub struct ExactRows {
    pub shape: Arc<TableShape>,
    pub rows: Vec<ExactRow>,
    /// The wants of each row; all null for a row that is not there.
    pub typed: RawRows,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExactRow {
    pub state: RowState,
    /// Whether a running transaction holds the row; `None` where that cannot be told while looking.
    pub held: Option<bool>,
    /// Whether other rows have the same key, so that it is not known which one is meant.
    pub is_one_of_several: bool,
}

/// Why a piece could not be read exactly.
#[derive(Clone, Debug, PartialEq)]
pub enum Unread {
    /// Larger than what is kept for undo.
    TooLarge(u64),
    /// A type that is never changed from here.
    OtherType(KeyType),
    /// The store refused; the text says why.
    Refused(String),
}

/// The largest value, or row, that is kept for undo.
pub const EXACT_BYTES_MAX: usize = 16 << 20;

/// How hard a scan may work the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pace {
    #[default]
    Gentle,
    Full,
}

/// The read half of a store.
#[derive(Debug)]
pub struct ReadStore {
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Memory(MemoryStore),
    Redis(redis::RedisStore),
    Postgres(Box<postgres::PostgresStore>),
    Sqlite(sqlite::SqliteStore),
}

/// Connects to what `target` names.
///
/// Errors: unreachable, login refused, TLS not trustworthy, timed out.
pub async fn open(target: &Target) -> Result<ReadStore, StoreError> {
    let engine = match &target.engine {
        EngineTarget::Redis(redis) => Engine::Redis(
            redis::RedisStore::open(redis, target.ssh.as_ref(), target.timeout).await?,
        ),
        EngineTarget::Postgres(pg) => {
            Engine::Postgres(Box::new(postgres::PostgresStore::open(target, pg).await?))
        }
        EngineTarget::Sqlite(sqlite) => {
            Engine::Sqlite(sqlite::SqliteStore::open(sqlite, target.timeout).await?)
        }
    };
    Ok(ReadStore { engine })
}

/// Opens the server that takes changes, where the store that is looked at may be another one.
pub async fn open_where_changes_go(target: &Target) -> Result<Option<ReadStore>, StoreError> {
    match target.where_changes_go() {
        Some(target) => open(&target).await.map(Some),
        None => Ok(None),
    }
}

impl ReadStore {
    /// A store in memory: the oracle of the contract's tests.
    pub fn memory(store: MemoryStore) -> ReadStore {
        ReadStore {
            engine: Engine::Memory(store),
        }
    }

    /// Whether it is a file, whose columns hold what they like.
    pub fn is_file(&self) -> bool {
        matches!(self.engine, Engine::Sqlite(_))
    }

    pub fn family(&self) -> Family {
        match &self.engine {
            Engine::Memory(memory) => memory.family(),
            Engine::Redis(_) => Family::Keys,
            Engine::Postgres(_) | Engine::Sqlite(_) => Family::Tables,
        }
    }

    /// Servers that hold a part of it each.
    pub fn width(&self) -> usize {
        match &self.engine {
            Engine::Redis(redis) => redis.width(),
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => 1,
        }
    }

    /// Which of the servers has this key, as far as is known, below [`ReadStore::width`]: what is asked
    /// of one server only does not wait for the others.
    pub fn lane(&self, name: &[u8]) -> usize {
        match &self.engine {
            Engine::Redis(redis) => redis.lane(name),
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => 0,
        }
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.facts()),
            Engine::Redis(redis) => redis.facts().await,
            Engine::Postgres(pg) => pg.facts().await,
            Engine::Sqlite(sqlite) => sqlite.facts().await,
        }
    }

    /// The store's clock; `None` where it does not tell it to this login.
    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.clock()),
            Engine::Redis(redis) => redis.clock().await,
            Engine::Postgres(pg) => pg.clock().await,
            Engine::Sqlite(_) => Ok(None),
        }
    }

    /// A bounded sample of a key space; empty for a store of tables.
    pub async fn key_sample(&self, names_max: usize) -> Result<KeySample, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.key_sample(names_max)),
            Engine::Redis(redis) => redis.sample(names_max).await,
            Engine::Postgres(_) | Engine::Sqlite(_) => Ok(KeySample::default()),
        }
    }

    /// One step through a key space.
    pub async fn key_step(&self, step: KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.key_step(&step)),
            Engine::Redis(redis) => redis.step(&step).await,
            Engine::Postgres(_) | Engine::Sqlite(_) => Ok(KeyStepResult::default()),
        }
    }

    /// As [`ReadStore::key_step`], in the middle of a walk: a line that breaks is waited for a while.
    pub async fn key_step_in_walk(&self, step: KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
        match &self.engine {
            Engine::Redis(redis) => redis.step_in_walk(&step).await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                self.key_step(step).await
            }
        }
    }

    /// A page of a set, hash or sorted set: about `count` members from a cursor on, 0 at first.
    pub async fn members(
        &self,
        name: &[u8],
        kind: KeyType,
        cursor: u64,
        count: usize,
    ) -> Result<MemberPage, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.members(name, cursor, count)),
            Engine::Redis(redis) => redis.members(name, kind, cursor, count).await,
            Engine::Postgres(_) | Engine::Sqlite(_) => Ok(MemberPage {
                value: KeyValue::Missing,
                ttl: Ttl::Unknown,
                next: None,
            }),
        }
    }

    /// The tables and views this login can see; empty for a key space.
    pub async fn tables(&self) -> Result<Vec<Table>, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.tables()),
            Engine::Redis(_) => Ok(Vec::new()),
            Engine::Postgres(pg) => pg.tables().await,
            Engine::Sqlite(sqlite) => sqlite.tables().await,
        }
    }

    /// A few rows.
    pub async fn rows(&self, query: &RowQuery) -> Result<RawRows, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => memory.rows(query),
            Engine::Redis(_) => Ok(RawRows::new(query.wants.len())),
            Engine::Postgres(pg) => pg.rows(query).await,
            Engine::Sqlite(sqlite) => sqlite.rows(query).await,
        }
    }

    /// Pieces of a key space, exactly, each with its absolute expiry.
    pub async fn exact_pieces(
        &self,
        pieces: &[Piece],
    ) -> Result<Vec<Result<PieceState, Unread>>, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => Ok(memory.exact.pieces(pieces)),
            Engine::Redis(redis) => redis.exact(pieces).await,
            Engine::Postgres(_) | Engine::Sqlite(_) => {
                let none = || Unread::Refused("this store holds tables, no keys".to_owned());
                Ok(pieces.iter().map(|_| Err(none())).collect())
            }
        }
    }

    /// Why pieces of one record cannot be changed in one step; `None` where they can.
    pub fn spans<'p>(&self, pieces: impl Iterator<Item = &'p Piece>) -> Option<String> {
        match &self.engine {
            Engine::Redis(redis) => redis.spans(pieces),
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => None,
        }
    }

    /// Rows of one table, exactly.
    pub async fn exact_rows(&self, query: &ExactQuery) -> Result<ExactRows, StoreError> {
        match &self.engine {
            Engine::Memory(memory) => memory.exact.rows(query),
            Engine::Redis(_) => Ok(ExactRows::default()),
            Engine::Postgres(pg) => pg.exact(query).await,
            Engine::Sqlite(sqlite) => sqlite.exact(query).await,
        }
    }

    /// Reads a whole table, page by page, into `pages`. Ends early, without an error, when the
    /// receiver is dropped.
    pub async fn scan_rows(
        &self,
        scan: &RowScan,
        pages: mpsc::Sender<RawRows>,
    ) -> Result<(), StoreError> {
        match &self.engine {
            Engine::Memory(memory) => memory.scan_rows(scan, pages).await,
            Engine::Redis(_) => Ok(()),
            Engine::Postgres(pg) => pg.scan(scan, pages).await,
            Engine::Sqlite(sqlite) => sqlite.scan(scan, pages).await,
        }
    }
}
