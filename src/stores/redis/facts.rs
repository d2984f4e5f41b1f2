//! What a server says of itself: its product, its memory, and what this login may not do.
//!
//! Apart from reading because nothing here is a record.

use ::redis::{Pipeline, Value};

use super::{Lines, RedisStore, push, text_of};
use crate::stores::{Eviction, StoreError, StoreFacts};

impl RedisStore {
    pub async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "INFO", &[b"server"]);
        push(&mut pipeline, "INFO", &[b"memory"]);
        push(&mut pipeline, "INFO", &[b"stats"]);
        let answers = self.send(&pipeline, 3).await?;
        let info = answers.first().and_then(text_of).unwrap_or_default();
        let total = self.total().await?;
        let mut missing_rights = Vec::new();
        for (may, text) in [
            (
                self.abilities.time,
                "TIME: ages are by this machine's clock",
            ),
            (self.abilities.getrange, "GETRANGE: values are read whole"),
            (self.abilities.hmget, "HMGET: hashes cannot be read"),
        ] {
            if !may {
                missing_rights.push(text.to_owned());
            }
        }
        let mut place = self.place().await?;
        place.is_part = self.is_part(&info).await?;
        Ok(StoreFacts {
            eviction: eviction(&answers),
            product: product(&info),
            encryption: Some(self.encryption().to_owned()),
            total,
            missing_rights,
            place,
        })
    }

    /// Whether it is opened as one server, and is a node of a cluster that has others with keys.
    async fn is_part(&self, info: &str) -> Result<bool, StoreError> {
        let is_node = info.lines().any(|line| line.trim() == "redis_mode:cluster");
        if !is_node || matches!(self.lines, Lines::Cluster(_)) {
            return Ok(false);
        }
        let mut pipeline = Pipeline::new();
        push(&mut pipeline, "CLUSTER", &[b"INFO"]);
        let told = self.send(&pipeline, 1).await?;
        let told = told.first().and_then(text_of).unwrap_or_default();
        let size = told
            .lines()
            .find_map(|line| line.strip_prefix("cluster_size:"));
        // Where it is not told, there may be others.
        Ok(size.and_then(|size| size.trim().parse::<u32>().ok()) != Some(1))
    }
}

/// From the sections `memory` and `stats`; `None` where the server does not tell its policy.
fn eviction(answers: &[Value]) -> Option<Eviction> {
    let section = |at: usize| answers.get(at).and_then(text_of).unwrap_or_default();
    let (memory, stats) = (section(1), section(2));
    let of = |section: &str, name: &str| {
        let line = section.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.strip_prefix(':'))
            .map(|value| value.trim().to_owned())
    };
    Some(Eviction {
        policy: of(&memory, "maxmemory_policy")?,
        memory_max: of(&memory, "maxmemory").and_then(|bytes| bytes.parse().ok()),
        evicted: of(&stats, "evicted_keys").and_then(|count| count.parse().ok()),
    })
}

fn product(info: &str) -> String {
    let of = |name: &str| {
        info.lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
    };
    match (of("server_name"), of("valkey_version"), of("redis_version")) {
        (Some("valkey"), Some(version), _) | (None, Some(version), _) => {
            format!("Valkey {version}")
        }
        (_, _, Some(version)) => format!("Redis {version}"),
        _ => "Redis (version not told)".to_owned(),
    }
}
