//! Server errors that are stored, and replayed to every retry until they expire.
//!
//! Only where the layout says that a stored answer is replayed, whatever its status.

use super::{Finding, Ground, What, counted};
use crate::domain::Duration;
use crate::inspect::cancel::Cancel;
use crate::inspect::pass::pass;
use crate::layouts::RetryAction;

#[derive(Default)]
struct Seen {
    count: u64,
    replays: Option<i64>,
    longest_left: Option<Duration>,
}

/// `None` where it was cancelled.
pub(super) fn find(ground: &Ground<'_>, cancel: &Cancel) -> Option<Option<Finding>> {
    let snapshot = ground.snapshot;
    let replays: Vec<bool> = snapshot
        .sources()
        .map(|(_, source)| {
            // A stored answer makes a record finished, also where it is an error.
            let finished = source.layout.retry.completed.as_ref();
            finished.is_some_and(|answer| answer.action == RetryAction::Replay)
        })
        .collect();
    let parts = pass(snapshot.segment_count(), cancel, |segment| {
        let mut seen = Seen::default();
        for row in snapshot.segment_rows(segment) {
            let is_error = row.response_status().is_some_and(|status| status >= 500);
            let is_replayed = replays.get(row.source_id().index()) == Some(&true);
            if is_error && is_replayed && row.expired(ground.now) != Some(true) {
                seen.count += 1;
                seen.longest_left = seen.longest_left.max(row.left(ground.now));
                if let Some(times) = row.replays() {
                    seen.replays = Some(seen.replays.unwrap_or(0).saturating_add(times));
                }
            }
        }
        seen
    })?;
    let mut all = Seen::default();
    for part in parts {
        all.count += part.count;
        all.longest_left = all.longest_left.max(part.longest_left);
        if let Some(times) = part.replays {
            all.replays = Some(all.replays.unwrap_or(0).saturating_add(times));
        }
    }
    let what = What::ErrorsReplayed {
        replays: all.replays.filter(|times| *times > 0),
        longest_left: all.longest_left,
    };
    Some(counted(what, all.count, "response:5xx -is:expired"))
}
