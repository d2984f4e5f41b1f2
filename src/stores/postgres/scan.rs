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

use super::super::sql::{from_table, quoted_table, select_list};
use super::copy::Tuples;
use super::session::{Sessions, Statement};
use crate::domain::raw::RawRows;
use crate::stores::{Pace, RowScan, StoreError, StoreErrorKind};

/// Above this a table is read in bounded snapshots.
const SNAPSHOT_ROWS: u64 = 2_000_000;
/// Blocks of 8 KiB in one snapshot.
const SNAPSHOT_BLOCKS: u64 = 4_000;
const FIRST_PAGE_ROWS: usize = 500;
const PAGE_ROWS: usize = 5_000;
const PAGE_BYTES: usize = 8 << 20;
/// What a gentle scan leaves between pages.
const GENTLE_PAUSE: Duration = Duration::from_millis(2);

pub async fn scan(
    sessions: &Sessions,
    scan: &RowScan,
    pages: mpsc::Sender<RawRows>,
) -> Result<(), StoreError> {
    let select = format!(
        "SELECT {} FROM {}",
        select_list(&scan.wants, "text"),
        from_table(&scan.schema, &scan.table)
    );
    let mut copy = Copy {
        sessions,
        scan,
        pages,
        sent: 0,
    };
    let blocks = match scan.estimate {
        Some(rows) if rows > SNAPSHOT_ROWS => blocks(sessions, scan).await?,
        _ => None,
    };
    let Some(blocks) = blocks else {
        copy.run(&select).await?;
        return Ok(());
    };
    let mut from = 0;
    while from < blocks {
        let to = from + SNAPSHOT_BLOCKS;
        // The last range is open: blocks may have been added meanwhile.
        let upper = if to < blocks {
            format!(" AND t.ctid < '({to},0)'::tid")
        } else {
            String::new()
        };
        let range = format!("{select} WHERE t.ctid >= '({from},0)'::tid{upper}");
        if copy.run(&range).await? == Flow::Ended {
            break;
        }
        from = to;
    }
    Ok(())
}

/// Blocks of a table that can be read by ranges. A view or a partitioned table has none of its
/// own, one of which only some columns may be read has none for this login, and before version 14 each range would read the whole table.
async fn blocks(sessions: &Sessions, scan: &RowScan) -> Result<Option<u64>, StoreError> {
    let mut session = sessions.begin(Statement::Short).await?;
    let query = sqlx::query_scalar(
        "SELECT CASE WHEN relkind IN ('r', 'm') \
              AND current_setting('server_version_num')::int >= 140000 \
         THEN pg_relation_size(oid) / current_setting('block_size')::bigint END \
         FROM pg_catalog.pg_class \
         WHERE oid = $1::regclass AND has_table_privilege(oid, 'SELECT')",
    )
    .persistent(false)
    .bind(quoted_table(&scan.schema, &scan.table))
    .fetch_optional(&mut session.connection);
    let blocks: Option<Option<i64>> = sessions.within(query).await?;
    session.end().await;
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
    sessions: &'s Sessions,
    scan: &'s RowScan,
    pages: mpsc::Sender<RawRows>,
    sent: usize,
}

impl Copy<'_> {
    async fn run(&mut self, select: &str) -> Result<Flow, StoreError> {
        let mut session = self.sessions.begin(Statement::Long).await?;
        let sql = format!("COPY ({select}) TO STDOUT (FORMAT binary)");
        // On an error, or when nobody listens, the session is dropped and its connection closed:
        // whatever is still on its way would be taken for the next answer.
        let flow = self.stream(&mut session.connection, &sql).await?;
        if flow == Flow::Read {
            session.end().await;
        }
        Ok(flow)
    }

    async fn stream(
        &mut self,
        connection: &mut PgConnection,
        sql: &str,
    ) -> Result<Flow, StoreError> {
        let sessions = self.sessions;
        let wrong =
            |text: String| StoreError::new(StoreErrorKind::Protocol, format!("COPY gave {text}"));
        let mut stream = sessions.within(connection.copy_out_raw(sql)).await?;
        let wants = &self.scan.wants;
        let mut tuples = Tuples::new(wants);
        let mut page = RawRows::new(wants.len());
        loop {
            let piece = match tokio::time::timeout(sessions.timeout, stream.next()).await {
                Err(_) => return Err(sessions.explainer.silent()),
                Ok(None) => break,
                Ok(Some(Err(error))) => return Err(sessions.explainer.talking(&error)),
                Ok(Some(Ok(piece))) => piece,
            };
            tuples.take(&piece, &mut page).map_err(wrong)?;
            let full = if self.sent == 0 {
                FIRST_PAGE_ROWS
            } else {
                PAGE_ROWS
            };
            if page.len() >= full || page.bytes() > PAGE_BYTES {
                let whole = std::mem::replace(&mut page, RawRows::new(wants.len()));
                if self.send(whole).await == Flow::Ended {
                    return Ok(Flow::Ended);
                }
                if self.scan.pace == Pace::Gentle {
                    tokio::time::sleep(GENTLE_PAUSE).await;
                }
            }
        }
        tuples.end().map_err(wrong)?;
        if page.is_empty() {
            return Ok(Flow::Read);
        }
        Ok(self.send(page).await)
    }

    async fn send(&mut self, page: RawRows) -> Flow {
        self.sent += 1;
        match self.pages.send(page).await {
            Ok(()) => Flow::Read,
            Err(_) => Flow::Ended,
        }
    }
}
