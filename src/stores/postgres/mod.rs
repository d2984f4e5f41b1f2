//! PostgreSQL and what speaks its protocol, read in short read-only transactions.
//!
//! No session state is assumed, so that a pooler in transaction mode may stand between. Every
//! transaction sets its own time-out and is read-only; nothing is left idle in a transaction.

mod address;
mod catalogue;
mod cells;
pub mod change;
mod connect;
mod copy;
mod dial;
mod exact;
mod greeting;
pub mod lane;
mod log;
mod place;
mod scan;
mod session;

use sqlx::postgres::{PgRow, PgValueFormat};
use sqlx::{AssertSqlSafe, Row, ValueRef};
use tokio::sync::mpsc;

use super::sql::{from_table, limit, select_list};
use super::target::{PostgresTarget, Target};
use super::{
    ExactQuery, ExactRows, RowFilter, RowQuery, RowScan, StoreError, StoreErrorKind, StoreFacts,
};
use crate::domain::Timestamp;
use crate::domain::raw::{Cell, ColumnWant, RawRows};
use crate::domain::survey::Table;
use address::{condition, part_of_address};
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
        whole: &Target,
        target: &PostgresTarget,
    ) -> Result<PostgresStore, StoreError> {
        if let Some(problem) = target.tls.problem() {
            let text = format!("{} cannot be connected to: {problem}", target.endpoint);
            return Err(StoreError::new(StoreErrorKind::Tls, text));
        }
        let sessions = Sessions::new(whole, target);
        sessions.begin(Statement::Short).await?.end().await;
        Ok(PostgresStore { sessions })
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut session = self.sessions.begin(Statement::Short).await?;
        let asked = sqlx::query_as(
            "SELECT current_setting('server_version'), coalesce(has_table_privilege(\
             to_regclass('pg_catalog.pg_locks'), 'SELECT'), false)",
        );
        let asked = asked.persistent(false).fetch_one(&mut session.connection);
        let (version, sees_locks): (String, bool) = self.sessions.within(asked).await?;
        let encryption = session.encryption.to_owned();
        session.end().await;
        let place = self.place().await;
        let version = version.split(' ').next().unwrap_or_default();
        Ok(StoreFacts {
            product: format!("PostgreSQL {version}"),
            encryption: Some(encryption),
            missing_rights: match sees_locks {
                true => Vec::new(),
                false => vec![
                    "pg_locks: that a running transaction holds a lock shows at the change only"
                        .to_owned(),
                ],
            },
            place,
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

    /// Rows exactly, in the order of their keys.
    pub async fn exact(&self, query: &ExactQuery) -> Result<ExactRows, StoreError> {
        exact::rows(&self.sessions, query).await
    }

    pub async fn scan(
        &self,
        scan: &RowScan,
        pages: mpsc::Sender<RawRows>,
    ) -> Result<(), StoreError> {
        scan::scan(&self.sessions, scan, pages).await
    }
}

fn rows_sql(query: &RowQuery) -> (String, Vec<&str>) {
    let mut sql = format!(
        "SELECT {} FROM {}",
        select_list(&query.wants, "text"),
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
    for (at, (name, value)) in columns.iter().enumerate() {
        let word = if at == 0 { "WHERE" } else { "AND" };
        let kind = query.wants.iter().find_map(|want| match want {
            ColumnWant::Value { column, kind } if column == name => Some(*kind),
            _ => None,
        });
        let bind = format!("${}", binds.len() + 1);
        match compared(kind, name, value, &bind) {
            Some(condition) => {
                binds.push(value);
                sql.push_str(&format!(" {word} ({condition})"));
            }
            None => sql.push_str(&format!(" {word} false")),
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
