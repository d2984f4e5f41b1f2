//! Key spaces that are not in the corpus: other prefixes, other names, and families that only look
//! alike. Each is a few keys and what should be listed of them.
//!
//! Apart from `readings` because no server is needed: the store in memory is the oracle.

#[path = "families/decoys.rs"]
mod decoys;
#[path = "families/unknown.rs"]
mod unknown;
#[path = "families/writings.rs"]
mod writings;

use std::sync::Arc;

use idemscope::domain::address::address_text;
use idemscope::domain::raw::{KeyValue, RawAddress, RawKey, Ttl};
use idemscope::domain::{Record, Timestamp};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::inspect::show::{find, open};
use idemscope::layouts::{Layouts, Source};
use idemscope::stores::{MemoryStore, ReadStore};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const NOW: Timestamp = Timestamp(1_795_953_600_000);

fn string(name: &str, value: &str, ttl: Ttl) -> RawKey {
    bytes(name, value.as_bytes(), ttl)
}

fn bytes(name: &str, value: &[u8], ttl: Ttl) -> RawKey {
    RawKey {
        name: name.as_bytes().to_vec(),
        ttl,
        value: KeyValue::String {
            bytes: value.to_vec(),
            len: value.len() as u64,
        },
    }
}

fn hash(name: &str, fields: &[(&str, &str)]) -> RawKey {
    let fields = fields
        .iter()
        .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()));
    RawKey {
        name: name.as_bytes().to_vec(),
        ttl: Ttl::Left(60_000),
        value: KeyValue::Hash {
            len: None,
            fields: fields.collect(),
        },
    }
}

async fn opened(keys: Vec<RawKey>) -> (Arc<Session>, Vec<Source>) {
    let mut store = MemoryStore::of_keys(keys);
    store.now = Some(NOW);
    let session = Session::over(ReadStore::memory(store), "memory".to_owned())
        .await
        .expect("a session");
    let detection = detect(&session, &Layouts::built_in(), &SourceOptions::default())
        .await
        .expect("a detection");
    let sources = detection.found.into_iter().map(|found| found.source);
    (Arc::new(session), sources.collect())
}

fn list(keys: Vec<RawKey>) -> Vec<Record> {
    runtime().block_on(async {
        let (session, sources) = opened(keys).await;
        listed(session, sources).await
    })
}

async fn listed(session: Arc<Session>, sources: Vec<Source>) -> Vec<Record> {
    let (updates, _views) = watch::channel(ScanView::empty());
    let options = ScanOptions::default();
    let cancel = CancellationToken::new();
    let outcome = scan(session, sources, options, updates, cancel).await;
    assert_eq!(outcome.error, None);
    let snapshot = outcome.view.snapshot;
    let rows = (0..snapshot.len() as u32).filter_map(|row| snapshot.row(row));
    rows.map(|row| row.record()).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

/// A layout of the operator's own: members of a sorted set, each with a field of a hash beside it.
const SCORED: &str = r#"
id = "scored"
title = "Members of a sorted set"
class = "deduplication"

[redis]
keys = ["seen:{operation}"]

[redis.parts.owner]
key = "owners:{operation}"
field = true

[redis.each_scored.fields]
idempotency_key = "member"
operation = "key.operation"
expires_at = { from = "score", unit = "ms" }
owner = "with.owner"

[[redis.each_scored.case]]
name = "owned"
status = "processing"
when = [{ of = "with.owner", present = true }]

[[redis.each_scored.case]]
name = "seen"
status = "unknown"
"#;

#[test]
fn members_of_a_sorted_set_are_records_with_what_stands_beside_them() {
    let zset = RawKey {
        name: b"app:seen:pay".to_vec(),
        ttl: Ttl::Never,
        value: KeyValue::SortedSet {
            members: (0..1200)
                .map(|n| {
                    (
                        format!("k{n}").into_bytes(),
                        1_795_953_660_000.0 + f64::from(n),
                    )
                })
                .collect(),
            len: 1200,
        },
    };
    let keys = vec![zset, hash("app:owners:pay", &[("k7", "worker-1")])];
    let layout = idemscope::layouts::parse("scored.toml", SCORED).expect("a layout");
    let (records, whole) = runtime().block_on(async {
        let mut store = MemoryStore::of_keys(keys);
        store.now = Some(NOW);
        let session = Session::over(ReadStore::memory(store), "memory".to_owned());
        let session = Arc::new(session.await.expect("a session"));
        let layouts = Layouts::of(Arc::new(layout));
        let detection = detect(&session, &layouts, &SourceOptions::default()).await;
        let found = detection.expect("a detection").found;
        let sources: Vec<Source> = found.into_iter().map(|found| found.source).collect();
        let shared: Vec<Arc<Source>> = sources.iter().cloned().map(Arc::new).collect();
        let records = listed(session.clone(), sources).await;
        let whole = find(&session, &shared, "app:seen:pay[k7]")
            .await
            .expect("an answer");
        (records, whole)
    });
    assert_eq!(records.len(), 1200);
    let seven = records
        .iter()
        .find(|record| address_text(&record.address) == "app:seen:pay[k7]")
        .expect("the seventh");
    assert_eq!(seven.status.name(), "processing");
    assert_eq!(seven.operation.as_deref(), Some("pay"));
    assert_eq!(seven.expires_at, Some(Timestamp(1_795_953_660_007)));
    let processing = records
        .iter()
        .filter(|record| record.status.name() == "processing");
    assert_eq!(processing.count(), 1);
    assert_eq!(whole.len(), 1);
    let owner = whole[0].owner.as_ref().map(|owner| owner.text.as_str());
    assert_eq!(owner, Some("worker-1"));
    assert_eq!(whole[0].parts.len(), 2);
}

/// What is listed, a line a record: layout, address, status, key.
#[track_caller]
fn check(keys: Vec<RawKey>, expected: &[&str]) {
    let mut found: Vec<String> = list(keys)
        .iter()
        .map(|record| {
            let key = record.idempotency_key.as_deref().unwrap_or("-");
            let (layout, status) = (&record.layout, record.status.name());
            format!("{layout} {} {status} {key}", address_text(&record.address))
        })
        .collect();
    found.sort_unstable();
    let mut expected: Vec<&str> = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

const DAY: Ttl = Ttl::Left(86_000_000);

#[test]
fn an_application_may_put_its_own_prefix_in_front() {
    check(
        vec![
            string("shop:prod:idempotency:a1", "processing", DAY),
            string(
                "shop:prod:idempotency:a2",
                r#"{"status": 201, "body": {}}"#,
                DAY,
            ),
            string(
                "billing/node-idempotency:POST:/p:k1",
                r#"{"status":"IN_PROGRESS"}"#,
                DAY,
            ),
            hash(
                "eu_idempotency:POST /pay::k2",
                &[
                    ("token", "t"),
                    (
                        "payload",
                        r#"{"fingerprint":"f","status":"COMPLETED","statusCode":201}"#,
                    ),
                ],
            ),
        ],
        &[
            "plain-article shop:prod:idempotency:a1 processing a1",
            "plain-article shop:prod:idempotency:a2 completed a2",
            "node-idempotency billing/node-idempotency:POST:/p:k1 processing k1",
            "nestarc-idempotency eu_idempotency:POST /pay::k2 completed k2",
        ],
    );
}

#[test]
fn a_lock_is_listed_only_where_it_is_all_there_is() {
    let answer =
        r#"{"requestHash":"h","status":"completed","result":{},"completedAt":1795953600000}"#;
    let lock = r#"{"requestHash":"h","status":"processing","timestamp":1795953600000}"#;
    check(
        vec![
            string("idem:lock:a", lock, DAY),
            string("idem:result:a", answer, DAY),
            string("idem:result:b", answer, DAY),
            string("idem:lock:b", lock, DAY),
            string("idem:lock:c", lock, DAY),
        ],
        &[
            "plain-lock-and-result idem:result:a completed a",
            "plain-lock-and-result idem:result:b completed b",
            "plain-lock-and-result idem:lock:c processing c",
        ],
    );
}

#[test]
fn records_of_no_known_layout_are_read_as_far_as_they_tell() {
    check(
        vec![
            string(
                "app:idempotency-key:k1",
                r#"{"state":"RUNNING","bodyHash":"ab","startedAt":1795953600}"#,
                DAY,
            ),
            string(
                "app:idempotency-key:k2",
                r#"{"state":"SUCCESS","bodyHash":"ab","responseCode":200,"responseBody":"{}"}"#,
                DAY,
            ),
            string("app:idempotency-key:k3", r#"{"bodyHash":"ab"}"#, DAY),
            hash(
                "idem.k4",
                &[
                    ("state", "failed"),
                    ("request_hash", "ab"),
                    ("error", "boom"),
                ],
            ),
            string(
                "orders:req:77",
                r#"{"idempotency_key":"k5","status":"in-progress","created_at":"2026-11-29T12:00:00Z"}"#,
                DAY,
            ),
        ],
        &[
            "generic-record app:idempotency-key:k1 processing k1",
            "generic-record app:idempotency-key:k2 completed k2",
            "generic-record app:idempotency-key:k3 unknown k3",
            "generic-record idem.k4 failed k4",
            "generic-keyed-record orders:req:77 processing k5",
        ],
    );
}

#[test]
fn a_bare_answer_with_books_is_no_bare_answer() {
    check(
        vec![string(
            "idempotency:k1",
            r#"{"phase":"warming","fingerprint":"ab"}"#,
            DAY,
        )],
        &["generic-record idempotency:k1 unknown k1"],
    );
}

#[test]
fn families_that_only_look_alike_are_left_alone() {
    check(
        vec![
            string("feature:idempotency:enabled", "1", Ttl::Never),
            string(
                "config:idempotency",
                r#"{"status":"active","ttl":60}"#,
                Ttl::Never,
            ),
            string("idempotency:stats:replays", "1234", Ttl::Never),
            string("metrics:idempotency:hits", "17", Ttl::Never),
            string("ratelimit:idempotency:10.0.0.7", "3", DAY),
            string(
                "cache:product:17",
                r#"{"status":"done","body":{"id":1}}"#,
                DAY,
            ),
            string(
                "sess:ab12",
                r#"{"state":"processing","created_at":1795953600}"#,
                DAY,
            ),
            string(
                "lock:payments:ord-1",
                "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d",
                DAY,
            ),
            string("redlock:idem", "f00d", DAY),
            string("otp:+79990001122", "1", DAY),
            string(
                "job:117",
                r#"{"status":"completed","result":{"id":1},"attempts":2}"#,
                DAY,
            ),
            string(
                "order:117",
                r#"{"status":"processing","created_at":1795953600}"#,
                DAY,
            ),
            bytes(
                "flask_cache_view//home1",
                b"\x80\x04}\x94\x8c\x01aK\x01s.",
                DAY,
            ),
            bytes(
                ":1:views.decorators.cache.cache_page.1",
                b"\x80\x04}\x94\x8c\x01aK\x01s.",
                DAY,
            ),
            hash(
                "bull:idempotency-cleanup:1",
                &[("name", "clean"), ("data", "{}"), ("timestamp", "1")],
            ),
            hash(
                "order:118",
                &[
                    ("status", "completed"),
                    ("user_id", "u"),
                    ("created_at", "1"),
                ],
            ),
        ],
        &[],
    );
}

#[test]
fn a_thing_that_has_a_key_is_no_record() {
    check(
        vec![
            string(
                "payment:9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
                r#"{"status":"completed","idempotency_key":"k1","amount":10,"created_at":1795953600}"#,
                DAY,
            ),
            string(
                "mail:9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
                r#"{"state":"pending","idempotencyKey":"k2","recipient":"a@b","created":1795953600}"#,
                DAY,
            ),
            hash(
                "charge:9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
                &[
                    ("status", "completed"),
                    ("idempotency_key", "k3"),
                    ("currency", "EUR"),
                ],
            ),
        ],
        &[],
    );
}

/// The same families beside records whose layout is known by then.
#[test]
fn families_that_only_look_alike_are_left_alone_beside_records() {
    let big = format!(r#"{{"items":["{}"]}}"#, "x".repeat(2_000_000));
    check(
        vec![
            string("idempotency:a1", "processing", DAY),
            string("idempotency:a2", r#"{"status": 201, "body": {}}"#, DAY),
            string(
                "e4eaaaf2-d142-11e1-b3e4-080027620cdd",
                r#"{"request":{"body":{},"headers":{},"method":"POST","query":{},"url":"/p"}}"#,
                DAY,
            ),
            string("catalogue", &big, DAY),
            string("report:2026", &big, DAY),
            string("metrics:idempotency:hits", "17", Ttl::Never),
            string("config:idempotency:limits", r#"{"ttl":60}"#, Ttl::Never),
            string("idempotency:stats:replays", "1234", Ttl::Never),
            string("feature:idempotency:v2", "1", Ttl::Never),
            bytes("article:17", b"\x80\x04}\x94\x8c\x01aK\x01s.", DAY),
        ],
        &[
            "plain-article idempotency:a1 processing a1",
            "plain-article idempotency:a2 completed a2",
            "express-idempotency e4eaaaf2-d142-11e1-b3e4-080027620cdd processing e4eaaaf2-d142-11e1-b3e4-080027620cdd",
        ],
    );
}

/// A client's key leads to its record, also where only a digest is kept or a lock is there.
#[test]
fn a_client_s_key_is_found() {
    let keys = || {
        vec![
            string(
                "fn#61e3bf14710bf17addee41c74ca14d61",
                r#"{"status": "INPROGRESS", "expiration": 1795958502}"#,
                DAY,
            ),
            string("shop:idempotency:a1", r#"{"status": 201, "body": {}}"#, DAY),
            string("idempotency:a2", "processing", DAY),
        ]
    };
    let found = |text: &str| {
        runtime().block_on(async {
            let (session, sources) = opened(keys()).await;
            let sources: Vec<Arc<Source>> = sources.into_iter().map(Arc::new).collect();
            let found = find(&session, &sources, text).await.expect("an answer");
            let addresses = found
                .iter()
                .map(|whole| address_text(&whole.record.address));
            addresses.collect::<Vec<String>>()
        })
    };
    assert_eq!(found("a1"), ["shop:idempotency:a1"]);
    assert_eq!(found("a2"), ["idempotency:a2"]);
    assert_eq!(found("ord-1"), ["fn#61e3bf14710bf17addee41c74ca14d61"]);
    assert_eq!(found("shop:idempotency:a1"), ["shop:idempotency:a1"]);
    assert!(found("a3").is_empty());
}

#[test]
fn what_was_not_read_to_its_end_says_so() {
    let value = r#"{"status":"completed","fingerprint":"ab"}"#;
    let mut key = string("app:idempotency:ord-1", value, DAY);
    if let KeyValue::String { len, .. } = &mut key.value {
        *len = 50_000_000;
    }
    let found = runtime().block_on(async {
        let (session, sources) = opened(vec![key]).await;
        let shared: Vec<Arc<Source>> = sources.into_iter().map(Arc::new).collect();
        let address = RawAddress::Key(b"app:idempotency:ord-1".to_vec());
        open(&session, &shared, &address).await.expect("an answer")
    });
    let problems = found.expect("a record").record.problems;
    assert_eq!(
        problems[0].text,
        "Only the first 41 of 50000000 bytes were read"
    );
}
