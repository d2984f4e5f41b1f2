//! When something that is shown changes by itself: ages, countdowns.
//!
//! Invariant: never more than once a second, but while the lab plays; and not at all where nothing in
//! sight moves.

use std::ops::Range;
use std::time::Duration;

use crate::app::state::{Place, State, Times};
use crate::app::view::{self, End};

/// While the lab plays: as the screen shows it, or in few steps.
const FRAME: Duration = Duration::from_millis(16);
const CALM: Duration = Duration::from_millis(250);

/// After which time the next frame is due.
pub fn next_change(state: &State, rows: Range<u64>) -> Option<Duration> {
    if state.view.place == Place::Lab && state.lab.cursor.is_playing {
        let each = if state.is_calm() { CALM } else { FRAME };
        return Some(each);
    }
    if state.connection.lost.is_some() {
        return Some(Duration::from_secs(1));
    }
    // What is left of timed changes, and how fast a repair runs.
    let is_timed = state.changes.left(state.clock.here).is_some();
    let runs = state
        .repair
        .job
        .as_ref()
        .is_some_and(|job| job.is_running());
    if is_timed || runs {
        return Some(Duration::from_secs(1));
    }
    if state.view.place == Place::Locks {
        // Leases end by the second.
        let has_locks = view::locks(state).is_some_and(|locks| !locks.rows.is_empty());
        return has_locks.then_some(Duration::from_secs(1));
    }
    if state.view.place != Place::Keys {
        return None;
    }
    let now = state.now();
    let mut next: Option<i64> = None;
    let mut at = |ms: i64| next = Some(next.map_or(ms, |next| next.min(ms)));
    if state.record.open.is_some() {
        at(1000);
    }
    for place in rows {
        let Some(row) = view::keys_row(state, place) else {
            break;
        };
        if state.settings.times == Times::Ages {
            if let Some(age) = row.age {
                at(until_step(age.millis()));
            }
            if let End::At(end) = row.end
                && end > now
            {
                at(now
                    .until(end)
                    .millis()
                    .rem_euclid(60_000)
                    .clamp(1000, 60_000));
            }
        }
    }
    next.map(|ms| Duration::from_millis(ms.clamp(1000, 60_000) as u64))
}

/// An age moves every second up to a minute, then every minute.
fn until_step(age_ms: i64) -> i64 {
    if age_ms < 60_000 {
        1000
    } else {
        60_000 - age_ms.rem_euclid(60_000)
    }
}
