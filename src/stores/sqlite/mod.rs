//! SQLite files, opened read-only.

pub mod change;
mod exact;
mod log;
pub mod own;
mod packed;
mod scan;
mod session;

use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteRow};
use sqlx::{AssertSqlSafe, Row, SqliteConnection, TypeInfo, ValueRef};
use tokio::sync::mpsc;

use super::sql::{column, from_table, limit, select_list};
use super::target::SqliteTarget;
use super::{
    ExactQuery, ExactRows, RowFilter, RowQuery, RowScan, StoreError, StoreErrorKind, StoreFacts,
};
use crate::domain::raw::{Cell, ColumnKind, ColumnWant, RawRows};
use crate::domain::survey::{Column, Table};
use session::{Session, within};

#[derive(Debug)]
pub struct SqliteStore {
    pool: SqlitePool,
    label: String,
    timeout: Duration,
}

impl SqliteStore {
    pub async fn open(target: &SqliteTarget, timeout: Duration) -> Result<SqliteStore, StoreError> {
        let label = target.path.display().to_string();
        let options = SqliteConnectOptions::new()
            .filename(&target.path)
            .read_only(true)
            .create_if_missing(false)
            .busy_timeout(timeout);
        let pool = SqlitePoolOptions::new()
            .max_connections(2)
            .acquire_timeout(timeout)
            .connect_with(options)
            .await
            .map_err(|error| explain(&label, &error))?;
        let store = SqliteStore {
            pool,
            label,
            timeout,
        };
        // A file that is no database says so only when it is read.
        let mut session = Session::begin(&store).await?;
        let look = sqlx::query("SELECT count(*) FROM sqlite_schema");
        within(&store, look.fetch_one(session.connection())).await?;
        drop(session);
        Ok(store)
    }

    fn explain(&self, error: &sqlx::Error) -> StoreError {
        explain(&self.label, error)
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut session = Session::begin(self).await?;
        let version = sqlx::query_scalar("SELECT sqlite_version()");
        let version: String = within(self, version.fetch_one(session.connection())).await?;
        Ok(StoreFacts {
            product: format!("SQLite {version}"),
            ..StoreFacts::default()
        })
    }

    pub async fn tables(&self) -> Result<Vec<Table>, StoreError> {
        let mut session = Session::begin(self).await?;
        let names = sqlx::query_scalar(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name LIMIT 10000",
        );
        let names: Vec<String> = within(self, names.fetch_all(session.connection())).await?;
        let mut tables = Vec::new();
        for name in names {
            match within(self, table(session.connection(), &name)).await {
                Ok(mut table) => {
                    let number = scan::row_number(self, &name).await?;
                    table.row_id = number.map(str::to_owned);
                    tables.push(table);
                }
                Err(error) if error.is_connection() => return Err(error),
                // A view over something that is gone cannot be described; the others can.
                Err(_) => {}
            }
        }
        Ok(tables)
    }

    pub async fn rows(&self, query: &RowQuery) -> Result<RawRows, StoreError> {
        let mut sql = format!(
            "SELECT {} FROM {}",
            select_list(&query.wants, "TEXT"),
            from_table(&query.schema, &query.table)
        );
        let mut binds: Vec<&str> = Vec::new();
        let columns: &[(String, String)] = match &query.filter {
            RowFilter::All => &[],
            RowFilter::Equals(columns) | RowFilter::Address(columns) => columns,
        };
        let compared = match &query.filter {
            RowFilter::Address(_) => part_of_address,
            RowFilter::All | RowFilter::Equals(_) => condition,
        };
        for (name, value) in columns {
            let word = if binds.is_empty() { "WHERE" } else { "AND" };
            binds.push(value);
            sql.push_str(&format!(" {word} {}", compared(name, value, binds.len())));
        }
        sql.push_str(&format!(" LIMIT {}", limit(query.limit)));
        let mut statement = sqlx::query(AssertSqlSafe(sql));
        for bind in binds {
            statement = statement.bind(bind.to_owned());
        }
        let mut session = Session::begin(self).await?;
        let found = within(self, statement.fetch_all(session.connection())).await?;
        let mut rows = RawRows::new(query.wants.len());
        for row in &found {
            push_row(row, 0, &query.wants, &mut rows);
        }
        Ok(rows)
    }

    /// Rows exactly, in the order of their keys.
    pub async fn exact(&self, query: &ExactQuery) -> Result<ExactRows, StoreError> {
        exact::rows(self, query).await
    }

    pub async fn scan(
        &self,
        scan: &RowScan,
        pages: mpsc::Sender<RawRows>,
    ) -> Result<(), StoreError> {
        scan::scan(self, scan, pages).await
    }
}

/// A column compared with a bound text. Bytes are addressed by their digits, and so is text that is
/// not UTF-8; everything else by its text.
fn condition(name: &str, value: &str, bind: usize) -> String {
    let side = column(name);
    let plain = format!(
        "CASE typeof({side}) WHEN 'blob' THEN lower(hex({side})) ELSE CAST({side} AS TEXT) END = ?{bind}"
    );
    let is_hex =
        value.len().is_multiple_of(2) && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_hex && !value.is_empty() {
        true => format!("({plain} OR (typeof({side}) = 'text' AND lower(hex({side})) = ?{bind}))"),
        false => plain,
    }
}

/// As [`condition`], for a column of an address, where an empty text also stands for what is not
/// there: SQLite lets the columns of a primary key be null.
fn part_of_address(name: &str, value: &str, bind: usize) -> String {
    let equal = condition(name, value, bind);
    match value.is_empty() {
        true => format!("({equal} OR {} IS NULL)", column(name)),
        false => equal,
    }
}

/// The table with its columns and its primary key.
async fn columns(connection: &mut SqliteConnection, name: &str) -> Result<Table, sqlx::Error> {
    let columns = sqlx::query("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)")
        .bind(name)
        .fetch_all(connection)
        .await?;
    let mut table = Table {
        schema: "main".to_owned(),
        name: name.to_owned(),
        readable: true,
        ..Table::default()
    };
    let mut key: Vec<(i64, String)> = Vec::new();
    for row in &columns {
        let column: String = row.try_get("name")?;
        let declared: String = row.try_get("type")?;
        let place: i64 = row.try_get("pk")?;
        if place > 0 {
            key.push((place, column.clone()));
        }
        table.columns.push(Column {
            kind: kind_of(&declared),
            nullable: row.try_get::<i64, _>("notnull")? == 0,
            name: column,
            declared,
            readable: true,
        });
    }
    key.sort();
    table.primary_key = key.into_iter().map(|(_, column)| column).collect();
    Ok(table)
}

async fn table(connection: &mut SqliteConnection, name: &str) -> Result<Table, sqlx::Error> {
    let mut table = columns(connection, name).await?;
    if table.primary_key.is_empty() && table.column("rowid").is_none() {
        let is_table =
            sqlx::query("SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type = 'table'");
        let found = is_table.bind(name).fetch_optional(&mut *connection).await?;
        table.row_id = found.map(|_| "rowid".to_owned());
    }
    let indexes = sqlx::query(
            "SELECT il.name AS name, il.\"unique\" AS one, il.partial AS partial, ii.name AS column, \
             il.origin = 'pk' AS main, ii.seqno AS place \
             FROM pragma_index_list(?1) il, pragma_index_info(il.name) ii ORDER BY il.seq, ii.seqno",
        )
        .bind(name)
        .fetch_all(connection)
        .await?;
    // The primary key of most tables is the row number, which has no index of its own.
    table.indexed.extend(table.primary_key.first().cloned());
    let mut last = String::new();
    for row in &indexes {
        let index: String = row.try_get("name")?;
        let is = |name| row.try_get::<i64, _>(name).map(|value| value == 1);
        let exact = is("one")? && !is("partial")? && !is("main")?;
        if index != last && exact {
            table.unique.push(Vec::new());
        }
        last = index;
        // An expression has no name; an index with one covers no columns exactly.
        let Ok(column) = row.try_get::<String, _>("column") else {
            if exact && let Some(columns) = table.unique.last_mut() {
                columns.push(String::new());
            }
            continue;
        };
        if row.try_get::<i64, _>("place")? == 0 && !table.indexed.contains(&column) {
            table.indexed.push(column.clone());
        }
        if exact && let Some(columns) = table.unique.last_mut() {
            columns.push(column);
        }
    }
    table
        .unique
        .retain(|columns| columns.iter().all(|column| !column.is_empty()));
    Ok(table)
}

fn push_row(row: &SqliteRow, offset: usize, wants: &[ColumnWant], rows: &mut RawRows) {
    for (at, want) in wants.iter().enumerate() {
        rows.push(cell(row, at + offset, want));
    }
}

fn cell<'r>(row: &'r SqliteRow, at: usize, want: &ColumnWant) -> Cell<'r> {
    let Ok(value) = row.try_get_raw(at) else {
        return Cell::Null;
    };
    if value.is_null() {
        return Cell::Null;
    }
    if matches!(want, ColumnWant::Presence { .. }) {
        return Cell::Bool(
            row.try_get_unchecked::<i64, _>(at)
                .is_ok_and(|there| there != 0),
        );
    }
    // SQLite types values, not columns: what is stored counts.
    let kind = value.type_info().name().to_owned();
    match kind.as_str() {
        "INTEGER" | "BOOLEAN" => row
            .try_get_unchecked::<i64, _>(at)
            .map_or(Cell::Null, Cell::Int),
        "REAL" => row
            .try_get_unchecked::<f64, _>(at)
            .map_or(Cell::Null, Cell::Float),
        "BLOB" => row
            .try_get_unchecked::<&[u8], _>(at)
            .map_or(Cell::Null, Cell::Bytes),
        _ => match row.try_get_unchecked::<&[u8], _>(at) {
            Ok(bytes) => std::str::from_utf8(bytes).map_or(Cell::Bytes(bytes), Cell::Text),
            Err(_) => Cell::Null,
        },
    }
}

/// By the declared type's words, as SQLite's own affinity rules do (datatype3, section 3.1).
fn kind_of(declared: &str) -> ColumnKind {
    let declared = declared.to_ascii_uppercase();
    let has = |word: &str| declared.contains(word);
    if has("BOOL") {
        ColumnKind::Bool
    } else if has("UUID") {
        ColumnKind::Uuid
    } else if has("JSON") {
        ColumnKind::Json
    } else if has("TIME") || has("DATE") {
        ColumnKind::NaiveTime
    } else if has("INT") {
        ColumnKind::Int
    } else if has("CHAR") || has("TEXT") || has("CLOB") {
        ColumnKind::Text
    } else if has("BLOB") {
        ColumnKind::Bytes
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        ColumnKind::Float
    } else {
        ColumnKind::Text
    }
}

fn explain(label: &str, error: &sqlx::Error) -> StoreError {
    let text = error.to_string();
    let (kind, what) = match error {
        sqlx::Error::PoolTimedOut => (
            StoreErrorKind::TimedOut,
            "gave no answer in time".to_owned(),
        ),
        sqlx::Error::Database(database) => answered(database.as_ref()),
        _ => (
            StoreErrorKind::Unreachable,
            format!("cannot be read: {text}"),
        ),
    };
    StoreError::new(kind, format!("{label} {what}"))
}

/// Result codes: sqlite.org/rescode.html; the low byte of an extended code is the code.
fn answered(error: &dyn DatabaseError) -> (StoreErrorKind, String) {
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    let message = error.message();
    match code.map(|code| code & 0xff) {
        Some(14) => (
            StoreErrorKind::Unreachable,
            "cannot be opened: no such file, or no right to read it".to_owned(),
        ),
        Some(8 | 10) => (
            StoreErrorKind::Unreachable,
            format!("cannot be opened: {message}"),
        ),
        Some(26) => (StoreErrorKind::Protocol, "is no SQLite database".to_owned()),
        Some(11) => (StoreErrorKind::Protocol, format!("is damaged: {message}")),
        Some(5 | 6) => (
            StoreErrorKind::TimedOut,
            "is locked by another program".to_owned(),
        ),
        _ if message.starts_with("no such table") || message.starts_with("no such column") => (
            StoreErrorKind::Vanished,
            format!("has changed meanwhile: {message}"),
        ),
        _ => (StoreErrorKind::Protocol, format!("answered: {message}")),
    }
}
