//! Applications that work in records while an operator repairs them.
//!
//! Apart from the race because only this knows how each store is written to. Invariants: a step
//! tells what stood there before, read in the same atomic step; no two writes are alike.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use ::redis::{ConnectionLike, Script};
use idemscope::domain::Timestamp;
use idemscope::domain::change::{ExactCell, ExactValue, PieceState};
use idemscope::domain::raw::RawAddress;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, SqliteConnection};

use crate::support::postgres;

/// All that stands in a record, as text; `None` where there is none.
pub type State = Option<String>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Complete,
    /// More time for the lock.
    Renew,
    /// A new lock, whatever was there.
    Claim,
    Delete,
    Look,
    /// A transaction that stays open.
    Hold,
}

pub trait App {
    fn address(&self, record: usize) -> RawAddress;
    /// What stood there, and what stands there now.
    fn act(&mut self, record: usize, deed: Deed) -> (State, State);
    /// Until when the lock lives, where the store tells.
    fn lives_until(&mut self, record: usize) -> Option<Timestamp>;
    /// Begins a transaction that holds a record; `None` where there is no such thing.
    fn hold(&mut self, _record: usize) -> Option<State> {
        None
    }
    /// What the open transaction sees.
    fn held(&mut self, _record: usize) -> Option<State> {
        None
    }
    fn let_go(&mut self) {}
}

pub struct RedisApp {
    connection: Box<dyn ConnectionLike + Send>,
    script: Script,
    token: u64,
}

/// Before and after as `value@expiry`, in one step.
const STEP: &str = "
    local function state()
      local value = redis.call('GET', KEYS[1])
      return value and value .. '@' .. redis.call('PEXPIRETIME', KEYS[1]) or ''
    end
    local before = state()
    if ARGV[1] == 'claim' then redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
    elseif ARGV[1] == 'complete' then redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
    elseif ARGV[1] == 'renew' then redis.call('PEXPIREAT', KEYS[1], ARGV[3])
    elseif ARGV[1] == 'delete' then redis.call('DEL', KEYS[1]) end
    return { before, state() }";

impl RedisApp {
    pub fn new(connection: impl ConnectionLike + Send + 'static) -> RedisApp {
        RedisApp {
            connection: Box::new(connection),
            script: Script::new(STEP),
            token: 0,
        }
    }

    pub fn key(record: usize) -> String {
        format!("node-idempotency:POST:/payments:ord-{record}")
    }
}

impl App for RedisApp {
    fn address(&self, record: usize) -> RawAddress {
        RawAddress::Key(Self::key(record).into_bytes())
    }

    fn act(&mut self, record: usize, deed: Deed) -> (State, State) {
        self.token += 1;
        let token = self.token;
        let (word, value) = match deed {
            Deed::Complete => (
                "complete",
                format!(
                    r#"{{"status":"COMPLETE","fingerPrint":"{token}","response":{{"body":{{}}}}}}"#
                ),
            ),
            Deed::Renew => ("renew", String::new()),
            Deed::Claim => (
                "claim",
                format!(r#"{{"status":"IN_PROGRESS","fingerPrint":"{token}"}}"#),
            ),
            Deed::Delete => ("delete", String::new()),
            Deed::Look | Deed::Hold => ("look", String::new()),
        };
        // Some renewals are so small that nothing but the comparison in the store tells them.
        let expiry = 4_000_000_000_000 + token * if token.is_multiple_of(3) { 3_000 } else { 1 };
        let (before, after): (String, String) = self
            .script
            .key(Self::key(record))
            .arg(word)
            .arg(value)
            .arg(expiry)
            .invoke(&mut *self.connection)
            .expect("a step of the application");
        let state = |text: String| (!text.is_empty()).then_some(text);
        (state(before), state(after))
    }

    fn lives_until(&mut self, record: usize) -> Option<Timestamp> {
        let (state, _) = self.act(record, Deed::Look);
        let (_, expiry) = state.as_ref()?.rsplit_once('@')?;
        expiry.parse().ok().map(Timestamp)
    }
}

/// What a plan saw, in this application's words.
pub fn piece_text(state: &PieceState) -> State {
    let PieceState::Value {
        value: ExactValue::String(bytes),
        expires_at,
    } = state
    else {
        return None;
    };
    let expiry = expires_at.map_or(-1, |at| at.0);
    Some(format!("{}@{expiry}", String::from_utf8_lossy(bytes)))
}

pub fn cell_text(cell: &ExactCell) -> String {
    match cell {
        ExactCell::Null => String::new(),
        ExactCell::Int(number) => number.to_string(),
        ExactCell::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn key(record: usize) -> String {
    format!("00000000-0000-4000-8000-{record:012}")
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key TYPE_UUID PRIMARY KEY, \
    created_at TYPE_TIME NOT NULL, expires_at TYPE_TIME NOT NULL, request_path text, \
    payload_hash text, response_status int, response_body text, locked_at TYPE_TIME)";

fn state_of(record: usize) -> String {
    format!(
        "SELECT coalesce(payload_hash, '') || '|' || coalesce(CAST(locked_at AS text), '') || '|' \
         || coalesce(CAST(response_status AS text), '') FROM idempotency_keys WHERE key = '{}'",
        key(record)
    )
}

/// What a deed is in SQL. A lock that was just taken is as old as one that is stuck; one that is
/// renewed has a time of now.
fn statement(record: usize, deed: Deed, token: u64) -> String {
    let key = key(record);
    let old = format!("2024-01-01 10:00:00.{:06}+00", token % 1_000_000);
    match deed {
        Deed::Complete => format!(
            "UPDATE idempotency_keys SET locked_at = NULL, response_status = 201, \
             payload_hash = 'done-{token}' WHERE key = '{key}'"
        ),
        Deed::Renew if token.is_multiple_of(2) => {
            format!("UPDATE idempotency_keys SET locked_at = '{old}' WHERE key = '{key}'")
        }
        Deed::Renew => format!(
            "UPDATE idempotency_keys SET locked_at = CURRENT_TIMESTAMP, payload_hash = 'renewed-{token}' \
             WHERE key = '{key}' AND locked_at IS NOT NULL"
        ),
        Deed::Claim => format!(
            "DELETE FROM idempotency_keys WHERE key = '{key}'; INSERT INTO idempotency_keys VALUES \
             ('{key}', '{old}', '2099-01-01 00:00:00+00', '/pay', 'lock-{token}', NULL, NULL, '{old}')"
        ),
        Deed::Delete => format!("DELETE FROM idempotency_keys WHERE key = '{key}'"),
        Deed::Look | Deed::Hold => "SELECT 1".to_owned(),
    }
}

/// A database as an application has it open, with a second connection for what is held.
enum Open {
    Postgres(Box<(PgConnection, PgConnection)>),
    Sqlite(Box<SqliteConnection>),
}

enum Ask {
    Act(usize, Deed, u64),
    Hold(usize),
    Held(usize),
    LetGo,
}

/// An application in a table, on a thread of its own.
pub struct SqlApp {
    ask: SyncSender<Ask>,
    told: Receiver<(State, State)>,
    schema: &'static str,
    token: u64,
}

impl SqlApp {
    pub fn in_postgres(server: &postgres::Server, database: &str) -> SqlApp {
        let types = [("TYPE_UUID", "uuid"), ("TYPE_TIME", "timestamptz")];
        server.execute(database, &table(types));
        let options: PgConnectOptions = server.database_url(database).parse().expect("a URL");
        SqlApp::working("public", async move || {
            let one = options.connect().await.expect("a connection");
            let other = options.connect().await.expect("a connection");
            Open::Postgres(Box::new((one, other)))
        })
    }

    pub fn in_sqlite(file: &Path) -> SqlApp {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .busy_timeout(Duration::from_secs(20));
        SqlApp::working("main", async move || {
            let mut connection = options.connect().await.expect("a connection");
            let types = [("TYPE_UUID", "text"), ("TYPE_TIME", "text")];
            let create = sqlx::raw_sql(AssertSqlSafe(table(types)));
            create.execute(&mut connection).await.expect("a table");
            Open::Sqlite(Box::new(connection))
        })
    }

    fn working(schema: &'static str, open: impl AsyncFnOnce() -> Open + Send + 'static) -> SqlApp {
        let (ask, asked) = sync_channel(1);
        let (tell, told) = sync_channel(1);
        let work = move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().expect("a runtime");
            let mut database = runtime.block_on(open());
            while let Ok(ask) = asked.recv() {
                let answer = runtime.block_on(database.answer(ask));
                if tell.send(answer).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("sql-app".to_owned());
        thread.spawn(work).expect("a thread");
        SqlApp {
            ask,
            told,
            schema,
            token: 0,
        }
    }

    fn asked(&self, ask: Ask) -> (State, State) {
        self.ask.send(ask).expect("the application works");
        self.told.recv().expect("the application works")
    }
}

impl App for SqlApp {
    fn address(&self, record: usize) -> RawAddress {
        RawAddress::Row {
            schema: self.schema.into(),
            table: "idempotency_keys".into(),
            key: vec![key(record)],
        }
    }

    fn act(&mut self, record: usize, deed: Deed) -> (State, State) {
        self.token += 1;
        self.asked(Ask::Act(record, deed, self.token))
    }

    fn lives_until(&mut self, _record: usize) -> Option<Timestamp> {
        None
    }

    fn hold(&mut self, record: usize) -> Option<State> {
        let can = self.schema == "public";
        can.then(|| self.asked(Ask::Hold(record)).0)
    }

    fn held(&mut self, record: usize) -> Option<State> {
        Some(self.asked(Ask::Held(record)).0)
    }

    fn let_go(&mut self) {
        self.asked(Ask::LetGo);
    }
}

impl Open {
    async fn answer(&mut self, ask: Ask) -> (State, State) {
        match (self, ask) {
            (Open::Postgres(two), Ask::Act(record, deed, token)) => {
                let own = &mut two.0;
                pg(own, "BEGIN").await;
                let look = format!("{} FOR UPDATE", state_of(record));
                let before = pg_state(own, &look).await;
                pg(own, &statement(record, deed, token)).await;
                let after = pg_state(own, &state_of(record)).await;
                pg(own, "COMMIT").await;
                (before, after)
            }
            (Open::Postgres(two), Ask::Hold(record)) => {
                pg(&mut two.1, "BEGIN").await;
                let look = format!("{} FOR UPDATE", state_of(record));
                (pg_state(&mut two.1, &look).await, None)
            }
            (Open::Postgres(two), Ask::Held(record)) => {
                (pg_state(&mut two.1, &state_of(record)).await, None)
            }
            (Open::Postgres(two), Ask::LetGo) => {
                pg(&mut two.1, "COMMIT").await;
                (None, None)
            }
            (Open::Sqlite(own), Ask::Act(record, deed, token)) => {
                lite(own, "BEGIN IMMEDIATE").await;
                let before = lite_state(own, &state_of(record)).await;
                lite(own, &statement(record, deed, token)).await;
                let after = lite_state(own, &state_of(record)).await;
                lite(own, "COMMIT").await;
                (before, after)
            }
            (Open::Sqlite(_), _) => (None, None),
        }
    }
}

async fn pg(connection: &mut PgConnection, sql: &str) {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    sql.execute(connection).await.expect("SQL");
}

async fn pg_state(connection: &mut PgConnection, sql: &str) -> State {
    let sql = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
    sql.fetch_optional(connection).await.expect("a state")
}

async fn lite(connection: &mut SqliteConnection, sql: &str) {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    sql.execute(connection).await.expect("SQL");
}

async fn lite_state(connection: &mut SqliteConnection, sql: &str) -> State {
    let sql = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()));
    sql.fetch_optional(connection).await.expect("a state")
}

fn table(types: [(&str, &str); 2]) -> String {
    let replaced = |table: String, (name, of): (&str, &str)| table.replace(name, of);
    types.into_iter().fold(TABLE.to_owned(), replaced)
}
