//! What one instance of the shop is started with.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::lab::switches::Switches;

/// Everything that one instance needs to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShopConfig {
    /// From 1 on.
    pub instance: u8,
    /// The port to listen on; 0 for any. A shop that comes back after a crash has its old one.
    pub port: u16,
    /// Bank, mailer and recorder.
    pub outside: SocketAddr,
    pub store: StoreChoice,
    pub switches: Switches,
    pub faults: Vec<Fault>,
    /// How long an execution takes, beside what faults add.
    pub execution_ms: u64,
    /// Requests that have looked before any of them writes, where nothing is claimed atomically.
    pub lookers: usize,
    /// The most requests that come at once.
    #[serde(default)]
    pub crowd: u32,
    /// Lets in only so many at once, and nobody at first.
    #[serde(default)]
    pub door: Option<Door>,
    /// `POST /orders` is a saga over the queue: order, payment, shipping.
    #[serde(default)]
    pub has_saga: bool,
}

/// A service with one worker: what does not find a place is turned away with 503 at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Door {
    /// From the first request on nobody is let in for so long.
    pub outage_ms: u64,
    /// Who waits beside the one that is served.
    pub places: usize,
    /// What one takes.
    pub work_ms: u64,
}

/// Where the records stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum StoreChoice {
    /// In the shop's own process: gone with it.
    Memory,
    Sqlite {
        path: PathBuf,
    },
    Redis {
        url: String,
        prefix: String,
    },
    Postgres {
        url: String,
        schema: String,
    },
    /// Redis in front of PostgreSQL.
    Both(Box<Both>),
}

/// Two stores together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Both {
    pub redis_url: String,
    pub prefix: String,
    pub postgres_url: String,
    pub schema: String,
    pub decides: Decides,
}

/// Which of two stores says whether a key is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decides {
    #[default]
    Postgres,
    /// A mistake: it may forget.
    Redis,
}

/// Something that goes wrong at a named point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    pub at: FaultPoint,
    /// Only in this attempt of an intent; in every one where it is not said.
    pub attempt: Option<u32>,
    /// Only of this intent.
    pub intent: Option<String>,
    /// How long a pause is.
    #[serde(default)]
    pub ms: u64,
    /// Of messages: which.
    pub topic: Option<String>,
}

/// The named points at which something can go wrong in the shop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultPoint {
    /// Crashes.
    BeforeClaim,
    AfterClaim,
    AfterExecuteBeforeSave,
    AfterSaveBeforeResponse,
    /// 500 without a charge.
    ExecuteFailsBeforeEffect,
    /// The charge is made, then 500.
    ExecuteFailsAfterEffect,
    /// The execution takes so much longer.
    DuringExecute,
    /// The store does not answer.
    StoreDown,
    /// The store does not answer when the answer is to be saved.
    SaveTimesOut,
    /// The parcel service refuses.
    ShippingFails,
    /// The bank does not take a refund.
    RefundFails,
    /// The relay crashes when it has published a message and not said so yet.
    RelayCrashAfterPublish,
    /// The consumer crashes between its effect and its mark, or behind its mark.
    ConsumerCrashBeforeMark,
    ConsumerCrashAfterMark,
    /// A message of a topic is delivered twice.
    MessageDuplicated,
    /// A message of a topic is held back until a refund was handled.
    MessageReordered,
}

impl Fault {
    /// What a client asks for in a header: the point, and for a pause its milliseconds after a colon.
    ///
    /// Errors: no such point, or no number, in a sentence.
    pub fn of_header(text: &str) -> Result<Fault, String> {
        let (name, ms) = text.split_once(':').unwrap_or((text, "0"));
        let name = name.trim();
        let at = serde_json::from_value(serde_json::Value::from(name));
        let at = at.map_err(|_| format!("no fault is called `{name}`"))?;
        let number = ms.trim().parse();
        let ms: u64 = number.map_err(|_| format!("`{ms}` is no number of milliseconds"))?;
        Ok(Fault {
            at,
            attempt: None,
            intent: None,
            topic: None,
            ms: ms.min(60_000),
        })
    }

    /// Whether this is the attempt that it is meant for.
    pub fn fits(&self, at: FaultPoint, intent: Option<&str>, attempt: Option<u32>) -> bool {
        let is_attempt = self.attempt.is_none() || self.attempt == attempt;
        let is_intent = self.intent.is_none() || self.intent.as_deref() == intent;
        self.at == at && is_attempt && is_intent
    }
}
