//! Which changes go into one transaction.
//!
//! Apart from the transactions because nothing is asked here. Invariant: rows of a group are of one
//! table, get the same done to them, and are few enough that nobody waits long for one of them.

use super::sql::{self, Deed, Group};
use super::{BYTES, ROWS};
use crate::domain::change::{Applied, Change, Outcome, RowChange, RowState};

impl<'c> Group<'c> {
    /// Other rows of the same kind.
    pub fn of(&self, rows: Vec<(usize, &'c RowChange)>) -> Group<'c> {
        Group {
            shape: self.shape.clone(),
            deed: self.deed.clone(),
            versioned: self.versioned,
            rows,
        }
    }

    pub fn halves(&self) -> (Group<'c>, Group<'c>) {
        let (first, second) = self.rows.split_at(self.rows.len() / 2);
        (self.of(first.to_vec()), self.of(second.to_vec()))
    }
}

/// Changes of one kind to one table go together, up to a bound.
pub fn groups<'c>(changes: &[&'c Change], outcomes: &mut [Option<Applied>]) -> Vec<Group<'c>> {
    let mut groups: Vec<Group<'c>> = Vec::new();
    let mut bytes: Vec<usize> = Vec::new();
    for (at, (change, outcome)) in changes.iter().zip(outcomes).enumerate() {
        let Change::Row(row) = change else {
            let why = "it is a key, and this store holds tables";
            *outcome = Some(Applied::not(Outcome::Refused, why));
            continue;
        };
        let deed = match sql::deed(row) {
            Ok(deed) => deed,
            Err(why) => {
                *outcome = Some(Applied::not(Outcome::Refused, why));
                continue;
            }
        };
        let versioned = matches!(
            &row.seen,
            RowState::Row {
                version: Some(_),
                ..
            }
        );
        let own = change.bytes();
        let fits = |(group, bytes): (&Group<'c>, &usize)| {
            let full = group.rows.len() >= ROWS || bytes + own > BYTES;
            // Without a key, what was put there is only known when it is alone.
            let alone = group.deed == Deed::Insert && group.by_place();
            let like = group.deed == deed && group.versioned == versioned;
            like && !full && !alone && group.shape == row.shape
        };
        let found = groups.iter().zip(&bytes).position(fits);
        match found.and_then(|found| Some((groups.get_mut(found)?, bytes.get_mut(found)?))) {
            Some((group, bytes)) => {
                group.rows.push((at, row));
                *bytes += own;
            }
            None => {
                groups.push(Group {
                    shape: row.shape.clone(),
                    deed,
                    versioned,
                    rows: vec![(at, row)],
                });
                bytes.push(own);
            }
        }
    }
    groups
}
