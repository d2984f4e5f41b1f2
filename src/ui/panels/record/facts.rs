//! The facts of a record, each with where it comes from.
//!
//! Apart from `data` because the list grows with what layouts can tell.

use crate::app::view::Whole;
use crate::domain::address::address_text;
use crate::domain::{Duration, LockVerdict, Record, Timestamp};
use crate::present::clock::{self, Offset};
use crate::present::mask::mask;
use crate::present::say::say;
use crate::present::words::{problem_word, status_word};
use crate::present::{count, escape, span};

/// One fact: `value` in the machine's words, `note` in ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub label: String,
    pub value: String,
    pub note: String,
    /// Where it comes from.
    pub source: String,
}

/// A value in a line is cut at this.
const VALUE_CHARS: usize = 300;

pub fn facts(
    record: &Record,
    whole: Option<&Whole>,
    verdict: Option<LockVerdict>,
    now: Timestamp,
    offset: Offset,
) -> Vec<Fact> {
    let mut facts = Facts {
        list: Vec::new(),
        whole,
        now,
        offset,
    };
    facts.text(
        say!("fact-status"),
        Some(&status_word(record.status)),
        "status",
    );
    facts.lock(record, verdict);
    facts.time(say!("fact-created"), record.created_at, "created_at");
    facts.time(say!("fact-completed"), record.completed_at, "completed_at");
    facts.time(say!("fact-failed"), record.failed_at, "failed_at");
    facts.expiry(record);
    facts.text(
        say!("fact-payload-hash"),
        record.payload_hash.as_deref(),
        "payload_hash",
    );
    facts.response(record);
    facts.number(say!("fact-attempts"), record.attempts, "attempts");
    facts.number(say!("fact-replays"), record.replays, "replays");
    if let Some(whole) = whole {
        let shown =
            |text: &Option<crate::app::view::Shown>| text.as_ref().map(|shown| shown.text.clone());
        facts.text(say!("fact-owner"), shown(&whole.owner).as_deref(), "owner");
        let point = shown(&whole.recovery_point);
        facts.text(
            say!("fact-recovery-point"),
            point.as_deref(),
            "recovery_point",
        );
        let error = shown(&whole.error).map(|error| mask(&error).0.into_owned());
        facts.text(say!("fact-error"), error.as_deref(), "error");
    }
    let address = address_text(&record.address);
    facts.plain(say!("fact-address"), &address, "");
    if let Some(whole) = whole {
        facts.plain(say!("fact-source"), &whole.source.place_text(), "");
    }
    for problem in &record.problems {
        let text = format!("{}: {}", problem_word(problem.code), problem.text);
        facts.plain(say!("fact-problem"), &text, problem.code.name());
    }
    facts.list
}

struct Facts<'a> {
    list: Vec<Fact>,
    whole: Option<&'a Whole>,
    now: Timestamp,
    offset: Offset,
}

impl Facts<'_> {
    /// Since when, and until when; both may be inferred.
    fn lock(&mut self, record: &Record, verdict: Option<LockVerdict>) {
        let locked = record
            .locked_at
            .or(verdict.and_then(|verdict| verdict.start));
        match (record.locked_at, verdict) {
            (None, Some(verdict)) if locked.is_some() => {
                self.time(say!("fact-locked"), locked, "");
                if let Some(fact) = self.list.last_mut() {
                    fact.source = verdict.source.name().to_owned();
                }
            }
            _ => self.time(say!("fact-locked"), record.locked_at, "locked_at"),
        }
        match (
            record.lock_until,
            verdict.and_then(|verdict| verdict.lease_end),
        ) {
            (None, Some(end)) => {
                self.time(say!("fact-lease-until"), Some(end), "");
                if let Some(fact) = self.list.last_mut() {
                    fact.source = say!("record-start-and-lease");
                }
            }
            (stored, _) => self.time(say!("fact-lease-until"), stored, "lock_until"),
        }
    }

    fn add(&mut self, label: String, value: String, note: String, field: &str) {
        let column = self
            .whole
            .filter(|_| !field.is_empty())
            .and_then(|whole| whole.source.column_of_field(field));
        self.list.push(Fact {
            label,
            value,
            note,
            source: column.unwrap_or_default(),
        });
    }

    fn plain(&mut self, label: String, value: &str, source: &str) {
        self.list.push(Fact {
            label,
            value: escape::shown(value, VALUE_CHARS),
            note: String::new(),
            source: source.to_owned(),
        });
    }

    fn text(&mut self, label: String, value: Option<&str>, field: &str) {
        if let Some(value) = value {
            let value = escape::shown(value, VALUE_CHARS);
            self.add(label, value, String::new(), field);
        }
    }

    fn number(&mut self, label: String, value: Option<i64>, field: &str) {
        if let Some(value) = value {
            self.add(label, value.to_string(), String::new(), field);
        }
    }

    fn time(&mut self, label: String, time: Option<Timestamp>, field: &str) {
        let Some(time) = time else { return };
        let value = clock::time_of_day(time, self.now, self.offset);
        self.add(label, value, distance(time, self.now), field);
    }

    fn expiry(&mut self, record: &Record) {
        match (record.expires_at, record.expiry()) {
            (Some(expiry), _) => self.time(say!("fact-expires"), Some(expiry), "expires_at"),
            (None, Some(expiry)) => {
                self.time(say!("fact-expires"), Some(expiry), "");
                if let Some(fact) = self.list.last_mut() {
                    fact.source = "PTTL".to_owned();
                }
            }
            (None, None) => {
                let never = crate::present::record_json::never_expires(record);
                let words = match never {
                    Some(true) => say!("fact-never"),
                    _ => say!("fact-not-told"),
                };
                self.add(say!("fact-expires"), String::new(), words, "");
            }
        }
    }

    fn response(&mut self, record: &Record) {
        let value = record
            .response_status
            .map_or_else(String::new, |code| code.to_string());
        let note = match (record.response_bytes, record.response_status) {
            (Some(bytes), _) => count::bytes(bytes),
            (None, None) if self.whole.is_some() => say!("fact-none-stored"),
            _ => String::new(),
        };
        if !value.is_empty() || !note.is_empty() {
            self.add(say!("fact-response"), value, note, "response_status");
        }
    }
}

/// `19 min ago`, `in 23 h 41 min`.
fn distance(time: Timestamp, now: Timestamp) -> String {
    let span = time.until(now);
    if span < Duration::ZERO {
        let left = Duration(span.millis().saturating_neg());
        say!("record-in", left = span::sentence(left))
    } else {
        say!("record-ago", age = span::sentence(span))
    }
}
