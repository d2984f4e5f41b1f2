//! `idemscope detect TARGET`: which layouts are here, how sure that is, and why.

use clap::Args;
use serde_json::{Map, Value, json};

use super::error::{CliError, Code};
use super::open::{Opened, open};
use super::options::CommonOptions;
use super::output::{Format, Output, Quiet, Shape, Table};
use crate::layouts::detect::Found;
use crate::present::span;

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
    match Format::chosen(arguments.common.format, Shape::Single) {
        Format::Json => output.json(&answer(&opened)),
        Format::Jsonl => output.line(&answer(&opened).to_string()),
        Format::Table => table(&opened, &mut output),
        Format::Csv => {
            let rows = opened.detection.found.iter().map(|found| {
                vec![
                    found.source.layout.id.to_string(),
                    found.source.place_text(),
                    format!("{:.2}", found.score),
                    found.matched.to_string(),
                ]
            });
            output.csv(&["layout", "where", "score", "matched"], rows);
        }
    }
    Ok(Code::Done)
}

fn answer(opened: &Opened) -> Value {
    let detection = &opened.detection;
    let refused = detection.refused.iter().map(|refused| {
        json!({"where": refused.place, "resembles": refused.resembles, "why": refused.why})
    });
    json!({
        "target": opened.session.label,
        "sampled": detection.sampled,
        "complete": detection.complete,
        "layouts": detection.found.iter().map(layout).collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
    })
}

fn layout(found: &Found) -> Value {
    let source = &found.source;
    let mut parameters = Map::new();
    for (name, value) in &source.params.0 {
        parameters.insert(name.clone(), Value::String(span::column(*value)));
    }
    if let Some(lease) = source.lease() {
        parameters.insert("lease".into(), Value::String(span::column(lease)));
    }
    json!({
        "id": &*source.layout.id,
        "title": source.layout.title,
        "score": (f64::from(found.score) * 100.0).round() / 100.0,
        "reasons": found.reasons,
        "matched": found.matched,
        "examples": found.examples,
        "parameters": parameters,
        "where": source.place_text(),
    })
}

fn table(opened: &Opened, output: &mut Output) {
    let mut table = Table::new(&["layout", "where", "score", "matched", "sure"], &[2, 3]);
    for found in &opened.detection.found {
        table.row(vec![
            found.source.layout.id.to_string(),
            found.source.place_text(),
            format!("{:.2}", found.score),
            found.matched.to_string(),
            if found.is_sure() {
                "yes"
            } else {
                "have a look"
            }
            .to_owned(),
        ]);
    }
    output.table(&table);
    for found in &opened.detection.found {
        output.line("");
        output.line(&format!(
            "{} in {}",
            found.source.layout.id,
            found.source.place_text()
        ));
        for reason in &found.reasons {
            output.line(&format!("  {reason}"));
        }
    }
    for refused in &opened.detection.refused {
        output.line("");
        output.line(&format!(
            "not taken: {} resembles {}",
            refused.place, refused.resembles
        ));
        for why in &refused.why {
            output.line(&format!("  {why}"));
        }
    }
}
