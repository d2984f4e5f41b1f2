//! Rows that are selected, by their number in one reading.

use std::collections::BTreeSet;

use crate::inspect::catalogue::RowId;

/// Invariant: all rows are of the reading `scan`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    pub scan: u64,
    rows: BTreeSet<RowId>,
    /// Where an extension starts.
    pub anchor: Option<RowId>,
}

/// More rows than this are not selected one by one.
pub const SELECTED_MAX: usize = 1_000_000;

impl Selection {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn has(&self, scan: u64, row: RowId) -> bool {
        self.scan == scan && self.rows.contains(&row)
    }

    pub fn rows(&self) -> impl Iterator<Item = RowId> {
        self.rows.iter().copied()
    }

    pub fn toggle(&mut self, scan: u64, row: RowId) {
        self.of(scan);
        if !self.rows.remove(&row) {
            self.add(scan, [row]);
        }
    }

    pub fn add(&mut self, scan: u64, rows: impl IntoIterator<Item = RowId>) {
        self.of(scan);
        for row in rows {
            if self.rows.len() >= SELECTED_MAX {
                break;
            }
            self.rows.insert(row);
        }
    }

    /// The same rows in another reading; what was never selected stays so.
    pub fn moved(&self, scan: u64, rows: impl IntoIterator<Item = RowId>) -> Selection {
        let mut moved = Selection::default();
        if !self.is_empty() {
            moved.add(scan, rows);
        }
        moved
    }

    /// What is of another reading is forgotten.
    fn of(&mut self, scan: u64) {
        if self.scan != scan {
            *self = Selection {
                scan,
                ..Selection::default()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_another_reading_are_not_meant() {
        let mut selection = Selection::default();
        selection.add(1, [3, 5]);
        selection.toggle(1, 3);
        assert_eq!(selection.rows().collect::<Vec<_>>(), [5]);
        assert!(selection.has(1, 5) && !selection.has(2, 5));
        selection.toggle(2, 7);
        assert_eq!((selection.len(), selection.has(2, 7)), (1, true));
    }
}
