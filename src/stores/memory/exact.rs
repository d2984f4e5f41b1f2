//! Exact records in memory, read and changed by the rules that every store has to keep.
//!
//! Apart from the rest of the oracle, which holds what lists are made of: cut and rounded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::Timestamp;
use crate::domain::change::{
    Applied, Change, ExactCell, Outcome, Piece, PieceChange, PieceState, RowChange, RowState,
    TableShape,
};
use crate::domain::raw::{Cell, ColumnWant, RawRows};
use crate::stores::{Batch, ExactQuery, ExactRow, ExactRows, StoreError, StoreErrorKind, Unread};

/// Shared between the two halves of a store in memory.
#[derive(Clone, Debug, Default)]
pub struct ExactMemory(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    now: Option<Timestamp>,
    pieces: BTreeMap<(Vec<u8>, String), (Piece, PieceState)>,
    tables: Vec<(Arc<TableShape>, Vec<Row>)>,
    /// Counts changes of rows, for their versions.
    version: u64,
}

#[derive(Clone, Debug)]
struct Row {
    key: Vec<String>,
    version: String,
    cells: Vec<ExactCell>,
    held: bool,
}

fn name_of(piece: &Piece) -> (Vec<u8>, String) {
    (piece.key.clone(), format!("{:?}", piece.part))
}

impl ExactMemory {
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The clock by which expiries pass.
    pub fn set_clock(&self, now: Timestamp) {
        self.lock().now = Some(now);
    }

    /// Puts a state into a piece, as an application would.
    pub fn put(&self, piece: &Piece, state: PieceState) {
        let held = &mut *self.lock();
        match state {
            PieceState::Absent => held.pieces.remove(&name_of(piece)),
            state => held.pieces.insert(name_of(piece), (piece.clone(), state)),
        };
    }

    pub fn add_table(&self, shape: TableShape) {
        self.lock().tables.push((Arc::new(shape), Vec::new()));
    }

    /// Puts a row there, as an application would; no cells take it away.
    pub fn put_row(&self, table: &str, key: &[String], cells: Option<Vec<ExactCell>>) {
        let held = &mut *self.lock();
        held.version += 1;
        let version = held.version.to_string();
        let found = held
            .tables
            .iter_mut()
            .find(|(shape, _)| shape.table == table);
        if let Some((_, rows)) = found {
            rows.retain(|row| row.key != key);
            rows.extend(cells.map(|cells| Row {
                key: key.to_vec(),
                version,
                cells,
                held: false,
            }));
        }
    }

    /// Lets a transaction hold a row.
    pub fn hold_row(&self, table: &str, key: &[String]) {
        let held = &mut *self.lock();
        let found = held
            .tables
            .iter_mut()
            .find(|(shape, _)| shape.table == table);
        let rows = found.into_iter().flat_map(|(_, rows)| rows);
        for row in rows.filter(|row| row.key == key) {
            row.held = true;
        }
    }

    pub fn pieces(&self, pieces: &[Piece]) -> Vec<Result<PieceState, Unread>> {
        let held = self.lock();
        pieces.iter().map(|piece| Ok(held.state(piece))).collect()
    }

    pub fn rows(&self, query: &ExactQuery) -> Result<ExactRows, StoreError> {
        let held = self.lock();
        let found = held.tables.iter().find(|(shape, _)| {
            shape.schema == query.schema.as_ref() && shape.table == query.table.as_ref()
        });
        let Some((shape, all)) = found else {
            let text = format!(
                "there is no table {}.{} any more",
                query.schema, query.table
            );
            return Err(StoreError::new(StoreErrorKind::Vanished, text));
        };
        let mut rows = ExactRows {
            shape: Arc::clone(shape),
            rows: Vec::new(),
            typed: RawRows::new(query.wants.len()),
        };
        for key in &query.keys {
            let mut fitting = all.iter().filter(|row| row.key == *key);
            let row = fitting.next();
            for want in &query.wants {
                rows.typed
                    .push(row.map_or(Cell::Null, |row| cell(shape, row, want)));
            }
            rows.rows.push(ExactRow {
                state: row.map_or(RowState::Absent, |row| RowState::Row {
                    version: Some(row.version.clone()),
                    cells: row.cells.clone(),
                }),
                held: row.map(|row| row.held),
                is_one_of_several: fitting.next().is_some(),
            });
        }
        Ok(rows)
    }

    pub fn apply(&self, changes: &[&Change]) -> Batch {
        let held = &mut *self.lock();
        let outcomes = changes.iter().map(|change| match change {
            Change::Keys(pieces) => held.change_pieces(pieces),
            Change::Row(row) => held.change_row(row),
        });
        Batch {
            outcomes: outcomes.collect(),
            trouble: None,
        }
    }
}

impl Held {
    fn has_passed(&self, state: &PieceState) -> bool {
        match (state, self.now) {
            (PieceState::Value { expires_at, .. }, Some(now)) => {
                expires_at.is_some_and(|at| at <= now)
            }
            _ => false,
        }
    }

    fn state(&self, piece: &Piece) -> PieceState {
        let found = self.pieces.get(&name_of(piece)).map(|(_, state)| state);
        match found {
            Some(state) if !self.has_passed(state) => state.clone(),
            _ => PieceState::Absent,
        }
    }

    fn change_pieces(&mut self, pieces: &[PieceChange]) -> Applied {
        let found: Vec<PieceState> = pieces.iter().map(|p| self.state(&p.piece)).collect();
        let pairs = || pieces.iter().zip(&found);
        if pairs().any(|(change, found)| change.seen != *found) {
            let other = pairs()
                .any(|(change, found)| change.seen != *found && *found != PieceState::Absent);
            let mut leaving = pairs().filter(|(change, _)| {
                change.seen != PieceState::Absent && change.seen != change.then
            });
            let some = leaving.clone().next().is_some();
            let gone = some && !other && leaving.all(|(_, found)| *found == PieceState::Absent);
            return if gone { gone_already() } else { changed() };
        }
        let passed =
            |change: &&PieceChange| change.then != change.seen && self.has_passed(&change.then);
        if pieces.iter().find(passed).is_some() {
            let why = "the expiry that it is to have has passed: nothing was put there";
            return Applied::not(Outcome::Refused, why);
        }
        for change in pieces {
            match &change.then {
                PieceState::Absent => self.pieces.remove(&name_of(&change.piece)),
                state => {
                    let held = (change.piece.clone(), state.clone());
                    self.pieces.insert(name_of(&change.piece), held)
                }
            };
        }
        Applied::done()
    }

    fn change_row(&mut self, change: &RowChange) -> Applied {
        let found = self
            .tables
            .iter_mut()
            .find(|(shape, _)| *shape == change.shape);
        let Some((_, rows)) = found else {
            return Applied::not(Outcome::Refused, "the table is not as it was seen");
        };
        let place = rows.iter().position(|row| row.key == change.key);
        let found = place.and_then(|place| rows.get_mut(place));
        match (found, &change.seen) {
            (None, RowState::Row { .. }) => return gone_already(),
            (Some(_), RowState::Absent) => return changed(),
            (Some(row), RowState::Row { .. }) if row.held => {
                return Applied::not(Outcome::Alive, "a running transaction holds it");
            }
            (Some(row), RowState::Row { version, cells }) => {
                let same = version
                    .as_ref()
                    .is_none_or(|version| *version == row.version);
                if !same || *cells != row.cells {
                    return changed();
                }
            }
            (None, RowState::Absent) => {}
        }
        if let Some(place) = place {
            rows.remove(place);
        }
        let mut applied = Applied::done();
        if let RowState::Row { cells, .. } = &change.then {
            self.version += 1;
            let version = self.version.to_string();
            applied.version = Some(version.clone());
            rows.push(Row {
                key: change.key.clone(),
                version,
                cells: cells.clone(),
                held: false,
            });
        }
        applied
    }
}

fn changed() -> Applied {
    Applied::not(Outcome::ChangedMeanwhile, "it is not as it was seen")
}

fn gone_already() -> Applied {
    Applied::not(Outcome::Gone, "it was gone already")
}

fn cell<'r>(shape: &TableShape, row: &'r Row, want: &ColumnWant) -> Cell<'r> {
    let (ColumnWant::Value { column, .. } | ColumnWant::Presence { column }) = want else {
        return Cell::Null;
    };
    let held = shape.column(column).and_then(|at| row.cells.get(at));
    let cell = match held {
        None | Some(ExactCell::Null) => Cell::Null,
        Some(ExactCell::Int(number)) => Cell::Int(*number),
        Some(ExactCell::Real(number)) => Cell::Float(*number),
        Some(ExactCell::Text(text)) => Cell::Text(text),
        Some(ExactCell::Blob(bytes) | ExactCell::RawText(bytes)) => Cell::Bytes(bytes),
    };
    match want {
        ColumnWant::Presence { .. } => Cell::Bool(cell != Cell::Null),
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::change::ShapeColumn;

    fn locks() -> (ExactMemory, Arc<TableShape>) {
        let memory = ExactMemory::default();
        let shape = TableShape {
            schema: "public".to_owned(),
            table: "locks".to_owned(),
            columns: vec![ShapeColumn {
                name: "k".to_owned(),
                ..ShapeColumn::default()
            }],
            key: vec!["k".to_owned()],
            ..TableShape::default()
        };
        memory.add_table(shape.clone());
        (memory, Arc::new(shape))
    }

    fn purge(memory: &ExactMemory, shape: &Arc<TableShape>) -> RowChange {
        let query = ExactQuery {
            schema: "public".into(),
            table: "locks".into(),
            keys: vec![vec!["a".to_owned()]],
            wants: Vec::new(),
        };
        let mut rows = memory.rows(&query).expect("rows").rows;
        RowChange {
            shape: Arc::clone(shape),
            key: vec!["a".to_owned()],
            seen: rows.remove(0).state,
            then: RowState::Absent,
        }
    }

    #[test]
    fn rows_are_compared_by_version_and_cells() {
        let (memory, shape) = locks();
        let (key, cells) = (vec!["a".to_owned()], vec![ExactCell::Text("a".to_owned())]);
        let outcome = |change: &RowChange| {
            let change = Change::Row(change.clone());
            memory.apply(&[&change]).outcomes.remove(0).outcome
        };
        memory.put_row("locks", &key, Some(cells.clone()));
        let old = purge(&memory, &shape);
        memory.put_row("locks", &key, Some(cells));
        assert_eq!(outcome(&old), Outcome::ChangedMeanwhile);
        let new = purge(&memory, &shape);
        memory.hold_row("locks", &key);
        assert_eq!(outcome(&new), Outcome::Alive);
        memory.put_row("locks", &key, None);
        assert_eq!(outcome(&new), Outcome::Gone);
        let Change::Row(undo) = Change::Row(new).inverted() else {
            return;
        };
        assert_eq!(outcome(&undo), Outcome::Done);
        assert_eq!(outcome(&undo), Outcome::ChangedMeanwhile);
    }
}
