//! Logs of attempts, and what a server counts of itself: streams by pages, tables by time.
//!
//! Apart from the reading of records because a log is read in its order and by a window of time.
//! Invariant: as everything of the read half, bounded and without a way to write.

use std::sync::Arc;
use std::time::Duration;

pub use super::redis::Listener;
use super::{Engine, ReadStore, StoreError};
use crate::domain::attempt::LogUnit;
use crate::domain::raw::{ColumnKind, ColumnWant, RawRows};

/// Where in a stream an entry stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StreamId {
    pub ms: u64,
    pub seq: u64,
}

impl StreamId {
    /// The next one that there can be.
    pub fn next(self) -> StreamId {
        match self.seq.checked_add(1) {
            Some(seq) => StreamId { ms: self.ms, seq },
            None => StreamId {
                ms: self.ms.saturating_add(1),
                seq: 0,
            },
        }
    }
}

/// A page of a stream.
#[derive(Clone, Debug)]
pub struct StreamQuery {
    pub name: Vec<u8>,
    pub from: StreamId,
    /// The last millisecond that is read.
    pub to_ms: u64,
    pub count: usize,
}

/// Field names and values, in their order.
pub type StreamFields = Vec<(Vec<u8>, Vec<u8>)>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamPage {
    pub entries: Vec<(StreamId, StreamFields)>,
    /// Entries that could not be understood.
    pub strange: u64,
}

/// Streams of a key space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamNames {
    pub names: Vec<Vec<u8>>,
    /// Whether there are no others.
    pub complete: bool,
}

/// What tells rows of one time apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tie {
    /// A column of integers that no two rows share.
    Number(String),
    /// Where the row stands, by the store's own name for that.
    Address(String),
}

/// Where a page ended.
#[derive(Clone, Debug, PartialEq)]
pub struct After {
    /// In the unit of the column.
    pub time: i64,
    /// The time itself, where a store has it between two numbers.
    pub between: Option<f64>,
    pub tie: TieAt,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TieAt {
    /// Before all rows of that time.
    First,
    Number(i64),
    Address(String),
}

/// By what the pages of a table go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOrder {
    /// Time, then number: the time is indexed.
    Time,
    /// Number alone, where there is one.
    Number,
}

/// A page of a table in the order of time.
#[derive(Clone, Debug)]
pub struct PageQuery {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub time: String,
    /// An integer, or a point in time.
    pub time_kind: ColumnKind,
    /// That of an integer; points in time come as microseconds.
    pub unit: LogUnit,
    pub tie: Tie,
    pub wants: Vec<ColumnWant>,
    pub order: PageOrder,
    /// In milliseconds; `to` is not within.
    pub from_ms: i64,
    pub to_ms: i64,
    pub after: Option<After>,
    pub limit: usize,
}

impl PageQuery {
    /// From when on, in the unit of the column: of seconds from a whole one on, since there may be
    /// fractions of them. What lies before the end of the former page is not gone
    /// through again: of two bounds an index is entered at either one.
    pub fn begin(&self) -> i64 {
        let begin = self.unit.down_from_millis(self.from_ms);
        match (&self.after, self.order) {
            (Some(after), PageOrder::Time) => begin.max(after.time),
            _ => begin,
        }
    }

    /// Until when, in the unit of the column; it is not within.
    pub fn end(&self) -> i64 {
        self.unit.from_millis(self.to_ms)
    }

    /// Time and tie come before what is wanted.
    pub fn all_wants(&self) -> Vec<ColumnWant> {
        let value = |column: &String, kind| ColumnWant::Value {
            column: column.clone(),
            kind,
        };
        let mut all = vec![
            value(&self.time, self.time_kind),
            match &self.tie {
                Tie::Number(column) => value(column, ColumnKind::Int),
                Tie::Address(column) => value(column, ColumnKind::Other),
            },
        ];
        all.extend(self.wants.iter().cloned());
        all
    }
}

/// What a server counts since it started or was reset; what it does not tell is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerCounts {
    pub expired: Option<u64>,
    pub evicted: Option<u64>,
    pub hits: Option<u64>,
    pub misses: Option<u64>,
}

/// What a database counts of one table since its statistics were reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCounts {
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
    pub dead: u64,
    /// Statements that insert into it, as `pg_stat_statements` has them: calls and rows.
    pub claims: Result<(u64, u64), Untold>,
}

/// Why a server does not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    NotByThisStore,
    NoRights,
    NotInstalled,
    /// It throws keys away by how often they are used.
    CountsUse,
    /// Changes came, and no event named them.
    NotEnabled,
    /// Nothing came.
    NothingHeard,
    LineLost,
    /// The names that are asked for are anybody's.
    WideNames,
}

/// What a server told of the keys of records while it was listened to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub written: u64,
    pub deleted: u64,
    pub expired: u64,
    pub evicted: u64,
    /// Events of other names.
    pub other: u64,
}

impl Heard {
    pub fn add(&mut self, more: &Heard) {
        self.written += more.written;
        self.deleted += more.deleted;
        self.expired += more.expired;
        self.evicted += more.evicted;
        self.other += more.other;
    }

    pub fn all(&self) -> u64 {
        self.written + self.deleted + self.expired + self.evicted + self.other
    }
}

/// What listening has come to so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listened {
    /// Keyspace events.
    pub events: Result<Heard, Untold>,
    /// Times that the name of a changed key was pushed.
    pub pushes: Result<u64, Untold>,
}

/// What a command does to a key, as far as it is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Writes only where there is nothing: `SET … NX`, `SETNX`, `HSETNX`.
    Claim,
    Read,
    Write,
    Delete,
    Other,
}

/// A command that a server carried out.
#[derive(Clone, Copy, Debug)]
pub struct SeenCommand<'a> {
    pub kind: CommandKind,
    /// Its first key, where that is one of a record.
    pub key: Option<&'a [u8]>,
}

/// When keys were last touched: milliseconds since, and what is left of their lives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdleTimes {
    pub keys: Vec<(i64, i64)>,
}

impl ReadStore {
    /// The streams there are, whatever they hold; none in a store of tables.
    pub async fn streams(&self) -> Result<StreamNames, StoreError> {
        match &self.engine {
            Engine::Redis(redis) => redis.streams().await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => Ok(StreamNames {
                complete: true,
                ..StreamNames::default()
            }),
        }
    }

    pub async fn stream_page(&self, query: &StreamQuery) -> Result<StreamPage, StoreError> {
        match &self.engine {
            Engine::Redis(redis) => redis.stream_page(query).await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                Ok(StreamPage::default())
            }
        }
    }

    /// Time, number and the wants of each row.
    pub async fn row_page(&self, query: &PageQuery) -> Result<RawRows, StoreError> {
        match &self.engine {
            Engine::Postgres(pg) => pg.page(query).await,
            Engine::Sqlite(sqlite) => sqlite.page(query).await,
            Engine::Memory(_) | Engine::Redis(_) => Ok(RawRows::new(query.wants.len() + 2)),
        }
    }

    pub async fn server_counts(&self) -> Result<ServerCounts, Untold> {
        match &self.engine {
            Engine::Redis(redis) => redis.counts().await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                Err(Untold::NotByThisStore)
            }
        }
    }

    pub async fn table_counts(&self, schema: &str, table: &str) -> Result<TableCounts, Untold> {
        match &self.engine {
            Engine::Postgres(pg) => pg.counts(schema, table).await,
            Engine::Memory(_) | Engine::Redis(_) | Engine::Sqlite(_) => Err(Untold::NotByThisStore),
        }
    }

    /// Listens to changes of keys that these globs match, until the listener is dropped.
    pub async fn listen(&self, globs: Vec<Vec<u8>>) -> Result<Listener, Untold> {
        match &self.engine {
            Engine::Redis(redis) => Ok(redis.listen(globs).await),
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                Err(Untold::NotByThisStore)
            }
        }
    }

    /// Tells each command that the server carries out until the time is over; it is slower meanwhile.
    pub async fn monitor(
        &self,
        globs: &[Vec<u8>],
        span: Duration,
        see: impl FnMut(SeenCommand<'_>),
    ) -> Result<(), Untold> {
        match &self.engine {
            Engine::Redis(redis) => redis.monitor(globs, span, see).await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                Err(Untold::NotByThisStore)
            }
        }
    }

    /// Asks of keys how long nobody touched them; asking is no touch.
    pub async fn idle_times(&self, names: &[Vec<u8>]) -> Result<IdleTimes, Untold> {
        match &self.engine {
            Engine::Redis(redis) => redis.idle_times(names).await,
            Engine::Memory(_) | Engine::Postgres(_) | Engine::Sqlite(_) => {
                Err(Untold::NotByThisStore)
            }
        }
    }
}
