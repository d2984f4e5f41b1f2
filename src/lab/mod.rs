//! Experiments with idempotency, on stores that are our own.

pub mod demo;
pub mod http;
pub mod switches;
pub mod world;
