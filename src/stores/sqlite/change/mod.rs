//! Changes of rows in SQLite files: compared and written in short transactions.
//!
//! Apart from the read half: a connection of its own, which may write. Foreign keys are enforced,
//! so that nothing is left without what it points to; a row that others would go with is not
//! deleted. Invariants: a file that another program holds is waited for as long as the time-out
//! and then left; what is refused for one row is undone for that row only.

mod sql;

use std::time::Duration;

use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Row, Sqlite, SqliteConnection};
use tokio::sync::Mutex;

use super::explain;
use crate::domain::change::{Applied, Change, ExactCell, Outcome, RowChange, RowState};
use crate::stores::target::SqliteTarget;
use crate::stores::{Batch, StoreError, StoreErrorKind};
use sql::Prepared;

/// Rows in one transaction: nobody else can write meanwhile.
const ROWS: usize = 200;

pub struct SqliteWriter {
    connection: Mutex<SqliteConnection>,
    label: String,
}

impl std::fmt::Debug for SqliteWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteWriter").finish_non_exhaustive()
    }
}

/// The transaction is gone, with all that was done in it.
struct Undone(sqlx::Error);

impl SqliteWriter {
    pub async fn open(
        target: &SqliteTarget,
        timeout: Duration,
    ) -> Result<SqliteWriter, StoreError> {
        let label = target.path.display().to_string();
        let connection = SqliteConnectOptions::new()
            .filename(&target.path)
            .create_if_missing(false)
            .foreign_keys(true)
            .busy_timeout(timeout)
            .connect()
            .await
            .map_err(|error| explain(&label, &error))?;
        let writer = SqliteWriter {
            connection: Mutex::new(connection),
            label,
        };
        let mut connection = writer.connection.lock().await;
        match run(&mut connection, "BEGIN IMMEDIATE").await {
            Ok(()) => run(&mut connection, "ROLLBACK")
                .await
                .map_err(|e| writer.explain(&e))?,
            // It may be free when something is to be changed.
            Err(error) if is_busy(&error) => {}
            Err(error) => return Err(writer.explain(&error)),
        }
        drop(connection);
        Ok(writer)
    }

    pub fn batch_max(&self) -> usize {
        ROWS
    }

    fn explain(&self, error: &sqlx::Error) -> StoreError {
        if primary_code(error) == Some(8) {
            let text = format!("{} is read-only: it takes no changes", self.label);
            return StoreError::new(StoreErrorKind::Denied, text);
        }
        explain(&self.label, error)
    }

    pub async fn apply(&self, changes: &[&Change]) -> Batch {
        let mut batch = Batch::default();
        let connection = &mut *self.connection.lock().await;
        for portion in changes.chunks(ROWS) {
            if batch.trouble.is_some() {
                let rest = portion
                    .iter()
                    .map(|_| not_reached("it was not sent any more"));
                batch.outcomes.extend(rest);
                continue;
            }
            let (outcomes, trouble) = self.transaction(connection, portion).await;
            batch.outcomes.extend(outcomes);
            batch.trouble = trouble;
        }
        batch
    }

    async fn transaction(
        &self,
        connection: &mut SqliteConnection,
        changes: &[&Change],
    ) -> (Vec<Applied>, Option<StoreError>) {
        // Of a call whose end nobody waited for.
        let _ = run(connection, "ROLLBACK").await;
        if let Err(error) = run(connection, "BEGIN IMMEDIATE").await {
            let trouble = self.explain(&error);
            let applied = match trouble.kind {
                StoreErrorKind::Denied => Applied::not(Outcome::Refused, "the file is read-only"),
                _ => not_reached("the file is locked by another program: nothing was changed"),
            };
            return (vec![applied; changes.len()], Some(trouble));
        }
        let mut outcomes = Vec::with_capacity(changes.len());
        for change in changes {
            match self.one(connection, change).await {
                Ok(applied) => outcomes.push(applied),
                Err(Undone(error)) => return self.undone(connection, changes, &error).await,
            }
        }
        match run(connection, "COMMIT").await {
            Ok(()) => (outcomes, None),
            Err(error) => self.undone(connection, changes, &error).await,
        }
    }

    /// A transaction that could not go on or end, and is rolled back as a whole.
    async fn undone(
        &self,
        connection: &mut SqliteConnection,
        changes: &[&Change],
        error: &sqlx::Error,
    ) -> (Vec<Applied>, Option<StoreError>) {
        let rolled_back = run(connection, "ROLLBACK").await;
        let code = rolled_back.as_ref().err().and_then(primary_code);
        // Code 1: there was none any more, since SQLite has rolled it back itself.
        let applied = match rolled_back {
            Ok(()) => not_reached("it was rolled back: nothing was changed"),
            Err(_) if code == Some(1) => not_reached("it was rolled back: nothing was changed"),
            Err(_) => Applied::not(Outcome::Unknown, "it is not known whether it was written"),
        };
        (vec![applied; changes.len()], Some(self.explain(error)))
    }

    async fn one(
        &self,
        connection: &mut SqliteConnection,
        change: &Change,
    ) -> Result<Applied, Undone> {
        let Change::Row(row) = change else {
            let why = "it is a key, and this store holds tables";
            return Ok(Applied::not(Outcome::Refused, why));
        };
        if let Some(why) = sql::refusal(row) {
            return Ok(Applied::not(Outcome::Refused, why));
        }
        run(connection, "SAVEPOINT one").await.map_err(Undone)?;
        let changed = change_row(connection, row).await;
        let applied = match changed {
            Ok(applied) => applied,
            Err(error) => refused(&error).ok_or(Undone(error))?,
        };
        let end = match applied.outcome {
            Outcome::Done => "RELEASE one",
            _ => "ROLLBACK TO one; RELEASE one",
        };
        run(connection, end).await.map_err(Undone)?;
        Ok(applied)
    }
}

async fn change_row(
    connection: &mut SqliteConnection,
    row: &RowChange,
) -> Result<Applied, sqlx::Error> {
    let prepared = sql::change(row);
    let count = match prepared.sql.starts_with("SELECT") {
        true => query(&prepared).fetch_all(&mut *connection).await?.len() as u64,
        false => query(&prepared)
            .execute(&mut *connection)
            .await?
            .rows_affected(),
    };
    match count {
        1 => return Ok(Applied::done()),
        0 => {}
        _ => return Ok(Applied::not(Outcome::Refused, "several rows are alike")),
    }
    let found = query(&sql::look(row)).fetch_optional(connection).await?;
    let found = found.map(|found| found.try_get::<Option<i64>, _>(0).unwrap_or_default());
    Ok(match found {
        None if row.seen != RowState::Absent => Applied::not(Outcome::Gone, "it was gone already"),
        Some(Some(1)) | None => Applied::not(
            Outcome::Refused,
            "the table kept it as it was: a trigger of it",
        ),
        Some(_) => Applied::not(Outcome::ChangedMeanwhile, "it is not as it was seen"),
    })
}

/// What an error says of one row; `None` for one that concerns the transaction.
fn refused(error: &sqlx::Error) -> Option<Applied> {
    let database = error.as_database_error()?;
    let message = database.message().replace(['\r', '\n'], " ");
    let code = database.code().and_then(|code| code.parse::<u32>().ok())?;
    Some(match (code, code & 0xff) {
        // A row with this key, or another that may be there once only.
        (1555 | 2067 | 2579, _) => {
            Applied::not(Outcome::ChangedMeanwhile, "another row stands there by now")
        }
        (_, 19) => {
            let why = format!("a rule of the table forbids it: {message}");
            Applied::not(Outcome::Refused, why)
        }
        (_, 1 | 18 | 20) => Applied::not(Outcome::Refused, format!("SQLite answered: {message}")),
        _ => return None,
    })
}

fn query(prepared: &Prepared) -> sqlx::query::Query<'_, Sqlite, SqliteArguments> {
    let mut query = sqlx::query(AssertSqlSafe(prepared.sql.clone()));
    for cell in &prepared.binds {
        query = match cell {
            ExactCell::Null => query.bind(None::<i64>),
            ExactCell::Int(number) => query.bind(*number),
            ExactCell::Real(number) => query.bind(*number),
            ExactCell::Text(text) => query.bind(text.clone()),
            ExactCell::Blob(bytes) | ExactCell::RawText(bytes) => query.bind(bytes.clone()),
        };
    }
    query
}

async fn run(connection: &mut SqliteConnection, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(sql).execute(connection).await.map(drop)
}

fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|code| code & 0xff)
}

fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(5 | 6))
}

fn not_reached(why: &str) -> Applied {
    Applied::not(Outcome::NotReached, why)
}
