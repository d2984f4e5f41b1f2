//! Changes of keys: compared and changed in one atomic step a record.
//!
//! Apart from the read half: its own connections, and its own allow-list. A script does it where
//! the login may run one, else `WATCH`, a comparison on our side, and `MULTI` … `EXEC`.
//!
//! What a login needs, beside the keys' pattern with `~` (read and write): for the script `EVAL`,
//! `EVALSHA`, `PEXPIRETIME` (before Redis 7.0 `PTTL`) and `TIME`; without it `WATCH`, `UNWATCH`,
//! `MULTI`, `EXEC`, `TYPE` and what the read half needs. In both, by the types of a layout: `GET`,
//! `MGET` (or `GET`), `SET`, `UNLINK` (or `DEL`) for strings; `HLEN`, `HMGET`, `HSET`, `HDEL` for hashes; `SCARD`,
//! `SISMEMBER`, `SADD`, `SREM` for sets; `ZCARD`, `ZSCORE`, `ZADD`, `ZREM` for sorted sets;
//! `PEXPIREAT`, `PERSIST` for collections that expire.
//!
//! Invariants: a script call holds the server for as long as a few records take; at most three
//! more are under way; what was sent is never sent again, but for a script the server did not know yet.

mod allow;
mod answers;
mod encode;
mod script;
mod slots;
mod watched;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Cmd, Pipeline, Value};
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::cluster::Cluster;
use super::connect::{Connector, Phase};
use super::{Abilities, lacks_right, text_of};
use crate::domain::change::{Applied, Change, Outcome, PieceChange};
use crate::stores::target::{Endpoint, RedisTarget, Shape, Ssh};
use crate::stores::{Batch, StoreError, StoreErrorKind};
use allow::{command, push};
use answers::Refusal;
use encode::{Arguments, Expiry};
use script::{Call, calls};
use slots::Nodes;
pub use slots::spans;

/// Records in one call of the script: more hold up other clients, fewer are slower.
const RECORDS: usize = 40;
/// Records in one step of a run, twenty-five calls.
const STEP: usize = 1000;
/// The same without scripts, each record a few round trips.
const WATCHED_STEP: usize = 20;
/// Calls under way, so that the server need not wait for us.
const CALLS: usize = 4;
/// A primary that sentinels named so long ago at most is believed to be it still.
const CONFIRMED_FOR: Duration = Duration::from_secs(1);

pub struct RedisWriter {
    connector: Connector,
    connection: Mutex<Option<MultiplexedConnection>>,
    /// Of its own, since what is watched belongs to a connection.
    watching: Mutex<Option<MultiplexedConnection>>,
    /// Where it is a cluster; the connections above are not used then.
    nodes: Option<Box<Nodes>>,
    /// The primary that sentinels named when this was opened.
    primary: Option<Endpoint>,
    /// Since when it is known that it still is.
    confirmed: Mutex<Instant>,
    timeout: Duration,
    hash: String,
    scripts: AtomicBool,
    abilities: Abilities,
}

impl std::fmt::Debug for RedisWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisWriter").finish_non_exhaustive()
    }
}

/// What came of a call.
struct Called {
    outcomes: Vec<(usize, Applied)>,
    trouble: Option<StoreError>,
}

impl RedisWriter {
    pub async fn open(
        target: &RedisTarget,
        ssh: Option<&Ssh>,
        timeout: Duration,
    ) -> Result<RedisWriter, StoreError> {
        let target = target.for_changes();
        let nodes = match &target.shape {
            Shape::Cluster { .. } => Some(Nodes::new(Cluster::open(&target, ssh, timeout).await?)),
            _ => None,
        };
        let mut writer = RedisWriter {
            connector: Connector::new(&target, ssh, timeout)?,
            connection: Mutex::new(None),
            watching: Mutex::new(None),
            nodes: nodes.map(Box::new),
            primary: None,
            confirmed: Mutex::new(Instant::now()),
            timeout,
            hash: script::hash(),
            scripts: AtomicBool::new(true),
            abilities: Abilities::default(),
        };
        let connection = match &writer.nodes {
            None => writer.connector.connect().await?,
            Some(nodes) => nodes.any(&writer).await?,
        };
        writer.abilities = writer.probe(connection.clone()).await?;
        writer.primary = writer.connector.found();
        writer.stay(writer.connector.named_now().await?)?;
        *writer.connection.lock().await = Some(connection);
        Ok(writer)
    }

    pub fn batch_max(&self) -> usize {
        match self.scripts.load(Ordering::Relaxed) {
            true => STEP,
            false => WATCHED_STEP,
        }
    }

    /// What this login may do, and whether the server takes changes at all.
    async fn probe(&self, connection: MultiplexedConnection) -> Result<Abilities, StoreError> {
        let nobody: &[u8] = b"idemscope:no-such-key";
        let questions: [&[&[u8]]; 6] = [
            &[b"PING"],
            &[b"TIME"],
            &[b"PEXPIRETIME", nobody],
            &[b"GETRANGE", nobody, b"0", b"0"],
            &[b"STRLEN", nobody],
            &[b"INFO", b"replication"],
        ];
        let mut pipeline = Pipeline::new();
        for question in questions {
            push(&mut pipeline, command(question));
        }
        let answers = self
            .send(connection.clone(), &pipeline, questions.len())
            .await?;
        let error = answers.first().and_then(Refusal::of_answer);
        if let Some(error) = error.and_then(|error| error.error(&self.connector.label())) {
            return Err(error);
        }
        let info = answers.get(5).and_then(text_of).unwrap_or_default();
        if info.contains("role:slave") && info.contains("slave_read_only:1") {
            let text = format!(
                "{} is a replica that takes no changes: connect to its primary",
                self.connector.label()
            );
            return Err(StoreError::new(StoreErrorKind::Denied, text));
        }
        let may = |at: usize| answers.get(at).is_some_and(|answer| !lacks_right(answer));
        let abilities = Abilities {
            time: may(1),
            expiretime: may(2),
            getrange: may(3),
            strlen: may(4),
            ..Abilities::default()
        };
        // The script with no record to change: only to learn whether it may be run. A line that is
        // lost here tells nothing, and must not be taken for a yes.
        let nothing = Arguments::default();
        if lacks_right(&self.evaluate(connection, &nothing).await?) {
            self.scripts.store(false, Ordering::Relaxed);
        }
        Ok(abilities)
    }

    pub async fn apply(&self, changes: &[&Change]) -> Batch {
        let mut outcomes: Vec<Option<Applied>> = vec![None; changes.len()];
        let mut records = Vec::new();
        for (at, (change, outcome)) in changes.iter().zip(&mut outcomes).enumerate() {
            match encode::pieces(change) {
                Ok(pieces) => records.push((at, pieces)),
                Err(why) => *outcome = Some(Applied::not(Outcome::Refused, why)),
            }
        }
        let mut done = match (&self.nodes, self.scripts.load(Ordering::Relaxed)) {
            (Some(nodes), _) => slots::apply(self, nodes, &records).await,
            (None, true) => self.by_script(&records).await,
            (None, false) => watched::apply(self, &records).await,
        };
        for (at, applied) in done.outcomes.drain(..) {
            if let Some(outcome) = outcomes.get_mut(at) {
                *outcome = Some(applied);
            }
        }
        Batch {
            outcomes: outcomes
                .into_iter()
                .map(|outcome| outcome.unwrap_or_else(answers::not_reached))
                .collect(),
            trouble: done.trouble,
        }
    }

    async fn by_script(&self, records: &[(usize, &[PieceChange])]) -> Called {
        let mut all = Called {
            outcomes: Vec::with_capacity(records.len()),
            trouble: None,
        };
        let connection = match self.connection(&self.connection).await {
            Ok(connection) => connection,
            Err(error) => {
                all.trouble = Some(error);
                return all;
            }
        };
        let mut calls = calls(records).into_iter();
        let mut waiting = FuturesOrdered::new();
        loop {
            while waiting.len() < CALLS && all.trouble.is_none() {
                let Some(call) = calls.next() else { break };
                waiting.push_back(self.call(connection.clone(), call));
            }
            let Some(done) = waiting.next().await else {
                break;
            };
            all.outcomes.extend(done.outcomes);
            all.trouble = all.trouble.or(done.trouble);
        }
        if all.trouble.as_ref().is_some_and(StoreError::is_connection) {
            *self.connection.lock().await = None;
        }
        all
    }

    async fn call(&self, connection: MultiplexedConnection, call: Call<'_>) -> Called {
        let arguments = call.arguments(self.expiry());
        match self.evaluate(connection.clone(), &arguments).await {
            Err(error) => call.all(answers::unanswered(), Some(error)),
            // Nothing of it was done: keys of different records may stand at different places.
            Ok(Value::ServerError(error))
                if error.code() == "CROSSSLOT" && call.records.len() > 1 =>
            {
                Box::pin(self.one_by_one(connection, call)).await
            }
            Ok(answer) => self.decoded(call, answer),
        }
    }

    /// What the answer to a call says of each record in it.
    fn decoded(&self, call: Call<'_>, answer: Value) -> Called {
        if let Some(refusal) = Refusal::of_answer(&answer) {
            let trouble = refusal.error(&self.connector.label());
            return call.all(refusal.applied(), trouble);
        }
        let said = match answer {
            Value::Array(said) => said,
            // A letter a record.
            Value::BulkString(letters) => {
                let mut letters = letters.iter();
                let mut of_one = || answers::of_letter(letters.next());
                let outcomes = call.records.iter().map(|(at, _)| (*at, of_one()));
                return Called {
                    outcomes: outcomes.collect(),
                    trouble: None,
                };
            }
            _ => return call.all(answers::unanswered(), None),
        };
        let mut trouble = None;
        let mut said = said.iter();
        let mut of_one = || match said.next().map(answers::of_script) {
            Some(Ok(applied)) => applied,
            Some(Err(refusal)) => {
                trouble = refusal.error(&self.connector.label()).or(trouble.take());
                refusal.applied()
            }
            None => answers::unanswered(),
        };
        let outcomes = call.records.iter().map(|(at, _)| (*at, of_one())).collect();
        Called { outcomes, trouble }
    }

    fn expiry(&self) -> Expiry {
        match self.abilities.expiretime {
            true => Expiry::Absolute,
            false => Expiry::Reckoned,
        }
    }

    async fn one_by_one(&self, connection: MultiplexedConnection, call: Call<'_>) -> Called {
        let mut all = Called {
            outcomes: Vec::new(),
            trouble: None,
        };
        for record in call.records {
            let one = Call {
                records: vec![record],
            };
            let done = self.call(connection.clone(), one).await;
            all.outcomes.extend(done.outcomes);
            // A key at another node says nothing about the next one.
            let moved = |error: &StoreError| error.kind == StoreErrorKind::Unsupported;
            all.trouble = all.trouble.or(done.trouble);
            if all.trouble.as_ref().is_some_and(|error| !moved(error)) {
                break;
            }
        }
        all
    }

    async fn one(
        &self,
        connection: MultiplexedConnection,
        command: Cmd,
    ) -> Result<Value, StoreError> {
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, command);
        let answers = self.send(connection, &pipeline, 1).await?;
        Ok(answers.into_iter().next().unwrap_or(Value::Nil))
    }

    /// Sends, once. An error means that it is not known what was done.
    async fn send(
        &self,
        mut connection: MultiplexedConnection,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<Vec<Value>, StoreError> {
        let sent = connection.send_packed_commands(pipeline, 0, count).await;
        sent.map_err(|error| self.connector.explain(&error, Phase::Talking))
    }

    /// A connection that answered just now: one that lay idle may have been cut, and then it
    /// would not be known what came of the first change.
    async fn connection(
        &self,
        place: &Mutex<Option<MultiplexedConnection>>,
    ) -> Result<MultiplexedConnection, StoreError> {
        let mut held = place.lock().await;
        if let Some(connection) = held.as_ref() {
            let alive = self.one(connection.clone(), command(&[b"PING"])).await;
            if alive.is_ok() {
                self.confirm().await?;
                return Ok(connection.clone());
            }
        }
        *held = None;
        let connection = self.connector.connect().await?;
        // A server that stands still accepts connections, and answers nothing on them.
        self.one(connection.clone(), command(&[b"PING"])).await?;
        self.stay(self.connector.found())?;
        self.stay(self.connector.named_now().await?)?;
        *held = Some(connection.clone());
        Ok(connection)
    }

    /// A primary that sentinels are cut off from takes changes as before, and loses them when it comes
    /// back: so that one that was confirmed long ago is confirmed again before anything is sent to it.
    ///
    /// Errors: another server took its place, or no sentinel tells.
    async fn confirm(&self) -> Result<(), StoreError> {
        let mut confirmed = self.confirmed.lock().await;
        if confirmed.elapsed() < CONFIRMED_FOR {
            return Ok(());
        }
        self.stay(self.connector.named_now().await?)?;
        *confirmed = Instant::now();
        Ok(())
    }

    /// Errors: it is another server than the one that this began with.
    fn stay(&self, now: Option<Endpoint>) -> Result<(), StoreError> {
        match (&self.primary, now) {
            (Some(before), Some(now)) if *before != now => {
                let text = format!(
                    "the primary is {now} now and was another server when this began: what it \
                     holds has to be looked at again before anything is changed there"
                );
                Err(StoreError::new(StoreErrorKind::Replaced, text))
            }
            _ => Ok(()),
        }
    }
}
