//! What a server tells of changes by itself: keyspace events, and names of changed keys that it pushes
//! to clients which cache.
//!
//! On lines of their own, since both change what a connection may be used for. Invariants: nothing is
//! switched on at the server, only our own connections are; names are matched and forgotten, and
//! counts are all that is held; both ways are lossy and whoever shows them says so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ::redis::{Msg, Pipeline, PushInfo, PushKind, Value};
use futures_util::StreamExt;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::RedisStore;
use super::connect::{Connector, Phase};
use crate::stores::logs::{Heard, Listened, Untold};
use crate::stores::{StoreError, StoreErrorKind, glob};

/// Patterns that are listened to.
const GLOBS_MAX: usize = 32;

/// Counts while it lives.
#[derive(Debug)]
pub struct Listener {
    /// One of each server: they may be set differently.
    servers: Vec<Arc<Counts>>,
    events: Result<(), Untold>,
    pushes: Result<(), Untold>,
    _work: Vec<JoinHandle<()>>,
    _end: DropGuard,
}

/// In the order of the fields of [`Heard`].
#[derive(Debug, Default)]
struct Tally([AtomicU64; 5]);

impl Tally {
    fn add(&self, event: &[u8]) {
        let at = match event {
            b"set" | b"hset" | b"setrange" | b"append" | b"hincrby" | b"incrby" | b"sadd"
            | b"zadd" | b"restore" | b"rename_to" | b"copy_to" => 0,
            b"del" | b"hdel" | b"rename_from" | b"srem" | b"zrem" => 1,
            b"expired" => 2,
            b"evicted" => 3,
            // `expire` comes with each `SET … PX` besides.
            b"expire" | b"new" | b"keymiss" => return,
            _ => 4,
        };
        if let Some(count) = self.0.get(at) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn heard(&self) -> Heard {
        let [written, deleted, expired, evicted, other] = std::array::from_fn(|at| {
            self.0
                .get(at)
                .map_or(0, |count| count.load(Ordering::Relaxed))
        });
        Heard {
            written,
            deleted,
            expired,
            evicted,
            other,
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    /// Events by key, and events by name: a server may tell either, or both.
    by_key: Tally,
    by_name: Tally,
    pushes: AtomicU64,
    is_lost: AtomicBool,
    are_pushes_lost: AtomicBool,
}

impl Counts {
    /// What one server told.
    fn heard(&self) -> Result<Heard, Untold> {
        let (one, other) = (self.by_key.heard(), self.by_name.heard());
        let heard = Heard {
            written: one.written.max(other.written),
            deleted: one.deleted.max(other.deleted),
            expired: one.expired.max(other.expired),
            evicted: one.evicted.max(other.evicted),
            other: one.other.max(other.other),
        };
        match self.is_lost.load(Ordering::Relaxed) {
            true => Err(Untold::LineLost),
            // What changed was pushed, and no event named it.
            false if heard.all() == 0 && self.pushed() > 0 => Err(Untold::NotEnabled),
            false => Ok(heard),
        }
    }

    fn pushed(&self) -> u64 {
        self.pushes.load(Ordering::Relaxed)
    }
}

impl Listener {
    pub fn listened(&self) -> Listened {
        let events = self.events.and_then(|()| self.heard());
        let are_lost = |counts: &Arc<Counts>| counts.are_pushes_lost.load(Ordering::Relaxed);
        let pushes = match self.servers.iter().any(are_lost) {
            _ if self.pushes.is_err() => self.pushes.map(|()| 0),
            true => Err(Untold::LineLost),
            false => Ok(self.servers.iter().map(|counts| counts.pushed()).sum()),
        };
        Listened { events, pushes }
    }

    /// What all servers told; nothing where one of them does not tell.
    fn heard(&self) -> Result<Heard, Untold> {
        let mut all = Heard::default();
        for counts in &self.servers {
            all.add(&counts.heard()?);
        }
        match all.all() {
            0 => Err(Untold::NothingHeard),
            _ => Ok(all),
        }
    }
}

impl RedisStore {
    /// Listens to changes of keys that these globs match, until the listener is dropped.
    pub async fn listen(&self, mut globs: Vec<Vec<u8>>) -> Listener {
        globs.truncate(GLOBS_MAX);
        let globs = Arc::new(globs);
        let cancel = CancellationToken::new();
        let found = self.servers().await;
        let lost = found.as_ref().map(drop).map_err(untold);
        let mut listener = Listener {
            servers: Vec::new(),
            events: lost,
            pushes: lost,
            _work: Vec::new(),
            _end: cancel.clone().drop_guard(),
        };
        for server in found.unwrap_or_default() {
            let counts = Arc::new(Counts::default());
            let ear = Ear {
                server: &server,
                globs: &globs,
                counts: &counts,
                cancel: &cancel,
            };
            if listener.events.is_ok() {
                let events = ear.events().await;
                listener.events = events.map(|handle| listener._work.push(handle));
            }
            if listener.pushes.is_ok() {
                let pushes = ear.pushes().await;
                listener.pushes = pushes.map(|handle| listener._work.push(handle));
            }
            listener.servers.push(counts);
        }
        listener
    }
}

/// Listens at one server.
struct Ear<'e> {
    server: &'e Connector,
    globs: &'e Arc<Vec<Vec<u8>>>,
    counts: &'e Arc<Counts>,
    cancel: &'e CancellationToken,
}

impl Ear<'_> {
    async fn events(&self) -> Result<JoinHandle<()>, Untold> {
        let server = self.server;
        let mut line = server.events().await.map_err(|error| untold(&error))?;
        let database = server.target.database;
        let space = format!("__keyspace@{database}__:").into_bytes();
        let named = ["expired", "evicted"];
        let named = named.map(|event| format!("__keyevent@{database}__:{event}").into_bytes());
        let spaces = self
            .globs
            .iter()
            .map(|glob| [space.as_slice(), glob].concat());
        let channels: Vec<Vec<u8>> = spaces.chain(named).collect();
        if let Err(error) = line.psubscribe(channels).await {
            return Err(untold(&server.explain(&error, Phase::Talking)));
        }
        let (globs, counts) = (self.globs.clone(), self.counts.clone());
        let cancel = self.cancel.clone();
        Ok(tokio::spawn(async move {
            let mut messages = line.into_on_message();
            loop {
                tokio::select! {
                    () = cancel.cancelled() => return,
                    message = messages.next() => match message {
                        Some(message) => hear(&message, &space, &globs, &counts),
                        None => break,
                    }
                }
            }
            counts.is_lost.store(true, Ordering::Relaxed);
        }))
    }

    async fn pushes(&self) -> Result<JoinHandle<()>, Untold> {
        let (wanted, told) = (self.globs.clone(), self.counts.clone());
        let take = move |push: PushInfo| {
            match push.kind {
                PushKind::Invalidate => {
                    let changed = changed(&push, &wanted);
                    told.pushes.fetch_add(changed, Ordering::Relaxed);
                }
                PushKind::Disconnection => told.are_pushes_lost.store(true, Ordering::Relaxed),
                _ => {}
            }
            Ok::<(), std::convert::Infallible>(())
        };
        let server = self.server;
        let line = server.pushes(take).await;
        let mut line = line.map_err(|error| untold(&error))?;
        let mut pipeline = Pipeline::new();
        let command = pipeline
            .cmd("CLIENT")
            .arg("TRACKING")
            .arg("ON")
            .arg("BCAST");
        for prefix in prefixes(self.globs) {
            command.arg("PREFIX").arg(prefix);
        }
        match line.send_packed_commands(&pipeline, 0, 1).await.as_deref() {
            Ok([Value::Okay]) => {}
            Ok([error @ Value::ServerError(_)]) if super::lacks_right(error) => {
                return Err(Untold::NoRights);
            }
            Ok(_) => return Err(Untold::NotByThisStore),
            Err(error) => return Err(untold(&server.explain(error, Phase::Talking))),
        }
        let cancel = self.cancel.clone();
        // The line lives as long as it is held.
        Ok(tokio::spawn(async move {
            cancel.cancelled().await;
            drop(line);
        }))
    }
}

fn untold(error: &StoreError) -> Untold {
    match error.kind {
        StoreErrorKind::Denied => Untold::NoRights,
        StoreErrorKind::Protocol => Untold::NotByThisStore,
        _ => Untold::LineLost,
    }
}

/// Counts a message once, however many patterns let it through.
fn hear(message: &Msg, space: &[u8], globs: &[Vec<u8>], counts: &Counts) {
    let channel = message.get_channel_name().as_bytes();
    let payload = message.get_payload_bytes();
    let is_ours = |name: &[u8]| globs.iter().position(|glob| glob::matches(glob, name));
    match channel.strip_prefix(space) {
        Some(name) => {
            let pattern = message.get_pattern::<Vec<u8>>().unwrap_or_default();
            let glob = pattern.strip_prefix(space).unwrap_or_default();
            let first = is_ours(name).and_then(|at| globs.get(at));
            if first.is_some_and(|first| first == glob) {
                counts.by_key.add(payload);
            }
        }
        None => {
            let event = channel.rsplit(|byte| *byte == b':').next();
            if is_ours(payload).is_some() {
                counts.by_name.add(event.unwrap_or_default());
            }
        }
    }
}

/// How many of the names that were pushed are those of records.
fn changed(push: &PushInfo, globs: &[Vec<u8>]) -> u64 {
    let names = push.data.iter().flat_map(|value| match value {
        Value::Array(names) => names.as_slice(),
        _ => &[],
    });
    let is_ours = |value: &&Value| match value {
        Value::BulkString(name) => globs.iter().any(|glob| glob::matches(glob, name)),
        _ => false,
    };
    names.filter(is_ours).count() as u64
}

/// How the names begin; none that begins with another, which the server refuses.
fn prefixes(globs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = globs.iter().map(|glob| literal(glob)).collect();
    all.sort();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for prefix in all {
        if !kept.last().is_some_and(|last| prefix.starts_with(last)) {
            kept.push(prefix);
        }
    }
    kept
}

/// What a glob begins with, as it is.
fn literal(glob: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = glob.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' | b'[' => break,
            b'\\' => out.extend(bytes.next()),
            byte => out.push(*byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_do_not_lie_in_each_other() {
        let globs = ["idem:*", "idem:*:lock", "other:?", "a\\*b*"];
        let globs = globs.map(|glob| glob.as_bytes().to_vec());
        let expected: Vec<Vec<u8>> = ["a*b", "idem:", "other:"]
            .map(|prefix| prefix.as_bytes().to_vec())
            .into();
        assert_eq!(prefixes(&globs), expected);
    }
}
