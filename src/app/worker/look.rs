//! Answers which rows are shown, in what order, and how many there are of what.
//!
//! Apart from `worker` because it is a pass over millions of rows and knows no store.

use std::sync::Arc;

use super::{compare, locks};
use crate::app::effect::{Keep, Question, WantedFindings};
use crate::app::state::{LockList, Page, Since};
use crate::inspect::catalogue::RowId;
use crate::inspect::filter::{Facts, parse};
use crate::inspect::findings::{Bodies, Finding, Ground, What, findings};
use crate::inspect::retries::looks::{self, Looks};
use crate::inspect::retries::rows_among;
use crate::inspect::summary::{Rows, Summary, summarize};
use crate::inspect::{Cancel, Filter, Snapshot, filter, sort};
use crate::stores::StoreFacts;

/// Scopes and operations named in the counts.
const NAMES_MAX: usize = 50;

/// The answer; `None` where it was cancelled.
pub fn look(question: Question, cancel: &Cancel) -> Option<Page> {
    let Question { snapshot, now, .. } = &question;
    // Terms that are not right yet are left out while they are typed.
    let wanted = Filter::of_good_terms(&parse(&question.filter));
    let all = summarize(snapshot, Rows::All, NAMES_MAX, *now, cancel)?;
    let mut rows = filter::run(snapshot, &wanted, *now, cancel)?;
    let mut listed = None;
    if let Some(list) = &question.list {
        let of_list = rows_among(snapshot, &list.keys, cancel)?;
        listed = Some(of_list.len() as u64);
        rows.retain(|row| of_list.binary_search(row).is_ok());
    }
    let filtered = if wanted.is_empty() && listed.is_none() {
        all.clone()
    } else {
        summarize(snapshot, Rows::These(&rows), NAMES_MAX, *now, cancel)?
    };
    if let Some(standing) = question.standing {
        let is_of = |id: &RowId| {
            let row = snapshot.row(*id);
            row.is_some_and(|row| row.standing(*now) == standing)
        };
        rows.retain(is_of);
    }
    let rows = sort::sort(snapshot, &rows, question.order, *now, cancel)?;
    let found = find(&question.keep, snapshot, &rows);
    let locks = match &question.locks {
        Some(same) => same.clone(),
        None if all.locked == 0 => Arc::new(LockList {
            grouping: question.grouping,
            ..LockList::default()
        }),
        None => Arc::new(locks::list(snapshot, question.grouping, *now, cancel)?),
    };
    let since = match &question.before {
        Some(before) => Some(Since {
            changed: Arc::from(compare::changed(before, snapshot, cancel)?),
            looks: compared(&question, before, &all, cancel),
            selected_now: compare::follow(before, question.selected.rows(), snapshot, cancel)?,
            selected: question.selected.clone(),
        }),
        None => None,
    };
    let found_lock = find(&question.keep_lock, snapshot, &locks.rows);
    let (findings, findings_of) = found_wrong(&question, &all, cancel)?;
    Some(Page {
        scan: question.scan,
        read: question.read,
        rows: Arc::from(rows),
        all,
        filtered,
        listed,
        found,
        facts: Facts::of(snapshot),
        locks,
        found_lock,
        terms: question.terms,
        since,
        findings,
        findings_of,
        snapshot: question.snapshot,
    })
}

/// What changed since a whole reading; a part of one would make all others look new.
fn compared(question: &Question, before: &Page, all: &Summary, cancel: &Cancel) -> Option<Looks> {
    let is_whole = before.findings_of.is_some() && before.all.counted_only == 0;
    if !is_whole || all.counted_only > 0 {
        return None;
    }
    let before = (&before.snapshot, before.read);
    looks::between(before, (&question.snapshot, question.read), cancel)
}

type Found = (Arc<[Finding]>, Option<Option<Arc<Bodies>>>);

/// What is wrong with the store. Stuck locks are left out: the chips, the side bar and the Locks view
/// have them.
fn found_wrong(question: &Question, all: &Summary, cancel: &Cancel) -> Option<Found> {
    let (eviction, bodies) = match &question.findings {
        WantedFindings::Later => return Some((Arc::from([]), None)),
        WantedFindings::Same(page) => {
            return Some((page.findings.clone(), page.findings_of.clone()));
        }
        WantedFindings::Anew { eviction, bodies } => (eviction, bodies),
    };
    let facts = StoreFacts {
        eviction: eviction.clone(),
        ..StoreFacts::default()
    };
    let ground = Ground {
        snapshot: &question.snapshot,
        summary: all,
        facts: &facts,
        bodies: bodies.as_deref(),
        now: question.now,
    };
    let mut found = findings(&ground, cancel)?;
    found.retain(|finding| !matches!(finding.what, What::StuckLocks { .. }));
    Some((Arc::from(found), Some(bodies.clone())))
}

fn find(keep: &Keep, snapshot: &Snapshot, rows: &[RowId]) -> Option<u64> {
    let place = match keep {
        Keep::Nothing => None,
        Keep::Row(id) => rows.iter().position(|row| row == id),
        Keep::Address(address) => {
            let mut text = Vec::new();
            rows.iter().position(|id| {
                text.clear();
                let row = snapshot.row(*id);
                row.is_some_and(|row| {
                    row.push_address_text(&mut text);
                    text == address.as_bytes()
                })
            })
        }
    };
    place.map(|place| place as u64)
}
