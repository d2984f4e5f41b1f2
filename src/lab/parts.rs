//! The parts beside the shop that act by themselves: the relay of the outbox and the consumer of the
//! queue.
//!
//! Each runs in a process of its own where a scenario lets it crash, else as a task of the
//! experiment; what it does is the same. Neither knows anything but its store and the outside.

mod bookkeeping;
mod consumer;
mod payments;
mod relay;

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::shop::{Fault, FaultPoint, ShopConfig, StoreChoice};
use super::switches::Switches;
use super::world::Actor;

/// What a process of the lab is started as.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartConfig {
    Shop(Box<ShopConfig>),
    Relay(HelperConfig),
    Consumer(HelperConfig),
}

/// What relay and consumer need to know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelperConfig {
    pub outside: SocketAddr,
    pub store: StoreChoice,
    pub switches: Switches,
    pub faults: Vec<Fault>,
}

impl HelperConfig {
    fn has(&self, at: FaultPoint) -> bool {
        self.faults.iter().any(|fault| fault.at == at)
    }

    /// As it is started again after a crash: what crashed it does so once.
    fn revived(&mut self) {
        use FaultPoint::{ConsumerCrashAfterMark, ConsumerCrashBeforeMark, RelayCrashAfterPublish};
        let once = [
            RelayCrashAfterPublish,
            ConsumerCrashBeforeMark,
            ConsumerCrashAfterMark,
        ];
        self.faults.retain(|fault| !once.contains(&fault.at));
    }
}

impl PartConfig {
    /// What a person calls it.
    pub fn name(&self) -> &'static str {
        match self {
            PartConfig::Shop(_) => "shop",
            PartConfig::Relay(_) => "relay",
            PartConfig::Consumer(_) => "consumer",
        }
    }

    /// Who it is among the actors.
    pub fn actor(&self) -> Actor {
        match self {
            PartConfig::Shop(config) => Actor::Shop(config.instance),
            PartConfig::Relay(_) => Actor::Relay,
            PartConfig::Consumer(_) => Actor::Consumer,
        }
    }

    /// As it is started again after a crash.
    pub fn revived(mut self, address: SocketAddr) -> PartConfig {
        match &mut self {
            PartConfig::Shop(config) => config.port = address.port(),
            PartConfig::Relay(config) | PartConfig::Consumer(config) => config.revived(),
        }
        self
    }
}

/// Runs until it is dropped.
///
/// Errors: the store cannot be opened; a sentence.
pub async fn relay(config: HelperConfig) -> Result<(), String> {
    relay::run(config).await
}

/// Runs until it is dropped.
///
/// Errors: the store cannot be opened; a sentence.
pub async fn consumer(config: HelperConfig) -> Result<(), String> {
    consumer::run(config).await
}
