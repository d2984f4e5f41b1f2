//! The script that compares and changes: how it is called, and how calls are cut.
//!
//! Apart from `mod` because one server and a cluster call it alike.

use ::redis::aio::MultiplexedConnection;
use ::redis::{Cmd, Pipeline, Script, Value};

use super::super::lacks_right;
use super::allow::{command, push};
use super::encode::{Arguments, Expiry};
use super::{Called, RECORDS, RedisWriter};
use crate::domain::change::{Applied, PieceChange};
use crate::stores::StoreError;

const SCRIPT: &str = include_str!("script.lua");
/// Bytes in one call, so that large values do not add up.
const BYTES: usize = 256 * 1024;

/// What a server knows the script by.
pub fn hash() -> String {
    Script::new(SCRIPT).get_hash().to_owned()
}

/// One call of the script, and whose it is.
pub struct Call<'c> {
    pub records: Vec<(usize, &'c [PieceChange])>,
}

impl RedisWriter {
    /// Runs the script: by its hash, or whole where the server said that it does not know it.
    pub async fn evaluate(
        &self,
        connection: MultiplexedConnection,
        arguments: &Arguments<'_>,
    ) -> Result<Value, StoreError> {
        self.evaluate_by(connection, arguments, None).await
    }

    /// The same at a node that its keys are moving to, which wants to be asked.
    pub async fn evaluate_asking(
        &self,
        connection: MultiplexedConnection,
        arguments: &Arguments<'_>,
    ) -> Result<Value, StoreError> {
        let asking = command(&[b"ASKING"]);
        self.evaluate_by(connection, arguments, Some(asking)).await
    }

    pub async fn evaluate_by(
        &self,
        connection: MultiplexedConnection,
        arguments: &Arguments<'_>,
        before: Option<Cmd>,
    ) -> Result<Value, StoreError> {
        let mut answer = Value::Nil;
        for (name, script) in [("EVALSHA", self.hash.as_str()), ("EVAL", SCRIPT)] {
            let mut pipeline = Pipeline::new();
            if let Some(before) = &before {
                push(&mut pipeline, before.clone());
            }
            push(
                &mut pipeline,
                arguments.command(name, script, self.expiry()),
            );
            let count = pipeline.len();
            let answers = self.send(connection.clone(), &pipeline, count).await?;
            answer = answers.into_iter().next_back().unwrap_or(Value::Nil);
            let unknown =
                matches!(&answer, Value::ServerError(error) if error.code() == "NOSCRIPT");
            if !unknown && !lacks_right(&answer) {
                break;
            }
        }
        Ok(answer)
    }
}

impl<'c> Call<'c> {
    pub fn arguments(&self, expiry: Expiry) -> Arguments<'c> {
        Arguments::of(self.records.iter().map(|(_, pieces)| *pieces), expiry)
    }

    pub fn all(&self, applied: Applied, trouble: Option<StoreError>) -> Called {
        let outcomes = self.records.iter().map(|(at, _)| (*at, applied.clone()));
        Called {
            outcomes: outcomes.collect(),
            trouble,
        }
    }
}

/// Portions that hold the server for a moment only.
pub fn calls<'c>(records: &[(usize, &'c [PieceChange])]) -> Vec<Call<'c>> {
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
