//! What was done to stores: one file a run, JSON lines, readable by people.
//!
//! Before anything is changed, its old state stands here, on the disk. Every line carries a hash of
//! itself and of the line before, and the first one the hash that the run before it ended with, so
//! that a line that was altered, left out or put in is seen.
//! Invariant: what a record holds stands here only as undo needs it; the folder and the files are
//! for their owner alone.

mod chain;
mod read;
mod write;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::domain::Timestamp;
use crate::domain::change::{Outcome, Verb};
use crate::present::clock::iso_utc;
use crate::sys::folders;

pub use chain::Chain;
pub use read::{ChainState, Depth, End, Entry, Found, Left, Run, list, read, runs};
pub use write::Journal;

/// A line holds one record twice, written as base64 where it is no text.
const LINE_BYTES_MAX: u64 = 96 << 20;

/// Where the journal is kept.
pub fn usual_folder() -> Option<PathBuf> {
    Some(folders::state()?.join("journal"))
}

/// The first line of a run: who, when, where and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub id: String,
    pub verb: Verb,
    /// The store, without secrets.
    pub target: String,
    /// The name under which the connection is kept.
    pub connection: Option<String>,
    pub production: bool,
    /// Who signed in to the store.
    pub login: Option<String>,
    /// Who ran this, on which machine.
    pub by: Option<String>,
    pub host: Option<String>,
    pub reason: Option<String>,
    pub started_at: Timestamp,
    /// Records that the plan was to change.
    pub planned: u64,
    /// The run that this one undoes.
    pub undoes: Option<String>,
    /// The run before this one, and the hash that it ended with then.
    pub after: Option<(String, String)>,
}

impl Header {
    fn members(&self) -> Map<String, Value> {
        let after = self
            .after
            .as_ref()
            .map(|(id, hash)| json!({"id": id, "hash": hash}));
        let value = json!({
            "format": 1,
            "id": self.id,
            "verb": self.verb.name(),
            "target": self.target,
            "connection": self.connection,
            "production": self.production,
            "login": self.login,
            "by": self.by,
            "host": self.host,
            "program": concat!("idemscope ", env!("CARGO_PKG_VERSION")),
            "reason": self.reason,
            "at": iso_utc(self.started_at),
            "at_ms": self.started_at.millis(),
            "planned": self.planned,
            "undoes": self.undoes,
            "after": after,
        });
        match value {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn read(value: &Value) -> Option<Header> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        let after = value.get("after").filter(|after| !after.is_null());
        let after = after.and_then(|after| {
            let of = |name: &str| after.get(name)?.as_str().map(str::to_owned);
            Some((of("id")?, of("hash")?))
        });
        Some(Header {
            id: text("id")?,
            verb: Verb::from_name(value.get("verb")?.as_str()?)?,
            target: text("target")?,
            connection: text("connection"),
            production: value.get("production").and_then(Value::as_bool) == Some(true),
            login: text("login"),
            by: text("by"),
            host: text("host"),
            reason: text("reason"),
            started_at: Timestamp(value.get("at_ms")?.as_i64()?),
            planned: value.get("planned")?.as_u64()?,
            undoes: text("undoes"),
            after,
        })
    }
}

/// How many changes came out how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally([u64; 7]);

impl Tally {
    pub fn add(&mut self, outcome: Outcome) {
        if let Some(count) = self.slot(outcome) {
            *count += 1;
        }
    }

    pub fn of(&self, outcome: Outcome) -> u64 {
        let at = Outcome::ALL.iter().position(|known| *known == outcome);
        at.and_then(|at| self.0.get(at)).copied().unwrap_or(0)
    }

    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Everything was done, or gone already.
    pub fn is_clean(&self) -> bool {
        self.total() == self.of(Outcome::Done) + self.of(Outcome::Gone)
    }

    fn slot(&mut self, outcome: Outcome) -> Option<&mut u64> {
        let at = Outcome::ALL.iter().position(|known| *known == outcome)?;
        self.0.get_mut(at)
    }

    /// As the command line's JSON has it.
    pub fn json(&self, verb: Verb) -> Map<String, Value> {
        Outcome::ALL
            .into_iter()
            .map(|outcome| (outcome.name(verb).to_owned(), self.of(outcome).into()))
            .collect()
    }

    fn read(value: &Value, verb: Verb) -> Option<Tally> {
        let mut tally = Tally::default();
        for outcome in Outcome::ALL {
            *tally.slot(outcome)? = value.get(outcome.name(verb))?.as_u64()?;
        }
        Some(tally)
    }
}

/// The journal could not be written or read; a sentence that says what and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{text}")]
pub struct JournalError {
    pub text: String,
}

impl JournalError {
    pub fn new(text: impl Into<String>) -> JournalError {
        JournalError { text: text.into() }
    }

    fn of(what: &str, error: &std::io::Error) -> JournalError {
        JournalError::new(format!("the journal {what}: {error}"))
    }
}

#[cfg(test)]
mod tests;
