//! How fast records are decoded for a list, and how long detection looks at names.
//!
//! Limits: 500 000 JSON strings or hashes a second on one core; 20 000 names in half a second, so
//! that detection among a million keys stays below two.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

use std::time::Instant;

use idemscope::domain::Timestamp;
use idemscope::domain::raw::{KeyValue, RawKey, Ttl};
use idemscope::layouts::detect::keys::Survey;
use idemscope::layouts::form::Extent;
use idemscope::layouts::{Layouts, Place, Source};

const NOW: Timestamp = Timestamp(1_795_953_600_000);
const RECORDS: usize = 500_000;
const PER_SECOND: f64 = 500_000.0;

fn main() {
    strings(
        "plain-article",
        "idempotency:{n}",
        r#"{"status": 201, "body": {"id": 7, "note": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}"#,
    );
    strings(
        "powertools-python-cache",
        "payments#3e9cfda1eb624fe84008faff{n}",
        r#"{"status": "INPROGRESS", "expiration": 1795958502, "in_progress_expiration": 1795954902473, "validation": "1c2d"}"#,
    );
    strings(
        "generic-record",
        "app:idem-keys:{n}",
        r#"{"state":"RUNNING","requestHash":"da4f","startedAt":1795953600}"#,
    );
    hashes();
    names();
}

fn source(id: &str) -> Source {
    let layout = Layouts::built_in().get(id).expect("a layout").clone();
    let place = Place::every_key(&layout);
    Source::new(layout, place)
}

fn strings(id: &str, name: &str, value: &str) {
    let keys: Vec<RawKey> = (0..RECORDS)
        .map(|n| RawKey {
            name: name.replace("{n}", &format!("{n:08x}")).into_bytes(),
            ttl: Ttl::Left(60_000),
            value: KeyValue::String {
                bytes: value.as_bytes().to_vec(),
                len: value.len() as u64,
            },
        })
        .collect();
    measure(id, &keys);
}

fn hashes() {
    let fields = [
        ("status", "processing"),
        ("payload_hash", "da4f9db26fb71c38e8a58b3f2ef7b89b"),
        ("method", "POST"),
        ("path", "/payments"),
        ("created_at", "1795953600"),
        ("locked_at", "1795953600"),
        ("attempts", "1"),
    ];
    let keys: Vec<RawKey> = (0..RECORDS)
        .map(|n| RawKey {
            name: format!("idem:{{user_42}}:ord-{n}").into_bytes(),
            ttl: Ttl::Left(60_000),
            value: KeyValue::Hash {
                len: None,
                fields: fields
                    .iter()
                    .map(|(name, value)| (name.as_bytes().to_vec(), value.as_bytes().to_vec()))
                    .collect(),
            },
        })
        .collect();
    measure("plain-hash-payload", &keys);
}

fn measure(id: &str, keys: &[RawKey]) {
    let source = source(id);
    let start = Instant::now();
    let read = keys
        .iter()
        .filter(|raw| {
            source
                .read_key(raw, Extent::List, NOW)
                .is_some_and(|reading| reading.case.is_some())
        })
        .count();
    let rate = keys.len() as f64 / start.elapsed().as_secs_f64();
    assert_eq!(read, keys.len());
    println!("{id}: {rate:.0} records/s (limit {PER_SECOND:.0})");
}

/// One name in a hundred is a record's.
fn names() {
    let names: Vec<Vec<u8>> = (0..20_000)
        .map(|n| match n % 100 {
            0 => format!("shop:idempotency:{n:08x}"),
            1..40 => format!("user:{n}:profile"),
            40..70 => format!("sess:{n:08x}ab"),
            _ => format!("cache:product:{n}:details"),
        })
        .map(String::into_bytes)
        .collect();
    let layouts = Layouts::built_in();
    let start = Instant::now();
    let wanted = Survey::of(&layouts, &names).wanted().len();
    let took = start.elapsed();
    println!("names: {took:.0?} for 20 000, {wanted} values wanted (limit 500 ms)");
}
