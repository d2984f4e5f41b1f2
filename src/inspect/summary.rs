//! Counts what a store holds, in one pass over the rows.
//!
//! Bound: only the most frequent scopes and operations are named; the others are counted together.

use std::collections::HashMap;

use super::cancel::Cancel;
use super::catalogue::{ExpiryKind, RowId, RowView, Snapshot};
use super::pass::pass;
use crate::domain::{Duration, Status, Stuck, Timestamp};
use crate::present::words::Standing;

/// Parts that the rows are counted in, each with lists of its own.
const PIECES: usize = 8;

/// Which rows are counted.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// All that came, those that are only counted included.
    All,
    These(&'a [RowId]),
}

impl Rows<'_> {
    fn len(&self, snapshot: &Snapshot) -> usize {
        match self {
            Rows::All => snapshot.len(),
            Rows::These(rows) => rows.len(),
        }
    }

    fn get<'s>(&self, snapshot: &'s Snapshot, at: usize) -> Option<RowView<'s>> {
        match self {
            Rows::All => snapshot.row(at as RowId),
            Rows::These(rows) => snapshot.row(*rows.get(at)?),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub total: u64,
    /// In the order of `Status::ALL`.
    pub by_status: [u64; 4],
    /// In the order of `Standing::ALL`; each record once, so that chips add up.
    pub by_standing: [u64; 6],
    pub by_layout: Named,
    pub by_scope: Named,
    pub by_operation: Named,
    pub locked: u64,
    pub stuck: u64,
    pub stuck_unknown: u64,
    /// Locks whose age is inferred.
    pub inferred: u64,
    pub expired: u64,
    pub never_expires: u64,
    pub with_problems: u64,
    pub oldest_lock: Option<Duration>,
    /// Records past the bound: in `total` and `by_status`, and in nothing else.
    pub counted_only: u64,
}

impl Summary {
    pub fn of_status(&self, status: Status) -> u64 {
        let at = Status::ALL.iter().position(|known| *known == status);
        at.and_then(|at| self.by_status.get(at))
            .copied()
            .unwrap_or(0)
    }

    pub fn of_standing(&self, standing: Standing) -> u64 {
        self.by_standing
            .get(standing as usize)
            .copied()
            .unwrap_or(0)
    }
}

/// Counts by name, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    pub counts: Vec<(String, u64)>,
    /// Records of names that are not listed.
    pub others: u64,
    /// Records without a name.
    pub none: u64,
}

/// Counts rows, naming `names_max` scopes and operations; `None` where it was cancelled.
pub fn summarize(
    snapshot: &Snapshot,
    rows: Rows<'_>,
    names_max: usize,
    now: Timestamp,
    cancel: &Cancel,
) -> Option<Summary> {
    let len = rows.len(snapshot);
    let size = len.div_ceil(PIECES).max(1);
    let tallies = pass(len.div_ceil(size), cancel, |piece| {
        let mut tally = Tally::new(snapshot);
        for at in piece * size..len.min((piece + 1) * size) {
            if at % 65_536 == 0 && cancel.is_cancelled() {
                break;
            }
            if let Some(row) = rows.get(snapshot, at) {
                tally.add(&row, now);
            }
        }
        tally
    })?;
    let mut all = Tally::new(snapshot);
    for tally in tallies {
        all.merge(tally);
    }
    Some(all.finish(snapshot, rows, names_max))
}

/// Counts of a part; texts are counted by their numbers.
struct Tally {
    facts: Summary,
    sources: Vec<u32>,
    scopes: Vec<u32>,
    own_scopes: u32,
    operations: Vec<u32>,
    own_operations: u32,
}

impl Tally {
    fn new(snapshot: &Snapshot) -> Tally {
        Tally {
            facts: Summary::default(),
            sources: vec![0; snapshot.sources().count()],
            scopes: vec![0; snapshot.scope_numbers() + 1],
            own_scopes: 0,
            operations: vec![0; snapshot.operation_numbers() + 1],
            own_operations: 0,
        }
    }

    fn add(&mut self, row: &RowView<'_>, now: Timestamp) {
        let facts = &mut self.facts;
        facts.total += 1;
        let status = row.status();
        if let Some(at) = Status::ALL.iter().position(|known| *known == status) {
            count(&mut facts.by_status, at);
        }
        let verdict = row.verdict(now);
        let stuck = verdict.map_or(Stuck::CannotTell, |verdict| verdict.stuck);
        let expired = row.expired(now);
        let standing = Standing::of(status, stuck, expired);
        count(&mut facts.by_standing, standing as usize);
        facts.expired += u64::from(expired == Some(true));
        facts.never_expires += u64::from(row.expiry_kind() == ExpiryKind::Never);
        facts.with_problems += u64::from(row.has_problems());
        if let Some(verdict) = verdict {
            facts.locked += u64::from(row.is_locked());
            facts.stuck += u64::from(stuck == Stuck::Yes);
            facts.stuck_unknown += u64::from(stuck == Stuck::CannotTell);
            facts.inferred += u64::from(verdict.source.is_inferred());
            if row.is_locked() {
                facts.oldest_lock = facts.oldest_lock.max(verdict.age(now));
            }
        }
        count_small(&mut self.sources, row.source_id().index());
        match row.scope_number() {
            Some(number) => count_small(&mut self.scopes, number as usize),
            None => self.own_scopes += 1,
        }
        match row.operation_number() {
            Some(number) => count_small(&mut self.operations, number as usize),
            None => self.own_operations += 1,
        }
    }

    fn merge(&mut self, other: Tally) {
        let (facts, more) = (&mut self.facts, other.facts);
        let add = |counts: &mut [u64], more: &[u64]| {
            counts
                .iter_mut()
                .zip(more)
                .for_each(|(count, more)| *count += more);
        };
        add(&mut facts.by_status, &more.by_status);
        add(&mut facts.by_standing, &more.by_standing);
        facts.total += more.total;
        facts.locked += more.locked;
        facts.stuck += more.stuck;
        facts.stuck_unknown += more.stuck_unknown;
        facts.inferred += more.inferred;
        facts.expired += more.expired;
        facts.never_expires += more.never_expires;
        facts.with_problems += more.with_problems;
        facts.oldest_lock = facts.oldest_lock.max(more.oldest_lock);
        let add = |counts: &mut [u32], more: &[u32]| {
            counts
                .iter_mut()
                .zip(more)
                .for_each(|(count, more)| *count += more);
        };
        add(&mut self.sources, &other.sources);
        add(&mut self.scopes, &other.scopes);
        add(&mut self.operations, &other.operations);
        self.own_scopes += other.own_scopes;
        self.own_operations += other.own_operations;
    }

    fn finish(self, snapshot: &Snapshot, rows: Rows<'_>, names_max: usize) -> Summary {
        let mut summary = self.facts;
        let mut layouts: Vec<(String, u64)> = Vec::new();
        for ((_, source), count) in snapshot.sources().zip(&self.sources) {
            let id = source.layout.id.to_string();
            match layouts.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known += u64::from(*count),
                None => layouts.push((id, u64::from(*count))),
            }
        }
        layouts.retain(|(_, count)| *count > 0);
        layouts.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
        summary.by_layout.counts = layouts;
        summary.by_scope = named(&self.scopes, self.own_scopes, names_max, |number| {
            snapshot.scope_of(number).map(|scope| scope.into_owned())
        });
        summary.by_operation = named(&self.operations, self.own_operations, names_max, |number| {
            snapshot.operation_of(number).text()
        });
        if let Rows::All = rows {
            let counts = snapshot.counts();
            summary.counted_only = counts.counted_only_total();
            summary.total += summary.counted_only;
            for (count, more) in summary.by_status.iter_mut().zip(counts.counted_only) {
                *count += more;
            }
        }
        summary
    }
}

fn count(counts: &mut [u64], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}

fn count_small(counts: &mut [u32], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}

/// Names the most frequent numbers. Different numbers may have the same text, such as scopes of
/// two sources; those among the named are put together.
fn named(
    counts: &[u32],
    own: u32,
    names_max: usize,
    text: impl Fn(u32) -> Option<String>,
) -> Named {
    let mut named = Named {
        none: counts.first().copied().map_or(0, u64::from),
        others: u64::from(own),
        ..Named::default()
    };
    let mut order: Vec<u32> = (1..counts.len() as u32).collect();
    let of = |number: u32| counts.get(number as usize).copied().unwrap_or(0);
    order.retain(|number| of(*number) > 0);
    order.sort_by_key(|number| (std::cmp::Reverse(of(*number)), *number));
    let mut listed: HashMap<String, usize> = HashMap::new();
    for number in order {
        let count = u64::from(of(number));
        let full = named.counts.len() >= names_max;
        let Some(text) = text(number) else {
            named.others += count;
            continue;
        };
        match listed.get(&text).and_then(|at| named.counts.get_mut(*at)) {
            Some((_, known)) => *known += count,
            None if full => named.others += count,
            None => {
                listed.insert(text.clone(), named.counts.len());
                named.counts.push((text, count));
            }
        }
    }
    named
        .counts
        .sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
    named
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::inspect::catalogue::{Bound, Catalogue};
    use crate::inspect::tests as made;

    const NOW: Timestamp = made::NOW;

    fn summary(snapshot: &Snapshot, rows: Rows<'_>) -> Summary {
        summarize(snapshot, rows, 3, NOW, &Cancel::never()).expect("not cancelled")
    }

    #[test]
    fn counts_agree_with_the_rows() {
        let mut catalogue = Catalogue::new(Bound {
            rows: 1500,
            ..Bound::USUAL
        });
        made::fill_rows(&mut catalogue, 1000);
        made::fill_articles(&mut catalogue, 1000);
        let snapshot = catalogue.snapshot();
        let all = summary(&snapshot, Rows::All);
        assert_eq!((all.total, all.counted_only), (2000, 500));
        assert_eq!(all.by_status.iter().sum::<u64>(), 2000);
        assert_eq!(all.by_standing.iter().sum::<u64>(), 1500);
        assert_eq!(all.of_status(Status::Processing), 40);
        assert_eq!(all.stuck, 20, "each lock in the table is past its minute");
        assert_eq!((all.inferred, all.stuck_unknown, all.locked), (10, 10, 30));
        assert_eq!(all.of_standing(Standing::Stuck), 20);
        let layouts = &all.by_layout.counts;
        assert_eq!(layouts[0], ("uuid-key-locked-at".to_owned(), 1000));
        assert_eq!(layouts[1], ("plain-article".to_owned(), 500));
        assert_eq!(all.by_operation.counts.len(), 3);
        assert_eq!((all.by_operation.others, all.by_operation.none), (250, 500));
        assert_eq!(all.by_scope.none, 1500);
        let oldest = snapshot
            .rows()
            .filter_map(|row| row.verdict(NOW)?.age(NOW))
            .max();
        assert_eq!(all.oldest_lock, oldest);

        let some = summary(&snapshot, Rows::These(&[0, 1, 2]));
        assert_eq!((some.total, some.stuck, some.counted_only), (3, 1, 0));
        assert_eq!(
            summary(&Catalogue::new(Bound::USUAL).snapshot(), Rows::All).total,
            0
        );
    }

    /// Times are only printed: a busy machine must not fail a test.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "measures a span, reads no time of day"
    )]
    fn large_catalogues_are_summed_up() {
        if !made::is_long() {
            return;
        }
        for (name, fill) in made::FILLS {
            let mut catalogue = Catalogue::new(Bound::USUAL);
            let start = Instant::now();
            fill(&mut catalogue, 10_000_000);
            println!(
                "{name}: making and taking in 10 M took {:?}",
                start.elapsed()
            );
            let start = Instant::now();
            let snapshot = catalogue.snapshot();
            println!("{name}: a snapshot took {:?}", start.elapsed());
            let start = Instant::now();
            let total = summary(&snapshot, Rows::All).total;
            println!("{name}: a summary of {total} took {:?}", start.elapsed());
        }
    }
}
