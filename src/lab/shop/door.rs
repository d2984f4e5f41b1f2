//! A service that is busy: one worker, so many places to wait, and nobody let in at first.
//!
//! Apart from the layer because it stands in front of it: who is turned away has claimed nothing.
//! Invariant: who is let in, and when the worker is done with him, follows from the times of arrival
//! alone, so that a machine that is busy with other things plays the same storm.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::config;
use crate::sys::clock::Stopwatch;

#[derive(Debug)]
pub struct Door {
    limits: config::Door,
    /// Since the first request.
    since: OnceLock<Stopwatch>,
    /// Until when the worker has work.
    busy_until: Mutex<Duration>,
}

/// When the worker is done with a request, from the first request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(Duration);

impl Door {
    pub fn new(limits: config::Door) -> Door {
        Door {
            limits,
            since: OnceLock::new(),
            busy_until: Mutex::default(),
        }
    }

    /// A place, unless the service is out or all are taken.
    pub fn enter(&self) -> Option<Place> {
        let now = self.since.get_or_init(Stopwatch::start).elapsed();
        let mut busy_until = self
            .busy_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let place = admit(&self.limits, now, *busy_until)?;
        *busy_until = place;
        Some(Place(place))
    }

    /// Waits until the worker is done.
    pub async fn work(&self, place: Place) {
        let now = self.since.get_or_init(Stopwatch::start).elapsed();
        tokio::time::sleep(place.0.saturating_sub(now)).await;
    }
}

/// When the worker will be done with somebody who comes now; nothing where he is turned away.
fn admit(limits: &config::Door, now: Duration, busy_until: Duration) -> Option<Duration> {
    if now < Duration::from_millis(limits.outage_ms) {
        return None;
    }
    let work = Duration::from_millis(limits.work_ms.max(1));
    // One is served and the others wait.
    let ahead = busy_until.saturating_sub(now);
    let places = u32::try_from(limits.places).unwrap_or(u32::MAX);
    (ahead <= work.saturating_mul(places)).then(|| now.max(busy_until) + work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_served_and_so_many_wait() {
        let limits = config::Door {
            outage_ms: 50,
            places: 2,
            work_ms: 10,
        };
        let ms = Duration::from_millis;
        assert_eq!(admit(&limits, ms(49), ms(0)), None);
        let mut busy_until = ms(0);
        for done in [60, 70, 80] {
            busy_until = admit(&limits, ms(50), busy_until).expect("a place");
            assert_eq!(busy_until, ms(done));
        }
        assert_eq!(admit(&limits, ms(50), busy_until), None);
        // The first one is served.
        assert_eq!(admit(&limits, ms(60), busy_until), Some(ms(90)));
        assert_eq!(admit(&limits, ms(500), ms(90)), Some(ms(510)));
    }
}
