//! Prints plans and reports, for people and for scripts.

use serde_json::{Map, Value, json};

use super::super::options::CommonOptions;
use super::super::output::{Format, Output, Shape, Table};
use crate::domain::Duration;
use crate::domain::address::address_text;
use crate::domain::change::Outcome;
use crate::ops::plan::{Item, Plan, Warning, words};
use crate::ops::report;
use crate::ops::run::{KeyReport, Report};
use crate::present::escape;
use crate::present::span;
use crate::present::words::plural;

/// Records that a plan shows to a person; all stand in the file and in JSON.
const ITEMS_SHOWN: usize = 40;

/// What a warning means, in one sentence.
pub fn warning_words(warning: Warning) -> &'static str {
    match warning {
        Warning::MayStillRun => {
            "nothing tells whether it is stuck: its request may still be running"
        }
        Warning::MayBeHeld => "whether a transaction holds the row is seen only when it is changed",
        Warning::ErrorWithEffects => {
            "a stored server error: its effect may have happened before the error"
        }
        Warning::LockComesBack => "the lock comes back: retries are refused until it is released",
        Warning::MayBeOfOthers => {
            "the run never learned whether it made this change: an application may have made it"
        }
    }
}

/// A plan that was only shown, as the contract has it.
pub fn plan(plan: &Plan, common: &CommonOptions, output: &mut Output) {
    match Format::chosen(common.format, Shape::Single) {
        Format::Json => output.json(&plan_json(plan)),
        Format::Jsonl => output.line(&plan_json(plan).to_string()),
        Format::Csv => {
            let planned = plan.items().iter().map(|item| {
                vec![
                    address_text(&item.address),
                    "planned".to_owned(),
                    words::lines(&item.change).join("; "),
                ]
            });
            let left = plan.refused().iter().map(|refusal| {
                vec![
                    address_text(&refusal.address),
                    refusal.outcome.name(plan.verb()).to_owned(),
                    refusal.why.clone(),
                ]
            });
            output.csv(&["address", "outcome", "why"], planned.chain(left));
        }
        Format::Table => {
            for line in plan_lines(plan) {
                output.line(&line);
            }
        }
    }
}

fn plan_json(plan: &Plan) -> Value {
    let planned = plan.items().iter().map(|item| {
        json!({
            "address": address_text(&item.address),
            "outcome": "planned",
            "why": item.warning.map(warning_words),
            "does": words::lines(&item.change),
        })
    });
    let left = plan.refused().iter().map(|refusal| {
        json!({
            "address": address_text(&refusal.address),
            "outcome": refusal.outcome.name(plan.verb()),
            "why": refusal.why,
        })
    });
    let mut outcomes = Map::new();
    for outcome in Outcome::ALL {
        let count = plan.refused().iter().filter(|r| r.outcome == outcome);
        outcomes.insert(outcome.name(plan.verb()).to_owned(), count.count().into());
    }
    json!({
        "journal_id": null,
        "dry_run": true,
        "planned": plan.items().len(),
        "outcomes": outcomes,
        "keys": planned.chain(left).collect::<Vec<_>>(),
    })
}

/// The plan as a person reads it.
pub fn plan_lines(plan: &Plan) -> Vec<String> {
    let mut lines = Vec::new();
    if !plan.is_empty() {
        let mut table = Table::new(&["record", "layout", "operation", "age", "does"], &[3]);
        for item in plan.items().iter().take(ITEMS_SHOWN) {
            table.row(cells(item));
        }
        lines.extend(table.lines());
    }
    if let Some(more) = plan
        .items()
        .len()
        .checked_sub(ITEMS_SHOWN)
        .filter(|more| *more > 0)
    {
        let more = plural(more as u64, "more record", "more records");
        lines.push(format!("… and {more}"));
    }
    for (warning, count) in plan.warnings() {
        let records = plural(count as u64, "record", "records");
        lines.push(format!("warning: {records}: {}", warning_words(warning)));
    }
    for refusal in plan.refused().iter().take(ITEMS_SHOWN) {
        let (address, outcome) = (address_text(&refusal.address), refusal.outcome);
        let (address, word) = (escape::shown(&address, 200), outcome.name(plan.verb()));
        lines.push(format!("left alone: {address} ({word}): {}", refusal.why));
    }
    lines
}

fn cells(item: &Item) -> Vec<String> {
    let mark = if item.age_source.is_inferred() {
        "~"
    } else {
        ""
    };
    let age = item.age.map_or("–".to_owned(), |age: Duration| {
        format!("{mark}{}", span::sentence(age))
    });
    vec![
        item.idempotency_key
            .clone()
            .unwrap_or_else(|| address_text(&item.address)),
        item.layout.to_string(),
        item.operation.clone().unwrap_or_default(),
        age,
        words::lines(&item.change).join("; "),
    ]
}

pub fn report(report: &Report, common: &CommonOptions, output: &mut Output) {
    match Format::chosen(common.format, Shape::Single) {
        Format::Json => output.json(&report::json(report)),
        Format::Jsonl => output.line(&report::json(report).to_string()),
        Format::Csv => {
            let rows = report.keys.iter().map(|key| {
                vec![
                    key.address.clone(),
                    key.outcome.name(report.verb).to_owned(),
                    key.why.clone().unwrap_or_default(),
                ]
            });
            output.csv(&["address", "outcome", "why"], rows);
        }
        Format::Table => table(report, output),
    }
    if let Some(stopped) = &report.stopped {
        output.say(&format!("note: the run ended early: {stopped}"));
    }
    if let Some(id) = &report.journal_id {
        let may_be_done = [Outcome::Done, Outcome::Unknown];
        let is_changed = may_be_done.iter().any(|of| report.tally.of(*of) > 0);
        let way_back = match report.verb {
            crate::domain::change::Verb::Undo => String::new(),
            _ if !is_changed => String::new(),
            _ => format!("; `idemscope undo TARGET {id}` puts back what was changed"),
        };
        output.say(&format!("journal: {id}{way_back}"));
    }
}

fn table(report: &Report, output: &mut Output) {
    for outcome in Outcome::ALL {
        let count = report.tally.of(outcome);
        if count > 0 {
            let word = outcome.name(report.verb).replace('_', " ");
            output.line(&format!("{word:<18} {count}"));
        }
    }
    let is_left = |key: &&KeyReport| key.outcome != Outcome::Done;
    for key in report.keys.iter().filter(is_left).take(ITEMS_SHOWN) {
        let why = key.why.as_deref().unwrap_or("no reason told");
        let address = escape::shown(&key.address, 200);
        output.line(&format!("{address}: {why}"));
    }
}
