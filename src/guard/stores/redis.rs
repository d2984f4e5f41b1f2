//! Records in Redis, one hash a key: each step is one script, by the server's clock.
//!
//! A key expires with the record's retention, not with the lease: a lock outlives its lease, so that
//! it can be told from no lock at all.

mod outbox;

use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{Client, RedisError, Script};
use tokio::sync::Mutex;

use crate::guard::answer::StoredAnswer;
use crate::guard::store::{
    After, Claim, Claimed, Fence, GuardStore, Leaves, Saved, StoreTrouble, Ticket,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

const CLAIM: &str = include_str!("redis/claim.lua");
const CHANGE: &str = include_str!("redis/change.lua");

/// A server that writes through to a busy disk may take its time.
const PATIENCE: Duration = Duration::from_secs(3);

/// Keys of one prefix.
pub struct RedisStore {
    client: Client,
    connection: Mutex<Option<MultiplexedConnection>>,
    prefix: String,
    claim: Script,
    change: Script,
}

impl std::fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedisStore")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl RedisStore {
    /// Keys `{prefix}:{scope}:{key}`, the scope percent-encoded.
    pub fn new(client: Client, prefix: &str) -> RedisStore {
        RedisStore {
            client,
            connection: Mutex::new(None),
            prefix: prefix.to_owned(),
            claim: Script::new(CLAIM),
            change: Script::new(CHANGE),
        }
    }

    fn name(&self, scope: &str, key: &str) -> String {
        let scope = utf8_percent_encode(scope, NON_ALPHANUMERIC);
        format!("{}:{scope}:{key}", self.prefix)
    }

    /// The connection; made anew after it was lost.
    async fn connection(&self) -> Result<MultiplexedConnection, StoreTrouble> {
        let mut held = self.connection.lock().await;
        if let Some(connection) = held.as_ref() {
            return Ok(connection.clone());
        }
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(PATIENCE));
        let made = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await;
        let connection = made.map_err(|error| trouble(&error))?;
        *held = Some(connection.clone());
        Ok(connection)
    }

    async fn forget(&self, error: RedisError) -> StoreTrouble {
        if !matches!(error.kind(), redis::ErrorKind::Server(_)) {
            *self.connection.lock().await = None;
        }
        trouble(&error)
    }

    async fn step(
        &self,
        what: &str,
        ticket: &Ticket,
        fence: Fence,
        more: &[&[u8]],
    ) -> Result<Saved, StoreTrouble> {
        let mut connection = self.connection().await?;
        let fence = match fence {
            Fence::Owner => "owner",
            Fence::Open => "open",
        };
        let mut call = self.change.key(self.name(&ticket.scope, &ticket.key));
        call.key(self.outbox_name());
        call.arg(what).arg(&ticket.owner).arg(fence);
        for value in more {
            call.arg(*value);
        }
        match call.invoke_async::<i64>(&mut connection).await {
            Ok(1) => Ok(Saved::Saved),
            Ok(_) => Ok(Saved::NotOwner),
            Err(error) => Err(self.forget(error).await),
        }
    }
}

fn trouble(error: &RedisError) -> StoreTrouble {
    StoreTrouble(format!("Redis: {error}"))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// What the script answers: a word and up to four texts.
type Told = (String, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>);

fn claimed(told: Told, claim: &Claim) -> Claimed {
    let (word, fingerprint, first, headers, body) = told;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let number = |bytes: &[u8]| text(bytes).parse::<i64>().unwrap_or(0);
    let after = match word.as_str() {
        "finished" => {
            return Claimed::Finished {
                fingerprint: text(&fingerprint),
                answer: StoredAnswer {
                    status: u16::try_from(number(&first)).unwrap_or(500),
                    headers: StoredAnswer::read_headers(&text(&headers)),
                    body,
                    notes: Vec::new(),
                },
            };
        }
        "in_progress" => {
            let left = u64::try_from(number(&first)).unwrap_or(0);
            return Claimed::InProgress {
                fingerprint: text(&fingerprint),
                left: Duration::from_millis(left),
            };
        }
        "error" => After::Error,
        "stale" => After::StaleLock,
        _ => After::Nothing,
    };
    // In the place of the fingerprint, which is ours.
    let point = Some(text(&fingerprint)).filter(|point| !point.is_empty());
    Claimed::Mine(Ticket {
        scope: claim.scope.clone(),
        key: claim.key.clone(),
        owner: claim.owner.clone(),
        after,
        point,
    })
}

impl GuardStore for RedisStore {
    async fn claim(&self, claim: &Claim) -> Result<Claimed, StoreTrouble> {
        let flag = |is: bool| if is { "1" } else { "0" };
        let mut call = self.claim.key(self.name(&claim.scope, &claim.key));
        call.arg(&claim.fingerprint)
            .arg(&claim.path)
            .arg(&claim.owner)
            .arg(millis(claim.lease))
            .arg(millis(claim.retention))
            .arg(flag(claim.takes_over))
            .arg(flag(claim.extends));
        let mut is_fresh = self.connection.lock().await.is_none();
        loop {
            let mut connection = self.connection().await?;
            match call.invoke_async::<Told>(&mut connection).await {
                Ok(told) => return Ok(claimed(told, claim)),
                // A server that was started again has ended the connection that was kept. Asking
                // twice is safe: a claim that was made is known by its owner.
                Err(error) if !is_fresh && error.is_unrecoverable_error() => {
                    self.forget(error).await;
                    is_fresh = true;
                }
                Err(error) => return Err(self.forget(error).await),
            }
        }
    }

    async fn look(&self, scope: &str, key: &str) -> Result<Option<Claimed>, StoreTrouble> {
        let mut connection = self.connection().await?;
        let fields = [
            "payload_hash",
            "response_status",
            "response_headers",
            "response_body",
        ];
        let mut command = redis::cmd("HMGET");
        command.arg(self.name(scope, key)).arg(&fields);
        type Fields = (Option<String>, Option<u16>, Option<String>, Option<Vec<u8>>);
        let found: Result<Fields, RedisError> = command.query_async(&mut connection).await;
        let (fingerprint, status, headers, body) = match found {
            Ok(found) => found,
            Err(error) => return Err(self.forget(error).await),
        };
        let Some(fingerprint) = fingerprint else {
            return Ok(None);
        };
        Ok(Some(match status {
            None => Claimed::InProgress {
                fingerprint,
                left: Duration::ZERO,
            },
            Some(status) => Claimed::Finished {
                fingerprint,
                answer: StoredAnswer {
                    status,
                    headers: StoredAnswer::read_headers(headers.as_deref().unwrap_or_default()),
                    body: body.unwrap_or_default(),
                    notes: Vec::new(),
                },
            },
        }))
    }

    async fn save(
        &self,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let (status, headers) = (answer.status.to_string(), answer.headers_text());
        let notes: Vec<String> = answer.notes.iter().map(outbox::text).collect();
        let mut more = vec![status.as_bytes(), headers.as_bytes(), &answer.body];
        more.extend(notes.iter().map(String::as_bytes));
        self.step("save", ticket, fence, &more).await
    }

    async fn release(
        &self,
        ticket: &Ticket,
        fence: Fence,
        leaves: Leaves,
    ) -> Result<Saved, StoreTrouble> {
        let what = match leaves {
            Leaves::Fingerprint => "release",
            Leaves::Nothing => "forget",
        };
        self.step(what, ticket, fence, &[]).await
    }

    async fn reach(
        &self,
        ticket: &Ticket,
        point: &str,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        self.step("reach", ticket, fence, &[point.as_bytes()]).await
    }

    async fn renew(&self, ticket: &Ticket, lease: Duration) -> Result<Saved, StoreTrouble> {
        let lease = millis(lease).to_string();
        self.step("renew", ticket, Fence::Owner, &[lease.as_bytes()])
            .await
    }
}
