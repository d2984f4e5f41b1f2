//! Reading a store into a catalogue, and looking through it: filter, order, summary.
//!
//! Invariant: nothing here can write to a store.

pub mod catalogue;

pub use catalogue::{Catalogue, Snapshot};
#[cfg(test)]
mod tests;
