//! Reads a table: pages come from the store while the last one is decoded.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::super::catalogue::{AddressRef, SourceId};
use super::Scanner;
use crate::domain::raw::{RawRows, Ttl};
use crate::layouts::form::Extent;
use crate::layouts::source::RowPlan;
use crate::layouts::{Addressed, Place, Source, TablePlace};
use crate::stores::{RowScan, StoreError, StoreErrorKind};

/// Pages on their way.
const PAGES_AHEAD: usize = 4;
/// A table above this is read in several snapshots, in which a row may come twice.
const SNAPSHOT_ROWS: u64 = 2_000_000;

pub async fn scan(
    scanner: &mut Scanner,
    id: SourceId,
    source: &Arc<Source>,
    tables: usize,
) -> Result<(), StoreError> {
    let Place::Table(place) = &source.place else {
        return Ok(());
    };
    let plan = source.row_plan(Extent::List);
    let request = RowScan {
        schema: place.schema.clone(),
        table: place.table.clone(),
        wants: plan.wants.clone(),
        estimate: place.rows,
        pace: scanner.pace,
    };
    let (sender, mut pages) = mpsc::channel::<RawRows>(PAGES_AHEAD);
    let session = scanner.session.clone();
    let reading = tokio::spawn(async move { session.store.scan_rows(&request, sender).await });
    let mut rows_of_table = 0;
    let cancel = scanner.cancel.clone();
    loop {
        let page = tokio::select! {
            page = pages.recv() => page,
            () = cancel.cancelled() => None,
        };
        let Some(page) = page else { break };
        rows_of_table += page.len() as u64;
        take(scanner, id, source, place, &plan, &page);
        scanner.progress.share = match (tables, place.rows) {
            (1, Some(all)) if all > 0 => Some((rows_of_table as f32 / all as f32).min(0.99)),
            _ => None,
        };
        scanner.show();
    }
    // Dropping the receiver is what ends the other side.
    drop(pages);
    match reading.await {
        Ok(result) => result,
        Err(_) => Err(StoreError::new(
            StoreErrorKind::Protocol,
            "reading the table ended early",
        )),
    }
}

fn take(
    scanner: &mut Scanner,
    id: SourceId,
    source: &Source,
    place: &TablePlace,
    plan: &RowPlan,
    page: &RawRows,
) {
    let now = scanner.session.now();
    // Several rows may have one address that is made of what they hold, and are no repetition.
    let may_repeat =
        place.addressed == Addressed::ByKey && place.rows.is_some_and(|rows| rows > SNAPSHOT_ROWS);
    scanner.progress.looked_at += page.len() as u64;
    let mut key = Vec::new();
    for row in 0..page.len() {
        let Some(reading) = source.read_row(page, row, plan, Extent::List, now) else {
            continue;
        };
        if !reading.is_record {
            continue;
        }
        Source::row_key_into(page, row, plan, &mut key);
        // The same key in another table is another record.
        let of_table = [place.schema.as_bytes(), place.table.as_bytes()];
        let parts = of_table.into_iter().chain(key.iter().map(String::as_bytes));
        if may_repeat && !key.is_empty() && !scanner.is_new(parts) {
            continue;
        }
        let address = AddressRef::Row {
            schema: &place.schema,
            table: &place.table,
            key: &key,
        };
        scanner
            .catalogue
            .push(id, &reading, address, Ttl::Unknown, now);
    }
}
