//! Runs a scan to its end for a command, with progress for people and a clean stop at `SIGINT`.

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::error::{CliError, Code};
use super::open::Opened;
use super::options::CommonOptions;
use super::output::Output;
use crate::inspect::Snapshot;
use crate::inspect::scan::{Progress, ScanOptions, ScanOutcome, ScanView, scan};
use crate::present::count::{Font, grouped};

/// What was read, and how it ended.
pub struct Scanned {
    pub snapshot: Snapshot,
    pub progress: Progress,
    /// What kept it from being complete; its code is the command's.
    pub early: Option<CliError>,
}

pub async fn run(opened: &Opened, common: &CommonOptions, output: &Output) -> Scanned {
    let cancel = CancellationToken::new();
    let (updates, mut views) = watch::channel(ScanView::empty());
    let options = ScanOptions {
        pace: common.pace.into(),
        ..ScanOptions::default()
    };
    let work = scan(
        opened.session.clone(),
        opened.sources(),
        options,
        updates,
        cancel.clone(),
    );
    let mut work = tokio::spawn(work);
    let mut interrupted = false;
    // One for the whole time: a signal between two of them would be lost.
    let mut stopped = std::pin::pin!(tokio::signal::ctrl_c());
    let outcome = loop {
        tokio::select! {
            done = &mut work => break done,
            changed = views.changed(), if !interrupted => {
                if changed.is_ok() {
                    output.progress(&words(&views.borrow_and_update().progress));
                } else {
                    interrupted = true;
                }
            }
            _ = &mut stopped, if !interrupted => {
                interrupted = true;
                cancel.cancel();
            }
        }
    };
    output.progress("");
    match outcome {
        Ok(outcome) => ended(outcome),
        Err(_) => {
            let error = CliError::new(Code::Partly, "the scan ended early");
            let view = ScanView::empty();
            Scanned {
                snapshot: view.snapshot,
                progress: view.progress,
                early: Some(error),
            }
        }
    }
}

/// What a scan came to, and why it is not complete.
fn ended(outcome: ScanOutcome) -> Scanned {
    let progress = outcome.view.progress;
    let early = match outcome.error {
        Some(error) => {
            let mut error = CliError::from(error);
            if progress.records > 0 {
                error.code = Code::Partly;
            }
            Some(error)
        }
        None if !progress.done => {
            let text = format!(
                "interrupted: {} records so far",
                grouped(progress.records, Font::Text)
            );
            Some(CliError::new(Code::Partly, text))
        }
        None => None,
    };
    Scanned {
        snapshot: outcome.view.snapshot,
        progress,
        early,
    }
}

fn words(progress: &Progress) -> String {
    let share = progress
        .share
        .map(|share| format!("{:.0} %, ", share * 100.0))
        .unwrap_or_default();
    format!(
        "{share}{} looked at, {} records so far",
        grouped(progress.looked_at, Font::Text),
        grouped(progress.records, Font::Text)
    )
}
