//! What came of a run, record by record.
//!
//! Apart from `run` because it is what people and scripts see of it.

use crate::domain::address::address_text;
use crate::domain::change::{Applied, Outcome, Verb};
use crate::ops::journal::{Found, Tally};
use crate::ops::plan::Plan;

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

/// The report of a plan by the outcomes of its records, in their order.
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

/// What was found, as the end of a sentence.
pub fn found_words(found: Found) -> &'static str {
    match found {
        Found::AsBefore => "looked at again it is as it was before",
        Found::AsPlanned => "looked at again it is as it was to become",
        Found::SomethingElse => "looked at again something else stands there",
    }
}
