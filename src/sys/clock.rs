//! This machine's clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::domain::Timestamp;

/// Now, by this machine.
pub fn now() -> Timestamp {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the wall clock"
    )]
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// A time that only runs forward, for measuring.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Stopwatch {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that measures time"
        )]
        Stopwatch(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Minutes that local time is ahead of UTC at `time`.
pub fn local_offset_minutes(time: Timestamp) -> i32 {
    use chrono::{Local, TimeZone};
    match Local.timestamp_millis_opt(time.millis()) {
        chrono::LocalResult::Single(local) => local.offset().local_minus_utc() / 60,
        _ => 0,
    }
}
