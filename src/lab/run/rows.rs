//! The rows of the shop's store, counted by the inspector itself; and an empty store to begin with.
//!
//! Invariant: nothing is read or removed but the lab's own: its file, its prefix, its schema.

use std::path::Path;
use std::sync::Arc;

use sqlx::{AssertSqlSafe, Connection};

use crate::config;
use crate::domain::Status;
use crate::guard::{Outbox, OutboxCount};
use crate::inspect::detect::{SourceOptions, detect};
use crate::inspect::scan::{ScanOptions, ScanView, scan};
use crate::inspect::summary::{Rows as Counted, summarize};
use crate::inspect::{Cancel, Session};
use crate::lab::counters::Rows;
use crate::lab::engine::Engine;
use crate::lab::shop::{StoreChoice, payments_table};
use crate::lab::world::Charge;
use crate::layouts::{Layouts, Place, Source};
use crate::stores::Target;
use crate::stores::sql::quoted;
use crate::sys::files;
use crate::sys::keyring::Keyring;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Leaves the lab's own records, and nothing else, empty.
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
        // With what stands beside the records: `lab-shop-outbox`, `lab-shop-marks`.
        format!("{prefix}[-:]*"),
        format!("idempotency:{prefix}.*"),
        format!("idem:log:{prefix}"),
        format!("idem:seen:{prefix}:*"),
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

/// A store as the inspector sees it, with the lab's own records in it and nobody else's.
pub struct Opened {
    pub target: Target,
    pub session: Arc<Session>,
    pub sources: Vec<Arc<Source>>,
}

/// Opens the store as anybody's would be.
pub async fn open(store: &StoreChoice) -> Result<Opened, String> {
    let url = match store {
        StoreChoice::Memory => return Err("the memory of a process is not seen".to_owned()),
        StoreChoice::Sqlite { path } => format!("sqlite:{}", path.display()),
        StoreChoice::Redis { url, .. } | StoreChoice::Postgres { url, .. } => url.clone(),
        StoreChoice::Both(both) => both.postgres_url.clone(),
    };
    let ready = config::ready(&config::Wanted::text(url), &config::Book::default());
    let (_, resolved) = ready
        .and_then(|ready| ready.resolve(&Keyring::system()))
        .map_err(text)?;
    let session = Session::open(&resolved.target).await.map_err(text)?;
    let layouts = Layouts::built_in();
    let options = SourceOptions {
        layout: layouts.get("lab-shop").cloned(),
        ..SourceOptions::default()
    };
    let detection = detect(&session, &layouts, &options).await.map_err(text)?;
    let schema = match store {
        StoreChoice::Postgres { schema, .. } => Some(schema.as_str()),
        StoreChoice::Both(both) => Some(both.schema.as_str()),
        _ => None,
    };
    let is_ours = |source: &Source| match (&source.place, schema) {
        (Place::Table(place), Some(schema)) => &*place.schema == schema,
        _ => true,
    };
    let found = detection.found.iter().map(|found| &found.source);
    let sources = found.filter(|source| is_ours(source));
    Ok(Opened {
        target: resolved.target,
        sources: sources.map(|source| Arc::new(source.clone())).collect(),
        session: Arc::new(session),
    })
}

/// What a run has left in the store.
#[derive(Clone, Debug, Default)]
pub struct Books {
    pub rows: Rows,
    pub outbox: OutboxCount,
    /// Payments that are rows of the shop's own database.
    pub payments: Vec<Charge>,
}

/// Counts by state, and what stands beside the records.
pub async fn read(store: &StoreChoice) -> Result<Books, String> {
    if *store == StoreChoice::Memory {
        return Ok(Books::default());
    }
    let opened = open(store).await?;
    let sources = opened.sources.iter().map(|source| Source::clone(source));
    let (updates, _views) = tokio::sync::watch::channel(ScanView::empty());
    let token = tokio_util::sync::CancellationToken::new();
    let done = scan(
        opened.session.clone(),
        sources.collect(),
        ScanOptions::default(),
        updates,
        token,
    )
    .await;
    let now = opened.session.now();
    let snapshot = &done.view.snapshot;
    let summary = summarize(snapshot, Counted::All, 1, now, &Cancel::never()).unwrap_or_default();
    Ok(Books {
        rows: Rows {
            total: summary.total,
            in_progress: summary.of_status(Status::Processing),
            completed: summary.of_status(Status::Completed),
            expired: summary.expired,
        },
        outbox: outbox(store).await.unwrap_or_default(),
        payments: payments(store).await,
    })
}

/// Notes that wait and notes that were sent; `None` where there is no outbox.
pub async fn outbox(store: &StoreChoice) -> Option<OutboxCount> {
    let engine = Engine::open(store).await.ok()?;
    engine.outbox_count().await.ok()
}

/// The payments in the shop's own database; none where it has no such table.
async fn payments(store: &StoreChoice) -> Vec<Charge> {
    let select = |schema| {
        format!(
            "SELECT id, amount, recipient FROM {}",
            payments_table(schema)
        )
    };
    let found: Option<Vec<(String, i64, String)>> = match (Engine::open(store).await, store) {
        (Ok(Engine::Sqlite(engine)), _) => sqlx::query_as(AssertSqlSafe(select(None)))
            .fetch_all(engine.pool())
            .await
            .ok(),
        (Ok(Engine::Postgres(engine)), StoreChoice::Postgres { schema, .. }) => {
            sqlx::query_as(AssertSqlSafe(select(Some(schema.as_str()))))
                .persistent(false)
                .fetch_all(engine.pool())
                .await
                .ok()
        }
        _ => None,
    };
    let charge = |(id, amount, recipient): (String, i64, String)| Charge {
        id,
        amount,
        currency: "RUB".to_owned(),
        recipient,
        reference: String::new(),
        key: None,
    };
    found.unwrap_or_default().into_iter().map(charge).collect()
}
