//! Reading a store into a catalogue, and looking through it: filter, order, summary.
//!
//! Invariant: nothing here can write to a store.

pub mod cancel;
pub mod catalogue;
pub mod describe;
pub mod detect;
pub mod filter;
pub mod findings;
mod pass;
pub mod retries;
pub mod scan;
pub mod session;
pub mod show;
pub mod sort;
pub mod summary;

pub use cancel::{Cancel, CancelGuard, cancel};
pub use catalogue::{Catalogue, Snapshot};
pub use filter::Filter;
pub use session::Session;
pub use sort::{Direction, Order, SortField};
pub use summary::Summary;
#[cfg(test)]
mod tests;
