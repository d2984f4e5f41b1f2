//! What a run came to, counted from the ledger, the store and what clients saw.
//!
//! Never from the shop's own opinion but where that is the question: its outcomes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::world::{Actor, Event, Happening, Ledger};

/// What only some scenarios measure.
pub const FIGURES: [&str; 15] = [
    "waiting_sessions",
    "amplification",
    "peak_per_s",
    "done_s",
    "gave_up",
    "busiest_bin_share",
    "successes",
    "mailer_suppressed",
    "compensations_pending",
    "releases",
    "settles",
    "by_hand",
    "changed_meanwhile",
    "refused_by_tool",
    "records_evicted",
];

/// What one client saw of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub intent: String,
    pub attempt: u32,
    pub user: String,
    pub method: String,
    /// `None` where no answer came.
    pub status: Option<u16>,
    /// The id in the answer.
    pub id: Option<String>,
    /// The answer says that another request is at work on it.
    pub is_in_progress: bool,
    /// How the answer itself calls what came of it: `cancelled`.
    pub word: Option<String>,
}

/// How an intent ended for its client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Success,
    Failure,
    Unknown,
}

impl View {
    pub fn name(self) -> &'static str {
        match self {
            View::Success => "success",
            View::Failure => "failure",
            View::Unknown => "unknown",
        }
    }

    pub fn of(seen: &Seen) -> View {
        match seen.status {
            None => View::Unknown,
            Some(_) if seen.is_in_progress => View::Unknown,
            Some(200..=299) => View::Success,
            Some(404 | 410) if seen.method == "DELETE" => View::Success,
            Some(_) => View::Failure,
        }
    }
}

/// Views of more intents than these are only counted.
const VIEWS_MAX: usize = 30;

/// All counters of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub intents: u64,
    pub client_attempts: u64,
    pub requests_seen: u64,
    pub executions: u64,
    pub charges: u64,
    pub charged_sum: i64,
    pub refunds: u64,
    pub refunded_sum: i64,
    pub excess: i64,
    pub rows_total: u64,
    pub rows_in_progress: u64,
    pub rows_completed: u64,
    pub rows_expired: u64,
    pub replays: u64,
    pub in_progress_answers: u64,
    pub mismatches: u64,
    pub missing_key: u64,
    pub bank_dedup_hits: u64,
    pub mails: u64,
    pub outbox_pending: u64,
    pub outbox_sent: u64,
    pub consumer_suppressed: u64,
    pub stale_owner_refused: u64,
    pub store_errors: u64,
    pub unprotected: u64,
    pub leaks: u64,
    /// By intent.
    pub views: BTreeMap<String, &'static str>,
    /// What the shop itself holds in the end: the balance, and the name of user 42.
    pub state: BTreeMap<&'static str, Value>,
    /// What only some scenarios measure: sessions that waited, the load of a storm.
    pub figures: BTreeMap<String, Value>,
}

/// Rows of the store by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub total: u64,
    pub in_progress: u64,
    pub completed: u64,
    pub expired: u64,
}

/// Counts a run.
pub fn count(
    intents: u64,
    events: &[Event],
    ledger: &Ledger,
    mails: u64,
    rows: Rows,
    seen: &[Seen],
) -> Counters {
    let outcome = |name: &str| {
        let fits = |event: &&Event| matches!(&event.what, Happening::Answered { outcome, .. } if outcome == name);
        events.iter().filter(fits).count() as u64
    };
    let of = |what: &Happening| events.iter().filter(|event| event.what == *what).count() as u64;
    let suppressed = events.iter().filter(|event| {
        event.from == Actor::Consumer
            && event.to == Actor::Store
            && matches!(event.what, Happening::Suppressed { .. })
    });
    let suppressed = suppressed.count() as u64;
    let charges = ledger.charges.len() as u64;
    let mut views: BTreeMap<String, &'static str> = BTreeMap::new();
    // By the last answer of each intent, in the order in which they came.
    for seen in seen {
        views.insert(seen.intent.clone(), View::of(seen).name());
    }
    Counters {
        intents,
        client_attempts: seen.len() as u64,
        requests_seen: of(&Happening::Seen),
        executions: of(&Happening::Execution),
        charges,
        charged_sum: ledger.charged_sum(),
        refunds: ledger.refunds.len() as u64,
        refunded_sum: ledger.refunded_sum(),
        excess: i64::try_from(charges).unwrap_or(i64::MAX) - i64::try_from(intents).unwrap_or(0),
        rows_total: rows.total,
        rows_in_progress: rows.in_progress,
        rows_completed: rows.completed,
        rows_expired: rows.expired,
        replays: outcome("replayed") + outcome("waited_replay"),
        in_progress_answers: outcome("in_progress"),
        mismatches: outcome("mismatch"),
        missing_key: outcome("missing_key"),
        bank_dedup_hits: ledger.dedup_hits,
        mails,
        stale_owner_refused: outcome("stale_owner"),
        store_errors: of(&Happening::StoreFailed),
        unprotected: outcome("unprotected"),
        leaks: leaks(ledger, seen),
        views,
        state: BTreeMap::new(),
        figures: BTreeMap::new(),
        outbox_pending: 0,
        outbox_sent: 0,
        consumer_suppressed: suppressed,
    }
}

/// Answers that name a payment of somebody else.
fn leaks(ledger: &Ledger, seen: &[Seen]) -> u64 {
    let is_leak = |seen: &&Seen| {
        let charge = ledger
            .charges
            .iter()
            .find(|charge| Some(&charge.id) == seen.id.as_ref());
        charge.is_some_and(|charge| charge.recipient != seen.user)
    };
    seen.iter().filter(is_leak).count() as u64
}

impl Counters {
    /// Every counter by its name.
    pub fn members(&self) -> Vec<(String, Value)> {
        let numbers = [
            ("intents", self.intents),
            ("client_attempts", self.client_attempts),
            ("requests_seen", self.requests_seen),
            ("executions", self.executions),
            ("charges", self.charges),
            ("refunds", self.refunds),
            ("rows_total", self.rows_total),
            ("rows_in_progress", self.rows_in_progress),
            ("rows_completed", self.rows_completed),
            ("rows_expired", self.rows_expired),
            ("replays", self.replays),
            ("in_progress_answers", self.in_progress_answers),
            ("mismatches", self.mismatches),
            ("missing_key", self.missing_key),
            ("bank_dedup_hits", self.bank_dedup_hits),
            ("mails", self.mails),
            ("outbox_pending", self.outbox_pending),
            ("outbox_sent", self.outbox_sent),
            ("consumer_suppressed", self.consumer_suppressed),
            ("stale_owner_refused", self.stale_owner_refused),
            ("store_errors", self.store_errors),
            ("unprotected", self.unprotected),
            ("leaks", self.leaks),
        ];
        let sums = [
            ("charged_sum", self.charged_sum),
            ("refunded_sum", self.refunded_sum),
            ("excess", self.excess),
        ];
        let numbers = numbers.map(|(name, count)| (name.to_owned(), Value::from(count)));
        let sums = sums.map(|(name, sum)| (name.to_owned(), Value::from(sum)));
        let views = self
            .views
            .iter()
            .take(if self.views.len() > VIEWS_MAX {
                0
            } else {
                VIEWS_MAX
            })
            .map(|(intent, view)| (format!("view.{intent}"), Value::from(*view)));
        let state = self
            .state
            .iter()
            .map(|(name, value)| (format!("state.{name}"), value.clone()));
        let figures = self
            .figures
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        numbers
            .into_iter()
            .chain(sums)
            .chain(views)
            .chain(state)
            .chain(figures)
            .collect()
    }

    /// The one sentence that compares what was wanted, what was charged and what clients believe.
    pub fn conclusion(&self) -> String {
        let believed = self
            .views
            .values()
            .filter(|view| **view == "success")
            .count();
        format!(
            "{} wanted, {} charged, {believed} believed to be done",
            self.intents, self.charges
        )
    }
}
