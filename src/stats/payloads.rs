//! Payloads that came under several keys: what a client does that makes a new key for each retry.
//!
//! Bounded as keys are, by sampling payloads by the bits of their hashes.

use super::hash::{self, HashedMap};

const PAYLOADS_MAX: usize = 220_000;
/// Keys of one payload that are held, the earliest.
const KEYS_MAX: usize = 32;
/// Two keys within so many milliseconds are a suspect.
pub const WITHIN_MS: i64 = 600_000;

/// When a key first had this payload.
type Seen = (i64, u64);

#[derive(Clone, Debug)]
pub struct Payloads {
    seen: HashedMap<Under>,
    pub level: u32,
    most: usize,
    /// Attempts that told payload and scope.
    pub told: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Under {
    One(Seen),
    /// In order.
    Several(Vec<Seen>),
}

impl Default for Payloads {
    fn default() -> Payloads {
        Payloads {
            seen: HashedMap::default(),
            level: 0,
            most: PAYLOADS_MAX,
            told: 0,
        }
    }
}

impl Payloads {
    pub fn add(&mut self, payload: u64, key: u64, at: i64) {
        self.told += 1;
        self.take(payload, (at, key));
        self.fit();
    }

    fn take(&mut self, payload: u64, new: Seen) {
        if !hash::is_in(payload, self.level) {
            return;
        }
        match self.seen.get_mut(&payload) {
            None => {
                self.seen.insert(payload, Under::One(new));
            }
            Some(under) => under.take(new),
        }
    }

    fn fit(&mut self) {
        while self.seen.len() > self.most {
            self.level += 1;
            let level = self.level;
            self.seen.retain(|payload, _| hash::is_in(*payload, level));
        }
    }

    pub fn merge(&mut self, other: &Payloads) {
        self.told += other.told;
        if other.level > self.level {
            self.level = other.level;
            let level = self.level;
            self.seen.retain(|payload, _| hash::is_in(*payload, level));
        }
        for (payload, under) in &other.seen {
            under.each(|seen| self.take(*payload, seen));
            self.fit();
        }
    }

    /// Payloads with two keys or more within ten minutes, those that are held.
    pub fn suspects(&self) -> u64 {
        self.seen
            .values()
            .filter(|under| under.is_suspect())
            .count() as u64
    }

    /// The keys of those payloads that came within ten minutes of another one.
    pub fn suspect_keys(&self) -> impl Iterator<Item = u64> {
        self.seen.values().flat_map(Under::suspect_keys)
    }

    /// For how many payloads each one that is held stands.
    pub fn factor(&self) -> u64 {
        1_u64.checked_shl(self.level).unwrap_or(u64::MAX)
    }
}

impl Under {
    fn take(&mut self, new: Seen) {
        match self {
            Under::One(seen) if seen.1 == new.1 => *seen = (*seen).min(new),
            Under::One(seen) => {
                let mut all = vec![*seen, new];
                all.sort_unstable();
                *self = Under::Several(all);
            }
            Under::Several(all) => {
                match all.iter().position(|seen| seen.1 == new.1) {
                    Some(at) => {
                        if let Some(seen) = all.get_mut(at) {
                            *seen = (*seen).min(new);
                        }
                    }
                    None => all.push(new),
                }
                all.sort_unstable();
                all.truncate(KEYS_MAX);
            }
        }
    }

    fn each(&self, mut see: impl FnMut(Seen)) {
        match self {
            Under::One(seen) => see(*seen),
            Under::Several(all) => all.iter().for_each(|seen| see(*seen)),
        }
    }

    fn is_suspect(&self) -> bool {
        self.suspect_keys().next().is_some()
    }

    fn suspect_keys(&self) -> impl Iterator<Item = u64> {
        let all: &[Seen] = match self {
            Under::One(_) => &[],
            Under::Several(all) => all,
        };
        let pairs = all.iter().zip(all.iter().skip(1));
        let close = pairs.filter(|(one, next)| next.0.saturating_sub(one.0) <= WITHIN_MS);
        close.flat_map(|(one, next)| [one.1, next.1])
    }
}
