//! Makes plans, runs them, and writes plans and reports into files.
//!
//! Apart from `stores`, which only reads.
//! Invariants: a run is not cut short when its store is closed or the window goes: it is told to
//! stop, and what is on its way is waited for; no file that is there is written over.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Out;
use super::stores::{self, Slot};
use crate::app::effect::{PlanJob, RepairEffect, RunJob, SaveWhat};
use crate::app::event::{Event, RepairEvent};
use crate::app::remote::Failure;
use crate::app::start::Reading;
use crate::app::state::{SavedForm, Wish, source_name};
use crate::domain::change::Verb;
use crate::inspect::Session;
use crate::layouts::Source;
use crate::ops::journal::{ChainState, Depth, read};
use crate::ops::plan::{self, Ask, Plan, Progress, Selection, Wanted};
use crate::ops::run::{Report, RunOptions, RunProgress};
use crate::ops::{Control, control, report, run, undo};
use crate::present::sheet::neutral;
use crate::stores::Target;
use crate::sys::files;

/// At the end of the program a run that was stopped is waited for so long.
const END_MAX: Duration = Duration::from_secs(30);

/// Runs that have not ended yet, of all stores.
#[derive(Clone, Default)]
pub(super) struct Runs(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Runs {
    fn add(&self, run: JoinHandle<()>) {
        if let Ok(mut runs) = self.0.lock() {
            runs.retain(|run| !run.is_finished());
            runs.push(run);
        }
    }

    /// Everybody who could steer them is gone, so that they stop.
    pub(super) async fn finish(&self) {
        let runs = match self.0.lock() {
            Ok(mut runs) => std::mem::take(&mut *runs),
            Err(_) => return,
        };
        for run in runs {
            let _ = tokio::time::timeout(END_MAX, run).await;
        }
    }
}

/// The repairs of one store.
pub(super) struct Repairs {
    runs: Runs,
    control: Option<Control>,
    plan: Option<DropGuard>,
    browse: Option<DropGuard>,
}

impl Repairs {
    pub(super) fn new(runs: Runs) -> Repairs {
        Repairs {
            runs,
            control: None,
            plan: None,
            browse: None,
        }
    }

    pub(super) fn take(
        &mut self,
        effect: RepairEffect,
        all: &CancellationToken,
        (reading, out, slot): (Arc<Reading>, Out, Slot),
    ) {
        match effect {
            RepairEffect::Plan(job) => {
                let token = all.child_token();
                tokio::spawn(make(out, slot, *job, token.clone()));
                self.plan = Some(token.drop_guard());
            }
            RepairEffect::PlanUndo { generation, run } => {
                let token = all.child_token();
                let work = make_undo(out, slot, reading, generation, run);
                tokio::spawn(unless(token.clone(), work));
                self.plan = Some(token.drop_guard());
            }
            RepairEffect::Cancel => self.plan = None,
            RepairEffect::Run(job) => {
                let (control, steering) = control();
                self.control = Some(control);
                let work = run_plan(out, slot, reading, *job, steering);
                self.runs.add(tokio::spawn(work));
            }
            RepairEffect::Steer(wish) => {
                if let Some(control) = &self.control {
                    match wish {
                        Wish::Go => control.go_on(),
                        Wish::Pause => control.pause(),
                        Wish::Stop => control.stop(),
                    }
                }
            }
            RepairEffect::Save {
                generation,
                what,
                path,
            } => {
                tokio::task::spawn_blocking(move || {
                    let answer = save(&what, Path::new(&path)).map(|()| path);
                    out.send_blocking(Event::Repair(RepairEvent::Saved { generation, answer }));
                });
            }
            RepairEffect::Browse(path) => {
                let token = all.child_token();
                let work = async move {
                    let path = super::export::chosen_path(path).await;
                    out.send(Event::Repair(RepairEvent::Browsed { path })).await;
                };
                tokio::spawn(unless(token.clone(), work));
                self.browse = Some(token.drop_guard());
            }
        }
    }
}

async fn unless(cancelled: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        () = cancelled.cancelled() => {}
        () = work => {}
    }
}

fn failure(text: &str) -> Failure {
    Failure {
        text: text.to_owned(),
        hint: None,
        is_connection: false,
    }
}

fn not_open() -> Failure {
    failure("the store is not open any more")
}

async fn planned(out: Out, generation: u64, answer: Result<Plan, Failure>) {
    let answer = answer.map(Arc::new);
    out.send(Event::Repair(RepairEvent::Planned { generation, answer }))
        .await;
}

async fn make(out: Out, slot: Slot, job: PlanJob, cancel: CancellationToken) {
    let generation = job.generation;
    let Some((session, target, sources)) = stores::place(&slot) else {
        return planned(out, generation, Err(not_open())).await;
    };
    let (told, mut seen) = watch::channel(Progress::default());
    let forward = {
        let out = out.clone();
        async move {
            while seen.changed().await.is_ok() {
                let progress = *seen.borrow_and_update();
                out.send(Event::Repair(RepairEvent::Making {
                    generation,
                    progress,
                }))
                .await;
            }
        }
    };
    let token = cancel.clone();
    let work = async move {
        // Its end ends the forwarding.
        let told = told;
        let answer = make_now(&session, &target, sources, job, &token, |progress| {
            let _ = told.send(progress);
        });
        answer.await
    };
    let (answer, ()) = tokio::join!(work, forward);
    if !cancel.is_cancelled() {
        planned(out, generation, answer).await;
    }
}

async fn make_now(
    session: &Session,
    target: &Target,
    sources: Vec<Source>,
    job: PlanJob,
    cancel: &CancellationToken,
    progress: impl Fn(Progress),
) -> Result<Plan, Failure> {
    let mut ask = Ask::new(job.verb, Selection::Named);
    ask.answer.clone_from(&job.answer);
    let wanted = tokio::task::spawn_blocking(move || wanted(&job, sources));
    let wanted = wanted.await.map_err(|_| failure("the plan was not made"))?;
    let target = target.to_string();
    let made = plan::make(&session.store, &target, &ask, &wanted, progress, cancel);
    made.await.map_err(Failure::from)
}

/// The records as the sources read them now; those of one source stand together.
fn wanted(job: &PlanJob, sources: Vec<Source>) -> Vec<Wanted> {
    let now = sources
        .into_iter()
        .map(|source| (source_name(&source), Arc::new(source)));
    let now: HashMap<String, Arc<Source>> = now.collect();
    // Each source with its place: where it came first.
    let mut known: HashMap<usize, (usize, Arc<Source>)> = HashMap::new();
    let mut wanted = Vec::with_capacity(job.rows.len());
    for row in job.rows.iter().filter_map(|row| job.snapshot.row(*row)) {
        let id = row.source_id();
        let next = known.len();
        let (place, source) = known.entry(id.index()).or_insert_with(|| {
            let as_read = row.source();
            let set = now.get(&source_name(as_read)).cloned();
            (next, set.unwrap_or_else(|| Arc::new(as_read.clone())))
        });
        let one = Wanted {
            source: source.clone(),
            address: row.address(),
            longest_ttl: job.snapshot.longest_ttl(id),
            lives_until: row.lock_until().or_else(|| row.expiry()),
        };
        wanted.push((*place, one));
    }
    wanted.sort_by_key(|(place, _)| *place);
    wanted.into_iter().map(|(_, wanted)| wanted).collect()
}

async fn make_undo(out: Out, slot: Slot, reading: Arc<Reading>, generation: u64, id: String) {
    let answer = undo_now(slot, &reading, id).await;
    planned(out, generation, answer).await;
}

async fn undo_now(slot: Slot, reading: &Reading, id: String) -> Result<Plan, Failure> {
    let (session, target, _) = stores::place(&slot).ok_or_else(not_open)?;
    let folder = reading.journal.clone().ok_or_else(no_journal)?;
    let found = tokio::task::spawn_blocking(move || read(&folder, &id, Depth::Changes));
    let found = found
        .await
        .map_err(|_| failure("the journal was not read"))?;
    let found = found.map_err(|error| failure(&error.text))?;
    if let ChainState::Altered(line) = found.chain {
        let text = format!("the journal of this run was altered at line {line}");
        return Err(Failure {
            hint: Some("what it says was stored cannot be trusted".to_owned()),
            ..failure(&text)
        });
    }
    let plan = undo::plan(&session.store, &target, &found).await;
    plan.map_err(|error| match error {
        undo::UndoError::Store(error) => Failure::from(error),
        other => failure(&other.to_string()),
    })
}

fn no_journal() -> Failure {
    failure("there is no home folder for the journal: nothing can be changed without it")
}

async fn run_plan(
    out: Out,
    slot: Slot,
    reading: Arc<Reading>,
    job: RunJob,
    steering: crate::ops::Steering,
) {
    let generation = job.generation;
    let answer = run_now(&out, &slot, &reading, job, steering).await;
    let answer = answer.map(Arc::new);
    out.send(Event::Repair(RepairEvent::Ended { generation, answer }))
        .await;
}

async fn run_now(
    out: &Out,
    slot: &Slot,
    reading: &Reading,
    job: RunJob,
    steering: crate::ops::Steering,
) -> Result<Report, String> {
    let (session, target, _) = stores::place(slot).ok_or_else(|| not_open().text)?;
    let folder = reading.journal.clone().ok_or_else(|| no_journal().text)?;
    let generation = job.generation;
    let options = RunOptions {
        folder,
        reason: job.reason,
        connection: job.connection,
        production: job.is_production,
        pace: reading.pace,
    };
    let (told, mut seen) = watch::channel(RunProgress::default());
    let forward = async {
        while seen.changed().await.is_ok() {
            let progress = Box::new(seen.borrow_and_update().clone());
            out.send(Event::Repair(RepairEvent::Progress {
                generation,
                progress,
            }))
            .await;
        }
    };
    let work = async {
        // Its end ends the forwarding.
        let told = told;
        let show = |progress: &RunProgress| {
            let _ = told.send(progress.clone());
        };
        run(&target, &session.store, &job.plan, &options, steering, show).await
    };
    let (answer, ()) = tokio::join!(work, forward);
    answer.map_err(|error| error.to_string())
}

fn save(what: &SaveWhat, path: &Path) -> Result<(), String> {
    if files::exists(path) {
        return Err("A file of that name is there".to_owned());
    }
    match what {
        SaveWhat::Plan(plan) => plan::file::write(plan, path).map_err(|error| error.to_string()),
        SaveWhat::Report(report, form) => {
            let file = files::create_private(path);
            let written = file.and_then(|file| {
                let mut file = std::io::BufWriter::new(file);
                match form {
                    SavedForm::ReportCsv => csv(report, &mut file)?,
                    _ => writeln!(file, "{:#}", report::json(report))?,
                }
                file.flush()
            });
            written.map_err(|error| format!("The file cannot be written: {error}"))
        }
    }
}

fn csv(report: &Report, file: &mut impl Write) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["address", "idempotency_key", "outcome", "why"])?;
    for key in &report.keys {
        let cells = [
            neutral(&key.address),
            neutral(key.idempotency_key.as_deref().unwrap_or_default()),
            word(report.verb, key.outcome).to_owned(),
            neutral(key.why.as_deref().unwrap_or_default()),
        ];
        writer.write_record(&cells)?;
    }
    writer.flush()
}

fn word(verb: Verb, outcome: crate::domain::change::Outcome) -> &'static str {
    outcome.name(verb)
}
