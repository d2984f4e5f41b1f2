//! Connections to lend. Whatever still runs on one is ended when its borrower stops waiting.
//!
//! SQLite works in this process: a query that nobody waits for would go on using a core.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection};

use super::SqliteStore;
use crate::stores::{StoreError, StoreErrorKind};

/// Steps of SQLite's machine between two looks at whether anybody still waits.
const STEPS: i32 = 20_000;
/// Left to SQLite to say that a lock held it up before our time-out ends the wait.
const GRACE: Duration = Duration::from_millis(500);

pub struct Session {
    connection: PoolConnection<Sqlite>,
    wanted: Arc<AtomicBool>,
}

impl Session {
    pub async fn begin(store: &SqliteStore) -> Result<Session, StoreError> {
        let wanted = Arc::new(AtomicBool::new(true));
        let look = Arc::clone(&wanted);
        let lend = async {
            let mut connection = store.pool.acquire().await?;
            let mut handle = connection.lock_handle().await?;
            handle.set_progress_handler(STEPS, move || look.load(Ordering::Relaxed));
            drop(handle);
            Ok(connection)
        };
        let connection = within(store, lend).await?;
        Ok(Session { connection, wanted })
    }

    pub fn connection(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
    }
}

/// Waits for one answer, at most the time-out and a little more.
pub async fn within<T>(
    store: &SqliteStore,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(store.timeout + GRACE, work).await {
        Ok(answer) => answer.map_err(|error| store.explain(&error)),
        Err(_) => {
            let secs = store.timeout.as_secs_f32();
            let text = format!("{} gave no answer within {secs} s", store.label);
            Err(StoreError::new(StoreErrorKind::TimedOut, text))
        }
    }
}
