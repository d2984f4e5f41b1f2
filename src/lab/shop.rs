//! The shop: a real HTTP service on loopback, behind the idempotency layer, with every switch and
//! every fault of the lab.
//!
//! It runs in a process of its own, the same program once more, so that a crash is a real one.
//! Invariant: it listens on loopback only, and talks to nobody but its store and the lab's outside.

mod app;
mod config;
mod door;
mod log;
pub mod openapi;
pub mod process;
mod report;
mod store;
mod teller;
mod told;

pub use config::{Both, Decides, Door, Fault, FaultPoint, ShopConfig, StoreChoice};
pub use store::{local_id, payments_table};
pub use teller::Teller;
