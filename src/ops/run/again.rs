//! Looks again at what was sent and not answered.
//!
//! Apart from the sending because it only reads. Invariant: what is found is told beside the
//! outcome, which stays `Unknown`: somebody else may have made it so.

use super::super::look::{Now, look};
use super::report::found_words;
use super::{PAUSES_MS, RunProgress, Runner, may_come_back};
use crate::domain::change::{Applied, Change, Outcome};
use crate::stores::{ReadStore, StoreError, Target, open_where_changes_go};

impl<F: Fn(&RunProgress)> Runner<F> {
    /// Looks at what has no certain outcome, and writes down what was found.
    pub(super) async fn look_again(&mut self, target: &Target, reader: &ReadStore) {
        let is_unknown = |applied: &Option<Applied>| {
            applied
                .as_ref()
                .is_some_and(|applied| applied.outcome == Outcome::Unknown)
        };
        let unknown: Vec<usize> = (0..self.outcomes.len())
            .filter(|n| self.outcomes.get(*n).is_some_and(is_unknown))
            .collect();
        let items = self.items.clone();
        let changes: Vec<&Change> = unknown
            .iter()
            .filter_map(|n| Some(&items.get(*n)?.change))
            .collect();
        if changes.is_empty() {
            return;
        }
        let mut pauses = PAUSES_MS.into_iter();
        let found = loop {
            match (look_at(target, reader, &changes).await, pauses.next()) {
                (Ok(found), _) => break found,
                // The line that was lost may be the reader's too.
                (Err(error), Some(pause)) if may_come_back(&error) => {
                    if !self.wait(pause, &error).await {
                        return;
                    }
                }
                (Err(_), _) => return,
            }
        };
        for (n, now) in unknown.into_iter().zip(found) {
            let _ = self.journal.found(n, now.found);
            if let Some(Some(applied)) = self.outcomes.get_mut(n) {
                let why = applied.why.take().unwrap_or_default();
                applied.why = Some(format!("{why}; {}", found_words(now.found)));
            }
        }
    }
}

/// Looks where the changes went.
async fn look_at(
    target: &Target,
    reader: &ReadStore,
    changes: &[&Change],
) -> Result<Vec<Now>, StoreError> {
    let primary = open_where_changes_go(target).await?;
    look(primary.as_ref().unwrap_or(reader), changes).await
}
