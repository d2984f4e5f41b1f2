//! One server, and the connection to it that is held.
//!
//! Apart from the store because a cluster has many. Invariant: nothing here changes anything, so that
//! what was lost with a connection may be asked again.

use ::redis::aio::MultiplexedConnection;
use ::redis::{Pipeline, Value};
use tokio::sync::Mutex;

use super::connect::{Connector, Phase};
use crate::stores::{StoreError, StoreErrorKind};

pub struct Line {
    pub connector: Connector,
    connection: Mutex<Option<MultiplexedConnection>>,
}

/// Where a connection comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Held,
    New,
}

impl Line {
    pub fn new(connector: Connector) -> Line {
        Line {
            connector,
            connection: Mutex::new(None),
        }
    }

    /// Sends a pipeline and waits for its answers, errors of single commands among them.
    ///
    /// A connection that was cut while it lay idle is made anew, once.
    /// Errors: the line is lost or nothing came in time; the next call connects anew.
    pub async fn send(&self, pipeline: &Pipeline, count: usize) -> Result<Vec<Value>, StoreError> {
        let (connection, origin) = self.connection().await?;
        match self.send_by(connection, pipeline, count).await {
            Err(error) if error.kind == StoreErrorKind::Lost && origin == Origin::Held => {
                let (connection, _) = self.connection().await?;
                self.send_by(connection, pipeline, count).await
            }
            other => other,
        }
    }

    async fn send_by(
        &self,
        mut connection: MultiplexedConnection,
        pipeline: &Pipeline,
        count: usize,
    ) -> Result<Vec<Value>, StoreError> {
        match connection.send_packed_commands(pipeline, 0, count).await {
            Ok(answers) => Ok(answers),
            Err(error) => {
                *self.connection.lock().await = None;
                Err(self.connector.explain(&error, Phase::Talking))
            }
        }
    }

    async fn connection(&self) -> Result<(MultiplexedConnection, Origin), StoreError> {
        let mut held = self.connection.lock().await;
        if let Some(connection) = held.as_ref() {
            return Ok((connection.clone(), Origin::Held));
        }
        let connection = self.connector.connect().await?;
        *held = Some(connection.clone());
        Ok((connection, Origin::New))
    }
}
