//! What is so at one moment of a run: counters, ledger, rows, and what the clients know.
//!
//! Apart from the trace because it moves with the time cursor.
//! Invariant: going on from a moment gives the same as beginning anew.

use std::collections::BTreeMap;

use super::{Change, Fact, Kept, Trace};
use crate::lab::counters::View;
use crate::lab::world::{Said, Stored};

/// One line of the bank's ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub amount: i64,
    /// Who paid; empty where the bank does not say.
    pub who: String,
    pub key: Option<String>,
    pub is_refund: bool,
    pub is_wanted: bool,
}

/// One mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The payment, as the mailer was told of it.
    pub of: String,
    /// It is the first of its payment.
    pub is_wanted: bool,
}

/// A record of the store, as the store's answers tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub key: String,
    pub state: RowState,
    pub fingerprint: String,
    pub status: Option<u16>,
    pub bytes: u64,
    /// Of a lock.
    pub lease_until_ms: u64,
    pub expires_at_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    InProgress,
    Completed,
    /// Free again, with the payload that it was for.
    Released,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Facts that are in it.
    facts: usize,
    pub attempts: u64,
    pub executions: u64,
    pub charges: u64,
    pub charged_sum: i64,
    pub refunds: u64,
    pub refunds_too_many: u64,
    pub mails: u64,
    pub mails_too_many: u64,
    /// Lines of the ledger.
    pub entries: usize,
    /// By scope and key.
    pub rows: BTreeMap<(String, String), Row>,
    pub views: BTreeMap<String, View>,
    /// Something befell the store since: rows are as they were last seen.
    pub is_store_unsure: bool,
}

impl Moment {
    /// Goes to the moment at which these facts have become known; back again where it is earlier.
    pub fn go_to(&mut self, trace: &Trace, is_known: impl Fn(&Fact) -> bool) {
        let facts = trace.facts.partition_point(is_known);
        if facts < self.facts {
            *self = Moment::default();
        }
        for fact in trace.facts.iter().take(facts).skip(self.facts) {
            self.take(trace, fact);
        }
        self.facts = facts;
    }

    fn take(&mut self, trace: &Trace, fact: &Fact) {
        match &fact.change {
            Change::Attempt => self.attempts += 1,
            Change::Execution => self.executions += 1,
            Change::Mail(at) => {
                self.mails += 1;
                let is_wanted = trace.mails.get(*at).is_none_or(|mail| mail.is_wanted);
                self.mails_too_many += u64::from(!is_wanted);
            }
            Change::Believes { intent, view } => {
                self.views.insert(intent.clone(), *view);
            }
            Change::Befell => self.is_store_unsure = true,
            Change::Repaired { key, outcome } => self.repaired(key, outcome),
            Change::Stored { at_ms, stored } => self.stored(*at_ms, stored, trace.about.kept),
            Change::Entry(at) => {
                self.entries = self.entries.max(at + 1);
                let Some(entry) = trace.ledger.get(*at) else {
                    return;
                };
                if entry.is_refund {
                    self.refunds += 1;
                    self.refunds_too_many += u64::from(!entry.is_wanted);
                } else {
                    self.charges += 1;
                    self.charged_sum += entry.amount;
                }
            }
        }
    }

    /// By the words of a repair's outcome.
    fn repaired(&mut self, key: &str, outcome: &str) {
        let state = match outcome.split_whitespace().next() {
            Some("settled" | "completed") => RowState::Completed,
            Some("released") => RowState::Released,
            _ => return,
        };
        for row in self.rows.values_mut().filter(|row| row.key == key) {
            row.state = state;
        }
    }

    fn stored(&mut self, at_ms: u64, stored: &Stored, kept: Kept) {
        let place = (stored.scope.clone(), stored.key.clone());
        match stored.said {
            Said::Claimed | Said::TakenOver => {
                let row = Row {
                    key: stored.key.clone(),
                    state: RowState::InProgress,
                    fingerprint: stored.fingerprint.clone(),
                    status: None,
                    bytes: 0,
                    lease_until_ms: at_ms + stored.lease_ms,
                    expires_at_ms: at_ms + stored.retention_ms,
                };
                self.rows.insert(place, row);
            }
            Said::Saved => {
                let row = Row {
                    key: stored.key.clone(),
                    state: RowState::Completed,
                    fingerprint: stored.fingerprint.clone(),
                    status: stored.status,
                    bytes: stored.bytes,
                    lease_until_ms: 0,
                    expires_at_ms: at_ms + stored.retention_ms,
                };
                self.rows.insert(place, row);
            }
            Said::Released => {
                if let Some(row) = self.rows.get_mut(&place) {
                    row.state = RowState::Released;
                }
            }
            Said::Forgotten => {
                self.rows.remove(&place);
            }
            Said::Renewed => {
                if let Some(row) = self.rows.get_mut(&place) {
                    row.lease_until_ms = at_ms + stored.lease_ms;
                }
            }
            Said::Finished if kept == Kept::Extended => {
                if let Some(row) = self.rows.get_mut(&place) {
                    row.expires_at_ms = at_ms + stored.retention_ms;
                }
            }
            Said::Free | Said::InProgress | Said::Finished | Said::NotOwner | Said::Failed => {}
        }
    }

    /// Intents whose client takes them for done.
    pub fn believed(&self) -> u64 {
        let done = self.views.values().filter(|view| **view == View::Success);
        done.count() as u64
    }
}
