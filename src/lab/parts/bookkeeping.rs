//! What the consumer keeps in the store: which messages it has handled, and what it did for them.
//!
//! A mark and the record of its mail are one row, so that they are written in one step.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;
use tokio::sync::Mutex;

use crate::guard::StoreTrouble;
use crate::lab::engine::Engine;
use crate::lab::shop::StoreChoice;
use crate::stores::sql::quoted_table;

/// The marks of one consumer.
#[derive(Debug)]
pub enum Marks {
    Memory(Mutex<HashMap<String, String>>),
    Sqlite(sqlx::SqlitePool),
    Postgres(sqlx::PgPool, String),
    Redis(redis::aio::MultiplexedConnection, String),
}

fn sql(error: sqlx::Error) -> StoreTrouble {
    StoreTrouble(format!("the consumer's marks: {error}"))
}

fn keys(error: redis::RedisError) -> StoreTrouble {
    StoreTrouble(format!("the consumer's marks: {error}"))
}

const COLUMNS: &str = "(message text PRIMARY KEY, did text NOT NULL)";

impl Marks {
    /// Errors: the store cannot be reached, or does not allow it.
    pub async fn open(choice: &StoreChoice) -> Result<Marks, StoreTrouble> {
        match choice {
            StoreChoice::Memory => Ok(Marks::Memory(Mutex::default())),
            StoreChoice::Redis { url, prefix } => Marks::redis(url, prefix).await,
            StoreChoice::Sqlite { .. } | StoreChoice::Postgres { .. } | StoreChoice::Both(_) => {
                Marks::table(choice).await
            }
        }
    }

    async fn redis(url: &str, prefix: &str) -> Result<Marks, StoreTrouble> {
        let client = redis::Client::open(url).map_err(keys)?;
        let connection = client.get_multiplexed_async_connection().await;
        Ok(Marks::Redis(
            connection.map_err(keys)?,
            format!("{prefix}-marks"),
        ))
    }

    async fn table(choice: &StoreChoice) -> Result<Marks, StoreTrouble> {
        let make = |table: &str| format!("CREATE TABLE IF NOT EXISTS {table} {COLUMNS}");
        match (Engine::attach(choice).await?, choice) {
            (Engine::Sqlite(store), _) => {
                let made = sqlx::raw_sql(AssertSqlSafe(make("consumer_marks")));
                made.execute(store.pool()).await.map_err(sql)?;
                Ok(Marks::Sqlite(store.pool().clone()))
            }
            (Engine::Postgres(store), StoreChoice::Postgres { schema, .. }) => {
                let table = quoted_table(schema, "consumer_marks");
                let made = sqlx::raw_sql(AssertSqlSafe(make(&table)));
                made.execute(store.pool()).await.map_err(sql)?;
                Ok(Marks::Postgres(store.pool().clone(), table))
            }
            _ => Ok(Marks::Memory(Mutex::default())),
        }
    }

    /// Whether a message was handled.
    pub async fn has(&self, message: &str) -> Result<bool, StoreTrouble> {
        match self {
            Marks::Memory(marks) => Ok(marks.lock().await.contains_key(message)),
            Marks::Sqlite(pool) => {
                let found = sqlx::query("SELECT 1 FROM consumer_marks WHERE message = ?1")
                    .bind(message.to_owned())
                    .fetch_optional(pool);
                Ok(found.await.map_err(sql)?.is_some())
            }
            Marks::Postgres(pool, table) => {
                let text = format!("SELECT 1 FROM {table} WHERE message = $1");
                let found = sqlx::query(AssertSqlSafe(text))
                    .persistent(false)
                    .bind(message)
                    .fetch_optional(pool);
                Ok(found.await.map_err(sql)?.is_some())
            }
            Marks::Redis(connection, name) => {
                let mut connection = connection.clone();
                let mut command = redis::cmd("HEXISTS");
                command.arg(name).arg(message);
                command.query_async(&mut connection).await.map_err(keys)
            }
        }
    }

    /// Marks a message, with what was done for it. False where it was marked before.
    pub async fn mark(&self, message: &str, did: &str) -> Result<bool, StoreTrouble> {
        match self {
            Marks::Memory(marks) => {
                let before = marks
                    .lock()
                    .await
                    .insert(message.to_owned(), did.to_owned());
                Ok(before.is_none())
            }
            Marks::Sqlite(pool) => {
                let text = "INSERT INTO consumer_marks VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                let done = sqlx::query(text)
                    .bind(message.to_owned())
                    .bind(did.to_owned())
                    .execute(pool);
                Ok(done.await.map_err(sql)?.rows_affected() > 0)
            }
            Marks::Postgres(pool, table) => {
                let text = format!("INSERT INTO {table} VALUES ($1, $2) ON CONFLICT DO NOTHING");
                let done = sqlx::query(AssertSqlSafe(text))
                    .persistent(false)
                    .bind(message)
                    .bind(did)
                    .execute(pool);
                Ok(done.await.map_err(sql)?.rows_affected() > 0)
            }
            Marks::Redis(connection, name) => {
                let mut connection = connection.clone();
                let mut command = redis::cmd("HSETNX");
                command.arg(name).arg(message).arg(did);
                command.query_async(&mut connection).await.map_err(keys)
            }
        }
    }
}
