//! Changing a store that a user owns: plan, show, run, journal, undo.
//!
//! Apart from `inspect`, which holds the read half of a store and so cannot write.
//! Invariants: only `plan` and `undo` make a [`Plan`]; only `run` writes, and only what a plan
//! holds; before anything is changed its old state is in the journal on disk, synced.

mod clock;
pub mod journal;
mod look;
pub mod plan;
pub mod report;
pub mod rights;
pub mod run;
pub mod undo;
mod written;

pub use journal::{Journal, JournalError};
pub use plan::{Item, Plan, Refusal};
pub use run::{Control, Report, RunOptions, Steering, control, run};
