//! The lab's own place in a store: made ready, and gone again.
//!
//! Invariant: what is removed bears the lab's mark, or lies in its own file. What has the lab's name
//! and not its mark is somebody else's: it is left alone, and nothing is run.

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection};

use crate::lab::shop::StoreChoice;
use crate::stores::sql::quoted;
use crate::sys::files;

/// On a schema, and in a key beside the records.
const MARK: &str = "made by the lab of idemscope, and removed by it";

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Makes an empty place, marked as the lab's.
///
/// Errors: the store does not answer, or what stands there is not the lab's.
pub async fn prepare(store: &StoreChoice) -> Result<(), String> {
    match store {
        StoreChoice::Memory => Ok(()),
        StoreChoice::Sqlite { path } => clear_file(path),
        StoreChoice::Redis { url, prefix } => prepare_keys(url, prefix).await,
        StoreChoice::Postgres { url, schema } => prepare_schema(url, schema).await,
        StoreChoice::Both(both) => {
            prepare_keys(&both.redis_url, &both.prefix).await?;
            prepare_schema(&both.postgres_url, &both.schema).await
        }
    }
}

async fn prepare_keys(url: &str, prefix: &str) -> Result<(), String> {
    let client = redis::Client::open(url).map_err(text)?;
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.map_err(text)?;
    let mark = mark_of(prefix);
    let mut get = redis::cmd("GET");
    let found: Option<String> = get
        .arg(&mark)
        .query_async(&mut connection)
        .await
        .map_err(text)?;
    if found.as_deref() != Some(MARK) && has_keys(&mut connection, prefix).await? {
        return Err(format!(
            "keys that begin with `{prefix}` are here already and are not the lab's: take another \
             database, or remove them"
        ));
    }
    clear_keys(url, prefix).await?;
    let mut set = redis::cmd("SET");
    set.arg(&mark).arg(MARK);
    set.exec_async(&mut connection).await.map_err(text)
}

fn mark_of(prefix: &str) -> String {
    format!("{prefix}-mark")
}

async fn has_keys(
    connection: &mut redis::aio::MultiplexedConnection,
    prefix: &str,
) -> Result<bool, String> {
    let mut cursor = 0_u64;
    loop {
        let mut step = redis::cmd("SCAN");
        step.arg(cursor)
            .arg("MATCH")
            .arg(format!("{prefix}*"))
            .arg("COUNT")
            .arg(500);
        let (next, names): (u64, Vec<Vec<u8>>) =
            step.query_async(connection).await.map_err(text)?;
        if !names.is_empty() {
            return Ok(true);
        }
        if next == 0 {
            return Ok(false);
        }
        cursor = next;
    }
}

async fn prepare_schema(url: &str, schema: &str) -> Result<(), String> {
    let mut connection = sqlx::PgConnection::connect(url).await.map_err(text)?;
    let sql = "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = $1";
    let found: Option<Option<String>> = sqlx::query_scalar(sql)
        .persistent(false)
        .bind(schema)
        .fetch_optional(&mut connection)
        .await
        .map_err(text)?;
    if found.is_some_and(|comment| comment.as_deref() != Some(MARK)) {
        return Err(format!(
            "a schema `{schema}` is here already and is not the lab's: take another database, or \
             remove it"
        ));
    }
    let sql = format!(
        "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
         COMMENT ON SCHEMA {schema} IS '{MARK}'",
        schema = quoted(schema)
    );
    let made = sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await;
    made.map_err(|error| not_made(&error))?;
    connection.close().await.map_err(text)
}

/// Without a schema of its own the lab does not begin.
fn not_made(error: &sqlx::Error) -> String {
    match error.as_database_error() {
        Some(refused) => format!(
            "the lab’s schema cannot be made: {}; a login that may create schemas is needed",
            refused.message()
        ),
        None => error.to_string(),
    }
}

/// Whether a store answers at all, before anything is begun.
///
/// Errors: it does not, or refuses the login; a sentence.
pub async fn reach(store: &StoreChoice) -> Result<(), String> {
    match store {
        StoreChoice::Memory | StoreChoice::Sqlite { .. } => Ok(()),
        StoreChoice::Redis { url, .. } => answers_redis(url).await,
        StoreChoice::Postgres { url, .. } => answers_postgres(url).await,
        StoreChoice::Both(both) => {
            answers_redis(&both.redis_url).await?;
            answers_postgres(&both.postgres_url).await
        }
    }
}

async fn answers_redis(url: &str) -> Result<(), String> {
    let client = redis::Client::open(url).map_err(text)?;
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.map_err(text)?;
    let ping = redis::cmd("PING").exec_async(&mut connection).await;
    ping.map_err(text)
}

async fn answers_postgres(url: &str) -> Result<(), String> {
    let connection = sqlx::PgConnection::connect(url).await.map_err(text)?;
    connection.close().await.map_err(text)
}

/// Removes the lab's own records, and nothing else.
pub async fn clear(store: &StoreChoice) -> Result<(), String> {
    match store {
        StoreChoice::Memory => Ok(()),
        StoreChoice::Sqlite { path } => clear_file(path),
        StoreChoice::Redis { url, prefix } => clear_keys(url, prefix).await,
        StoreChoice::Postgres { url, schema } => clear_schema(url, schema).await,
        StoreChoice::Both(both) => {
            clear_keys(&both.redis_url, &both.prefix).await?;
            clear_schema(&both.postgres_url, &both.schema).await
        }
    }
}

async fn clear_schema(url: &str, schema: &str) -> Result<(), String> {
    let mut connection = sqlx::PgConnection::connect(url).await.map_err(text)?;
    let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(schema));
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut connection)
        .await
        .map_err(text)?;
    connection.close().await.map_err(text)
}

fn clear_file(path: &Path) -> Result<(), String> {
    for end in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let name = Path::new(&name);
        if files::exists(name) {
            files::remove(name).map_err(text)?;
        }
    }
    Ok(())
}

async fn clear_keys(url: &str, prefix: &str) -> Result<(), String> {
    let client = redis::Client::open(url).map_err(text)?;
    let connection = client.get_multiplexed_async_connection().await;
    let mut connection = connection.map_err(text)?;
    for pattern in [
        format!("{prefix}:*"),
        // What stands beside the records: `lab-shop-outbox`, `lab-shop-marks`.
        format!("{prefix}-*"),
        format!("idempotency:{prefix}.*"),
        format!("idem:log:{prefix}"),
        format!("retries:{prefix}:*"),
    ] {
        clear_pattern(&mut connection, &pattern).await?;
    }
    Ok(())
}

async fn clear_pattern(
    connection: &mut redis::aio::MultiplexedConnection,
    pattern: &str,
) -> Result<(), String> {
    let mut cursor = 0_u64;
    loop {
        let mut step = redis::cmd("SCAN");
        step.arg(cursor)
            .arg("MATCH")
            .arg(pattern)
            .arg("COUNT")
            .arg(500);
        let (next, names): (u64, Vec<Vec<u8>>) =
            step.query_async(connection).await.map_err(text)?;
        if !names.is_empty() {
            let mut unlink = redis::cmd("UNLINK");
            unlink.arg(names);
            unlink.exec_async(connection).await.map_err(text)?;
        }
        if next == 0 {
            return Ok(());
        }
        cursor = next;
    }
}
