//! Runs a variant of a scenario: sets the stage, plays what clients do and what goes wrong, counts.
//!
//! Steps are played at their times; what happens at once is released by a barrier. A part that
//! crashed is started again after a second. Everything that was started is ended, and what it wrote
//! is gone, however the run ends.

mod befalls;
mod cast;
mod client;
mod expect;
mod ground;
mod looks;
mod operator;
mod place;
mod poller;
mod rows;
mod stage;
mod steps;
mod storm;
mod tenure;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex;
use tokio::sync::mpsc::Sender;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::counters::{Counters, Seen, count};
use super::engine::Engine;
use super::proxy::Proxy;
use super::scenario::{Scenario, Variant};
use super::servers::Servers;
use super::shop::StoreChoice;
use super::world::{Actor, Event, Happening, World};
use crate::guard::Outbox;
use crate::stores::lane::Lane;
use cast::Cast;
use stage::Stage;

pub use expect::{Miss, Wish, sentence as missed_sentence};
pub use ground::Ground;
pub use place::{clear, prepare, reach};
pub use rows::read;
pub use tenure::{Tenure, hold};

/// What a variant came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub variant: String,
    pub counters: Counters,
    pub missed: Vec<Miss>,
    pub events: Vec<Event>,
}

/// Why a variant was not run, or not to its end; a sentence each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRun {
    /// Something that it needs is not here: no fault of anybody.
    #[error("{0}")]
    Missing(String),
    /// It cannot be shown where the records were to stand, but in these stores.
    #[error("this can be shown on {0} only: give one with `--store`")]
    OtherStore(String),
    #[error("{0}")]
    Failed(String),
}

impl From<String> for NotRun {
    fn from(text: String) -> NotRun {
        NotRun::Failed(text)
    }
}

/// How scenarios are run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The program that the shop is started from: this one.
    pub program: PathBuf,
    pub store: StoreChoice,
    /// The way to it, where it is not found by its URL alone.
    pub lane: Option<Arc<Lane>>,
    /// Of what is random.
    pub seed: u64,
    /// A folder of the lab's own, for what a run needs while it lasts.
    pub scratch: PathBuf,
    pub servers: Arc<Servers>,
}

impl Bench {
    pub fn new(program: PathBuf, store: StoreChoice, scratch: PathBuf) -> Bench {
        Bench {
            program,
            store,
            lane: None,
            seed: 1,
            scratch,
            servers: Arc::default(),
        }
    }
}

/// What all who act in a run share.
#[derive(Clone)]
struct Scene {
    world: World,
    seen: Arc<Mutex<Vec<Seen>>>,
    proxy: Arc<Proxy>,
    /// Where the records stand.
    store: StoreChoice,
    seed: u64,
    /// How much has befallen the store.
    befallen: watch::Receiver<usize>,
}

/// Runs one variant.
///
/// Errors: what it needs is not here, or the shop or its store could not be started, or was lost.
pub async fn run(bench: &Bench, scenario: &Scenario, variant: &Variant) -> Result<Outcome, NotRun> {
    run_in(bench, scenario, variant, None).await
}

/// The same, and tells what happens while it happens.
///
/// Errors: as [`run`].
pub async fn run_watched(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    watcher: Sender<Event>,
) -> Result<Outcome, NotRun> {
    run_in(bench, scenario, variant, Some(watcher)).await
}

async fn run_in(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    watcher: Option<Sender<Event>>,
) -> Result<Outcome, NotRun> {
    let mut stage = Stage::set(bench, scenario, variant).await?;
    // Servers of the run's own are reached by nobody else.
    let tenure = match variant.server {
        Some(_) => Tenure::default(),
        None => hold(&stage.store).await?,
    };
    prepare(&stage.store).await?;
    let world = World::open().await.map_err(|error| error.to_string())?;
    if let Some(watcher) = watcher {
        world.watch(watcher);
    }
    let played = Box::pin(play(bench, scenario, variant, &mut stage, world)).await;
    // What the run wrote is of this run only.
    let cleared = clear(&stage.store).await;
    drop(tenure);
    let outcome = played?;
    match (cleared, variant.server.is_some()) {
        (Err(error), false) => Err(NotRun::Failed(error)),
        _ => Ok(outcome),
    }
}

async fn play(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    stage: &mut Stage,
    world: World,
) -> Result<Outcome, NotRun> {
    cast::set_disorders(&world, variant);
    let cast = Cast::start(bench, (scenario, variant), &stage.store, &world).await?;
    let ways = steps::ways(scenario.steps(variant));
    let (befalling, befallen) = watch::channel(0);
    let proxy = Proxy::start(cast.shops(), ways, world.clone()).await;
    let scene = Scene {
        proxy: Arc::new(proxy.map_err(|error| error.to_string())?),
        seen: Arc::default(),
        store: stage.store.clone(),
        seed: bench.seed,
        world,
        befallen,
    };
    scene.world.begin();
    let acted = act(bench, scenario, variant, (stage, befalling), &scene, &cast).await;
    // What is read from here on is read from the stores, not from what befell the way to them.
    stage.open();
    let mut figures = acted?;
    if let Some(trouble) = cast.trouble() {
        return Err(NotRun::Failed(trouble));
    }
    settle(&scene).await;
    let (events, mails) = (scene.world.events(), scene.world.mails().len() as u64);
    let books = read(&scene.store).await?;
    let state = match cast.shops().first() {
        Some(shop) => client::state(*shop).await,
        None => Default::default(),
    };
    // Nobody writes any more from here on.
    drop(cast);
    let seen = scene.seen.lock().await.clone();
    let intents = variant.intents.unwrap_or(scenario.intents);
    let mut ledger = scene.world.ledger();
    ledger.charges.extend(books.payments);
    let mut counters = count(intents, &events, &ledger, mails, books.rows, &seen);
    counters.outbox_pending = books.outbox.pending;
    counters.outbox_sent = books.outbox.sent;
    counters.state = state;
    if let Some(word) = seen.last().and_then(|seen| seen.word.clone()) {
        counters.state.insert("order", Value::from(word));
    }
    figures.extend(of_messages(&scene, &events));
    // Which answer was saved last may be a matter of luck: told where that is the point.
    if variant
        .expected
        .keys()
        .any(|name| name.starts_with("record."))
    {
        figures.extend(looks::answers("", &books.answers));
    }
    counters.figures.extend(figures);
    Ok(Outcome {
        variant: variant.id.clone(),
        missed: expect::missed(&variant.expected, &counters),
        counters,
        events,
    })
}

/// What came of messages beside their effects.
fn of_messages(scene: &Scene, events: &[Event]) -> [Figure; 2] {
    let by_mailer = |event: &&Event| {
        event.to == Actor::Mailer && matches!(event.what, Happening::Suppressed { .. })
    };
    let suppressed = events.iter().filter(by_mailer).count();
    let parked = scene.world.parked();
    [
        ("compensations_pending".to_owned(), Value::from(parked)),
        ("mailer_suppressed".to_owned(), Value::from(suppressed)),
    ]
}

/// A measure by its name.
type Figure = (String, Value);

/// Everything that happens, each at its time; ends when the last has ended.
async fn act(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    (stage, befalling): (&mut Stage, watch::Sender<usize>),
    scene: &Scene,
    cast: &Cast,
) -> Result<Vec<Figure>, NotRun> {
    let mut playing: JoinSet<Result<Vec<Figure>, String>> = JoinSet::new();
    scene.world.begin();
    for step in scenario.steps(variant) {
        let (step, mut scene) = (step.clone(), scene.clone());
        let before = variant.befalls.iter().filter(|act| act.at_ms < step.at_ms);
        let before = before.count();
        playing.spawn(async move {
            steps::wait(&step, &scene).await;
            // What was to happen before has happened, however long it took.
            let _ = scene.befallen.wait_for(|done| *done >= before).await;
            steps::play(&step, &scene).await;
            Ok(Vec::new())
        });
    }
    if let (Some(storm), Some(shop)) = (&variant.storm, cast.shops().first()) {
        playing.spawn(storm::play(storm.clone(), *shop, scene.clone()));
    }
    if let (Some(poller), Some(shop)) = (&variant.poller, cast.shops().first()) {
        playing.spawn(poller::play(poller.clone(), *shop, scene.clone()));
    }
    for at_ms in variant.looks_ms.iter().copied() {
        playing.spawn(looks::look(at_ms, scene.clone()));
    }
    for act in &variant.operator {
        playing.spawn(operator::act(
            act.clone(),
            scene.clone(),
            bench.scratch.clone(),
        ));
    }
    let waiting = looks::Waiting::watch(&scene.store);
    let befallen = befalls::play(&variant.befalls, stage, scene, &befalling);
    let mut figures = befallen.await?;
    while let Some(done) = playing.join_next().await {
        figures.extend(done.map_err(|error| error.to_string())??);
    }
    figures.extend(waiting.end().await);
    Ok(operator::summed(figures))
}

/// Waits until as many requests were answered, or cut off, as were seen, and no message is under way.
async fn settle(scene: &Scene) {
    let mut still = 0;
    let engine = Engine::attach(&scene.store).await.ok();
    for _ in 0..400 {
        let events = scene.world.events();
        let of = |fits: fn(&Happening) -> bool| events.iter().filter(|e| fits(&e.what)).count();
        let seen = of(|what| *what == Happening::Seen);
        let of_shops = events.iter().filter(|event| {
            matches!(event.from, Actor::Shop(_)) && event.what == Happening::Crashed
        });
        let ended = of(|what| matches!(what, Happening::Answered { .. })) + of_shops.count();
        let is_quiet = ended >= seen && scene.world.is_queue_idle();
        let count = match &engine {
            Some(engine) => engine.outbox_count().await.ok(),
            None => None,
        };
        let is_sent = count.is_none_or(|count| count.pending == 0);
        // Twice in a row: between the outbox and the queue a message is in neither.
        still = if is_quiet && is_sent { still + 1 } else { 0 };
        if still == 2 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
