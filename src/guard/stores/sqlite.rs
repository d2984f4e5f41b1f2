//! Records in an SQLite file: each step is one immediate transaction, by this machine's clock.

mod outbox;
mod within;

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
};
use sqlx::{AssertSqlSafe, Row, SqliteConnection, SqliteExecutor};

use crate::guard::answer::StoredAnswer;
use crate::guard::store::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, Ticket,
};
use crate::stores::sql::quoted;

/// Processes that write at once wait for each other so long.
const BUSY: Duration = Duration::from_secs(5);
/// Now, as the times of the table are written.
const NOW: &str = "strftime('%Y-%m-%d %H:%M:%f', 'now')";

/// A table of records.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pool: SqlitePool,
    /// Quoted.
    table: String,
    /// The same of the outbox.
    outbox: String,
    index: String,
}

impl SqliteStore {
    /// Opens a file, made where it is missing, and a table in it.
    ///
    /// Errors: the file cannot be opened or written.
    pub async fn prepare(path: &Path, table: &str) -> Result<SqliteStore, StoreTrouble> {
        let store = SqliteStore::open(path, table).await?;
        store.make().await?;
        Ok(store)
    }

    /// Opens a file, made where it is missing, whose table is there or comes.
    ///
    /// Errors: the file cannot be opened.
    pub async fn open(path: &Path, table: &str) -> Result<SqliteStore, StoreTrouble> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(BUSY);
        let pool = SqlitePoolOptions::new()
            .max_connections(4)
            .connect_with(options)
            .await
            .map_err(trouble)?;
        Ok(SqliteStore {
            pool,
            table: quoted(table),
            outbox: quoted("outbox"),
            index: quoted(&format!("{table}_expires_at")),
        })
    }

    /// Makes the table where it is missing.
    ///
    /// Errors: the file cannot be written.
    pub async fn make(&self) -> Result<(), StoreTrouble> {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {name} (
                scope TEXT NOT NULL,
                key TEXT NOT NULL,
                created_at TIMESTAMP NOT NULL,
                expires_at TIMESTAMP NOT NULL,
                request_path TEXT NOT NULL,
                payload_hash TEXT NOT NULL,
                response_status INTEGER,
                response_headers TEXT,
                response_body BLOB,
                locked_at TIMESTAMP,
                lock_until TIMESTAMP,
                owner TEXT,
                recovery_point TEXT,
                PRIMARY KEY (scope, key)
             );
             CREATE INDEX IF NOT EXISTS {index} ON {name} (expires_at);",
            name = self.table,
            index = self.index,
        );
        let made = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.pool).await;
        made.map(|_| ()).map_err(trouble)
    }

    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    async fn find(
        &self,
        connection: &mut SqliteConnection,
        scope: &str,
        key: &str,
    ) -> Result<Option<SqliteRow>, sqlx::Error> {
        let look = format!(
            "SELECT payload_hash, response_status, response_headers, response_body, recovery_point,
                    locked_at IS NOT NULL AS locked, expires_at <= {NOW} AS expired,
                    lock_until <= {NOW} AS over,
                    max(CAST((julianday(lock_until) - julianday('now')) * 86400000 AS INTEGER), 0)
                        AS left_ms
             FROM {} WHERE scope = ?1 AND key = ?2",
            self.table
        );
        sqlx::query(AssertSqlSafe(look))
            .bind(scope.to_owned())
            .bind(key.to_owned())
            .fetch_optional(connection)
            .await
    }

    async fn claim_on(
        &self,
        connection: &mut SqliteConnection,
        claim: &Claim,
    ) -> Result<Claimed, sqlx::Error> {
        let found = self
            .find(&mut *connection, &claim.scope, &claim.key)
            .await?;
        let after = match found.as_ref().map(|row| taken(row, claim)).transpose()? {
            None => After::Nothing,
            Some(Ok(after)) => after,
            Some(Err(claimed)) => {
                if claim.extends
                    && matches!(&claimed, Claimed::Finished { fingerprint, .. } if *fingerprint == claim.fingerprint)
                {
                    self.extend(connection, claim).await?;
                }
                return Ok(claimed);
            }
        };
        let point = match (after, found) {
            (After::Error | After::StaleLock, Some(row)) => row.try_get("recovery_point")?,
            _ => None,
        };
        self.take(connection, claim, point.as_deref()).await?;
        Ok(Claimed::Mine(Ticket {
            scope: claim.scope.clone(),
            key: claim.key.clone(),
            owner: claim.owner.clone(),
            after,
            point,
        }))
    }

    async fn take(
        &self,
        connection: &mut SqliteConnection,
        claim: &Claim,
        point: Option<&str>,
    ) -> Result<(), sqlx::Error> {
        let sql = format!(
            "INSERT OR REPLACE INTO {} (scope, key, created_at, expires_at, request_path,
                payload_hash, locked_at, lock_until, owner, recovery_point)
             VALUES (?1, ?2, {NOW}, {expires}, ?3, ?4, {NOW}, {until}, ?5, ?8)",
            self.table,
            expires = later("?6"),
            until = later("?7"),
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(&claim.scope)
            .bind(&claim.key)
            .bind(&claim.path)
            .bind(&claim.fingerprint)
            .bind(&claim.owner)
            .bind(secs(claim.retention))
            .bind(secs(claim.lease))
            .bind(point)
            .execute(connection)
            .await?;
        Ok(())
    }

    async fn extend(
        &self,
        connection: &mut SqliteConnection,
        claim: &Claim,
    ) -> Result<(), sqlx::Error> {
        let sql = format!(
            "UPDATE {} SET expires_at = {} WHERE scope = ?1 AND key = ?2",
            self.table,
            later("?3")
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(&claim.scope)
            .bind(&claim.key)
            .bind(secs(claim.retention))
            .execute(connection)
            .await?;
        Ok(())
    }

    async fn change<'e>(
        &self,
        executor: impl SqliteExecutor<'e>,
        what: &str,
        ticket: &Ticket,
        fence: Fence,
        more: Vec<Bound>,
    ) -> Result<Saved, StoreTrouble> {
        let owned = match fence {
            Fence::Owner => "owner = ?3",
            Fence::Open => "?3 <> ''",
        };
        let sql = match what {
            DELETE => format!(
                "DELETE FROM {} WHERE scope = ?1 AND key = ?2 AND {owned}",
                self.table
            ),
            set => format!(
                "UPDATE {} {set} WHERE scope = ?1 AND key = ?2 AND {owned}",
                self.table
            ),
        };
        let mut query = sqlx::query(AssertSqlSafe(sql))
            .bind(ticket.scope.clone())
            .bind(ticket.key.clone())
            .bind(ticket.owner.clone());
        for bound in more {
            query = match bound {
                Bound::Int(number) => query.bind(number),
                Bound::Real(number) => query.bind(number),
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
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// What a save sets.
fn saving(answer: &StoredAnswer) -> (&'static str, Vec<Bound>) {
    let set = "SET response_status = ?4, response_headers = ?5, response_body = ?6, \
               locked_at = NULL, lock_until = NULL, owner = NULL";
    let more = vec![
        Bound::Int(i64::from(answer.status)),
        Bound::Text(answer.headers_text()),
        Bound::Bytes(answer.body.clone()),
    ];
    (set, more)
}

/// So many seconds, bound at this place, from now.
fn later(place: &str) -> String {
    format!("strftime('%Y-%m-%d %H:%M:%f', 'now', {place} || ' seconds')")
}

fn secs(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

fn trouble(error: sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("SQLite: {error}"))
}

/// Why a record may be taken, or what it is instead.
fn taken(row: &SqliteRow, claim: &Claim) -> Result<Result<After, Claimed>, sqlx::Error> {
    let is = |name: &str| Ok::<_, sqlx::Error>(row.try_get::<Option<i64>, _>(name)? == Some(1));
    if is("expired")? {
        return Ok(Ok(After::Expiry));
    }
    let standing = standing(row)?;
    let is_same = match &standing {
        Claimed::InProgress { fingerprint, .. } => *fingerprint == claim.fingerprint,
        Claimed::Finished { .. } | Claimed::Mine(_) => return Ok(Err(standing)),
    };
    if is_same && !is("locked")? {
        return Ok(Ok(After::Error));
    }
    if is_same && claim.takes_over && is("over")? {
        return Ok(Ok(After::StaleLock));
    }
    Ok(Err(standing))
}

/// A record as it stands, somebody else's.
fn standing(row: &SqliteRow) -> Result<Claimed, sqlx::Error> {
    let fingerprint: String = row.try_get("payload_hash")?;
    let Some(status) = row.try_get::<Option<i64>, _>("response_status")? else {
        let left: Option<i64> = row.try_get("left_ms")?;
        let left = left.and_then(|left| u64::try_from(left).ok()).unwrap_or(0);
        return Ok(Claimed::InProgress {
            fingerprint,
            left: Duration::from_millis(left),
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

impl GuardStore for SqliteStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let work = async {
            let mut transaction = self.pool.begin_with("BEGIN IMMEDIATE").await?;
            let claimed = self.claim_on(&mut transaction, claim).await?;
            transaction.commit().await?;
            Ok(claimed)
        };
        work.await.map_err(trouble)
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        let work = async {
            let mut connection = self.pool.acquire().await?;
            let Some(row) = self.find(&mut connection, scope, key).await? else {
                return Ok(None);
            };
            let expired = row.try_get::<Option<i64>, _>("expired")? == Some(1);
            (!expired).then(|| standing(&row)).transpose()
        };
        work.await.map_err(trouble)
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
        let begun = self.pool.begin_with("BEGIN IMMEDIATE").await;
        let mut transaction = begun.map_err(trouble)?;
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
        self.change(&self.pool, "SET recovery_point = ?4", ticket, fence, more)
            .await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        let set = format!("SET lock_until = {}", later("?4"));
        let more = vec![Bound::Real(secs(lease))];
        self.change(&self.pool, &set, ticket, Fence::Owner, more)
            .await
    }
}
