//! What the record panel says: what it is, what that rests on, and the raw facts.

use std::sync::Arc;

use super::facts::{self, Fact};
use super::time_line::{TimeLine, time_line};
use crate::app::state::{State, Tab};
use crate::app::view::{self, Whole};
use crate::domain::address::address_text;
use crate::domain::stuck::judge;
use crate::domain::{Duration, LockVerdict, Record, Stuck, Timestamp};
use crate::present::say::say;
use crate::present::words::{Standing, retry_words};
use crate::present::{escape, span};

#[derive(Clone, Debug)]
pub struct RecordData {
    /// The key, else its digest, else the address.
    pub title: String,
    /// Scope, method, operation, layout: those that are known.
    pub scope: Option<String>,
    pub method: Option<String>,
    pub operation: Option<String>,
    pub layout: String,
    pub standing: Standing,
    /// Beside the standing.
    pub lead: String,
    /// Under it, one sentence.
    pub note: Option<String>,
    pub time_line: Option<TimeLine>,
    pub evidence: Option<Evidence>,
    pub tab: Tab,
    /// Number of parts.
    pub parts: Option<usize>,
    pub facts: Vec<Fact>,
    pub retry: Option<Retry>,
    /// What is wrong with what is shown.
    pub trouble: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub title: String,
    /// Whether stuck can be told at all.
    pub is_told: bool,
    /// What holds, and where that comes from.
    pub lines: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    pub lead: String,
    pub words: String,
    pub why: String,
}

pub fn record_data(state: &State) -> Option<RecordData> {
    let address = state.record.open.as_ref()?;
    let now = state.now();
    let trouble = trouble(state);
    let Some((record, whole)) = view::open_record(state) else {
        return Some(empty(address_text(address), state.record.tab, trouble));
    };
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let stuck = verdict.map_or(Stuck::CannotTell, |verdict| verdict.stuck);
    let standing = Standing::of(record.status, stuck, record.expired(now));
    let title = record.idempotency_key.clone().or(record.key_digest.clone());
    Some(RecordData {
        title: title.unwrap_or_else(|| address_text(address)),
        scope: record.scope_text(),
        method: record.method.clone(),
        operation: record.path.clone().or(record.operation.clone()),
        layout: record.layout.to_string(),
        standing,
        lead: lead(&record, verdict, standing, now),
        note: note(&record, whole.as_deref(), now),
        time_line: time_line(&record, verdict, now, state.clock.offset),
        evidence: evidence(state, &record, whole.as_deref(), verdict, now),
        tab: state.record.tab,
        parts: whole.as_ref().map(|whole| whole.parts.len()),
        facts: facts::facts(&record, whole.as_deref(), verdict, now, state.clock.offset),
        retry: whole.as_deref().map(retry),
        trouble,
    })
}

/// The whole record, for the tabs that show payloads.
pub fn whole(state: &State) -> Option<Arc<Whole>> {
    state.record.whole.value().cloned().flatten()
}

fn trouble(state: &State) -> Option<String> {
    let whole = &state.record.whole;
    if let Some(failure) = whole.failure() {
        return Some(failure.text.clone());
    }
    matches!(whole.value(), Some(None)).then(|| say!("record-gone"))
}

fn empty(title: String, tab: Tab, trouble: Option<String>) -> RecordData {
    RecordData {
        title,
        scope: None,
        method: None,
        operation: None,
        layout: String::new(),
        standing: Standing::Unknown,
        lead: String::new(),
        note: None,
        time_line: None,
        evidence: None,
        tab,
        parts: None,
        facts: Vec::new(),
        retry: None,
        trouble,
    }
}

fn lead(
    record: &Record,
    verdict: Option<LockVerdict>,
    standing: Standing,
    now: Timestamp,
) -> String {
    let ago = |at: Timestamp| say!("record-ago", age = span::sentence(at.until(now)));
    match standing {
        Standing::Stuck => match verdict.and_then(|verdict| verdict.past_lease(now)) {
            Some(past) => say!("keys-name-past", past = span::sentence(past)),
            None => say!("record-never-finished"),
        },
        Standing::Processing => match verdict {
            Some(LockVerdict {
                stuck: Stuck::No,
                lease_end: Some(end),
                ..
            }) => say!("record-lease-ends", left = span::sentence(now.until(end))),
            Some(LockVerdict {
                stuck: Stuck::No, ..
            }) => say!("record-waiting"),
            _ => say!("record-cannot-tell"),
        },
        Standing::Expired => match record.expiry() {
            Some(expiry) => say!("record-still-there", ago = ago(expiry)),
            None => String::new(),
        },
        Standing::Completed | Standing::Failed | Standing::Unknown => {
            let at = record
                .completed_at
                .or(record.failed_at)
                .or(record.created_at);
            let answer = record
                .response_status
                .map(|code| say!("record-with", code = code.to_string()));
            let parts: Vec<String> = answer.into_iter().chain(at.map(ago)).collect();
            parts.join(", ")
        }
    }
}

fn note(record: &Record, whole: Option<&Whole>, now: Timestamp) -> Option<String> {
    let retry = &whole?.retry;
    let gets = match retry.status {
        Some(status) => say!("record-retries-get", code = status.to_string()),
        None => match retry.action.name() {
            "execute" => say!("record-retries-execute"),
            "replay" => say!("record-retries-replay"),
            _ => return None,
        },
    };
    match record.expiry() {
        Some(expiry) if now < expiry => {
            let left = span::sentence(now.until(expiry));
            Some(say!("record-until-expiry", gets = gets, left = left))
        }
        _ => Some(gets),
    }
}

fn evidence(
    state: &State,
    record: &Record,
    whole: Option<&Whole>,
    verdict: Option<LockVerdict>,
    now: Timestamp,
) -> Option<Evidence> {
    let verdict = verdict?;
    let title = match verdict.stuck {
        Stuck::Yes => say!("record-why-stuck"),
        Stuck::No => say!("record-why-not-stuck"),
        Stuck::CannotTell => say!("record-why-not-told"),
    };
    let column = |field: &str| {
        let found = whole.and_then(|whole| whole.source.column_of_field(field));
        found.unwrap_or_default()
    };
    let mut lines = Vec::new();
    match (verdict.lease_end, record.lock_until) {
        (Some(end), stored) => {
            let from = match stored {
                Some(_) => column("lock_until"),
                None => say!("record-start-and-lease"),
            };
            let past = end.until(now);
            lines.push(if past > Duration::ZERO {
                let past = span::sentence(past);
                (say!("record-deadline-passed", past = past), from)
            } else {
                let left = span::sentence(now.until(end));
                (say!("record-deadline-in", left = left), from)
            });
        }
        (None, _) if verdict.stuck == Stuck::CannotTell => {
            let text = say!("record-no-deadline");
            lines.push((text, String::new()));
        }
        _ => lines.push((say!("record-layout-says"), record.layout.to_string())),
    }
    match verdict.age(now) {
        Some(age) => {
            let text = say!("record-locked-for", age = span::sentence(age));
            let from = match record.locked_at {
                Some(_) => column("locked_at"),
                None => verdict.source.name().to_owned(),
            };
            lines.push((text, from));
        }
        None => {
            let text = say!("record-no-start");
            lines.push((text, String::new()));
        }
    }
    lines.push(clock_line(state));
    let is_told = verdict.stuck != Stuck::CannotTell;
    Some(Evidence {
        title,
        is_told,
        lines,
    })
}

fn clock_line(state: &State) -> (String, String) {
    let opened = state.connection.store.value();
    let Some(skew) = opened.and_then(|opened| opened.skew) else {
        let text = say!("record-own-clock");
        return (text, String::new());
    };
    let ms = skew.millis();
    let away = if ms.abs() < 1000 {
        say!("record-ms", count = ms.unsigned_abs())
    } else {
        span::sentence(Duration(ms.saturating_abs()))
    };
    let text = match ms {
        0 => say!("record-store-clock"),
        ..0 => say!("record-store-clock-behind", away = away),
        1.. => say!("record-store-clock-ahead", away = away),
    };
    (text, say!("record-clock-source"))
}

fn retry(whole: &Whole) -> Retry {
    let retry = &whole.retry;
    Retry {
        lead: retry.status.map_or_else(String::new, |status| {
            format!("{status} {}", reason(status)).trim_end().to_owned()
        }),
        words: retry_words(retry.action.name()),
        why: escape::shown(&retry.why, 300),
    }
}

/// The usual phrase of a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        400 => "Bad Request",
        402 => "Payment Required",
        404 => "Not Found",
        409 => "Conflict",
        422 => "Unprocessable Content",
        425 => "Too Early",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "",
    }
}
