//! Orders are those of a plain sort by the texts and numbers themselves.

use std::borrow::Cow;
use std::time::Instant;

use proptest::prelude::*;

use super::{Direction, Keys, Order, SortField, sort, sort_in_pieces};
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::{Duration, Status, Timestamp};
use crate::inspect::cancel::{Cancel, cancel};
use crate::inspect::catalogue::{Bound, Catalogue, RowId, Snapshot};
use crate::inspect::tests as made;
use crate::layouts::reading::Reading;

const NOW: Timestamp = made::NOW;

fn store(readings: &[Reading<'static>]) -> Snapshot {
    let mut catalogue = Catalogue::new(Bound::USUAL);
    let source = catalogue.add_source(made::uuid_source());
    for reading in readings {
        let address = RawAddress::Key(Vec::new());
        catalogue.push(source, reading, &address, Ttl::Unknown, NOW);
    }
    catalogue.snapshot()
}

fn sorted(snapshot: &Snapshot, field: SortField, direction: Direction) -> Vec<RowId> {
    let rows: Vec<RowId> = (0..snapshot.len() as RowId).collect();
    let order = Order { field, direction };
    sort(snapshot, &rows, order, NOW, &Cancel::never()).expect("not cancelled")
}

#[track_caller]
fn check(readings: &[Reading<'static>], field: SortField, up: &[RowId], down: &[RowId]) {
    let snapshot = store(readings);
    assert_eq!(
        sorted(&snapshot, field, Direction::Ascending),
        up,
        "{field:?}"
    );
    assert_eq!(
        sorted(&snapshot, field, Direction::Descending),
        down,
        "{field:?}"
    );
}

#[test]
fn what_is_missing_comes_last_both_ways() {
    let reading = |status, response| Reading {
        status,
        response_status: response,
        ..made::blank()
    };
    let readings = [
        reading(Status::Completed, Some(500)),
        reading(Status::Unknown, None),
        reading(Status::Failed, Some(201)),
        reading(Status::Processing, Some(201)),
    ];
    check(&readings, SortField::Response, &[2, 3, 0, 1], &[0, 2, 3, 1]);
    check(&readings, SortField::Status, &[3, 2, 1, 0], &[0, 1, 2, 3]);
    check(&readings, SortField::Layout, &[0, 1, 2, 3], &[0, 1, 2, 3]);
}

#[test]
fn the_usual_order_is_stuck_then_processing_then_newest() {
    let made = |status, secs, expiry| Reading {
        status,
        locked_at: Some(NOW.minus(Duration::secs(secs))),
        expires_at: Some(NOW.plus(Duration::secs(expiry))),
        ..made::blank()
    };
    let readings = [
        made(Status::Completed, 5, 9),
        made(Status::Processing, 10, 7),
        made(Status::Completed, 1, -8),
        made(Status::Processing, 600, 6),
    ];
    check(&readings, SortField::Usual, &[3, 1, 2, 0], &[0, 2, 1, 3]);
    check(&readings, SortField::Age, &[2, 0, 1, 3], &[3, 1, 0, 2]);
    check(&readings, SortField::Ttl, &[2, 3, 1, 0], &[0, 1, 3, 2]);
}

fn texts() -> impl Strategy<Value = Vec<Option<String>>> {
    let text = prop_oneof![
        "[ab]{0,20}",
        "order-2026-11-2[0-9]-[a-c]{0,3}",
        "same text for very many rows",
        "[\\x00a]{0,18}",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ];
    proptest::collection::vec(proptest::option::weighted(0.9, text), 0..300)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn texts_are_sorted_whole_and_stable(texts in texts()) {
        let cow = |text: &Option<String>| text.clone().map(Cow::Owned);
        let readings: Vec<Reading<'static>> = texts
            .iter()
            .map(|text| Reading { key: cow(text), payload_hash: cow(text), path: cow(text), ..made::blank() })
            .collect();
        let snapshot = store(&readings);
        let mut up: Vec<RowId> = (0..texts.len() as RowId).collect();
        let mut down = up.clone();
        let text = |id: &RowId| texts[*id as usize].as_deref();
        up.sort_by_key(|id| (text(id).is_none(), text(id)));
        down.sort_by_key(|id| (text(id).is_none(), std::cmp::Reverse(text(id))));
        for field in [SortField::Key, SortField::Hash, SortField::Operation] {
            prop_assert_eq!(&sorted(&snapshot, field, Direction::Ascending), &up);
            prop_assert_eq!(&sorted(&snapshot, field, Direction::Descending), &down);
            let rows: Vec<RowId> = (0..snapshot.len() as RowId).rev().collect();
            let keys = Keys::new(&snapshot, &rows, field, NOW, &Cancel::never());
            let how = (&keys, Direction::Ascending);
            let pieces = sort_in_pieces(&snapshot, &rows, how, 7, &Cancel::never());
            prop_assert_eq!(pieces.as_ref(), Some(&up));
        }
    }
}

#[test]
fn what_all_texts_begin_with_is_passed_over() {
    let path = |n: usize| {
        Some(Cow::Owned(format!(
            "{}/{:04}",
            "order".repeat(80),
            n * 7919 % 1000
        )))
    };
    let mut readings: Vec<Reading<'static>> = (0..1000)
        .map(|n| Reading {
            key: path(n),
            ..made::blank()
        })
        .collect();
    readings.push(made::blank());
    let snapshot = store(&readings);
    let mut expected: Vec<RowId> = (0..1001).collect();
    expected.sort_by_key(|id| {
        let key = readings[*id as usize].key.clone();
        (key.is_none(), key)
    });
    assert_eq!(
        sorted(&snapshot, SortField::Key, Direction::Ascending),
        expected
    );
}

#[test]
fn a_cancelled_sort_has_no_answer() {
    let (guard, cancel) = cancel();
    drop(guard);
    let snapshot = store(&[made::blank()]);
    assert_eq!(sort(&snapshot, &[0], Order::default(), NOW, &cancel), None);
}

/// Times are only printed: a busy machine must not fail a test. Debug builds take far longer.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "measures a span, reads no time of day"
)]
fn large_catalogues_are_sorted() {
    if !made::is_long() {
        return;
    }
    for (name, fill) in made::FILLS {
        let mut catalogue = Catalogue::new(Bound::USUAL);
        fill(&mut catalogue, 10_000_000);
        let snapshot = catalogue.snapshot();
        for field in SortField::ALL {
            let start = Instant::now();
            let rows = sorted(&snapshot, field, Direction::Descending);
            println!(
                "{name} by {}: {} in {:?}",
                field.name(),
                rows.len(),
                start.elapsed()
            );
        }
    }
}
