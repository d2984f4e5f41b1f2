//! What the stats view asks of the worker.

use std::sync::Arc;

use crate::app::command::StatsForm;
use crate::domain::Duration;
use crate::inspect::retries::Told;

#[derive(Clone, Debug)]
pub enum StatsEffect {
    /// Reads a window, and goes on reading what comes.
    Read(StatsJob),
    Stop,
    /// Asks for a path, and writes the figures there.
    Export {
        told: Arc<Told>,
        form: StatsForm,
    },
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
