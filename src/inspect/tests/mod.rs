//! Made-up sources and records that the tests of this module share.

use std::borrow::Cow;
use std::sync::Arc;

use super::catalogue::{AddressRef, Catalogue, SourceId};
use crate::domain::raw::{ColumnKind, Ttl};
use crate::domain::{Duration, Status, Timestamp};
use crate::layouts::reading::{Fit, Reading};
use crate::layouts::slot::{hex, uuid_text};
use crate::layouts::{Addressed, Layouts, Place, Source, TablePlace};

pub(super) const NOW: Timestamp = Timestamp(1_795_953_600_000);

/// Whether tests that take minutes are asked for.
#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the tests, not of the program"
)]
pub(super) fn is_long() -> bool {
    std::env::var_os("IDEMSCOPE_TEST_LONG").is_some()
}

/// One million rows; ten as well where long tests are asked for.
pub(super) fn sizes() -> Vec<usize> {
    if is_long() {
        vec![1_000_000, 10_000_000]
    } else {
        vec![1_000_000]
    }
}

pub(super) type Fill = fn(&mut Catalogue, usize) -> SourceId;

/// The two layouts that sizes and times are promised for.
pub(super) const FILLS: [(&str, Fill); 2] = [
    ("uuid-key-locked-at", fill_rows),
    ("plain-article", fill_articles),
];

pub(super) fn article_source() -> Source {
    let layouts = Layouts::built_in();
    let layout = layouts.get("plain-article").expect("a built-in layout");
    let templates = vec![0, 1];
    Source::new(layout.clone(), Place::keys(templates))
}

pub(super) fn uuid_source() -> Source {
    let layouts = Layouts::built_in();
    let layout = layouts
        .get("uuid-key-locked-at")
        .expect("a built-in layout");
    let place = Place::Table(TablePlace {
        schema: Arc::from("public"),
        table: Arc::from("idempotency_keys"),
        columns: Vec::new(),
        hidden: Vec::new(),
        scope: Vec::new(),
        lookups: Vec::new(),
        every: Vec::new(),
        key: vec![("key".to_owned(), ColumnKind::Uuid)],
        addressed: Addressed::ByKey,
        rows: None,
        shows_holder: false,
    });
    Source::new(layout.clone(), place)
}

pub(super) fn blank<'a>() -> Reading<'a> {
    Reading {
        fit: Fit::Telling(0),
        ..Reading::blank()
    }
}

/// Numbers that look random and are the same every time.
fn noise(n: u64) -> u64 {
    let mut x = n
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn sixteen(n: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&noise(n).to_be_bytes());
    bytes[8..].copy_from_slice(&noise(!n).to_be_bytes());
    bytes
}

/// A table as a payment API has it: one row of fifty is in progress, one of a hundred failed.
pub(super) fn fill_rows(catalogue: &mut Catalogue, rows: usize) -> SourceId {
    let id = catalogue.add_source(uuid_source());
    let paths = ["/v1/payments", "/v1/refunds", "/v1/payouts", "/v1/orders"];
    for n in 0..rows as u64 {
        let key = uuid_text(&sixteen(n));
        let created = NOW.minus(Duration((noise(n ^ 77) % 86_400_000) as i64));
        let hash = hex(&[sixteen(n ^ 3), sixteen(n ^ 5)].concat());
        let mut reading = Reading {
            status: Status::Completed,
            path: Some(Cow::Borrowed(paths[n as usize % 4])),
            payload_hash: Some(Cow::Owned(hash)),
            created_at: Some(created),
            expires_at: Some(created.plus(Duration::secs(86_400))),
            response_status: Some(201),
            ..blank()
        };
        if n.is_multiple_of(50) {
            reading.status = Status::Processing;
            reading.response_status = None;
            reading.locked_at = Some(created.plus(Duration(12)));
        } else if n.is_multiple_of(99) {
            reading.status = Status::Failed;
            reading.response_status = Some(503);
        }
        let values = [key.clone()];
        reading.key = Some(Cow::Owned(key));
        let address = AddressRef::Row {
            schema: "public",
            table: "idempotency_keys",
            key: &values,
        };
        let page = Duration((n / 5000) as i64);
        catalogue.push(id, &reading, address, Ttl::Unknown, NOW.plus(page));
    }
    id
}

/// Keys as articles have them, one of fifty in progress.
pub(super) fn fill_articles(catalogue: &mut Catalogue, rows: usize) -> SourceId {
    let id = catalogue.add_source(article_source());
    for n in 0..rows as u64 {
        let key = uuid_text(&sixteen(n ^ 0xa5a5));
        let name = format!("idempotency:{key}");
        let mut reading = Reading {
            status: Status::Completed,
            response_status: Some(200),
            key: Some(Cow::Owned(key)),
            ..blank()
        };
        if n.is_multiple_of(50) {
            reading.status = Status::Processing;
            reading.response_status = None;
        }
        let left = Ttl::Left((noise(n) % 86_400_000) as i64);
        let page = Duration((n / 1000) as i64);
        let address = AddressRef::Key(name.as_bytes());
        catalogue.push(id, &reading, address, left, NOW.plus(page));
    }
    id
}
