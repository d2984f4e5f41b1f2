//! Where the store is looked at: which servers, and how far a replica is behind.
//!
//! Apart from the facts because it takes more questions, and only where there is more than one server.

use ::redis::Value;

use super::{Lines, RedisStore, text_of};
use crate::stores::target::Look;
use crate::stores::{Lag, Place, StoreError};

impl RedisStore {
    /// Where it is looked; nothing to say of one server that is a primary.
    pub async fn place(&self) -> Result<Place, StoreError> {
        let told = match self.abilities.info {
            true => self.each("INFO", &[b"replication"]).await?,
            false => Vec::new(),
        };
        let (primaries, look, found) = match &self.lines {
            Lines::One(line) => (None, line.connector.look(), line.connector.found()),
            Lines::Cluster(cluster) => {
                let count = cluster.map().primaries().count();
                (Some(count), cluster.look(), None)
            }
        };
        // The one that is farthest behind counts.
        let lag = told.iter().filter_map(lag).reduce(Lag::worse);
        Ok(Place {
            primaries,
            is_part: false,
            server: found.map(|endpoint| endpoint.to_string()),
            is_replica: look == Look::Replica || lag.is_some(),
            lag,
        })
    }
}

/// From `INFO replication` of a replica.
fn lag(told: &Value) -> Option<Lag> {
    let info = text_of(told)?;
    let of = |name: &str| {
        let mut lines = info.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(value.trim().to_owned())
    };
    if of("role")? != "slave" {
        return None;
    }
    let number = |name: &str| of(name).and_then(|text| text.parse::<i64>().ok());
    let behind = number("slave_read_repl_offset")
        .zip(number("slave_repl_offset"))
        .and_then(|(read, done)| u64::try_from(read - done).ok());
    let heard = number("master_last_io_seconds_ago").and_then(|secs| u64::try_from(secs).ok());
    Some(Lag {
        is_linked: of("master_link_status").as_deref() == Some("up"),
        heard_ms: heard.map(|secs| secs * 1000),
        behind_bytes: behind,
    })
}
