//! Attempts by operation and client in slots of ten seconds, and retries by tenths of a second: what
//! storms are seen in.
//!
//! Bounded by forgetting the oldest slots. What is left depends on the set of attempts alone: all
//! slots from some time on, each whole.

use std::collections::{BTreeMap, HashMap};

use super::distinct::Distinct;

pub const SLOT_MS: i64 = 10_000;
const SLOTS_MAX: usize = 300_000;
const SECONDS_MAX: usize = 400_000;

/// Ten seconds of one operation from one client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    pub attempts: u32,
    pub retries: u32,
    /// Retries that got a final answer below 500.
    pub done: u32,
    /// Retries that were executed anew, since the record had gone.
    pub expired: u32,
    pub keys: Distinct,
}

impl Slot {
    pub fn merge(&mut self, other: &Slot) {
        self.attempts += other.attempts;
        self.retries += other.retries;
        self.done += other.done;
        self.expired += other.expired;
        self.keys.merge(&other.keys);
    }
}

/// What a slot needs to know of an attempt.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    pub at: i64,
    pub operation: u16,
    pub client: u16,
    /// The low half of the key's hash.
    pub key: Option<u32>,
    pub is_retry: bool,
    pub is_done: bool,
    pub is_expired: bool,
}

type Place = (u16, u16);

#[derive(Clone, Debug, Default)]
pub struct Slots {
    slots: HashMap<Place, BTreeMap<i64, Slot>>,
    held: usize,
    /// Retries of each tenth of a second, by operation and second.
    seconds: HashMap<u16, BTreeMap<i64, [u32; 10]>>,
    held_seconds: usize,
    /// Slots before this were forgotten.
    floor: Option<i64>,
    floor_secs: Option<i64>,
}

impl Slots {
    pub fn add(&mut self, hit: &Hit) {
        let at = hit.at.div_euclid(SLOT_MS);
        if self.floor.is_none_or(|floor| at >= floor) {
            let slots = self.slots.entry((hit.operation, hit.client)).or_default();
            let slot = slots.entry(at).or_insert_with(|| {
                self.held += 1;
                Slot::default()
            });
            slot.attempts += 1;
            slot.retries += u32::from(hit.is_retry);
            slot.done += u32::from(hit.is_retry && hit.is_done);
            slot.expired += u32::from(hit.is_expired);
            if let Some(key) = hit.key {
                slot.keys.add(key);
            }
        }
        if hit.is_retry {
            self.second(hit.operation, hit.at.div_euclid(1_000), |tenths| {
                let tenth = usize::try_from(hit.at.rem_euclid(1_000) / 100).unwrap_or(0);
                if let Some(count) = tenths.get_mut(tenth) {
                    *count += 1;
                }
            });
        }
        self.fit();
    }

    fn second(&mut self, operation: u16, second: i64, change: impl FnOnce(&mut [u32; 10])) {
        if self.floor_secs.is_some_and(|floor| second < floor) {
            return;
        }
        let seconds = self.seconds.entry(operation).or_default();
        change(seconds.entry(second).or_insert_with(|| {
            self.held_seconds += 1;
            [0; 10]
        }));
    }

    /// `renumber` makes the other's numbers of an operation and a client ours.
    pub fn merge(&mut self, other: &Slots, renumber: impl Fn(Place) -> Place) {
        if other.floor > self.floor {
            self.forget(other.floor);
        }
        if other.floor_secs > self.floor_secs {
            self.forget_seconds(other.floor_secs);
        }
        for (place, theirs) in &other.slots {
            let ours = self.slots.entry(renumber(*place)).or_default();
            for (at, slot) in theirs {
                if self.floor.is_none_or(|floor| *at >= floor) {
                    let ours = ours.entry(*at).or_insert_with(|| {
                        self.held += 1;
                        Slot::default()
                    });
                    ours.merge(slot);
                }
            }
        }
        for (operation, theirs) in &other.seconds {
            let (operation, _) = renumber((*operation, 0));
            for (second, more) in theirs {
                self.second(operation, *second, |tenths| {
                    for (count, more) in tenths.iter_mut().zip(more) {
                        *count += more;
                    }
                });
            }
        }
        self.fit();
    }

    fn fit(&mut self) {
        while self.held > SLOTS_MAX {
            let oldest = self
                .slots
                .values()
                .filter_map(|slots| slots.keys().next())
                .min();
            let floor = oldest.map(|oldest| oldest + 1);
            self.forget(floor);
        }
        while self.held_seconds > SECONDS_MAX {
            let oldest = self
                .seconds
                .values()
                .filter_map(|all| all.keys().next())
                .min();
            let floor = oldest.map(|oldest| oldest + 1);
            self.forget_seconds(floor);
        }
    }

    fn forget(&mut self, floor: Option<i64>) {
        let Some(floor) = floor else {
            self.held = 0;
            return;
        };
        self.floor = Some(floor);
        self.slots.retain(|_, slots| {
            *slots = slots.split_off(&floor);
            !slots.is_empty()
        });
        self.held = self.slots.values().map(BTreeMap::len).sum();
    }

    fn forget_seconds(&mut self, floor: Option<i64>) {
        let Some(floor) = floor else {
            self.held_seconds = 0;
            return;
        };
        self.floor_secs = Some(floor);
        self.seconds.retain(|_, all| {
            *all = all.split_off(&floor);
            !all.is_empty()
        });
        self.held_seconds = self.seconds.values().map(BTreeMap::len).sum();
    }

    /// From when on storms can be seen; `None` for the whole window.
    pub fn from(&self) -> Option<i64> {
        let slots = self.floor.map(|floor| floor.saturating_mul(SLOT_MS));
        let seconds = self.floor_secs.map(|floor| floor.saturating_mul(1_000));
        slots.max(seconds)
    }

    /// The operations that had attempts.
    pub fn operations(&self) -> Vec<u16> {
        let mut all: Vec<u16> = self.slots.keys().map(|(operation, _)| *operation).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The slots of an operation, whoever called.
    pub fn of_operation(&self, operation: u16) -> BTreeMap<i64, Slot> {
        let mut all: BTreeMap<i64, Slot> = BTreeMap::new();
        for ((_, _), slots) in self
            .slots
            .iter()
            .filter(|((known, _), _)| *known == operation)
        {
            for (at, slot) in slots {
                all.entry(*at).or_default().merge(slot);
            }
        }
        all
    }

    /// How many retries of an operation each client made in slots from `from` to `to`, both
    /// included.
    pub fn clients(&self, operation: u16, from: i64, to: i64) -> Vec<(u16, u64)> {
        let mut all: Vec<(u16, u64)> = Vec::new();
        for ((known, client), slots) in &self.slots {
            let retries = slots
                .range(from..=to)
                .map(|(_, slot)| u64::from(slot.retries));
            let retries = if *known == operation {
                retries.sum()
            } else {
                0
            };
            if retries > 0 {
                all.push((*client, retries));
            }
        }
        all
    }

    /// The tenths of the seconds of an operation.
    pub fn seconds_of(&self, operation: u16) -> Option<&BTreeMap<i64, [u32; 10]>> {
        self.seconds.get(&operation)
    }
}
