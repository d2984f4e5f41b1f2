//! Redis and what speaks its protocol, read with the smallest rights.
//!
//! What the login may do is probed once and never assumed from a version. Only commands of the
//! allow-list in `allowed` are sent. Order within a key: its TTL first, content after, since
//! reading content makes the key look used.

pub mod change;
mod connect;
mod exact;
mod fetch;
mod listen;
mod log;
mod monitor;
mod whole;

use std::collections::HashSet;
use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, Value};
use tokio::sync::Mutex;

use super::target::RedisTarget;
use super::{Eviction, KeyStep, KeyStepResult, StoreError, StoreErrorKind, StoreFacts, Unread};
use crate::domain::Timestamp;
use crate::domain::change::{Piece, PieceState};
use crate::domain::raw::{KeyType, MemberPage};
use crate::domain::survey::KeySample;
use connect::Connector;
pub use listen::Listener;

pub struct RedisStore {
    connector: Connector,
    connection: Mutex<Option<MultiplexedConnection>>,
    abilities: Abilities,
}

/// Where a connection comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Held,
    New,
}

/// What this login may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    pub time: bool,
    pub getrange: bool,
    pub strlen: bool,
    pub hmget: bool,
    pub info: bool,
    pub dbsize: bool,
    /// From Redis 7.0 on.
    pub expiretime: bool,
}

/// Everything this store ever sends. The read half has no way to write.
fn allowed(command: &str) -> bool {
    matches!(
        command,
        "SCAN"
            | "PTTL"
            | "PEXPIRETIME"
            | "TYPE"
            | "GET"
            | "GETRANGE"
            | "STRLEN"
            | "HMGET"
            | "HGETALL"
            | "HLEN"
            | "HSCAN"
            | "SSCAN"
            | "SCARD"
            | "SISMEMBER"
            | "ZSCAN"
            | "ZSCORE"
            | "ZCARD"
            | "ZRANGE"
            | "XRANGE"
            | "OBJECT"
            | "TIME"
            | "DBSIZE"
            | "INFO"
            | "PING"
            | "CLIENT"
    )
}

/// Adds a command to a pipeline, if it may be sent at all.
pub fn push(pipeline: &mut Pipeline, command: &'static str, arguments: &[&[u8]]) {
    debug_assert!(allowed(command), "{command} is not on the allow-list");
    if allowed(command) {
        let command = pipeline.cmd(command);
        for argument in arguments {
            command.arg(*argument);
        }
    }
}

impl std::fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore")
            .field("abilities", &self.abilities)
            .finish_non_exhaustive()
    }
}

impl RedisStore {
    pub async fn open(target: &RedisTarget, timeout: Duration) -> Result<RedisStore, StoreError> {
        let mut store = RedisStore {
            connector: Connector::new(target, timeout)?,
            connection: Mutex::new(None),
            abilities: Abilities::default(),
        };
        match store.probe().await {
            Ok(abilities) => store.abilities = abilities,
            Err(error) => {
                use StoreErrorKind::{Lost, TimedOut, Unreachable};
                return Err(match error.kind {
                    Lost | TimedOut | Unreachable => store.connector.diagnose(error).await,
                    _ => error,
                });
            }
        }
        Ok(store)
    }

    async fn probe(&self) -> Result<Abilities, StoreError> {
        // A name that nobody uses: the answers tell rights, not content.
        let nobody: &[u8] = b"idemscope:no-such-key";
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "PING", &[]);
        push(&mut pipeline, "TIME", &[]);
        push(&mut pipeline, "GETRANGE", &[nobody, b"0", b"0"]);
        push(&mut pipeline, "STRLEN", &[nobody]);
        push(&mut pipeline, "HMGET", &[nobody, b"f"]);
        push(&mut pipeline, "INFO", &[b"server"]);
        push(&mut pipeline, "DBSIZE", &[]);
        push(&mut pipeline, "PEXPIRETIME", &[nobody]);
        let answers = self.send(&pipeline, 8).await?;
        if let Some(Value::ServerError(error)) = answers.first() {
            if error.code() == "NOAUTH" {
                let text = format!("{} asks for a password", self.connector.label());
                return Err(StoreError::new(StoreErrorKind::Login, text));
            }
            if error.code() == "LOADING" {
                let text = format!("{} is still loading its data", self.connector.label());
                return Err(StoreError::new(StoreErrorKind::Unreachable, text));
            }
        }
        let may = |at: usize| answers.get(at).is_some_and(|answer| !lacks_right(answer));
        Ok(Abilities {
            time: may(1),
            getrange: may(2),
            strlen: may(3),
            hmget: may(4),
            info: may(5),
            dbsize: may(6),
            expiretime: may(7),
        })
    }

    /// Sends a pipeline and waits for its answers, errors of single commands among them.
    ///
    /// A connection that was cut while it lay idle is made anew, once: everything here only reads.
    /// Errors: the line is lost or nothing came in time; the next call connects anew.
    async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        let (connection, origin) = self.connection().await?;
        match self.send_by(connection, pipeline, count).await {
            Err(error) if error.kind == StoreErrorKind::Lost && origin == Origin::Held => {
                let (connection, _) = self.connection().await?;
                self.send_by(connection, pipeline, count).await
            }
            other => other,
        }
    }

    async fn send_by(
        &self,
        mut connection: MultiplexedConnection,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<Vec<Value>, StoreError> {
        match connection.send_packed_commands(pipeline, 0, count).await {
            Ok(answers) => Ok(answers),
            Err(error) => {
                *self.connection.lock().await = None;
                Err(self.connector.explain(&error, connect::Phase::Talking))
            }
        }
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, Origin), StoreError> {
        let mut held = self.connection.lock().await;
        if let Some(connection) = held.as_ref() {
            return Ok((connection.clone(), Origin::Held));
        }
        let connection = self.connector.connect().await?;
        *held = Some(connection.clone());
        Ok((connection, Origin::New))
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "INFO", &[b"server"]);
        push(&mut pipeline, "DBSIZE", &[]);
        push(&mut pipeline, "INFO", &[b"memory"]);
        push(&mut pipeline, "INFO", &[b"stats"]);
        let answers = self.send(&pipeline, 4).await?;
        let info = answers.first().and_then(text_of).unwrap_or_default();
        let total = match answers.get(1) {
            Some(Value::Int(total)) => u64::try_from(*total).ok(),
            _ => None,
        };
        let mut missing_rights = Vec::new();
        for (may, text) in [
            (
                self.abilities.time,
                "TIME: ages are by this machine's clock",
            ),
            (self.abilities.getrange, "GETRANGE: values are read whole"),
            (self.abilities.hmget, "HMGET: hashes cannot be read"),
        ] {
            if !may {
                missing_rights.push(text.to_owned());
            }
        }
        Ok(StoreFacts {
            eviction: eviction(&answers),
            product: product(&info),
            encryption: Some(self.connector.encryption().to_owned()),
            total,
            missing_rights,
        })
    }

    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        if !self.abilities.time {
            return Ok(None);
        }
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "TIME", &[]);
        let answers = self.send(&pipeline, 1).await?;
        Ok(answers.first().and_then(exact::millis).map(Timestamp))
    }

    /// Names from the beginning of the server's own, scattered order.
    pub async fn sample(&self, names_max: usize) -> Result<KeySample, StoreError> {
        let mut sample = KeySample::default();
        if self.abilities.dbsize {
            let mut pipeline = Pipeline::new();
            push(&mut pipeline, "DBSIZE", &[]);
            if let Some(Value::Int(total)) = self.send(&pipeline, 1).await?.first() {
                sample.total = u64::try_from(*total).ok();
            }
        }
        let mut seen: HashSet<Vec<u8>> = HashSet::new();
        let mut cursor = 0;
        loop {
            let step = super::ScanStep {
                cursor,
                glob: None,
                count: 500,
            };
            let step = KeyStep {
                scan: Some(step),
                fetch: &[],
            };
            let page = self.step(&step).await?;
            for name in page.names {
                if seen.insert(name.clone()) {
                    sample.names.push(name);
                }
            }
            cursor = page.cursor.unwrap_or(0);
            sample.complete = cursor == 0 && sample.names.len() <= names_max;
            if cursor == 0 || sample.names.len() >= names_max {
                break;
            }
        }
        sample.names.truncate(names_max);
        Ok(sample)
    }

    /// A page of a set, hash or sorted set.
    pub async fn members(
        &self,
        name: &[u8],
        kind: KeyType,
        cursor: u64,
        count: usize,
    ) -> Result<MemberPage, StoreError> {
        whole::page(self, name, kind, cursor, count).await
    }

    /// Pieces exactly, each with its absolute expiry.
    pub async fn exact(
        &self,
        pieces: &[Piece],
    ) -> Result<Vec<Result<PieceState, Unread>>, StoreError> {
        exact::pieces(self, pieces).await
    }

    pub async fn step(&self, step: &KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
        fetch::step(self, step).await
    }
}

impl exact::Line for RedisStore {
    fn abilities(&self) -> Abilities {
        self.abilities
    }

    async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        RedisStore::send(self, pipeline, count).await
    }
}

/// Whether an answer says that the command itself is not allowed (and not only this key), or that
/// the server does not know it.
fn lacks_right(answer: &Value) -> bool {
    match answer {
        Value::ServerError(error) if error.code() == "NOPERM" => {
            error.details().is_some_and(|text| text.contains("to run"))
        }
        Value::ServerError(error) => {
            error.code() == "ERR"
                && error
                    .details()
                    .is_some_and(|text| text.contains("unknown command"))
        }
        _ => false,
    }
}

pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::BulkString(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::SimpleString(text) => Some(text.clone()),
        Value::VerbatimString { text, .. } => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    }
}

/// From the sections `memory` and `stats`; `None` where the server does not tell its policy.
fn eviction(answers: &[Value]) -> Option<Eviction> {
    let section = |at: usize| answers.get(at).and_then(text_of).unwrap_or_default();
    let (memory, stats) = (section(2), section(3));
    let of = |section: &str, name: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.strip_prefix(':'))
            .map(|value| value.trim().to_owned())
    };
    Some(Eviction {
        policy: of(&memory, "maxmemory_policy")?,
        memory_max: of(&memory, "maxmemory").and_then(|bytes| bytes.parse().ok()),
        evicted: of(&stats, "evicted_keys").and_then(|count| count.parse().ok()),
    })
}

fn product(info: &str) -> String {
    let of = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
    };
    match (of("server_name"), of("valkey_version"), of("redis_version")) {
        (Some("valkey"), Some(version), _) | (None, Some(version), _) => {
            format!("Valkey {version}")
        }
        (_, _, Some(version)) => format!("Redis {version}"),
        _ => "Redis (version not told)".to_owned(),
    }
}
