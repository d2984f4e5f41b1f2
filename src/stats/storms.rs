//! Storms: retries that come in numbers, at once, or on one key.
//!
//! Invariants: the definitions are those of the convention; a storm is never told from attempts of
//! which it is not known whether they are retries.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::distinct::Distinct;
use super::findings::is_answer;
use super::keys::{ATTEMPTS_MAX, KeyStory, Keys, Try};
use super::names::{Names, REST};
use super::slots::{SLOT_MS, Slot, Slots};
use crate::domain::attempt::Outcome;

/// More retries in a slot than this, and than so many times what is usual.
const RETRIES_OVER: u64 = 20;
const TIMES_USUAL: u64 = 5;
/// Slots before it that say what is usual.
const USUAL_SLOTS: usize = 60;
/// A storm is over after so many quiet slots.
const QUIET_SLOTS: i64 = 3;
/// Attempts on one key within a slot's time.
const KEY_ATTEMPTS: usize = 10;
const QUIET_MS: i64 = 30_000;
/// A second of so many retries within five has no jitter where most come in one tenth.
const SYNCHRONY_RETRIES: u32 = 20;
/// Attempts per key, for six slots.
const AMPLIFICATION_OVER: u64 = 3;
const AMPLIFICATION_SLOTS: usize = 6;
/// Storms of each kind that are told one by one, the heaviest.
pub const LISTED_MAX: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StormKind {
    /// Many retries of one operation.
    Operation,
    /// Many attempts on one key.
    Key,
    /// Retries that come at the same tenth of a second.
    Synchrony,
    /// Many attempts for few keys, for a minute.
    Amplification,
}

impl StormKind {
    pub fn name(self) -> &'static str {
        match self {
            StormKind::Operation => "endpoint",
            StormKind::Key => "key",
            StormKind::Synchrony => "synchrony",
            StormKind::Amplification => "amplification",
        }
    }
}

/// How a storm ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    Success,
    Expiry,
    GivenUp,
    /// It was not over at the end of the window.
    GoesOn,
}

impl Ending {
    pub fn name(self) -> &'static str {
        match self {
            Ending::Success => "success",
            Ending::Expiry => "expiry",
            Ending::GivenUp => "given_up",
            Ending::GoesOn => "goes_on",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Storm {
    pub kind: StormKind,
    pub operation: Option<Arc<str>>,
    /// The client with the most retries in it.
    pub client: Option<Arc<str>>,
    pub from: i64,
    pub to: i64,
    pub peak_at: i64,
    /// Retries in the busiest ten seconds; for a key its attempts.
    pub peak: u64,
    pub retries: u64,
    pub keys: u64,
    pub keys_exact: bool,
    /// The one that a storm on a key is on.
    pub key: Option<u64>,
    pub clients: u64,
    pub ending: Ending,
    /// The share of retries in the busiest tenth of each second, where there were enough.
    pub synchrony: Option<f64>,
}

/// What storms are found in.
pub struct Weather<'t> {
    pub slots: &'t Slots,
    pub keys: &'t Keys,
    pub operations: &'t Names,
    pub clients: &'t Names,
    /// The end of the window, or now.
    pub to: i64,
    /// Whether the times say when in a second an attempt came.
    pub has_fractions: bool,
}

/// All storms, the earliest first.
pub fn storms(weather: &Weather<'_>) -> Vec<Storm> {
    let mut all = Vec::new();
    for operation in weather.slots.operations() {
        let slots = weather.slots.of_operation(operation);
        for run in operation_runs(&slots, weather.to) {
            all.push(weather.storm(StormKind::Operation, operation, &slots, run));
        }
        for run in amplified_runs(&slots) {
            all.push(weather.storm(StormKind::Amplification, operation, &slots, run));
        }
        if let Some(seconds) = weather.seconds_of(operation) {
            for run in synchronous_runs(seconds) {
                all.push(weather.storm(StormKind::Synchrony, operation, &slots, run));
            }
        }
    }
    all.extend(weather.key_storms());
    let mut kept: Vec<Storm> = Vec::new();
    all.sort_by_key(|storm| {
        let heaviest = (storm.kind, std::cmp::Reverse(storm.peak), storm.from);
        (
            heaviest,
            storm.retries,
            storm.operation.clone(),
            storm.client.clone(),
        )
    });
    for storm in all {
        if kept.iter().filter(|other| other.kind == storm.kind).count() < LISTED_MAX {
            kept.push(storm);
        }
    }
    weather.count_keys(&mut kept);
    // Stable: the heavier one of two that began at once stays first.
    kept.sort_by_key(|storm| (storm.from, storm.kind));
    kept
}

/// Slots from the first to the last, both included.
type Run = (i64, i64);

fn operation_runs(slots: &BTreeMap<i64, Slot>, to: i64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let Some((first, _)) = slots.first_key_value() else {
        return runs;
    };
    let retries = |at: i64| slots.get(&at).map_or(0, |slot| u64::from(slot.retries));
    let mut next = *first;
    for (at, slot) in slots {
        if *at < next || u64::from(slot.retries) <= RETRIES_OVER {
            continue;
        }
        let usual = usual(slots, *first, *at);
        if u64::from(slot.retries) <= usual * TIMES_USUAL {
            continue;
        }
        let half = RETRIES_OVER.max(usual * TIMES_USUAL) / 2;
        let (mut last, mut look) = (*at, *at + 1);
        let end = to.div_euclid(SLOT_MS);
        while look <= end && look - last <= QUIET_SLOTS {
            if retries(look) >= half.max(1) {
                last = look;
            }
            look += 1;
        }
        runs.push((*at, last));
        next = last + 1;
    }
    runs
}

/// The median of the retries in the slots before.
fn usual(slots: &BTreeMap<i64, Slot>, first: i64, at: i64) -> u64 {
    let from = first.max(at - USUAL_SLOTS as i64);
    let mut before: Vec<u64> = slots
        .range(from..at)
        .map(|(_, slot)| u64::from(slot.retries))
        .collect();
    // Slots without attempts are not held.
    before.resize(usize::try_from(at - from).unwrap_or(0), 0);
    before.sort_unstable();
    before.get(before.len() / 2).copied().unwrap_or(0)
}

fn amplified_runs(slots: &BTreeMap<i64, Slot>) -> Vec<Run> {
    let is_amplified = |slot: &Slot| {
        let keys = slot.keys.count();
        keys > 0 && u64::from(slot.attempts) > AMPLIFICATION_OVER * keys
    };
    let mut runs: Vec<Run> = Vec::new();
    let mut run: Option<Run> = None;
    for (at, _) in slots.iter().filter(|(_, slot)| is_amplified(slot)) {
        run = match run {
            Some((from, last)) if *at == last + 1 => Some((from, *at)),
            other => {
                runs.extend(other);
                Some((*at, *at))
            }
        };
    }
    runs.extend(run);
    let least = AMPLIFICATION_SLOTS as i64;
    runs.retain(|(from, last)| last - from + 1 >= least);
    runs
}

fn busiest(tenths: &[u32; 10]) -> u32 {
    tenths.iter().copied().max().unwrap_or(0)
}

fn synchronous_runs(seconds: &BTreeMap<i64, [u32; 10]>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for second in seconds.keys() {
        let (mut all, mut in_busiest) = (0, 0);
        for (_, tenths) in seconds.range(*second..*second + 5) {
            all += tenths.iter().sum::<u32>();
            in_busiest += busiest(tenths);
        }
        if all < SYNCHRONY_RETRIES || in_busiest * 2 <= all {
            continue;
        }
        let slot = |second: i64| (second * 1_000).div_euclid(SLOT_MS);
        let (from, to) = (slot(*second), slot(*second + 4));
        match runs.last_mut() {
            Some((_, last)) if from - *last <= QUIET_SLOTS => *last = to.max(*last),
            _ => runs.push((from, to)),
        }
    }
    runs
}

impl Weather<'_> {
    /// The tenths of its seconds, where they are told.
    fn seconds_of(&self, operation: u16) -> Option<&BTreeMap<i64, [u32; 10]>> {
        let seconds = self.slots.seconds_of(operation);
        seconds.filter(|_| self.has_fractions)
    }

    /// Counts the keys of large storms one by one, where all keys are held.
    fn count_keys(&self, storms: &mut [Storm]) {
        let is_held = |(_, story): (u64, &KeyStory)| story.attempts as usize <= ATTEMPTS_MAX;
        let about = |storm: &Storm| !storm.keys_exact;
        if !storms.iter().any(about) || !self.keys.is_exact() || !self.keys.stories().all(is_held) {
            return;
        }
        for storm in storms.iter_mut().filter(|storm| about(storm)) {
            let name = storm.operation.as_ref();
            let operation = name
                .and_then(|name| self.operations.find(name))
                .unwrap_or(REST);
            let times = storm.from..storm.to;
            let in_it = |it: &Try| it.endpoint == operation && times.contains(&it.at);
            let keys = self.keys.stories();
            storm.keys = keys.filter(|(_, story)| story.tries().any(in_it)).count() as u64;
            storm.keys_exact = true;
        }
    }

    fn storm(
        &self,
        kind: StormKind,
        operation: u16,
        slots: &BTreeMap<i64, Slot>,
        (first, last): Run,
    ) -> Storm {
        let mut keys = Distinct::default();
        let (mut retries, mut peak, mut peak_at) = (0, 0, first);
        for (at, slot) in slots.range(first..=last) {
            keys.merge(&slot.keys);
            retries += u64::from(slot.retries);
            if u64::from(slot.retries) > peak {
                (peak, peak_at) = (u64::from(slot.retries), *at);
            }
        }
        let clients = self.slots.clients(operation, first, last);
        let named = clients
            .iter()
            .map(|(client, retries)| (*retries, self.clients.name(*client)));
        let client = named.max().and_then(|(_, client)| client);
        let to = (last + 1).saturating_mul(SLOT_MS);
        Storm {
            kind,
            operation: self.operations.name(operation).cloned(),
            client: client.cloned(),
            from: first.saturating_mul(SLOT_MS),
            to,
            peak_at: peak_at.saturating_mul(SLOT_MS),
            peak,
            retries,
            keys: keys.count(),
            keys_exact: keys.is_exact(),
            key: None,
            clients: clients.len() as u64,
            ending: self.ending(slots, last, to),
            synchrony: self.synchrony(
                operation,
                first.saturating_mul(10),
                last.saturating_mul(10) + 9,
            ),
        }
    }

    fn ending(&self, slots: &BTreeMap<i64, Slot>, last: i64, to: i64) -> Ending {
        if self.to.saturating_sub(to) < QUIET_MS {
            return Ending::GoesOn;
        }
        let mut end = Slot::default();
        for (_, slot) in slots.range(last..=last + QUIET_SLOTS) {
            end.merge(slot);
        }
        match end {
            Slot {
                expired, retries, ..
            } if expired * 2 > retries => Ending::Expiry,
            Slot { done, retries, .. } if done * 2 >= retries => Ending::Success,
            _ => Ending::GivenUp,
        }
    }

    /// The share of the retries of an operation that came in the busiest tenth of their second.
    fn synchrony(&self, operation: u16, from: i64, to: i64) -> Option<f64> {
        let seconds = self.seconds_of(operation)?;
        let (mut all, mut in_busiest) = (0_u64, 0_u64);
        for (_, tenths) in seconds.range(from..=to) {
            all += tenths.iter().map(|count| u64::from(*count)).sum::<u64>();
            in_busiest += u64::from(busiest(tenths));
        }
        (all >= u64::from(SYNCHRONY_RETRIES)).then(|| in_busiest as f64 / all as f64)
    }

    fn key_storms(&self) -> Vec<Storm> {
        let stories = self.keys.stories();
        let stories = stories.filter(|(_, story)| story.attempts as usize >= KEY_ATTEMPTS);
        stories
            .flat_map(|(key, story)| self.key_storm(key, story))
            .collect()
    }

    /// The storms on one key: attempts that follow each other, ten of them within ten seconds.
    fn key_storm(&self, key: u64, story: &KeyStory) -> Vec<Storm> {
        let tries: Vec<_> = story.tries().collect();
        let mut storms = Vec::new();
        for run in tries.chunk_by(|one, next| next.at.saturating_sub(one.at) <= QUIET_MS) {
            let ends = run.iter().skip(KEY_ATTEMPTS - 1);
            let pairs = run.iter().zip(ends);
            let Some((first, _)) = pairs
                .clone()
                .find(|(one, tenth)| tenth.at.saturating_sub(one.at) <= SLOT_MS)
            else {
                continue;
            };
            let Some(last) = run.last() else { continue };
            let from = run.partition_point(|attempt| attempt.at < first.at);
            let attempts = (run.len() - from) as u64;
            let outcome = last.outcome();
            let ending = match outcome {
                _ if self.to.saturating_sub(last.at) < QUIET_MS => Ending::GoesOn,
                Some(Outcome::ReexecExpired) => Ending::Expiry,
                Some(outcome) if is_answer(outcome, last.status) => Ending::Success,
                _ => Ending::GivenUp,
            };
            storms.push(Storm {
                kind: StormKind::Key,
                operation: self.operations.name(last.endpoint).cloned(),
                client: self.clients.name(last.client).cloned(),
                from: first.at,
                to: last.at,
                peak_at: first.at,
                peak: attempts,
                retries: attempts.saturating_sub(1),
                keys: 1,
                keys_exact: true,
                key: Some(key),
                clients: 1,
                ending,
                synchrony: None,
            });
        }
        storms
    }
}
