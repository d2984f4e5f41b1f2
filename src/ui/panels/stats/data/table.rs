//! The table of where attempts came from: by operation and client, or by one other thing at a time.

use std::sync::Arc;

use super::Lead;
use crate::app::State;
use crate::app::state::StatsBy;
use crate::app::view::{Basis, Mark, StatsRow, Told, stats_dimension, stats_words};
use crate::domain::Status;
use crate::domain::attempt::Family;
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::ui::theme::Tone;

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableLine {
    /// As it is stored, or our own words where it is none.
    pub name: Option<Arc<str>>,
    pub words: String,
    pub client: Option<Arc<str>>,
    pub numbers: [(String, Tone); 4],
    pub lead: Option<Lead>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableData {
    pub title: String,
    pub has_client: bool,
    /// Over the numbers; empty where there is none.
    pub columns: [String; 4],
    pub lines: Vec<TableLine>,
    pub source: String,
    /// What there is instead of lines.
    pub empty: String,
}

pub fn table(state: &State, told: &Told) -> TableData {
    let by = state.stats.by;
    let attempts = [
        say!("stats-column-attempts"),
        match by {
            StatsBy::Operation => say!("stats-column-per-key"),
            _ => String::new(),
        },
        say!("stats-column-retries"),
        say!("stats-column-again"),
    ];
    match by {
        StatsBy::Operation => TableData {
            title: say!("column-operation"),
            has_client: true,
            columns: attempts,
            lines: pairs(told),
            source: stats_words::basis(Basis::Log),
            empty: String::new(),
        },
        StatsBy::Layout | StatsBy::Status => records(state, by),
        _ => TableData {
            title: by.word(),
            has_client: false,
            columns: attempts,
            lines: breakdown(told, by),
            source: stats_words::basis(Basis::Log),
            empty: String::new(),
        },
    }
}

fn pairs(told: &Told) -> Vec<TableLine> {
    let line = |place: &crate::app::view::StatsPlace| {
        let per_key = place.keys.filter(|keys| *keys > 0);
        let attempts = place.row.attempts as f64;
        TableLine {
            name: place.name.clone(),
            words: String::new(),
            client: place.client.clone(),
            numbers: numbers(&place.row, per_key.map(|keys| attempts / keys as f64)),
            lead: Some(Lead::Keys(Mark::Pair(
                place.name.clone(),
                place.client.clone(),
            ))),
        }
    };
    told.report.places.iter().map(line).collect()
}

fn breakdown(told: &Told, by: StatsBy) -> Vec<TableLine> {
    let dimension = stats_dimension(by);
    let found = told
        .report
        .breakdowns
        .iter()
        .find(|breakdown| Some(breakdown.dimension) == dimension);
    let Some(found) = found else {
        return Vec::new();
    };
    let leads = found.dimension.leads_to_keys();
    let line = |place: &crate::app::view::StatsPlace| {
        let mark = Mark::Line(found.dimension, place.name.clone());
        TableLine {
            name: place.name.clone(),
            words: say!("stats-line-none"),
            client: None,
            numbers: numbers(&place.row, None),
            lead: leads.then_some(Lead::Keys(mark)),
        }
    };
    let mut lines: Vec<TableLine> = found.places.iter().map(line).collect();
    if found.others.attempts > 0 {
        lines.push(TableLine {
            name: None,
            words: say!("stats-line-others"),
            client: None,
            numbers: numbers(&found.others, None),
            lead: None,
        });
    }
    lines
}

fn numbers(row: &StatsRow, per_key: Option<f64>) -> [(String, Tone); 4] {
    let retries = match row.told {
        0 => "–".to_owned(),
        told => format!("{:.0} %", row.retries as f64 * 100.0 / told as f64),
    };
    let again = row.of_family(Family::Repeated);
    let is_much = again * 50 > row.attempts;
    [
        (count::grouped(row.attempts, Font::Mono), Tone::Primary),
        (
            per_key.map_or("–".to_owned(), |per_key| format!("{per_key:.2}")),
            Tone::Primary,
        ),
        (retries, Tone::Secondary),
        (
            count::grouped(again, Font::Mono),
            match is_much {
                true => Tone::Stuck,
                false => Tone::Secondary,
            },
        ),
    ]
}

/// Records by layout or by status: of what is stored now, not of attempts.
fn records(state: &State, by: StatsBy) -> TableData {
    let page = state.keys.page.as_ref();
    let all = page.map(|page| &page.all);
    let total = all.map_or(0, |all| all.total);
    let line = |name: &str, words: String, records: u64, filter: String| TableLine {
        name: (!name.is_empty()).then(|| name.into()),
        words,
        client: None,
        numbers: [
            (count::grouped(records, Font::Mono), Tone::Primary),
            (
                count::share(records, total).unwrap_or_default(),
                Tone::Secondary,
            ),
            (String::new(), Tone::Secondary),
            (String::new(), Tone::Secondary),
        ],
        lead: Some(Lead::Filter(filter)),
    };
    let lines = match (all, by) {
        (None, _) => Vec::new(),
        (Some(all), StatsBy::Layout) => all
            .by_layout
            .counts
            .iter()
            .map(|(name, records)| line(name, String::new(), *records, format!("layout:{name}")))
            .collect(),
        (Some(all), _) => Status::ALL
            .into_iter()
            .filter(|status| all.of_status(*status) > 0)
            .map(|status| {
                let (records, name) = (all.of_status(status), status.name());
                let words = crate::present::words::status_word(status);
                line("", words, records, format!("status:{name}"))
            })
            .collect(),
    };
    TableData {
        title: by.word(),
        has_client: false,
        columns: [
            say!("stats-column-records"),
            say!("stats-column-share"),
            String::new(),
            String::new(),
        ],
        empty: match lines.is_empty() {
            true => say!("stats-why-no-records"),
            false => String::new(),
        },
        lines,
        source: stats_words::basis(Basis::Records),
    }
}
