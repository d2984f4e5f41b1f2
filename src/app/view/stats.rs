//! What the stats view needs of other areas, as plain values.

use crate::app::state::{State, StatsBy};
pub use crate::inspect::retries::Told;
pub use crate::inspect::retries::looks::Looks;
pub use crate::inspect::retries::words as stats_words;
use crate::present::say::say;
pub use crate::stats::{
    BINS, Basis, Bin, DelayBar, DelayFacts, Dimension, Figure, Findings, Mark, Place as StatsPlace,
    Row as StatsRow, Storm, StormKind, TRENDS, Times, Why, delay_place,
};

/// Something that is worth a look: how many, what, and what leads to the records.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth {
    pub count: u64,
    pub kind: WorthKind,
    pub mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorthKind {
    FalseMismatches,
    NewKeys,
    AfterExpiry,
    Abandoned,
    SeveralOperations,
    LeaseTooShort,
}

/// What was told, where anything was.
pub fn stats_told(state: &State) -> Option<&Told> {
    state.stats.told.value().map(|told| &**told)
}

/// What was told, with what the window knows of the records.
pub fn told_whole(state: &State) -> Option<Told> {
    let mut told = stats_told(state)?.clone();
    told.beside.looked(&state.stats.looks);
    if let Some(page) = &state.keys.page {
        let is_whole = page.findings_of.is_some();
        told.beside.records(&page.snapshot, &page.all, is_whole);
    }
    Some(told)
}

/// What is worth a look, where there is something.
pub fn stats_worth(state: &State) -> Vec<Worth> {
    let Some(told) = stats_told(state) else {
        return Vec::new();
    };
    let report = &told.report;
    let found = report.findings.known().copied().unwrap_or_default();
    let late = report
        .late_share
        .known()
        .map_or(0, |share| share.late.after.max(share.executed));
    let lease = report.lease.known();
    let lease = lease.map(|lease| lease.over + lease.taken_over + lease.stale_owners);
    let lines = [
        (
            WorthKind::FalseMismatches,
            report.false_mismatches.known().copied(),
            Mark::FalseMismatches,
        ),
        (
            WorthKind::NewKeys,
            report.new_key_suspects.known().copied(),
            Mark::NewKeys,
        ),
        (WorthKind::AfterExpiry, Some(late), Mark::AfterExpiry),
        (WorthKind::Abandoned, Some(found.abandoned), Mark::Abandoned),
        (
            WorthKind::SeveralOperations,
            Some(found.several_operations),
            Mark::SeveralOperations,
        ),
        (WorthKind::LeaseTooShort, lease, Mark::LeaseTooShort),
    ];
    let lines = lines.into_iter().filter_map(|(kind, count, mark)| {
        let count = count.filter(|count| *count > 0)?;
        Some(Worth { count, kind, mark })
    });
    lines.collect()
}

/// What so many keys have in common that were counted somewhere.
pub fn mark_words(state: &State, mark: &Mark, count: u64) -> String {
    let time = |at: i64| {
        let at = crate::domain::Timestamp(at);
        crate::present::clock::time_of_day(at, state.now(), state.clock.offset)
    };
    let name = |name: &Option<std::sync::Arc<str>>| {
        let name = name.as_deref().unwrap_or("–");
        crate::present::escape::shown(name, 60)
    };
    let what = match mark {
        Mark::Retried => say!("stats-list-retried"),
        Mark::Mismatches => say!("stats-list-mismatches"),
        Mark::FalseMismatches => say!("stats-list-false-mismatches"),
        Mark::NewKeys => say!("stats-list-new-keys"),
        Mark::AfterExpiry => say!("stats-list-after-expiry"),
        Mark::Abandoned => say!("stats-list-abandoned"),
        Mark::SeveralOperations => say!("stats-list-several"),
        Mark::LeaseTooShort => say!("stats-list-lease"),
        Mark::Family(family) => say!(
            "stats-list-family",
            outcome = stats_words::family(*family).to_lowercase()
        ),
        Mark::Attempts(bin) => say!("stats-list-attempts", attempts = attempts_word(*bin)),
        Mark::Delay(bar) => {
            let (from, to) = crate::stats::delay_bounds(*bar);
            let span = |ms: u64| crate::present::span::short(ms);
            say!("stats-list-delay", from = span(from), to = span(to))
        }
        Mark::Bin(bin) => {
            let span = stats_told(state).map(|told| told.report.span);
            let from = span.map_or(0, |span| {
                let width = span.len_ms() as f64 / BINS as f64;
                span.from + (width * *bin as f64) as i64
            });
            say!("stats-list-bin", time = time(from))
        }
        Mark::Pair(operation, client) => say!(
            "stats-list-pair",
            operation = name(operation),
            client = name(client)
        ),
        Mark::Line(_, line) => say!("stats-list-line", name = name(line)),
        Mark::Storm(storm) => say!(
            "stats-list-storm",
            from = time(storm.from),
            to = time(storm.to)
        ),
    };
    say!("stats-list", count = count, what = what)
}

/// A bar of attempts per key: `4–5`.
pub fn attempts_word(bin: usize) -> &'static str {
    let words = ["1", "2", "3", "4–5", "6–10", "11–50", ">50"];
    words.get(bin).copied().unwrap_or("–")
}

/// The breakdown of the log that the table shows, where it is one of the log.
pub fn stats_dimension(by: StatsBy) -> Option<Dimension> {
    match by {
        StatsBy::Operation | StatsBy::Layout | StatsBy::Status => None,
        StatsBy::Client => Some(Dimension::Client),
        StatsBy::Scope => Some(Dimension::Scope),
        StatsBy::Instance => Some(Dimension::Instance),
        StatsBy::StatusClass => Some(Dimension::StatusClass),
    }
}
