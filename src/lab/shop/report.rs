//! Tells the lab's outside what happens in the shop, and asks its bank.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::config::{Fault, FaultPoint, ShopConfig};
use super::teller::Teller;
use crate::lab::http::{self, Lost};
use crate::lab::world::{Actor, Event, Happening};

/// The outside is in the next process: it answers at once, or it is gone.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Which scripted operation and attempt a request is of, as the simulated client says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Origin {
    pub intent: Option<String>,
    pub attempt: Option<u32>,
    /// A fault that the client asked for.
    pub fault: Option<Fault>,
}

impl Origin {
    /// In one text, for whoever carries only texts.
    pub fn tag(&self) -> String {
        json!({"intent": self.intent, "attempt": self.attempt, "fault": self.fault}).to_string()
    }

    pub fn of_tag(tag: &str) -> Origin {
        serde_json::from_str(tag).unwrap_or_default()
    }
}

/// The way out of one instance.
#[derive(Clone, Debug)]
pub struct Outside {
    address: SocketAddr,
    instance: u8,
    faults: std::sync::Arc<[Fault]>,
    teller: Teller,
}

impl Outside {
    pub fn of(config: &ShopConfig) -> Outside {
        Outside {
            address: config.outside,
            instance: config.instance,
            faults: config.faults.clone().into(),
            teller: Teller::to(config.outside),
        }
    }

    /// The fault that is planned for this moment.
    pub fn fault<'f>(&'f self, at: FaultPoint, origin: &'f Origin) -> Option<&'f Fault> {
        self.faults
            .iter()
            .chain(&origin.fault)
            .find(|fault| fault.fits(at, origin.intent.as_deref(), origin.attempt))
    }

    /// Writes down what happened; waited for, so that the order is that of the events.
    pub async fn tell(&self, to: Actor, what: Happening, origin: &Origin, text: &str) {
        let event = Event {
            at_ms: 0,
            from: Actor::Shop(self.instance),
            to,
            what,
            intent: origin.intent.clone(),
            attempt: origin.attempt,
            text: text.to_owned(),
        };
        self.teller.tell(event).await;
    }

    /// Crashes where that is planned: whoever started this process kills it when told, and nothing
    /// further runs here until then, no cleanup, no answer.
    pub async fn crash_if_planned(&self, at: FaultPoint, origin: &Origin) {
        if self.fault(at, origin).is_some() {
            let here = Actor::Shop(self.instance);
            self.tell(here, Happening::Crashed, origin, "crashed").await;
            std::future::pending::<()>().await;
        }
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, Lost> {
        let answer = http::send(self.address, http::post(path, body), TIMEOUT).await?;
        Ok(read(answer.body()))
    }

    /// Takes money at the bank: the id of the charge.
    pub async fn charge(&self, request: &Value, origin: &Origin) -> Result<(String, bool), Lost> {
        let told = self.post("/bank/charges", request).await?;
        let (id, deduplicated) = outcome(&told);
        let text = |name: &str| request.get(name)?.as_str().map(str::to_owned);
        let what = Happening::Charged {
            id: id.clone(),
            deduplicated,
            amount: amount(request),
            recipient: text("recipient").unwrap_or_default(),
            key: text("key"),
        };
        self.tell(Actor::Bank, what, origin, &id).await;
        Ok((id, deduplicated))
    }

    pub async fn refund(&self, request: &Value, origin: &Origin) -> Result<String, Lost> {
        let told = self.post("/bank/refunds", request).await?;
        let (id, deduplicated) = outcome(&told);
        let key = request.get("key").and_then(Value::as_str);
        let what = Happening::Refunded {
            id: id.clone(),
            deduplicated,
            amount: amount(request),
            key: key.map(str::to_owned),
        };
        self.tell(Actor::Bank, what, origin, &id).await;
        Ok(id)
    }

    /// The charge of a business reference, if there was one.
    pub async fn look_up(&self, reference: &str, origin: &Origin) -> Option<String> {
        let reference =
            percent_encoding::utf8_percent_encode(reference, percent_encoding::NON_ALPHANUMERIC);
        let request = http::get(&format!("/bank/charges?reference={reference}"));
        let answer = http::send(self.address, request, TIMEOUT).await.ok()?;
        let id = read(answer.body())
            .get("id")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let what = Happening::LookedUp {
            found: id.is_some(),
        };
        self.tell(Actor::Bank, what, origin, "look-up by reference")
            .await;
        id
    }

    /// Every charge that the bank has made.
    pub async fn charges(&self) -> Option<Vec<Value>> {
        let request = http::get("/bank/ledger");
        let answer = http::send(self.address, request, TIMEOUT).await.ok()?;
        serde_json::from_slice(answer.body()).ok()
    }

    /// Sends a step of a saga through the queue and waits for its reply; `None` where none comes.
    pub async fn command(
        &self,
        saga: &str,
        step: &str,
        amount: i64,
        patience: Duration,
        origin: &Origin,
    ) -> Option<String> {
        let note = json!({
            "id": format!("{saga} {step}"),
            "topic": step,
            "payload": json!({"saga": saga, "amount": amount}).to_string(),
        });
        self.post("/queue/messages", &note).await.ok()?;
        let id = format!("{saga} {step}");
        self.tell(Actor::Queue, Happening::Published { id }, origin, step)
            .await;
        let wait_ms = u64::try_from(patience.as_millis()).unwrap_or(0);
        let wanted = json!({"topics": [format!("reply {saga} {step}")], "wait_ms": wait_ms});
        let taken = self.post("/queue/take", &wanted).await.ok()?;
        let word = taken.pointer("/message/payload").and_then(Value::as_str);
        let text = format!("{step}: {}", word.unwrap_or("no reply"));
        self.tell(Actor::Queue, Happening::SagaStep, origin, &text)
            .await;
        let done = json!({"seq": taken.get("seq")?});
        let _ = self.post("/queue/ack", &done).await;
        word.map(str::to_owned)
    }

    pub async fn mail(&self, payment: &str, origin: &Origin) {
        if self
            .post("/mailer/mails", &json!({"payment": payment}))
            .await
            .is_ok()
        {
            self.tell(Actor::Mailer, Happening::Mailed, origin, payment)
                .await;
        }
    }
}

fn amount(request: &Value) -> i64 {
    let amount = request.get("amount").and_then(Value::as_i64);
    amount.unwrap_or_default()
}

fn read(body: &Bytes) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}

fn outcome(told: &Value) -> (String, bool) {
    let id = told.get("id").and_then(Value::as_str).unwrap_or_default();
    let repeated = told.get("deduplicated").and_then(Value::as_bool);
    (id.to_owned(), repeated == Some(true))
}
