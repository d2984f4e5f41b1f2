//! The key by which a statement finds the rows that it changes.
//!
//! Apart from the statements because all of them find rows in the same way. Invariant: a column of a
//! key that is empty is found too, where the key is one that may be.

use super::sql::{Group, version};
use crate::domain::change::{RowChange, RowState};
use crate::stores::sql::quoted;

impl Group<'_> {
    /// `t.key = w.k0::type` for every column of the key.
    pub(super) fn join(&self) -> String {
        if self.by_place() {
            return "t.ctid = w.k0::tid".to_owned();
        }
        let mut parts = Vec::new();
        for (number, at) in self.key_columns().into_iter().enumerate() {
            let column = self.column(at);
            let (name, declared) = (quoted(&column.name), &column.declared);
            let (left, right) = (format!("t.{name}"), format!("w.k{number}::{declared}"));
            parts.push(self.equal(at, &left, &right, |row| &row.seen));
        }
        parts.join(" AND ")
    }

    /// A column of the key compared with what is wanted. A unique column may be empty, and an index
    /// only serves the comparison that knows nothing of that.
    pub(super) fn equal(
        &self,
        at: usize,
        left: &str,
        right: &str,
        state: impl Fn(&RowChange) -> &RowState,
    ) -> String {
        let is_null = |row: &RowChange| self.column_text(state(row), at).is_none();
        match self.rows.iter().any(|(_, row)| is_null(row)) {
            true => format!("({left} = {right} OR ({left} IS NULL AND {right} IS NULL))"),
            false => format!("{left} = {right}"),
        }
    }

    pub(super) fn key_binds(&self) -> Vec<Vec<Option<String>>> {
        if self.by_place() {
            let place = |row: &RowChange| version(&row.seen).1.or_else(|| row.key.first().cloned());
            return vec![self.rows.iter().map(|(_, row)| place(row)).collect()];
        }
        let binds = self.key_columns().into_iter().map(|at| {
            let values = self
                .rows
                .iter()
                .map(|(_, row)| self.column_text(&row.seen, at));
            values.collect()
        });
        binds.collect()
    }
}
