//! Figures as a table on a terminal.

use serde_json::{Map, Value};

use crate::cli::output::{Output, Table};
use crate::domain::{Duration, Timestamp};
use crate::inspect::retries::{LogPlace, Told, words};
use crate::present::clock::iso_utc;
use crate::present::count::{Font, grouped, share};
use crate::present::span;
use crate::stats::{Ending, Storm, StormKind};

/// Lines of places and storms.
const LINES_MAX: usize = 12;

pub fn table(told: &Told, output: &mut Output) {
    let report = &told.report;
    let to = told.now.min(report.span.to);
    output.line(&format!(
        "{} attempts from {} to {}{}",
        grouped(report.entries, Font::Text),
        iso_utc(Timestamp(report.span.from)),
        iso_utc(Timestamp(to)),
        if told.complete {
            ""
        } else {
            ", not all was read"
        },
    ));
    let logs: Vec<String> = told.logs.places.iter().map(LogPlace::name).collect();
    if !logs.is_empty() {
        output.line(&format!("read from {}", logs.join(", ")));
    }
    if let Some((entries, stand_for)) = report.sampled {
        output.line(&format!(
            "the log is a sample: {} of the entries stand for several attempts, all together for about {}",
            grouped(entries, Font::Text),
            grouped(stand_for, Font::Text),
        ));
    }
    output.line("");
    let mut table = Table::new(&["figure", "value", "of", "source", "note"], &[1, 2]);
    for (name, figure) in told.figures() {
        if ["storms", "breakdown"].contains(&name.as_str()) {
            continue;
        }
        let text = |member: &str| figure.get(member).and_then(Value::as_str).unwrap_or("");
        let sample = figure.get("sample").and_then(Value::as_u64).unwrap_or(0);
        let is_whole = figure.get("complete").and_then(Value::as_bool) == Some(true);
        let note = match (text("why"), text("estimate")) {
            ("", "") if is_whole => "",
            ("", "") => "not all",
            ("", estimate) => estimate,
            (why, _) => why,
        };
        table.row(vec![
            name.replace('_', " "),
            value(&name, &figure),
            if sample == 0 {
                String::new()
            } else {
                grouped(sample, Font::Text)
            },
            text("source").replace('_', " "),
            note.to_owned(),
        ]);
    }
    output.table(&table);
    outcomes(told, output);
    places(told, output);
    storms(told, output);
}

/// The value of a figure in a few words.
fn value(name: &str, figure: &Value) -> String {
    let number = |member: &str| figure.get(member).and_then(Value::as_f64);
    match figure.get("value") {
        None | Some(Value::Null) => "–".to_owned(),
        Some(Value::Number(value)) => {
            let value = value.as_f64().unwrap_or(0.0);
            match name {
                "keyed_share" | "retry_rate" => format!("{:.1} %", value * 100.0),
                "oldest_lock" => span::sentence(Duration(value as i64)),
                _ => grouped(value as u64, Font::Text),
            }
        }
        Some(Value::Object(parts)) => match name {
            "attempts_per_key" => format!("{:.2} on average", number("mean").unwrap_or(0.0)),
            "outcomes" => String::new(),
            _ => parts
                .iter()
                .filter(|(_, value)| !value.is_object() && !value.is_null())
                .map(|(part, value)| part_text(part, value))
                .collect::<Vec<_>>()
                .join(", "),
        },
        Some(other) => other.to_string(),
    }
}

fn part_text(part: &str, value: &Value) -> String {
    let number = value.as_f64().unwrap_or(0.0);
    match part.strip_suffix("_ms") {
        Some(part) => format!("{part} {}", short_time(number as u64)),
        None if part.starts_with("past") || part.starts_with("after") => {
            format!("{} {:.1} %", part.replace('_', " "), number * 100.0)
        }
        None => format!("{part} {}", grouped(number as u64, Font::Text)),
    }
}

/// `40 ms`, `4.8 s`, `3 h 12 min`.
fn short_time(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{:.1} s", ms as f64 / 1_000.0),
        _ => span::sentence(Duration(i64::try_from(ms).unwrap_or(i64::MAX))),
    }
}

fn outcomes(told: &Told, output: &mut Output) {
    let figures = told.figures();
    let Some(Value::Object(counts)) = figures.get("outcomes").and_then(|all| all.get("value"))
    else {
        return;
    };
    let unknown = figures
        .get("outcomes")
        .and_then(|all| all.get("unknown_words"));
    let empty = Map::new();
    let unknown = unknown.and_then(Value::as_object).unwrap_or(&empty);
    output.line("");
    let mut table = Table::new(&["outcome", "attempts", "share"], &[1, 2]);
    for (name, count) in counts.iter().chain(unknown) {
        let count = count.as_u64().unwrap_or(0);
        if count > 0 {
            let share = share(count, told.report.entries).unwrap_or_default();
            let name = if unknown.contains_key(name) {
                format!("{name} (unknown)")
            } else {
                name.clone()
            };
            table.row(vec![name, grouped(count, Font::Text), share]);
        }
    }
    output.table(&table);
}

fn places(told: &Told, output: &mut Output) {
    if told.report.places.is_empty() {
        return;
    }
    output.line("");
    let header = [
        "operation",
        "client",
        "attempts",
        "per key",
        "retries",
        "again",
    ];
    let mut table = Table::new(&header, &[2, 3, 4, 5]);
    for place in told.report.places.iter().take(LINES_MAX) {
        let row = &place.row;
        let per_key = place.keys.filter(|keys| *keys > 0);
        table.row(vec![
            place.name.as_deref().unwrap_or("others").to_owned(),
            place.client.as_deref().unwrap_or("–").to_owned(),
            grouped(row.attempts, Font::Text),
            per_key.map_or("–".to_owned(), |keys| {
                format!("{:.2}", row.attempts as f64 / keys as f64)
            }),
            share(row.retries, row.told).unwrap_or("–".to_owned()),
            grouped(
                row.of_family(crate::domain::attempt::Family::Repeated),
                Font::Text,
            ),
        ]);
    }
    output.table(&table);
}

fn storms(told: &Told, output: &mut Output) {
    let Ok(storms) = &told.report.storms.value else {
        return;
    };
    for storm in storms.iter().take(LINES_MAX) {
        output.line("");
        output.line(&storm_text(storm));
    }
    if storms.len() > LINES_MAX {
        output.line(&format!("… and {} more storms", storms.len() - LINES_MAX));
    }
    if told.report.storms.value.is_err() {
        output.line(&words::why(crate::stats::Why::NoNumbers));
    }
}

fn storm_text(storm: &Storm) -> String {
    let what = match storm.kind {
        StormKind::Operation => "storm",
        StormKind::Key => "storm on one key",
        StormKind::Synchrony => "retries without jitter",
        StormKind::Amplification => "many attempts for few keys",
    };
    let ending = match storm.ending {
        Ending::Success => "ended with success",
        Ending::Expiry => "ended when records expired",
        Ending::GivenUp => "ended when clients gave up",
        Ending::GoesOn => "goes on",
    };
    let about = if storm.keys_exact { "" } else { "about " };
    format!(
        "{what}: {} from {} to {}, {} retries, {} in its busiest ten seconds, {about}{} keys, {} clients, most from {}, {ending}",
        storm.operation.as_deref().unwrap_or("–"),
        iso_utc(Timestamp(storm.from)),
        iso_utc(Timestamp(storm.to)),
        grouped(storm.retries, Font::Text),
        grouped(storm.peak, Font::Text),
        grouped(storm.keys, Font::Text),
        grouped(storm.clients, Font::Text),
        storm.client.as_deref().unwrap_or("–"),
    )
}
