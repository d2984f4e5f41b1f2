//! A tally of attempts in one window: entries go in, in any order, and two tallies of the same window
//! can be merged.
//!
//! Invariants: what a report of it says does not depend on the order in which entries came, up to
//! the stated bounds on names; its memory is bounded (measured in `benches/stats.rs`).

use std::collections::BTreeMap;

use super::breakdown::{Named, Tables};
use super::entry::{Defect, Entry, Word};
use super::hash;
use super::keys::{CameTo, Keys, Numbers, Since, Try};
use super::names::REST;
use super::payloads::Payloads;
use super::series::{BINS, Series};
use super::sketch::Sketch;
use super::slots::{Hit, Slots};
use crate::domain::attempt::{Family, Outcome};

/// Other words of outcomes that are told apart.
const WORDS_MAX: usize = 50;
const WORD_BYTES_MAX: usize = 60;

/// A window: from its first millisecond to its last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from: i64,
    /// Not within.
    pub to: i64,
}

/// How long after the first attempt, as it is held of each retry.
fn since_held(entry: &Entry<'_>, is_retry: Option<bool>) -> Since {
    let told = entry.since_first_ms;
    Since::of(told.filter(|_| is_retry == Some(true)))
}

impl Span {
    pub fn len_ms(self) -> i64 {
        self.to.saturating_sub(self.from).max(1)
    }

    pub fn holds(self, at: i64) -> bool {
        (self.from..self.to).contains(&at)
    }

    /// In which of the bins a time within lies.
    pub(super) fn bin(self, at: i64) -> usize {
        let ahead = i128::from(at.saturating_sub(self.from)) * BINS as i128;
        usize::try_from(ahead / i128::from(self.len_ms())).unwrap_or(0)
    }
}

/// What the operator says of the layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub lease_ms: Option<u64>,
    pub retention_ms: Option<u64>,
}

/// How late retries came, by parts of the retention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Late {
    pub told: u64,
    pub half: u64,
    pub nine_tenths: u64,
    pub after: u64,
}

#[derive(Clone, Debug)]
pub struct Tally {
    pub span: Span,
    pub terms: Terms,
    pub(super) entries: u64,
    /// Entries of other windows.
    pub(super) outside: u64,
    pub(super) keyed: u64,
    /// A log was read that has no keys.
    pub(super) is_keyless: bool,
    /// A time that is no whole second: else it is not told when in a second an attempt came.
    pub(super) has_fractions: bool,
    pub(super) told: u64,
    pub(super) retries: u64,
    /// Entries that stand for several, and how many thousandths of attempts they stand for.
    pub(super) sampled: u64,
    pub(super) stands_for: u64,
    pub(super) outcomes: [u64; 14],
    pub(super) words: BTreeMap<String, u64>,
    /// Words past the bound.
    pub(super) other_words: u64,
    pub(super) defects: [u64; 7],
    pub(super) first_at: Option<i64>,
    pub(super) last_at: Option<i64>,
    pub(super) delays: Sketch,
    pub(super) executions: Sketch,
    pub(super) over_lease: u64,
    pub(super) near_lease: u64,
    pub(super) late: Late,
    pub(super) numbers: Numbers,
    pub(super) keys: Keys,
    pub(super) payloads: Payloads,
    pub(super) slots: Slots,
    pub(super) series: Series,
    pub(super) tables: Tables,
}

impl Tally {
    pub fn new(span: Span, terms: Terms) -> Tally {
        Tally {
            span,
            terms,
            entries: 0,
            outside: 0,
            keyed: 0,
            is_keyless: false,
            has_fractions: false,
            told: 0,
            retries: 0,
            sampled: 0,
            stands_for: 0,
            outcomes: [0; 14],
            words: BTreeMap::new(),
            other_words: 0,
            defects: [0; 7],
            first_at: None,
            last_at: None,
            delays: Sketch::default(),
            executions: Sketch::default(),
            over_lease: 0,
            near_lease: 0,
            late: Late::default(),
            numbers: Numbers::default(),
            keys: Keys::default(),
            payloads: Payloads::default(),
            slots: Slots::default(),
            series: Series::default(),
            tables: Tables::default(),
        }
    }

    /// As [`Tally::new`], with room for fewer keys.
    pub fn bounded(span: Span, terms: Terms, keys_max: usize) -> Tally {
        let mut tally = Tally::new(span, terms);
        tally.keys = Keys::bounded(keys_max, keys_max.saturating_mul(4));
        tally
    }

    /// Some of the attempts come from a log that has no keys.
    pub fn some_tell_no_keys(&mut self) {
        self.is_keyless = true;
    }

    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Counts a defect of something that became no entry.
    pub fn defect(&mut self, defect: Defect) {
        if let Some(count) = self.defects.get_mut(defect as usize) {
            *count += 1;
        }
    }

    pub fn add(&mut self, entry: &Entry<'_>) {
        if !self.span.holds(entry.at) {
            self.outside += 1;
            if entry.at >= self.span.to {
                self.defect(Defect::FromTheFuture);
            }
            return;
        }
        for defect in Defect::ALL {
            if entry.defects.has(defect) {
                self.defect(defect);
            }
        }
        let outcome = entry.outcome.known();
        let is_retry = entry.is_retry();
        self.entries += 1;
        self.keyed += u64::from(entry.key.is_some());
        self.has_fractions |= entry.at.rem_euclid(1_000) != 0;
        self.told += u64::from(is_retry.is_some());
        self.retries += u64::from(is_retry == Some(true));
        self.first_at = Some(self.first_at.map_or(entry.at, |first| first.min(entry.at)));
        self.last_at = self.last_at.max(Some(entry.at));
        self.sample(entry);
        self.outcome(entry.outcome);
        let named = self.named(entry);
        self.tables.add(&named, outcome, is_retry);
        let bin = self.span.bin(entry.at);
        self.series.add(bin, outcome, is_retry);
        self.times(entry, outcome, is_retry, bin);
        self.key(entry, outcome, is_retry, &named);
    }

    fn sample(&mut self, entry: &Entry<'_>) {
        self.stands_for += match entry.sample_rate {
            None => 1_000,
            Some(rate) => {
                self.sampled += 1;
                (1_000.0 / f64::from(rate)).round() as u64
            }
        };
    }

    fn outcome(&mut self, word: Word<'_>) {
        match word {
            Word::Known(outcome) => {
                if let Some(count) = self.outcomes.get_mut(outcome as usize) {
                    *count += 1;
                }
            }
            Word::Unknown(word) => self.word(word, 1),
        }
    }

    fn word(&mut self, word: &str, times: u64) {
        let end = word.floor_char_boundary(WORD_BYTES_MAX);
        let word = word.get(..end).unwrap_or("");
        if let Some(count) = self.words.get_mut(word) {
            *count += times;
        } else if self.words.len() < WORDS_MAX {
            self.words.insert(word.to_owned(), times);
        } else {
            self.other_words += times;
        }
    }

    fn named(&mut self, entry: &Entry<'_>) -> Named {
        let number = |names: &mut super::names::Names, name: Option<&str>| {
            name.map_or(REST, |name| names.number(name))
        };
        Named {
            operation: self.tables.operations.number(entry.endpoint),
            client: number(&mut self.tables.clients, entry.client),
            scope: number(&mut self.tables.scopes, entry.scope),
            instance: number(&mut self.tables.instances, entry.instance),
            status_class: entry.status.map_or(0, |status| (status / 100).min(99)),
        }
    }

    fn times(
        &mut self,
        entry: &Entry<'_>,
        outcome: Option<Outcome>,
        is_retry: Option<bool>,
        bin: usize,
    ) {
        if is_retry == Some(true)
            && let Some(since) = entry.since_first_ms
        {
            self.delays.add(since);
            if let Some(retention) = self.terms.retention_ms {
                self.late.told += 1;
                self.late.half += u64::from(since > retention / 2);
                self.late.nine_tenths += u64::from(since > retention / 10 * 9);
                self.late.after += u64::from(since > retention);
            }
        }
        if outcome.is_some_and(Outcome::is_execution)
            && let Some(took) = entry.duration_ms
        {
            self.executions.add(took);
            self.series.execution(bin, took);
            if let Some(lease) = self.terms.lease_ms {
                self.over_lease += u64::from(took > lease);
                self.near_lease += u64::from(took > lease / 10 * 8 && took <= lease);
            }
        }
    }

    fn key(
        &mut self,
        entry: &Entry<'_>,
        outcome: Option<Outcome>,
        is_retry: Option<bool>,
        named: &Named,
    ) {
        let key = entry.key.map(hash::of);
        let status = entry.status.unwrap_or(0);
        self.slots.add(&Hit {
            at: entry.at,
            operation: named.operation,
            client: named.client,
            key: key.map(|key| key as u32),
            is_retry: is_retry == Some(true),
            is_done: outcome.is_some_and(|outcome| super::findings::is_answer(outcome, status)),
            is_expired: outcome == Some(Outcome::ReexecExpired),
        });
        let Some(key) = key else { return };
        if let Some(number) = entry.number {
            self.numbers.add(number);
        }
        let since = entry
            .since_first_ms
            .and_then(|since| i64::try_from(since).ok());
        // An age counts from the stored first time: it may be off by the writer's own delay.
        let began = since.map(|since| entry.at.saturating_sub(since));
        self.numbers.begun_before += u64::from(began.is_some_and(|began| began < self.span.from));
        let fingerprint = entry.fingerprint.map(hash::of);
        self.keys.add(
            key,
            Try {
                at: entry.at,
                since: since_held(entry, is_retry),
                // 0 is for none.
                fingerprint: fingerprint.map_or(0, |print| (print as u32).max(1)),
                endpoint: named.operation,
                client: named.client,
                status,
                came_to: self.came_to(entry, outcome, is_retry),
                version: entry.fingerprint_version,
            },
        );
        let is_refused = outcome.is_some_and(|outcome| outcome.family() == Family::Refused);
        if let (Some(print), Some(scope), false) = (fingerprint, entry.scope, is_refused) {
            let payload = hash::both(hash::both(print, hash::of(scope)), hash::of(entry.endpoint));
            self.payloads.add(payload, key, entry.at);
        }
    }

    fn came_to(
        &self,
        entry: &Entry<'_>,
        outcome: Option<Outcome>,
        is_retry: Option<bool>,
    ) -> CameTo {
        let mut came_to = CameTo::new(outcome);
        if is_retry == Some(true) {
            came_to = came_to.of_retry();
        }
        let is_execution = outcome.is_some_and(Outcome::is_execution);
        match (is_execution, entry.duration_ms, self.terms.lease_ms) {
            (true, Some(took), Some(lease)) if took > lease => came_to.over_lease(),
            _ => came_to,
        }
    }

    /// Takes in a tally of the same window.
    pub fn merge(&mut self, other: &Tally) {
        self.entries += other.entries;
        self.outside += other.outside;
        self.keyed += other.keyed;
        self.is_keyless |= other.is_keyless;
        self.has_fractions |= other.has_fractions;
        self.told += other.told;
        self.retries += other.retries;
        self.sampled += other.sampled;
        self.stands_for += other.stands_for;
        for (count, more) in self.outcomes.iter_mut().zip(other.outcomes) {
            *count += more;
        }
        for (count, more) in self.defects.iter_mut().zip(other.defects) {
            *count += more;
        }
        other
            .words
            .iter()
            .for_each(|(word, times)| self.word(word, *times));
        self.other_words += other.other_words;
        self.first_at = match (self.first_at, other.first_at) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self.last_at = self.last_at.max(other.last_at);
        self.delays.merge(&other.delays);
        self.executions.merge(&other.executions);
        self.over_lease += other.over_lease;
        self.near_lease += other.near_lease;
        self.late.told += other.late.told;
        self.late.half += other.late.half;
        self.late.nine_tenths += other.late.nine_tenths;
        self.late.after += other.late.after;
        self.numbers.merge(&other.numbers);
        self.payloads.merge(&other.payloads);
        self.series.merge(&other.series);
        let (operations, clients) = self.tables.merge(&other.tables);
        self.slots.merge(&other.slots, |(operation, client)| {
            (operations.of(operation), clients.of(client))
        });
        self.keys.merge(&other.keys, |attempt| Try {
            endpoint: operations.of(attempt.endpoint),
            client: clients.of(attempt.client),
            ..*attempt
        });
    }
}
