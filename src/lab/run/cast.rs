//! Who acts: the shops in processes of their own, and relay and consumer, in processes where they
//! are to crash and else as tasks.
//!
//! Invariant: whoever crashed is back a second later, on the old port; when this is dropped all of
//! them are gone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::{Bench, NotRun};
use crate::lab::parts::{self, HelperConfig, PartConfig};
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::shop::process::ShopProcess;
use crate::lab::shop::{FaultPoint, ShopConfig, StoreChoice};
use crate::lab::world::{Actor, Disorder, Event, Happening, World};

/// A part that crashed is back after this.
const BACK_AFTER: Duration = Duration::from_secs(1);

/// All who act beside the clients.
pub struct Cast {
    shops: Vec<Part>,
    _helpers: Vec<Helper>,
}

/// A relay or a consumer.
enum Helper {
    Process {
        _part: Part,
    },
    Task {
        task: JoinHandle<Result<(), String>>,
    },
}

impl Drop for Helper {
    fn drop(&mut self) {
        if let Helper::Task { task } = self {
            task.abort();
        }
    }
}

impl Cast {
    pub async fn start(
        bench: &Bench,
        (scenario, variant): (&Scenario, &Variant),
        store: &StoreChoice,
        world: &World,
    ) -> Result<Cast, NotRun> {
        let steps = scenario.steps(variant);
        let crowd = steps.iter().map(|step| step.at_once).max().unwrap_or(1);
        let crowd = u32::try_from(crowd).unwrap_or(u32::MAX);
        let mut shops = Vec::new();
        for instance in 1..=variant.instances.max(1) {
            let config = ShopConfig {
                instance,
                port: 0,
                outside: world.address,
                store: store.clone(),
                switches: variant.switches_of(instance)?,
                faults: variant.faults.clone(),
                execution_ms: variant.execution_ms,
                lookers: variant.lookers,
                crowd,
                door: variant.door,
                has_saga: variant.has_saga,
            };
            let config = PartConfig::Shop(Box::new(config));
            shops.push(Part::start(bench.program.clone(), config, world).await?);
        }
        let mut helpers = Vec::new();
        for config in helper_configs(variant, store, world) {
            helpers.push(helper(bench, config, world).await?);
        }
        Ok(Cast {
            shops,
            _helpers: helpers,
        })
    }

    /// Why one of the shops is not there any more, where that is so.
    pub fn trouble(&self) -> Option<String> {
        self.shops.iter().find_map(|shop| {
            let trouble = shop.trouble.lock();
            trouble.unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// Where the shops listen.
    pub fn shops(&self) -> Vec<SocketAddr> {
        self.shops.iter().map(|shop| shop.address).collect()
    }
}

/// Whom a variant needs beside its shops.
fn helper_configs(variant: &Variant, store: &StoreChoice, world: &World) -> Vec<PartConfig> {
    let config = HelperConfig {
        outside: world.address,
        store: store.clone(),
        switches: variant.switches.clone(),
        faults: variant.faults.clone(),
    };
    let has_outbox = variant.switches.has_outbox() && *store != StoreChoice::Memory;
    let mut configs = Vec::new();
    if has_outbox {
        configs.push(PartConfig::Relay(config.clone()));
    }
    if has_outbox || variant.has_saga {
        configs.push(PartConfig::Consumer(config));
    }
    configs
}

async fn helper(bench: &Bench, config: PartConfig, world: &World) -> Result<Helper, NotRun> {
    let crashes = |helper: &HelperConfig| {
        helper.faults.iter().any(|fault| {
            matches!(
                fault.at,
                FaultPoint::RelayCrashAfterPublish
                    | FaultPoint::ConsumerCrashBeforeMark
                    | FaultPoint::ConsumerCrashAfterMark
            )
        })
    };
    let work = match config {
        PartConfig::Relay(helper) if !crashes(&helper) => tokio::spawn(parts::relay(helper)),
        PartConfig::Consumer(helper) if !crashes(&helper) => tokio::spawn(parts::consumer(helper)),
        config => {
            let part = Part::start(bench.program.clone(), config, world).await?;
            return Ok(Helper::Process { _part: part });
        }
    };
    Ok(Helper::Task { task: work })
}

/// What goes wrong on the way of messages.
pub fn set_disorders(world: &World, variant: &Variant) {
    for fault in &variant.faults {
        let topic = fault.topic.clone().unwrap_or_default();
        match fault.at {
            FaultPoint::MessageDuplicated => world.disorder(Disorder::Twice { topic }),
            FaultPoint::MessageReordered => world.disorder(Disorder::Overtaken {
                topic,
                by: "refund".to_owned(),
            }),
            _ => {}
        }
    }
}

/// A process that is started again when it crashed.
struct Part {
    address: SocketAddr,
    /// Why it is not back, where it is not.
    trouble: Arc<Mutex<Option<String>>>,
    keeper: JoinHandle<()>,
    process: Arc<Mutex<ShopProcess>>,
}

impl Drop for Part {
    fn drop(&mut self) {
        self.keeper.abort();
        lock(&self.process).kill();
    }
}

fn lock(process: &Mutex<ShopProcess>) -> std::sync::MutexGuard<'_, ShopProcess> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Part {
    async fn start(program: PathBuf, config: PartConfig, world: &World) -> Result<Part, NotRun> {
        let process = ShopProcess::start(&program, &config).await?;
        let address = process.address;
        let process = Arc::new(Mutex::new(process));
        let (victim, crashed) = (process.clone(), Arc::new(Notify::new()));
        let tells = crashed.clone();
        let actor = config.actor();
        world.on_crash(
            actor.clone(),
            Arc::new(move || {
                lock(&victim).kill();
                tells.notify_one();
            }),
        );
        let again = Again {
            program,
            config: config.revived(address),
            actor,
            world: world.clone(),
            trouble: Arc::default(),
        };
        let trouble = again.trouble.clone();
        let keeper = tokio::spawn(keep(again, process.clone(), crashed));
        Ok(Part {
            address,
            trouble,
            keeper,
            process,
        })
    }
}

/// What a part is started with again.
struct Again {
    program: PathBuf,
    config: PartConfig,
    actor: Actor,
    world: World,
    trouble: Arc<Mutex<Option<String>>>,
}

/// Another program may hold its port for a moment.
const TRIES: usize = 5;

async fn keep(again: Again, process: Arc<Mutex<ShopProcess>>, crashed: Arc<Notify>) {
    loop {
        crashed.notified().await;
        tokio::time::sleep(BACK_AFTER).await;
        let mut fresh = ShopProcess::start(&again.program, &again.config).await;
        for _ in 1..TRIES {
            if fresh.is_ok() {
                break;
            }
            tokio::time::sleep(BACK_AFTER / 4).await;
            fresh = ShopProcess::start(&again.program, &again.config).await;
        }
        match fresh {
            Ok(fresh) => *lock(&process) = fresh,
            Err(why) => {
                let text = format!("it crashed and did not come back: {why}");
                *again.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
                return;
            }
        }
        again.world.record(Event {
            at_ms: 0,
            from: again.actor.clone(),
            to: again.actor.clone(),
            what: Happening::Restarted,
            intent: None,
            attempt: None,
            text: "is back".to_owned(),
        });
    }
}
