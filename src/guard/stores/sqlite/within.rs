//! Claim and save within a transaction of the caller: with an effect in the same database between
//! them, all of it happens or nothing.
//!
//! Apart from the records because only who keeps effects in this database can use it.

use sqlx::SqliteConnection;

use super::{SqliteStore, saving, trouble};
use crate::guard::answer::StoredAnswer;
use crate::guard::store::{Claim, Claimed, Fence, Saved, StoreTrouble, Ticket};

impl SqliteStore {
    /// Claims within a transaction of the caller, begun with `BEGIN IMMEDIATE`: with an effect in the
    /// same file and [`SqliteStore::save_in`] before its commit, all of it happens or nothing.
    pub async fn claim_in(
        &self,
        connection: &mut SqliteConnection,
        claim: &Claim,
    ) -> Result<Claimed, StoreTrouble> {
        self.claim_on(connection, claim).await.map_err(trouble)
    }

    /// As [`crate::guard::GuardStore::save`], within a transaction of the caller.
    pub async fn save_in(
        &self,
        connection: &mut SqliteConnection,
        ticket: &Ticket,
        answer: &StoredAnswer,
        fence: Fence,
    ) -> Result<Saved, StoreTrouble> {
        let (set, more) = saving(answer);
        let saved = self
            .change(&mut *connection, set, ticket, fence, more)
            .await?;
        if saved == Saved::Saved {
            self.write_notes(connection, &answer.notes).await?;
        }
        Ok(saved)
    }
}
