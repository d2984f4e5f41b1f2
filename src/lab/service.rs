//! The lab's shop kept open for any HTTP client: the same shop, bank and mailer, and no script.
//!
//! Apart from `run` because nothing is expected of it: clients come and go, a shop that crashed is
//! back a second later, and what happens is told as it happens. A client asks for a fault with the
//! header `x-lab-fault`.
//! Invariant: every process that was started is ended when the service is dropped.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinHandle;

use super::counters::{Counters, count};
use super::parts::{self, HelperConfig, PartConfig};
use super::run::{Tenure, hold, prepare, read};
use super::shop::process::ShopProcess;
use super::shop::{ShopConfig, StoreChoice};
use super::switches::{Events, Switches};
use super::world::{Actor, Event, Happening, World};

/// A crashed shop is back after this.
const BACK_AFTER: Duration = Duration::from_secs(1);
/// How often it is looked whether one has crashed.
const LOOK: Duration = Duration::from_millis(50);
pub const INSTANCES_MAX: u8 = 8;
/// Counters of what was wanted and of what clients saw.
const OF_A_SCRIPT: [&str; 4] = ["intents", "client_attempts", "excess", "leaks"];

/// What is done with what stands in the lab's place from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Emptied,
    AsItIs,
}

/// What to serve.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The program that the shop is started from: this one.
    pub program: PathBuf,
    pub store: StoreChoice,
    pub ground: Ground,
    pub switches: Switches,
    /// The first instance's port; 0 for any. Others have any.
    pub port: u16,
    /// From 1 to [`INSTANCES_MAX`].
    pub instances: u8,
    /// How long an execution takes.
    pub execution_ms: u64,
}

/// A running service.
#[derive(Debug)]
pub struct Service {
    pub world: World,
    pub addresses: Vec<SocketAddr>,
    store: StoreChoice,
    keepers: Vec<JoinHandle<()>>,
    _tenure: Tenure,
}

impl Drop for Service {
    fn drop(&mut self) {
        // Each holds the process that it keeps, and ends it with itself.
        self.keepers.iter().for_each(JoinHandle::abort);
    }
}

impl Service {
    /// Starts, on an emptied place of the lab's own if that is wanted.
    ///
    /// Errors: the store cannot be reached, another lab is at work there, or a port cannot be had; a
    /// sentence.
    pub async fn start(wanted: &Wanted) -> Result<Service, String> {
        let tenure = hold(&wanted.store).await?;
        if wanted.ground == Ground::Emptied {
            prepare(&wanted.store).await?;
        }
        let world = World::open().await.map_err(|error| error.to_string())?;
        let mut service = Service {
            world,
            addresses: Vec::new(),
            store: wanted.store.clone(),
            keepers: Vec::new(),
            _tenure: tenure,
        };
        for instance in 1..=wanted.instances.clamp(1, INSTANCES_MAX) {
            service.add(wanted, instance).await?;
        }
        service.deliver(wanted);
        Ok(service)
    }

    /// Relay and consumer, so that what stands in the outbox becomes mails.
    fn deliver(&mut self, wanted: &Wanted) {
        if wanted.switches.o1 != Events::Outbox || wanted.switches.unprotected {
            return;
        }
        let config = HelperConfig {
            outside: self.world.address,
            store: wanted.store.clone(),
            switches: wanted.switches.clone(),
            faults: Vec::new(),
        };
        let relay = config.clone();
        let work = [
            tokio::spawn(async move { drop(parts::relay(relay).await) }),
            tokio::spawn(async move { drop(parts::consumer(config).await) }),
        ];
        self.keepers.extend(work);
    }

    async fn add(&mut self, wanted: &Wanted, instance: u8) -> Result<(), String> {
        let config = ShopConfig {
            instance,
            port: if instance == 1 { wanted.port } else { 0 },
            outside: self.world.address,
            store: wanted.store.clone(),
            switches: wanted.switches.clone(),
            faults: Vec::new(),
            execution_ms: wanted.execution_ms,
            lookers: 0,
            crowd: 1,
            door: None,
            has_saga: false,
        };
        let config = PartConfig::Shop(Box::new(config));
        let process = ShopProcess::start(&wanted.program, &config).await?;
        self.addresses.push(process.address);
        let config = config.revived(process.address);
        let process = Arc::new(Mutex::new(process));
        let victim = process.clone();
        let kill = move || victim.lock().unwrap_or_else(PoisonError::into_inner).kill();
        self.world.on_crash(Actor::Shop(instance), Arc::new(kill));
        let (program, world) = (wanted.program.clone(), self.world.clone());
        let keeper = tokio::spawn(async move { keep(program, config, process, world).await });
        self.keepers.push(keeper);
        Ok(())
    }

    /// Everything counted so far.
    ///
    /// Errors: the store does not answer.
    pub async fn counters(&self) -> Result<Counters, String> {
        let books = read(&self.store).await?;
        let (events, mails) = (self.world.events(), self.world.mails().len() as u64);
        let mut ledger = self.world.ledger();
        ledger.charges.extend(books.payments);
        let mut counters = count(0, &events, &ledger, mails, books.rows, &[]);
        counters.outbox_pending = books.outbox.pending;
        counters.outbox_sent = books.outbox.sent;
        Ok(counters)
    }
}

/// Counters by name. Nothing was scripted: what only a script knows is null.
pub fn unscripted(counters: &Counters) -> Vec<(String, Value)> {
    let mut members = counters.members();
    for (name, value) in &mut members {
        if OF_A_SCRIPT.contains(&name.as_str()) {
            *value = Value::Null;
        }
    }
    members
}

/// Starts a shop again and again when it has crashed.
async fn keep(
    program: PathBuf,
    config: PartConfig,
    process: Arc<Mutex<ShopProcess>>,
    world: World,
) {
    loop {
        tokio::time::sleep(LOOK).await;
        let has_ended = process
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .has_ended();
        if !has_ended {
            continue;
        }
        tokio::time::sleep(BACK_AFTER).await;
        if let Ok(again) = ShopProcess::start(&program, &config).await {
            *process.lock().unwrap_or_else(PoisonError::into_inner) = again;
            let shop = config.actor();
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
