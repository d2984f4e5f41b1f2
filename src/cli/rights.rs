//! `idemscope rights TARGET`: the smallest rights for looking and for repairing what is here.

use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::error::{CliError, Code};
use super::open::open;
use super::options::CommonOptions;
use super::output::{Format, Output, Shape};
use crate::inspect::retries::{LogPlace, find_logs};
use crate::layouts::Source;
use crate::ops::rights::{Log, Rights, rights};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store; without it `IDEMSCOPE_URL`, else the demo store
    target: Option<String>,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let opened = open(arguments.target.as_deref(), &arguments.common, &output).await?;
    let sources: Vec<Arc<Source>> = opened.sources().into_iter().map(Arc::new).collect();
    if sources.is_empty() {
        output.say(&opened.nothing_here());
    }
    let logs = find_logs(&opened.session, &opened.layouts)
        .await
        .unwrap_or_default();
    let logs: Vec<Log> = logs.places.iter().map(log).collect();
    let rights = rights(&opened.target, &opened.session.facts, &sources);
    let rights = match sources.is_empty() && logs.is_empty() {
        true => rights,
        false => rights.with_logs(&opened.target, &opened.session.facts, &logs),
    };
    match Format::chosen(arguments.common.format, Shape::Single) {
        Format::Json => output.json(&json(&opened.session.label, &rights)),
        Format::Jsonl => output.line(&json(&opened.session.label, &rights).to_string()),
        Format::Csv => {
            let looking = rights.looking.iter().map(|line| ("looking", line));
            let repairing = rights.repairing.iter().map(|line| ("repairing", line));
            let rows = looking.chain(repairing);
            output.csv(
                &["for", "rights"],
                rows.map(|(what, line)| vec![what.to_owned(), line.clone()]),
            );
        }
        Format::Table => {
            for (title, lines) in [
                ("to look", &rights.looking),
                ("to look and to repair", &rights.repairing),
            ] {
                if !lines.is_empty() {
                    output.line(&format!("# {title}"));
                    lines.iter().for_each(|line| output.line(line));
                    output.line("");
                }
            }
            for note in &rights.notes {
                output.line(&format!("# {note}"));
            }
        }
    }
    Ok(Code::Done)
}

fn log(place: &LogPlace) -> Log {
    match place {
        LogPlace::Stream(_) => Log::Stream(place.name()),
        LogPlace::Table(table) => Log::Table(table.schema.to_string(), table.table.to_string()),
    }
}

fn json(target: &str, rights: &Rights) -> serde_json::Value {
    json!({
        "target": target,
        "looking": rights.looking,
        "repairing": rights.repairing,
        "notes": rights.notes,
    })
}
