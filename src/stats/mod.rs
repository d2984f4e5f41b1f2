//! Counting attempts: what retries there were, how late, what came of them, and what is odd.
//!
//! Apart from `inspect` because it reads no store: attempts go in, one after the other and in any
//! order, and a [`Tally`] comes out that can be merged with another one.
//! Invariants: no I/O and no clock; memory is bounded whatever comes; a number that is an estimate
//! says so, and is never added to one that is exact.

mod breakdown;
mod distinct;
mod entry;
mod figure;
mod findings;
mod hash;
mod keys;
mod marks;
mod names;
mod payloads;
mod report;
mod series;
mod sketch;
mod slots;
mod spikes;
mod storms;
mod tally;
mod tell;

#[cfg(test)]
mod tests;

pub use breakdown::{Dimension, Row};
pub use entry::{Defect, Draft, Entry, Sequence, Word};
pub use figure::{Basis, Figure, Why};
pub use findings::Findings;
pub use hash::{of as key_id, of_bytes as key_id_of};
pub use keys::{ATTEMPTS_BINS, AttemptsPerKey};
pub use marks::{Behind, KEYS_LISTED_MAX, Mark};
pub use report::{
    Breakdown, DelayFacts, LateShare, LeaseFacts, Mix, Place, Report, RetryRate, Times,
};
pub use series::{BINS, Bin, TRENDS};
pub use sketch::Sketch;
pub use spikes::{DELAY_BARS, DelayBar, delay_bars, delay_bounds, delay_place};
pub use storms::{Ending, Storm, StormKind};
pub use tally::{Late, Span, Tally, Terms};
