//! What is wrong with a store: one line each, with the filter that shows the records.
//!
//! A finding is a fact about what is stored or about how the server is set, never a guess about an
//! application. To add one: a file here and a line in [`findings`]. The texts come from `present`,
//! in the language of whoever asks.

mod bodies;
mod errors;
mod eviction;
mod lease;

use super::cancel::Cancel;
use super::catalogue::Snapshot;
use super::summary::Summary;
use crate::domain::{Duration, Timestamp};
use crate::present::say::say;
use crate::present::span;
use crate::stores::{Eviction, StoreFacts};

pub use bodies::{Bodies, look_at_bodies};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub what: What,
    /// Records concerned.
    pub count: u64,
    /// The filter that shows them.
    pub query: String,
}

/// What is wrong, with the facts that the sentence needs.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    StuckLocks {
        oldest: Option<Duration>,
    },
    /// Records that stay for ever: a lock among them is never freed by itself.
    NeverExpires,
    /// Server errors that are stored and replayed.
    ErrorsReplayed {
        replays: Option<i64>,
        longest_left: Option<Duration>,
    },
    /// Bodies that are not of the content type stored with them, of so many looked at.
    WrongBodies {
        looked_at: u64,
    },
    /// The server may drop locks when its memory is full.
    MayEvict {
        policy: String,
        evicted: Option<u64>,
    },
    /// Locks live as long as answers do: a crash blocks the key for all that time.
    LeaseIsRetention {
        longest_left: Option<Duration>,
    },
    NotReadWhole,
}

impl Finding {
    /// A name that scripts can rely on.
    pub fn id(&self) -> &'static str {
        match &self.what {
            What::StuckLocks { .. } => "stuck-locks",
            What::NeverExpires => "never-expires",
            What::ErrorsReplayed { .. } => "errors-replayed",
            What::WrongBodies { .. } => "wrong-bodies",
            What::MayEvict { .. } => "may-evict",
            What::LeaseIsRetention { .. } => "lease-is-retention",
            What::NotReadWhole => "problems",
        }
    }

    /// One sentence without a full stop, in the language of this thread.
    pub fn text(&self) -> String {
        let count = self.count;
        match &self.what {
            What::StuckLocks { oldest: Some(age) } => {
                let age = span::sentence(*age);
                say!("finding-stuck-oldest", count = count, age = age)
            }
            What::StuckLocks { oldest: None } => say!("finding-stuck", count = count),
            What::NeverExpires => say!("finding-never-expires", count = count),
            What::ErrorsReplayed {
                replays: Some(times),
                ..
            } => say!(
                "finding-errors-replayed",
                count = count,
                times = times.unsigned_abs()
            ),
            What::ErrorsReplayed {
                replays: None,
                longest_left: Some(left),
            } => {
                let left = span::sentence(*left);
                say!("finding-errors-left", count = count, left = left)
            }
            What::ErrorsReplayed { .. } => say!("finding-errors", count = count),
            What::WrongBodies { looked_at } => {
                say!("finding-wrong-bodies", count = count, of = *looked_at)
            }
            What::MayEvict {
                policy,
                evicted: Some(evicted),
            } if *evicted > 0 => {
                let policy = policy.clone();
                say!("finding-has-evicted", policy = policy, evicted = *evicted)
            }
            What::MayEvict { policy, .. } => {
                let policy = policy.clone();
                say!("finding-may-evict", policy = policy)
            }
            What::LeaseIsRetention {
                longest_left: Some(left),
            } => {
                let left = span::sentence(*left);
                say!("finding-lease-left", count = count, left = left)
            }
            What::LeaseIsRetention { longest_left: None } => {
                say!("finding-lease", count = count)
            }
            What::NotReadWhole => say!("finding-not-read", count = count),
        }
    }
}

/// What the findings rest on.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'g> {
    pub snapshot: &'g Snapshot,
    pub summary: &'g Summary,
    pub facts: &'g StoreFacts,
    /// Bodies that were looked at, where they were.
    pub bodies: Option<&'g Bodies>,
    pub now: Timestamp,
}

/// All that is wrong, the most urgent first; `None` where it was cancelled.
pub fn findings(ground: &Ground<'_>, cancel: &Cancel) -> Option<Vec<Finding>> {
    let mut found = Vec::new();
    found.extend(stuck(ground.summary));
    found.extend(lease::find(ground, cancel)?);
    found.extend(never_expires(ground.summary));
    found.extend(errors::find(ground, cancel)?);
    found.extend(ground.bodies.and_then(Bodies::finding));
    found.extend(eviction::find(ground));
    found.extend(not_read(ground.summary));
    Some(found)
}

fn counted(what: What, count: u64, query: &str) -> Option<Finding> {
    (count > 0).then(|| Finding {
        what,
        count,
        query: query.to_owned(),
    })
}

fn stuck(summary: &Summary) -> Option<Finding> {
    let oldest = summary.oldest_lock;
    counted(What::StuckLocks { oldest }, summary.stuck, "is:stuck")
}

fn never_expires(summary: &Summary) -> Option<Finding> {
    counted(What::NeverExpires, summary.never_expires, "ttl:never")
}

fn not_read(summary: &Summary) -> Option<Finding> {
    counted(What::NotReadWhole, summary.with_problems, "problem:any")
}

#[cfg(test)]
mod tests;
