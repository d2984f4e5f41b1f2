//! The retry log: one line for each attempt that was answered, in a place that outlives the records.
//!
//! Apart from the stores because a log forgets nothing when a record expires, and holds refusals that
//! leave no record. What it writes is the convention that the statistics read: a Redis stream
//! `idem:log:{service}`, or a table `idempotency_attempts`.
//!
//! Invariants: no body, no raw key and no raw scope is written; writing is best effort, and the
//! caller answers its client whatever comes of it.

mod postgres;
mod redis;
mod sqlite;

use std::path::Path;
use std::time::Duration;

use sqlx::postgres::PgPool;

use super::layer::Attempt;
use super::store::StoreTrouble;
use crate::domain::attempt::{Outcome, key_hash, scope_hash};

/// The table's name in SQL stores.
pub const TABLE: &str = "idempotency_attempts";

/// The table and its indexes in SQLite, for a file that is made with attempts in it.
pub const SQLITE_TABLE: &str = include_str!("log/sqlite.sql");

/// Version of the canonical form that fingerprints are made of.
const FINGERPRINT_VERSION: i32 = 1;

/// A place to write attempts to.
#[derive(Debug)]
pub struct AttemptLog {
    place: Place,
    instance: String,
    /// How long records are kept: an execution after that time is one of an expired key.
    retention: Duration,
}

#[derive(Debug)]
enum Place {
    Sqlite(sqlite::Log),
    Postgres(postgres::Log),
    Redis(Box<redis::Log>),
}

/// One line, as every place writes it.
#[derive(Clone, Debug)]
struct Line {
    key_hash: Option<String>,
    scope: Option<String>,
    endpoint: String,
    client: Option<String>,
    outcome: Outcome,
    status: u16,
    duration_ms: i64,
    fingerprint: Option<String>,
    instance: String,
    owner: Option<String>,
}

/// The last execution of a key, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Before {
    status: i64,
    age_ms: i64,
}

impl AttemptLog {
    /// A table in an SQLite file; both are made where they are missing.
    ///
    /// Errors: the file cannot be written.
    pub async fn sqlite(
        path: &Path,
        instance: &str,
        retention: Duration,
    ) -> Result<AttemptLog, StoreTrouble> {
        let log = sqlite::Log::prepare(path).await?;
        Ok(AttemptLog::at(Place::Sqlite(log), instance, retention))
    }

    /// A table in a schema; both are made where they are missing.
    ///
    /// Errors: the database does not answer, or does not allow it.
    pub async fn postgres(
        pool: PgPool,
        schema: &str,
        instance: &str,
        retention: Duration,
    ) -> Result<AttemptLog, StoreTrouble> {
        let log = postgres::Log::prepare(pool, schema).await?;
        Ok(AttemptLog::at(Place::Postgres(log), instance, retention))
    }

    /// The stream of a service, trimmed to about a hundred thousand attempts.
    pub fn redis(
        client: ::redis::Client,
        service: &str,
        instance: &str,
        retention: Duration,
    ) -> AttemptLog {
        let log = redis::Log::new(client, service);
        AttemptLog::at(Place::Redis(Box::new(log)), instance, retention)
    }

    fn at(place: Place, instance: &str, retention: Duration) -> AttemptLog {
        AttemptLog {
            place,
            instance: instance.to_owned(),
            retention,
        }
    }

    /// Writes one attempt; what it is called there, since only the log knows an execution that
    /// comes after an error or after the retention from a first one.
    ///
    /// Errors: the place did not take it. An attempt that is not in the log happened all the same.
    pub async fn write(&self, attempt: &Attempt) -> Result<Outcome, StoreTrouble> {
        let line = self.line(attempt);
        let retention_ms = i64::try_from(self.retention.as_millis()).unwrap_or(i64::MAX);
        match &self.place {
            Place::Sqlite(log) => log.write(line, retention_ms).await,
            Place::Postgres(log) => log.write(line, retention_ms).await,
            Place::Redis(log) => log.write(line, retention_ms).await,
        }
    }

    fn line(&self, attempt: &Attempt) -> Line {
        let key = match (&attempt.scope, &attempt.key) {
            (Some(scope), Some(key)) => Some(key_hash(scope, key)),
            _ => None,
        };
        let caller = &attempt.caller;
        let whose = [caller.tenant.as_str(), caller.user.as_str()];
        let whose: Vec<&str> = whose.into_iter().filter(|part| !part.is_empty()).collect();
        let cut = |text: &String, chars: usize| text.chars().take(chars).collect::<String>();
        Line {
            key_hash: key,
            scope: (!whose.is_empty()).then(|| scope_hash(&whose.join("/"))),
            endpoint: format!("{} {}", attempt.method, caller.route),
            client: (!caller.client.is_empty()).then(|| cut(&caller.client, 100)),
            outcome: attempt.outcome,
            status: attempt.status,
            duration_ms: i64::try_from(attempt.took.as_millis()).unwrap_or(i64::MAX),
            fingerprint: attempt.fingerprint.as_ref().map(|print| cut(print, 16)),
            instance: self.instance.clone(),
            owner: attempt.owner.as_ref().map(|owner| {
                // In front of the last slash stands the instance, which has its own column.
                let token = owner.rsplit('/').next().unwrap_or_default();
                token.chars().take(8).collect()
            }),
        }
    }
}

/// What an execution is, by the last one of its key.
fn told(outcome: Outcome, before: Option<Before>, retention_ms: i64) -> Outcome {
    let is_plain = matches!(
        outcome,
        Outcome::Executed | Outcome::ReexecError | Outcome::ReexecExpired
    );
    match before {
        Some(before) if is_plain && before.status >= 500 => Outcome::ReexecError,
        Some(before) if is_plain && before.age_ms >= retention_ms => Outcome::ReexecExpired,
        _ => outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execution_is_told_by_the_one_before_it() {
        let before = |status, age_ms| Some(Before { status, age_ms });
        let first = told(Outcome::Executed, None, 1000);
        assert_eq!(first, Outcome::Executed);
        let error = told(Outcome::Executed, before(503, 10), 1000);
        assert_eq!(error, Outcome::ReexecError);
        let expired = told(Outcome::Executed, before(201, 1000), 1000);
        assert_eq!(expired, Outcome::ReexecExpired);
        // A store that forgot: nothing that the policy knows of.
        let forgotten = told(Outcome::Executed, before(201, 10), 1000);
        assert_eq!(forgotten, Outcome::Executed);
        let taken = told(Outcome::TakenOver, before(503, 9999), 1000);
        assert_eq!(taken, Outcome::TakenOver);
    }
}
