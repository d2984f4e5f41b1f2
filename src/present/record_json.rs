//! A record as the members of the command line's JSON, in their order.
//!
//! The members are a contract. Invariant: every member is always there; null says that it cannot
//! be told, or that it makes no sense for this record.

use serde_json::{Map, Value};

use crate::domain::address::address_text;
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::stuck::judge;
use crate::domain::{LockVerdict, Problem, ProblemCode, Record, Timestamp};

/// The members of a record, in order; also the header of its CSV.
pub const MEMBERS: [&str; 28] = [
    "idempotency_key",
    "key_digest",
    "address",
    "layout",
    "scope",
    "scope_fields",
    "operation",
    "method",
    "path",
    "status",
    "expired",
    "stuck",
    "lock_age_ms",
    "lock_age_source",
    "locked_at_ms",
    "lock_until_ms",
    "created_at_ms",
    "completed_at_ms",
    "failed_at_ms",
    "expires_at_ms",
    "ttl_ms",
    "never_expires",
    "payload_hash",
    "response_status",
    "response_bytes",
    "attempts",
    "replays",
    "problems",
];

/// One record as a JSON object.
pub fn record_json(record: &Record, now: Timestamp) -> Map<String, Value> {
    MEMBERS
        .iter()
        .map(|member| (*member).to_owned())
        .zip(values(record, now))
        .collect()
}

/// One record as members and their text, for CSV: null is empty, lists are joined by `; `.
pub fn record_members(record: &Record, now: Timestamp) -> Vec<(&'static str, String)> {
    MEMBERS
        .iter()
        .copied()
        .zip(values(record, now))
        .map(|(member, value)| match value {
            Value::Null => (member, String::new()),
            Value::String(text) => (member, text),
            Value::Array(_) => (member, problems_text(&record.problems)),
            other => (member, other.to_string()),
        })
        .collect()
}

/// What is left of a record's time: the key's own TTL less the time since it was read, else until
/// the stored expiry; never below zero.
pub fn ttl_left_ms(record: &Record, now: Timestamp) -> Option<i64> {
    let left = match record.ttl {
        Ttl::Left(left) => left.saturating_sub(record.read_at.until(now).millis()),
        Ttl::Never | Ttl::Unknown => now.until(record.expires_at?).millis(),
    };
    Some(left.max(0))
}

/// Whether nothing will end this record; `None` where that cannot be told.
pub fn never_expires(record: &Record) -> Option<bool> {
    if record.expires_at.is_some() || matches!(record.ttl, Ttl::Left(_)) {
        return Some(false);
    }
    let unread = record
        .problems
        .iter()
        .any(|problem| problem.code == ProblemCode::BadTime && problem.text.contains("expires_at"));
    match (&record.address, record.ttl) {
        _ if unread => None,
        (RawAddress::Row { .. }, _) | (_, Ttl::Never) => Some(true),
        _ => None,
    }
}

fn values(record: &Record, now: Timestamp) -> [Value; MEMBERS.len()] {
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
    let time = |time: Option<Timestamp>| time.map_or(Value::Null, |time| time.millis().into());
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::from);
    let truth = |truth: Option<bool>| truth.map_or(Value::Null, Value::from);
    [
        text(&record.idempotency_key),
        text(&record.key_digest),
        address_text(&record.address).into(),
        (*record.layout).into(),
        text(&record.scope_text()),
        scope_fields(record),
        text(&record.operation),
        text(&record.method),
        text(&record.path),
        record.status.name().into(),
        truth(record.expired(now)),
        truth(verdict.and_then(|verdict| verdict.stuck.as_bool())),
        number(age_ms(verdict, now)),
        verdict.map_or(Value::Null, |verdict| verdict.source.name().into()),
        time(record.locked_at),
        time(record.lock_until),
        time(record.created_at),
        time(record.completed_at),
        time(record.failed_at),
        time(record.expires_at),
        number(ttl_left_ms(record, now)),
        truth(never_expires(record)),
        text(&record.payload_hash),
        record.response_status.map_or(Value::Null, Value::from),
        record.response_bytes.map_or(Value::Null, Value::from),
        number(record.attempts),
        number(record.replays),
        Value::Array(record.problems.iter().map(problem_json).collect()),
    ]
}

fn age_ms(verdict: Option<LockVerdict>, now: Timestamp) -> Option<i64> {
    Some(verdict?.age(now)?.millis())
}

fn scope_fields(record: &Record) -> Value {
    if record.scope.is_empty() || !matches!(record.address, RawAddress::Row { .. }) {
        return Value::Null;
    }
    let fields = record.scope.iter();
    Value::Object(
        fields
            .map(|(name, text)| (name.clone(), text.as_str().into()))
            .collect(),
    )
}

fn problem_json(problem: &Problem) -> Value {
    let mut members = Map::new();
    members.insert("code".to_owned(), problem.code.name().into());
    members.insert("text".to_owned(), problem.text.as_str().into());
    Value::Object(members)
}

fn problems_text(problems: &[Problem]) -> String {
    let texts: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}: {}", problem.code.name(), problem.text))
        .collect();
    texts.join("; ")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{Duration, LockFacts, Status};

    const NOW: Timestamp = Timestamp(1_795_953_600_000);

    fn row() -> Record {
        Record {
            address: RawAddress::Row {
                schema: Arc::from("public"),
                table: Arc::from("t"),
                key: vec!["u".to_owned(), "a/b".to_owned()],
            },
            layout: Arc::from("some"),
            idempotency_key: Some("a/b".to_owned()),
            key_digest: None,
            scope: vec![("user_id".to_owned(), "u".to_owned())],
            operation: None,
            method: Some("POST".to_owned()),
            path: None,
            status: Status::Processing,
            payload_hash: None,
            response_status: None,
            response_bytes: None,
            attempts: Some(2),
            replays: None,
            locked_at: Some(NOW.minus(Duration::secs(61))),
            lock_until: None,
            created_at: None,
            completed_at: None,
            failed_at: None,
            expires_at: Some(NOW.plus(Duration::secs(5))),
            ttl: Ttl::Unknown,
            read_at: NOW,
            lock: Some(LockFacts {
                start: Some(NOW.minus(Duration::secs(61))),
                lease: Some(Duration::secs(60)),
                ..LockFacts::default()
            }),
            problems: vec![Problem::new(ProblemCode::Cut, "cut")],
        }
    }

    #[test]
    fn a_row_has_every_member_in_order() {
        let json = record_json(&row(), NOW);
        let names: Vec<&str> = json.keys().map(String::as_str).collect();
        assert_eq!(names, MEMBERS);
        assert_eq!(json["address"], "public.t/u/a%2Fb");
        assert_eq!(json["scope"], "u");
        assert_eq!(json["scope_fields"].to_string(), r#"{"user_id":"u"}"#);
        assert_eq!(json["stuck"], true);
        assert_eq!(json["lock_age_ms"], 61_000);
        assert_eq!(json["lock_age_source"], "field");
        assert_eq!(json["expired"], false);
        assert_eq!(json["ttl_ms"], 5_000);
        assert_eq!(json["never_expires"], false);
        assert_eq!(
            json["problems"].to_string(),
            r#"[{"code":"cut","text":"cut"}]"#
        );
    }

    #[test]
    fn a_finished_key_that_stays_has_no_lock_and_no_time_left() {
        let record = Record {
            address: RawAddress::Key(b"k".to_vec()),
            status: Status::Completed,
            lock: None,
            expires_at: None,
            ttl: Ttl::Never,
            ..row()
        };
        let json = record_json(&record, NOW);
        for member in [
            "stuck",
            "lock_age_source",
            "expired",
            "ttl_ms",
            "scope_fields",
        ] {
            assert_eq!(json[member], Value::Null, "{member}");
        }
        assert_eq!(json["never_expires"], true);
        let unknown = Record {
            ttl: Ttl::Unknown,
            ..record
        };
        assert_eq!(record_json(&unknown, NOW)["never_expires"], Value::Null);
    }

    #[test]
    fn the_time_left_runs_on_after_it_was_read() {
        let record = Record {
            expires_at: None,
            ttl: Ttl::Left(90_000),
            ..row()
        };
        let later = |secs| ttl_left_ms(&record, NOW.plus(Duration::secs(secs)));
        assert_eq!(
            (later(0), later(60), later(100)),
            (Some(90_000), Some(30_000), Some(0))
        );
    }

    #[test]
    fn csv_has_the_same_members_as_text() {
        let members = record_members(&row(), NOW);
        let of = |name| {
            members
                .iter()
                .find(|(member, _)| *member == name)
                .map(|(_, text)| text.as_str())
        };
        assert_eq!(of("problems"), Some("cut: cut"));
        assert_eq!(of("attempts"), Some("2"));
        assert_eq!(of("key_digest"), Some(""));
        assert_eq!(members.len(), MEMBERS.len());
    }
}
