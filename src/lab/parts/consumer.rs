//! The consumer: takes messages from the queue, does what they say, and acknowledges them.
//!
//! It may crash anywhere between taking and acknowledging: the message comes again. Whether it
//! notices is the switch O2.

use std::net::SocketAddr;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::HelperConfig;
use super::bookkeeping::Marks;
use crate::guard::{Note, StoreTrouble};
use crate::lab::http::{self, Line};
use crate::lab::shop::{FaultPoint, Teller};
use crate::lab::switches::{ConsumerDedup, Switches};
use crate::lab::world::{Actor, Event, Happening, TOPIC_PAID};

const TIMEOUT: Duration = Duration::from_secs(15);
/// How long it waits for a message before it asks again.
const WAIT_MS: u64 = 1_000;

/// What the queue hands out.
#[derive(Debug, Deserialize)]
struct Taken {
    seq: u64,
    message: Note,
}

pub struct Consumer {
    pub(super) outside: SocketAddr,
    line: Line,
    teller: Teller,
    pub(super) marks: Marks,
    pub(super) switches: Switches,
    config: HelperConfig,
}

pub async fn run(config: HelperConfig) -> Result<(), String> {
    let marks = Marks::open(&config.store).await;
    let mut consumer = Consumer {
        outside: config.outside,
        line: Line::to(config.outside),
        teller: Teller::to(config.outside),
        marks: marks.map_err(|error| error.to_string())?,
        switches: config.switches.clone(),
        config,
    };
    loop {
        let Some(taken) = consumer.take().await else {
            continue;
        };
        let id = taken.message.id.clone();
        let delivered = Happening::Delivered { id: id.clone() };
        consumer
            .tell(Actor::Queue, delivered, &taken.message.topic)
            .await;
        let done = consumer.handle(&taken.message).await;
        consumer.answer(taken.seq, &id, done.is_ok()).await;
    }
}

impl Consumer {
    async fn take(&mut self) -> Option<Taken> {
        let body = json!({"topics": [TOPIC_PAID, "charge", "refund"], "wait_ms": WAIT_MS});
        let answer = self.line.send(http::post("/queue/take", &body), TIMEOUT);
        match answer.await {
            Ok(answer) => serde_json::from_slice(answer.body()).ok(),
            Err(_) => {
                // The outside is gone, or not there yet.
                tokio::time::sleep(Duration::from_millis(100)).await;
                None
            }
        }
    }

    async fn answer(&mut self, seq: u64, id: &str, is_done: bool) {
        let path = match is_done {
            true => "/queue/ack",
            false => "/queue/fail",
        };
        let told = self
            .line
            .send(http::post(path, &json!({"seq": seq})), TIMEOUT);
        if told.await.is_ok() && is_done {
            let done = Happening::Acknowledged { id: id.to_owned() };
            self.tell(Actor::Queue, done, "acknowledged").await;
        }
    }

    async fn handle(&self, message: &Note) -> Result<(), StoreTrouble> {
        match message.topic.as_str() {
            "charge" => self.charge(message).await,
            "refund" => self.refund(message).await,
            _ => self.notify(message).await,
        }
    }

    /// Sends the mail of a payment.
    async fn notify(&self, message: &Note) -> Result<(), StoreTrouble> {
        match self.switches.o2 {
            ConsumerDedup::Off => self.mail(message, None).await,
            ConsumerDedup::MarkedFirst => {
                if !self.marks.mark(&message.id, "mail").await? {
                    self.suppressed(message).await;
                    return Ok(());
                }
                self.crash_if_planned(FaultPoint::ConsumerCrashAfterMark)
                    .await;
                self.mail(message, None).await
            }
            ConsumerDedup::On => {
                if self.marks.has(&message.id).await? {
                    self.suppressed(message).await;
                    return Ok(());
                }
                // The mailer is outside of the database: it gets the message's id as its key.
                self.mail(message, Some(&message.id)).await?;
                self.crash_if_planned(FaultPoint::ConsumerCrashBeforeMark)
                    .await;
                self.marks.mark(&message.id, &message.payload).await?;
                self.crash_if_planned(FaultPoint::ConsumerCrashAfterMark)
                    .await;
                Ok(())
            }
        }
    }

    async fn mail(&self, message: &Note, key: Option<&str>) -> Result<(), StoreTrouble> {
        let body = json!({"payment": message.payload, "key": key});
        let told = self.post("/mailer/mails", &body).await?;
        let what = match told.get("suppressed").and_then(Value::as_bool) {
            Some(true) => Happening::Suppressed {
                id: message.id.clone(),
            },
            _ => Happening::Mailed,
        };
        self.tell(Actor::Mailer, what, &message.payload).await;
        Ok(())
    }

    async fn suppressed(&self, message: &Note) {
        let id = message.id.clone();
        self.tell(Actor::Store, Happening::Suppressed { id }, "marked before")
            .await;
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, StoreTrouble> {
        let answer = http::send(self.outside, http::post(path, body), TIMEOUT).await;
        let answer = answer.map_err(|lost| StoreTrouble(lost.to_string()))?;
        Ok(serde_json::from_slice(answer.body()).unwrap_or_default())
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, StoreTrouble> {
        let answer = http::send(self.outside, http::get(path), TIMEOUT).await;
        let answer = answer.map_err(|lost| StoreTrouble(lost.to_string()))?;
        Ok(serde_json::from_slice(answer.body()).unwrap_or_default())
    }

    pub(super) fn has(&self, at: FaultPoint) -> bool {
        self.config.has(at)
    }

    async fn crash_if_planned(&self, at: FaultPoint) {
        if self.has(at) {
            self.tell(Actor::Consumer, Happening::Crashed, "crashed")
                .await;
            // Killed from outside at this moment.
            std::future::pending::<()>().await;
        }
    }

    pub(super) async fn tell(&self, to: Actor, what: Happening, text: &str) {
        let event = Event {
            at_ms: 0,
            from: Actor::Consumer,
            to,
            what,
            intent: None,
            attempt: None,
            text: text.to_owned(),
        };
        self.teller.tell(event).await;
    }
}
