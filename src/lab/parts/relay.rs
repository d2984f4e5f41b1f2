//! The relay: publishes the rows of the outbox, and says so behind it.
//!
//! Between publishing and saying so it may crash: a message comes at least once, and sometimes twice.

use std::time::Duration;

use super::HelperConfig;
use crate::guard::{Note, Outbox};
use crate::lab::engine::Engine;
use crate::lab::http::{self, Line};
use crate::lab::shop::{FaultPoint, Teller};
use crate::lab::world::{Actor, Event, Happening};

/// How often it looks.
const EVERY: Duration = Duration::from_millis(60);
const ROWS_MAX: usize = 50;
const TIMEOUT: Duration = Duration::from_secs(5);

pub async fn run(config: HelperConfig) -> Result<(), String> {
    let engine = Engine::attach(&config.store).await;
    let engine = engine.map_err(|error| error.to_string())?;
    let mut relay = Relay {
        line: Line::to(config.outside),
        teller: Teller::to(config.outside),
        crashes: config.has(FaultPoint::RelayCrashAfterPublish),
    };
    loop {
        // A store that is away is asked again.
        for note in engine.unsent(ROWS_MAX).await.unwrap_or_default() {
            if relay.publish(&note).await {
                let _ = engine.mark_sent(&note).await;
            }
        }
        tokio::time::sleep(EVERY).await;
    }
}

struct Relay {
    line: Line,
    teller: Teller,
    crashes: bool,
}

impl Relay {
    async fn publish(&mut self, note: &Note) -> bool {
        let body = serde_json::to_value(note).unwrap_or_default();
        let request = http::post("/queue/messages", &body);
        if self.line.send(request, TIMEOUT).await.is_err() {
            return false;
        }
        let id = note.id.clone();
        self.tell(Actor::Queue, Happening::Published { id }, &note.topic)
            .await;
        if self.crashes {
            self.tell(Actor::Relay, Happening::Crashed, "crashed").await;
            // Killed from outside at this moment.
            std::future::pending::<()>().await;
        }
        true
    }

    async fn tell(&self, to: Actor, what: Happening, text: &str) {
        let event = Event {
            at_ms: 0,
            from: Actor::Relay,
            to,
            what,
            intent: None,
            attempt: None,
            text: text.to_owned(),
        };
        self.teller.tell(event).await;
    }
}
