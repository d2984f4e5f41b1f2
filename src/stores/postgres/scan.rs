//! Reads a whole table: one COPY stream, or bounded snapshots of a huge one.
//!
//! COPY in binary form costs the server and us less a row than any other way, and never touches a
//! column that was not asked for. A table of more than [`SNAPSHOT_ROWS`] is read by ranges of
//! `ctid`, so that no snapshot is held for long; a row that is updated between two ranges may be
//! missed or seen twice, which the catalogue's addresses make visible.

use std::time::Duration;

use futures_util::StreamExt;
use sqlx::PgConnection;
use tokio::sync::mpsc;

use super::super::sql::{quoted_table, select_list};
use super::{PostgresStore, cells};
use crate::domain::raw::{Cell, ColumnWant, RawRows};
use crate::stores::{Pace, RowScan, StoreError, StoreErrorKind};

/// Above this a table is read in bounded snapshots.
const SNAPSHOT_ROWS: u64 = 2_000_000;
/// Blocks of 8 KiB in one snapshot.
const SNAPSHOT_BLOCKS: u64 = 4_000;
const FIRST_PAGE_ROWS: usize = 500;
const PAGE_ROWS: usize = 5_000;
/// What a gentle scan leaves between pages.
const GENTLE_PAUSE: Duration = Duration::from_millis(2);

pub async fn scan(
    store: &PostgresStore,
    scan: &RowScan,
    pages: mpsc::Sender<RawRows>,
) -> Result<(), StoreError> {
    let table = quoted_table(&scan.schema, &scan.table);
    let columns = select_list(&scan.wants, "text");
    let mut copy = Copy {
        store,
        scan,
        pages,
        sent: 0,
    };
    if scan.estimate.is_none_or(|rows| rows <= SNAPSHOT_ROWS) {
        copy.run(&format!(
            "COPY (SELECT {columns} FROM {table}) TO STDOUT (FORMAT binary)"
        ))
        .await?;
        return Ok(());
    }
    let Some(blocks) = blocks(store, &table).await? else {
        // A view or a partitioned table has no blocks of its own.
        copy.run(&format!(
            "COPY (SELECT {columns} FROM {table}) TO STDOUT (FORMAT binary)"
        ))
        .await?;
        return Ok(());
    };
    let mut from = 0;
    while from < blocks {
        let to = from + SNAPSHOT_BLOCKS;
        // The last range is open: blocks may have been added meanwhile.
        let upper = if to < blocks {
            format!(" AND ctid < '({to},0)'::tid")
        } else {
            String::new()
        };
        let sql = format!(
            "COPY (SELECT {columns} FROM {table} WHERE ctid >= '({from},0)'::tid{upper}) \
             TO STDOUT (FORMAT binary)"
        );
        if copy.run(&sql).await? == Flow::Ended {
            break;
        }
        from = to;
    }
    Ok(())
}

async fn blocks(store: &PostgresStore, table: &str) -> Result<Option<u64>, StoreError> {
    let mut transaction = store.begin().await?;
    let query = sqlx::query_scalar(
        "SELECT CASE WHEN relkind IN ('r', 'm') \
         THEN pg_relation_size(oid) / current_setting('block_size')::bigint END \
         FROM pg_catalog.pg_class WHERE oid = $1::regclass",
    )
    .persistent(false)
    .bind(table);
    let blocks: Option<Option<i64>> = store
        .within(query.fetch_optional(&mut *transaction))
        .await?;
    store.within(transaction.rollback()).await?;
    Ok(blocks
        .flatten()
        .and_then(|blocks| u64::try_from(blocks).ok())
        .filter(|blocks| *blocks > 0))
}

#[derive(PartialEq, Eq)]
enum Flow {
    Read,
    /// Nobody takes pages any more.
    Ended,
}

struct Copy<'s> {
    store: &'s PostgresStore,
    scan: &'s RowScan,
    pages: mpsc::Sender<RawRows>,
    sent: usize,
}

impl Copy<'_> {
    async fn run(&mut self, sql: &str) -> Result<Flow, StoreError> {
        let work = self.store.pool.acquire();
        let mut connection = self.store.within(work).await?;
        let result = self.stream(&mut connection, sql).await;
        match result {
            Ok(Flow::Read) => {
                self.store
                    .within(sqlx::raw_sql("ROLLBACK").execute(&mut *connection))
                    .await?;
                Ok(Flow::Read)
            }
            // Whatever is still on its way would be taken for the next answer.
            Ok(Flow::Ended) => {
                drop(connection.detach());
                Ok(Flow::Ended)
            }
            Err(error) => {
                drop(connection.detach());
                Err(error)
            }
        }
    }

    async fn stream(
        &mut self,
        connection: &mut PgConnection,
        sql: &str,
    ) -> Result<Flow, StoreError> {
        let store = self.store;
        // A full read may last: the server's limit is lifted for this transaction, ours is on
        // each piece that comes.
        let begin = "BEGIN READ ONLY; SET LOCAL statement_timeout = 0";
        store
            .within(sqlx::raw_sql(begin).execute(&mut *connection))
            .await?;
        let mut stream = store.within(connection.copy_out_raw(sql)).await?;
        let wants = &self.scan.wants;
        let mut parser = Tuples::new(wants);
        let mut page = RawRows::new(wants.len());
        loop {
            let piece = match tokio::time::timeout(store.timeout, stream.next()).await {
                Err(_) => return Err(store.explainer.silent()),
                Ok(None) => break,
                Ok(Some(Err(error))) => return Err(store.explainer.explain(&error)),
                Ok(Some(Ok(piece))) => piece,
            };
            parser.take(&piece, &mut page).map_err(|text| {
                StoreError::new(StoreErrorKind::Protocol, format!("COPY gave {text}"))
            })?;
            let full = if self.sent == 0 {
                FIRST_PAGE_ROWS
            } else {
                PAGE_ROWS
            };
            if page.len() >= full || page.bytes() > (8 << 20) {
                let next = RawRows::new(wants.len());
                let whole = std::mem::replace(&mut page, next);
                self.sent += 1;
                if self.pages.send(whole).await.is_err() {
                    return Ok(Flow::Ended);
                }
                if self.scan.pace == Pace::Gentle {
                    tokio::time::sleep(GENTLE_PAUSE).await;
                }
            }
        }
        if !page.is_empty() {
            self.sent += 1;
            if self.pages.send(page).await.is_err() {
                return Ok(Flow::Ended);
            }
        }
        Ok(Flow::Read)
    }
}

/// Cuts COPY's binary stream into tuples. Format: PostgreSQL manual, COPY, "Binary Format".
struct Tuples<'w> {
    wants: &'w [ColumnWant],
    rest: Vec<u8>,
    header_read: bool,
}

const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";

impl<'w> Tuples<'w> {
    fn new(wants: &'w [ColumnWant]) -> Tuples<'w> {
        Tuples {
            wants,
            rest: Vec::new(),
            header_read: false,
        }
    }

    /// Takes one piece of the stream, which need not end at a tuple's end.
    fn take(&mut self, piece: &[u8], page: &mut RawRows) -> Result<(), String> {
        if self.rest.is_empty() {
            let used = self.parse(piece, page)?;
            self.rest
                .extend_from_slice(piece.get(used..).unwrap_or_default());
            return Ok(());
        }
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(piece);
        let used = self.parse(&all, page)?;
        all.drain(..used);
        self.rest = all;
        Ok(())
    }

    fn parse(&mut self, bytes: &[u8], page: &mut RawRows) -> Result<usize, String> {
        let mut at = 0;
        if !self.header_read {
            let Some(header) = bytes.get(..19) else {
                return Ok(0);
            };
            let Some(fields) = header.strip_prefix(SIGNATURE) else {
                return Err("another format than the binary one".to_owned());
            };
            let extension = fields.get(4..8).and_then(number).unwrap_or(0);
            at = 19 + usize::try_from(extension).unwrap_or(0);
            self.header_read = true;
        }
        while let Some(end) = self.tuple(bytes, at, page)? {
            at = end;
        }
        Ok(at)
    }

    /// One tuple from `at`; where it ends, or `None` when it is not all there.
    fn tuple(&self, bytes: &[u8], at: usize, page: &mut RawRows) -> Result<Option<usize>, String> {
        let Some(count) = bytes
            .get(at..at + 2)
            .and_then(|b| b.try_into().ok())
            .map(i16::from_be_bytes)
        else {
            return Ok(None);
        };
        if count == -1 {
            return Ok((at + 2 <= bytes.len())
                .then_some(bytes.len())
                .filter(|end| *end > at + 2));
        }
        if usize::try_from(count) != Ok(self.wants.len().max(1)) {
            return Err(format!("{count} columns instead of {}", self.wants.len()));
        }
        let rows = page.len();
        let mut from = at + 2;
        for index in 0..self.wants.len().max(1) {
            let Some(length) = bytes.get(from..from + 4).and_then(number) else {
                page.cut_to_rows(rows);
                return Ok(None);
            };
            from += 4;
            let cell = match usize::try_from(length) {
                Err(_) => Cell::Null,
                Ok(length) => {
                    let Some(value) = bytes.get(from..from + length) else {
                        page.cut_to_rows(rows);
                        return Ok(None);
                    };
                    from += length;
                    self.wants
                        .get(index)
                        .map_or(Cell::Null, |want| cells::cell(want, value))
                }
            };
            if !self.wants.is_empty() {
                page.push(cell);
            }
        }
        Ok(Some(from))
    }
}

fn number(bytes: &[u8]) -> Option<i32> {
    bytes.try_into().ok().map(i32::from_be_bytes)
}
