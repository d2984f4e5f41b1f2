//! What stands outside of the shop: the bank with its ledger, the mailer, and the record of all that
//! happened.
//!
//! They live in the process that runs the experiment, behind a server of their own, so that a crash
//! of the shop loses nothing of them. Truth comes from here and from the store, never from the shop's
//! own opinion.

mod bank;
mod queue;
mod server;
mod stored;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::sync::mpsc::Sender;

use crate::sys::clock::Stopwatch;

pub use bank::{Charge, Ledger, Refund, Sums};
pub use queue::Disorder;
use queue::Queue;
pub use stored::{Asked, Said, Stored};

/// The topic of the event that a payment was made.
pub const TOPIC_PAID: &str = "paid";

/// Events kept of one run.
const EVENTS_MAX: usize = 200_000;
/// Events on their way to whoever looks on.
pub const WATCHED_MAX: usize = 4_096;

/// Who takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Client,
    Proxy,
    /// An instance of the shop, by its number from 1 on.
    Shop(u8),
    Store,
    Bank,
    Mailer,
    /// Moves rows of the outbox to the queue.
    Relay,
    Queue,
    /// Consumes the queue.
    Consumer,
    /// A person with this program in hand.
    Operator,
}

/// One thing that happened, for the diagram and the counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Milliseconds since the run began, by the recorder's clock.
    #[serde(default)]
    pub at_ms: u64,
    pub from: Actor,
    pub to: Actor,
    pub what: Happening,
    /// The scripted operation that it belongs to, and the attempt, where that is known.
    pub intent: Option<String>,
    pub attempt: Option<u32>,
    /// A few words for people.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Happening {
    /// The clients begin.
    Began,
    /// A request left the client.
    Sent {
        key: Option<String>,
        /// What it is about in a word: the amount, the name, what is added.
        brief: String,
    },
    /// The proxy keeps a duplicate of a request, to deliver it later.
    Kept,
    /// It reached the shop.
    Seen,
    /// A handler began to execute, after validation.
    Execution,
    Charged {
        id: String,
        deduplicated: bool,
        #[serde(default)]
        amount: i64,
        #[serde(default)]
        recipient: String,
        /// As the bank was handed it.
        #[serde(default)]
        key: Option<String>,
    },
    Refunded {
        id: String,
        deduplicated: bool,
        #[serde(default)]
        amount: i64,
        /// As the bank was handed it.
        #[serde(default)]
        key: Option<String>,
    },
    /// The shop asked its store, and was answered.
    Stored(Stored),
    LookedUp {
        found: bool,
    },
    Mailed,
    /// The shop answered: an outcome of the retry log, and the status.
    Answered {
        outcome: String,
        status: u16,
    },
    /// An answer reached the client.
    Received {
        status: u16,
    },
    /// An answer, or a request, was lost on the way.
    Lost,
    Crashed,
    Restarted,
    /// The store did not do what it was asked.
    StoreFailed,
    /// A message was put into the queue.
    Published {
        id: String,
    },
    /// A message was handed to the consumer.
    Delivered {
        id: String,
    },
    /// The consumer is done with a message.
    Acknowledged {
        id: String,
    },
    /// A message or a mail was known and did nothing.
    Suppressed {
        id: String,
    },
    /// A step of a saga, as its text says.
    SagaStep,
    /// Something befell the store, as its text says.
    StoreEvent,
    /// The operator looked, or repaired a record: what came of it.
    Repaired {
        outcome: String,
    },
}

/// Everything outside of the shop.
#[derive(Clone, Debug)]
pub struct World {
    inner: Arc<Mutex<Inner>>,
    published: Arc<Notify>,
    /// Where the shop finds it.
    pub address: SocketAddr,
    _server: Arc<server::Server>,
}

/// Kills the process of one actor.
pub type Killer = Arc<dyn Fn() + Send + Sync>;

struct Inner {
    /// When the clients' clock began.
    began: Stopwatch,
    /// Who looks on while it happens.
    watcher: Option<Sender<Event>>,
    ledger: Ledger,
    mails: Vec<String>,
    /// Keys that the mailer was handed: it sends no mail twice for one.
    mail_keys: HashSet<String>,
    queue: Queue,
    events: Vec<Event>,
    killers: HashMap<Actor, Killer>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}

impl World {
    /// Opens the outside on a free port of loopback.
    ///
    /// Errors: no port can be had.
    pub async fn open() -> std::io::Result<World> {
        let inner = Arc::new(Mutex::new(Inner {
            began: Stopwatch::start(),
            watcher: None,
            ledger: Ledger::default(),
            mails: Vec::new(),
            mail_keys: HashSet::new(),
            queue: Queue::default(),
            events: Vec::new(),
            killers: HashMap::new(),
        }));
        let published = Arc::new(Notify::new());
        let server = server::Server::start(Desk {
            inner: inner.clone(),
            published: published.clone(),
        })
        .await?;
        Ok(World {
            inner,
            published,
            address: server.address,
            _server: Arc::new(server),
        })
    }

    fn desk(&self) -> Desk {
        Desk {
            inner: self.inner.clone(),
            published: self.published.clone(),
        }
    }

    /// Lets somebody look on. Where they are too slow they miss events; the outcome has all.
    pub fn watch(&self, watcher: Sender<Event>) {
        self.desk().inner().watcher = Some(watcher);
    }

    /// The clients begin: times count from here.
    pub fn begin(&self) {
        self.desk().inner().began = Stopwatch::start();
        self.record(Event {
            at_ms: 0,
            from: Actor::Client,
            to: Actor::Client,
            what: Happening::Began,
            intent: None,
            attempt: None,
            text: "begins".to_owned(),
        });
    }

    /// How an actor is killed when it says that it has come to its crash.
    pub fn on_crash(&self, actor: Actor, killer: Killer) {
        self.desk().inner().killers.insert(actor, killer);
    }

    /// Writes down what an actor of this process did.
    pub fn record(&self, event: Event) {
        self.desk().record(event);
    }

    pub fn ledger(&self) -> Ledger {
        self.desk().inner().ledger.clone()
    }

    /// What the bank did, in numbers.
    pub fn sums(&self) -> Sums {
        self.desk().inner().ledger.sums()
    }

    /// Payments that a mail was sent for, once for each mail.
    pub fn mails(&self) -> Vec<String> {
        self.desk().inner().mails.clone()
    }

    /// What goes wrong on the way of messages.
    pub fn disorder(&self, disorder: Disorder) {
        self.desk().inner().queue.disorder(disorder);
    }

    /// Whether every message was handled, or is parked.
    pub fn is_queue_idle(&self) -> bool {
        self.desk().inner().queue.is_idle()
    }

    /// Messages that failed too often to be tried again.
    pub fn parked(&self) -> usize {
        self.desk().inner().queue.parked().len()
    }

    pub fn events(&self) -> Vec<Event> {
        self.desk().inner().events.clone()
    }

    /// What has happened after the first so many.
    pub fn events_since(&self, known: usize) -> Vec<Event> {
        let desk = self.desk();
        let inner = desk.inner();
        inner.events.get(known..).unwrap_or_default().to_vec()
    }
}

/// The state as the server's handlers see it.
#[derive(Clone, Debug)]
struct Desk {
    inner: Arc<Mutex<Inner>>,
    /// Something came into the queue.
    published: Arc<Notify>,
}

impl Desk {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, mut event: Event) {
        let crashed = (event.what == Happening::Crashed).then(|| event.from.clone());
        let mut inner = self.inner();
        event.at_ms = u64::try_from(inner.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if inner.events.len() < EVENTS_MAX {
            if let Some(watcher) = &inner.watcher {
                let _ = watcher.try_send(event.clone());
            }
            inner.events.push(event);
        }
        if crashed == Some(Actor::Consumer) {
            inner.queue.come_again();
            self.published.notify_waiters();
        }
        let killer = crashed.and_then(|actor| inner.killers.get(&actor).cloned());
        drop(inner);
        if let Some(kill) = killer {
            kill();
        }
    }
}
