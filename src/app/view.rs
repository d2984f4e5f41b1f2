//! What the window shows of rows and filters, as plain values.
//!
//! Apart from `state` because these are worked out for what is in sight, each frame.

mod columns;
mod connect;
pub mod lab;
mod locks;
mod palette;
mod repair;
mod stats;

pub use columns::{ChosenColumn, ColumnName, chosen_columns, keep_columns};
pub use connect::{MenuItem, connect_items, connection_name, store_menu};
pub use lab::lab_store_word;
pub use locks::{LockRow, lock_row, locks};
pub use palette::{FoundCommand, PaletteMode, palette_mode, palette_names};
pub use repair::{RecordAction, outcome_words, record_actions, why_not_undo};
pub use stats::*;

use std::ops::Range;
use std::sync::Arc;

use super::state::{Page, Place, State};
pub use super::update::{asks_before_closing, changes_on, chosen_source, live_every_ms};
use crate::domain::raw::RawAddress;
use crate::domain::{Duration, Record, Timestamp};
use crate::inspect::catalogue::{ExpiryKind, RowId, RowView};
pub use crate::inspect::describe::{Sampled, Stored};
use crate::inspect::filter;
pub use crate::inspect::filter::Completion;
use crate::inspect::findings::Finding;
pub use crate::inspect::scan::Progress;
pub use crate::inspect::show::{Part, Shown, Whole};
pub use crate::inspect::{Direction, Order, SortField, Summary};
pub use crate::layouts::trial::{Decoded, Example, NotRead, Outcome, Trial};
pub use crate::ops::journal::{ChainState, End as RunEnd, Entry, Header, Run, Tally};
pub use crate::ops::plan::{
    Item, Plan, Progress as PlanProgress, Refusal, Warning, words as plan_words,
};
pub use crate::ops::run::{KeyReport, Report, RunProgress, found_words};
use crate::present::words::Standing;

/// One row of the table.
#[derive(Clone, Debug)]
pub struct KeysRow {
    pub standing: Standing,
    /// The key, else its digest.
    pub key: Option<String>,
    pub address: String,
    pub scope: Option<String>,
    pub method: Option<String>,
    /// The path, else the operation's name.
    pub operation: Option<String>,
    pub age: Option<Duration>,
    pub age_start: Option<Timestamp>,
    pub is_age_inferred: bool,
    pub past_lease: Option<Duration>,
    pub end: End,
    pub hash: Option<String>,
    pub attempts: Option<i64>,
    pub has_problems: bool,
    pub response: Option<u16>,
    pub replays: Option<i64>,
    pub created: Option<Timestamp>,
    /// When it was completed or failed.
    pub ended: Option<Timestamp>,
    pub layout: String,
}

/// What is known of a row's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    NotTold,
    Never,
    At(Timestamp),
}

/// The row at a place of the page.
pub fn keys_row(state: &State, place: u64) -> Option<KeysRow> {
    let page = state.keys.page.as_ref()?;
    let id = *page.rows.get(usize::try_from(place).ok()?)?;
    Some(row_of(&page.snapshot.row(id)?, state.now()))
}

fn row_of(row: &RowView<'_>, now: Timestamp) -> KeysRow {
    let verdict = row.verdict(now);
    let operation = row.operation();
    KeysRow {
        standing: row.standing(now),
        key: row
            .key()
            .or(row.digest())
            .map(|key| key.text().into_owned()),
        address: row.address_text(),
        scope: row.scope().map(|scope| scope.into_owned()),
        method: operation.method.map(str::to_owned),
        operation: operation.path.or(operation.name).map(str::to_owned),
        age: row.age(now),
        age_start: row.age_start(now),
        is_age_inferred: verdict.is_some_and(|verdict| verdict.source.is_inferred()),
        past_lease: verdict.and_then(|verdict| verdict.past_lease(now)),
        end: match (row.expiry_kind(), row.expiry()) {
            (ExpiryKind::Never, _) => End::Never,
            (_, Some(at)) => End::At(at),
            _ => End::NotTold,
        },
        hash: row.payload_hash().map(|hash| hash.text().into_owned()),
        attempts: row.attempts(),
        has_problems: row.has_problems(),
        response: row.response_status(),
        replays: row.replays(),
        created: row.created_at(),
        ended: row.completed_at().or(row.failed_at()),
        layout: row.layout().to_owned(),
    }
}

/// How much of the mark is left that a row has which the store has changed, from 1 to 0.
pub fn mark_left(state: &State, place: u64, lasts_ms: f32) -> f32 {
    let (Some(marks), Some(page)) = (&state.keys.marks, &state.keys.page) else {
        return 0.0;
    };
    let gone = marks.at.until(state.clock.here).millis().max(0) as f32 / lasts_ms.max(1.0);
    if marks.scan != page.scan || gone >= 1.0 {
        return 0.0;
    }
    let rows = match state.view.place {
        Place::Locks => &page.locks.rows,
        _ => &page.rows,
    };
    let row = usize::try_from(place).ok().and_then(|at| rows.get(at));
    let is_marked = row.is_some_and(|row| marks.rows.binary_search(row).is_ok());
    match (is_marked, state.is_calm()) {
        (false, _) => 0.0,
        // Nothing fades: it is there and then it is not.
        (true, true) => 1.0,
        (true, false) => 1.0 - gone,
    }
}

/// The row under the cursor of the view.
pub fn cursor_row(state: &State) -> Option<(&Arc<Page>, RowId)> {
    cursor_row_in(state, state.view.place)
}

pub fn cursor_row_in(state: &State, place: Place) -> Option<(&Arc<Page>, RowId)> {
    let page = state.keys.page.as_ref()?;
    let at = usize::try_from(cursor_in(state, place)?).ok()?;
    Some((page, *rows_of(page, place).get(at)?))
}

/// The place of the cursor in the list of the view.
pub fn cursor(state: &State) -> Option<u64> {
    cursor_in(state, state.view.place)
}

fn cursor_in(state: &State, place: Place) -> Option<u64> {
    match place {
        Place::Keys => state.keys.cursor,
        // A row that nobody sees is not meant.
        Place::Locks => state.locks.cursor.filter(|_| lists_locks(state)),
        _ => None,
    }
}

/// Whether locks are listed: else a sentence stands in their place.
pub fn lists_locks(state: &State) -> bool {
    locks(state).is_some_and(|locks| {
        let counts = &locks.counts;
        counts.stuck(state.now()) > 0 || (state.locks.shows_held && counts.total > 0)
    })
}

/// What the view lists.
pub fn rows(state: &State) -> Arc<[RowId]> {
    let page = state.keys.page.as_ref();
    page.map_or_else(|| Arc::from([]), |page| rows_of(page, state.view.place))
}

pub fn rows_of(page: &Page, place: Place) -> Arc<[RowId]> {
    match place {
        Place::Keys => page.rows.clone(),
        Place::Locks => page.locks.rows.clone(),
        _ => Arc::from([]),
    }
}

/// Whether the row at a place of the view's list is selected.
pub fn is_selected(state: &State, place: u64) -> bool {
    let (Some(page), Ok(at)) = (&state.keys.page, usize::try_from(place)) else {
        return false;
    };
    let rows = match state.view.place {
        Place::Locks => &page.locks.rows,
        _ => &page.rows,
    };
    let row = rows.get(at);
    row.is_some_and(|row| state.selection.has(page.scan, *row))
}

pub fn cursor_address(state: &State) -> Option<RawAddress> {
    let (page, id) = cursor_row(state)?;
    Some(page.snapshot.row(id)?.address())
}

/// The record in the panel: whole where it has come, else as the list has it.
pub fn open_record(state: &State) -> Option<(Record, Option<Arc<Whole>>)> {
    let address = state.record.open.as_ref()?;
    if let Some(Some(whole)) = state.record.whole.value() {
        return Some((whole.record.clone(), Some(whole.clone())));
    }
    let (page, id) = cursor_row(state)?;
    let row = page.snapshot.row(id)?;
    (row.address() == *address).then(|| (row.record(), None))
}

/// The row under the cursor, where its record is in the panel.
pub fn open_row(state: &State) -> Option<RowId> {
    let (page, id) = cursor_row(state)?;
    let open = state.record.open.as_ref()?;
    (page.snapshot.row(id)?.address() == *open).then_some(id)
}

/// How a part of the filter's text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Name,
    Value,
    Wrong,
}

/// The parts of a filter's text, from left to right.
pub fn filter_parts(text: &str) -> Vec<(Range<usize>, Ink)> {
    let mut parts = Vec::new();
    for term in filter::parse(text) {
        if let Err(error) = &term.meaning {
            let wrong = error.span.clone();
            if wrong.start > term.span.start {
                parts.push((term.span.start..wrong.start, Ink::Name));
            }
            let end = wrong.end.max(term.span.end);
            parts.push((wrong.start..end, Ink::Wrong));
            continue;
        }
        let value = term.value.clone();
        if value.start > term.span.start {
            parts.push((term.span.start..value.start, Ink::Name));
        }
        parts.push((value, Ink::Value));
    }
    parts
}

/// The ways to go on at a byte of the filter.
pub fn completions(state: &State, at: usize) -> Vec<Completion> {
    match &state.keys.page {
        Some(page) => filter::completions(&state.keys.filter, at, &page.facts),
        None => Vec::new(),
    }
}

/// What is wrong with a filter: a sentence, and perhaps what was meant.
pub fn filter_error(text: &str) -> Option<(String, Option<String>)> {
    let error = filter::parse(text)
        .into_iter()
        .find_map(|term| term.meaning.err())?;
    Some((error.text, error.hint))
}

/// The last term of a filter, as it was typed.
pub fn last_term(text: &str) -> Option<String> {
    let term = filter::parse(text).pop()?;
    text.get(term.span).map(str::to_owned)
}

pub fn without_last_term(text: &str) -> String {
    match filter::parse(text).pop() {
        Some(term) => text
            .get(..term.span.start)
            .unwrap_or_default()
            .trim_end()
            .to_owned(),
        None => String::new(),
    }
}

/// What is wrong with the store: a sentence each, and the filter that shows the records.
pub fn findings(state: &State) -> Vec<(String, String)> {
    let Some(page) = &state.keys.page else {
        return Vec::new();
    };
    let line = |finding: &Finding| (finding.text(), finding.query.clone());
    page.findings.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Ink)]) {
        let parts = filter_parts(text);
        let shown: Vec<(&str, Ink)> = parts
            .into_iter()
            .map(|(span, ink)| (&text[span], ink))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn filters_are_coloured_by_part() {
        check(
            "path:/payments age<2h x",
            &[
                ("path:", Ink::Name),
                ("/payments", Ink::Value),
                ("age<", Ink::Name),
                ("2h", Ink::Value),
                ("x", Ink::Value),
            ],
        );
        check("age>10x", &[("age>", Ink::Name), ("10x", Ink::Wrong)]);
        check("nope:1", &[("nope:1", Ink::Wrong)]);
    }

    #[test]
    fn the_last_term_can_be_dropped() {
        assert_eq!(without_last_term("is:stuck  scope:a"), "is:stuck");
        assert_eq!(without_last_term(""), "");
        assert_eq!(last_term("a scope:b "), Some("scope:b".to_owned()));
    }
}
