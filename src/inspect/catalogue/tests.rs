//! The catalogue gives back what was put in, in the room that was promised.

use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Bound, Catalogue, Counts, SourceId};
use crate::domain::address::address_text;
use crate::domain::raw::{KeyValue, RawAddress, RawKey, Ttl};
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Problem, ProblemCode, Status, Stuck, Timestamp};
use crate::inspect::tests as made;
use crate::layouts::form::Extent;
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::record::to_record;

const NOW: Timestamp = made::NOW;

fn text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof![
        ".{0,12}",
        "[0-9a-f]{0,12}",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "[\\x00-\\x20\u{202e}/%:]{0,6}",
    ])
}

fn time() -> impl Strategy<Value = Option<Timestamp>> {
    let near = (0_i64..100_000_000).prop_map(|ago| NOW.0 - ago);
    proptest::option::of(prop_oneof![near, any::<i64>()].prop_map(Timestamp))
}

fn status() -> impl Strategy<Value = Status> {
    prop_oneof![
        Just(Status::Processing),
        Just(Status::Completed),
        Just(Status::Failed),
        Just(Status::Unknown)
    ]
}

prop_compose! {
    fn reading()(
        status in status(),
        lock in prop_oneof![Just(LockState::Held), Just(LockState::Waiting), Just(LockState::Orphaned), Just(LockState::Alive)],
        texts in (text(), text(), text(), text(), text(), text()),
        times in (time(), time(), time(), time(), time(), time()),
        response in proptest::option::of(any::<u16>()),
        numbers in proptest::option::of((any::<i64>(), any::<i64>())),
        scope in proptest::collection::vec(("[a-z_]{1,6}", ".{0,8}"), 0..3),
        problems in proptest::collection::vec((0_usize..6, ".{0,20}"), 0..3),
    ) -> Reading<'static> {
        let cow = |text: Option<String>| text.map(Cow::Owned);
        Reading {
            fit: Fit::Telling(0),
        is_record: true,
            case: None,
            status,
            lock,
            needs_more: response.is_none(),
            key: cow(texts.0),
            digest: cow(texts.1),
            scope: None,
            operation: cow(texts.2),
            method: cow(texts.3),
            path: cow(texts.4),
            payload_hash: cow(texts.5),
            response_status: response,
            attempts: numbers.map(|(attempts, _)| attempts),
            replays: numbers.map(|(_, replays)| replays),
            locked_at: times.0,
            lock_until: times.1,
            created_at: times.2,
            completed_at: times.3,
            failed_at: times.4,
            expires_at: times.5,
            never_expires: false,
            extra: Vec::new(),
            scope_parts: scope,
            problems: problems
                .into_iter()
                .map(|(code, text)| Problem::new(ProblemCode::ALL[code], text))
                .collect(),
        }
    }
}

fn ttl() -> impl Strategy<Value = Ttl> {
    prop_oneof![
        Just(Ttl::Never),
        Just(Ttl::Unknown),
        any::<i64>().prop_map(Ttl::Left),
        (0_i64..86_400_000).prop_map(Ttl::Left)
    ]
}

/// Addresses of all sorts, half of them made of the reading's own fields.
fn address(reading: &Reading<'_>, sort: u8, foreign: &[u8]) -> RawAddress {
    let key = reading.key.as_deref().unwrap_or("no key");
    let scope = reading.scope_parts.first().map(|(_, text)| text.clone());
    let row = |table: &str, key: Vec<String>| RawAddress::Row {
        schema: Arc::from("public"),
        table: Arc::from(table),
        key,
    };
    match sort {
        0 => RawAddress::Key(foreign.to_vec()),
        1 => RawAddress::Member {
            key: foreign.to_vec(),
            member: key.as_bytes().to_vec(),
        },
        2 => RawAddress::Key(format!("idempotency:{key}").into_bytes()),
        3 => {
            RawAddress::Key(format!("idempotency:{}:{key}", scope.unwrap_or_default()).into_bytes())
        }
        4 => row("idempotency_keys", vec![key.to_owned()]),
        5 => row(
            "idempotency_keys",
            vec![scope.unwrap_or_default(), key.to_owned()],
        ),
        6 => row("another", vec![key.to_owned(), String::new()]),
        _ => row("idempotency_keys", vec!["17".to_owned()]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn a_row_gives_back_the_whole_record(
        arrivals in proptest::collection::vec(
            (reading(), 0_u8..8, proptest::collection::vec(any::<u8>(), 0..12), ttl(), 0_i64..3),
            1..12,
        ),
    ) {
        let mut catalogue = Catalogue::new(Bound::USUAL);
        let redis = catalogue.add_source(made::article_source());
        let sql = catalogue.add_source(made::uuid_source());
        let mut expected = Vec::new();
        for (reading, sort, foreign, ttl, page) in arrivals {
            let address = address(&reading, sort, &foreign);
            let source = if matches!(address, RawAddress::Row { .. }) { sql } else { redis };
            let read_at = NOW.plus(Duration::secs(page));
            catalogue.push(source, &reading, &address, ttl, read_at);
            expected.push((source, reading, address, ttl, read_at));
        }
        let snapshot = catalogue.snapshot();
        prop_assert_eq!(snapshot.len(), expected.len());
        for (at, (source, reading, address, ttl, read_at)) in expected.into_iter().enumerate() {
            let facts = snapshot.source(source).expect("a source");
            let longest = snapshot.longest_ttl(source);
            let record = to_record(reading, facts, address, ttl, longest, read_at);
            let row = snapshot.row(at as u32).expect("a row");
            prop_assert_eq!(format!("{:?}", row.record()), format!("{record:?}"));
            prop_assert_eq!(row.scope().map(Cow::into_owned), record.scope_text());
            prop_assert_eq!(row.expiry(), record.expiry());
            prop_assert_eq!(row.address_text(), address_text(&record.address));
        }
    }
}

#[test]
fn past_the_bound_records_are_only_counted() {
    let mut catalogue = Catalogue::new(Bound {
        rows: 3,
        ..Bound::USUAL
    });
    made::fill_articles(&mut catalogue, 5);
    let counts = catalogue.counts();
    assert_eq!((counts.held, counts.counted_only_total()), (3, 2));
    assert!(catalogue.is_full());
    assert_eq!(catalogue.snapshot().len(), 3);
    let mut small = Catalogue::new(Bound {
        bytes: 4_000,
        ..Bound::USUAL
    });
    made::fill_articles(&mut small, 500);
    assert!(small.is_full() && small.len() > 5 && small.memory_bytes() < 20_000);
    assert_eq!(small.counts().total(), 500);
    assert_eq!(Counts::default().total(), 0);
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    let source = made::fill_rows(&mut catalogue, 70_000);
    let mut snapshot = catalogue.snapshot();
    made::fill_rows(&mut catalogue, 10);
    assert_eq!((snapshot.len(), catalogue.len()), (70_000, 70_010));
    assert_eq!(snapshot.rows().count(), 70_000);
    assert_eq!(snapshot.row(65_536).expect("a row").id(), 65_536);
    assert!(snapshot.row(70_000).is_none());

    let stuck = |snapshot: &super::Snapshot| {
        let verdicts = snapshot.rows().filter_map(|row| row.verdict(NOW));
        verdicts
            .filter(|verdict| verdict.stuck == Stuck::Yes)
            .count()
    };
    let by_layout = stuck(&snapshot);
    snapshot.set_lease(source, Some(Duration::secs(86_400 * 365)));
    assert!(by_layout > 0);
    assert_eq!(stuck(&snapshot), 0, "a longer lease judges the same rows");
}

#[test]
fn an_address_made_of_its_fields_is_not_kept() {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    made::fill_articles(&mut catalogue, 100);
    let snapshot = catalogue.snapshot();
    for row in snapshot.rows() {
        assert!(row.details().address.is_none());
        let key = row.key().expect("a key").text();
        assert_eq!(row.address_text(), format!("idempotency:{key}"));
    }
}

/// Bytes a row all in, one entry of an order included.
#[track_caller]
fn bytes_a_row(name: &str, rows: usize, fill: fn(&mut Catalogue, usize) -> SourceId) {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    fill(&mut catalogue, rows);
    assert_eq!(catalogue.len(), rows);
    let bytes = (catalogue.memory_bytes() + rows * size_of::<u32>()) as f64 / rows as f64;
    println!("{name}: {rows} rows, {bytes:.1} bytes a row");
    assert!(bytes <= 110.0, "{name}: {bytes:.1} bytes a row");
}

#[test]
fn a_row_takes_110_bytes_at_most() {
    for rows in made::sizes() {
        bytes_a_row("uuid-key-locked-at", rows, made::fill_rows);
        bytes_a_row("plain-article", rows, made::fill_articles);
    }
}

#[test]
fn real_keys_and_rows_come_through() {
    let source = made::article_source();
    let raw = RawKey {
        name: b"idempotency:user_42:ord-1".to_vec(),
        ttl: Ttl::Left(86_358_000),
        value: KeyValue::String {
            bytes: b"processing".to_vec(),
            len: 10,
        },
    };
    let mut catalogue = Catalogue::new(Bound::USUAL);
    let id = catalogue.add_source(source.clone());
    let reading = source.read_key(&raw, Extent::List, NOW).expect("a record");
    catalogue.push(
        id,
        &reading,
        super::AddressRef::Key(&raw.name),
        raw.ttl,
        NOW,
    );
    let snapshot = catalogue.snapshot();
    let row = snapshot.row(0).expect("a row");
    assert_eq!(row.address_text(), "idempotency:user_42:ord-1");
    assert_eq!(
        row.age(NOW),
        Some(Duration::secs(42)),
        "inferred from the TTL"
    );
    assert_eq!(row.standing(NOW).word(), "Processing");
}
