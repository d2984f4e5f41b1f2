//! Changes of keys: compared and changed in one atomic step a record.
//!
//! Apart from the read half: its own connections, and its own allow-list. A script does it where
//! the login may run one, else `WATCH`, a comparison on our side, and `MULTI` … `EXEC`.
//!
//! What a login needs, beside the keys' pattern with `~` (read and write): for the script `EVAL`,
//! `EVALSHA`, `PEXPIRETIME` (before Redis 7.0 `PTTL`) and `TIME`; without it `WATCH`, `UNWATCH`,
//! `MULTI`, `EXEC`, `TYPE` and what the read half needs. In both, by the types of a layout: `GET`,
//! `SET`, `UNLINK` (or `DEL`) for strings; `HLEN`, `HMGET`, `HSET`, `HDEL` for hashes; `SCARD`,
//! `SISMEMBER`, `SADD`, `SREM` for sets; `ZCARD`, `ZSCORE`, `ZADD`, `ZREM` for sorted sets;
//! `PEXPIREAT`, `PERSIST` for collections that expire.
//!
//! Invariants: a script call holds the server for as long as a few records take; at most two
//! more are under way; what was sent is never sent again, but for a script the server did not know yet.

mod allow;
mod answers;
mod encode;
mod watched;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{Cmd, Pipeline, Script, Value};
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::sync::Mutex;

use super::connect::{Connector, Phase};
use super::{Abilities, lacks_right, text_of};
use crate::domain::change::{Applied, Change, Outcome, PieceChange};
use crate::stores::target::RedisTarget;
use crate::stores::{Batch, StoreError, StoreErrorKind};
use allow::{command, push};
use answers::Refusal;
use encode::Arguments;

/// Records in one call of the script: more hold up other clients, fewer are slower.
const RECORDS: usize = 40;
/// Records in one step of a run, ten calls.
const STEP: usize = 400;
/// The same without scripts, each record a few round trips.
const WATCHED_STEP: usize = 20;
/// Bytes in one call, so that large values do not add up.
const BYTES: usize = 256 * 1024;
/// Calls under way, so that the server need not wait for us.
const CALLS: usize = 3;

const SCRIPT: &str = include_str!("script.lua");

pub struct RedisWriter {
    connector: Connector,
    connection: Mutex<Option<MultiplexedConnection>>,
    /// Of its own, since what is watched belongs to a connection.
    watching: Mutex<Option<MultiplexedConnection>>,
    hash: String,
    scripts: AtomicBool,
    abilities: Abilities,
}

impl std::fmt::Debug for RedisWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisWriter").finish_non_exhaustive()
    }
}

/// One call of the script, and whose it is.
struct Call<'c> {
    records: Vec<(usize, &'c [PieceChange])>,
}

/// What came of a call.
struct Called {
    outcomes: Vec<(usize, Applied)>,
    trouble: Option<StoreError>,
}

impl RedisWriter {
    pub async fn open(target: &RedisTarget, timeout: Duration) -> Result<RedisWriter, StoreError> {
        let mut writer = RedisWriter {
            connector: Connector::new(target, timeout)?,
            connection: Mutex::new(None),
            watching: Mutex::new(None),
            hash: Script::new(SCRIPT).get_hash().to_owned(),
            scripts: AtomicBool::new(true),
            abilities: Abilities::default(),
        };
        let connection = writer.connector.connect().await?;
        writer.abilities = writer.probe(connection.clone()).await?;
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
        if lacks_right(&self.evaluate(connection, &nothing, 0).await?) {
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
        let mut done = if self.scripts.load(Ordering::Relaxed) {
            self.by_script(&records).await
        } else {
            watched::apply(self, &records).await
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
        let mut arguments = Arguments::default();
        for (_, pieces) in &call.records {
            arguments.add(pieces);
        }
        let answer = self
            .evaluate(connection.clone(), &arguments, call.records.len())
            .await;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return call.all(answers::unanswered(), Some(error)),
        };
        if let Some(refusal) = Refusal::of_answer(&answer) {
            // Nothing of it was done: keys of different records may stand at different places.
            if refusal.why.contains("CROSSSLOT") && call.records.len() > 1 {
                return Box::pin(self.one_by_one(connection, call)).await;
            }
            let trouble = refusal.error(&self.connector.label());
            return call.all(refusal.applied(), trouble);
        }
        let Value::Array(said) = answer else {
            return call.all(answers::unanswered(), None);
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

    /// Runs the script: by its hash, or whole where the server said that it does not know it.
    async fn evaluate(
        &self,
        connection: MultiplexedConnection,
        arguments: &Arguments<'_>,
        records: usize,
    ) -> Result<Value, StoreError> {
        let mode = if self.abilities.expiretime { "x" } else { "t" };
        let by_hash = arguments.command("EVALSHA", &self.hash, mode, records);
        let answer = self.one(connection.clone(), by_hash).await?;
        let unknown = matches!(&answer, Value::ServerError(error) if error.code() == "NOSCRIPT");
        if !unknown && !lacks_right(&answer) {
            return Ok(answer);
        }
        let whole = arguments.command("EVAL", SCRIPT, mode, records);
        self.one(connection, whole).await
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
                return Ok(connection.clone());
            }
        }
        *held = None;
        let connection = self.connector.connect().await?;
        // A server that stands still accepts connections, and answers nothing on them.
        self.one(connection.clone(), command(&[b"PING"])).await?;
        *held = Some(connection.clone());
        Ok(connection)
    }
}

impl Call<'_> {
    fn all(&self, applied: Applied, trouble: Option<StoreError>) -> Called {
        let outcomes = self.records.iter().map(|(at, _)| (*at, applied.clone()));
        Called {
            outcomes: outcomes.collect(),
            trouble,
        }
    }
}

/// Portions that hold the server for a moment only.
fn calls<'c>(records: &[(usize, &'c [PieceChange])]) -> Vec<Call<'c>> {
    let mut calls: Vec<Call<'c>> = Vec::new();
    let mut bytes = 0;
    for (at, pieces) in records {
        let own: usize = pieces
            .iter()
            .map(|change| change.seen.bytes() + change.then.bytes() + change.piece.key.len())
            .sum();
        match calls.last_mut() {
            Some(call) if call.records.len() < RECORDS && bytes + own <= BYTES => {
                call.records.push((*at, pieces));
                bytes += own;
            }
            _ => {
                calls.push(Call {
                    records: vec![(*at, pieces)],
                });
                bytes = own;
            }
        }
    }
    calls
}
