//! Experiments with idempotency, on stores that are our own.

pub mod counters;
pub mod demo;
pub mod engine;
pub mod http;
pub mod parts;
pub mod presets;
pub mod proxy;
pub mod run;
pub mod scenario;
pub mod servers;
pub mod service;
pub mod shop;
pub mod switches;
pub mod world;
