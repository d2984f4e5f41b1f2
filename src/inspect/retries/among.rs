//! Which records are those of keys that a log names.
//!
//! Apart from the filter because a log knows digests of keys, not keys: each record's key is put into
//! the words that a log may have for it. Invariant: a record that fits is of such a key; one whose
//! scope the log puts otherwise is not found, which whoever shows the records says.

use std::borrow::Cow;

use crate::domain::attempt::key_hash;
use crate::inspect::cancel::Cancel;
use crate::inspect::catalogue::{RowId, RowView, Snapshot};
use crate::inspect::pass::pass;
use crate::stats::key_id;

/// Digits of a digest in a log.
const DIGITS: usize = 32;

/// The rows whose keys are among these, which are in order; `None` where it was cancelled.
pub fn rows_among(snapshot: &Snapshot, keys: &[u64], cancel: &Cancel) -> Option<Vec<RowId>> {
    let parts = pass(snapshot.segment_count(), cancel, |segment| {
        let rows = snapshot.segment_rows(segment);
        let fitting = rows.filter(|row| is_among(row, keys));
        fitting.map(|row| row.id()).collect::<Vec<RowId>>()
    })?;
    Some(parts.concat())
}

fn is_among(row: &RowView<'_>, keys: &[u64]) -> bool {
    let has = |text: &str| keys.binary_search(&key_id(text.trim_end())).is_ok();
    if let Some(digest) = row.digest() {
        let digest = digest.text();
        if has(&digest) || digest.get(..DIGITS).is_some_and(has) {
            return true;
        }
    }
    let Some(key) = row.key() else { return false };
    let key = key.text();
    // As it is, or with whose it is: the scope as one text, one of its parts, or nobody's.
    let scopes = row.scope().into_iter();
    let parts = row.scope_parts().map(|(_, part)| Cow::Borrowed(part));
    let mut scopes = scopes.chain(parts).chain([Cow::Borrowed("")]);
    has(&key) || scopes.any(|scope| has(&key_hash(&scope, &key)))
}
