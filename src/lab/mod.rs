//! Experiments with idempotency, on stores that are our own.

pub mod demo;
