//! What the worker tells of retry statistics.

use std::sync::Arc;

use crate::app::remote::Failure;
use crate::inspect::retries::Told;

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
    /// Where it was written, nothing where no path was chosen, or a sentence.
    Exported {
        answer: Result<Option<String>, String>,
    },
}
