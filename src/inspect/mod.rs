//! Reading a store into a catalogue, and looking through it: filter, order, summary.
//!
//! Invariant: nothing here can write to a store.

pub mod catalogue;
pub mod detect;
pub mod scan;
pub mod session;
pub mod show;

pub use catalogue::{Catalogue, Snapshot};
pub use session::Session;
#[cfg(test)]
mod made;
