//! `idemscope stats TARGET`: retry statistics, each figure with its source.

mod human;
mod watch;

use std::sync::Arc;

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::error::{CliError, Code};
use super::open::{Opened, open};
use super::options::{CommonOptions, period};
use super::output::{Format, FormatChoice, Output, Shape};
use super::scan::{self, Scanned};
use crate::domain;
use crate::inspect::Cancel;
use crate::inspect::retries::monitor::monitor;
use crate::inspect::retries::{Beside, Logs, Reader, Told, beside, find_logs};
use crate::inspect::summary::{Rows, summarize};
use crate::present::count::{Font, grouped};
use crate::stats::{Span, Tally, Terms};
use crate::sys::clock::Stopwatch;

#[derive(Debug, Args)]
#[command(mut_arg("format", |arg| arg.value_parser(clap::value_parser!(FormatChoice))))]
pub struct Arguments {
    /// The store; without it `IDEMSCOPE_URL`, else the demo store
    target: Option<String>,
    /// How far back to look
    #[arg(
        long,
        visible_alias = "since",
        value_name = "DURATION",
        default_value = "24h"
    )]
    window: String,
    /// How long records are kept, where no layout says it
    #[arg(long, value_name = "DURATION")]
    retention: Option<String>,
    /// Leave the records alone: read the log only
    #[arg(long)]
    no_records: bool,
    /// Go on, and tell the figures again and again
    #[arg(long)]
    watch: bool,
    /// Watch every command of a Redis for so long first, at most a minute: slows the server
    #[arg(long, value_name = "DURATION")]
    monitor: Option<String>,
    /// How often, with --watch
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    every: String,
    #[command(flatten)]
    common: CommonOptions,
}

/// Everything that a look needs.
struct Look {
    opened: Opened,
    logs: Logs,
    terms: Terms,
    window: domain::Duration,
    beside: Beside,
    format: Option<FormatChoice>,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let output = Output::of(&arguments.common);
    let window = period("--window", &arguments.window)?;
    let every = period("--every", &arguments.every)?;
    let retention = arguments.retention.as_deref();
    let retention = retention
        .map(|text| period("--retention", text))
        .transpose()?;
    if window.millis() < 1_000 || every.millis() < 100 {
        let text = "a window has a second at least, and looks are a tenth of a second apart";
        return Err(CliError::new(Code::Wrong, text));
    }
    let monitored = monitored(arguments.monitor.as_deref())?;
    let watch = Stopwatch::start();
    let opened = open(arguments.target.as_deref(), &arguments.common, &output).await?;
    let logs = find_logs(&opened.session, &opened.layouts).await?;
    for (place, why) in &logs.refused {
        output.say(&format!("note: {place} is not read as a retry log: {why}"));
    }
    if logs.places.is_empty() {
        output.say("note: no retry log found; docs/stats.md says how one is written");
    }
    let mut look = Look {
        terms: terms(&opened, &arguments.common, retention)?,
        logs,
        window,
        beside: Beside::unasked(),
        format: arguments.common.format,
        opened,
    };
    let sources = look.opened.sources();
    look.beside = beside(&look.opened.session, &sources).await;
    let open_for = i64::try_from(watch.elapsed().as_millis()).unwrap_or(i64::MAX);
    // Before the records are read: reading a value counts as use.
    let known = (open_for, retention);
    look.beside.touched = beside::touched(&look.opened.session, &sources, known).await;
    if let Some(span) = monitored {
        output.say(MONITOR_COSTS);
        look.beside.monitor = monitor(&look.opened.session, &sources, span).await;
    }
    match arguments.watch {
        true => watch::run(look, &arguments, every, output).await,
        false => once(look, &arguments, output).await,
    }
}

const MONITOR_COSTS: &str = "warning: MONITOR slows the server down while it runs, to half of its \
     speed perhaps, and its lines hold other people's data; they are counted and neither kept nor shown";
/// So long is a server watched at most.
const MONITOR_MAX: domain::Duration = domain::Duration(60_000);

fn monitored(asked: Option<&str>) -> Result<Option<std::time::Duration>, CliError> {
    let Some(text) = asked else { return Ok(None) };
    let span = period("--monitor", text)?;
    if span > MONITOR_MAX {
        let text = "--monitor takes a minute at most: it slows the server";
        return Err(CliError::new(Code::Wrong, text));
    }
    let millis = u64::try_from(span.millis()).unwrap_or(0);
    Ok(Some(std::time::Duration::from_millis(millis)))
}

/// The lease and the retention that count: the operator's, else the smallest that a source states.
fn terms(
    opened: &Opened,
    common: &CommonOptions,
    retention: Option<domain::Duration>,
) -> Result<Terms, CliError> {
    let millis = |span: domain::Duration| u64::try_from(span.millis()).ok();
    let lease = common.lease.as_deref().map(|text| period("--lease", text));
    let stated = crate::inspect::retries::terms(&opened.sources());
    Ok(Terms {
        lease_ms: lease.transpose()?.and_then(millis).or(stated.lease_ms),
        retention_ms: retention.and_then(millis).or(stated.retention_ms),
    })
}

async fn once(mut look: Look, arguments: &Arguments, mut output: Output) -> Result<Code, CliError> {
    let mut early = None;
    if !arguments.no_records {
        early = look.records(&arguments.common, &output).await;
    }
    let now = look.opened.session.now().millis();
    let span = Span {
        from: now.saturating_sub(look.window.millis()),
        to: now.saturating_add(1),
    };
    let mut tally = Tally::new(span, look.terms);
    let cancel = CancellationToken::new();
    let mut readers: Vec<Reader> = look.logs.places.iter().cloned().map(Reader::new).collect();
    let read = look.read(
        &mut readers,
        &mut tally,
        &arguments.common,
        &output,
        &cancel,
    );
    let log_error = read.await;
    let complete = log_error.is_none();
    let told = look.told(&tally, complete);
    print(&told, look.format, &mut output);
    match early.or(log_error) {
        None => Ok(Code::Done),
        Some(mut error) => {
            if tally.entries() > 0 || !look.logs.places.is_empty() {
                error.code = Code::Partly;
            }
            Err(error)
        }
    }
}

fn print(told: &Told, format: Option<FormatChoice>, output: &mut Output) {
    if format == Some(FormatChoice::Prometheus) {
        told.prometheus().lines().for_each(|line| output.line(line));
        return;
    }
    match Format::chosen(format, Shape::Single) {
        Format::Json => output.json(&told.json()),
        Format::Jsonl => output.line(&told.json().to_string()),
        Format::Csv => output.csv(
            &[
                "figure", "part", "value", "source", "sample", "complete", "why",
            ],
            told.lines().into_iter(),
        ),
        Format::Table => human::table(told, output),
    }
}

impl Look {
    /// Looks at the records; what kept it from seeing all.
    async fn records(&mut self, common: &CommonOptions, output: &Output) -> Option<CliError> {
        self.scanned(common, output).await?.early
    }

    /// What was scanned; nothing where there are no records to look at.
    async fn scanned(&mut self, common: &CommonOptions, output: &Output) -> Option<Scanned> {
        if self.opened.detection.found.is_empty() {
            return None;
        }
        let scanned = scan::run(&self.opened, common, output).await;
        let now = self.opened.session.now();
        let summary = summarize(&scanned.snapshot, Rows::All, 50, now, &Cancel::never());
        let summary = summary.unwrap_or_default();
        self.beside
            .records(&scanned.snapshot, &summary, scanned.progress.done);
        Some(scanned)
    }

    /// Reads what is new in every log; why it is not all.
    async fn read(
        &self,
        readers: &mut [Reader],
        tally: &mut Tally,
        common: &CommonOptions,
        output: &Output,
        cancel: &CancellationToken,
    ) -> Option<CliError> {
        let session: Arc<_> = self.opened.session.clone();
        let mut stopped = std::pin::pin!(tokio::signal::ctrl_c());
        let mut before = 0;
        for reader in readers {
            let told = |count: u64| {
                let count = grouped(before + count, Font::Text);
                output.progress(&format!("{count} attempts so far"));
            };
            let read = {
                let mut work =
                    std::pin::pin!(reader.read(&session, tally, common.pace.into(), cancel, told));
                tokio::select! {
                    read = &mut work => read,
                    _ = &mut stopped => {
                        cancel.cancel();
                        work.await
                    }
                }
            };
            before += read.entries;
            output.progress("");
            if let Some(error) = read.error {
                return Some(CliError::from(error));
            }
            if !read.is_whole {
                let text = format!(
                    "interrupted: {} attempts so far",
                    grouped(before, Font::Text)
                );
                return Some(CliError::new(Code::Partly, text));
            }
        }
        None
    }

    fn told(&self, tally: &Tally, complete: bool) -> Told {
        let now = self.opened.session.now().millis();
        Told {
            target: self.opened.session.label.clone(),
            report: tally.report(now),
            logs: self.logs.clone(),
            beside: self.beside.clone(),
            complete,
            now,
        }
    }
}
