//! Attempts in PostgreSQL, by the server's clock.

use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Row};

use super::{Before, FINGERPRINT_VERSION, Line, TABLE, told};
use crate::domain::attempt::Outcome;
use crate::guard::store::StoreTrouble;
use crate::stores::sql::{quoted, quoted_table};

#[derive(Debug)]
pub struct Log {
    pool: PgPool,
    /// Quoted, with its schema.
    table: String,
}

impl Log {
    pub async fn prepare(pool: PgPool, schema: &str) -> Result<Log, StoreTrouble> {
        let table = quoted_table(schema, TABLE);
        let sql = format!(
            "CREATE SCHEMA IF NOT EXISTS {schema};
             CREATE TABLE IF NOT EXISTS {table} (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                at timestamptz NOT NULL DEFAULT now(),
                key_hash char(32),
                scope text,
                endpoint text NOT NULL,
                client text,
                attempt_no int,
                outcome text NOT NULL,
                http_status int NOT NULL,
                duration_ms int,
                since_first_ms bigint,
                fingerprint char(16),
                fp_version int,
                instance text,
                owner text,
                trace_id text,
                key_raw text,
                sample_rate real
             );
             CREATE INDEX IF NOT EXISTS {TABLE}_at ON {table} (at);
             CREATE INDEX IF NOT EXISTS {TABLE}_key ON {table} (key_hash, at);
             CREATE INDEX IF NOT EXISTS {TABLE}_op ON {table} (endpoint, outcome, at);",
            schema = quoted(schema),
        );
        let made = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await;
        made.map_err(trouble)?;
        Ok(Log { pool, table })
    }

    pub async fn write(&self, line: Line, retention_ms: i64) -> Result<Outcome, StoreTrouble> {
        let table = &self.table;
        let mut change = self.pool.begin().await.map_err(trouble)?;
        // Attempts on one key are numbered one after the other.
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended(coalesce($1, ''), 0))";
        if line.key_hash.is_some() {
            let locked = sqlx::query(lock).bind(line.key_hash.clone());
            locked.execute(&mut *change).await.map_err(trouble)?;
        }
        // Of the column's type: compared with a text, its index would be of no use.
        let known = sqlx::query(AssertSqlSafe(format!(
            "WITH own AS (SELECT * FROM {table} WHERE key_hash = $1::bpchar)
             SELECT (SELECT count(*) FROM own) AS attempts,
                    (SELECT (extract(epoch FROM clock_timestamp() - min(at)) * 1000)::bigint
                     FROM own) AS since_first,
                    (extract(epoch FROM clock_timestamp() - last.at) * 1000)::bigint AS last_age,
                    last.http_status::bigint AS last_status
             FROM (SELECT 1) AS one LEFT JOIN (SELECT at, http_status FROM own WHERE outcome IN (
                'executed', 'reexec_error', 'reexec_expired', 'taken_over', 'stale_owner')
                ORDER BY id DESC LIMIT 1) AS last ON true"
        )))
        .persistent(false)
        .bind(line.key_hash.clone())
        .fetch_one(&mut *change)
        .await
        .map_err(trouble)?;
        let attempts: i64 = known.try_get("attempts").map_err(trouble)?;
        let since: Option<i64> = known.try_get("since_first").map_err(trouble)?;
        let age: Option<i64> = known.try_get("last_age").map_err(trouble)?;
        let status: Option<i64> = known.try_get("last_status").map_err(trouble)?;
        let before = age.zip(status);
        let before = before.map(|(age_ms, status)| Before { status, age_ms });
        let outcome = told(line.outcome, before, retention_ms);
        let is_keyed = line.key_hash.is_some();
        let number = i32::try_from(attempts + 1).unwrap_or(i32::MAX);
        let took = i32::try_from(line.duration_ms).unwrap_or(i32::MAX);
        let print_version = line.fingerprint.is_some().then_some(FINGERPRINT_VERSION);
        sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO {table} (at, key_hash, scope, endpoint, client, attempt_no, outcome,
                http_status, duration_ms, since_first_ms, fingerprint, fp_version, instance, owner)
             VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        )))
        .persistent(false)
        .bind(line.key_hash)
        .bind(line.scope)
        .bind(line.endpoint)
        .bind(line.client)
        .bind(is_keyed.then_some(number))
        .bind(outcome.name())
        .bind(i32::from(line.status))
        .bind(took)
        .bind(is_keyed.then_some(since.unwrap_or(0)))
        .bind(line.fingerprint)
        .bind(print_version)
        .bind(line.instance)
        .bind(line.owner)
        .execute(&mut *change)
        .await
        .map_err(trouble)?;
        change.commit().await.map_err(trouble)?;
        Ok(outcome)
    }
}

fn trouble(error: sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("the retry log: {error}"))
}
