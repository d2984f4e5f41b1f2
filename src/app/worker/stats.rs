//! Reads retry logs for the window: a window of time, then what comes, until another one is asked for.
//!
//! Bound: one tally at a time. It grows by a twentieth of its window, then it is made anew.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Out;
use super::stores::{Slot, place};
use crate::app::command::StatsForm;
use crate::app::effect::{StatsJob, StatsSpan};
use crate::app::event::{Event, StatsEvent};
use crate::app::remote::Failure;
use crate::inspect::Session;
use crate::inspect::retries::{Beside, Reader, Told, beside, find_logs, terms};
use crate::layouts::Source;
use crate::present::sheet::neutral;
use crate::stats::{Span, Tally};
use crate::stores::{Pace, StoreError};
use crate::sys::clock::Stopwatch;
use crate::sys::files;

/// Progress is told so often.
const TOLD_EVERY: Duration = Duration::from_millis(250);

/// Runs until it is cancelled.
pub(super) async fn run(job: StatsJob, pace: Pace, out: Out, slot: Slot) {
    let generation = job.generation;
    let Some((session, _, _)) = place(&slot) else {
        return;
    };
    loop {
        // As the sources are set now.
        let sources = place(&slot)
            .map(|(_, _, sources)| sources)
            .unwrap_or_default();
        let look = Look {
            job,
            pace,
            out: out.clone(),
            session: session.clone(),
            sources,
        };
        if let Err(error) = look.window().await {
            let failure = Failure::from(error);
            let event = StatsEvent::Failed {
                generation,
                failure,
            };
            out.send(Event::Stats(event)).await;
        }
        let Some(every) = job.every_ms else { return };
        tokio::time::sleep(Duration::from_millis(every)).await;
    }
}

struct Look {
    job: StatsJob,
    pace: Pace,
    out: Out,
    session: Arc<Session>,
    sources: Vec<Source>,
}

impl Look {
    /// Reads one window and what comes in it, until it is over.
    async fn window(&self) -> Result<(), StoreError> {
        let logs = find_logs(&self.session).await?;
        let now = self.session.now().millis();
        let span = match self.job.span {
            StatsSpan::Between(from, to) => Span { from, to },
            StatsSpan::Last(span) => Span {
                from: now.saturating_sub(span.millis()),
                to: now.saturating_add(span.millis() / 20 + 1),
            },
        };
        let mut tally = Tally::new(span, terms(&self.sources));
        let mut readers: Vec<Reader> = logs.places.iter().cloned().map(Reader::new).collect();
        loop {
            let complete = self.read(&mut readers, &mut tally).await?;
            let told = Told {
                target: self.session.label.clone(),
                report: tally.report(self.session.now().millis()),
                logs: logs.clone(),
                beside: self.beside().await,
                complete,
                now: self.session.now().millis(),
            };
            let (generation, told) = (self.job.generation, Arc::new(told));
            let event = StatsEvent::Told { generation, told };
            self.out.send(Event::Stats(event)).await;
            let Some(every) = self.job.every_ms else {
                return Ok(());
            };
            tokio::time::sleep(Duration::from_millis(every)).await;
            if self.session.now().millis() >= span.to {
                return Ok(());
            }
        }
    }

    async fn beside(&self) -> Beside {
        beside(&self.session, &self.sources).await
    }

    /// Whether it was read to its end.
    async fn read(&self, readers: &mut [Reader], tally: &mut Tally) -> Result<bool, StoreError> {
        let cancel = CancellationToken::new();
        let watch = std::sync::Mutex::new(Stopwatch::start());
        let generation = self.job.generation;
        for reader in readers {
            let told = |entries: u64| {
                let Ok(mut watch) = watch.lock() else { return };
                if watch.elapsed() >= TOLD_EVERY {
                    *watch = Stopwatch::start();
                    let event = StatsEvent::SoFar {
                        generation,
                        entries,
                    };
                    self.out.try_send(Event::Stats(event));
                }
            };
            let read = reader
                .read(&self.session, tally, self.pace, &cancel, told)
                .await;
            if let Some(error) = read.error {
                if error.is_connection() {
                    return Err(error);
                }
                return Ok(false);
            }
            if !read.is_whole {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Asks for a path, and writes the figures there.
pub(super) async fn export(told: Arc<Told>, form: StatsForm, out: Out) {
    let name = format!("retries.{}", form.extension());
    let folder = crate::sys::folders::home().unwrap_or_default();
    let usual = folder.join(name).display().to_string();
    // A dialog that was closed and one that never opened look the same from here: nothing is written.
    let Some(path) = super::export::chosen_path(usual).await else {
        let why = "No file was chosen. Where no dialog opens, `idemscope stats` prints the same \
                   with `--format json` or `csv`";
        let answer = Err(why.to_owned());
        out.send(Event::Stats(StatsEvent::Exported { answer }))
            .await;
        return;
    };
    let text = match form {
        StatsForm::Json => serde_json::to_vec_pretty(&told.json()).unwrap_or_default(),
        StatsForm::Csv => csv(&told),
    };
    // No file that is there is written over.
    let written = files::create_private(std::path::Path::new(&path))
        .and_then(|mut file| std::io::Write::write_all(&mut file, &text));
    let answer = match written {
        Ok(()) => Ok(Some(path)),
        Err(error) => Err(format!("The file cannot be written: {error}")),
    };
    out.send(Event::Stats(StatsEvent::Exported { answer }))
        .await;
}

fn csv(told: &Told) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = [
        "figure", "part", "value", "source", "sample", "complete", "why",
    ];
    // Writing into memory does not fail.
    let _ = writer.write_record(head);
    for line in told.lines() {
        let _ = writer.write_record(line.iter().map(|cell| neutral(cell)));
    }
    writer.into_inner().unwrap_or_default()
}
