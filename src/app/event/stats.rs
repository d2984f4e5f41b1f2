//! What the worker tells of retry statistics.

use std::sync::Arc;

use crate::app::remote::Failure;
use crate::inspect::retries::Told;
use crate::stats::{Behind, Mark};

#[derive(Clone, Debug)]
pub enum StatsEvent {
    /// A long log is being read.
    SoFar {
        generation: u64,
        entries: u64,
    },
    Told {
        generation: u64,
        told: Arc<Told>,
    },
    Failed {
        generation: u64,
        failure: Failure,
    },
    /// The keys that were counted somewhere.
    Behind {
        generation: u64,
        mark: Mark,
        behind: Behind,
    },
    Browsed {
        path: Option<String>,
    },
    /// Where it was written, or a sentence.
    Exported {
        answer: Result<String, String>,
    },
}
