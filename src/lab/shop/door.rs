//! A service that is busy: one worker, so many places to wait, and nobody let in at first.
//!
//! Apart from the layer because it stands in front of it: who is turned away has claimed nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex;

use super::config;
use crate::sys::clock::Stopwatch;

#[derive(Debug)]
pub struct Door {
    limits: config::Door,
    /// Since the first request.
    since: OnceLock<Stopwatch>,
    inside: AtomicUsize,
    /// Until when the worker is taken, from the first request on.
    worker: Mutex<Duration>,
}

/// A place inside; free again when this is dropped.
#[derive(Debug)]
pub struct Place(Arc<Door>);

/// A place as a request carries it: whoever is served gives it back.
#[derive(Clone, Debug)]
pub struct Carried(Arc<std::sync::Mutex<Option<Place>>>);

impl Carried {
    pub fn new(place: Place) -> Carried {
        Carried(Arc::new(std::sync::Mutex::new(Some(place))))
    }

    pub fn give_back(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Door {
    pub fn new(limits: config::Door) -> Door {
        Door {
            limits,
            since: OnceLock::new(),
            inside: AtomicUsize::new(0),
            worker: Mutex::default(),
        }
    }

    /// A place, unless the service is out or all are taken.
    pub fn enter(self: &Arc<Door>) -> Option<Place> {
        let since = self.since.get_or_init(Stopwatch::start);
        if since.elapsed() < Duration::from_millis(self.limits.outage_ms) {
            return None;
        }
        // One is served and the others wait.
        let room = self.limits.places + 1;
        let taken = self
            .inside
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |inside| {
                (inside < room).then_some(inside + 1)
            });
        taken.ok().map(|_| Place(self.clone()))
    }

    /// Waits for the worker, and for its work. A worker that wakes late is not slower for that: the
    /// next one's time begins when the last one's was to end.
    pub async fn work(&self) {
        let since = self.since.get_or_init(Stopwatch::start);
        let came = since.elapsed();
        let mut taken_until = self.worker.lock().await;
        *taken_until = came.max(*taken_until) + Duration::from_millis(self.limits.work_ms);
        tokio::time::sleep(taken_until.saturating_sub(since.elapsed())).await;
    }
}
