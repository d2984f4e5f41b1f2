//! The shop's retry log: in the same store as its records, in a place of its own.

use std::time::Duration;

use super::config::{ShopConfig, StoreChoice};
use crate::guard::StoreTrouble;
use crate::guard::log::AttemptLog;

/// Opens it; nothing where the records stand in memory.
///
/// Errors: the store cannot be reached, or does not allow it.
pub async fn open(config: &ShopConfig) -> Result<Option<AttemptLog>, StoreTrouble> {
    let instance = format!("shop-{}", config.instance);
    let retention = Duration::from_millis(config.switches.retention_ms);
    let log = match &config.store {
        StoreChoice::Memory => return Ok(None),
        StoreChoice::Sqlite { path } => AttemptLog::sqlite(path, &instance, retention).await?,
        StoreChoice::Redis { url, prefix } => {
            let client = redis::Client::open(url.as_str());
            let client = client.map_err(|error| StoreTrouble(format!("Redis: {error}")))?;
            AttemptLog::redis(client, prefix, &instance, retention)
        }
        StoreChoice::Postgres { url, schema } => {
            in_postgres(url, schema, &instance, retention).await?
        }
        // With the one of the two that does not forget.
        StoreChoice::Both(both) => {
            in_postgres(&both.postgres_url, &both.schema, &instance, retention).await?
        }
    };
    Ok(Some(log))
}

async fn in_postgres(
    url: &str,
    schema: &str,
    instance: &str,
    retention: Duration,
) -> Result<AttemptLog, StoreTrouble> {
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(2);
    let pool = pool.connect(url).await;
    let pool = pool.map_err(|error| StoreTrouble(format!("PostgreSQL: {error}")))?;
    AttemptLog::postgres(pool, schema, instance, retention).await
}
