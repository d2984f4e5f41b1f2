//! `idemscope summary TARGET`: counts, and what stands out.

use clap::Args;
use serde_json::{Map, Value, json};

use super::error::{CliError, Code};
use super::open::{Opened, open};
use super::options::CommonOptions;
use super::output::{Format, Output, Quiet, Shape, Table};
use super::scan::{self, Scanned};
use crate::domain::Status;
use crate::inspect::findings::{Finding, Ground, findings, look_at_bodies};
use crate::inspect::summary::{Named, Rows, summarize};
use crate::inspect::{Cancel, Summary};
use crate::present::count::{Font, grouped};
use crate::present::span;

/// Scopes and operations that are named.
const NAMES_MAX: usize = 1000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store; without it `IDEMSCOPE_URL`, else the demo store
    target: Option<String>,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let quiet = if arguments.common.quiet {
        Quiet::Silent
    } else {
        Quiet::Speak
    };
    let mut output = Output::new(quiet);
    let opened = open(arguments.target.as_deref(), &arguments.common, &output).await?;
    if opened.detection.found.is_empty() {
        output.say(&opened.nothing_here());
    }
    let scanned = scan::run(&opened, &arguments.common, &output).await;
    let now = opened.session.now();
    let bodies = look_at_bodies(&opened.session, &scanned.snapshot).await;
    let summary = summarize(
        &scanned.snapshot,
        Rows::All,
        NAMES_MAX,
        now,
        &Cancel::never(),
    )
    .unwrap_or_default();
    let ground = Ground {
        snapshot: &scanned.snapshot,
        summary: &summary,
        facts: &opened.session.facts,
        bodies: bodies.as_ref().ok(),
        now,
    };
    let found = findings(&ground, &Cancel::never()).unwrap_or_default();
    match Format::chosen(arguments.common.format, Shape::Single) {
        Format::Json => output.json(&answer(&opened, &scanned, &summary, &found)),
        Format::Jsonl => output.line(&answer(&opened, &scanned, &summary, &found).to_string()),
        Format::Csv => {
            let oldest = summary.oldest_lock.map(|age| age.millis().to_string());
            let rows = counts(&summary)
                .into_iter()
                .map(|(name, count)| vec![name.to_owned(), count.to_string()])
                .chain([vec![
                    "oldest lock ms".to_owned(),
                    oldest.unwrap_or_default(),
                ]]);
            output.csv(&["fact", "value"], rows);
        }
        Format::Table => table(&summary, &found, &scanned, &mut output),
    }
    match scanned.early {
        Some(error) => Err(error),
        None => Ok(Code::Done),
    }
}

fn answer(opened: &Opened, scanned: &Scanned, summary: &Summary, found: &[Finding]) -> Value {
    let by_status: Map<String, Value> = Status::ALL
        .into_iter()
        .map(|status| (status.name().to_owned(), summary.of_status(status).into()))
        .collect();
    json!({
        "target": opened.session.label,
        "complete": scanned.progress.done,
        "total": summary.total,
        "by_status": by_status,
        "by_layout": named(&summary.by_layout),
        "by_scope": named(&summary.by_scope),
        "by_operation": named(&summary.by_operation),
        "expired": summary.expired,
        "stuck": summary.stuck,
        "stuck_unknown": summary.stuck_unknown,
        "oldest_lock_ms": summary.oldest_lock.map(|age| age.millis()),
        "never_expires": summary.never_expires,
        "findings": found.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn named(named: &Named) -> Map<String, Value> {
    named
        .counts
        .iter()
        .map(|(name, count)| (name.clone(), (*count).into()))
        .collect()
}

/// One line of what is wrong, with the filter that shows the records.
fn finding(finding: &Finding) -> Value {
    json!({
        "id": finding.id(),
        "text": finding.text(),
        "count": finding.count,
        "query": finding.query,
    })
}

fn counts(summary: &Summary) -> Vec<(&'static str, u64)> {
    let of_status = |status: Status| (status.name(), summary.of_status(status));
    std::iter::once(("records", summary.total))
        .chain(Status::ALL.into_iter().map(of_status))
        .chain([
            ("expired", summary.expired),
            ("stuck", summary.stuck),
            ("stuck cannot be told", summary.stuck_unknown),
            ("never expires", summary.never_expires),
        ])
        .collect()
}

fn table(summary: &Summary, found: &[Finding], scanned: &Scanned, output: &mut Output) {
    let mut table = Table::new(&["fact", "value"], &[1]);
    for (name, count) in counts(summary) {
        table.row(vec![name.to_owned(), grouped(count, Font::Text)]);
    }
    let oldest = summary.oldest_lock.map_or("–".to_owned(), span::sentence);
    table.row(vec!["oldest lock".to_owned(), oldest]);
    output.table(&table);
    for (title, named) in [
        ("layout", &summary.by_layout),
        ("operation", &summary.by_operation),
        ("scope", &summary.by_scope),
    ] {
        if named.counts.is_empty() {
            continue;
        }
        output.line("");
        let mut table = Table::new(&[title, "records"], &[1]);
        for (name, count) in named.counts.iter().take(10) {
            table.row(vec![name.clone(), grouped(*count, Font::Text)]);
        }
        output.table(&table);
    }
    for finding in found {
        output.line("");
        output.line(&format!("{} ({})", finding.text(), finding.query));
    }
    if !scanned.progress.done {
        output.say("note: not all of the store was read");
    }
}
