//! `idemscope journal`: past runs, and what came of each key.
//!
//! Invariant: of what a record held nothing is printed.

use clap::Args;
use serde_json::{Value, json};

use super::error::{CliError, Code};
use super::options::CommonOptions;
use super::output::{Format, Output, Shape, Table};
use crate::domain::change::Outcome;
use crate::ops::journal::{ChainState, Depth, Entry, Run, list, read, usual_folder};
use crate::present::clock::iso_utc;

#[derive(Debug, Args)]
pub struct Arguments {
    /// One run, with what came of each key
    id: Option<String>,
    #[command(flatten)]
    common: CommonOptions,
}

pub fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let folder = usual_folder()
        .ok_or_else(|| CliError::new(Code::Wrong, "there is no home folder for the journal"))?;
    let runs = match &arguments.id {
        Some(id) => {
            let run = read(&folder, id, Depth::Outcomes)
                .map_err(|error| CliError::new(Code::Wrong, error.text))?;
            one(&run, &arguments.common, &mut output);
            vec![run]
        }
        None => {
            let (runs, wrong) = list(&folder);
            for error in wrong {
                output.say(&format!("warning: {error}"));
            }
            many(&runs, &arguments.common, &mut output);
            runs
        }
    };
    for run in &runs {
        if let Some(text) = chain_words(&run.chain) {
            output.say(&format!("warning: {}: {text}", run.header.id));
        }
    }
    let is_altered = |run: &Run| !matches!(run.chain, ChainState::Whole | ChainState::BrokenTail);
    Ok(match runs.iter().any(is_altered) {
        true => Code::Bad,
        false => Code::Done,
    })
}

/// What is wrong with the lines of a run; `None` where nothing is.
fn chain_words(chain: &ChainState) -> Option<String> {
    Some(match chain {
        ChainState::Whole => return None,
        ChainState::BrokenTail => {
            "the last line breaks off: the program or the machine stopped there".to_owned()
        }
        ChainState::Altered(line) => format!("altered from line {line} on"),
        ChainState::BeforeMissing(before) => {
            format!("run `{before}` before it is missing, or not what it was")
        }
    })
}

fn chain_name(chain: &ChainState) -> &'static str {
    match chain {
        ChainState::Whole => "whole",
        ChainState::BrokenTail => "broken_tail",
        ChainState::Altered(_) => "altered",
        ChainState::BeforeMissing(_) => "before_missing",
    }
}

fn members(run: &Run) -> Value {
    let header = &run.header;
    json!({
        "journal_id": header.id,
        "verb": header.verb.name(),
        "target": header.target,
        "connection": header.connection,
        "production": header.production,
        "login": header.login,
        "by": header.by,
        "host": header.host,
        "reason": header.reason,
        "at_ms": header.started_at.millis(),
        "ended_at_ms": run.end.as_ref().map(|end| end.at.millis()),
        "stopped": run.end.as_ref().and_then(|end| end.stopped.clone()),
        "undoes": header.undoes,
        "planned": header.planned,
        "outcomes": run.tally().json(header.verb),
        "chain": chain_name(&run.chain),
    })
}

fn outcome_of(entry: &Entry) -> Outcome {
    entry.outcome.unwrap_or(Outcome::Unknown)
}

fn why_of(entry: &Entry) -> Option<String> {
    let said = match entry.outcome {
        None => Some("the run ended before its outcome was written"),
        Some(_) => entry.why.as_deref(),
    };
    let found = entry.found.map(crate::ops::run::found_words);
    let parts: Vec<&str> = said.into_iter().chain(found).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Each key with what came of it.
fn keys(run: &Run) -> Vec<(String, Outcome, Option<String>)> {
    let entries = run
        .entries
        .iter()
        .map(|entry| (entry.address_text.clone(), outcome_of(entry), why_of(entry)));
    let left = run
        .left
        .iter()
        .map(|left| (left.address.clone(), left.outcome, Some(left.why.clone())));
    entries.chain(left).collect()
}

fn one(run: &Run, common: &CommonOptions, output: &mut Output) {
    let verb = run.header.verb;
    let whole = || {
        let mut value = members(run);
        let keys = keys(run).into_iter().map(|(address, outcome, why)| {
            json!({"address": address, "outcome": outcome.name(verb), "why": why})
        });
        if let Value::Object(members) = &mut value {
            members.insert("keys".to_owned(), keys.collect());
        }
        value
    };
    match Format::chosen(common.format, Shape::Single) {
        Format::Json => output.json(&whole()),
        Format::Jsonl => output.line(&whole().to_string()),
        Format::Csv => {
            let rows = keys(run).into_iter().map(|(address, outcome, why)| {
                let why = why.unwrap_or_default();
                vec![address, outcome.name(verb).to_owned(), why]
            });
            output.csv(&["address", "outcome", "why"], rows);
        }
        Format::Table => {
            for (name, value) in facts(run) {
                output.line(&format!("{name:<10} {value}"));
            }
            output.line("");
            let mut table = Table::new(&["record", "outcome", "why"], &[]);
            for (address, outcome, why) in keys(run) {
                let word = outcome.name(verb).replace('_', " ");
                table.row(vec![address, word, why.unwrap_or_default()]);
            }
            output.table(&table);
        }
    }
}

fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let header = &run.header;
    let by = [&header.by, &header.host].map(|name| name.clone().unwrap_or_default());
    let mut facts = vec![
        ("run", header.id.clone()),
        ("verb", header.verb.name().to_owned()),
        ("target", header.target.clone()),
        ("at", iso_utc(header.started_at)),
        ("by", by.join(" on ")),
    ];
    let more = [
        ("login", &header.login),
        ("reason", &header.reason),
        ("undoes", &header.undoes),
    ];
    for (name, value) in more {
        facts.extend(value.clone().map(|value| (name, value)));
    }
    match &run.end {
        Some(end) => facts.extend(end.stopped.clone().map(|why| ("stopped", why))),
        None => facts.push(("stopped", "the program ended before the run did".to_owned())),
    }
    facts
}

fn many(runs: &[Run], common: &CommonOptions, output: &mut Output) {
    match Format::chosen(common.format, Shape::List) {
        Format::Json => output.json(&runs.iter().map(members).collect()),
        Format::Jsonl => runs
            .iter()
            .for_each(|run| output.line(&members(run).to_string())),
        Format::Csv => {
            let header = [
                "journal_id",
                "at",
                "verb",
                "target",
                "by",
                "outcomes",
                "reason",
            ];
            output.csv(&header, runs.iter().map(line));
        }
        Format::Table => {
            let header = ["run", "at", "verb", "target", "by", "outcomes", "reason"];
            let mut table = Table::new(&header, &[]);
            for run in runs {
                table.row(line(run));
            }
            output.table(&table);
        }
    }
}

fn line(run: &Run) -> Vec<String> {
    let header = &run.header;
    let tally = run.tally();
    let counts = Outcome::ALL
        .into_iter()
        .filter(|outcome| tally.of(*outcome) > 0);
    let counts: Vec<String> = counts
        .map(|outcome| {
            let word = outcome.name(header.verb).replace('_', " ");
            format!("{} {word}", tally.of(outcome))
        })
        .collect();
    vec![
        header.id.clone(),
        iso_utc(header.started_at),
        header.verb.name().to_owned(),
        header
            .connection
            .clone()
            .unwrap_or_else(|| header.target.clone()),
        header.by.clone().unwrap_or_default(),
        counts.join(", "),
        header.reason.clone().unwrap_or_default(),
    ]
}
