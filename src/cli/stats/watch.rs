//! `--watch`: the figures again and again, from what is new in the logs.
//!
//! The window slides in steps: it grows by a twentieth, then everything is read anew, so that memory
//! and honesty are kept. Each telling names the window it is of.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Look, print};
use crate::cli::error::{CliError, Code};
use crate::cli::options::CommonOptions;
use crate::cli::output::{Format, FormatChoice, Output, Shape};
use crate::domain;
use crate::inspect::retries::Reader;
use crate::stats::{Span, Tally};

/// Tells until it is interrupted, which is how it ends well.
pub async fn run(
    look: Look,
    common: &CommonOptions,
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
    let mut look = look;
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
        let touched = look.beside.touched.clone();
        look.beside = crate::inspect::retries::beside(&look.opened.session, &sources).await;
        look.beside.touched = touched;
        print(&look.told(&tally, error.is_none()), format, &mut output);
        output.flush();
        current = Some((tally, readers));
    }
}
