//! `idemscope show TARGET KEY`: one record, whole.

use std::sync::Arc;

use clap::Args;
use serde_json::{Map, Value};

use super::change::choose::refuse_empty;
use super::error::{CliError, Code};
use super::open::{open, unless_interrupted};
use super::options::CommonOptions;
use super::output::{Format, Output, Quiet, Shape};
use crate::domain::raw::Ttl;
use crate::inspect::show::{Shown, Whole, find, unsearchable};
use crate::layouts::Source;
use crate::present::mask::{mask, mask_value};
use crate::present::words::plural;
use crate::present::{escape, record_json, record_members};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store
    target: String,
    /// The idempotency key, a digest, or the address in the store
    key: String,
    /// Show credentials and card numbers inside what is stored; they are masked otherwise
    #[arg(long)]
    reveal: bool,
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
    refuse_empty(&arguments.key)?;
    let opened = open(Some(&arguments.target), &arguments.common, &output).await?;
    let sources: Vec<Arc<Source>> = opened.sources().into_iter().map(Arc::new).collect();
    if sources.is_empty() {
        output.say(&opened.nothing_here());
    }
    let mut found =
        unless_interrupted(async { Ok(find(&opened.session, &sources, &arguments.key).await?) })
            .await?;
    if found.is_empty() {
        output.say(&format!(
            "no record of `{}`",
            escape::shown(&arguments.key, 200)
        ));
        for why in unsearchable(&sources) {
            output.say(&format!("hint: a key alone cannot be looked up in {why}"));
        }
        return Ok(Code::Bad);
    }
    if shares_an_address(&found) {
        output.say("some of these rows have the same address: nothing tells them apart");
    }
    if !arguments.reveal {
        let masked: usize = found.iter_mut().map(mask_whole).sum();
        if masked > 0 {
            let parts = plural(masked as u64, "private part is", "private parts are");
            output.say(&format!("{parts} masked; `--reveal` shows them"));
        }
    }
    match Format::chosen(arguments.common.format, Shape::Single) {
        Format::Json => match found.as_slice() {
            [one] => output.json(&json(one)),
            several => output.json(&Value::Array(several.iter().map(json).collect())),
        },
        Format::Jsonl => found
            .iter()
            .for_each(|whole| output.line(&json(whole).to_string())),
        Format::Table => found.iter().for_each(|whole| table(whole, &mut output)),
        Format::Csv => csv(&found, &mut output),
    }
    Ok(Code::Done)
}

fn shares_an_address(found: &[Whole]) -> bool {
    found.iter().enumerate().any(|(at, whole)| {
        let before = found.iter().take(at);
        before
            .into_iter()
            .any(|known| known.record.address == whole.record.address)
    })
}

/// Masks what nobody has asked for, and counts it.
fn mask_whole(whole: &mut Whole) -> usize {
    let texts = [
        &mut whole.response_headers,
        &mut whole.response_body,
        &mut whole.request_body,
        &mut whole.error,
    ];
    let mut count = 0;
    for shown in texts.into_iter().flatten() {
        let (masked, found) = mask(&shown.text);
        if found > 0 {
            shown.text = masked.into_owned();
        }
        count += found;
    }
    count + mask_value(&mut whole.raw)
}

fn text(shown: &Option<Shown>) -> Value {
    shown
        .as_ref()
        .map_or(Value::Null, |shown| Value::String(shown.text.clone()))
}

fn json(whole: &Whole) -> Value {
    let mut object: Map<String, Value> = record_json(&whole.record, whole.read_at);
    object.insert("response_body".into(), text(&whole.response_body));
    object.insert("response_headers".into(), text(&whole.response_headers));
    object.insert("request_body".into(), text(&whole.request_body));
    object.insert("error".into(), text(&whole.error));
    object.insert("owner".into(), text(&whole.owner));
    object.insert("recovery_point".into(), text(&whole.recovery_point));
    let parts = whole.parts.iter().map(|part| {
        let ttl = match part.ttl {
            Ttl::Left(left) => Value::from(left),
            Ttl::Never | Ttl::Unknown => Value::Null,
        };
        serde_json::json!({
            "address": part.address, "type": part.kind, "ttl_ms": ttl, "bytes": part.bytes,
        })
    });
    object.insert("parts".into(), Value::Array(parts.collect()));
    object.insert("raw".into(), whole.raw.clone());
    let retry = &whole.retry;
    object.insert(
        "retry".into(),
        serde_json::json!({
            "action": retry.action.name(), "status": retry.status, "why": retry.why,
        }),
    );
    Value::Object(object)
}

fn table(whole: &Whole, output: &mut Output) {
    for (name, value) in record_members(&whole.record, whole.read_at) {
        if !value.is_empty() {
            output.line(&format!("{name:<18} {}", escape::shown(&value, 300)));
        }
    }
    for (name, shown) in [
        ("response_headers", &whole.response_headers),
        ("response_body", &whole.response_body),
        ("request_body", &whole.request_body),
        ("error", &whole.error),
        ("owner", &whole.owner),
        ("recovery_point", &whole.recovery_point),
    ] {
        if let Some(shown) = shown {
            output.line(&format!("{name:<18} {}", escape::shown(&shown.text, 4000)));
        }
    }
    let retry = &whole.retry;
    let status = retry
        .status
        .map(|code| format!(" {code}"))
        .unwrap_or_default();
    output.line(&format!(
        "{:<18} {}{status}: {}",
        "retry",
        retry.action.name(),
        retry.why
    ));
    output.line("");
}

fn csv(found: &[Whole], output: &mut Output) {
    let members = |whole: &Whole| record_members(&whole.record, whole.read_at);
    let Some(first) = found.first() else { return };
    let header: Vec<&str> = members(first).into_iter().map(|(name, _)| name).collect();
    let rows = found
        .iter()
        .map(|whole| members(whole).into_iter().map(|(_, v)| v).collect());
    output.csv(&header, rows);
}
