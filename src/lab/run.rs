//! Runs a variant of a scenario: starts the outside and the shops, plays the clients' steps, counts.
//!
//! Steps are played at their times; what happens at once is released by a barrier. A shop that
//! crashed is started again after a second, on its old port. Everything that was started is ended.

mod client;
mod expect;
mod rows;

pub use rows::{clear as clear_store, count as rows_of};

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;

use super::counters::{Counters, Seen, View, count};
use super::scenario::{Scenario, Step, Variant};
use super::shop::process::ShopProcess;
use super::shop::{ShopConfig, StoreChoice};
use super::world::{Actor, Event, Happening, World};

/// A crashed shop is back after this.
const BACK_AFTER: Duration = Duration::from_secs(1);

/// What a variant came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub variant: String,
    pub counters: Counters,
    /// Expectations that were missed, as a sentence each.
    pub missed: Vec<String>,
    pub events: Vec<Event>,
}

/// How scenarios are run.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The program that the shop is started from: this one.
    pub program: PathBuf,
    pub store: StoreChoice,
}

/// Runs one variant.
///
/// Errors: the shop or its store could not be started; a sentence.
pub async fn run(bench: &Bench, scenario: &Scenario, variant: &Variant) -> Result<Outcome, String> {
    run_in(bench, scenario, variant, World::open).await
}

/// The same, and tells what happens while it happens.
///
/// Errors: as [`run`].
pub async fn run_watched(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    watcher: Sender<Event>,
) -> Result<Outcome, String> {
    let open = async || {
        let world = World::open().await?;
        world.watch(watcher);
        Ok(world)
    };
    run_in(bench, scenario, variant, open).await
}

async fn run_in(
    bench: &Bench,
    scenario: &Scenario,
    variant: &Variant,
    open: impl AsyncFnOnce() -> std::io::Result<World>,
) -> Result<Outcome, String> {
    let world = open().await.map_err(|error| error.to_string())?;
    rows::clear(&bench.store).await?;
    let instances = variant.instances.max(1);
    let mut shops = Vec::new();
    for instance in 1..=instances {
        shops.push(Shop::start(bench, variant, &world, instance).await?);
    }
    let shops: Arc<[Shop]> = shops.into();
    let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
    let mut playing = JoinSet::new();
    world.begin();
    for step in scenario.steps(variant) {
        let (step, world) = (step.clone(), world.clone());
        let (shops, seen) = (shops.clone(), seen.clone());
        playing.spawn(async move {
            tokio::time::sleep(Duration::from_millis(step.at_ms)).await;
            play(&step, &shops, &world, &seen).await;
        });
    }
    while playing.join_next().await.is_some() {}
    // Handlers whose clients have gone away may still be at work.
    settle(&world).await;
    let rows = rows::count(&bench.store).await?;
    let seen = seen.lock().await.clone();
    let intents = variant.intents.unwrap_or(scenario.intents);
    let (events, mails) = (world.events(), world.mails().len() as u64);
    let mut counters = count(intents, &events, &world.ledger(), mails, rows, &seen);
    if let Some(shop) = shops.first() {
        counters.state = client::state(shop.address).await;
    }
    drop(shops);
    // The lab's own file is of this run only.
    if let StoreChoice::Sqlite { .. } = &bench.store {
        rows::clear(&bench.store).await?;
    }
    Ok(Outcome {
        variant: variant.id.clone(),
        missed: expect::missed(&variant.expected, &counters),
        counters,
        events,
    })
}

/// Waits until as many requests were answered, or cut off, as were seen.
async fn settle(world: &World) {
    for _ in 0..200 {
        let events = world.events();
        let of = |fits: fn(&Happening) -> bool| events.iter().filter(|e| fits(&e.what)).count();
        let seen = of(|what| *what == Happening::Seen);
        let ended = of(|what| matches!(what, Happening::Answered { .. } | Happening::Crashed));
        if ended >= seen {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// One instance, started again when it crashes.
struct Shop {
    bench: Bench,
    config: ShopConfig,
    process: Arc<std::sync::Mutex<ShopProcess>>,
    address: std::net::SocketAddr,
    reviving: Mutex<()>,
}

impl Shop {
    async fn start(
        bench: &Bench,
        variant: &Variant,
        world: &World,
        instance: u8,
    ) -> Result<Shop, String> {
        let mut config = ShopConfig {
            instance,
            port: 0,
            outside: world.address,
            store: bench.store.clone(),
            switches: variant.switches.clone(),
            faults: variant.faults.clone(),
            execution_ms: variant.execution_ms,
            lookers: variant.lookers,
        };
        let process = launch(bench.program.clone(), config.clone()).await?;
        let address = process.address;
        config.port = address.port();
        let process = Arc::new(std::sync::Mutex::new(process));
        let victim = process.clone();
        world.on_crash(
            Actor::Shop(instance),
            Arc::new(move || victim.lock().unwrap_or_else(PoisonError::into_inner).kill()),
        );
        Ok(Shop {
            bench: bench.clone(),
            config,
            process,
            address,
            reviving: Mutex::new(()),
        })
    }

    fn has_ended(&self) -> bool {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        process.has_ended()
    }

    /// After a connection was lost: if the process has ended, it is started again a second later.
    async fn revive(&self, world: &World) {
        let _alone = self.reviving.lock().await;
        // The line closes a moment before the process has ended.
        for _ in 0..20 {
            if self.has_ended() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        if !self.has_ended() {
            return;
        }
        tokio::time::sleep(BACK_AFTER).await;
        if let Ok(again) = launch(self.bench.program.clone(), self.config.clone()).await {
            *self.process.lock().unwrap_or_else(PoisonError::into_inner) = again;
            let shop = Actor::Shop(self.config.instance);
            world.record(Event {
                at_ms: 0,
                from: shop.clone(),
                to: shop,
                what: Happening::Restarted,
                intent: None,
                attempt: None,
                text: "is back".to_owned(),
            });
        }
    }
}

/// Starting waits for another process.
async fn launch(program: PathBuf, config: ShopConfig) -> Result<ShopProcess, String> {
    let started =
        tokio::task::spawn_blocking(move || ShopProcess::start(Path::new(&program), &config));
    started.await.map_err(|error| error.to_string())?
}

async fn play(step: &Step, shops: &Arc<[Shop]>, world: &World, seen: &Arc<Mutex<Vec<Seen>>>) {
    let is_done = seen
        .lock()
        .await
        .iter()
        .any(|seen| seen.intent == step.intent && View::of(seen) == View::Success);
    if step.unless_done && is_done {
        return;
    }
    let count = usize::try_from(step.at_once.max(1)).unwrap_or(1);
    let barrier = Arc::new(tokio::sync::Barrier::new(count));
    let mut sent = JoinSet::new();
    for n in 0..count {
        let at = match step.instance {
            0 => n,
            instance => usize::from(instance - 1),
        };
        let (step, world, barrier) = (step.clone(), world.clone(), barrier.clone());
        let (shops, seen) = (shops.clone(), seen.clone());
        sent.spawn(async move {
            let Some(shop) = shops.get(at % shops.len().max(1)) else {
                return;
            };
            barrier.wait().await;
            let answer = client::attempt(&step, shop.address, &world).await;
            let is_lost = answer.status.is_none() && !step.loses_answer;
            seen.lock().await.push(answer);
            if is_lost {
                shop.revive(&world).await;
            }
        });
    }
    while sent.join_next().await.is_some() {}
}
