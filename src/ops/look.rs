//! Looks again at records of which it is not known whether a change was made, or that are to be put
//! back.
//!
//! Only reads. What stands there as planned may have been made so by somebody else, and is never
//! called done for that.

use std::sync::Arc;

use super::journal::Found;
use crate::domain::change::{Change, Piece, PieceChange, PieceState, RowChange, RowState};
use crate::stores::{ExactQuery, ExactRow, ReadStore, StoreError};

/// Records read at once.
const UNIT: usize = 200;

/// What stands there now.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    pub found: Found,
    /// The row that is there, where it is of the same columns.
    pub row: Option<RowState>,
}

impl Now {
    /// The version of the row that is there.
    pub fn version(&self) -> Option<&str> {
        match &self.row {
            Some(RowState::Row { version, .. }) => version.as_deref(),
            Some(RowState::Absent) | None => None,
        }
    }
}

/// What stands at each of these changes, in their order.
pub async fn look(store: &ReadStore, changes: &[&Change]) -> Result<Vec<Now>, StoreError> {
    let mut found = Vec::with_capacity(changes.len());
    for unit in changes
        .chunk_by(|a, b| is_same_place(a, b))
        .flat_map(|same| same.chunks(UNIT))
    {
        match unit.first() {
            Some(Change::Keys(_)) => found.extend(keys(store, unit).await?),
            Some(Change::Row(row)) => found.extend(rows(store, unit, row).await?),
            None => {}
        }
    }
    Ok(found)
}

fn is_same_place(a: &Change, b: &Change) -> bool {
    match (a, b) {
        (Change::Keys(_), Change::Keys(_)) => true,
        (Change::Row(a), Change::Row(b)) => Arc::ptr_eq(&a.shape, &b.shape) || a.shape == b.shape,
        _ => false,
    }
}

async fn keys(store: &ReadStore, unit: &[&Change]) -> Result<Vec<Now>, StoreError> {
    let pieces = |change: &&Change| match change {
        Change::Keys(pieces) => pieces.clone(),
        Change::Row(_) => Vec::new(),
    };
    let records: Vec<_> = unit.iter().map(pieces).collect();
    let asked: Vec<Piece> = records
        .iter()
        .flatten()
        .map(|change| change.piece.clone())
        .collect();
    let mut states = store.exact_pieces(&asked).await?.into_iter();
    let judge = |record: Vec<PieceChange>| {
        let now: Vec<Option<PieceState>> =
            states.by_ref().take(record.len()).map(Result::ok).collect();
        let fits = |wanted: fn(&PieceChange) -> &PieceState| {
            now.len() == record.len()
                && record
                    .iter()
                    .zip(&now)
                    .all(|(change, now)| now.as_ref() == Some(wanted(change)))
        };
        Now {
            found: found(fits(|change| &change.seen), fits(|change| &change.then)),
            row: None,
        }
    };
    Ok(records.into_iter().map(judge).collect())
}

fn found(as_before: bool, as_planned: bool) -> Found {
    match (as_before, as_planned) {
        (true, _) => Found::AsBefore,
        (false, true) => Found::AsPlanned,
        (false, false) => Found::SomethingElse,
    }
}

async fn rows(
    store: &ReadStore,
    unit: &[&Change],
    first: &RowChange,
) -> Result<Vec<Now>, StoreError> {
    let key = |change: &&Change| match change {
        Change::Row(row) => row.key.clone(),
        Change::Keys(_) => Vec::new(),
    };
    let query = ExactQuery {
        schema: Arc::from(first.shape.schema.as_str()),
        table: Arc::from(first.shape.table.as_str()),
        keys: unit.iter().map(key).collect(),
        wants: Vec::new(),
    };
    let exact = store.exact_rows(&query).await?;
    let is_same_shape = exact.shape.columns == first.shape.columns;
    let judge = |(change, read): (&&Change, &ExactRow)| {
        let (Change::Row(row), false) = (change, read.is_one_of_several) else {
            return Now {
                found: Found::SomethingElse,
                row: None,
            };
        };
        let now = &read.state;
        let before = same_cells(&row.seen, now) && is_version_kept(row, now);
        let planned = same_cells(&row.then, now);
        Now {
            found: found(is_same_shape && before, is_same_shape && planned),
            row: is_same_shape.then(|| now.clone()),
        }
    };
    Ok(unit.iter().zip(&exact.rows).map(judge).collect())
}

fn same_cells(wanted: &RowState, now: &RowState) -> bool {
    match (wanted, now) {
        (RowState::Absent, RowState::Absent) => true,
        (RowState::Row { cells: wanted, .. }, RowState::Row { cells: now, .. }) => wanted == now,
        _ => false,
    }
}

/// A row that was put back, or written again alike, has another version.
fn is_version_kept(row: &RowChange, now: &RowState) -> bool {
    match (&row.seen, now) {
        (
            RowState::Row {
                version: Some(seen),
                ..
            },
            RowState::Row {
                version: Some(now), ..
            },
        ) => row.shape.is_same_write(seen, now),
        _ => true,
    }
}
