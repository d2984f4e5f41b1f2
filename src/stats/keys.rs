//! What became of each key: its attempts in the order of their times.
//!
//! Bounded by sampling keys, not attempts: once there are too many, half of the keys are dropped by
//! the bits of their hashes, and so on. What is left has all its attempts, and which keys are left
//! depends on the set of attempts alone, so that tallies can be merged in any order.
//! Invariant: while the level is 0 nothing was dropped, and what is told is exact.

use super::hash::{self, HashedMap};
use crate::domain::attempt::Outcome;

/// Keys that are held.
pub const KEYS_MAX: usize = 450_000;
/// Attempts of one key that are held, the earliest; the last is held besides.
pub const ATTEMPTS_MAX: usize = 256;
/// Attempts after the first that are held, of all keys.
pub const LATER_MAX: usize = 1_500_000;

/// What is held of one attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Try {
    pub at: i64,
    /// For a retry.
    pub since: Since,
    /// 0 where there is none.
    pub fingerprint: u32,
    pub endpoint: u16,
    pub client: u16,
    /// 0 where it is not known.
    pub status: u16,
    pub came_to: CameTo,
    pub version: u8,
}

impl Try {
    pub fn outcome(&self) -> Option<Outcome> {
        self.came_to.outcome()
    }

    pub fn since_ms(&self) -> Option<u64> {
        self.since.millis()
    }

    pub fn is_execution(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_execution)
    }
}

/// The time since the first attempt, or that it is not told: there are millions.
///
/// Exact in milliseconds for 24 days, from there on in whole seconds, rounded up: what is longer than a
/// period of whole seconds stays so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Since(u32);

/// From here on seconds are counted.
const IN_SECONDS: u64 = 2_147_483_000;

impl Since {
    pub fn of(ms: Option<u64>) -> Since {
        let Some(ms) = ms else {
            return Since(0);
        };
        let held = match ms.checked_sub(IN_SECONDS) {
            None => ms,
            Some(beyond) => IN_SECONDS + beyond.div_ceil(1_000),
        };
        Since(u32::try_from(held).unwrap_or(u32::MAX).saturating_add(1))
    }

    fn millis(self) -> Option<u64> {
        let held = u64::from(self.0.checked_sub(1)?);
        Some(match held.checked_sub(IN_SECONDS) {
            None => held,
            Some(seconds) => IN_SECONDS + seconds * 1_000,
        })
    }
}

/// An outcome, whether it was a retry's, and whether its execution outlived the lease: in one byte,
/// since there are millions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CameTo(u8);

/// The outcome is none of the known words.
const OTHER_WORD: u8 = 15;
const OVER_LEASE: u8 = 16;
const RETRY: u8 = 32;

impl CameTo {
    pub fn new(outcome: Option<Outcome>) -> CameTo {
        CameTo(outcome.map_or(OTHER_WORD, |outcome| outcome as u8))
    }

    pub fn of_retry(self) -> CameTo {
        CameTo(self.0 | RETRY)
    }

    pub fn is_retry(self) -> bool {
        self.0 & RETRY != 0
    }

    pub fn over_lease(self) -> CameTo {
        CameTo(self.0 | OVER_LEASE)
    }

    pub fn is_over_lease(self) -> bool {
        self.0 & OVER_LEASE != 0
    }

    fn outcome(self) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(self.0 & OTHER_WORD)).copied()
    }
}

/// The attempts of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStory {
    first: Try,
    /// After the first, in order.
    later: Vec<Try>,
    last: Try,
    pub attempts: u32,
}

impl KeyStory {
    fn new(first: Try) -> KeyStory {
        KeyStory {
            first,
            later: Vec::new(),
            last: first,
            attempts: 1,
        }
    }

    /// How many more attempts are held than before.
    fn add(&mut self, new: Try) -> usize {
        self.attempts = self.attempts.saturating_add(1);
        self.last = self.last.max(new);
        self.hold(new)
    }

    fn hold(&mut self, new: Try) -> usize {
        let new = match new < self.first {
            true => std::mem::replace(&mut self.first, new),
            false => new,
        };
        if self.later.len() + 1 >= ATTEMPTS_MAX
            && self.later.last().is_some_and(|last| *last <= new)
        {
            return 0;
        }
        let at = self.later.partition_point(|held| *held <= new);
        self.later.insert(at, new);
        match self.later.len() + 1 > ATTEMPTS_MAX {
            true => {
                self.later.pop();
                0
            }
            false => 1,
        }
    }

    fn merge(&mut self, other: &KeyStory) -> usize {
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.last = self.last.max(other.last);
        other.tries().map(|attempt| self.hold(*attempt)).sum()
    }

    /// Those that are held, in order.
    pub fn tries(&self) -> impl Iterator<Item = &Try> {
        std::iter::once(&self.first).chain(&self.later)
    }

    pub fn first(&self) -> &Try {
        &self.first
    }

    pub fn last(&self) -> &Try {
        &self.last
    }
}

/// All keys, or one in two to the power of `level`.
#[derive(Clone, Debug)]
pub struct Keys {
    stories: HashedMap<KeyStory>,
    later: usize,
    pub level: u32,
    keys_max: usize,
    later_max: usize,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys::bounded(KEYS_MAX, LATER_MAX)
    }
}

impl Keys {
    pub fn bounded(keys_max: usize, later_max: usize) -> Keys {
        Keys {
            stories: HashedMap::default(),
            later: 0,
            level: 0,
            keys_max,
            later_max,
        }
    }

    pub fn add(&mut self, key: u64, attempt: Try) {
        if !hash::is_in(key, self.level) {
            return;
        }
        match self.stories.get_mut(&key) {
            Some(story) => self.later += story.add(attempt),
            None => {
                self.stories.insert(key, KeyStory::new(attempt));
            }
        }
        self.fit();
    }

    /// `renumber` makes the other's numbers of names ours.
    pub fn merge(&mut self, other: &Keys, renumber: impl Fn(&Try) -> Try) {
        if other.level > self.level {
            self.raise(other.level);
        }
        for (key, theirs) in &other.stories {
            if !hash::is_in(*key, self.level) {
                continue;
            }
            let theirs = KeyStory {
                first: renumber(&theirs.first),
                later: theirs.later.iter().map(&renumber).collect(),
                last: renumber(&theirs.last),
                attempts: theirs.attempts,
            };
            match self.stories.get_mut(key) {
                Some(story) => self.later += story.merge(&theirs),
                None => {
                    self.later += theirs.later.len();
                    self.stories.insert(*key, theirs);
                }
            }
            self.fit();
        }
    }

    fn fit(&mut self) {
        // A single key with very many attempts is bounded by itself.
        while (self.stories.len() > self.keys_max || self.later > self.later_max)
            && self.stories.len() > 1
        {
            self.raise(self.level + 1);
        }
    }

    fn raise(&mut self, level: u32) {
        self.level = level;
        self.stories.retain(|key, _| hash::is_in(*key, level));
        self.later = self.stories.values().map(|story| story.later.len()).sum();
    }

    pub fn len(&self) -> usize {
        self.stories.len()
    }

    pub fn is_exact(&self) -> bool {
        self.level == 0
    }

    /// For how many keys each one that is held stands.
    pub fn factor(&self) -> u64 {
        1_u64.checked_shl(self.level).unwrap_or(u64::MAX)
    }

    pub fn stories(&self) -> impl Iterator<Item = (u64, &KeyStory)> {
        self.stories.iter().map(|(key, story)| (*key, story))
    }
}

/// Bars of the histogram: from how many attempts on.
pub const ATTEMPTS_BINS: [u32; 7] = [1, 2, 3, 4, 6, 11, 51];

/// The bar of a key with so many attempts.
pub fn attempts_bin(attempts: u32) -> usize {
    let above = ATTEMPTS_BINS.partition_point(|from| *from <= attempts);
    above.saturating_sub(1)
}

/// How many keys had how many attempts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptsPerKey {
    /// 1, 2, 3, 4–5, 6–10, 11–50, more.
    pub bins: [u64; 7],
    pub keys: u64,
    pub mean: f64,
    pub highest: u64,
}

impl AttemptsPerKey {
    pub fn of(keys: &Keys) -> AttemptsPerKey {
        let mut all = AttemptsPerKey::default();
        let mut attempts = 0_u64;
        for (_, story) in keys.stories() {
            if let Some(bin) = all.bins.get_mut(attempts_bin(story.attempts)) {
                *bin += keys.factor();
            }
            attempts += u64::from(story.attempts);
            all.highest = all.highest.max(u64::from(story.attempts));
        }
        let held = keys.len() as u64;
        all.keys = held.saturating_mul(keys.factor());
        all.mean = attempts as f64 / held.max(1) as f64;
        all
    }
}

/// The histogram from the numbers that attempts carry: keys with exactly k attempts are those that
/// came to the k-th and not to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Attempts that were the first of their bar.
    reached: [u64; 7],
    pub counted: u64,
    pub highest: u32,
    /// Retries of keys whose first attempt lies before the window.
    pub begun_before: u64,
}

impl Numbers {
    pub fn add(&mut self, number: u32) {
        self.counted += 1;
        self.highest = self.highest.max(number);
        if let Some(at) = ATTEMPTS_BINS.iter().position(|from| *from == number)
            && let Some(count) = self.reached.get_mut(at)
        {
            *count += 1;
        }
    }

    pub fn merge(&mut self, other: &Numbers) {
        self.counted += other.counted;
        self.highest = self.highest.max(other.highest);
        self.begun_before += other.begun_before;
        for (count, more) in self.reached.iter_mut().zip(other.reached) {
            *count += more;
        }
    }

    /// `None` where the numbers do not tell: keys that began before, or counts that do not fit.
    pub fn histogram(&self) -> Option<AttemptsPerKey> {
        let [keys, ..] = self.reached;
        let is_falling = self.reached.is_sorted_by(|one, next| one >= next);
        if self.begun_before > 0 || keys == 0 || !is_falling {
            return None;
        }
        let mut bins = self.reached;
        for (bin, next) in bins.iter_mut().zip(self.reached.iter().skip(1)) {
            *bin -= next;
        }
        Some(AttemptsPerKey {
            bins,
            keys,
            mean: self.counted as f64 / keys as f64,
            highest: u64::from(self.highest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_since_the_first_attempt_is_held_for_years() {
        const DAY: u64 = 86_400_000;
        for ms in [0, 1, IN_SECONDS - 1, IN_SECONDS, 60 * DAY, 10 * 365 * DAY] {
            assert_eq!(Since::of(Some(ms)).millis(), Some(ms));
        }
        // Longer than a period stays so.
        assert_eq!(
            Since::of(Some(60 * DAY + 1)).millis(),
            Some(60 * DAY + 1_000)
        );
        assert_eq!(Since::of(None).millis(), None);
        assert!(Since::of(Some(u64::MAX)).millis() > Some(60 * 365 * DAY));
    }
}
