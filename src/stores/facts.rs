//! What a store says of itself, and which of several servers it is that says so.
//!
//! Apart from the contract because nothing here is asked of a record.

/// What a store says of itself; what it does not tell is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreFacts {
    /// `Redis 7.0.15`, `PostgreSQL 15.18`, `SQLite 3.50`.
    pub product: String,
    /// `not encrypted`, `encrypted, server not verified`, `encrypted, server verified`.
    pub encryption: Option<String>,
    /// Keys or rows it says it holds.
    pub total: Option<u64>,
    /// Things this login may not do that cost us something, in words.
    pub missing_rights: Vec<String>,
    /// What the server does when its memory is full, where it has such a thing and says so.
    pub eviction: Option<Eviction>,
    pub place: Place,
}

/// Which of several servers is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Primaries of a cluster; `None` for one server.
    pub primaries: Option<usize>,
    /// It is one node of a cluster that was opened as if it were all: the keys of others are not seen.
    pub is_part: bool,
    /// The server that the way led to, where the target does not name it.
    pub server: Option<String>,
    pub is_replica: bool,
    /// How far the replica is behind, where it says so.
    pub lag: Option<Lag>,
}

impl Place {
    /// In words; nothing of one server that the target names and that is a primary.
    pub fn words(&self) -> Vec<String> {
        let cluster = self.primaries.map(|count| match count {
            1 => "cluster of 1 primary".to_owned(),
            count => format!("cluster of {count} primaries"),
        });
        let replica = self.is_replica.then(|| match &self.lag {
            Some(lag) if !lag.is_linked => "replica that does not hear its primary".to_owned(),
            Some(Lag {
                heard_ms: Some(heard),
                ..
            }) => format!("replica, heard its primary {} s ago", heard / 1000),
            Some(Lag {
                behind_bytes: Some(0),
                ..
            }) => "replica, level with its primary".to_owned(),
            _ => "replica".to_owned(),
        });
        let part = self.is_part.then(|| "one node of a cluster".to_owned());
        cluster
            .into_iter()
            .chain(part)
            .chain(self.server.clone())
            .chain(replica)
            .collect()
    }
}

/// How far a replica is behind its primary, as it knows it itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lag {
    /// Whether it hears its primary.
    pub is_linked: bool,
    /// Since it heard of its primary last, or since the last change that it has.
    pub heard_ms: Option<u64>,
    /// What it has received and not done yet.
    pub behind_bytes: Option<u64>,
}

impl Lag {
    /// The worse of two, by each measure.
    pub fn worse(self, other: Lag) -> Lag {
        Lag {
            is_linked: self.is_linked && other.is_linked,
            heard_ms: self.heard_ms.max(other.heard_ms),
            behind_bytes: self.behind_bytes.max(other.behind_bytes),
        }
    }
}

/// How a server makes room in its memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Eviction {
    /// `noeviction`, `allkeys-lru`, …
    pub policy: String,
    /// Bytes it may use; 0 for no bound, `None` where it does not say.
    pub memory_max: Option<u64>,
    /// Keys dropped since it started.
    pub evicted: Option<u64>,
}
