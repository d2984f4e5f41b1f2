//! Runs a plan: the only way anything is written to a store that a user owns.
//!
//! Invariants: before a part of the plan runs, its old state is in the journal on the disk; nothing
//! is sent twice; whatever happens, every record of the plan has an outcome in the report.

mod again;
mod pace;
mod report;
mod steer;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::journal::{Header, Journal, JournalError, Tally};
use super::plan::{Item, Plan, Refusal};
use crate::domain::change::{Applied, Change, Outcome};
use crate::stores::{
    Pace, ReadStore, StoreError, StoreErrorKind, Target, WriteStore, open_writing,
};
use crate::sys::clock::{self, Stopwatch};
use crate::sys::env;

use report::report;
pub use report::{KeyReport, Report, found_words};
pub use steer::{Control, Steering, control};

/// Records whose old state is written before the first of them is changed.
const PART: usize = 1000;
/// Outcomes are on the disk no later than this.
const SYNC_AFTER: Duration = Duration::from_secs(1);
/// How long is waited before a store that was lost is tried again; about half a minute in all.
const PAUSES_MS: [u64; 8] = [100, 300, 1000, 2000, 4000, 6000, 8000, 8000];

/// How a run is written down and who answers for it.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Where the journal is kept.
    pub folder: PathBuf,
    pub reason: Option<String>,
    /// The name under which the connection is kept.
    pub connection: Option<String>,
    pub production: bool,
    pub pace: Pace,
}

/// How far a run is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProgress {
    pub journal_id: String,
    pub of: usize,
    pub tally: Tally,
    /// What it waits for, where it does not go on.
    pub waiting: Option<String>,
}

/// Nothing was changed, and this is why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    #[error("{0}; nothing was changed")]
    Journal(#[from] JournalError),
    #[error("{0}; nothing was changed")]
    Store(#[from] StoreError),
    #[error("the plan is for {plan}, not for {target}; nothing was changed")]
    OtherStore { plan: String, target: String },
}

/// Runs a plan on the store it was made for.
///
/// Errors: the store cannot be opened for writing, or the journal cannot be begun; then nothing was
/// changed. What happens later is in the report.
pub async fn run(
    target: &Target,
    reader: &ReadStore,
    plan: &Plan,
    options: &RunOptions,
    steering: Steering,
    progress: impl Fn(&RunProgress),
) -> Result<Report, RunError> {
    if plan.target() != target.to_string() {
        return Err(RunError::OtherStore {
            plan: plan.target().to_owned(),
            target: target.to_string(),
        });
    }
    if plan.is_empty() {
        return Ok(report(plan, None, Vec::new(), None));
    }
    let writer = open_writing(target).await?;
    let header = header(target, plan, options);
    let folder = options.folder.clone();
    let begun = blocking(move || Journal::begin(&folder, header)).await;
    let journal = Arc::new(begun?);
    let left: Vec<_> = plan.refused().to_vec();
    let book = journal.clone();
    blocking(move || book.left(&left)).await?;
    let runner = Runner {
        writer,
        journal: journal.clone(),
        items: Arc::from(plan.items().to_vec()),
        outcomes: vec![None; plan.items().len()],
        steering,
        pace: options.pace,
        progress: RunProgress {
            journal_id: journal.id.clone(),
            of: plan.items().len(),
            ..RunProgress::default()
        },
        show: progress,
        synced: Stopwatch::start(),
        stopped: None,
    };
    Ok(runner.run(plan, target, reader).await)
}

fn header(target: &Target, plan: &Plan, options: &RunOptions) -> Header {
    Header {
        id: String::new(),
        verb: plan.verb(),
        target: plan.target().to_owned(),
        connection: options.connection.clone(),
        production: options.production,
        login: target.user().map(str::to_owned),
        by: env::user_name(),
        host: env::host_name(),
        reason: options.reason.clone(),
        started_at: clock::now(),
        planned: plan.items().len() as u64,
        undoes: plan.undoes().map(str::to_owned),
        after: None,
    }
}

/// File work off the runtime's threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let ended = |_| JournalError::new("the journal's writer ended");
    tokio::task::spawn_blocking(work).await.map_err(ended)?
}

struct Runner<F> {
    writer: WriteStore,
    journal: Arc<Journal>,
    items: Arc<[Item]>,
    outcomes: Vec<Option<Applied>>,
    steering: Steering,
    pace: Pace,
    progress: RunProgress,
    show: F,
    synced: Stopwatch,
    stopped: Option<String>,
}

impl<F: Fn(&RunProgress)> Runner<F> {
    async fn run(mut self, plan: &Plan, target: &Target, reader: &ReadStore) -> Report {
        (self.show)(&self.progress);
        let mut parts = parts(self.items.len());
        let mut prepared = parts.next().map(|part| self.prepare(part));
        while let Some(ready) = prepared.take() {
            let part = match ready.await {
                Ok(Ok(part)) => part,
                Ok(Err(error)) => {
                    self.stop(format!("{error}: nothing further is changed"));
                    break;
                }
                Err(_) => {
                    self.stop("the journal's writer ended: nothing further is changed");
                    break;
                }
            };
            // The next part is written down while this one runs.
            prepared = match self.stopped {
                None => parts.next().map(|part| self.prepare(part)),
                Some(_) => None,
            };
            self.part(part).await;
            if self.stopped.is_some() {
                // What was written down and not run must not look as if it had been.
                if let Some(Ok(Ok(part))) = match prepared.take() {
                    Some(ready) => Some(ready.await),
                    None => None,
                } {
                    self.not_reached(part);
                }
                break;
            }
        }
        self.look_again(target, reader).await;
        self.end(plan).await
    }

    /// Writes the old state of a part down, to the disk.
    fn prepare(
        &self,
        part: Range<usize>,
    ) -> tokio::task::JoinHandle<Result<Range<usize>, JournalError>> {
        let (journal, items) = (self.journal.clone(), self.items.clone());
        tokio::task::spawn_blocking(move || {
            let of_part = items.get(part.clone()).unwrap_or_default();
            journal.before(part.start, of_part)?;
            journal.sync()?;
            Ok(part)
        })
    }

    async fn part(&mut self, part: Range<usize>) {
        let step = pace::step(self.pace, self.writer.batch_max());
        let mut at = part.start;
        while at < part.end {
            self.steer().await;
            if self.stopped.is_some() {
                break;
            }
            let end = (at + step).min(part.end);
            let took = Stopwatch::start();
            self.batch(at..end).await;
            at = end;
            if at < self.items.len() {
                self.rest(took.elapsed()).await;
            }
        }
        self.not_reached(part);
    }

    /// Leaves the store to others, unless it is told to stop.
    async fn rest(&mut self, took: Duration) {
        let rest = tokio::time::sleep(pace::rest(self.pace, took));
        tokio::select! {
            () = rest => {}
            () = self.steering.until_stopped() => {}
        }
    }

    /// Waits while paused; stops when told.
    async fn steer(&mut self) {
        if self.steering.is_paused() {
            self.progress.waiting = Some("paused".to_owned());
            (self.show)(&self.progress);
            self.sync().await;
            self.steering.while_paused().await;
            self.progress.waiting = None;
        }
        if self.steering.is_stopped() {
            self.stop("it was cancelled");
        }
    }

    /// Sends some changes. Those that were never sent are sent when the store is there again.
    async fn batch(&mut self, batch: Range<usize>) {
        let mut open: Vec<usize> = batch.collect();
        let mut pauses = PAUSES_MS.into_iter();
        loop {
            let items = self.items.clone();
            let changes: Vec<&Change> = open
                .iter()
                .filter_map(|n| Some(&items.get(*n)?.change))
                .collect();
            let answer = self.writer.apply(&changes).await;
            let is_lost = answer.trouble.as_ref().is_some_and(may_come_back);
            let mut unsent = Vec::new();
            for (at, n) in open.iter().enumerate() {
                let applied = answer.outcomes.get(at).cloned().unwrap_or_else(|| {
                    Applied::not(Outcome::Unknown, "the store gave no outcome for it")
                });
                match applied.outcome {
                    Outcome::NotReached if is_lost => unsent.push(*n),
                    _ => self.settle(*n, applied),
                }
            }
            (self.show)(&self.progress);
            if self.synced.elapsed() >= SYNC_AFTER {
                self.sync().await;
            }
            match (answer.trouble, unsent.is_empty()) {
                (None, _) => return,
                (Some(error), _) if !is_lost => return self.stop(error.text),
                // The next batch meets what is left of the trouble.
                (Some(_), true) => return,
                (Some(error), false) => match pauses.next() {
                    Some(pause) if self.wait(pause, &error).await => open = unsent,
                    Some(_) => return,
                    None => return self.stop(format!("the store was lost: {error}")),
                },
            }
        }
    }

    /// Waits for a store to come back. False where the run was stopped meanwhile.
    async fn wait(&mut self, pause_ms: u64, error: &StoreError) -> bool {
        self.progress.waiting = Some(format!("the store is tried again: {error}"));
        (self.show)(&self.progress);
        let pause = tokio::time::sleep(Duration::from_millis(pause_ms));
        tokio::select! {
            () = pause => {}
            () = self.steering.until_stopped() => self.stop("it was cancelled"),
        }
        self.progress.waiting = None;
        self.stopped.is_none()
    }

    fn settle(&mut self, n: usize, applied: Applied) {
        if let Err(error) = self.journal.outcome(n, &applied, clock::now()) {
            self.stop(format!("{error}: nothing further is changed"));
        }
        self.progress.tally.add(applied.outcome);
        if let Some(outcome) = self.outcomes.get_mut(n) {
            *outcome = Some(applied);
        }
    }

    /// What was written down and has no outcome was never sent.
    fn not_reached(&mut self, part: Range<usize>) {
        let why = self.stopped.clone();
        for n in part {
            if self.outcomes.get(n).is_some_and(Option::is_none) {
                let why = why
                    .clone()
                    .unwrap_or_else(|| "it was never sent".to_owned());
                self.settle(n, Applied::not(Outcome::NotReached, why));
            }
        }
    }

    fn stop(&mut self, why: impl Into<String>) {
        self.stopped.get_or_insert(why.into());
    }

    async fn sync(&mut self) {
        let journal = self.journal.clone();
        if let Err(error) = blocking(move || journal.sync()).await {
            self.stop(format!("{error}: nothing further is changed"));
        }
        self.synced = Stopwatch::start();
    }

    /// What the run never came near: of the rest the journal holds the old state and an outcome.
    fn never_written_down(&self) -> Vec<Refusal> {
        let why = self.stopped.as_deref().unwrap_or("it was never sent");
        let pairs = self.items.iter().zip(&self.outcomes);
        pairs
            .filter(|(_, outcome)| outcome.is_none())
            .map(|(item, _)| Refusal {
                address: item.address.clone(),
                outcome: Outcome::NotReached,
                why: why.to_owned(),
            })
            .collect()
    }

    async fn end(self, plan: &Plan) -> Report {
        let left = plan.refused().iter().map(|refusal| refusal.outcome);
        let mut tally = Tally::default();
        let outcome = |applied: &Option<Applied>| {
            applied
                .as_ref()
                .map_or(Outcome::NotReached, |applied| applied.outcome)
        };
        for outcome in self.outcomes.iter().map(outcome).chain(left) {
            tally.add(outcome);
        }
        let (journal, stopped) = (self.journal.clone(), self.stopped.clone());
        let never = self.never_written_down();
        let ended = blocking(move || {
            journal.left(&never)?;
            journal.end(&tally, stopped.as_deref(), clock::now())
        });
        let stopped = match (self.stopped, ended.await) {
            (None, Err(error)) => Some(error.text),
            (stopped, _) => stopped,
        };
        report(plan, Some(self.journal.id.clone()), self.outcomes, stopped)
    }
}

/// Whether it is worth trying again what was never sent.
fn may_come_back(error: &StoreError) -> bool {
    matches!(
        error.kind,
        StoreErrorKind::Lost | StoreErrorKind::TimedOut | StoreErrorKind::Unreachable
    )
}

fn parts(items: usize) -> impl Iterator<Item = Range<usize>> {
    (0..items)
        .step_by(PART)
        .map(move |start| start..(start + PART).min(items))
}
