//! PostgreSQL and what speaks its protocol, read in short read-only transactions.
//!
//! No session state is assumed, so that a pooler in transaction mode may stand between. Every
//! transaction sets its own time-out and is read-only; nothing is left idle in a transaction.

mod catalogue;
mod cells;
mod connect;
mod copy;
mod scan;
mod session;

use std::time::Duration;

use sqlx::postgres::{PgRow, PgValueFormat};
use sqlx::{AssertSqlSafe, Row, ValueRef};
use tokio::sync::mpsc;

use super::sql::{column, from_table, limit, select_list};
use super::target::PostgresTarget;
use super::{RowFilter, RowQuery, RowScan, StoreError, StoreErrorKind, StoreFacts};
use crate::domain::Timestamp;
use crate::domain::raw::{Cell, ColumnKind, ColumnWant, RawRows};
use crate::domain::survey::Table;
use session::{Sessions, Statement};

pub struct PostgresStore {
    sessions: Sessions,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl PostgresStore {
    pub async fn open(
        target: &PostgresTarget,
        timeout: Duration,
    ) -> Result<PostgresStore, StoreError> {
        if let Some(problem) = target.tls.problem() {
            let text = format!("{} cannot be connected to: {problem}", target.endpoint);
            return Err(StoreError::new(StoreErrorKind::Tls, text));
        }
        let sessions = Sessions::new(target, timeout);
        sessions.begin(Statement::Short).await?.end().await;
        Ok(PostgresStore { sessions })
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut session = self.sessions.begin(Statement::Short).await?;
        let version = sqlx::query_scalar("SELECT current_setting('server_version')")
            .persistent(false)
            .fetch_one(&mut session.connection);
        let version: String = self.sessions.within(version).await?;
        let encrypted =
            sqlx::query_scalar("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                .persistent(false)
                .fetch_optional(&mut session.connection);
        // What speaks the protocol only may not have this view.
        let encrypted: Option<bool> = self.sessions.within(encrypted).await.unwrap_or_default();
        session.end().await;
        let version = version.split(' ').next().unwrap_or_default();
        let words = |on| self.sessions.explainer.encryption(on).to_owned();
        Ok(StoreFacts {
            product: format!("PostgreSQL {version}"),
            encryption: encrypted.map(words),
            missing_rights: Vec::new(),
            ..StoreFacts::default()
        })
    }

    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut session = self.sessions.begin(Statement::Short).await?;
        let query =
            sqlx::query_scalar("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .persistent(false)
                .fetch_one(&mut session.connection);
        let millis: i64 = self.sessions.within(query).await?;
        session.end().await;
        Ok(Some(Timestamp(millis)))
    }

    pub async fn tables(&self) -> Result<Vec<Table>, StoreError> {
        catalogue::tables(&self.sessions).await
    }

    /// A few rows. Names are quoted, values are bound.
    pub async fn rows(&self, query: &RowQuery) -> Result<RawRows, StoreError> {
        let (sql, binds) = rows_sql(query);
        let mut session = self.sessions.begin(Statement::Short).await?;
        let mut statement = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for bind in binds {
            statement = statement.bind(bind);
        }
        let found = statement.fetch_all(&mut session.connection);
        let found = self.sessions.within(found).await?;
        session.end().await;
        let mut rows = RawRows::new(query.wants.len());
        for row in &found {
            for (at, want) in query.wants.iter().enumerate() {
                rows.push(cell(row, at, want));
            }
        }
        Ok(rows)
    }

    pub async fn scan(
        &self,
        scan: &RowScan,
        pages: mpsc::Sender<RawRows>,
    ) -> Result<(), StoreError> {
        scan::scan(&self.sessions, scan, pages).await
    }
}

/// A column compared with a bound text, in its own type where an index can serve it. `None` for a
/// value that no row can have.
fn condition(wants: &[ColumnWant], name: &str, value: &str, bind: usize) -> Option<String> {
    if value.contains('\0') {
        return None; // PostgreSQL's text holds no NUL
    }
    if name == "ctid" {
        // Tables without a primary key are addressed by it.
        return is_tid(value).then(|| format!("t.ctid = ${bind}::text::tid"));
    }
    let kind = wants.iter().find_map(|want| match want {
        ColumnWant::Value { column, kind } if column == name => Some(*kind),
        _ => None,
    });
    let side = column(name);
    match kind {
        Some(ColumnKind::Int) => {
            let whole = value
                .parse::<i64>()
                .is_ok_and(|number| number.to_string() == value);
            whole.then(|| format!("{side} = ${bind}::text::bigint"))
        }
        Some(ColumnKind::Uuid) => is_uuid(value).then(|| format!("{side} = ${bind}::text::uuid")),
        Some(ColumnKind::Bytes) => {
            let is_hex =
                value.len().is_multiple_of(2) && value.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_hex.then(|| format!("{side} = decode(${bind}::text, 'hex')"))
        }
        Some(ColumnKind::Time) => {
            moment(value, "timestamptz", bind).map(|at| format!("{side} = {at}"))
        }
        Some(ColumnKind::NaiveTime) => {
            moment(value, "timestamp", bind).map(|at| format!("{side} = {at}"))
        }
        Some(ColumnKind::Text) => Some(text_condition(&side, value, bind)),
        _ => Some(format!("{side}::text = ${bind}")),
    }
}

/// Text compared with a bound text. Fixed width is padded with blanks, which a comparison does not
/// count; text that is not UTF-8, which only a database without an encoding holds, is addressed by
/// the digits of its bytes.
fn text_condition(side: &str, value: &str, bind: usize) -> String {
    let is_hex = !value.is_empty()
        && value.len().is_multiple_of(2)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    if value.ends_with(' ') {
        format!(
            "({side} IN (${bind}::text, rtrim(${bind}::text, ' ')) \
             AND ({side}::text = ${bind}::text OR pg_typeof({side}) = 'character'::regtype))"
        )
    } else if is_hex {
        format!(
            "{side} IN (${bind}::text, CASE getdatabaseencoding() WHEN 'SQL_ASCII' \
             THEN convert_from(decode(${bind}::text, 'hex'), 'SQL_ASCII') END)"
        )
    } else {
        format!("{side} = ${bind}::text")
    }
}

/// Microseconds since the epoch, as [`cells`] reads a time, in the server's type.
fn moment(value: &str, kind: &str, bind: usize) -> Option<String> {
    // What lies outside is no time of the server's, but `infinity`.
    let range = -210_000_000_000_000_000..9_000_000_000_000_000_000_i64;
    let micros: i64 = value.parse().ok()?;
    range.contains(&micros).then(|| {
        format!(
            "{kind} 'epoch' + ${bind}::text::bigint / 1000000 * interval '1 second' \
             + ${bind}::text::bigint % 1000000 * interval '1 microsecond'"
        )
    })
}

/// `(block,row)`.
fn is_tid(text: &str) -> bool {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner
        .and_then(|inner| inner.split_once(','))
        .is_some_and(|(block, row)| block.parse::<u32>().is_ok() && row.parse::<u16>().is_ok())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn rows_sql(query: &RowQuery) -> (String, Vec<&str>) {
    let mut sql = format!(
        "SELECT {} FROM {}",
        select_list(&query.wants, "text"),
        from_table(&query.schema, &query.table)
    );
    let mut binds: Vec<&str> = Vec::new();
    if let RowFilter::Equals(columns) = &query.filter {
        for (at, (name, value)) in columns.iter().enumerate() {
            let word = if at == 0 { "WHERE" } else { "AND" };
            match condition(&query.wants, name, value, binds.len() + 1) {
                Some(condition) => {
                    binds.push(value);
                    sql.push_str(&format!(" {word} {condition}"));
                }
                None => sql.push_str(&format!(" {word} false")),
            }
        }
    }
    sql.push_str(&format!(" LIMIT {}", limit(query.limit)));
    (sql, binds)
}

fn cell<'r>(row: &'r PgRow, at: usize, want: &ColumnWant) -> Cell<'r> {
    let Ok(value) = row.try_get_raw(at) else {
        return Cell::Null;
    };
    if value.is_null() {
        return Cell::Null;
    }
    match (value.format(), value.as_bytes()) {
        (PgValueFormat::Binary, Ok(bytes)) => cells::cell(want, bytes),
        (PgValueFormat::Text, Ok(bytes)) => {
            std::str::from_utf8(bytes).map_or(Cell::Bytes(bytes), Cell::Text)
        }
        (_, Err(_)) => Cell::Null,
    }
}
