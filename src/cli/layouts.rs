//! `idemscope layouts`: the layouts that are known, one of them, or a test of a file.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::error::{CliError, Code};
use super::open;
use super::options::{CommonOptions, no_layout};
use super::output::{Format, Output, Quiet, Shape, Table};
use crate::config;
use crate::domain::change::Verb;
use crate::layouts::{Layout, LogLayout, samples};
use crate::present::span;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// One layout in words
    Show { id: String },
    /// Run the samples inside a layout file
    Test { file: PathBuf },
}

pub fn run(arguments: Arguments) -> Result<Code, CliError> {
    let quiet = if arguments.common.quiet {
        Quiet::Silent
    } else {
        Quiet::Speak
    };
    let mut output = Output::new(quiet);
    match arguments.action {
        Some(Action::Test { file }) => return test(&file, &arguments.common, &mut output),
        Some(Action::Show { id }) => {
            let layouts = open::layouts(&output);
            let layout = layouts.get(&id).ok_or_else(|| no_layout(&id, &layouts))?;
            match Format::chosen(arguments.common.format, Shape::Single) {
                Format::Table => words(layout, &mut output),
                _ => output.json(&describe(layout)),
            }
        }
        None => list(&arguments.common, &mut output),
    }
    Ok(Code::Done)
}

/// What a layout says of each verb.
const RECIPES: [Verb; 3] = [Verb::Release, Verb::Settle, Verb::Purge];

fn list(common: &CommonOptions, output: &mut Output) {
    let layouts = open::layouts(output);
    match Format::chosen(common.format, Shape::List) {
        Format::Json => {
            output.json(&Value::Array(
                layouts.iter().map(|layout| describe(layout)).collect(),
            ));
        }
        Format::Jsonl => {
            layouts
                .iter()
                .for_each(|layout| output.line(&describe(layout).to_string()));
        }
        Format::Csv => {
            let rows = layouts
                .iter()
                .map(|l| vec![l.id.to_string(), l.title.clone(), stores(l)]);
            output.csv(&["id", "title", "stores"], rows);
        }
        Format::Table => {
            let mut table = Table::new(&["id", "stores", "title"], &[]);
            layouts
                .iter()
                .for_each(|l| table.row(vec![l.id.to_string(), stores(l), l.title.clone()]));
            output.table(&table);
        }
    }
}

fn stores(layout: &Layout) -> String {
    let named = [
        (layout.redis.is_some(), "redis"),
        (layout.sql.is_some(), "sql"),
        (layout.log.is_some(), "log"),
    ];
    named
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, name)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn describe(layout: &Layout) -> Value {
    let keys: Vec<&str> = layout
        .redis
        .iter()
        .flat_map(|redis| redis.keys.iter().map(|t| t.text()))
        .collect();
    let columns: Vec<&str> = layout
        .sql
        .iter()
        .flat_map(|sql| sql.columns.iter().map(|c| c.role.as_str()))
        .collect();
    json!({
        "id": &*layout.id,
        "title": layout.title,
        "class": layout.class,
        "about": layout.about,
        "stores": stores(layout),
        "keys": keys,
        "columns": columns,
        "log": layout.log.as_ref().map(describe_log),
        "parameters": layout.param_names,
        "lease": layout.lock.lease.map(span::column),
        "release": layout.recipe_words(Verb::Release),
        "settle": layout.recipe_words(Verb::Settle),
        "purge": layout.recipe_words(Verb::Purge),
    })
}

fn describe_log(log: &LogLayout) -> Value {
    let names = log.wording.names.iter();
    let fields: Map<String, Value> = names
        .map(|name| (name.part.name().to_owned(), name.name.as_str().into()))
        .collect();
    json!({"tables": log.tables, "streams": log.streams, "fields": fields})
}

fn words(layout: &Layout, output: &mut Output) {
    output.line(&format!("{}: {}", layout.id, layout.title));
    output.line(&layout.about);
    output.line("");
    if let Some(redis) = &layout.redis {
        for template in &redis.keys {
            output.line(&format!("key       {}", template.text()));
        }
    }
    if let Some(sql) = &layout.sql {
        for column in &sql.columns {
            let optional = if column.optional { " (optional)" } else { "" };
            output.line(&format!(
                "column    {}{optional}",
                column.names.join(" or ")
            ));
        }
    }
    if let Some(log) = &layout.log {
        for place in log.tables.iter().chain(&log.streams) {
            output.line(&format!("log       {place}"));
        }
        for name in &log.wording.names {
            output.line(&format!("column    {} ({})", name.name, name.part.name()));
        }
    }
    if let Some(lease) = layout.lock.lease {
        output.line(&format!("lease     {}", span::sentence(lease)));
    }
    if let Some(source) = &layout.lock.source {
        output.line(&format!("lock      {source}"));
    }
    for verb in RECIPES {
        let words = layout.recipe_words(verb);
        output.line(&format!("{:<10}{words}", verb.name()));
    }
}

fn test(
    file: &std::path::Path,
    common: &CommonOptions,
    output: &mut Output,
) -> Result<Code, CliError> {
    let layout = match config::layouts::load_file(file) {
        Ok(layout) => Arc::new(layout),
        Err(error) => {
            Output::complain(&CliError::new(Code::Bad, error.to_string()));
            return Ok(Code::Bad);
        }
    };
    let faults = samples::run(&layout);
    let count = layout.spec().sample.len();
    match Format::chosen(common.format, Shape::Single) {
        Format::Table => {
            for fault in &faults {
                output.line(&format!("{}: {}", fault.sample, fault.text));
            }
            let wrong = faults
                .iter()
                .map(|f| &f.sample)
                .collect::<std::collections::BTreeSet<_>>();
            output.line(&format!(
                "{}: {} samples, {} wrong",
                layout.id,
                count,
                wrong.len()
            ));
        }
        _ => {
            let list = faults
                .iter()
                .map(|f| json!({"sample": f.sample, "text": f.text}));
            output.json(&json!({
                "id": &*layout.id, "samples": count, "faults": list.collect::<Vec<_>>(),
            }));
        }
    }
    Ok(if faults.is_empty() {
        Code::Done
    } else {
        Code::Bad
    })
}
