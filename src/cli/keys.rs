//! `idemscope keys TARGET`: list records.

use clap::{Args, ValueEnum};

use super::error::{CliError, Code};
use super::open::{Opened, open};
use super::options::CommonOptions;
use super::output::{Format, Output, Quiet, Shape, Table};
use super::scan::{self, Scanned};
use crate::domain::record::Record;
use crate::domain::stuck::judge;
use crate::domain::{Status, Timestamp};
use crate::inspect::catalogue::RowId;
use crate::inspect::filter;
use crate::inspect::sort::{Direction, Order, SortField, sort};
use crate::inspect::{Cancel, Filter};
use crate::present::record_json::{MEMBERS, never_expires};
use crate::present::words::Standing;
use crate::present::{record_json, record_members, span};
use crate::stores::Family;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store; without it `IDEMSCOPE_URL`, else the demo store
    target: Option<String>,
    /// Only what fits: the filter language of the window
    #[arg(long, value_name = "Q", allow_hyphen_values = true)]
    query: Option<String>,
    /// Only this status (repeatable)
    #[arg(long, value_enum)]
    status: Vec<StatusChoice>,
    /// Only locks that are stuck
    #[arg(long)]
    stuck: bool,
    /// Only records whose time has passed
    #[arg(long)]
    expired: bool,
    /// Order by this: default, status, key, scope, operation, age, ttl, hash, response, attempts,
    /// layout; a `-` in front turns it around
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    sort: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// End with 1 if there are any
    #[arg(long)]
    fail_if_any: bool,
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatusChoice {
    Processing,
    Completed,
    Failed,
    Unknown,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let quiet = if arguments.common.quiet {
        Quiet::Silent
    } else {
        Quiet::Speak
    };
    let mut output = Output::new(quiet);
    let filter = filter_of(&arguments)?;
    let order = order_of(arguments.sort.as_deref())?;
    let opened = open(arguments.target.as_deref(), &arguments.common, &output).await?;
    if opened.detection.found.is_empty() {
        output.say(&opened.nothing_here());
    }
    let scanned = scan::run(&opened, &arguments.common, &output).await;
    let now = opened.session.now();
    let mut rows =
        filter::run(&scanned.snapshot, &filter, now, &Cancel::never()).unwrap_or_default();
    rows = sort(&scanned.snapshot, &rows, order, now, &Cancel::never()).unwrap_or(rows);
    rows.truncate(arguments.limit.unwrap_or(usize::MAX));
    print(&arguments, &scanned, &rows, now, &mut output);
    drop(output);
    notes(&opened, &scanned, quiet);
    match scanned.early {
        Some(error) => Err(error),
        None if arguments.fail_if_any && !rows.is_empty() => Ok(Code::Bad),
        None => Ok(Code::Done),
    }
}

/// What is to be said about what is not in the list.
fn notes(opened: &Opened, scanned: &Scanned, quiet: Quiet) {
    let output = Output::new(quiet);
    let refused = scanned.progress.refused;
    if refused > 0 {
        output.say(&format!(
            "note: {refused} keys are outside what this login may read"
        ));
    }
    let counted = scanned.snapshot.counts().counted_only_total();
    if counted > 0 {
        output.say(&format!(
            "note: {counted} more records are counted only: narrow the query"
        ));
    }
    if opened.session.family() == Family::Tables && !opened.detection.complete {
        output.say("note: not every table that may hold records was looked at: see `--set table=`");
    }
    for found in opened
        .detection
        .found
        .iter()
        .filter(|found| !found.is_sure())
    {
        let (layout, place) = (&found.source.layout.id, found.source.place_text());
        output.say(&format!(
            "note: not sure that {place} is `{layout}`: see `idemscope detect`"
        ));
    }
}

fn filter_of(arguments: &Arguments) -> Result<Filter, CliError> {
    let mut text = arguments.query.clone().unwrap_or_default();
    // A mistake in the query is told by itself, before anything is added to it.
    if let Err(error) = Filter::new(&text) {
        let marked = text.get(error.span.clone()).unwrap_or_default();
        let mut wrong = CliError::new(
            Code::Wrong,
            format!("`{marked}` in the query: {}", error.text),
        );
        wrong.hint = error.hint;
        return Err(wrong);
    }
    for status in &arguments.status {
        let name = match status {
            StatusChoice::Processing => Status::Processing,
            StatusChoice::Completed => Status::Completed,
            StatusChoice::Failed => Status::Failed,
            StatusChoice::Unknown => Status::Unknown,
        };
        text.push_str(&format!(" status:{}", name.name()));
    }
    let mut filter = Filter::new(&text).map_err(|error| CliError::new(Code::Wrong, error.text))?;
    // Both flags together mean both: two filters, one after the other, would not.
    for (asked, term) in [
        (arguments.stuck, "is:stuck"),
        (arguments.expired, "is:expired"),
    ] {
        if asked {
            filter
                .require(term)
                .map_err(|error| CliError::new(Code::Wrong, error.text))?;
        }
    }
    Ok(filter)
}

fn order_of(text: Option<&str>) -> Result<Order, CliError> {
    let Some(text) = text else {
        return Ok(Order::default());
    };
    let (name, direction) = match text.strip_prefix('-') {
        Some(name) => (name, Direction::Descending),
        None => (text, Direction::Ascending),
    };
    let field = SortField::named(name).ok_or_else(|| {
        let names: Vec<&str> = SortField::ALL.iter().map(|field| field.name()).collect();
        CliError::with_hint(
            Code::Wrong,
            format!("there is no order by `{name}`"),
            names.join(", "),
        )
    })?;
    Ok(Order { field, direction })
}

fn print(
    arguments: &Arguments,
    scanned: &Scanned,
    rows: &[RowId],
    now: Timestamp,
    output: &mut Output,
) {
    let records = rows
        .iter()
        .filter_map(|row| scanned.snapshot.row(*row).map(|row| row.record()));
    match Format::chosen(arguments.common.format, Shape::List) {
        Format::Jsonl => {
            for record in records {
                let object = serde_json::Value::Object(record_json(&record, now));
                output.line(&object.to_string());
            }
        }
        Format::Json => {
            // One array, written as it comes: a million records need no second copy.
            output.line("[");
            let mut records = records.peekable();
            while let Some(record) = records.next() {
                let object = serde_json::Value::Object(record_json(&record, now));
                let comma = if records.peek().is_some() { "," } else { "" };
                output.line(&format!("  {object}{comma}"));
            }
            output.line("]");
        }
        Format::Csv => {
            let rows = records.map(|record| {
                record_members(&record, now)
                    .into_iter()
                    .map(|(_, value)| value)
                    .collect()
            });
            output.csv(&MEMBERS, rows);
        }
        Format::Table => table(records, now, output),
    }
}

fn table(records: impl Iterator<Item = Record>, now: Timestamp, output: &mut Output) {
    let header = &[
        "status",
        "key",
        "scope",
        "operation",
        "age",
        "ttl",
        "hash",
        "response",
        "layout",
    ];
    let mut table = Table::new(header, &[4, 5, 7]);
    for record in records {
        table.row(cells(&record, now));
    }
    output.table(&table);
}

fn cells(record: &Record, now: Timestamp) -> Vec<String> {
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let stuck = verdict.map_or(crate::domain::Stuck::CannotTell, |verdict| verdict.stuck);
    let standing = Standing::of(record.status, stuck, record.expired(now));
    let dash = || "–".to_owned();
    let key = record
        .idempotency_key
        .clone()
        .or_else(|| record.key_digest.clone());
    let operation = match (&record.operation, &record.method, &record.path) {
        (Some(operation), _, _) => Some(operation.clone()),
        (None, Some(method), Some(path)) => Some(format!("{method} {path}")),
        (None, method, path) => path.clone().or_else(|| method.clone()),
    };
    let start = verdict
        .and_then(|verdict| verdict.start)
        .or(record.locked_at)
        .or(record.created_at);
    let inferred = verdict.is_some_and(|verdict| verdict.source.is_inferred());
    let age = start.map(|start| {
        format!(
            "{}{}",
            if inferred { "~" } else { "" },
            span::column(start.until(now))
        )
    });
    let ttl = match record.expiry() {
        Some(expiry) if expiry < now => "passed".to_owned(),
        Some(expiry) => span::column(now.until(expiry)),
        None if never_expires(record) == Some(true) => "never".to_owned(),
        None => dash(),
    };
    let hash = record
        .payload_hash
        .as_ref()
        .map(|hash| hash.chars().take(8).collect());
    vec![
        standing.word(),
        key.unwrap_or_else(dash),
        record.scope_text().unwrap_or_else(dash),
        operation.unwrap_or_else(dash),
        age.unwrap_or_else(dash),
        ttl,
        hash.unwrap_or_else(dash),
        record
            .response_status
            .map_or_else(dash, |code| code.to_string()),
        record.layout.to_string(),
    ]
}
