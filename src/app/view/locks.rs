//! What the locks view shows of a lock, worked out for what is in sight.

use super::{KeysRow, row_of};
use crate::app::state::{LockList, State};
use crate::domain::stuck::LockState;
use crate::domain::{LockAgeSource, LockFacts, LockVerdict, Stuck, Timestamp};
use crate::inspect::catalogue::RowId;
use crate::present::say::say;
use crate::present::span;

/// One lock of the list.
#[derive(Clone, Debug)]
pub struct LockRow {
    pub stuck: Stuck,
    pub record: KeysRow,
    /// When its lease ends, where that can be had.
    pub lease_end: Option<Timestamp>,
    /// What the verdict rests on, in a few words.
    pub evidence: String,
}

pub fn locks(state: &State) -> Option<&LockList> {
    Some(&state.keys.page.as_ref()?.locks)
}

/// The lock at a place of the list.
pub fn lock_row(state: &State, place: u64) -> Option<LockRow> {
    let page = state.keys.page.as_ref()?;
    let id: RowId = *page.locks.rows.get(usize::try_from(place).ok()?)?;
    let row = page.snapshot.row(id)?;
    let now = state.now();
    let facts = row.lock()?;
    let verdict = row.verdict(now)?;
    Some(LockRow {
        stuck: verdict.stuck,
        lease_end: verdict.lease_end,
        evidence: evidence(&facts, verdict, now),
        record: row_of(&row, now),
    })
}

fn evidence(facts: &LockFacts, verdict: LockVerdict, now: Timestamp) -> String {
    match facts.state {
        LockState::Orphaned => return say!("evidence-never-finished"),
        LockState::Alive => return say!("evidence-alive"),
        LockState::Held | LockState::Waiting => {}
    }
    let lease = facts.lease.map(span::sentence).unwrap_or_default();
    match (verdict.stuck, verdict.source) {
        (Stuck::CannotTell, LockAgeSource::None) => {
            say!("evidence-no-times")
        }
        (Stuck::CannotTell, _) => say!("evidence-no-deadline"),
        (Stuck::Yes, _) if facts.deadline.is_some() => say!("evidence-deadline-passed"),
        (Stuck::Yes, LockAgeSource::Field) => say!("evidence-past-lease", lease = lease),
        (Stuck::Yes, _) => say!("evidence-past-lease-inferred", lease = lease),
        (Stuck::No, _) if verdict.lease_end.is_none_or(|end| end >= now) => {
            let inferred = verdict.source.is_inferred() && facts.deadline.is_none();
            if inferred {
                say!("evidence-holds-inferred")
            } else {
                say!("evidence-holds")
            }
        }
        (Stuck::No, _) => say!("evidence-nothing-holds"),
    }
}
