//! Locks that live as long as the answers do: after a crash the key is refused for all that time.
//!
//! Told by what is stored: a lock without a deadline and without a lease, whose time left is of the
//! order of the finished records' own, or where none is finished, hours.

use super::{Finding, Ground, What, counted};
use crate::domain::{Duration, Status, Stuck};
use crate::inspect::cancel::Cancel;
use crate::inspect::pass::pass;

/// A lock of a source without finished records counts from this on.
const LONG: Duration = Duration(3_600_000);

#[derive(Clone, Copy, Default)]
struct Seen {
    /// Locks of which nothing tells whether they are stuck.
    locks: u64,
    lock_left: Option<Duration>,
    finished_left: Option<Duration>,
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.locks += other.locks;
        self.lock_left = self.lock_left.max(other.lock_left);
        self.finished_left = self.finished_left.max(other.finished_left);
    }

    fn is_found(&self) -> bool {
        match (self.lock_left, self.finished_left) {
            (Some(lock), Some(finished)) => lock.millis() >= finished.millis() / 2,
            (Some(lock), None) => lock >= LONG,
            (None, _) => false,
        }
    }
}

/// `None` where it was cancelled.
pub(super) fn find(ground: &Ground<'_>, cancel: &Cancel) -> Option<Option<Finding>> {
    let snapshot = ground.snapshot;
    let sources = snapshot.sources().count();
    let parts = pass(snapshot.segment_count(), cancel, |segment| {
        let mut seen = vec![Seen::default(); sources];
        for row in snapshot.segment_rows(segment) {
            let Some(of_source) = seen.get_mut(row.source_id().index()) else {
                continue;
            };
            match row.status() {
                Status::Processing => {
                    let verdict = row.verdict(ground.now);
                    if verdict.is_some_and(|verdict| verdict.stuck == Stuck::CannotTell) {
                        of_source.locks += 1;
                        of_source.lock_left = of_source.lock_left.max(row.left(ground.now));
                    }
                }
                Status::Completed => {
                    of_source.finished_left = of_source.finished_left.max(row.left(ground.now));
                }
                Status::Failed | Status::Unknown => {}
            }
        }
        seen
    })?;
    let mut all = vec![Seen::default(); sources];
    for part in parts {
        all.iter_mut()
            .zip(&part)
            .for_each(|(all, part)| all.add(part));
    }
    let mut count = 0;
    let mut longest_left = None;
    let mut query = "is:stuck-unknown".to_owned();
    for (of_source, (_, source)) in all.iter().zip(snapshot.sources()) {
        if of_source.is_found() {
            count += of_source.locks;
            longest_left = longest_left.max(of_source.lock_left);
            query.push_str(&format!(" layout:{}", source.layout.id));
        }
    }
    Some(counted(
        What::LeaseIsRetention { longest_left },
        count,
        &query,
    ))
}
