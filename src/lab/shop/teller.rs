//! Tells the lab's outside what happens, over one connection and many events at a time.
//!
//! Apart from `report` because it knows nothing of a shop: whatever is told while a batch is on its
//! way goes into the next one, so that a storm costs few requests and a single event none more.
//! Invariant: whoever tells waits until it is written down, so that the order of events is kept.
//! Bound: so many events wait, and so many go at once.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::lab::http::{self, Line};
use crate::lab::world::Event;

const WAITING_MAX: usize = 4_096;
const BATCH_MAX: usize = 256;
/// The outside is in the next process: it answers at once, or it is gone.
const TIMEOUT: Duration = Duration::from_secs(10);

struct Told {
    event: Event,
    written: oneshot::Sender<()>,
}

/// The way to the record of events; cheap to clone.
#[derive(Clone, Debug)]
pub struct Teller {
    queue: mpsc::Sender<Told>,
}

impl Teller {
    /// Opens the way; it ends with its last clone.
    pub fn to(outside: SocketAddr) -> Teller {
        let (queue, waiting) = mpsc::channel(WAITING_MAX);
        tokio::spawn(carry(Line::to(outside), waiting));
        Teller { queue }
    }

    /// Writes one event down, and waits until it is.
    pub async fn tell(&self, event: Event) {
        let (written, is_written) = oneshot::channel();
        // The experiment is over when nobody listens any more.
        if self.queue.send(Told { event, written }).await.is_ok() {
            let _ = is_written.await;
        }
    }
}

async fn carry(mut line: Line, mut waiting: mpsc::Receiver<Told>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while waiting.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let (events, written): (Vec<Event>, Vec<_>) = batch
            .drain(..)
            .map(|told| (told.event, told.written))
            .unzip();
        let events = serde_json::to_value(&events).unwrap_or(Value::Null);
        let _ = line.send(http::post("/events", &events), TIMEOUT).await;
        for written in written {
            let _ = written.send(());
        }
    }
}
