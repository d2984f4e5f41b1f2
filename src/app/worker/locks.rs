//! Lists what holds a lock, in groups.
//!
//! Bound: so many locks are listed; the others are counted.

use std::collections::HashMap;
use std::sync::Arc;

use crate::app::state::{Grouping, LockCounts, LockGroup, LockList};
use crate::domain::stuck::LockState;
use crate::domain::{Stuck, Timestamp};
use crate::inspect::catalogue::{RowId, RowView};
use crate::inspect::filter::parse;
use crate::inspect::{Cancel, Direction, Filter, Order, Snapshot, SortField, filter, sort};

const LISTED_MAX: usize = 100_000;

/// The list; `None` where it was cancelled.
pub fn list(
    snapshot: &Snapshot,
    grouping: Grouping,
    now: Timestamp,
    cancel: &Cancel,
) -> Option<LockList> {
    let locked = Filter::of_good_terms(&parse("is:locked"));
    let rows = filter::run(snapshot, &locked, now, cancel)?;
    let oldest_first = Order {
        field: SortField::Age,
        direction: Direction::Descending,
    };
    let mut rows = sort::sort(snapshot, &rows, oldest_first, now, cancel)?;
    let not_listed = rows.len().saturating_sub(LISTED_MAX) as u64;
    rows.truncate(LISTED_MAX);
    Some(grouped(snapshot, grouping, rows, not_listed, now))
}

fn grouped(
    snapshot: &Snapshot,
    grouping: Grouping,
    rows: Vec<RowId>,
    not_listed: u64,
    now: Timestamp,
) -> LockList {
    // A group stands where its oldest lock does.
    let mut places: HashMap<GroupName, usize> = HashMap::new();
    let mut groups: Vec<(LockGroup, Vec<RowId>)> = Vec::new();
    let mut counts = LockCounts::default();
    for id in rows {
        let Some(row) = snapshot.row(id) else {
            continue;
        };
        count(&mut counts, &row, now);
        let name = GroupName::of(&row, grouping);
        let at = *places.entry(name.clone()).or_insert_with(|| {
            groups.push((name.group(&row), Vec::new()));
            groups.len() - 1
        });
        if let Some((group, members)) = groups.get_mut(at) {
            count(&mut group.counts, &row, now);
            if group
                .layout
                .as_deref()
                .is_some_and(|known| known != row.layout())
            {
                group.layout = None;
            }
            members.push(id);
        }
    }
    counts.ends.sort_unstable();
    let mut all = Vec::new();
    let groups = groups.into_iter().map(|(mut group, members)| {
        group.counts.ends.sort_unstable();
        let start = all.len() as u64;
        all.extend(members);
        group.rows = start..all.len() as u64;
        group
    });
    let groups = groups.collect();
    LockList {
        grouping,
        groups,
        rows: Arc::from(all),
        counts,
        not_listed,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct GroupName {
    method: Option<String>,
    title: Option<String>,
}

impl GroupName {
    fn of(row: &RowView<'_>, grouping: Grouping) -> GroupName {
        match grouping {
            Grouping::Operation => {
                let operation = row.operation();
                GroupName {
                    method: operation.method.map(str::to_owned),
                    title: operation.path.or(operation.name).map(str::to_owned),
                }
            }
            Grouping::Source => GroupName {
                method: None,
                title: Some(row.source().place_text()),
            },
            Grouping::Flat => GroupName::default(),
        }
    }

    fn group(self, row: &RowView<'_>) -> LockGroup {
        LockGroup {
            method: self.method,
            title: self.title,
            layout: Some(row.layout().to_owned()),
            ..LockGroup::default()
        }
    }
}

fn count(counts: &mut LockCounts, row: &RowView<'_>, now: Timestamp) {
    let (Some(facts), Some(verdict)) = (row.lock(), row.verdict(now)) else {
        return;
    };
    counts.total += 1;
    match (facts.state, verdict.stuck, verdict.lease_end) {
        (LockState::Orphaned, ..) => counts.orphaned += 1,
        (LockState::Alive, ..) => {}
        (_, Stuck::CannotTell, _) => counts.cannot_tell += 1,
        (_, _, Some(end)) => counts.ends.push(end),
        _ => {}
    }
    let start = verdict.start.or(row.age_start(now));
    counts.oldest = match (counts.oldest, start) {
        (Some(oldest), Some(start)) => Some(oldest.min(start)),
        (oldest, start) => oldest.or(start),
    };
}
