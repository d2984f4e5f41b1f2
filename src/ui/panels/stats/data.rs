//! What the stats view says: the sentence, the tiles, what is worth a look.

use crate::app::State;
use crate::app::view::Told;
use crate::app::view::{
    self, BINS, Basis, Bin, Figure, Storm, StormKind, TRENDS, Why, Worth, WorthKind, stats_told,
    stats_words,
};
use crate::domain::attempt::Family;
use crate::domain::{Duration, Timestamp};
use crate::present::clock;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::present::span;

/// What is shown in place of figures where there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatsBody {
    /// They are on their way.
    Waiting,
    NoLog,
    /// A log without attempts in this window.
    Nothing,
    /// In words.
    Failed(String),
    Figures,
}

pub fn body(state: &State) -> StatsBody {
    let Some(told) = stats_told(state) else {
        return match state.stats.told.failure() {
            Some(failure) => StatsBody::Failed(failure.text.clone()),
            None => StatsBody::Waiting,
        };
    };
    match told.report.entries {
        0 if told.logs.places.is_empty() => StatsBody::NoLog,
        0 => StatsBody::Nothing,
        _ => StatsBody::Figures,
    }
}

/// The answer in one sentence, and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub sentence: String,
    pub detail: String,
}

pub fn head(state: &State, told: &Told) -> Head {
    let report = &told.report;
    let again = report
        .outcomes
        .known()
        .map_or(0, |mix| mix.of_family(Family::Repeated));
    let Some(rate) = report.retry_rate.known() else {
        return Head {
            sentence: say!("stats-attempts", count = report.entries),
            detail: why(told, &report.retry_rate),
        };
    };
    let storm = heaviest(told);
    let more = rate
        .usual
        .filter(|usual| *usual > 0.0)
        .map(|usual| rate.rate() / usual);
    let sentence = match (storm, more) {
        (Some(_), Some(more)) if more >= 1.2 => {
            let times = format!("{more:.1}");
            match again {
                0 => say!("stats-more-than-usual", times = times),
                again => say!("stats-more-and-again", times = times, count = again),
            }
        }
        (Some(storm), _) => say!("stats-storm-of", count = storm.retries),
        (None, _) => {
            let rate = percent(rate.rate());
            match again {
                0 => say!("stats-rate-none-again", rate = rate),
                again => say!("stats-rate-and-again", rate = rate, count = again),
            }
        }
    };
    Head {
        sentence,
        detail: match storm {
            Some(storm) => storm_detail(state, told, storm),
            None => say!("stats-no-storm", count = report.entries),
        },
    }
}

/// The storm on an operation with the most retries.
fn heaviest(told: &Told) -> Option<&Storm> {
    let storms = told.report.storms.known()?.iter();
    let storms = storms.filter(|storm| storm.kind == StormKind::Operation);
    storms.max_by_key(|storm| storm.retries)
}

fn storm_detail(state: &State, told: &Told, storm: &Storm) -> String {
    let at = minute(state, storm.from);
    let operation = storm.operation.as_deref().unwrap_or("–").to_owned();
    let client = storm.client.as_deref().unwrap_or("–").to_owned();
    let mut sentences = vec![say!(
        "stats-storm-since",
        time = at,
        operation = operation,
        client = client
    )];
    let delays = told.report.first_retry_delay.known();
    let spikes = delays.iter().flat_map(|delay| &delay.bars);
    let spikes: Vec<String> = spikes
        .filter_map(|bar| bar.spike_ms)
        .map(wide)
        .take(3)
        .collect();
    match (storm.synchrony, spikes.is_empty()) {
        (Some(share), false) if share > 0.5 => {
            sentences.push(say!("stats-no-jitter-at", spans = spikes.join(", ")));
        }
        (Some(share), true) if share > 0.5 => sentences.push(say!("stats-no-jitter")),
        (_, false) => sentences.push(say!("stats-spikes-at", spans = spikes.join(", "))),
        _ => {}
    }
    sentences.push(match storm.ending.name() {
        "success" => say!("stats-storm-success"),
        "expiry" => say!("stats-storm-expiry"),
        "given_up" => say!("stats-storm-given-up"),
        _ => say!("stats-storm-goes-on"),
    });
    sentences.join(" ")
}

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
    }
    tile
}

fn lock_tile(state: &State) -> Tile {
    let mut tile = Tile {
        title: say!("stats-oldest-lock"),
        value: "–".to_owned(),
        source: stats_words::basis(Basis::Records),
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
        tile.trend = scaled(points.map(|point| point.map(|ms| ms as f64)));
    }
    tile
}

fn mismatch_tile(told: &Told) -> Tile {
    let figure = &told.report.outcomes;
    let mut tile = tile(say!("stats-mismatches"), told, figure);
    if let Some(mix) = figure.known() {
        let mismatches = mix.of(crate::domain::attempt::Outcome::Mismatch);
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

fn why<T>(told: &Told, figure: &Figure<T>) -> String {
    let because = figure.value.as_ref().err();
    because.map_or(String::new(), |because| told.why(*because))
}

fn sum(bins: &[Bin], of: impl Fn(&Bin) -> u64) -> u64 {
    bins.iter().map(of).sum()
}

fn ratio(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// A value for each tenth of the window.
fn trend(told: &Told, of: impl Fn(&[Bin]) -> Option<f64>) -> Vec<f32> {
    let mut points = [None; TRENDS];
    let parts = told.report.bins.chunks(BINS / TRENDS);
    for (point, bins) in points.iter_mut().zip(parts) {
        *point = of(bins);
    }
    scaled(points)
}

/// Points from 0 to 1; those that are not known are left out.
fn scaled(points: [Option<f64>; TRENDS]) -> Vec<f32> {
    let most = points.iter().flatten().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Vec::new();
    }
    points
        .iter()
        .flatten()
        .map(|point| (point / most) as f32)
        .collect()
}

/// One family of outcomes, or the words that are none.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeLine {
    pub family: Option<Family>,
    pub word: String,
    pub count: u64,
    pub share: String,
    /// Of the most frequent.
    pub part: f32,
}

pub fn outcomes(told: &Told) -> Vec<OutcomeLine> {
    let Some(mix) = told.report.outcomes.known() else {
        return Vec::new();
    };
    let all = told.report.entries;
    let known = Family::ALL.map(|family| (Some(family), mix.of_family(family)));
    let unknown = (mix.unknown() > 0).then(|| (None, mix.unknown()));
    let counts: Vec<_> = known.into_iter().chain(unknown).collect();
    let most = counts
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(0)
        .max(1);
    let line = |(family, count): (Option<Family>, u64)| OutcomeLine {
        family,
        word: family_word(family),
        count,
        share: count::share(count, all).unwrap_or_default(),
        part: count as f32 / most as f32,
    };
    counts.into_iter().map(line).collect()
}

pub fn family_word(family: Option<Family>) -> String {
    match family {
        Some(Family::Executed) => say!("stats-family-executed"),
        Some(Family::Replayed) => say!("stats-family-replayed"),
        Some(Family::InProgress) => say!("stats-family-in-progress"),
        Some(Family::Refused) => say!("stats-family-refused"),
        Some(Family::Repeated) => say!("stats-family-repeated"),
        Some(Family::Store) => say!("stats-family-store"),
        None => say!("stats-family-unknown"),
    }
}

/// A line of what is worth a look.
pub fn worth_words(worth: &Worth) -> String {
    let count = worth.count;
    match worth.kind {
        WorthKind::FalseMismatches => say!("stats-worth-mismatches", count = count),
        WorthKind::NewKeys => say!("stats-worth-new-keys", count = count),
        WorthKind::AfterExpiry => say!("stats-worth-expired", count = count),
        WorthKind::Abandoned => say!("stats-worth-abandoned", count = count),
        WorthKind::SeveralOperations => say!("stats-worth-several", count = count),
        WorthKind::OverLease => say!("stats-worth-lease", count = count),
    }
}

/// Where the log is, and whether it was read whole.
pub fn source(told: &Told) -> String {
    let names: Vec<String> = told.logs.places.iter().map(|place| place.name()).collect();
    let name = names.join(", ");
    match told.complete && told.report.sampled.is_none() {
        true => say!("stats-source-whole", name = name),
        false => say!("stats-source-partly", name = name),
    }
}

pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `12:41`.
pub fn minute(state: &State, ms: i64) -> String {
    let text = second(state, ms);
    let end = text.rfind(':').unwrap_or(text.len());
    text.get(..end).unwrap_or(&text).to_owned()
}

/// `12:41:10`, by the store's clock.
pub fn second(state: &State, ms: i64) -> String {
    clock::time_of_day(Timestamp(ms), state.now(), state.clock.offset)
}

/// `40 ms`, `4.8 s`, `3 min`.
pub fn wide(ms: u64) -> String {
    let short = |value: f64| {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    match ms {
        0..1_000 => say!("stats-ms", count = ms),
        1_000..60_000 => say!("stats-secs", secs = short(ms as f64 / 1_000.0)),
        _ => span::sentence(Duration(i64::try_from(ms).unwrap_or(i64::MAX))),
    }
}

/// The same over a bar: `1s`, `30s`.
pub fn narrow(ms: u64) -> String {
    wide(ms).replace(' ', "")
}

pub fn worth(state: &State) -> Vec<Worth> {
    view::stats_worth(state)
}
