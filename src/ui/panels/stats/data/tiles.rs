//! The six tiles: a figure, what is usual, its source, its trend.

use super::{Lead, heaviest, percent, wide};
use crate::app::State;
use crate::app::view::{BINS, Basis, Bin, Figure, Mark, TRENDS, Told, Why, stats_words};
use crate::domain::attempt::{Family, Outcome};
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::present::span;

/// A figure in a tile, with its trend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    pub title: String,
    pub value: String,
    pub unit: String,
    pub below: String,
    pub source: String,
    /// From 0 to 1, oldest first.
    pub trend: Vec<f32>,
    pub is_news: bool,
    pub lead: Option<Lead>,
}

pub fn tiles(state: &State, told: &Told) -> Vec<Tile> {
    let is_stormy = heaviest(told).is_some();
    vec![
        retry_tile(told, is_stormy),
        per_key_tile(told),
        again_tile(told, is_stormy),
        lock_tile(state),
        execution_tile(told),
        mismatch_tile(told),
    ]
}

/// The bar of the keys with the most attempts.
fn highest_bar(told: &Told) -> Option<usize> {
    let bins = told.report.attempts_per_key.known()?.bins;
    bins.iter().rposition(|keys| *keys > 0)
}

fn retry_tile(told: &Told, is_news: bool) -> Tile {
    let figure = &told.report.retry_rate;
    let mut tile = tile(say!("stats-retry-rate"), told, figure);
    if let Some(rate) = figure.known() {
        tile.value = format!("{:.1}", rate.rate() * 100.0);
        tile.unit = "%".to_owned();
        tile.below = match rate.usual {
            Some(usual) => say!("stats-usually", rate = percent(usual)),
            None => say!("stats-of", part = rate.retries, count = rate.of),
        };
        tile.trend = trend(told, |bins| {
            ratio(sum(bins, Bin::all_retries), sum(bins, |bin| bin.told))
        });
    }
    tile.lead = figure.known().map(|_| Lead::Keys(Mark::Retried));
    Tile { is_news, ..tile }
}

fn per_key_tile(told: &Told) -> Tile {
    let figure = &told.report.attempts_per_key;
    let mut tile = tile(say!("stats-per-key"), told, figure);
    if let Some(per_key) = figure.known() {
        tile.value = format!("{:.2}", per_key.mean);
        tile.below = say!("stats-highest", count = per_key.highest);
        tile.trend = trend(told, |bins| {
            let (told, retries) = (sum(bins, |bin| bin.told), sum(bins, Bin::all_retries));
            ratio(told, told.saturating_sub(retries))
        });
    }
    tile.lead = highest_bar(told).map(|bar| Lead::Keys(Mark::Attempts(bar)));
    tile
}

fn again_tile(told: &Told, is_news: bool) -> Tile {
    let figure = &told.report.outcomes;
    let mut tile = tile(say!("stats-again"), told, figure);
    if let Some(mix) = figure.known() {
        let again = mix.of_family(Family::Repeated);
        tile.value = count::grouped(again, Font::Mono);
        tile.below = say!("stats-of-attempts", count = told.report.entries);
        let repeated = Family::Repeated as usize;
        tile.trend = trend(told, |bins| {
            Some(sum(bins, |bin| bin.attempts.get(repeated).copied().unwrap_or(0)) as f64)
        });
        tile.is_news = is_news && again > 0;
        let mark = Mark::Family(Some(Family::Repeated));
        tile.lead = (again > 0).then_some(Lead::Keys(mark));
    }
    tile
}

fn lock_tile(state: &State) -> Tile {
    let mut tile = Tile {
        title: say!("stats-oldest-lock"),
        value: "–".to_owned(),
        source: stats_words::basis(Basis::Records),
        lead: Some(Lead::Locks),
        ..Tile::default()
    };
    let Some(page) = &state.keys.page else {
        tile.below = say!("stats-why-not-asked");
        return tile;
    };
    let all = &page.all;
    match all.oldest_lock {
        Some(age) => {
            tile.value = span::sentence(age);
            tile.below = say!("stats-past-lease", count = all.stuck);
            tile.is_news = all.stuck > 0;
        }
        None if all.locked == 0 => tile.below = say!("locks-nothing-holds"),
        None => tile.below = stats_words::why(Why::NoLocks),
    }
    let ages = state
        .stats
        .locks
        .ages()
        .map(|age| age.millis().max(0) as f64);
    tile.trend = scaled(ages.map(Some));
    tile
}

fn execution_tile(told: &Told) -> Tile {
    let figure = &told.report.execution_time;
    let mut tile = tile(say!("stats-execution"), told, figure);
    if let Some(times) = figure.known() {
        let text = wide(times.p99);
        let (value, unit) = text.split_once(' ').unwrap_or((&text, ""));
        tile.value = value.to_owned();
        tile.unit = unit.to_owned();
        tile.below = match told.report.terms.lease_ms {
            Some(lease) => say!("stats-lease-of", lease = wide(lease)),
            None => say!("stats-lease-unknown"),
        };
        let points = told.report.execution_p99s;
        tile.trend = scaled(points.into_iter().map(|point| point.map(|ms| ms as f64)));
    }
    let suspects = told.report.lease.known();
    let suspects = suspects.map_or(0, |lease| {
        lease.over + lease.taken_over + lease.stale_owners
    });
    tile.lead = (suspects > 0).then_some(Lead::Keys(Mark::LeaseTooShort));
    tile
}

fn mismatch_tile(told: &Told) -> Tile {
    let figure = &told.report.outcomes;
    let mut tile = tile(say!("stats-mismatches"), told, figure);
    if let Some(mix) = figure.known() {
        let mismatches = mix.of(Outcome::Mismatch);
        let share = ratio(mismatches, told.report.entries).unwrap_or(0.0);
        tile.value = format!("{:.1}", share * 100.0);
        tile.unit = "%".to_owned();
        tile.below = match told.report.false_mismatches.known() {
            Some(equal) if *equal > 0 => say!("stats-equal-payloads", count = *equal),
            _ => say!("stats-of", part = mismatches, count = told.report.entries),
        };
        tile.trend = trend(told, |bins| {
            ratio(sum(bins, |bin| bin.mismatches), sum(bins, Bin::all))
        });
        tile.lead = (mismatches > 0).then_some(Lead::Keys(Mark::Mismatches));
    }
    tile
}

fn tile<T>(title: String, told: &Told, figure: &Figure<T>) -> Tile {
    Tile {
        title,
        value: "–".to_owned(),
        below: figure
            .value
            .as_ref()
            .err()
            .map_or(String::new(), |because| told.why(*because)),
        source: stats_words::basis(figure.basis),
        ..Tile::default()
    }
}

fn sum(bins: &[Bin], of: impl Fn(&Bin) -> u64) -> u64 {
    bins.iter().map(of).sum()
}

fn ratio(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// A value for each tenth of the window.
fn trend(told: &Told, of: impl Fn(&[Bin]) -> Option<f64>) -> Vec<f32> {
    scaled(told.report.bins.chunks(BINS / TRENDS).map(of))
}

/// Points from 0 to 1; those that are not known are left out.
fn scaled(points: impl Iterator<Item = Option<f64>>) -> Vec<f32> {
    let points: Vec<f64> = points.flatten().collect();
    let most = points.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    let part = |point: &f64| (point / most) as f32;
    points.iter().map(part).collect()
}
