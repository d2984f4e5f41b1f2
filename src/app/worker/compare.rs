//! What has changed between two readings of a store, and where the selected rows are now.
//!
//! Apart from `look` because it holds two readings side by side.
//! Bound: readings beyond [`MARKED_MAX`] rows are not compared; selected rows are found in any.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use crate::app::state::Page;
use crate::inspect::catalogue::{RowId, RowView};
use crate::inspect::{Cancel, Snapshot};

/// More rows than this are not compared.
const MARKED_MAX: usize = 1_000_000;
/// Cancelling is looked for once in so many rows.
const PIECE: usize = 16_384;

/// Rows that are new or other than before; `None` where it was cancelled.
pub fn changed(before: &Page, now: &Snapshot, cancel: &Cancel) -> Option<Vec<RowId>> {
    let old = &before.snapshot;
    if old.len().max(now.len()) > MARKED_MAX {
        return Some(Vec::new());
    }
    let mut known = HashMap::with_capacity(old.len());
    let mut text = Vec::new();
    for (at, row) in old.rows().enumerate() {
        if at % PIECE == 0 && cancel.is_cancelled() {
            return None;
        }
        known.insert(address_hash(&row, &mut text), content_hash(&row));
    }
    let mut changed = Vec::new();
    for (at, row) in now.rows().enumerate() {
        if at % PIECE == 0 && cancel.is_cancelled() {
            return None;
        }
        let was = known.get(&address_hash(&row, &mut text));
        if was != Some(&content_hash(&row)) {
            changed.push(row.id());
        }
    }
    changed.sort_unstable();
    Some(changed)
}

/// Where rows of one reading are in another one.
pub fn follow(
    before: &Page,
    selected: impl Iterator<Item = RowId>,
    now: &Snapshot,
    cancel: &Cancel,
) -> Option<Vec<RowId>> {
    let text_of = |id| {
        let mut text = Vec::new();
        before.snapshot.row(id)?.push_address_text(&mut text);
        Some(text)
    };
    let wanted: HashSet<Vec<u8>> = selected.filter_map(text_of).collect();
    if wanted.is_empty() {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    let mut text = Vec::new();
    for (at, row) in now.rows().enumerate() {
        if at % PIECE == 0 && cancel.is_cancelled() {
            return None;
        }
        text.clear();
        row.push_address_text(&mut text);
        if wanted.contains(&text) {
            found.push(row.id());
        }
    }
    Some(found)
}

fn address_hash(row: &RowView<'_>, text: &mut Vec<u8>) -> u64 {
    text.clear();
    row.push_address_text(text);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Of what a person would call a change; a time left that runs down is none.
fn content_hash(row: &RowView<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (row.status() as u8).hash(&mut hasher);
    row.response_status().hash(&mut hasher);
    row.attempts().hash(&mut hasher);
    row.replays().hash(&mut hasher);
    let times = [
        row.locked_at(),
        row.lock_until(),
        row.completed_at(),
        row.failed_at(),
    ];
    times.map(|time| time.map(|time| time.0)).hash(&mut hasher);
    let hash = row.payload_hash().map(|hash| hash.text().into_owned());
    hash.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Grouping;
    use crate::app::tests::{self as testing, Told};
    use crate::domain::{Duration, Timestamp};

    const NOW: Timestamp = Timestamp(3_600_000);

    /// A page whose locks began so many minutes ago.
    fn page(minutes: &[i64]) -> std::sync::Arc<Page> {
        let told: Vec<Told> = minutes
            .iter()
            .map(|minutes| Told {
                operation: "POST /payments",
                locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
            })
            .collect();
        let state = testing::locks(&told, None, Grouping::Flat, NOW);
        state.keys.page.expect("a page")
    }

    #[test]
    fn new_and_other_rows_are_changed_and_selected_ones_are_found() {
        let (before, now) = (page(&[9, 5]), page(&[9, 4, 1]));
        let never = Cancel::never();
        let changed = changed(&before, &now.snapshot, &never).expect("not cancelled");
        let all: Vec<RowId> = now.snapshot.rows().map(|row| row.id()).collect();
        assert_eq!(changed, all[1..]);
        let first = before.snapshot.rows().map(|row| row.id()).take(1);
        let found = follow(&before, first, &now.snapshot, &never).expect("not cancelled");
        assert_eq!(found, all[..1]);
    }
}
