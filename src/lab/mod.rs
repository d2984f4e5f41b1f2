//! Experiments with idempotency, on stores that are our own.

pub mod counters;
pub mod demo;
pub mod http;
pub mod pairs;
pub mod presets;
pub mod report;
pub mod run;
pub mod scenario;
pub mod service;
pub mod shop;
pub mod switches;
pub mod trace;
pub mod world;
