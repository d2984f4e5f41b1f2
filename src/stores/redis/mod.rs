//! Redis and what speaks its protocol, read with the smallest rights.
//!
//! What the login may do is probed once and never assumed from a version. Only commands of the
//! allow-list in `allowed` are sent. Order within a key: its TTL first, content after, since
//! reading content makes the key look used.

pub mod change;
mod cluster;
mod connect;
mod exact;
mod facts;
mod fetch;
pub mod lane;
mod line;
mod listen;
mod log;
mod monitor;
mod replica;
mod sentinel;
mod trouble;
mod walks;
mod whole;

use std::collections::HashSet;
use std::time::Duration;

use ::redis::{Pipeline, Value};

use super::target::{RedisTarget, Shape, Ssh};
use super::{KeyStep, KeyStepResult, StoreError, StoreErrorKind, Unread};
use crate::domain::Timestamp;
use crate::domain::change::{Piece, PieceState};
use crate::domain::survey::KeySample;
use cluster::Cluster;
use connect::Connector;
use line::{Line, Server};
pub use listen::Listener;
use walks::Cursors;

pub struct RedisStore {
    lines: Lines,
    abilities: Abilities,
    /// Of walks through one server; a cluster has its own.
    cursors: Cursors,
}

/// Where commands go.
enum Lines {
    One(Box<Line>),
    Cluster(Box<Cluster>),
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
            | "CLUSTER"
            | "READONLY"
            | "ASKING"
            | "SENTINEL"
            | "ROLE"
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
    pub async fn open(
        target: &RedisTarget,
        ssh: Option<&Ssh>,
        timeout: Duration,
    ) -> Result<RedisStore, StoreError> {
        let lines = match &target.shape {
            Shape::Cluster { .. } => {
                Lines::Cluster(Box::new(Cluster::open(target, ssh, timeout).await?))
            }
            _ => Lines::One(Box::new(Line::new(Connector::new(target, ssh, timeout)?))),
        };
        let abilities = Abilities::default();
        let mut store = RedisStore {
            lines,
            abilities,
            cursors: Cursors::default(),
        };
        match (store.probe().await, &store.lines) {
            (Ok(abilities), _) => store.abilities = abilities,
            (Err(error), Lines::One(line)) => {
                use StoreErrorKind::{Lost, TimedOut, Unreachable};
                return Err(match error.kind {
                    Lost | TimedOut | Unreachable => line.connector.diagnose(error).await,
                    _ => error,
                });
            }
            (Err(error), Lines::Cluster(_)) => return Err(error),
        }
        Ok(store)
    }

    /// The servers by themselves that change keys, as they are now: together they see all.
    ///
    /// Errors: it cannot be told which they are.
    async fn servers(&self) -> Result<Vec<Connector>, StoreError> {
        match &self.lines {
            Lines::One(line) => Ok(vec![line.connector.here()]),
            Lines::Cluster(cluster) => cluster.primaries().await,
        }
    }

    /// What it is called in errors.
    fn label(&self) -> String {
        match &self.lines {
            Lines::One(line) => line.connector.label(),
            Lines::Cluster(cluster) => cluster.label(),
        }
    }

    /// Servers that hold a part of the keys each.
    pub fn width(&self) -> usize {
        match &self.lines {
            Lines::One(_) => 1,
            Lines::Cluster(cluster) => cluster.map().primaries().count().max(1),
        }
    }

    pub fn lane(&self, name: &[u8]) -> usize {
        match &self.lines {
            Lines::One(_) => 0,
            Lines::Cluster(cluster) => cluster.map().lane(cluster::slot(name)),
        }
    }

    fn encryption(&self) -> &'static str {
        match &self.lines {
            Lines::One(line) => line.connector.encryption(),
            Lines::Cluster(cluster) => cluster.encryption(),
        }
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
                let text = format!("{} asks for a password", self.label());
                return Err(StoreError::new(StoreErrorKind::Login, text));
            }
            if error.code() == "LOADING" {
                let text = format!("{} is still loading its data", self.label());
                return Err(StoreError::new(StoreErrorKind::Unreachable, text));
            }
        }
        if let (Lines::One(line), Some(info)) = (&self.lines, answers.get(5)) {
            line.met(info);
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

    /// Sends a pipeline and waits for its answers, errors of single commands among them. In a cluster
    /// each command goes to the node that has its key.
    ///
    /// Errors: the line is lost or nothing came in time; the next call connects anew.
    async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        let (answers, _) = self.ask(pipeline, count).await?;
        Ok(answers)
    }

    /// As [`RedisStore::send`], with the server that gave the last answer.
    async fn ask(
        &self,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<(Vec<Value>, Server), StoreError> {
        match &self.lines {
            Lines::One(line) => line.ask(pipeline, count).await,
            Lines::Cluster(cluster) => cluster.ask(pipeline, count).await,
        }
    }

    /// The answer of each server that holds keys to the same command without a key.
    async fn each(
        &self,
        command: &'static str,
        arguments: &[&[u8]],
    ) -> Result<Vec<Value>, StoreError> {
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, command, arguments);
        match &self.lines {
            Lines::One(line) => line.send(&pipeline, 1).await,
            Lines::Cluster(cluster) => cluster.each(&pipeline).await,
        }
    }

    /// Keys of all servers; `None` where one does not tell.
    async fn total(&self) -> Result<Option<u64>, StoreError> {
        if !self.abilities.dbsize {
            return Ok(None);
        }
        let told = self.each("DBSIZE", &[]).await?;
        let of_one = |answer: &Value| match answer {
            Value::Int(count) => u64::try_from(*count).ok(),
            _ => None,
        };
        Ok(told.iter().map(of_one).sum())
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
        let mut sample = KeySample {
            total: self.total().await?,
            ..KeySample::default()
        };
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

    /// Pieces exactly, each with its absolute expiry.
    pub async fn exact(
        &self,
        pieces: &[Piece],
    ) -> Result<Vec<Result<PieceState, Unread>>, StoreError> {
        exact::pieces(self, pieces).await
    }

    /// Why the keys of a record cannot be changed in one step; `None` where they can.
    pub fn spans<'p>(&self, pieces: impl Iterator<Item = &'p Piece>) -> Option<String> {
        match &self.lines {
            Lines::One(_) => None,
            Lines::Cluster(_) => change::spans(pieces),
        }
    }

    pub async fn step(&self, step: &KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
        fetch::step(self, step).await
    }

    pub async fn step_in_walk(&self, step: &KeyStep<'_>) -> Result<KeyStepResult, StoreError> {
        match &self.lines {
            Lines::One(line) if step.scan.is_none() => walks::values(self, line, step).await,
            // These wait by themselves.
            _ => fetch::step(self, step).await,
        }
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
