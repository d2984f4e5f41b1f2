//! A service that is busy: one worker, so many places to wait, and nobody let in at first.
//!
//! Apart from the layer because it stands in front of it: who is turned away has claimed nothing.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    worker: Mutex<()>,
}

/// A place inside; free again when this is dropped.
#[derive(Debug)]
pub struct Place(Arc<Door>);

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
            worker: Mutex::new(()),
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

    /// Waits for the worker, and for its work.
    pub async fn work(&self) {
        let _mine = self.worker.lock().await;
        tokio::time::sleep(Duration::from_millis(self.limits.work_ms)).await;
    }
}
