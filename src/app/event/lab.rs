//! What comes of the lab's runs.

use std::sync::Arc;

use crate::lab::fleet::FleetView;
use crate::lab::run::{NotRun, Outcome};
use crate::lab::trace::Trace;

#[derive(Clone, Debug)]
pub enum LabEvent {
    /// How far a side has come.
    Drawn {
        generation: u64,
        side: usize,
        trace: Arc<Trace>,
    },
    Ended {
        generation: u64,
        side: usize,
        /// Or why there is none.
        answer: Result<Arc<Outcome>, NotRun>,
        trace: Arc<Trace>,
    },
    /// The path, or a sentence.
    Saved {
        answer: Result<String, String>,
    },
    /// How the clients of free play fare, or why there are none.
    Free {
        generation: u64,
        answer: Result<FleetView, String>,
    },
    Browsed {
        path: Option<String>,
    },
}
