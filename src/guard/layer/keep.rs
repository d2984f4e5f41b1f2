//! What is kept of an answer, and keeping a lock while its request runs.
//!
//! Apart from `request`, which decides what is executed; this decides what the next one meets.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Response, StatusCode};

use super::request::Answered;
use super::{Guard, NotExecuted, Outcome, Watch};
use crate::guard::answer::{StoredAnswer, mark};
use crate::guard::policy::{ClientError, Lease, ServerError};
use crate::guard::problem::problem;
use crate::guard::store::{After, GuardStore, Leaves, Saved, Ticket};

/// The largest answer that is stored.
const BODY_MAX: usize = 8 << 20;

/// What becomes of the record after an answer.
enum Fate {
    Save,
    Release(Leaves),
    /// Nothing: the lock stays until its lease is over.
    Nothing,
}

/// Ends the renewing of a lock when it is dropped.
pub(super) struct Renewal(tokio::task::JoinHandle<()>);

impl Drop for Renewal {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl<S: GuardStore, W: Watch> Guard<S, W> {
    /// Keeps a lock alive while its request runs; ended when it is dropped.
    pub(super) fn renewal(&self, ticket: &Ticket) -> Option<Renewal> {
        let Lease::Renewed(lease) = self.policy.lease else {
            return None;
        };
        let (store, ticket) = (self.store.clone(), ticket.clone());
        Some(Renewal(tokio::spawn(async move {
            loop {
                tokio::time::sleep(lease / 3).await;
                // A store that is away now may be back before the lease is over.
                if let Ok(Saved::NotOwner) = store.renew(&ticket, lease).await {
                    return;
                }
            }
        })))
    }

    /// Saves an answer, or releases the lock, by what the policy says of such an answer.
    pub(super) async fn keep(&self, response: Response<Body>, ticket: &Ticket) -> Answered {
        let is_rejected = response.extensions().get::<NotExecuted>().is_some();
        let status = response.status();
        let (parts, body) = response.into_parts();
        // A body that breaks off has no answer to store.
        let Ok(body) = to_bytes(body, BODY_MAX).await else {
            let _ = self
                .store
                .release(ticket, self.fence(), Leaves::Fingerprint)
                .await;
            let detail = "The answer could not be produced whole";
            return Answered::of(
                Outcome::Executed,
                problem(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Answer broke off",
                    detail,
                ),
            );
        };
        let response = Response::from_parts(parts, Body::from(body.clone()));
        let fate = self.fate(status, is_rejected);
        let kept = match fate {
            Fate::Save => {
                let answer = StoredAnswer::of(&self.policy, &response, &body);
                self.store.save(ticket, &answer, self.fence()).await
            }
            Fate::Release(leaves) => self.store.release(ticket, self.fence(), leaves).await,
            Fate::Nothing => Ok(Saved::Saved),
        };
        let outcome = match (ticket.after, is_rejected) {
            (_, true) => Outcome::Rejected,
            (After::Nothing, _) => Outcome::Executed,
            (After::Error, _) => Outcome::ReexecError,
            (After::Expiry, _) => Outcome::ReexecExpired,
            (After::StaleLock, _) => Outcome::TakenOver,
        };
        match kept {
            Ok(Saved::NotOwner) => Answered {
                outcome: Outcome::StaleOwner,
                ..self.in_progress(Duration::ZERO)
            },
            // The effect has happened: its answer is worth more than a complaint about the store.
            Ok(Saved::Saved) | Err(_) => {
                let mut response = response;
                mark(&self.policy, &mut response, "false");
                Answered::of(outcome, response)
            }
        }
    }

    fn fate(&self, status: StatusCode, is_rejected: bool) -> Fate {
        if status.is_server_error() {
            return match self.policy.server_error {
                ServerError::Store => Fate::Save,
                ServerError::Leave => Fate::Nothing,
                // Under `Unknown` the next attempt looks before it executes.
                ServerError::Release | ServerError::Unknown => Fate::Release(Leaves::Fingerprint),
            };
        }
        if status.is_client_error() {
            return match self.policy.client_error {
                ClientError::Store => Fate::Save,
                ClientError::Never => Fate::Release(Leaves::Nothing),
                ClientError::StoreIfExecuted if is_rejected => Fate::Release(Leaves::Nothing),
                ClientError::StoreIfExecuted => Fate::Save,
            };
        }
        Fate::Save
    }
}
