//! A report as JSON, the same on the command line and in a file.
//!
//! Apart from `run` because nothing is changed here.

use serde_json::{Value, json};

use super::run::Report;

/// The members of a report.
pub fn json(report: &Report) -> Value {
    let keys = report.keys.iter().map(|key| {
        json!({
            "address": key.address,
            "outcome": key.outcome.name(report.verb),
            "why": key.why,
        })
    });
    json!({
        "journal_id": report.journal_id,
        "dry_run": false,
        "planned": report.planned,
        "outcomes": report.tally.json(report.verb),
        "keys": keys.collect::<Vec<_>>(),
        "stopped": report.stopped,
    })
}
