//! What came of a run, record by record.
//!
//! Apart from the run because it is read long after it. Invariant: every record of the plan has an
//! outcome here, and so has every one that was left out of it.

use super::super::journal::Tally;
use super::super::plan::Plan;
use crate::domain::address::address_text;
use crate::domain::change::{Applied, Outcome, Verb};

/// What came of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// `None` where there was nothing to do.
    pub journal_id: Option<String>,
    pub verb: Verb,
    pub target: String,
    pub planned: usize,
    pub tally: Tally,
    /// Those of the plan in their order, then those that were left out of it.
    pub keys: Vec<KeyReport>,
    /// Why it did not come to its natural end; one sentence.
    pub stopped: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct KeyReport {
    pub address: String,
    pub idempotency_key: Option<String>,
    pub outcome: Outcome,
    pub why: Option<String>,
}

pub(super) fn report(
    plan: &Plan,
    journal_id: Option<String>,
    outcomes: Vec<Option<Applied>>,
    stopped: Option<String>,
) -> Report {
    let done = plan.items().iter().zip(outcomes).map(|(item, applied)| {
        let never = || Applied::not(Outcome::NotReached, "it was never sent");
        let applied = applied.unwrap_or_else(never);
        KeyReport {
            address: address_text(&item.address),
            idempotency_key: item.idempotency_key.clone(),
            outcome: applied.outcome,
            why: applied.why,
        }
    });
    let left = plan.refused().iter().map(|refusal| KeyReport {
        address: address_text(&refusal.address),
        idempotency_key: None,
        outcome: refusal.outcome,
        why: Some(refusal.why.clone()),
    });
    let keys: Vec<KeyReport> = done.chain(left).collect();
    let mut tally = Tally::default();
    for key in &keys {
        tally.add(key.outcome);
    }
    Report {
        journal_id,
        verb: plan.verb(),
        target: plan.target().to_owned(),
        planned: plan.items().len(),
        tally,
        keys,
        stopped,
    }
}
