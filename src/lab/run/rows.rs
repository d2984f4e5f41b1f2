//! The rows of the shop's store, counted by the inspector itself; and an empty store to begin with.

use std::path::Path;

use sqlx::{AssertSqlSafe, Connection};

use crate::config;
use crate::domain::Status;
use crate::inspect::detect::{SourceOptions, detect};
use crate::inspect::scan::{ScanOptions, ScanView, scan};
use crate::inspect::summary::{Rows as Counted, summarize};
use crate::inspect::{Cancel, Session};
use crate::lab::counters::Rows;
use crate::lab::shop::StoreChoice;
use crate::layouts::Layouts;
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
        StoreChoice::Postgres { url, schema } => {
            let mut connection = sqlx::PgConnection::connect(url).await.map_err(text)?;
            let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(schema));
            sqlx::raw_sql(AssertSqlSafe(sql))
                .execute(&mut connection)
                .await
                .map_err(text)?;
            connection.close().await.map_err(text)
        }
    }
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

/// Counts by state.
pub async fn count(store: &StoreChoice) -> Result<Rows, String> {
    let url = match store {
        StoreChoice::Memory => return Ok(Rows::default()),
        StoreChoice::Sqlite { path } => format!("sqlite:{}", path.display()),
        StoreChoice::Redis { url, .. } | StoreChoice::Postgres { url, .. } => url.clone(),
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
    let sources: Vec<_> = detection
        .found
        .iter()
        .map(|found| found.source.clone())
        .collect();
    let session = std::sync::Arc::new(session);
    let (updates, _views) = tokio::sync::watch::channel(ScanView::empty());
    let token = tokio_util::sync::CancellationToken::new();
    let done = scan(
        session.clone(),
        sources,
        ScanOptions::default(),
        updates,
        token,
    )
    .await;
    let now = session.now();
    let snapshot = &done.view.snapshot;
    let summary = summarize(snapshot, Counted::All, 1, now, &Cancel::never()).unwrap_or_default();
    Ok(Rows {
        total: summary.total,
        in_progress: summary.of_status(Status::Processing),
        completed: summary.of_status(Status::Completed),
        expired: summary.expired,
    })
}
