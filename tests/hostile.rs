//! Feeds every layout with bytes that nobody meant: whatever is stored, there is a record, perhaps
//! with problems, and never a panic.
//!
//! `IDEMSCOPE_TEST_LONG` runs a million inputs, otherwise a small share with the printed seed.

mod support;

use std::sync::Arc;

use idemscope::domain::Timestamp;
use idemscope::domain::raw::{Cell, ColumnKind, KeyValue, RawKey, RawRows, Ttl};
use idemscope::inspect::Catalogue;
use idemscope::inspect::catalogue::{AddressRef, Bound};
use idemscope::layouts::form::Extent;
use idemscope::layouts::{Layout, Layouts, Place, Source, TablePlace};
use idemscope::present::{escape, record_json};

const NOW: Timestamp = Timestamp(1_795_953_600_000);

fn rounds() -> usize {
    if support::long() { 1_000_000 } else { 20_000 }
}

fn random() -> fastrand::Rng {
    fastrand::Rng::with_seed(support::seed())
}

/// Bytes that are near enough to what is expected to get far, and wrong enough to hurt.
fn value(random: &mut fastrand::Rng) -> Vec<u8> {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\\",
        "\\u",
        "d800",
        "null",
        "true",
        "-",
        "1e999",
        "0x",
        "status",
        "COMPLETED",
        "INPROGRESS",
        "state",
        "CLAIMED",
        "fingerprint",
        "expiration",
        "data",
        "\"status\":201",
        "\"body\":",
        "\"createdAt\":1e308",
        "processing",
        "completed",
        "ÿ",
        "\u{202e}",
        "9999999999999999999999",
        "2026-11-29T12:00:00Z",
        "infinity",
        "==",
        "aGVsbG8=",
        "\u{0}",
    ];
    let mut bytes = Vec::new();
    for _ in 0..random.usize(0..24) {
        match random.u8(0..8) {
            0 => bytes.push(random.u8(..)),
            1 => bytes.extend(std::iter::repeat_n(b'[', random.usize(0..300))),
            _ => bytes.extend_from_slice(PIECES[random.usize(0..PIECES.len())].as_bytes()),
        }
    }
    bytes
}

fn key_source(layout: &Arc<Layout>) -> Option<Source> {
    layout.redis.as_ref()?;
    Some(Source::new(layout.clone(), Place::every_key(layout)))
}

/// Reads a key in both extents, keeps it, shows it, and puts it into words.
fn swallow_key(source: &Source, raw: &RawKey, catalogue: &mut Catalogue) {
    let id = catalogue.add_source(source.clone());
    for extent in [Extent::List, Extent::Whole] {
        if let Some(reading) = source.read_key(raw, extent, NOW) {
            catalogue.push(id, &reading, AddressRef::Key(&raw.name), raw.ttl, NOW);
        }
    }
    show(catalogue);
}

fn show(catalogue: &Catalogue) {
    let snapshot = catalogue.snapshot();
    for row in snapshot.rows() {
        let record = row.record();
        let text = serde_json::Value::Object(record_json(&record, NOW)).to_string();
        assert!(escape::shown(&text, 300).chars().all(|c| !c.is_control()));
        let _ = (row.verdict(NOW), row.standing(NOW), row.address_text());
    }
}

#[test]
fn any_bytes_under_any_key_are_a_record_or_nothing() {
    let mut random = random();
    let layouts = Layouts::built_in();
    let sources: Vec<Source> = layouts.iter().filter_map(key_source).collect();
    for _ in 0..rounds() {
        let source = &sources[random.usize(0..sources.len())];
        let template = {
            let all = &source.layout.redis.as_ref().expect("keys").keys;
            &all[random.usize(0..all.len())]
        };
        let name = template
            .build(|_| Some(value(&mut fastrand::Rng::with_seed(7))))
            .unwrap_or_default();
        let name = if random.bool() {
            name
        } else {
            value(&mut random)
        };
        let bytes = value(&mut random);
        let len = bytes.len() as u64 + u64::from(random.u8(0..3));
        let ttl = match random.u8(0..4) {
            0 => Ttl::Never,
            1 => Ttl::Unknown,
            _ => Ttl::Left(random.i64(i64::MIN..i64::MAX)),
        };
        let raw = match random.u8(0..3) {
            0 => {
                let field = |random: &mut fastrand::Rng| (value(random), value(random));
                let mut fields: Vec<_> = (0..random.usize(0..5))
                    .map(|_| field(&mut random))
                    .collect();
                fields.push((b"status".to_vec(), bytes));
                RawKey {
                    name,
                    ttl,
                    value: KeyValue::Hash { fields, len: None },
                }
            }
            _ => RawKey {
                name,
                ttl,
                value: KeyValue::String { bytes, len },
            },
        };
        swallow_key(source, &raw, &mut Catalogue::new(Bound::USUAL));
    }
}

#[test]
fn any_cells_in_any_table_are_a_record() {
    let mut random = random();
    let layouts = Layouts::built_in();
    let tables: Vec<Source> = layouts.iter().filter_map(table_source).collect();
    for _ in 0..rounds() {
        let source = &tables[random.usize(0..tables.len())];
        for extent in [Extent::List, Extent::Whole] {
            let plan = source.row_plan(extent);
            let mut rows = RawRows::new(plan.wants.len());
            for _ in &plan.wants {
                push(&mut rows, &mut random);
            }
            let mut catalogue = Catalogue::new(Bound::USUAL);
            let id = catalogue.add_source(source.clone());
            if let Some(reading) = source.read_row(&rows, 0, &plan, extent, NOW) {
                let key = Source::row_key(&rows, 0, &plan);
                let address = AddressRef::Row {
                    schema: "s",
                    table: "t",
                    key: &key,
                };
                catalogue.push(id, &reading, address, Ttl::Unknown, NOW);
            }
            show(&catalogue);
        }
    }
}

fn table_source(layout: &Arc<Layout>) -> Option<Source> {
    let columns = &layout.sql.as_ref()?.columns;
    let place = TablePlace {
        schema: "s".into(),
        table: "t".into(),
        columns: columns
            .iter()
            .map(|rule| (rule.role.clone(), rule.role.clone(), ColumnKind::Text))
            .collect(),
        key: vec![("k".to_owned(), ColumnKind::Text)],
        every: Vec::new(),
        rows: None,
    };
    Some(Source::new(layout.clone(), Place::Table(place)))
}

fn push(rows: &mut RawRows, random: &mut fastrand::Rng) {
    let bytes = value(random);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    rows.push(match random.u8(0..10) {
        0 => Cell::Null,
        1 => Cell::Bool(random.bool()),
        2 => Cell::Int(random.i64(i64::MIN..i64::MAX)),
        3 => Cell::Float(f64::from_bits(random.u64(..))),
        4 => Cell::Time(random.i64(i64::MIN..i64::MAX)),
        5 => Cell::Time(i64::MAX),
        6 => Cell::Bytes(&bytes),
        7 => Cell::Json(&text),
        _ => Cell::Text(&text),
    });
}
