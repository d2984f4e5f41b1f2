//! Reads retry logs for the window: a window of time, then what comes, until another one is asked for.
//!
//! The tally of what is shown is kept for the keys behind its figures. Bound: one tally at a time. It
//! grows by a twentieth of its window, then it is made anew.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::editor::known;
use super::export::chosen_path;
use super::stores::{Slot, place};
use super::{Out, Running};
use crate::app::effect::{StatsEffect, StatsFile, StatsJob, StatsSpan};
use crate::app::event::{Event, StatsEvent};
use crate::app::remote::Failure;
use crate::app::start::Reading;
use crate::inspect::Session;
use crate::inspect::retries::{Ears, Logs, Reader, Told, beside, find_logs, terms};
use crate::layouts::{Layouts, Source};
use crate::present::sheet::neutral;
use crate::stats::{Mark, Span, Tally};
use crate::stores::{Pace, StoreError};
use crate::sys::clock::Stopwatch;
use crate::sys::files;

/// A long log is told of after so long, and then now and then until it is read.
const FIRST_AFTER: Duration = Duration::from_millis(300);
const SLICE_MAX: Duration = Duration::from_secs(10);

/// How a reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Whole,
    /// There is more: it goes on.
    Sliced,
    /// A log that could not be read to its end.
    Refused,
}

/// Progress is told so often.
const TOLD_EVERY: Duration = Duration::from_millis(250);

impl Running {
    pub(super) fn stats(&mut self, effect: StatsEffect) {
        let (out, slot, held) = (self.out.clone(), self.slot.clone(), self.held_stats.clone());
        match effect {
            StatsEffect::Read(job) => {
                let work = run(job, self.reading.clone(), out, slot, held);
                self.stats = Some(self.spawn(work));
            }
            StatsEffect::Stop => {
                self.stats = None;
                self.held_stats = Held::default();
            }
            StatsEffect::Behind { generation, mark } => {
                self.behind = Some(self.spawn(behind(held, generation, mark, out)));
            }
            StatsEffect::Browse(path) => {
                self.browse = Some(self.spawn(async move {
                    let path = chosen_path(path).await;
                    out.send(Event::Stats(StatsEvent::Browsed { path })).await;
                }));
            }
            StatsEffect::Export { what, path } => {
                tokio::task::spawn_blocking(move || export(&what, path, &out));
            }
        }
    }
}

/// The tally that the last answer was told of.
#[derive(Clone, Default)]
pub(super) struct Held(Arc<Mutex<Option<Kept>>>);

struct Kept {
    generation: u64,
    tally: Tally,
    /// When it was told of, by the store's clock.
    told_at: i64,
}

/// The keys that were counted somewhere.
pub(super) async fn behind(held: Held, generation: u64, mark: Mark, out: Out) {
    let behind = match held.0.lock().await.as_ref() {
        Some(kept) if kept.generation == generation => kept.tally.behind(&mark, kept.told_at),
        // The window is another one meanwhile.
        _ => return,
    };
    let event = StatsEvent::Behind {
        generation,
        mark,
        behind,
    };
    out.send(Event::Stats(event)).await;
}

/// Runs until it is cancelled.
pub(super) async fn run(job: StatsJob, reading: Arc<Reading>, out: Out, slot: Slot, held: Held) {
    *held.0.lock().await = None;
    let generation = job.generation;
    let Some((session, _, _)) = place(&slot) else {
        return;
    };
    let own = reading.clone();
    let layouts = tokio::task::spawn_blocking(move || known(&own)).await;
    let layouts = layouts.unwrap_or_default();
    let mut ears = None;
    loop {
        // As the sources are set now.
        let sources = place(&slot)
            .map(|(_, _, sources)| sources)
            .unwrap_or_default();
        let look = Look {
            job,
            pace: reading.pace,
            out: out.clone(),
            session: session.clone(),
            sources,
            layouts: layouts.clone(),
            held: held.clone(),
        };
        if let Err(error) = look.window(&mut ears).await {
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
    layouts: Layouts,
    held: Held,
}

impl Look {
    /// Reads one window and what comes in it, until it is over.
    async fn window(&self, ears: &mut Option<Ears>) -> Result<(), StoreError> {
        let logs = find_logs(&self.session, &self.layouts).await?;
        let now = self.session.now().millis();
        let span = match self.job.span {
            StatsSpan::Between(from, to) => Span { from, to },
            StatsSpan::Last(span) => Span {
                from: now.saturating_sub(span.millis()),
                to: now.saturating_add(span.millis() / 20 + 1),
            },
        };
        if ears.is_none() && self.job.every_ms.is_some() {
            *ears = Ears::open(&self.session, &self.sources).await;
        }
        *self.held.0.lock().await = Some(Kept {
            generation: self.job.generation,
            tally: Tally::new(span, terms(&self.sources)),
            told_at: now,
        });
        let mut readers: Vec<Reader> = logs.places.iter().cloned().map(Reader::new).collect();
        let mut slice = FIRST_AFTER;
        loop {
            let Some((told, end)) = self
                .told(&logs, (&mut readers, slice), ears.as_ref())
                .await?
            else {
                return Ok(());
            };
            let (generation, told) = (self.job.generation, Arc::new(told));
            let event = StatsEvent::Told { generation, told };
            self.out.send(Event::Stats(event)).await;
            if end == End::Sliced {
                // Working figures out takes time as well: less and less often.
                slice = (slice * 2).min(SLICE_MAX);
                continue;
            }
            let Some(every) = self.job.every_ms else {
                return Ok(());
            };
            tokio::time::sleep(Duration::from_millis(every)).await;
            if self.session.now().millis() >= span.to {
                return Ok(());
            }
        }
    }

    /// Reads on and tells; nothing where the tally was let go.
    async fn told(
        &self,
        logs: &Logs,
        (readers, slice): (&mut [Reader], Duration),
        ears: Option<&Ears>,
    ) -> Result<Option<(Told, End)>, StoreError> {
        // Who asks for the keys behind what was told waits meanwhile.
        let mut held = self.held.0.lock().await;
        let Some(kept) = held.as_mut() else {
            return Ok(None);
        };
        let end = self.read(readers, &mut kept.tally, slice).await?;
        let now = self.session.now().millis();
        kept.told_at = now;
        let report = kept.tally.report(now);
        drop(held);
        let mut beside = beside(&self.session, &self.sources).await;
        if let Some(ears) = ears {
            ears.tell(&self.session, &mut beside);
        }
        let told = Told {
            target: self.session.label.clone(),
            report,
            logs: logs.clone(),
            beside,
            complete: end == End::Whole,
            now,
        };
        Ok(Some((told, end)))
    }

    /// Reads on for so long at most.
    async fn read(
        &self,
        readers: &mut [Reader],
        tally: &mut Tally,
        slice: Duration,
    ) -> Result<End, StoreError> {
        let cancel = CancellationToken::new();
        let _end = cancel.clone().drop_guard();
        let late = cancel.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = tokio::time::sleep(slice) => late.cancel(),
                () = late.cancelled() => {}
            }
        });
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
            match read.error {
                Some(error) if error.is_connection() => return Err(error),
                Some(_) => return Ok(End::Refused),
                None if read.is_whole => {}
                None if cancel.is_cancelled() => return Ok(End::Sliced),
                None => return Ok(End::Refused),
            }
        }
        Ok(End::Whole)
    }
}

/// Writes figures into a file; no file that is there is written over.
pub(super) fn export(what: &StatsFile, path: String, out: &Out) {
    let bytes = match what {
        StatsFile::Picture(picture) => picture.to_vec(),
        StatsFile::Json(told) => serde_json::to_vec_pretty(&told.json()).unwrap_or_default(),
        StatsFile::Csv(told) => csv(told),
    };
    let written = files::create_private(std::path::Path::new(&path))
        .and_then(|mut file| std::io::Write::write_all(&mut file, &bytes));
    let answer = match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err("A file of that name is there".to_owned())
        }
        Err(error) => Err(format!("The file cannot be written: {error}")),
    };
    out.send_blocking(Event::Stats(StatsEvent::Exported { answer }));
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
