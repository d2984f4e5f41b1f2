//! From the first attempt to a retry, as bars of a logarithmic scale, and the spikes among them.
//!
//! A spike is a span at which far more retries come than a little before and after it: clients that
//! wait without jitter, or a proxy that gives up.

use super::sketch::Sketch;

/// Bars from 10 ms to 7 days.
pub const DELAY_BARS: usize = 32;
const FROM_MS: f64 = 10.0;
const TO_MS: f64 = 604_800_000.0;
/// How many times more than its neighbours a spike has, and how many at least.
const TIMES: u64 = 4;
const SHARE_LEAST: u64 = 100;
const LEAST: u64 = 5;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DelayBar {
    pub from_ms: u64,
    pub count: u64,
    /// The span of the spike in it.
    pub spike_ms: Option<u64>,
}

/// Where a span stands on the scale, from 0 to 1.
pub fn delay_place(ms: u64) -> f64 {
    let share = (ms as f64 / FROM_MS).ln() / (TO_MS / FROM_MS).ln();
    share.clamp(0.0, 1.0)
}

/// The bars; what is shorter or longer stands in the first and the last.
pub fn delay_bars(sketch: &Sketch) -> Vec<DelayBar> {
    let mut bars: Vec<DelayBar> = (0..DELAY_BARS)
        .map(|at| DelayBar {
            from_ms: delay_bounds(at).0,
            ..DelayBar::default()
        })
        .collect();
    let mut highest = [0; DELAY_BARS];
    let spikes = spikes(sketch);
    let zeros = sketch.total() - sketch.buckets().map(|(_, count)| count).sum::<u64>();
    for (middle, count) in sketch.buckets().chain([(0, zeros)]) {
        let at = bar_of(middle);
        let (Some(bar), Some(highest)) = (bars.get_mut(at), highest.get_mut(at)) else {
            continue;
        };
        bar.count += count;
        if count > *highest
            && let Some((_, named)) = spikes.iter().find(|(at, _)| *at == middle)
        {
            *highest = count;
            bar.spike_ms = Some(*named);
        }
    }
    bars
}

fn bar_of(middle: u64) -> usize {
    ((delay_place(middle) * DELAY_BARS as f64) as usize).min(DELAY_BARS - 1)
}

/// From where on a bar counts, and where the next one begins.
pub fn delay_bounds(bar: usize) -> (u64, u64) {
    let ratio = (TO_MS / FROM_MS).powf(1.0 / DELAY_BARS as f64);
    let begin = |bar: usize| (FROM_MS * ratio.powi(i32::try_from(bar).unwrap_or(0))).round() as u64;
    (begin(bar), begin(bar + 1))
}

/// The bar that a span is counted in.
pub fn delay_bar(ms: u64) -> usize {
    bar_of(super::sketch::rounded(ms))
}

/// The middles of buckets that stand out, each with the round span nearest to it.
fn spikes(sketch: &Sketch) -> Vec<(u64, u64)> {
    let least = (sketch.total() / SHARE_LEAST).max(LEAST);
    let mut found: Vec<(u64, u64, u64)> = Vec::new();
    for (middle, count) in sketch.buckets().filter(|(_, count)| *count * 3 >= least) {
        // Waiting is never quite exact: a spike is some percent wide.
        let near = sketch.between(middle - middle / 25, middle + middle / 15);
        let around = sketch.between(middle - middle / 4, middle + middle * 2 / 5);
        let beside = around - near;
        // What lies beside it is four times as wide.
        if near < least || near * TIMES * 2 < beside * 3 || middle < FROM_MS as u64 {
            continue;
        }
        match found.last_mut() {
            Some(last) if middle - last.0 <= middle / 5 => {
                if count > last.2 {
                    *last = (middle, rounded(middle), count);
                }
            }
            _ => found.push((middle, rounded(middle), count)),
        }
    }
    found
        .into_iter()
        .map(|(middle, named, _)| (middle, named))
        .collect()
}

/// The span that a person would have set: the nearest of those that people set, or two digits.
fn rounded(ms: u64) -> u64 {
    const SET: [u64; 36] = [
        10, 20, 25, 50, 100, 150, 200, 250, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000,
        5_000, 8_000, 10_000, 15_000, 16_000, 20_000, 30_000, 32_000, 45_000, 60_000, 90_000,
        120_000, 180_000, 300_000, 600_000, 900_000, 1_800_000, 3_600_000, 86_400_000,
    ];
    let nearest = SET.iter().min_by_key(|set| set.abs_diff(ms)).copied();
    match nearest {
        // Who waits a second answers a little after it.
        Some(set) if set.abs_diff(ms) * 100 <= set * 8 => set,
        _ => {
            let unit = 10_u64.pow(ms.max(1).ilog10().saturating_sub(1));
            (ms + unit / 2) / unit * unit
        }
    }
}
