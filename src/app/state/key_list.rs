//! Keys that a figure was counted of, as a filter of the table.
//!
//! Apart from the typed filter because they are digests that nobody types. Bound: as many as the
//! statistics list; what was left out is said.

use std::sync::Arc;

/// Keys of a retry log, and what they have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyList {
    /// What was counted, in a few words.
    pub words: String,
    /// In order, as the statistics have them.
    pub keys: Arc<[u64]>,
    /// How many there are, listed or not.
    pub counted: u64,
    /// For how many keys each one stands.
    pub factor: u64,
}

impl KeyList {
    pub fn is_cut(&self) -> bool {
        self.counted > self.keys.len() as u64
    }
}
