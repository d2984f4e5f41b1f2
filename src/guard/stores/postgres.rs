//! Records in PostgreSQL: each step is one statement, by the server's clock.
//!
//! The claim is `INSERT … ON CONFLICT DO UPDATE … WHERE free`: of any number at once one inserts or
//! updates, and the others read what stands there.

mod outbox;
mod within;

use std::time::Duration;

use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, PgExecutor, Row};

use crate::guard::answer::StoredAnswer;
use crate::guard::store::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, Ticket,
};
use crate::stores::sql::{quoted, quoted_table};

/// Looks again so often where a record came and went between a claim and its look.
const TRIES: usize = 5;

/// A table of records.
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pool: PgPool,
    /// Quoted, with its schema.
    table: String,
    /// The same of the outbox.
    outbox: String,
    /// Quoted.
    schema: String,
    index: String,
}

impl PostgresStore {
    /// Uses a table in a schema, and makes both where they are missing.
    ///
    /// Errors: the database does not answer, or does not allow it.
    pub async fn prepare(
        pool: PgPool,
        schema: &str,
        table: &str,
    ) -> Result<PostgresStore, StoreTrouble> {
        let store = PostgresStore::open(pool, schema, table);
        store.make().await?;
        Ok(store)
    }

    /// Uses a table that is there.
    pub fn open(pool: PgPool, schema: &str, table: &str) -> PostgresStore {
        PostgresStore {
            pool,
            table: quoted_table(schema, table),
            outbox: quoted_table(schema, "outbox"),
            schema: quoted(schema),
            index: quoted(&format!("{table}_expires_at")),
        }
    }

    /// Makes the schema and the table where they are missing.
    ///
    /// Errors: the database does not answer, or does not allow it.
    pub async fn make(&self) -> Result<(), StoreTrouble> {
        let sql = format!(
            "CREATE SCHEMA IF NOT EXISTS {schema};
             CREATE TABLE IF NOT EXISTS {name} (
                scope text NOT NULL,
                key text NOT NULL,
                created_at timestamptz NOT NULL,
                expires_at timestamptz NOT NULL,
                request_path text NOT NULL,
                payload_hash text NOT NULL,
                response_status int,
                response_headers text,
                response_body bytea,
                locked_at timestamptz,
                lock_until timestamptz,
                owner text,
                recovery_point text,
                PRIMARY KEY (scope, key)
             );
             CREATE INDEX IF NOT EXISTS {index} ON {name} (expires_at);",
            schema = self.schema,
            name = self.table,
            index = self.index,
        );
        let made = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.pool).await;
        made.map(|_| ()).map_err(trouble)
    }

    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    async fn claim_once<'e>(
        &self,
        executor: impl PgExecutor<'e>,
        claim: &Claim,
    ) -> Result<Option<Claimed>, StoreTrouble> {
        let table = &self.table;
        let sql = format!(
            "WITH before AS (
                SELECT payload_hash, response_status, response_headers, response_body,
                       recovery_point,
                       locked_at IS NOT NULL AS locked, expires_at <= clock_timestamp() AS expired,
                       greatest(extract(epoch FROM lock_until - clock_timestamp()) * 1000, 0)::bigint
                           AS left_ms
                FROM {table} WHERE scope = $1 AND key = $2
             ), mine AS (
                INSERT INTO {table} AS t (scope, key, created_at, expires_at, request_path,
                    payload_hash, locked_at, lock_until, owner)
                VALUES ($1, $2, clock_timestamp(), clock_timestamp() + $3 * interval '1 ms', $4, $5,
                    clock_timestamp(), clock_timestamp() + $6 * interval '1 ms', $7)
                ON CONFLICT (scope, key) DO UPDATE SET
                    created_at = EXCLUDED.created_at, expires_at = EXCLUDED.expires_at,
                    request_path = EXCLUDED.request_path, payload_hash = EXCLUDED.payload_hash,
                    response_status = NULL, response_headers = NULL, response_body = NULL,
                    locked_at = EXCLUDED.locked_at, lock_until = EXCLUDED.lock_until,
                    owner = EXCLUDED.owner,
                    recovery_point = CASE WHEN t.expires_at > clock_timestamp()
                        THEN t.recovery_point END
                WHERE t.expires_at <= clock_timestamp()
                   OR (t.payload_hash = EXCLUDED.payload_hash AND t.response_status IS NULL
                       AND (t.locked_at IS NULL OR ($8 AND t.lock_until <= clock_timestamp())))
                RETURNING 1
             ), kept AS (
                UPDATE {table} SET expires_at = clock_timestamp() + $3 * interval '1 ms'
                WHERE $9 AND scope = $1 AND key = $2 AND payload_hash = $5
                  AND response_status IS NOT NULL AND expires_at > clock_timestamp()
                RETURNING 1
             )
             SELECT true AS mine, b.* FROM mine LEFT JOIN before b ON true
             UNION ALL
             SELECT false, b.* FROM before b WHERE NOT EXISTS (SELECT 1 FROM mine)"
        );
        let found = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(&claim.scope)
            .bind(&claim.key)
            .bind(millis(claim.retention))
            .bind(&claim.path)
            .bind(&claim.fingerprint)
            .bind(millis(claim.lease))
            .bind(&claim.owner)
            .bind(claim.takes_over)
            .bind(claim.extends)
            .fetch_optional(executor)
            .await
            .map_err(trouble)?;
        found
            .map(|row| claimed(&row, claim).map_err(trouble))
            .transpose()
    }

    async fn change<'e>(
        &self,
        executor: impl PgExecutor<'e>,
        what: &str,
        ticket: &Ticket,
        fence: Fence,
        more: Vec<Bound>,
    ) -> Result<Saved, StoreTrouble> {
        let owned = match fence {
            Fence::Owner => " AND owner = $3",
            Fence::Open => " AND $3 <> ''",
        };
        let sql = match what {
            DELETE => format!(
                "DELETE FROM {} WHERE scope = $1 AND key = $2{owned}",
                self.table
            ),
            set => format!(
                "UPDATE {} {set} WHERE scope = $1 AND key = $2{owned}",
                self.table
            ),
        };
        let mut query = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(&ticket.scope)
            .bind(&ticket.key)
            .bind(&ticket.owner);
        for bound in more {
            query = match bound {
                Bound::Int(number) => query.bind(number),
                Bound::Text(text) => query.bind(text),
                Bound::Bytes(bytes) => query.bind(bytes),
            };
        }
        let done = query.execute(executor).await.map_err(trouble)?;
        Ok(match done.rows_affected() {
            0 => Saved::NotOwner,
            _ => Saved::Saved,
        })
    }
}

/// In the place of what is set: the row goes.
const DELETE: &str = "DELETE";

enum Bound {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

fn too_often() -> StoreTrouble {
    StoreTrouble("PostgreSQL: the record came and went too often".to_owned())
}

/// What a save sets.
fn saving(answer: &StoredAnswer) -> (&'static str, Vec<Bound>) {
    let set = "SET response_status = $4, response_headers = $5, response_body = $6, \
               locked_at = NULL, lock_until = NULL, owner = NULL";
    let more = vec![
        Bound::Int(i64::from(answer.status)),
        Bound::Text(answer.headers_text()),
        Bound::Bytes(answer.body.clone()),
    ];
    (set, more)
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn trouble(error: sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("PostgreSQL: {error}"))
}

fn claimed(row: &PgRow, claim: &Claim) -> Result<Claimed, sqlx::Error> {
    let fingerprint: Option<String> = row.try_get("payload_hash")?;
    let expired: Option<bool> = row.try_get("expired")?;
    let locked: Option<bool> = row.try_get("locked")?;
    if row.try_get("mine")? {
        let after = match (&fingerprint, expired, locked) {
            (None, ..) => After::Nothing,
            (_, Some(true), _) => After::Expiry,
            (_, _, Some(true)) => After::StaleLock,
            _ => After::Error,
        };
        let point = match after {
            After::Error | After::StaleLock => row.try_get("recovery_point")?,
            After::Nothing | After::Expiry => None,
        };
        return Ok(Claimed::Mine(Ticket {
            scope: claim.scope.clone(),
            key: claim.key.clone(),
            owner: claim.owner.clone(),
            after,
            point,
        }));
    }
    standing(row)
}

/// A record that is somebody else's.
fn standing(row: &PgRow) -> Result<Claimed, sqlx::Error> {
    let fingerprint: Option<String> = row.try_get("payload_hash")?;
    let fingerprint = fingerprint.unwrap_or_default();
    let status: Option<i32> = row.try_get("response_status")?;
    let Some(status) = status else {
        let left: Option<i64> = row.try_get("left_ms")?;
        return Ok(Claimed::InProgress {
            fingerprint,
            left: Duration::from_millis(
                left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0),
            ),
        });
    };
    let headers: Option<String> = row.try_get("response_headers")?;
    let body: Option<Vec<u8>> = row.try_get("response_body")?;
    Ok(Claimed::Finished {
        fingerprint,
        answer: StoredAnswer {
            status: u16::try_from(status).unwrap_or(500),
            headers: StoredAnswer::read_headers(headers.as_deref().unwrap_or_default()),
            body: body.unwrap_or_default(),
            notes: Vec::new(),
        },
    })
}

impl GuardStore for PostgresStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        for _ in 0..TRIES {
            // Nothing at all: a record came after our look and keeps us from inserting.
            if let Some(claimed) = self.claim_once(&self.pool, claim).await? {
                return Ok(claimed);
            }
        }
        Err(too_often())
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        let sql = format!(
            "SELECT false AS mine, payload_hash, response_status, response_headers, response_body,
                    locked_at IS NOT NULL AS locked, false AS expired,
                    greatest(extract(epoch FROM lock_until - clock_timestamp()) * 1000, 0)::bigint
                        AS left_ms
             FROM {} WHERE scope = $1 AND key = $2 AND expires_at > clock_timestamp()",
            self.table
        );
        let found = sqlx::query(AssertSqlSafe(sql))
            .persistent(false)
            .bind(scope)
            .bind(key)
            .fetch_optional(&self.pool)
            .await
            .map_err(trouble)?;
        found.map(|row| standing(&row).map_err(trouble)).transpose()
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        if answer.notes.is_empty() {
            let (set, more) = saving(answer);
            return self.change(&self.pool, set, ticket, fence, more).await;
        }
        let mut transaction = self.pool.begin().await.map_err(trouble)?;
        let saved = self
            .save_in(&mut transaction, ticket, answer, fence)
            .await?;
        transaction.commit().await.map_err(trouble)?;
        Ok(saved)
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        let what = match leaves {
            Leaves::Fingerprint => "SET locked_at = NULL, lock_until = NULL, owner = NULL",
            Leaves::Nothing => DELETE,
        };
        self.change(&self.pool, what, ticket, fence, Vec::new())
            .await
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let more = vec![Bound::Text(point.to_owned())];
        self.change(&self.pool, "SET recovery_point = $4", ticket, fence, more)
            .await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        let set = "SET lock_until = clock_timestamp() + $4 * interval '1 ms'";
        let more = vec![Bound::Int(millis(lease))];
        self.change(&self.pool, set, ticket, Fence::Owner, more)
            .await
    }
}
