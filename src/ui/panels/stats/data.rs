//! What the stats view says: the sentence, the tiles, what is worth a look.

mod seen;
mod table;
#[cfg(test)]
mod tests;
mod tiles;

pub use seen::seen;
pub use table::{TableLine, table};
pub use tiles::{Tile, tiles};

use crate::app::State;
use crate::app::view::{
    self, Figure, Mark, Storm, StormKind, Told, Worth, WorthKind, stats_told, stats_words,
};
use crate::domain::Timestamp;
use crate::domain::attempt::Family;
use crate::present::clock;
use crate::present::count;
use crate::present::say::say;
pub use crate::present::span::short as wide;

/// Where a figure leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Lead {
    /// To the records of the keys that were counted.
    Keys(Mark),
    /// To the records that a filter lets through.
    Filter(String),
    Locks,
}

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

fn why<T>(told: &Told, figure: &Figure<T>) -> String {
    let because = figure.value.as_ref().err();
    because.map_or(String::new(), |because| told.why(*because))
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
        word: stats_words::family(family),
        count,
        share: count::share(count, all).unwrap_or_default(),
        part: count as f32 / most as f32,
    };
    counts.into_iter().map(line).collect()
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
        WorthKind::LeaseTooShort => say!("stats-worth-lease", count = count),
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

/// The same over a bar: `1s`, `30s`.
pub fn narrow(ms: u64) -> String {
    wide(ms).replace(' ', "")
}

pub fn worth(state: &State) -> Vec<Worth> {
    view::stats_worth(state)
}
