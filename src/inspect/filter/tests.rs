//! What filters pick out of a small catalogue, and how long they take on a large one.

use std::borrow::Cow;
use std::time::Instant;

use super::{Filter, run};
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Problem, ProblemCode, Status, Timestamp};
use crate::inspect::cancel::{Cancel, cancel};
use crate::inspect::catalogue::{Bound, Catalogue, Snapshot};
use crate::inspect::tests as made;
use crate::layouts::reading::Reading;

const NOW: Timestamp = made::NOW;

fn ago(secs: i64) -> Option<Timestamp> {
    Some(NOW.minus(Duration::secs(secs)))
}

/// Four rows: 0 stuck, 1 held, 2 failed and expired, 3 a key of a problem that never expires.
fn store() -> Snapshot {
    let text = |text: &'static str| Some(Cow::Borrowed(text));
    let rows = [
        Reading {
            status: Status::Processing,
            key: text("a8098c1a-f86e-11da-bd1a-00112444be1e"),
            payload_hash: text("3f2a99"),
            method: text("POST"),
            path: text("/payments/7/capture"),
            scope_parts: vec![("user".to_owned(), "user_42".to_owned())],
            locked_at: ago(1200),
            expires_at: ago(-600),
            attempts: Some(5),
            ..made::blank()
        },
        Reading {
            status: Status::Processing,
            key: text("b/1"),
            path: text("/payments-old"),
            scope_parts: vec![("user".to_owned(), "user_4".to_owned())],
            locked_at: ago(10),
            attempts: Some(1),
            expires_at: ago(-7200),
            ..made::blank()
        },
        Reading {
            status: Status::Failed,
            key: text("two words"),
            operation: text("Charge"),
            response_status: Some(503),
            created_at: ago(7200),
            expires_at: ago(1),
            ..made::blank()
        },
    ];
    let mut catalogue = Catalogue::new(Bound::USUAL);
    let sql = catalogue.add_source(made::uuid_source());
    for reading in &rows {
        let address = RawAddress::Row {
            schema: "public".into(),
            table: "idempotency_keys".into(),
            key: vec![reading.key.as_deref().unwrap_or_default().to_owned()],
        };
        catalogue.push(sql, reading, &address, Ttl::Unknown, NOW);
    }
    let redis = catalogue.add_source(made::article_source());
    let reading = Reading {
        status: Status::Processing,
        lock: LockState::Waiting,
        digest: text("d16e57"),
        problems: vec![Problem::new(ProblemCode::Cut, "cut")],
        ..made::blank()
    };
    let address = RawAddress::Key(b"idempotency:zz\xff".to_vec());
    catalogue.push(redis, &reading, &address, Ttl::Never, NOW);
    catalogue.snapshot()
}

#[track_caller]
fn check(text: &str, expected: &[u32]) {
    let filter = Filter::new(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let rows = run(&store(), &filter, NOW, &Cancel::never()).expect("not cancelled");
    assert_eq!(rows, expected, "{text}");
}

#[test]
fn facts_are_asked() {
    check("", &[0, 1, 2, 3]);
    check("is:stuck", &[0]);
    check("is:expired", &[2]);
    check("is:locked", &[0, 1]);
    check("is:inferred", &[]);
    check("status:failed status:completed", &[2]);
    check("-status:processing", &[2]);
    check("-status:processing -status:failed", &[]);
    check("problem:cut", &[3]);
    check("problem:any", &[3]);
    check("-problem:any", &[0, 1, 2]);
}

#[test]
fn texts_compare_as_their_field_says() {
    check("key:a80*", &[0]);
    check("key:A8098c1a-f", &[0]);
    check("key:*be1e", &[0]);
    check("key:\"two w\"", &[2]);
    check("key:words", &[]);
    check("hash:3F2", &[0]);
    check("digest:d16", &[3]);
    check("scope:user_4", &[1]);
    check("scope:user_*", &[0, 1]);
    check("scope:user_4 scope:user_42", &[0, 1]);
    check("path:/payments", &[0]);
    check("method:post", &[0]);
    check("operation:charge", &[2]);
    check("operation:\"POST /pay\"", &[0]);
    check("layout:article", &[3]);
    check("source:public.", &[0, 1, 2]);
    check("address:keys/b%2F", &[1]);
    check("address:\\xff", &[3]);
}

#[test]
fn numbers_and_spans_compare() {
    check("response:5xx", &[2]);
    check("response:>=500", &[2]);
    check("response:503", &[2]);
    check("response:none", &[0, 1, 3]);
    check("age>10m", &[0, 2]);
    check("age>10m age<1h", &[0]);
    check("ttl<1h", &[0, 2]);
    check("ttl>1h", &[1]);
    check("ttl:never", &[3]);
    check("ttl:passed", &[2]);
    check("attempts>3", &[0]);
    check("attempts:1 attempts:5", &[0, 1]);
}

#[test]
fn bare_words_are_looked_for_everywhere() {
    check("USER_42", &[0]);
    check("charge", &[2]);
    check("f86e", &[0]);
    check("b/1", &[1]);
    check("b%2f1", &[1]);
    check("\"two words\"", &[2]);
    check("two words", &[2]);
    check("-two", &[0, 1, 3]);
    check("d16e", &[3]);
    check("/payments post", &[0]);
    check("f86e*be1e", &[0]);
    check("idempotency", &[0, 1, 2, 3]);
    check("nowhere", &[]);
}

#[test]
fn a_cancelled_filter_has_no_answer() {
    let (guard, cancel) = cancel();
    drop(guard);
    let filter = Filter::new("is:stuck").expect("a filter");
    assert_eq!(run(&store(), &filter, NOW, &cancel), None);
}

/// Times are only printed: a busy machine must not fail a test. Debug builds take far longer.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "measures a span, reads no time of day"
)]
fn large_catalogues_are_filtered() {
    if !made::is_long() {
        return;
    }
    for (name, fill) in made::FILLS {
        let mut catalogue = Catalogue::new(Bound::USUAL);
        fill(&mut catalogue, 10_000_000);
        let snapshot = catalogue.snapshot();
        for text in [
            "is:stuck",
            "age>10m ttl<1h",
            "response:5xx",
            "path:/v1/payments",
            "key:a80*",
            "hash:3f2a",
            "nowhere",
        ] {
            let filter = Filter::new(text).expect("a filter");
            let start = Instant::now();
            let rows = run(&snapshot, &filter, NOW, &Cancel::never()).expect("not cancelled");
            println!(
                "{name} {text}: {} of 10 M in {:?}",
                rows.len(),
                start.elapsed()
            );
        }
    }
}
