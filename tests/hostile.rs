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
use idemscope::layouts::codec::{OUTPUT_BYTES_MAX, Step};
use idemscope::layouts::form::Extent;
use idemscope::layouts::keys::{Member, Seen};
use idemscope::layouts::redis::Role;
use idemscope::layouts::slot::Slot;
use idemscope::layouts::{Addressed, Layout, Layouts, Place, Source, TablePlace};
use idemscope::present::{escape, record_json};
use idemscope::sys::clock::Stopwatch;

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
        "__in_progress__",
        "a:1:{i:0;",
        "O:1:\"X\":1:{s:4:\"body\";",
        "IdempAPI_",
        "idempotency:",
        ":lock",
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

/// Members of keys that hold many records, with whatever stands beside them.
#[test]
fn any_bytes_in_a_container_are_a_record() {
    let mut random = random();
    let layouts = Layouts::built_in();
    let sources: Vec<Source> = layouts
        .iter()
        .filter_map(key_source)
        .filter(|source| source.each().is_some())
        .collect();
    for _ in 0..rounds() / 10 {
        let source = &sources[random.usize(0..sources.len())];
        let redis = source.layout.redis.as_ref().expect("keys");
        let name = redis.keys[0]
            .build(|_| Some(Vec::new()))
            .unwrap_or_default();
        let key = RawKey {
            name,
            ttl: Ttl::Never,
            value: KeyValue::Opaque(source.each().expect("a container")),
        };
        let (member, held, beside) = (value(&mut random), value(&mut random), value(&mut random));
        let len = beside.len() as u64 + u64::from(random.u8(0..2));
        let part = RawKey {
            name: member.clone(),
            ttl: Ttl::Never,
            value: KeyValue::String { bytes: beside, len },
        };
        let parts: Vec<(String, RawKey)> = redis
            .parts
            .iter()
            .map(|known| (known.name.clone(), part.clone()))
            .collect();
        let seen = Seen {
            key: &key,
            member: Some(Member {
                name: &member,
                value: Some(&held),
                score: Some(f64::from_bits(random.u64(..))),
            }),
            parts: &parts,
        };
        let mut catalogue = Catalogue::new(Bound::USUAL);
        let id = catalogue.add_source(source.clone());
        for extent in [Extent::List, Extent::Whole] {
            let reading = source
                .read_seen(&seen, Role::Record(0), extent, NOW)
                .expect("a record");
            let address = AddressRef::Member {
                key: &key.name,
                member: &member,
            };
            catalogue.push(id, &reading, address, Ttl::Never, NOW);
        }
        show(&catalogue);
    }
}

/// Inputs that each decoder takes, to be broken.
fn seeds(codec: &str) -> Vec<Vec<u8>> {
    let all: &[&[u8]] = match codec {
        "pickle" => &[
            b"\x80\x04\x95\x14\0\0\0\0\0\0\0}\x94\x8c\x06amount\x94M\xdc\x05s.",
            b"\x80\x02]q\0(K\x01K\x02e.",
            b"(dp0\nVstatus\np1\nI201\ns.",
            b"cos\nsystem\n(S'ls'\ntR.",
            b"\x80\x04\x8c\x01m\x8c\x01C\x93)\x81}\x8c\x01aK\x01sb.",
        ],
        "php-serialize" => &[
            b"a:2:{s:1:\"a\";i:1;s:1:\"b\";d:0.5;}",
            b"O:3:\"A\\B\":2:{s:1:\"p\";i:1;s:4:\"\0*\0q\";a:1:{i:0;N;}}",
            b"C:1:\"X\":3:{abc}",
        ],
        "msgpack" => &[
            b"\x82\xa2sc\xd1\x00\xc9\xa1b\xc4\x02ok",
            b"\x93\xff\xc0\xcb\x3f\xf8\0\0\0\0\0\0",
            b"\xd6\xff\0\0\0\x01",
        ],
        "erlang-term" => &[
            b"\x83\x74\0\0\0\x02w\x06statusw\x02okm\0\0\0\x01ba\x05",
            b"\x83\x68\x02w\x03nill\0\0\0\x01a\x01j",
        ],
        "gzip" => {
            &[b"\x1f\x8b\x08\0\0\0\0\0\x02\x03\xcbH\xcd\xc9\xc9\x07\0\x86\xa6\x106\x05\0\0\0"]
        }
        "zlib" => &[b"x\x9c\xcbH\xcd\xc9\xc9\x07\0\x06,\x02\x15"],
        _ => &[
            b"{\"a\":[1,\"x\"]}",
            b"[104,105]",
            b"[\"a\",\"b\"]",
            b"aGVsbG8=",
            b"\\x6869",
            b"a%20b:1",
        ],
    };
    all.iter().map(|bytes| bytes.to_vec()).collect()
}

/// Takes bytes away, puts some in, doubles a piece, changes a few.
fn broken(random: &mut fastrand::Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..random.usize(0..6) {
        let at = random.usize(0..=bytes.len());
        match random.u8(0..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.u8(..)),
            2 if at < bytes.len() => bytes[at] = random.u8(..),
            3 if at < bytes.len() => bytes[at] ^= 1 << random.u8(0..8),
            _ => {
                let piece = bytes[at..].to_vec();
                if bytes.len() < 4096 {
                    bytes.extend(piece);
                }
            }
        }
    }
    bytes
}

/// Whatever stands in a value, a decoder gives something bounded or says no; what claims to be JSON
/// is JSON.
#[test]
fn any_bytes_are_decoded_or_refused() {
    const NAMES: &[&str] = &[
        "pickle",
        "php-serialize",
        "msgpack",
        "erlang-term",
        "gzip",
        "zlib",
        "base64",
        "hex",
        "byte-array",
        "join",
        "json-string",
        "composite-array",
        "percent",
        "before(:)",
        "strip-suffix(:1)",
        "struct(a: u16be, b: bytes32le, c: rest)",
    ];
    let mut random = random();
    for round in 0..rounds() {
        let name = NAMES[round % NAMES.len()];
        let step = Step::named(name).expect("a decoder");
        let seeds = seeds(name);
        let seed = seeds[random.usize(0..seeds.len())].clone();
        let bytes = match random.u8(0..8) {
            0 => value(&mut random),
            _ => broken(&mut random, seed),
        };
        let slot = Slot::from_bytes(&bytes);
        let Ok(decoded) = step.decode(&slot, random.bool()) else {
            continue;
        };
        let Some(out) = decoded.bytes() else { continue };
        assert!(out.len() <= OUTPUT_BYTES_MAX, "{name} of {bytes:?}");
        if step.codec.gives_json && matches!(decoded, Slot::Json(_)) {
            let parsed = serde_json::from_slice::<serde_json::Value>(&out);
            let text = String::from_utf8_lossy(&out);
            assert!(parsed.is_ok(), "{name} of {bytes:?} is {text}");
        }
    }
}

/// Deep, large and self-referring values end within the promised time.
#[test]
fn hostile_values_end_in_time() {
    let megabyte = |bytes: &[u8]| bytes.repeat((1 << 20) / bytes.len());
    let deep = |open: &[u8]| open.repeat(10_000);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        (
            "pickle",
            [
                b"\x80\x02".as_slice(),
                &deep(b"]"),
                &b"a".repeat(9_999),
                b".",
            ]
            .concat(),
        ),
        ("pickle", megabyte(b"]")),
        ("pickle", megabyte(b"(")),
        (
            "pickle",
            [b"\x80\x02]".as_slice(), &megabyte(b"2a"), b"."].concat(),
        ),
        ("php-serialize", deep(b"a:1:{i:0;")),
        ("php-serialize", megabyte(b"a:1:{i:0;")),
        ("msgpack", deep(b"\x91")),
        (
            "msgpack",
            [b"\xdd\x7f\xff\xff\xff".as_slice(), &megabyte(b"\xc0")].concat(),
        ),
        (
            "erlang-term",
            [b"\x83".as_slice(), &deep(b"h\x01")].concat(),
        ),
        ("composite-array", megabyte(b"{\"(")),
        ("byte-array", [b"[".as_slice(), &megabyte(b"1,")].concat()),
    ];
    // The promise is for a release build.
    let most = std::time::Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 50 });
    for (name, bytes) in cases {
        let step = Step::named(name).expect("a decoder");
        let slot = Slot::from_bytes(&bytes);
        let start = Stopwatch::start();
        let _ = step.decode(&slot, false);
        assert!(start.elapsed() < most, "{name}: {:?}", start.elapsed());
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
        addressed: Addressed::ByKey,
        hidden: Vec::new(),
        scope: Vec::new(),
        lookups: Vec::new(),
        every: Vec::new(),
        rows: None,
        shows_holder: false,
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
