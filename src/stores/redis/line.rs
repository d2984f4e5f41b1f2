//! One server, and the connection to it that is held.
//!
//! Apart from the store because a cluster has many. Invariant: nothing here changes anything, so that
//! what was lost with a connection may be asked again.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, Value};
use tokio::sync::Mutex;

use super::connect::{Connector, Phase};
use super::{push, text_of};
use crate::stores::{StoreError, StoreErrorKind};

pub struct Line {
    pub connector: Connector,
    held: Mutex<Option<Held>>,
    /// Connections so far.
    made: AtomicU64,
    known: std::sync::Mutex<Known>,
}

#[derive(Clone)]
struct Held {
    connection: MultiplexedConnection,
    server: Server,
    /// Tells it from the connections before and after it.
    number: u64,
}

/// Which server is at the end: another one, or the same one started anew, has another number, whichever
/// line it is reached by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Server(u64);

/// What is known of the server that was talked to last.
#[derive(Default)]
struct Known {
    server: Server,
    /// Its own name for this life of it.
    run: Option<String>,
    /// Whether it was refused to be asked for that name.
    is_refused: bool,
}

/// Where a connection comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Held,
    New,
}

impl Server {
    /// One that was not talked to before.
    fn another() -> Server {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Server(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Line {
    pub fn new(connector: Connector) -> Line {
        Line {
            connector,
            held: Mutex::new(None),
            made: AtomicU64::new(0),
            known: std::sync::Mutex::default(),
        }
    }

    /// Sends a pipeline and waits for its answers, errors of single commands among them.
    ///
    /// A connection that was cut while it lay idle is made anew, once.
    /// Errors: the line is lost or nothing came in time; the next call connects anew.
    pub async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        let (answers, _) = self.ask(pipeline, count).await?;
        Ok(answers)
    }

    /// As [`Line::send`], with the server that answered.
    pub async fn ask(
        &self,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<(Vec<Value>, Server), StoreError> {
        let (held, origin) = self.connection().await?;
        match self.ask_by(held, pipeline, count).await {
            Err(error) if error.kind == StoreErrorKind::Lost && origin == Origin::Held => {
                let (held, _) = self.connection().await?;
                self.ask_by(held, pipeline, count).await
            }
            other => other,
        }
    }

    /// What the server said of itself on the first connection: by it another one is told from it.
    pub fn met(&self, info: &Value) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match run(info) {
            Some(run) => known.run = Some(run),
            None => known.is_refused = true,
        }
    }

    async fn ask_by(
        &self,
        mut held: Held,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<(Vec<Value>, Server), StoreError> {
        let sent = held
            .connection
            .send_packed_commands(pipeline, 0, count)
            .await;
        match sent {
            Ok(answers) => Ok((answers, held.server)),
            Err(error) => {
                let mut now = self.held.lock().await;
                // Another question may have connected anew meanwhile.
                if now.as_ref().is_some_and(|now| now.number == held.number) {
                    *now = None;
                }
                Err(self.connector.explain(&error, Phase::Talking))
            }
        }
    }

    async fn connection(&self) -> Result<(Held, Origin), StoreError> {
        let mut held = self.held.lock().await;
        if let Some(held) = held.as_ref() {
            return Ok((held.clone(), Origin::Held));
        }
        let connection = self.connector.connect().await?;
        let server = self.recognised(connection.clone()).await;
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let new = Held {
            connection,
            server,
            number,
        };
        *held = Some(new.clone());
        Ok((new, Origin::New))
    }

    /// Whether it is the server that was talked to before. Where it does not tell, it is taken for
    /// another one.
    async fn recognised(&self, mut connection: MultiplexedConnection) -> Server {
        let (is_first, is_refused) = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            (known.server == Server::default(), known.is_refused)
        };
        let mut now = None;
        if !is_first && !is_refused {
            let mut pipeline = Pipeline::new();
            push(&mut pipeline, "INFO", &[b"server"]);
            // A line that breaks here breaks again at the question that is waiting.
            let answers = connection.send_packed_commands(&pipeline, 0, 1).await;
            now = answers.ok().and_then(|answers| run(answers.first()?));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if now.is_none() || now != known.run {
            known.server = Server::another();
            known.run = now;
        }
        known.server
    }
}

/// The name of a server's life, from `INFO server`.
fn run(info: &Value) -> Option<String> {
    let info = text_of(info)?;
    let mut lines = info.lines();
    let run = lines.find_map(|line| line.strip_prefix("run_id:"))?;
    Some(run.trim().to_owned())
}
