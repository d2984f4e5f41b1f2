//! What the stats view needs of other areas, as plain values.

use crate::app::state::State;
pub use crate::inspect::retries::Told;
pub use crate::inspect::retries::words as stats_words;
pub use crate::stats::{
    BINS, Basis, Bin, DelayBar, Dimension, Figure, Findings, Place as StatsPlace, Storm, StormKind,
    TRENDS, Times, Why, delay_place,
};

/// Something that is worth a look: how many, what, and the filter that shows the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worth {
    pub count: u64,
    pub kind: WorthKind,
    pub filter: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorthKind {
    FalseMismatches,
    NewKeys,
    AfterExpiry,
    Abandoned,
    SeveralOperations,
    OverLease,
}

/// What was told, where anything was.
pub fn stats_told(state: &State) -> Option<&Told> {
    state.stats.told.value().map(|told| &**told)
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
    let lease = report.lease.known().map_or(0, |lease| lease.over);
    let lines = [
        (
            WorthKind::FalseMismatches,
            report.false_mismatches.known().copied(),
            None,
        ),
        (
            WorthKind::NewKeys,
            report.new_key_suspects.known().copied(),
            None,
        ),
        (WorthKind::AfterExpiry, Some(late), Some("is:expired")),
        (
            WorthKind::Abandoned,
            Some(found.abandoned),
            Some("status:processing age>20m"),
        ),
        (
            WorthKind::SeveralOperations,
            Some(found.several_operations),
            None,
        ),
        (WorthKind::OverLease, Some(lease), Some("is:stuck")),
    ];
    let lines = lines.into_iter().filter_map(|(kind, count, filter)| {
        let count = count.filter(|count| *count > 0)?;
        let filter = filter.map(str::to_owned);
        Some(Worth {
            count,
            kind,
            filter,
        })
    });
    lines.collect()
}
