//! Runs the lab's scenarios, and tells how far they have come.
//!
//! Apart from `worker` because a run starts shops and waits for them.
//! Invariant: what is told is a whole picture each time, so that nothing is lost where the window is
//! slow; a run that is let go of leaves no process and no file behind.

mod free;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_util::sync::DropGuard;

use super::stores::{self, Slot};
use super::{Out, Running, export};
use crate::app::effect::{LabEffect, LabJob, LabSaveJob};
use crate::app::event::{Event, LabEvent};
use crate::app::start::Reading;
use crate::app::state::{LabForm, LabStore};
use crate::lab::run::{Bench, Ground, NotRun, Outcome, run_watched};
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::shop::StoreChoice;
use crate::lab::trace::{self, Trace};
use crate::lab::world::{Event as LabHappened, WATCHED_MAX};
use crate::sys::clock::{self, Stopwatch};
use crate::sys::{env, files, folders};

/// At the end of the program runs are waited for so long, until what they started is gone.
const END_MAX: Duration = Duration::from_secs(2);

/// Held by every run that is under way.
pub(super) type Held = Sender<()>;

/// What tells that no run is under way any more.
pub(super) fn held() -> (Held, Receiver<()>) {
    channel(1)
}

/// Waits until every run has let go.
pub(super) async fn finish(mut ended: Receiver<()>) {
    let _ = tokio::time::timeout(END_MAX, ended.recv()).await;
}

/// What the lab does for a store, or for none.
pub(super) struct Labs {
    run: Option<DropGuard>,
    free: Option<DropGuard>,
    held: Held,
}

impl Labs {
    pub(super) fn new(held: Held) -> Labs {
        Labs {
            run: None,
            free: None,
            held,
        }
    }
}

impl Running {
    pub(super) fn lab(&mut self, effect: LabEffect) {
        let (reading, out) = (self.reading.clone(), self.out.clone());
        match effect {
            LabEffect::Run(job) => {
                // The one before ends first.
                self.labs.run = None;
                let work = run(*job, reading, out, self.slot.clone());
                self.labs.run = Some(self.spawn(holding(self.labs.held.clone(), work)));
            }
            LabEffect::Stop => self.labs.run = None,
            LabEffect::Free(job) => {
                self.labs.free = None;
                let work = free::run(*job, reading, out);
                self.labs.free = Some(self.spawn(holding(self.labs.held.clone(), work)));
            }
            LabEffect::StopFree => self.labs.free = None,
            LabEffect::Save(job) => {
                tokio::task::spawn_blocking(move || save(&job, &out));
            }
            LabEffect::Browse(path) => {
                self.browse = Some(self.spawn(async move {
                    let path = export::chosen_path(path).await;
                    out.send(Event::Lab(LabEvent::Browsed { path })).await;
                }));
            }
        }
    }
}

/// Lets go when the work has ended, or was dropped with all that it started.
async fn holding(held: Held, work: impl Future<Output = ()>) {
    work.await;
    drop(held);
}

/// How often a picture is told, at least.
const TOLD_EVERY: Duration = Duration::from_millis(60);
/// Making one takes at most this share of the time.
const BUILD_SHARE: u32 = 8;

async fn run(job: LabJob, reading: Arc<Reading>, out: Out, slot: Slot) {
    let scratch = scratch(&reading);
    let ground = match job.place {
        LabStore::Own => None,
        LabStore::Open => Some(open_ground(&slot).await),
    };
    let works = job
        .sides
        .iter()
        .enumerate()
        .map(|(at, (scenario, variant))| {
            let side = Side {
                generation: job.generation,
                at,
                scenario: job.scenarios.get(*scenario).cloned(),
                variant: variant.clone(),
                out: out.clone(),
            };
            side.run(bench(&job, at, &reading, (&scratch, &ground)))
        });
    let works: Vec<_> = works.collect();
    // Two runs in one store would meet each other's records.
    if job.is_alone || job.place == LabStore::Open {
        for work in works {
            work.await;
        }
    } else {
        futures_util::future::join_all(works).await;
    }
}

/// A folder of this run only, gone with it.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = files::remove_folder(&self.0);
    }
}

fn scratch(reading: &Reading) -> Result<Scratch, String> {
    let beside_demo = reading.demo.as_deref().and_then(Path::parent);
    let folder = beside_demo.map(Path::to_owned).or_else(folders::data);
    let folder = folder.ok_or("there is no home folder for the lab")?;
    let (process, now) = (std::process::id(), clock::now().millis());
    let path = folder.join(format!("lab-window-{process}-{now}"));
    files::private_folder(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(Scratch(path))
}

fn bench(
    job: &LabJob,
    at: usize,
    reading: &Reading,
    (scratch, open): (&Result<Scratch, String>, &Option<Result<Ground, String>>),
) -> Result<Bench, String> {
    let program = reading.program.clone().or_else(env::program);
    let program = program.ok_or("this program cannot be started again by its own path")?;
    let own = scratch.as_ref().map_err(String::clone)?;
    let folder = own.0.join(format!("side-{at}"));
    files::private_folder(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let ground = match open {
        None => Ground {
            store: StoreChoice::Sqlite {
                path: folder.join("lab.sqlite"),
            },
            lane: None,
        },
        Some(ground) => ground.clone()?,
    };
    let mut bench = Bench::new(program, ground.store, folder);
    (bench.lane, bench.seed) = (ground.lane, job.seed);
    Ok(bench)
}

async fn open_ground(slot: &Slot) -> Result<Ground, String> {
    let (_, target, _) = stores::place(slot).ok_or("the store is not open any more")?;
    Ground::at(&target).await
}

struct Side {
    generation: u64,
    at: usize,
    scenario: Option<Scenario>,
    variant: Variant,
    out: Out,
}

impl Side {
    async fn run(self, bench: Result<Bench, String>) {
        let (answer, trace) = match (&self.scenario, bench) {
            (Some(scenario), Ok(bench)) => self.watch(&bench, scenario).await,
            (None, _) => {
                let why = "there is no such scenario".to_owned();
                (Err(NotRun::Failed(why)), Trace::default())
            }
            (_, Err(why)) => (Err(NotRun::Failed(why)), Trace::default()),
        };
        let event = LabEvent::Ended {
            generation: self.generation,
            side: self.at,
            answer: answer.map(Arc::new),
            trace: Arc::new(trace),
        };
        self.out.send(Event::Lab(event)).await;
    }

    async fn watch(&self, bench: &Bench, scenario: &Scenario) -> (Result<Outcome, NotRun>, Trace) {
        let about = scenario.about(&self.variant);
        let (watcher, mut happened) = channel::<LabHappened>(WATCHED_MAX);
        // A run is a large future, and this one is polled deep in the worker's.
        let mut work = Box::pin(run_watched(bench, scenario, &self.variant, watcher));
        let mut beat = tokio::time::interval(TOLD_EVERY);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut seen: Vec<LabHappened> = Vec::new();
        let mut told = 0;
        let mut rest = Duration::ZERO;
        let mut since = Stopwatch::start();
        let answer = loop {
            tokio::select! {
                answer = &mut work => break answer,
                Some(event) = happened.recv() => seen.push(event),
                _ = beat.tick() => {
                    if seen.len() == told || since.elapsed() < rest {
                        continue;
                    }
                    told = seen.len();
                    since = Stopwatch::start();
                    let trace = trace::build(about, &seen);
                    rest = since.elapsed() * BUILD_SHARE;
                    self.tell(trace).await;
                }
            }
        };
        let trace = match &answer {
            Ok(outcome) => trace::build(about, &outcome.events),
            Err(_) => trace::build(about, &seen),
        };
        (answer, trace)
    }

    async fn tell(&self, trace: Trace) {
        let event = LabEvent::Drawn {
            generation: self.generation,
            side: self.at,
            trace: Arc::new(trace),
        };
        self.out.send(Event::Lab(event)).await;
    }
}

fn save(job: &LabSaveJob, out: &Out) {
    let text = match job.form {
        LabForm::Html => job.report.html(),
        LabForm::Json => job.report.json(),
    };
    let path = Path::new(&job.path);
    let written = match files::create_private(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err("A file of that name is there".to_owned())
        }
        Err(error) => Err(format!("The file cannot be made: {error}")),
        Ok(mut file) => std::io::Write::write_all(&mut file, text.as_bytes())
            .map_err(|error| format!("The file cannot be written: {error}")),
    };
    let answer = written.map(|()| job.path.clone());
    out.send_blocking(Event::Lab(LabEvent::Saved { answer }));
}
