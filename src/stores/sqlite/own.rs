//! SQLite files that are ours: the demo store. Never one that a user owns.
//!
//! Apart from the read half because this writes. A file is made beside its place and put there in
//! one step, so that a reader sees the old one or the new one.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::explain;
use crate::stores::StoreError;

/// Values of one statement: several rows at once are several times as fast.
const BINDS_MAX: usize = 800;

/// A value of a row that is written.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnValue {
    Null,
    Int(i64),
    Text(String),
}

/// Rows of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnRows {
    pub table: &'static str,
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<OwnValue>>,
}

/// Makes a new file at `path` with these schemas and rows; a file that is there is an error.
pub async fn make(
    path: &Path,
    schemas: &[&'static str],
    rows: &[OwnRows],
) -> Result<(), StoreError> {
    let label = path.display().to_string();
    let work = async {
        let mut connection = connect(path, Creation::New).await?;
        for schema in schemas {
            sqlx::raw_sql(*schema).execute(&mut connection).await?;
        }
        write(&mut connection, rows).await?;
        connection.close().await
    };
    work.await.map_err(|error| explain(&label, &error))
}

/// Adds rows to a file of ours.
pub async fn append(path: &Path, rows: &[OwnRows]) -> Result<(), StoreError> {
    let label = path.display().to_string();
    let work = async {
        let mut connection = connect(path, Creation::Existing).await?;
        write(&mut connection, rows).await?;
        connection.close().await
    };
    work.await.map_err(|error| explain(&label, &error))
}

/// The greatest text in a column, or `None` where there is none.
pub async fn greatest(path: &Path, query: &'static str) -> Option<String> {
    let mut connection = connect(path, Creation::Existing).await.ok()?;
    let found: Option<String> = sqlx::query_scalar(query)
        .fetch_one(&mut connection)
        .await
        .ok()?;
    let _ = connection.close().await;
    found
}

enum Creation {
    New,
    Existing,
}

async fn connect(path: &Path, creation: Creation) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(matches!(creation, Creation::New))
        .busy_timeout(Duration::from_secs(2))
        .connect()
        .await
}

async fn write(connection: &mut SqliteConnection, rows: &[OwnRows]) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    for table in rows {
        let each = (BINDS_MAX / table.columns.len().max(1)).max(1);
        for rows in table.rows.chunks(each) {
            let places = format!("({})", vec!["?"; table.columns.len()].join(", "));
            let sql = format!(
                "INSERT INTO {} ({}) VALUES {}",
                table.table,
                table.columns.join(", "),
                vec![places; rows.len()].join(", ")
            );
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for value in rows.iter().flatten() {
                query = match value {
                    OwnValue::Null => query.bind(None::<String>),
                    OwnValue::Int(number) => query.bind(*number),
                    OwnValue::Text(text) => query.bind(text.as_str()),
                };
            }
            query.execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await
}
