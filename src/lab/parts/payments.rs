//! The payment service of a saga: charges and refunds that come as messages.
//!
//! Apart from the consumer of events because it answers, and because undoing has its own rules: a
//! refund that overtakes its payment leaves a tombstone, so that the payment does not happen later.

use serde_json::{Value, json};

use super::consumer::Consumer;
use crate::guard::{Note, StoreTrouble};
use crate::lab::shop::FaultPoint;
use crate::lab::switches::{BankKey, Tombstone};
use crate::lab::world::{Actor, Happening};

/// What a command says.
struct Command {
    saga: String,
    amount: i64,
}

fn command(message: &Note) -> Command {
    let value: Value = serde_json::from_str(&message.payload).unwrap_or_default();
    let saga = value.get("saga").and_then(Value::as_str);
    Command {
        saga: saga.unwrap_or_default().to_owned(),
        amount: value.get("amount").and_then(Value::as_i64).unwrap_or(0),
    }
}

fn tombstone(saga: &str) -> String {
    format!("tombstone {saga}")
}

impl Consumer {
    pub(super) async fn charge(&self, message: &Note) -> Result<(), StoreTrouble> {
        let Command { saga, amount } = command(message);
        if self.marks.has(&tombstone(&saga)).await? {
            let text = "payment refused: it was refunded before";
            self.tell(Actor::Store, Happening::SagaStep, text).await;
            return self.reply(&saga, "charge", "refused").await;
        }
        let body = json!({
            "amount": amount, "currency": "RUB", "recipient": "user_42", "reference": saga,
            "key": self.key(&saga, "charge"),
        });
        let told = self.post("/bank/charges", &body).await?;
        let (id, deduplicated) = outcome(&told);
        let what = Happening::Charged {
            id: id.clone(),
            deduplicated,
            amount,
            recipient: "user_42".to_owned(),
            key: self.key(&saga, "charge"),
        };
        self.tell(Actor::Bank, what, &id).await;
        self.reply(&saga, "charge", "charged").await
    }

    pub(super) async fn refund(&self, message: &Note) -> Result<(), StoreTrouble> {
        let Command { saga, amount } = command(message);
        if self.has(FaultPoint::RefundFails) {
            let text = "the bank did not take the refund";
            self.tell(Actor::Bank, Happening::SagaStep, text).await;
            return Err(StoreTrouble(text.to_owned()));
        }
        let reference =
            percent_encoding::utf8_percent_encode(&saga, percent_encoding::NON_ALPHANUMERIC);
        let found = self
            .get(&format!("/bank/charges?reference={reference}"))
            .await?;
        if found.is_null() {
            if self.switches.tombstone == Tombstone::Kept {
                self.marks
                    .mark(&tombstone(&saga), "refunded before it was paid")
                    .await?;
            }
            let text = "nothing to refund";
            self.tell(Actor::Bank, Happening::SagaStep, text).await;
            return self.reply(&saga, "refund", "nothing").await;
        }
        let body = json!({
            "amount": amount, "reference": saga, "key": self.key(&saga, "refund"),
        });
        let told = self.post("/bank/refunds", &body).await?;
        let (id, deduplicated) = outcome(&told);
        let what = Happening::Refunded {
            id: id.clone(),
            deduplicated,
            amount,
            key: self.key(&saga, "refund"),
        };
        self.tell(Actor::Bank, what, &id).await;
        self.reply(&saga, "refund", "refunded").await
    }

    /// The bank's key: the saga and the step, so that an undoing is told from what it undoes.
    fn key(&self, saga: &str, step: &str) -> Option<String> {
        (self.switches.b1 == BankKey::Derived).then(|| format!("{saga} {step}"))
    }

    async fn reply(&self, saga: &str, step: &str, word: &str) -> Result<(), StoreTrouble> {
        let note = Note {
            id: format!("{saga} {step} reply"),
            topic: format!("reply {saga} {step}"),
            payload: word.to_owned(),
        };
        let body = serde_json::to_value(&note).unwrap_or_default();
        self.post("/queue/messages", &body).await.map(|_| ())
    }
}

fn outcome(told: &Value) -> (String, bool) {
    let id = told.get("id").and_then(Value::as_str).unwrap_or_default();
    let repeated = told.get("deduplicated").and_then(Value::as_bool);
    (id.to_owned(), repeated == Some(true))
}
