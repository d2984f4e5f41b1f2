//! `--watch`: the figures again and again, from what is new in the logs.
//!
//! The window slides in steps: it grows by a twentieth, then everything is read anew, so that memory
//! and honesty are kept. Each telling names the window it is of. Records are looked at again as well,
//! at most a tenth of the time, and what changed from look to look is told apart from the log.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Arguments, Look, print};
use crate::cli::error::{CliError, Code};
use crate::cli::options::CommonOptions;
use crate::cli::output::{Format, FormatChoice, Output, Shape};
use crate::domain::{self, Timestamp};
use crate::inspect::retries::looks::{self, Looks};
use crate::inspect::retries::{Ears, Reader};
use crate::inspect::{Cancel, Snapshot};
use crate::stats::{Basis, Figure, Span, Tally, Why};
use crate::sys::clock::Stopwatch;

/// Tells until it is interrupted, which is how it ends well.
pub async fn run(
    look: Look,
    arguments: &Arguments,
    every: domain::Duration,
    mut output: Output,
) -> Result<Code, CliError> {
    let format = match (look.format, Format::chosen(look.format, Shape::List)) {
        // One object a line: a stream has no end to close an array at.
        (Some(FormatChoice::Json), _) => Some(FormatChoice::Jsonl),
        (None, Format::Jsonl) => Some(FormatChoice::Jsonl),
        (asked, _) => asked,
    };
    let every = Duration::from_millis(u64::try_from(every.millis()).unwrap_or(5_000));
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut stopped = std::pin::pin!(tokio::signal::ctrl_c());
    let mut current: Option<(Tally, Vec<Reader>)> = None;
    let (mut look, common) = (look, &arguments.common);
    let mut records = (!arguments.no_records).then(Records::default);
    let ears = Ears::open(&look.opened.session, &look.opened.sources()).await;
    loop {
        tokio::select! {
            _ = &mut stopped => return Ok(Code::Done),
            _ = ticks.tick() => {}
        }
        let now = look.opened.session.now().millis();
        let is_over = |tally: &Tally| now >= tally.span.to;
        let (mut tally, mut readers) = match current.take() {
            Some((tally, readers)) if !is_over(&tally) => (tally, readers),
            _ => {
                let grow = look.window.millis() / 20 + 1;
                let span = Span {
                    from: now.saturating_sub(look.window.millis()),
                    to: now.saturating_add(grow),
                };
                let readers = look.logs.places.iter().cloned().map(Reader::new);
                (Tally::new(span, look.terms), readers.collect())
            }
        };
        let cancel = CancellationToken::new();
        let error = look
            .read(&mut readers, &mut tally, common, &output, &cancel)
            .await;
        if cancel.is_cancelled() {
            return Ok(Code::Done);
        }
        if let Some(error) = &error {
            // A store that is away for a moment is asked again.
            output.say(&format!("note: {}", error.text));
        }
        let sources = look.opened.sources();
        let anew = crate::inspect::retries::beside(&look.opened.session, &sources).await;
        // What was asked once, or is looked at less often, stays.
        look.beside.evictions = anew.evictions;
        look.beside.tables = anew.tables;
        look.beside.claims = anew.claims;
        if let Some(ears) = &ears {
            ears.tell(&look.opened.session, &mut look.beside);
        }
        if let Some(records) = &mut records
            && records.look_again(&mut look, common, &output).await == Stopped::Yes
        {
            return Ok(Code::Done);
        }
        print(&look.told(&tally, error.is_none()), format, &mut output);
        output.flush();
        current = Some((tally, readers));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    No,
    Yes,
}

/// Looks at the records, one after the other.
#[derive(Default)]
struct Records {
    last: Option<(Snapshot, Timestamp)>,
    looks: Looks,
    /// Since the last look, and how long that took.
    rested: Option<(Stopwatch, Duration)>,
}

/// The wait between two looks is so many times as long as a look takes, at least.
const REST: u32 = 10;

impl Records {
    async fn look_again(
        &mut self,
        look: &mut Look,
        common: &CommonOptions,
        output: &Output,
    ) -> Stopped {
        let is_early = |(since, took): &(Stopwatch, Duration)| since.elapsed() < *took * REST;
        if self.rested.as_ref().is_some_and(is_early) {
            return Stopped::No;
        }
        let watch = Stopwatch::start();
        let Some(scanned) = look.scanned(common, output).await else {
            return Stopped::No;
        };
        let now = look.opened.session.now();
        self.rested = Some((Stopwatch::start(), watch.elapsed()));
        let held = scanned.snapshot.len() as u64;
        let is_whole = scanned.progress.done && held >= scanned.progress.records;
        if !is_whole {
            let is_interrupted = scanned
                .early
                .is_some_and(|error| error.code == Code::Partly);
            return match is_interrupted {
                true => Stopped::Yes,
                false => Stopped::No,
            };
        }
        if let Some((before, then)) = &self.last {
            let after = (&scanned.snapshot, now);
            match looks::between((before, *then), after, &Cancel::never()) {
                Some(changed) => self.looks.add(&changed),
                None => look.beside.looks = Figure::none(Why::TooMany, Basis::Snapshots),
            }
        }
        self.last = Some((scanned.snapshot, now));
        look.beside.looked(&self.looks);
        Stopped::No
    }
}
