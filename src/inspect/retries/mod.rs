//! Retry statistics of a store: where its log is, reading it into a tally, and what records and server
//! tell beside it.
//!
//! Apart from `stats`, which counts and reads nothing. Invariant: each figure names its source; what
//! this store cannot tell is a reason, never a zero.

mod among;
pub mod beside;
mod draft;
mod ears;
pub mod export;
pub mod find;
mod json;
mod json_beside;
pub mod looks;
pub mod monitor;
pub mod read;
pub mod words;

pub use among::rows_among;
pub use beside::{Beside, beside};
pub use ears::Ears;
pub use find::{LogPlace, Logs, find_logs};
pub use read::Reader;

use crate::layouts::Source;
use crate::stats::{Report, Terms};

/// The lease and the retention that count: the smallest that a source states.
pub fn terms(sources: &[Source]) -> Terms {
    let millis = |span: crate::domain::Duration| u64::try_from(span.millis()).ok();
    let leases = sources.iter().filter_map(|source| source.lease());
    let lifetimes = sources.iter().filter_map(|source| source.lifetime(None));
    Terms {
        lease_ms: leases.min().and_then(millis),
        retention_ms: lifetimes.min().and_then(millis),
    }
}

/// Everything that is told of one window.
#[derive(Clone, Debug)]
pub struct Told {
    /// What to call the store.
    pub target: String,
    pub report: Report,
    pub logs: Logs,
    pub beside: Beside,
    /// Whether the logs were read to the end of the window.
    pub complete: bool,
    /// By the store's clock.
    pub now: i64,
}
