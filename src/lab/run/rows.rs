//! The rows of the shop's store, counted by the inspector itself.
//!
//! Invariant: nothing is read but the lab's own: its file, its prefix, its schema.

use std::sync::Arc;

use serde_json::Value;
use sqlx::AssertSqlSafe;

use crate::config;
use crate::domain::Status;
use crate::guard::{Outbox, OutboxCount};
use crate::inspect::catalogue::Snapshot;
use crate::inspect::detect::{SourceOptions, detect};
use crate::inspect::scan::{ScanOptions, ScanView, scan};
use crate::inspect::show;
use crate::inspect::summary::{Rows as Counted, summarize};
use crate::inspect::{Cancel, Session};
use crate::lab::counters::Rows;
use crate::lab::engine::Engine;
use crate::lab::shop::{StoreChoice, local_id, payments_table};
use crate::lab::world::Charge;
use crate::layouts::{Layouts, Place, Source};
use crate::stores::Target;
use crate::sys::keyring::Keyring;

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
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
    /// The id in the stored answer, by key; of the first few records.
    pub answers: Vec<(String, String)>,
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
        answers: answers(&opened, snapshot).await,
    })
}

/// Records of which the stored answer is read.
const ANSWERS_MAX: usize = 5;

/// The ids in stored answers.
async fn answers(opened: &Opened, snapshot: &Snapshot) -> Vec<(String, String)> {
    let mut answers = Vec::new();
    for row in snapshot.rows().take(ANSWERS_MAX) {
        let address = row.address();
        let Ok(Some(whole)) = show::open(&opened.session, &opened.sources, &address).await else {
            continue;
        };
        let body = whole.response_body.map(|body| body.text);
        let body: Value = serde_json::from_str(&body.unwrap_or_default()).unwrap_or_default();
        let id = body.get("id").and_then(Value::as_str);
        if let (Some(key), Some(id)) = (whole.record.idempotency_key, id) {
            answers.push((key, id.to_owned()));
        }
    }
    answers
}

/// Notes that wait and notes that were sent; `None` where there is no outbox.
pub async fn outbox(store: &StoreChoice) -> Option<OutboxCount> {
    let engine = Engine::attach(store).await.ok()?;
    engine.outbox_count().await.ok()
}

/// The payments in the shop's own database; none where it has no such table.
async fn payments(store: &StoreChoice) -> Vec<Charge> {
    let select = |schema| {
        format!(
            "SELECT number, amount, recipient FROM {}",
            payments_table(schema)
        )
    };
    let found: Option<Vec<(i64, i64, String)>> = match (Engine::attach(store).await, store) {
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
    let charge = |(number, amount, recipient): (i64, i64, String)| Charge {
        id: local_id(number),
        amount,
        currency: "RUB".to_owned(),
        recipient,
        reference: String::new(),
        key: None,
    };
    found.unwrap_or_default().into_iter().map(charge).collect()
}
