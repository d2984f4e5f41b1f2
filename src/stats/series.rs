//! Attempts over time: 120 bins of a window, whatever its length.
//!
//! Invariant: the bins of one window lie where they lie, so that two tallies of it add up.

use super::sketch::Sketch;
use crate::domain::attempt::Outcome;

pub const BINS: usize = 120;
/// Points of a trend: ten bins each.
pub const TRENDS: usize = 12;

/// Attempts in one bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// In the order of `Family::ALL`, and words that are none.
    pub attempts: [u64; 7],
    /// Retries among them.
    pub retries: [u64; 7],
    /// Attempts with a key, of which it is known whether they are retries.
    pub told: u64,
    pub mismatches: u64,
}

impl Bin {
    pub fn all(&self) -> u64 {
        self.attempts.iter().sum()
    }

    pub fn all_retries(&self) -> u64 {
        self.retries.iter().sum()
    }

    pub fn merge(&mut self, other: &Bin) {
        let add = |counts: &mut [u64; 7], more: &[u64; 7]| {
            for (count, more) in counts.iter_mut().zip(more) {
                *count += more;
            }
        };
        add(&mut self.attempts, &other.attempts);
        add(&mut self.retries, &other.retries);
        self.told += other.told;
        self.mismatches += other.mismatches;
    }
}

#[derive(Clone, Debug)]
pub struct Series {
    pub bins: Box<[Bin; BINS]>,
    /// Execution times, by trend.
    pub executions: [Sketch; TRENDS],
}

impl Default for Series {
    fn default() -> Series {
        Series {
            bins: Box::new([Bin::default(); BINS]),
            executions: Default::default(),
        }
    }
}

impl Series {
    /// Adds one attempt at `place`, its bin.
    pub fn add(&mut self, place: usize, outcome: Option<Outcome>, is_retry: Option<bool>) {
        let Some(bin) = self.bins.get_mut(place) else {
            return;
        };
        let family = outcome.map_or(6, |outcome| outcome.family() as usize);
        if let Some(count) = bin.attempts.get_mut(family) {
            *count += 1;
        }
        bin.told += u64::from(is_retry.is_some());
        bin.mismatches += u64::from(outcome == Some(Outcome::Mismatch));
        if is_retry == Some(true)
            && let Some(count) = bin.retries.get_mut(family)
        {
            *count += 1;
        }
    }

    pub fn execution(&mut self, place: usize, ms: u64) {
        if let Some(sketch) = self.executions.get_mut(place / (BINS / TRENDS)) {
            sketch.add(ms);
        }
    }

    pub fn merge(&mut self, other: &Series) {
        for (bin, more) in self.bins.iter_mut().zip(other.bins.iter()) {
            bin.merge(more);
        }
        for (sketch, more) in self.executions.iter_mut().zip(&other.executions) {
            sketch.merge(more);
        }
    }
}
