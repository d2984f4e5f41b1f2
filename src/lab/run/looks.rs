//! Looks at the store and the ledger while a scenario plays, and at the sessions that wait.

use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinHandle;

use super::{Figure, Scene, rows};
use crate::lab::counters::count;
use crate::lab::engine::APPLICATION;
use crate::lab::shop::StoreChoice;

/// How often sessions are looked at.
const EVERY: Duration = Duration::from_millis(40);
/// What a look tells.
const TOLD: [&str; 8] = [
    "charges",
    "refunds",
    "rows_total",
    "rows_in_progress",
    "rows_completed",
    "rows_expired",
    "replays",
    "executions",
];

/// The counters at one moment, by names such as `at_2500.charges`.
pub async fn look(at_ms: u64, scene: Scene) -> Result<Vec<Figure>, String> {
    tokio::time::sleep(Duration::from_millis(at_ms)).await;
    let events = scene.world.events();
    let mut ledger = scene.world.ledger();
    let books = rows::read(&scene.store).await?;
    ledger.charges.extend(books.payments);
    let seen = scene.seen.lock().await.clone();
    let mails = scene.world.mails().len() as u64;
    let counters = count(0, &events, &ledger, mails, books.rows, &seen);
    let told = counters.members().into_iter();
    let told = told.filter(|(name, _)| TOLD.contains(&name.as_str()));
    let prefix = format!("at_{at_ms}.");
    let told = told.map(|(name, value)| (format!("{prefix}{name}"), value));
    Ok(told.chain(answers(&prefix, &books.answers)).collect())
}

/// The id that the record of each key answers with: `record.k1`.
pub fn answers(prefix: &str, answers: &[(String, String)]) -> Vec<Figure> {
    let figure =
        |(key, id): &(String, String)| (format!("{prefix}record.{key}"), Value::from(id.as_str()));
    answers.iter().map(figure).collect()
}

/// Watches how many of the shop's sessions wait for a lock in PostgreSQL.
pub struct Waiting {
    task: Option<JoinHandle<()>>,
    most: std::sync::Arc<std::sync::atomic::AtomicI64>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Waiting {
    pub fn watch(store: &StoreChoice) -> Waiting {
        let most = std::sync::Arc::new(std::sync::atomic::AtomicI64::new(0));
        let StoreChoice::Postgres { url, .. } = store else {
            return Waiting { task: None, most };
        };
        let task = tokio::spawn(watch(url.clone(), most.clone()));
        Waiting {
            task: Some(task),
            most,
        }
    }

    /// The most that waited at once.
    pub async fn end(self) -> Option<Figure> {
        self.task.as_ref()?;
        let most = self.most.load(std::sync::atomic::Ordering::Acquire);
        Some(("waiting_sessions".to_owned(), Value::from(most)))
    }
}

async fn watch(url: String, most: std::sync::Arc<std::sync::atomic::AtomicI64>) {
    use sqlx::Connection;
    let Ok(mut connection) = sqlx::PgConnection::connect(&url).await else {
        return;
    };
    let sql = "SELECT count(*) FROM pg_stat_activity
               WHERE wait_event_type = 'Lock' AND application_name = $1
                 AND datname = current_database()";
    loop {
        let found: Result<i64, _> = sqlx::query_scalar(sql)
            .persistent(false)
            .bind(APPLICATION)
            .fetch_one(&mut connection)
            .await;
        match found {
            Ok(waiting) => most.fetch_max(waiting, std::sync::atomic::Ordering::AcqRel),
            Err(_) => return,
        };
        tokio::time::sleep(EVERY).await;
    }
}
