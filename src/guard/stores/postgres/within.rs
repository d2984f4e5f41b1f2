//! Claim and save within a transaction of the caller: with an effect in the same database between
//! them, all of it happens or nothing.
//!
//! Apart from the records because only who keeps effects in this database can use it.

use sqlx::PgConnection;

use super::{PostgresStore, TRIES, saving, too_often};
use crate::guard::answer::StoredAnswer;
use crate::guard::store::{Claim, Claimed, Fence, Saved, StoreTrouble, Ticket};

impl PostgresStore {
    /// Claims within a transaction of the caller: with an effect in the same database and
    /// [`PostgresStore::save_in`] before its commit, all of it happens or nothing. Others who claim
    /// the key wait until the transaction ends.
    pub async fn claim_in(
        &self,
        connection: &mut PgConnection,
        claim: &Claim,
    ) -> Result<Claimed, StoreTrouble> {
        for _ in 0..TRIES {
            if let Some(claimed) = self.claim_once(&mut *connection, claim).await? {
                return Ok(claimed);
            }
        }
        Err(too_often())
    }

    /// As [`crate::guard::GuardStore::save`], within a transaction of the caller.
    pub async fn save_in(
        &self,
        connection: &mut PgConnection,
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
