//! Commands on the keys of records, counted while they are seen: every attempt of a layer that claims
//! by a conditional write, without any help from the application.
//!
//! Invariant: keys are counted by their hashes and forgotten; nothing of a command is kept. Bound: so
//! many different keys are told apart exactly, then a sample of them.

use std::collections::HashSet;
use std::sync::Arc;

use super::beside::why;
use crate::inspect::session::Session;
use crate::layouts::Source;
use crate::layouts::needs::Needs;
use crate::stats::{Basis, Figure, Why, key_id_of};
use crate::stores::Family;
use crate::stores::logs::{CommandKind, SeenCommand};

/// Different keys that are told apart.
const KEYS_MAX: usize = 200_000;

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Monitored {
    /// For how long, in milliseconds.
    pub span_ms: u64,
    /// Commands of all kinds, on any key of the database.
    pub commands: u64,
    /// On keys of records.
    pub claims: u64,
    pub reads: u64,
    pub writes: u64,
    pub deletes: u64,
    /// Keys that were claimed, and keys that were claimed twice or more.
    pub keys: u64,
    pub claimed_again: u64,
    /// For how many keys each of these stands.
    pub factor: u64,
}

/// Keys that were claimed: once, and more often; one in two to the power of `level`.
#[derive(Default)]
struct Claims {
    once: HashSet<u64>,
    again: HashSet<u64>,
    level: u32,
}

impl Claims {
    fn add(&mut self, key: u64) {
        if key.trailing_zeros() < self.level {
            return;
        }
        if !self.once.insert(key) {
            self.again.insert(key);
        }
        while self.once.len() > KEYS_MAX {
            self.level += 1;
            let level = self.level;
            self.once.retain(|key| key.trailing_zeros() >= level);
            self.again.retain(|key| key.trailing_zeros() >= level);
        }
    }
}

/// Watches every command for a while. To be asked for by a person only.
pub async fn monitor(
    session: &Arc<Session>,
    sources: &[Source],
    span: std::time::Duration,
) -> Figure<Monitored> {
    let globs = globs(sources);
    if globs.is_empty() && session.family() == Family::Keys {
        return Figure::none(Why::WideNames, Basis::Monitor);
    }
    let mut seen = Monitored {
        span_ms: u64::try_from(span.as_millis()).unwrap_or(u64::MAX),
        ..Monitored::default()
    };
    let mut claims = Claims::default();
    let see = |command: SeenCommand<'_>| {
        seen.commands += 1;
        let Some(key) = command.key else { return };
        match command.kind {
            CommandKind::Claim => {
                seen.claims += 1;
                claims.add(key_id_of(key));
            }
            CommandKind::Read => seen.reads += 1,
            CommandKind::Write => seen.writes += 1,
            CommandKind::Delete => seen.deletes += 1,
            CommandKind::Other => {}
        }
    };
    if let Err(untold) = session.store.monitor(&globs, span, see).await {
        return Figure::none(why(untold), Basis::Monitor);
    }
    let factor = 1_u64.checked_shl(claims.level).unwrap_or(u64::MAX);
    seen.factor = factor;
    seen.keys = (claims.once.len() as u64).saturating_mul(factor);
    seen.claimed_again = (claims.again.len() as u64).saturating_mul(factor);
    let sample = seen.commands;
    Figure::of(seen, Basis::Monitor, sample).but_only_if(factor == 1)
}

/// The names that keys of these sources have, those with a beginning of their own: another one would
/// take in keys of anybody.
pub fn globs(sources: &[Source]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = Vec::new();
    for source in sources {
        if let Needs::Keys(keys) = source.needs() {
            let own = keys.globs.into_iter();
            for glob in own.filter(|glob| !matches!(glob.first(), None | Some(b'*' | b'?' | b'[')))
            {
                if !all.contains(&glob) {
                    all.push(glob);
                }
            }
        }
    }
    all
}
