//! Experiments with idempotency, on stores that are our own.

pub mod counters;
pub mod demo;
pub mod engine;
pub mod fleet;
pub mod http;
pub mod pairs;
pub mod parts;
pub mod presets;
pub mod proxy;
pub mod report;
pub mod run;
pub mod scenario;
pub mod servers;
pub mod service;
pub mod shop;
pub mod switches;
pub mod trace;
pub mod world;
