//! Attempts in a Redis stream, by the server's clock, one script an attempt.
//!
//! What is known of a key's earlier attempts stands beside the stream under `retries:` (a name that
//! nobody takes for that of an idempotency record), since a
//! stream cannot be asked by key; it goes by itself after four retentions.

use redis::aio::MultiplexedConnection;
use redis::{Client, RedisError, Script};
use tokio::sync::Mutex;

use super::{FINGERPRINT_VERSION, Line};
use crate::domain::attempt::Outcome;
use crate::guard::store::StoreTrouble;

const WRITE: &str = include_str!("write.lua");
/// Attempts that the stream keeps, about.
const KEPT: u64 = 100_000;

pub struct Log {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
    service: String,
    script: Script,
}

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log")
            .field("service", &self.service)
            .finish_non_exhaustive()
    }
}

impl Log {
    pub fn new(client: Client, service: &str) -> Log {
        Log {
            client,
            connection: Mutex::new(None),
            service: service.to_owned(),
            script: Script::new(WRITE),
        }
    }

    async fn connection(&self) -> Result<MultiplexedConnection, StoreTrouble> {
        let mut held = self.connection.lock().await;
        if let Some(connection) = held.as_ref() {
            return Ok(connection.clone());
        }
        let made = self.client.get_multiplexed_async_connection().await;
        let connection = made.map_err(|error| trouble(&error))?;
        *held = Some(connection.clone());
        Ok(connection)
    }

    pub async fn write(&self, line: Line, retention_ms: i64) -> Result<Outcome, StoreTrouble> {
        let mut connection = self.connection().await?;
        let key = line.key_hash.unwrap_or_default();
        let print_version = match line.fingerprint {
            Some(_) => FINGERPRINT_VERSION.to_string(),
            None => String::new(),
        };
        let mut call = self.script.prepare_invoke();
        call.key(format!("idem:log:{}", self.service))
            .key(format!("retries:{}:{key}", self.service))
            .arg(KEPT)
            .arg(retention_ms)
            .arg(&key)
            .arg(line.outcome.name())
            .arg(line.status);
        let fields = [
            ("s", line.scope.unwrap_or_default()),
            ("e", line.endpoint),
            ("c", line.client.unwrap_or_default()),
            ("d", line.duration_ms.to_string()),
            ("fp", line.fingerprint.unwrap_or_default()),
            ("fv", print_version),
            ("i", line.instance),
            ("ow", line.owner.unwrap_or_default()),
        ];
        // A field that is not known is not there.
        for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
            call.arg(name).arg(value);
        }
        let told: Result<String, RedisError> = call.invoke_async(&mut connection).await;
        match told {
            Ok(name) => Ok(Outcome::of_name(&name).unwrap_or(line.outcome)),
            Err(error) => {
                if !matches!(error.kind(), redis::ErrorKind::Server(_)) {
                    *self.connection.lock().await = None;
                }
                Err(trouble(&error))
            }
        }
    }
}

fn trouble(error: &RedisError) -> StoreTrouble {
    StoreTrouble(format!("the retry log: {error}"))
}
