//! PostgreSQL and what speaks its protocol, read in short read-only transactions.
//!
//! No session state is assumed, so that a pooler in transaction mode may stand between. Every
//! transaction sets its own time-out and is read-only; nothing is left idle in a transaction.

mod catalogue;
mod cells;
mod connect;
mod scan;

use std::time::Duration;

use sqlx::postgres::{PgPool, PgRow, PgValueFormat};
use sqlx::{AssertSqlSafe, Row, Transaction, ValueRef};
use tokio::sync::mpsc;

use super::sql::{quoted, quoted_table, select_list};
use super::target::PostgresTarget;
use super::{RowFilter, RowQuery, RowScan, StoreError, StoreErrorKind, StoreFacts};
use crate::domain::Timestamp;
use crate::domain::raw::{Cell, ColumnWant, RawRows};
use crate::domain::survey::Table;
use connect::Explainer;

pub struct PostgresStore {
    pool: PgPool,
    explainer: Explainer,
    timeout: Duration,
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

type ReadTransaction = Transaction<'static, sqlx::Postgres>;

impl PostgresStore {
    pub async fn open(
        target: &PostgresTarget,
        timeout: Duration,
    ) -> Result<PostgresStore, StoreError> {
        let explainer = Explainer::new(target, timeout);
        let pool = connect::pool(target, timeout)?;
        let connecting = pool.acquire();
        match tokio::time::timeout(timeout, connecting).await {
            Ok(Ok(_)) => Ok(PostgresStore {
                pool,
                explainer,
                timeout,
            }),
            Ok(Err(error)) => Err(explainer.explain(&error)),
            Err(_) => Err(explainer.silent()),
        }
    }

    /// A transaction that can only read and that the server ends after the time-out.
    async fn begin(&self) -> Result<ReadTransaction, StoreError> {
        let work = async {
            let mut transaction = self.pool.begin_with("BEGIN READ ONLY").await?;
            let limit = format!("SET LOCAL statement_timeout = {}", self.timeout.as_millis());
            sqlx::raw_sql(AssertSqlSafe(limit))
                .execute(&mut *transaction)
                .await?;
            Ok(transaction)
        };
        self.within(work).await
    }

    /// Waits for at most the time-out and a little more, so that the server's own answer to its
    /// time-out comes first.
    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        let patience = self.timeout + Duration::from_millis(500);
        match tokio::time::timeout(patience, work).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(self.explainer.explain(&error)),
            Err(_) => Err(self.explainer.silent()),
        }
    }

    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut transaction = self.begin().await?;
        let version: String = self
            .within(
                sqlx::query_scalar("SELECT current_setting('server_version')")
                    .persistent(false)
                    .fetch_one(&mut *transaction),
            )
            .await?;
        let encrypted: Option<bool> = self
            .within(
                sqlx::query_scalar("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                    .persistent(false)
                    .fetch_optional(&mut *transaction),
            )
            .await
            .unwrap_or_default();
        self.within(transaction.rollback()).await?;
        let version = version.split(' ').next().unwrap_or_default();
        Ok(StoreFacts {
            product: format!("PostgreSQL {version}"),
            encryption: encrypted.map(|on| self.explainer.encryption(on).to_owned()),
            total: None,
            missing_rights: Vec::new(),
        })
    }

    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        let mut transaction = self.begin().await?;
        let query =
            sqlx::query_scalar("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .persistent(false);
        let millis: i64 = self.within(query.fetch_one(&mut *transaction)).await?;
        self.within(transaction.rollback()).await?;
        Ok(Some(Timestamp(millis)))
    }

    pub async fn tables(&self) -> Result<Vec<Table>, StoreError> {
        catalogue::tables(self).await
    }

    /// A few rows. Names are quoted, values are bound.
    pub async fn rows(&self, query: &RowQuery) -> Result<RawRows, StoreError> {
        let mut sql = format!(
            "SELECT {} FROM {}",
            select_list(&query.wants, "text"),
            quoted_table(&query.schema, &query.table)
        );
        let mut binds: Vec<&str> = Vec::new();
        if let RowFilter::Equals(columns) = &query.filter {
            for (column, value) in columns {
                let word = if binds.is_empty() { "WHERE" } else { "AND" };
                binds.push(value);
                let side = match column.as_str() {
                    // Tables without a primary key are addressed by it.
                    "ctid" => "ctid::text".to_owned(),
                    name => format!("{}::text", quoted(name)),
                };
                sql.push_str(&format!(" {word} {side} = ${}", binds.len()));
            }
        }
        sql.push_str(&format!(" LIMIT {}", query.limit));
        let mut transaction = self.begin().await?;
        let mut statement = sqlx::query(AssertSqlSafe(sql)).persistent(false);
        for bind in binds {
            // PostgreSQL text holds no NUL: such a value fits no row.
            statement = statement.bind(bind.replace('\0', "\u{fffd}"));
        }
        let found = self.within(statement.fetch_all(&mut *transaction)).await?;
        self.within(transaction.rollback()).await?;
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
        scan::scan(self, scan, pages).await
    }

    fn vanished(&self, schema: &str, table: &str) -> StoreError {
        let text = format!("There is no table {schema}.{table} any more");
        StoreError::new(StoreErrorKind::Vanished, text)
    }
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
