//! The statements that compare a row and change it in one step.
//!
//! Apart from the transactions around them. The comparison stands in the statement itself: every
//! cell, by its storage class and its bytes, whatever the column's affinity and collation are.

use super::super::super::sql::{quoted, quoted_table};
use crate::domain::change::{ExactCell, RowChange, RowState, TableShape};

/// A statement with its values.
#[derive(Default)]
pub struct Prepared {
    pub sql: String,
    pub binds: Vec<ExactCell>,
}

impl Prepared {
    fn new(sql: String) -> Prepared {
        Prepared {
            sql,
            binds: Vec::new(),
        }
    }

    /// The next value, as it is to be written.
    fn value(&mut self, cell: &ExactCell) -> String {
        self.binds.push(cell.clone());
        let bind = self.binds.len();
        match cell {
            ExactCell::RawText(_) => format!("CAST(?{bind} AS TEXT)"),
            _ => format!("?{bind}"),
        }
    }

    /// A cell that is what was seen: its class, then its value, text by its bytes.
    fn same(&mut self, name: &str, cell: &ExactCell) -> String {
        let side = quoted(name);
        if *cell == ExactCell::Null {
            return format!("{side} IS NULL");
        }
        let value = self.value(cell);
        match cell {
            ExactCell::Null => format!("{side} IS NULL"),
            ExactCell::Int(_) => format!("(typeof({side}) = 'integer' AND +{side} = {value})"),
            ExactCell::Real(_) => format!("(typeof({side}) = 'real' AND +{side} = {value})"),
            ExactCell::Blob(_) => format!("(typeof({side}) = 'blob' AND +{side} = {value})"),
            ExactCell::Text(_) | ExactCell::RawText(_) => format!(
                "(typeof({side}) = 'text' AND CAST({side} AS BLOB) = CAST({value} AS BLOB))"
            ),
        }
    }

    /// The key in a form that an index serves.
    fn key(&mut self, change: &RowChange, cells: &[ExactCell]) -> String {
        let shape = &change.shape;
        let mut parts = Vec::new();
        for (name, text) in shape.key.iter().zip(&change.key) {
            let cell = shape.column(name).and_then(|at| cells.get(at)).cloned();
            // The row's number is no column.
            let cell = cell.unwrap_or_else(|| row_number(text));
            let value = self.value(&cell);
            parts.push(format!("{} IS {value}", quoted_or_number(shape, name)));
        }
        parts.join(" AND ")
    }

    fn all_same(&mut self, shape: &TableShape, cells: &[ExactCell]) -> String {
        let pairs = shape.columns.iter().zip(cells);
        let parts: Vec<String> = pairs.map(|(of, cell)| self.same(&of.name, cell)).collect();
        parts.join(" AND ")
    }
}

fn row_number(text: &str) -> ExactCell {
    text.parse().map_or(ExactCell::Null, ExactCell::Int)
}

/// A name in quotes that is no column would be a text.
fn quoted_or_number(shape: &TableShape, name: &str) -> String {
    match shape.column(name) {
        Some(_) => quoted(name),
        None => name.to_owned(),
    }
}

fn cells(state: &RowState) -> &[ExactCell] {
    match state {
        RowState::Absent => &[],
        RowState::Row { cells, .. } => cells,
    }
}

/// Why a change is not made at all, in one sentence.
pub fn refusal(change: &RowChange) -> Option<String> {
    let shape = &change.shape;
    let fits =
        |state: &RowState| *state == RowState::Absent || cells(state).len() == shape.columns.len();
    let names = ["rowid", "_rowid_", "oid"];
    let known = |name: &String| shape.column(name).is_some() || names.contains(&name.as_str());
    if !fits(&change.seen) || !fits(&change.then) || shape.key.len() != change.key.len() {
        return Some("the row does not fit its table".to_owned());
    }
    if shape.key.is_empty() || !shape.key.iter().all(known) {
        return Some("nothing tells this row from others: the table has no key".to_owned());
    }
    if change.seen == RowState::Absent && change.then == RowState::Absent {
        return Some("there is nothing to do".to_owned());
    }
    if change.then == RowState::Absent && !shape.cascades.is_empty() {
        let which = shape.cascades.join(", ");
        return Some(format!(
            "rows of {which} would go with it, and could not be put back"
        ));
    }
    None
}

/// Compares and changes.
pub fn change(change: &RowChange) -> Prepared {
    let shape = &change.shape;
    let table = quoted_table(&shape.schema, &shape.table);
    let mut prepared = Prepared::new(String::new());
    if change.seen == RowState::Absent {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (name, text) in shape.key.iter().zip(&change.key) {
            if shape.column(name).is_none() {
                names.push(name.clone());
                values.push(prepared.value(&row_number(text)));
            }
        }
        for (of, cell) in shape.columns.iter().zip(cells(&change.then)) {
            if !of.generated {
                names.push(quoted(&of.name));
                values.push(prepared.value(cell));
            }
        }
        let (names, values) = (names.join(", "), values.join(", "));
        prepared.sql = format!("INSERT INTO {table} ({names}) VALUES ({values})");
        return prepared;
    }
    let seen = cells(&change.seen);
    let mut sets = Vec::new();
    let columns = shape
        .columns
        .iter()
        .zip(seen.iter().zip(cells(&change.then)));
    for (of, (seen, then)) in columns {
        if !of.generated && seen != then {
            let value = prepared.value(then);
            sets.push(format!("{} = {value}", quoted(&of.name)));
        }
    }
    let key = prepared.key(change, seen);
    let same = prepared.all_same(shape, seen);
    prepared.sql = match (&change.then, sets.first(), shape.columns.first()) {
        (RowState::Absent, ..) => format!("DELETE FROM {table} WHERE {key} AND {same}"),
        // Only compared.
        (_, None, _) => format!("SELECT 1 FROM {table} WHERE {key} AND {same}"),
        _ => format!(
            "UPDATE {table} SET {} WHERE {key} AND {same}",
            sets.join(", ")
        ),
    };
    prepared
}

/// What stands there after nothing was changed: nothing, or 1 if it is still as it was seen.
pub fn look(change: &RowChange) -> Prepared {
    let shape = &change.shape;
    let of = match &change.seen {
        RowState::Absent => cells(&change.then),
        seen => cells(seen),
    };
    let mut prepared = Prepared::default();
    let same = prepared.all_same(shape, of);
    let key = prepared.key(change, of);
    let table = quoted_table(&shape.schema, &shape.table);
    prepared.sql = format!("SELECT {same} FROM {table} WHERE {key}");
    prepared
}
