//! One exchange between the shop and its store, as the shop tells it.
//!
//! Apart from `world` because it is a small language of its own. What the store holds in the end is
//! counted in the store itself; this is how it came there.

use serde::{Deserialize, Serialize};

/// What was asked of the store, and what it said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    pub asked: Asked,
    pub said: Said,
    pub scope: String,
    pub key: String,
    /// Of the payload that was asked about; empty where none was.
    #[serde(default)]
    pub fingerprint: String,
    /// Of the answer that was saved or found.
    #[serde(default)]
    pub status: Option<u16>,
    /// The size of its body.
    #[serde(default)]
    pub bytes: u64,
    #[serde(default)]
    pub lease_ms: u64,
    #[serde(default)]
    pub retention_ms: u64,
    /// How long the store took, its waiting for others included.
    #[serde(default)]
    pub took_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    Claim,
    /// Only a look: nothing is written before the answer.
    Look,
    Save,
    Release,
    Renew,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// There was nothing, and now it is claimed.
    Claimed,
    /// There was a free, expired or stale record, and now it is claimed.
    TakenOver,
    /// There is nothing that would keep the request from executing.
    Free,
    InProgress,
    /// There is an answer.
    Finished,
    Saved,
    Released,
    /// Everything is gone.
    Forgotten,
    Renewed,
    /// Somebody else owns the record.
    NotOwner,
    /// It did not do it, or did not say so.
    Failed,
}
