//! Room a record takes, and how long filter, order and summary take over millions.
//!
//! `IDEMSCOPE_BENCH_ROWS` sets the number of rows (1 000 000; the limits are meant for 10 000 000).
//! Limits: at most 110 bytes a row all in, filter and sort of 10 M rows at most 1 s.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

use std::sync::Arc;
use std::time::Instant;

use idemscope::domain::Timestamp;
use idemscope::domain::raw::{Cell, ColumnKind, KeyValue, RawKey, RawRows, Ttl};
use idemscope::inspect::catalogue::{AddressRef, Bound};
use idemscope::inspect::sort::{Direction, Order, SortField, sort};
use idemscope::inspect::summary::{Rows, summarize};
use idemscope::inspect::{Cancel, Catalogue, Filter, filter};
use idemscope::layouts::form::Extent;
use idemscope::layouts::{Addressed, Layouts, Place, Source, TablePlace};

const NOW: Timestamp = Timestamp(1_795_953_600_000);
const BOUND: Bound = Bound {
    rows: 100_000_000,
    bytes: 20_000_000_000,
};

fn main() {
    let rows: usize = std::env::var("IDEMSCOPE_BENCH_ROWS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000);
    for (name, catalogue, secs) in [article(rows), table(rows)] {
        let order_bytes = rows * size_of::<u32>();
        let bytes = (catalogue.memory_bytes() + order_bytes) as f64 / rows as f64;
        println!(
            "{name}: {bytes:.1} bytes a row (limit 110), {:.2} µs to read and keep one",
            secs * 1e6
        );
        measure(&catalogue, rows);
    }
}

fn measure(catalogue: &Catalogue, rows: usize) {
    let snapshot = catalogue.snapshot();
    let never = Cancel::never();
    let all: Vec<u32> = (0..rows as u32).collect();
    for text in [
        "status:processing",
        "is:stuck",
        "4000-8000",
        "age>10m",
        "path:/payments",
    ] {
        let wanted = Filter::new(text).expect("a filter");
        let start = Instant::now();
        let found = filter::run(&snapshot, &wanted, NOW, &never).map_or(0, |found| found.len());
        println!("  filter `{text}`: {:?} ({found} rows)", start.elapsed());
    }
    for field in [
        SortField::Usual,
        SortField::Key,
        SortField::Age,
        SortField::Ttl,
        SortField::Hash,
    ] {
        let order = Order {
            field,
            direction: Direction::Ascending,
        };
        let start = Instant::now();
        let sorted = sort(&snapshot, &all, order, NOW, &never).map_or(0, |rows| rows.len());
        println!(
            "  sort by {}: {:?} ({sorted} rows)",
            field.name(),
            start.elapsed()
        );
    }
    let start = Instant::now();
    let summary = summarize(&snapshot, Rows::All, 100, NOW, &never).expect("a summary");
    println!(
        "  summary: {:?} ({} records)",
        start.elapsed(),
        summary.total
    );
}

fn mixed(number: u64) -> u64 {
    number
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn article(rows: usize) -> (&'static str, Catalogue, f64) {
    let layouts = Layouts::built_in();
    let layout = layouts.get("plain-article").expect("a layout").clone();
    let source = Source::new(layout, Place::keys(vec![0, 1]));
    let mut catalogue = Catalogue::new(BOUND);
    let id = catalogue.add_source(source.clone());
    let body = format!(
        "{{\"status\": 201, \"body\": {{\"id\": 1, \"note\": \"{}\"}}}}",
        "x".repeat(400)
    );
    let mut raw = RawKey {
        name: Vec::new(),
        ttl: Ttl::Left(0),
        value: KeyValue::Missing,
    };
    let start = Instant::now();
    for number in 0..rows as u64 {
        let mix = mixed(number);
        let value = if number.is_multiple_of(100) {
            "processing"
        } else {
            &body
        };
        raw.name = format!(
            "idempotency:{:08x}-{:04x}-4000-8000-{number:012x}",
            mix >> 32,
            mix & 0xffff
        )
        .into_bytes();
        raw.ttl = Ttl::Left(86_400_000 - (mix % 80_000_000) as i64);
        raw.value = KeyValue::String {
            bytes: value.as_bytes().to_vec(),
            len: value.len() as u64,
        };
        if let Some(reading) = source.read_key(&raw, Extent::List, NOW) {
            catalogue.push(id, &reading, AddressRef::Key(&raw.name), raw.ttl, NOW);
        }
    }
    (
        "plain-article",
        catalogue,
        start.elapsed().as_secs_f64() / rows as f64,
    )
}

fn table(rows: usize) -> (&'static str, Catalogue, f64) {
    let layouts = Layouts::built_in();
    let layout = layouts.get("uuid-key-locked-at").expect("a layout").clone();
    let column = |name: &str, kind| (name.to_owned(), name.to_owned(), kind);
    let place = TablePlace {
        addressed: Addressed::ByKey,
        schema: Arc::from("public"),
        table: Arc::from("idempotency_keys"),
        columns: vec![
            column("key", ColumnKind::Uuid),
            column("created_at", ColumnKind::Time),
            column("expires_at", ColumnKind::Time),
            column("request_path", ColumnKind::Text),
            column("payload_hash", ColumnKind::Text),
            column("response_status", ColumnKind::Int),
            column("locked_at", ColumnKind::Time),
        ],
        key: vec![("key".to_owned(), ColumnKind::Uuid)],
        hidden: Vec::new(),
        scope: Vec::new(),
        lookups: Vec::new(),
        every: Vec::new(),
        rows: Some(rows as u64),
        shows_holder: false,
    };
    let source = Source::new(layout, Place::Table(place));
    let plan = source.row_plan(Extent::List);
    let mut catalogue = Catalogue::new(BOUND);
    let id = catalogue.add_source(source.clone());
    let start = Instant::now();
    let mut key = Vec::new();
    let mut number = 0u64;
    while (number as usize) < rows {
        let mut page = RawRows::new(plan.wants.len());
        for _ in 0..5000.min(rows - number as usize) {
            fill(&mut page, &plan.wants, number);
            number += 1;
        }
        for row in 0..page.len() {
            let Some(reading) = source.read_row(&page, row, &plan, Extent::List, NOW) else {
                continue;
            };
            Source::row_key_into(&page, row, &plan, &mut key);
            let address = AddressRef::Row {
                schema: "public",
                table: "idempotency_keys",
                key: &key,
            };
            catalogue.push(id, &reading, address, Ttl::Unknown, NOW);
        }
    }
    (
        "uuid-key-locked-at",
        catalogue,
        start.elapsed().as_secs_f64() / rows as f64,
    )
}

fn fill(page: &mut RawRows, wants: &[idemscope::domain::raw::ColumnWant], number: u64) {
    use idemscope::domain::raw::ColumnWant;
    let mix = mixed(number);
    let micros = (NOW.millis() - (mix % 80_000_000) as i64) * 1000;
    let uuid = (u128::from(mix) << 64 | u128::from(number)).to_be_bytes();
    let hash = format!(
        "{:016x}{:016x}{:016x}{:016x}",
        mix,
        mixed(mix),
        number,
        mix ^ number
    );
    let locked = number.is_multiple_of(100);
    for want in wants {
        let (ColumnWant::Value { column, .. } | ColumnWant::Presence { column }) = want else {
            continue;
        };
        page.push(match column.as_str() {
            "key" => Cell::Uuid(&uuid),
            "created_at" => Cell::Time(micros),
            "expires_at" => Cell::Time(micros + 86_400_000_000),
            "request_path" => Cell::Text("/v1/payments"),
            "payload_hash" => Cell::Text(&hash),
            "response_status" if !locked => Cell::Int(201),
            "locked_at" if locked => Cell::Time(micros),
            _ => Cell::Null,
        });
    }
}
