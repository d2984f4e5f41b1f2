//! Attempts in an SQLite file, by this machine's clock.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Row};

use super::{Before, FINGERPRINT_VERSION, Line, SQLITE_TABLE, TABLE, told};
use crate::domain::attempt::Outcome;
use crate::guard::store::StoreTrouble;

const BUSY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Log {
    pool: SqlitePool,
}

impl Log {
    pub async fn prepare(path: &Path) -> Result<Log, StoreTrouble> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(BUSY);
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options).await.map_err(trouble)?;
        let made = sqlx::raw_sql(SQLITE_TABLE).execute(&pool).await;
        made.map_err(trouble)?;
        Ok(Log { pool })
    }

    pub async fn write(&self, line: Line, retention_ms: i64) -> Result<Outcome, StoreTrouble> {
        let mut change = self.pool.begin_with("BEGIN IMMEDIATE").await;
        let connection = change.as_mut().map_err(|error| trouble_of(error))?;
        let known = sqlx::query(AssertSqlSafe(format!(
            "WITH now (ms) AS (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)),
                  own AS (SELECT * FROM {TABLE} WHERE key_hash = ?1)
             SELECT (SELECT ms FROM now) AS now, (SELECT count(*) FROM own) AS attempts,
                    (SELECT min(at) FROM own) AS first,
                    last.at AS last_at, last.http_status AS last_status
             FROM now LEFT JOIN (SELECT at, http_status FROM own WHERE outcome IN (
                'executed', 'reexec_error', 'reexec_expired', 'taken_over', 'stale_owner')
                ORDER BY id DESC LIMIT 1) AS last ON true"
        )))
        .bind(line.key_hash.clone())
        .fetch_one(&mut **connection)
        .await
        .map_err(trouble)?;
        let now: i64 = known.try_get("now").map_err(trouble)?;
        let attempts: i64 = known.try_get("attempts").map_err(trouble)?;
        let first: Option<i64> = known.try_get("first").map_err(trouble)?;
        let last_at: Option<i64> = known.try_get("last_at").map_err(trouble)?;
        let last_status: Option<i64> = known.try_get("last_status").map_err(trouble)?;
        let before = last_at.zip(last_status).map(|(at, status)| Before {
            status,
            age_ms: now - at,
        });
        let outcome = told(line.outcome, before, retention_ms);
        let number = line.key_hash.is_some().then_some(attempts + 1);
        let since = line
            .key_hash
            .is_some()
            .then(|| first.map_or(0, |first| now - first));
        let print_version = line.fingerprint.is_some().then_some(FINGERPRINT_VERSION);
        sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO {TABLE} (at, key_hash, scope, endpoint, client, attempt_no, outcome,
                http_status, duration_ms, since_first_ms, fingerprint, fp_version, instance, owner)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        )))
        .bind(now)
        .bind(line.key_hash)
        .bind(line.scope)
        .bind(line.endpoint)
        .bind(line.client)
        .bind(number)
        .bind(outcome.name())
        .bind(i64::from(line.status))
        .bind(line.duration_ms)
        .bind(since)
        .bind(line.fingerprint)
        .bind(print_version)
        .bind(line.instance)
        .bind(line.owner)
        .execute(&mut **connection)
        .await
        .map_err(trouble)?;
        change.map_err(trouble)?.commit().await.map_err(trouble)?;
        Ok(outcome)
    }
}

fn trouble(error: sqlx::Error) -> StoreTrouble {
    trouble_of(&error)
}

fn trouble_of(error: &sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("the retry log: {error}"))
}
