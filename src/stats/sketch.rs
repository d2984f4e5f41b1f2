//! Quantiles of many spans in a fixed room, each within one percent of the true one.
//!
//! Spans fall into buckets that are each 2 % wider than the one before, so that the middle of a
//! bucket is off by at most 1 %. Invariant: adding and merging commute, since a sketch is counts.

/// How much wider each bucket is.
const WIDER: f64 = 1.02;
/// Spans from 1 ms to about two years.
const BUCKETS: usize = 1_270;

/// Counts of spans in milliseconds.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Empty until the first span comes.
    counts: Vec<u64>,
    zero: u64,
    total: u64,
    most: u64,
}

impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sketch")
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

fn bucket_of(ms: u64) -> usize {
    // `ln` of a span of at least 1 ms is not negative.
    let at = (ms as f64).ln() / WIDER.ln();
    (at as usize).min(BUCKETS - 1)
}

/// A bucket that is narrower than a millisecond holds one span only.
fn middle(at: usize) -> u64 {
    let low = WIDER.powi(i32::try_from(at).unwrap_or(i32::MAX));
    let high = low * WIDER;
    let only = low.ceil();
    let middle = match only + 1.0 >= high {
        true => only,
        // The mean of the two ends that is off by the same share of each.
        false => (2.0 * low * high / (low + high)).round(),
    };
    middle as u64
}

/// A span as a sketch tells it.
pub fn rounded(ms: u64) -> u64 {
    match ms {
        0 => 0,
        ms => middle(bucket_of(ms)),
    }
}

impl Sketch {
    pub fn add(&mut self, ms: u64) {
        self.add_many(ms, 1);
    }

    pub fn add_many(&mut self, ms: u64, times: u64) {
        self.total += times;
        self.most = self.most.max(ms);
        if ms == 0 {
            self.zero += times;
            return;
        }
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS];
        }
        if let Some(count) = self.counts.get_mut(bucket_of(ms)) {
            *count += times;
        }
    }

    pub fn merge(&mut self, other: &Sketch) {
        self.total += other.total;
        self.zero += other.zero;
        self.most = self.most.max(other.most);
        if self.counts.is_empty() {
            self.counts.clone_from(&other.counts);
            return;
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn most(&self) -> u64 {
        self.most
    }

    /// The span that a share of all spans, from 0 to 1, does not exceed; within 1 %.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        if self.total == 0 {
            return None;
        }
        let rank = ((self.total - 1) as f64 * share.clamp(0.0, 1.0)).round() as u64;
        let mut seen = self.zero;
        if rank < seen {
            return Some(0);
        }
        for (at, count) in self.counts.iter().enumerate() {
            seen += count;
            if rank < seen {
                return Some(self.middle(at));
            }
        }
        Some(self.most)
    }

    fn middle(&self, at: usize) -> u64 {
        middle(at).min(self.most)
    }

    /// How many spans lie between two, both included; a bucket counts where its middle lies.
    pub fn between(&self, from_ms: u64, to_ms: u64) -> u64 {
        let zero = if from_ms == 0 { self.zero } else { 0 };
        self.buckets()
            .filter(|(middle, _)| (from_ms..=to_ms).contains(middle))
            .map(|(_, count)| count)
            .sum::<u64>()
            + zero
    }

    /// The buckets that hold something: their middle and how many.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let all = self.counts.iter().enumerate();
        all.filter(|(_, count)| **count > 0)
            .map(|(at, count)| (self.middle(at), *count))
    }
}
