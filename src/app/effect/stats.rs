//! What the stats view asks of the worker.

use std::sync::Arc;

use crate::domain::Duration;
use crate::inspect::retries::Told;
use crate::stats::Mark;

#[derive(Clone, Debug)]
pub enum StatsEffect {
    /// Reads a window, and goes on reading what comes.
    Read(StatsJob),
    Stop,
    /// Looks up the keys that were counted somewhere.
    Behind {
        generation: u64,
        mark: Mark,
    },
    /// Asks for a path in the desktop's own dialog.
    Browse(String),
    Export {
        what: StatsFile,
        path: String,
    },
}

/// What is written into a file.
#[derive(Clone, Debug)]
pub enum StatsFile {
    /// A PNG.
    Picture(Arc<[u8]>),
    Csv(Arc<Told>),
    Json(Arc<Told>),
}

#[derive(Clone, Copy, Debug)]
pub struct StatsJob {
    pub generation: u64,
    pub span: StatsSpan,
    /// How often it is looked again; not at all without.
    pub every_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum StatsSpan {
    Last(Duration),
    Between(i64, i64),
}
