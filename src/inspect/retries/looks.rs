//! What changed between two looks at the records: keys that came, were finished, expired, went away,
//! and counters that grew.
//!
//! Apart from the log because it sees only what lasted from one look to the next: a key that came and
//! went between two of them was never there. Invariant: none of it is ever added to a count of the
//! log; it names its looks and its window. Bound: larger stores are not compared.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::domain::{Status, Timestamp};
use crate::inspect::cancel::Cancel;
use crate::inspect::catalogue::{RowView, Snapshot};

/// More rows than this are not compared.
pub const ROWS_MAX: usize = 1_000_000;
/// Cancelling is looked for once in so many rows.
const PIECE: usize = 16_384;

/// What changed, from one look to the next or over many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// Pairs of looks.
    pub pairs: u64,
    /// The first look and the last, by the store's clock.
    pub from: i64,
    pub to: i64,
    /// Records that the last look saw.
    pub records: u64,
    pub appeared: u64,
    /// From processing to completed or failed.
    pub finished: u64,
    /// Went away, or are still there, after their time was over.
    pub expired: u64,
    /// Went away before their time: evicted, purged, released, or without a known end.
    pub gone: u64,
    /// What was finished is being processed again.
    pub claimed_again: u64,
    /// Records whose counter grew, and by how much altogether.
    pub attempted: u64,
    pub attempts: u64,
    pub replayed: u64,
    pub replays: u64,
}

impl Looks {
    /// Takes in what changed next.
    pub fn add(&mut self, next: &Looks) {
        if self.pairs == 0 {
            *self = *next;
            return;
        }
        self.pairs += next.pairs;
        self.to = next.to;
        self.records = next.records;
        self.appeared += next.appeared;
        self.finished += next.finished;
        self.expired += next.expired;
        self.gone += next.gone;
        self.claimed_again += next.claimed_again;
        self.attempted += next.attempted;
        self.attempts += next.attempts;
        self.replayed += next.replayed;
        self.replays += next.replays;
    }
}

/// What is kept of a record from one look to the next.
#[derive(Clone, Copy)]
struct Was {
    status: Status,
    attempts: i64,
    replays: i64,
    expiry: Option<Timestamp>,
}

impl Was {
    fn of(row: &RowView<'_>) -> Was {
        Was {
            status: row.status(),
            attempts: row.attempts().unwrap_or(0),
            replays: row.replays().unwrap_or(0),
            expiry: row.expiry(),
        }
    }
}

/// What changed from one look to the next; `None` where it was cancelled, or where there is too much.
pub fn between(
    before: (&Snapshot, Timestamp),
    after: (&Snapshot, Timestamp),
    cancel: &Cancel,
) -> Option<Looks> {
    let ((before, from), (after, to)) = (before, after);
    if before.len().max(after.len()) > ROWS_MAX {
        return None;
    }
    let mut known = HashMap::with_capacity(before.len());
    let mut text = Vec::new();
    for (at, row) in before.rows().enumerate() {
        if at % PIECE == 0 && cancel.is_cancelled() {
            return None;
        }
        known.insert(address_hash(&row, &mut text), Was::of(&row));
    }
    let mut looks = Looks {
        pairs: 1,
        from: from.millis(),
        to: to.millis(),
        records: after.len() as u64,
        ..Looks::default()
    };
    for (at, row) in after.rows().enumerate() {
        if at % PIECE == 0 && cancel.is_cancelled() {
            return None;
        }
        let now = Was::of(&row);
        match known.remove(&address_hash(&row, &mut text)) {
            None => looks.appeared += 1,
            Some(was) => compare(&was, &now, (from, to), &mut looks),
        }
    }
    for was in known.values() {
        match was.expiry.is_some_and(|expiry| expiry <= to) {
            true => looks.expired += u64::from(was.expiry > Some(from)),
            false => looks.gone += 1,
        }
    }
    Some(looks)
}

fn compare(was: &Was, now: &Was, (from, to): (Timestamp, Timestamp), looks: &mut Looks) {
    let is_over = |status: Status| matches!(status, Status::Completed | Status::Failed);
    looks.finished += u64::from(was.status == Status::Processing && is_over(now.status));
    looks.claimed_again += u64::from(is_over(was.status) && now.status == Status::Processing);
    let passed = now
        .expiry
        .is_some_and(|expiry| expiry > from && expiry <= to);
    looks.expired += u64::from(passed);
    let grown = |was: i64, now: i64| u64::try_from(now.saturating_sub(was)).unwrap_or(0);
    let (attempts, replays) = (
        grown(was.attempts, now.attempts),
        grown(was.replays, now.replays),
    );
    looks.attempted += u64::from(attempts > 0);
    looks.attempts = looks.attempts.saturating_add(attempts);
    looks.replayed += u64::from(replays > 0);
    looks.replays = looks.replays.saturating_add(replays);
}

fn address_hash(row: &RowView<'_>, text: &mut Vec<u8>) -> u64 {
    text.clear();
    row.push_address_text(text);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
