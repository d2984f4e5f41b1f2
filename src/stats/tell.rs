//! Works out a report from a tally: each figure with what it rests on, or why there is none.
//!
//! Apart from `report`, which is only what there is to read.

use std::collections::HashMap;

use super::breakdown::{Dimension, Row};
use super::figure::{Basis, Figure, Why};
use super::findings::{Findings, findings};
use super::keys::AttemptsPerKey;
use super::report::{
    Breakdown, DelayFacts, LateShare, LeaseFacts, Mix, Place, Report, RetryRate, Times,
};
use super::series::BINS;
use super::sketch::Sketch;
use super::spikes::delay_bars;
use super::storms::{Storm, Weather, storms};
use super::tally::Tally;
use crate::domain::attempt::Outcome;

/// Lines of a breakdown that are told.
const LINES_MAX: usize = 100;

impl Tally {
    /// What it tells at the time `now`, which is not before the window's end, or within it.
    pub fn report(&self, now: i64) -> Report {
        let to = now.min(self.span.to);
        let whole = self.sampled == 0;
        let basis = match self.keys.is_exact() {
            true => Basis::LogKeys,
            false => Basis::LogSample(self.keys.factor()),
        };
        let found = findings(&self.keys, to);
        let held = self.keys.len() as u64;
        let storms = self.storms(to);
        Report {
            span: self.span,
            terms: self.terms,
            entries: self.entries,
            first_at: self.first_at,
            last_at: self.last_at,
            sampled: (self.sampled > 0).then_some((self.sampled, self.stands_for / 1_000)),
            defects: self.defects,
            storms_from: self.slots.from(),
            bins: self.series.bins.clone(),
            keyed_share: self.keyed_share(),
            retry_rate: self.retry_rate(storms.known()),
            attempts_per_key: self.attempts_per_key(basis).but_only_if(whole),
            outcomes: self.log(self.mix(), self.entries),
            first_retry_delay: self.delays(),
            retry_gap: self.gaps(basis),
            late_share: self.late_share(),
            execution_time: self.execution_time(),
            execution_p99s: std::array::from_fn(|at| {
                self.series
                    .executions
                    .get(at)
                    .and_then(|sketch| sketch.quantile(0.99))
            }),
            lease: self.lease_facts(),
            findings: match held {
                0 => Figure::none(self.no_keys(), basis),
                _ => Figure::of(scaled(found, self.keys.factor()), basis, held).but_only_if(whole),
            },
            false_mismatches: self.false_mismatches(&found, basis).but_only_if(whole),
            new_key_suspects: self.new_keys().but_only_if(whole),
            storms: storms.but_only_if(whole),
            breakdowns: Dimension::ALL
                .map(|dimension| self.breakdown(dimension))
                .into(),
            places: self.pairs(),
            breakdown_complete: whole && !self.tables.is_full(),
        }
    }

    /// Why there is nothing.
    fn no_keys(&self) -> Why {
        match self.entries {
            0 => Why::NothingLogged,
            _ => Why::NoKeys,
        }
    }

    fn keyed_share(&self) -> Figure<(u64, u64)> {
        match self.is_keyless {
            true => Figure::none(self.no_keys(), Basis::Log),
            false => self.log((self.keyed, self.entries), self.entries),
        }
    }

    /// A figure that every entry counts in.
    fn log<T>(&self, value: T, sample: u64) -> Figure<T> {
        match self.entries {
            0 => Figure::none(Why::NothingLogged, Basis::Log),
            _ => Figure::of(value, Basis::Log, sample).but_only_if(self.sampled == 0),
        }
    }

    fn storms(&self, to: i64) -> Figure<Vec<Storm>> {
        let weather = Weather {
            slots: &self.slots,
            keys: &self.keys,
            operations: &self.tables.operations,
            clients: &self.tables.clients,
            to,
            has_fractions: self.has_fractions,
        };
        let told = self.told;
        match (self.entries, told) {
            (0, _) => Figure::none(Why::NothingLogged, Basis::Log),
            (_, 0) => Figure::none(Why::NoNumbers, Basis::Log),
            _ => Figure::of(storms(&weather), Basis::Log, told)
                .but_only_if(self.slots.from().is_none() && self.keys.is_exact()),
        }
    }

    fn retry_rate(&self, storms: Option<&Vec<Storm>>) -> Figure<RetryRate> {
        if self.told == 0 {
            let why = if self.keyed == 0 {
                self.no_keys()
            } else {
                Why::NoNumbers
            };
            return Figure::none(why, Basis::LogNumbers);
        }
        let rate = RetryRate {
            retries: self.retries,
            of: self.told,
            usual: storms.and_then(|storms| self.usual(storms)),
        };
        Figure::of(rate, Basis::LogNumbers, self.told)
            .but_only_if(self.sampled == 0 && self.told == self.keyed)
    }

    /// The retry rate of the bins that no storm touches.
    fn usual(&self, storms: &[Storm]) -> Option<f64> {
        let (mut told, mut retries) = (0, 0);
        let width = self.span.len_ms() as f64 / BINS as f64;
        let mut has_storm = false;
        for (at, bin) in self.series.bins.iter().enumerate() {
            let from = self.span.from + (at as f64 * width) as i64;
            let to = from + width.ceil() as i64;
            let is_calm = |storm: &Storm| storm.to < from || storm.from > to;
            if storms.iter().all(is_calm) {
                told += bin.told;
                retries += bin.all_retries();
            } else {
                has_storm = true;
            }
        }
        (has_storm && told > 0).then(|| retries as f64 / told as f64)
    }

    fn attempts_per_key(&self, basis: Basis) -> Figure<AttemptsPerKey> {
        if self.keyed == 0 {
            return Figure::none(self.no_keys(), basis);
        }
        let all_numbered = self.numbers.counted == self.keyed && self.sampled == 0;
        let by_numbers = self.numbers.histogram().filter(|histogram| {
            // A counter that begins anew with the record counts records, not keys.
            all_numbered && (!self.keys.is_exact() || histogram.keys == self.keys.len() as u64)
        });
        match by_numbers {
            Some(histogram) => Figure::of(histogram, Basis::LogNumbers, self.keyed),
            None => Figure::of(
                AttemptsPerKey::of(&self.keys),
                basis,
                self.keys.len() as u64,
            ),
        }
    }

    fn mix(&self) -> Mix {
        let mut words: Vec<(String, u64)> = self
            .words
            .iter()
            .map(|(word, count)| (word.clone(), *count))
            .collect();
        words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Mix {
            known: self.outcomes,
            words,
            other_words: self.other_words,
        }
    }

    fn delays(&self) -> Figure<DelayFacts> {
        let Some(times) = Times::of(&self.delays) else {
            let why = if self.entries == 0 {
                Why::NothingLogged
            } else {
                Why::NoRetries
            };
            return Figure::none(why, Basis::Log);
        };
        let bars = delay_bars(&self.delays);
        Figure::of(DelayFacts { times, bars }, Basis::Log, self.delays.total())
            .but_only_if(self.sampled == 0 && self.delays.total() == self.retries)
    }

    /// From one attempt on a key to the next one.
    fn gaps(&self, basis: Basis) -> Figure<DelayFacts> {
        let mut gaps = Sketch::default();
        let mut held = 0;
        for (_, story) in self.keys.stories() {
            let next = story.tries().skip(1);
            for (one, next) in story.tries().zip(next) {
                gaps.add(u64::try_from(next.at.saturating_sub(one.at)).unwrap_or(0));
            }
            held += u64::from(story.attempts) - 1;
        }
        let Some(times) = Times::of(&gaps) else {
            let why = if self.entries == 0 {
                Why::NothingLogged
            } else {
                Why::NoRetries
            };
            return Figure::none(why, basis);
        };
        let mut bars = delay_bars(&gaps);
        if !self.has_fractions {
            // Between whole seconds all stand out.
            bars.iter_mut().for_each(|bar| bar.spike_ms = None);
        }
        Figure::of(DelayFacts { times, bars }, basis, gaps.total())
            .but_only_if(self.sampled == 0 && gaps.total() == held)
    }

    fn late_share(&self) -> Figure<LateShare> {
        if self.terms.retention_ms.is_none() {
            return Figure::none(Why::NoRetention, Basis::Log);
        }
        if self.entries == 0 {
            return Figure::none(Why::NothingLogged, Basis::Log);
        }
        let executed = self.mix().of(Outcome::ReexecExpired);
        let late = LateShare {
            late: self.late,
            executed,
        };
        Figure::of(late, Basis::Log, self.late.told)
            .but_only_if(self.sampled == 0 && self.late.told == self.retries)
    }

    fn executed(&self) -> u64 {
        let of = Outcome::ALL
            .into_iter()
            .filter(|outcome| outcome.is_execution());
        of.map(|outcome| self.outcomes.get(outcome as usize).copied().unwrap_or(0))
            .sum()
    }

    fn execution_time(&self) -> Figure<Times> {
        match Times::of(&self.executions) {
            Some(times) => Figure::of(times, Basis::Log, self.executions.total())
                .but_only_if(self.sampled == 0 && self.executions.total() == self.executed()),
            None if self.entries == 0 => Figure::none(Why::NothingLogged, Basis::Log),
            None => Figure::none(Why::NoDurations, Basis::Log),
        }
    }

    fn lease_facts(&self) -> Figure<LeaseFacts> {
        if self.terms.lease_ms.is_none() {
            return Figure::none(Why::NoLease, Basis::Log);
        }
        let mix = self.mix();
        let facts = LeaseFacts {
            over: self.over_lease,
            near: self.near_lease,
            taken_over: mix.of(Outcome::TakenOver),
            stale_owners: mix.of(Outcome::StaleOwner),
        };
        match self.executions.total() {
            0 if self.entries == 0 => Figure::none(Why::NothingLogged, Basis::Log),
            0 => Figure::none(Why::NoDurations, Basis::Log),
            total => Figure::of(facts, Basis::Log, total)
                .but_only_if(self.sampled == 0 && total == self.executed()),
        }
    }

    fn false_mismatches(&self, found: &Findings, basis: Basis) -> Figure<u64> {
        match (self.entries, found.mismatches, found.mismatches_told) {
            (0, _, _) => Figure::none(Why::NothingLogged, basis),
            (_, 0, _) => Figure::of(0, basis, 0),
            (_, _, 0) => Figure::none(Why::NoFingerprints, basis),
            (_, all, told) => {
                let count = found.false_mismatches.saturating_mul(self.keys.factor());
                Figure::of(count, basis, told).but_only_if(all == told)
            }
        }
    }

    fn new_keys(&self) -> Figure<u64> {
        let basis = match self.payloads.level {
            0 => Basis::LogKeys,
            _ => Basis::LogSample(self.payloads.factor()),
        };
        match (self.entries, self.payloads.told) {
            (0, _) => Figure::none(Why::NothingLogged, basis),
            (_, 0) => Figure::none(Why::NoFingerprints, basis),
            (_, told) => {
                let suspects = self.payloads.suspects();
                Figure::of(suspects.saturating_mul(self.payloads.factor()), basis, told)
            }
        }
    }

    fn breakdown(&self, dimension: Dimension) -> Breakdown {
        let names = |number: u16| match dimension {
            Dimension::Operation => self.tables.operations.name(number).cloned(),
            Dimension::Client => self.tables.clients.name(number).cloned(),
            Dimension::Scope => self.tables.scopes.name(number).cloned(),
            Dimension::Instance => self.tables.instances.name(number).cloned(),
            Dimension::StatusClass if number == 0 => None,
            Dimension::StatusClass => Some(format!("{number}xx").into()),
        };
        let (rows, rest) = self.tables.rows(dimension);
        let mut places: Vec<Place> = rows
            .map(|(number, row)| Place {
                name: names(number),
                client: None,
                row: *row,
                keys: None,
            })
            .collect();
        let others = cut(&mut places, *rest);
        Breakdown {
            dimension,
            places,
            others,
        }
    }

    fn pairs(&self) -> Vec<Place> {
        let mut keys: HashMap<(u16, u16), u64> = HashMap::new();
        for (_, story) in self.keys.stories() {
            let first = story.first();
            *keys.entry((first.endpoint, first.client)).or_default() += 1;
        }
        let mut places: Vec<Place> = self
            .tables
            .pairs
            .iter()
            .map(|(pair, row)| Place {
                name: self.tables.operations.name(pair.0).cloned(),
                client: self.tables.clients.name(pair.1).cloned(),
                row: *row,
                keys: self
                    .keys
                    .is_exact()
                    .then(|| keys.get(pair).copied().unwrap_or(0)),
            })
            .collect();
        cut(&mut places, Row::default());
        places
    }
}

/// Sorts by attempts and keeps the most frequent; the sum of the others.
fn cut(places: &mut Vec<Place>, mut others: Row) -> Row {
    let by = |place: &Place| {
        (
            std::cmp::Reverse(place.row.attempts),
            place.name.clone(),
            place.client.clone(),
        )
    };
    places.sort_by_key(by);
    for place in places.iter().skip(LINES_MAX) {
        others.merge(&place.row);
    }
    places.truncate(LINES_MAX);
    others
}

fn scaled(found: Findings, factor: u64) -> Findings {
    let times = |count: u64| count.saturating_mul(factor);
    Findings {
        abandoned: times(found.abandoned),
        false_mismatches: times(found.false_mismatches),
        mismatches_told: times(found.mismatches_told),
        mismatches: times(found.mismatches),
        several_operations: times(found.several_operations),
        executed_again: times(found.executed_again),
        looked_at: times(found.looked_at),
    }
}
