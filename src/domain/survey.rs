//! What a first, bounded look at a store found: the ground for detection.
//!
//! Invariant: everything is a sample or an estimate, and says so.

use super::raw::{ColumnKind, RawRows};

/// A bounded sample of a key-value store.
#[derive(Clone, Debug, Default)]
pub struct KeySample {
    /// Keys the store says it holds, where it says so.
    pub total: Option<u64>,
    /// Names seen.
    pub names: Vec<Vec<u8>>,
    /// Whether `names` is all there is.
    pub complete: bool,
}

/// One table or view as the catalogue describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub schema: String,
    pub name: String,
    pub columns: Vec<Column>,
    /// Columns of the primary key in key order; empty without one.
    pub primary_key: Vec<String>,
    /// What the store itself calls a row by, where there is such a thing: `ctid`, `rowid`.
    pub row_id: Option<String>,
    /// Other unique indexes.
    pub unique: Vec<Vec<String>>,
    /// Columns that lead an index.
    pub indexed: Vec<String>,
    /// Estimated rows, where the catalogue has an estimate.
    pub rows: Option<u64>,
    /// Whether this login may read it, or at least one of its columns.
    pub readable: bool,
    /// Whether the store tells this login which rows a running transaction holds.
    pub tells_holder: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    /// The type as the store writes it.
    pub declared: String,
    pub kind: ColumnKind,
    pub nullable: bool,
    /// Whether this login may read it.
    pub readable: bool,
}

impl Table {
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The table as far as this login may read it.
    pub fn seen(&self) -> Table {
        let is_seen = |name: &String| self.column(name).is_some_and(|column| column.readable);
        let mut seen = self.clone();
        seen.columns.retain(|column| column.readable);
        if !seen.primary_key.iter().all(is_seen) {
            seen.primary_key.clear();
        }
        seen.unique.retain(|columns| columns.iter().all(is_seen));
        seen
    }

    pub fn place(&self) -> String {
        format!("{}.{}", self.schema, self.name)
    }

    /// Whether some unique index covers exactly these columns, in any order.
    pub fn is_unique(&self, columns: &[&str]) -> bool {
        std::iter::once(&self.primary_key)
            .chain(&self.unique)
            .any(|index| {
                !index.is_empty()
                    && index.len() == columns.len()
                    && columns
                        .iter()
                        .all(|column| index.iter().any(|c| c == column))
            })
    }
}

/// A few rows of one table.
#[derive(Clone, Debug, Default)]
pub struct RowSample {
    pub columns: Vec<String>,
    pub rows: RawRows,
}
