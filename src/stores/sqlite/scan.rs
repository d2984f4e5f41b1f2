//! Reads a whole table in pages by its row number, so that no read transaction is held for long and
//! a writer never waits.
//!
//! A view and a table without row numbers are read at once.

use futures_util::{FutureExt, StreamExt};
use sqlx::{AssertSqlSafe, Row};
use tokio::sync::mpsc;

use super::super::sql::{column, from_table, select_list};
use super::session::{Session, within};
use super::{SqliteStore, push_row};
use crate::domain::raw::RawRows;
use crate::stores::{RowScan, StoreError};

const FIRST_PAGE_ROWS: usize = 500;
const PAGE_ROWS: usize = 5_000;
const PAGE_BYTES: usize = 8 << 20;

pub async fn scan(
    store: &SqliteStore,
    scan: &RowScan,
    pages: mpsc::Sender<RawRows>,
) -> Result<(), StoreError> {
    match row_number(store, &scan.table).await? {
        Some(number) => by_row_number(store, scan, &column(number), pages).await,
        None => at_once(store, scan, pages).await,
    }
}

/// The name by which the table's row number can be had; `None` where there is no such number, or
/// columns of these names hide it.
pub async fn row_number(
    store: &SqliteStore,
    table: &str,
) -> Result<Option<&'static str>, StoreError> {
    let sql = "SELECT count(*) FROM pragma_table_list \
               WHERE schema = 'main' AND name = ?1 AND type = 'table' AND wr = 0";
    let mut session = Session::begin(store).await?;
    let numbered = sqlx::query_scalar(sql).bind(table.to_owned());
    let numbered: i64 = within(store, numbered.fetch_one(session.connection())).await?;
    if numbered == 0 {
        return Ok(None);
    }
    let sql = "SELECT lower(name) FROM pragma_table_xinfo(?1)";
    let columns = sqlx::query_scalar(sql).bind(table.to_owned());
    let columns: Vec<String> = within(store, columns.fetch_all(session.connection())).await?;
    Ok(["rowid", "_rowid_", "oid"]
        .into_iter()
        .find(|name| !columns.iter().any(|column| column == name)))
}

async fn by_row_number(
    store: &SqliteStore,
    scan: &RowScan,
    number: &str,
    pages: mpsc::Sender<RawRows>,
) -> Result<(), StoreError> {
    let list = select_list(&scan.wants, "TEXT");
    let table = from_table(&scan.schema, &scan.table);
    let mut after: Option<i64> = None;
    let mut size = FIRST_PAGE_ROWS;
    loop {
        // The first page asks without a bound: the smallest number there is may be in use.
        let from = after.map_or(String::new(), |_| format!("WHERE {number} > ?1"));
        let sql =
            format!("SELECT {number}, {list} FROM {table} {from} ORDER BY {number} LIMIT {size}");
        let mut rows = RawRows::new(scan.wants.len());
        let mut count = 0;
        let mut cut = false;
        {
            let mut query = sqlx::query(AssertSqlSafe(sql));
            if let Some(after) = after {
                query = query.bind(after);
            }
            let mut session = Session::begin(store).await?;
            let mut found = query.fetch(session.connection());
            while let Some(row) = within(store, found.next().map(Option::transpose)).await? {
                after = Some(row.try_get(0).map_err(|error| store.explain(&error))?);
                push_row(&row, 1, &scan.wants, &mut rows);
                count += 1;
                if rows.bytes() > PAGE_BYTES {
                    cut = true;
                    break;
                }
            }
        }
        let ended = count < size && !cut;
        if (!rows.is_empty() && pages.send(rows).await.is_err()) || ended {
            return Ok(());
        }
        size = PAGE_ROWS;
    }
}

async fn at_once(
    store: &SqliteStore,
    scan: &RowScan,
    pages: mpsc::Sender<RawRows>,
) -> Result<(), StoreError> {
    let list = select_list(&scan.wants, "TEXT");
    let table = from_table(&scan.schema, &scan.table);
    let sql = format!("SELECT {list} FROM {table}");
    let mut session = Session::begin(store).await?;
    let mut found = sqlx::query(AssertSqlSafe(sql)).fetch(session.connection());
    let mut rows = RawRows::new(scan.wants.len());
    while let Some(row) = within(store, found.next().map(Option::transpose)).await? {
        push_row(&row, 0, &scan.wants, &mut rows);
        if rows.len() >= PAGE_ROWS || rows.bytes() > PAGE_BYTES {
            let whole = std::mem::replace(&mut rows, RawRows::new(scan.wants.len()));
            if pages.send(whole).await.is_err() {
                return Ok(());
            }
        }
    }
    if !rows.is_empty() {
        // Whoever has gone meanwhile misses nothing.
        let _ = pages.send(rows).await;
    }
    Ok(())
}
