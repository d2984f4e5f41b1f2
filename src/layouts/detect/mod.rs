//! Which layouts are in a store, how sure that is, and why.
//!
//! Evidence adds up and every piece of it is a sentence. A wrong reading is worse than none: what
//! fits nothing is refused with the reason, and what fits several layouts alike says so.

mod families;
pub mod foreign;
pub mod generic;
pub mod keys;
pub mod place;
mod scope;
pub mod tables;
mod verdict;

use super::source::Source;

/// A layout that was found at one place.
#[derive(Clone, Debug)]
pub struct Found {
    pub source: Source,
    /// From 0 to 1; below [`SURE`] a person should have a look.
    pub score: f32,
    pub reasons: Vec<String>,
    /// Records of the sample that it reads.
    pub matched: u64,
    /// Addresses of a few of them.
    pub examples: Vec<String>,
}

/// Something that looks like a store of idempotency records and is not taken for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub place: String,
    /// The layout it resembles.
    pub resembles: String,
    pub why: Vec<String>,
}

#[derive(Clone, Debug, Default)]
pub struct Detection {
    /// Best first.
    pub found: Vec<Found>,
    pub refused: Vec<Refused>,
    /// Keys or tables that were looked at.
    pub sampled: u64,
    /// Of those, what this login may not read.
    pub unreadable: u64,
    /// Whether that was all there is.
    pub complete: bool,
}

/// Below this score a finding is shown as not sure.
pub const SURE: f32 = 0.6;

impl Found {
    pub fn is_sure(&self) -> bool {
        self.score >= SURE
    }
}

/// Examples kept of each finding.
const EXAMPLES_MAX: usize = 3;

fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
