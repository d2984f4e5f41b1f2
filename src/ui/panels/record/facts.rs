//! The facts of a record, each with where it comes from.
//!
//! Apart from `data` because the list grows with what layouts can tell.

use crate::app::view::Whole;
use crate::domain::address::address_text;
use crate::domain::{Duration, LockVerdict, Record, Timestamp};
use crate::present::clock::{self, Offset};
use crate::present::mask::mask;
use crate::present::words::{problem_word, status_word};
use crate::present::{count, escape, span};

/// One fact: `value` in the machine's words, `note` in ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub label: &'static str,
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
    facts.text("Status", Some(status_word(record.status)), "status");
    let locked = record
        .locked_at
        .or(verdict.and_then(|verdict| verdict.start));
    match (record.locked_at, verdict) {
        (None, Some(verdict)) if locked.is_some() => {
            facts.time("Locked", locked, "");
            if let Some(fact) = facts.list.last_mut() {
                fact.source = verdict.source.name().to_owned();
            }
        }
        _ => facts.time("Locked", record.locked_at, "locked_at"),
    }
    match (
        record.lock_until,
        verdict.and_then(|verdict| verdict.lease_end),
    ) {
        (None, Some(end)) => {
            facts.time("Lease until", Some(end), "");
            if let Some(fact) = facts.list.last_mut() {
                fact.source = "start + lease".to_owned();
            }
        }
        (stored, _) => facts.time("Lease until", stored, "lock_until"),
    }
    facts.time("Created", record.created_at, "created_at");
    facts.time("Completed", record.completed_at, "completed_at");
    facts.time("Failed", record.failed_at, "failed_at");
    facts.expiry(record);
    facts.text(
        "Payload hash",
        record.payload_hash.as_deref(),
        "payload_hash",
    );
    facts.response(record);
    facts.number("Attempts", record.attempts, "attempts");
    facts.number("Replays", record.replays, "replays");
    if let Some(whole) = whole {
        let shown =
            |text: &Option<crate::app::view::Shown>| text.as_ref().map(|shown| shown.text.clone());
        facts.text("Owner", shown(&whole.owner).as_deref(), "owner");
        let point = shown(&whole.recovery_point);
        facts.text("Recovery point", point.as_deref(), "recovery_point");
        let error = shown(&whole.error).map(|error| mask(&error).0.into_owned());
        facts.text("Error", error.as_deref(), "error");
    }
    let address = address_text(&record.address);
    facts.plain("Address", &address, "");
    if let Some(whole) = whole {
        facts.plain("Source", &whole.source.place_text(), "");
    }
    for problem in &record.problems {
        let text = format!("{}: {}", problem_word(problem.code), problem.text);
        facts.plain("Problem", &text, problem.code.name());
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
    fn add(&mut self, label: &'static str, value: String, note: String, field: &str) {
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

    fn plain(&mut self, label: &'static str, value: &str, source: &str) {
        self.list.push(Fact {
            label,
            value: escape::shown(value, VALUE_CHARS),
            note: String::new(),
            source: source.to_owned(),
        });
    }

    fn text(&mut self, label: &'static str, value: Option<&str>, field: &str) {
        if let Some(value) = value {
            let value = escape::shown(value, VALUE_CHARS);
            self.add(label, value, String::new(), field);
        }
    }

    fn number(&mut self, label: &'static str, value: Option<i64>, field: &str) {
        if let Some(value) = value {
            self.add(label, value.to_string(), String::new(), field);
        }
    }

    fn time(&mut self, label: &'static str, time: Option<Timestamp>, field: &str) {
        let Some(time) = time else { return };
        let value = clock::time_of_day(time, self.now, self.offset);
        self.add(label, value, distance(time, self.now), field);
    }

    fn expiry(&mut self, record: &Record) {
        match (record.expires_at, record.expiry()) {
            (Some(expiry), _) => self.time("Expires", Some(expiry), "expires_at"),
            (None, Some(expiry)) => {
                self.time("Expires", Some(expiry), "");
                if let Some(fact) = self.list.last_mut() {
                    fact.source = "PTTL".to_owned();
                }
            }
            (None, None) => {
                let never = crate::present::record_json::never_expires(record);
                let words = match never {
                    Some(true) => "never",
                    _ => "not told",
                };
                self.add("Expires", String::new(), words.to_owned(), "");
            }
        }
    }

    fn response(&mut self, record: &Record) {
        let value = record
            .response_status
            .map_or_else(String::new, |code| code.to_string());
        let note = match (record.response_bytes, record.response_status) {
            (Some(bytes), _) => count::bytes(bytes),
            (None, None) if self.whole.is_some() => "none stored".to_owned(),
            _ => String::new(),
        };
        if !value.is_empty() || !note.is_empty() {
            self.add("Response", value, note, "response_status");
        }
    }
}

/// `19 min ago`, `in 23 h 41 min`.
fn distance(time: Timestamp, now: Timestamp) -> String {
    let span = time.until(now);
    if span < Duration::ZERO {
        format!(
            "in {}",
            span::sentence(Duration(span.millis().saturating_neg()))
        )
    } else {
        format!("{} ago", span::sentence(span))
    }
}
