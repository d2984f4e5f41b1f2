//! Proposals for invented stores: the text as a person sees it, and what it reads of its own sample.

use super::{Ground, families, keys, table};
use crate::domain::raw::{Cell, ColumnKind, KeyValue, RawKey, RawRows, Ttl};
use crate::domain::survey::{Column, Table};
use crate::domain::{Record, Status, Timestamp};
use crate::layouts::trial::{self, Outcome, RowsOfTable, Sample};

const NOW: Timestamp = Timestamp(1_795_953_600_000);

fn ground<'g>() -> Ground<'g> {
    Ground {
        now: NOW,
        taken: &[],
        of: None,
    }
}

fn string(name: &str, value: impl AsRef<[u8]>) -> RawKey {
    let bytes = value.as_ref().to_vec();
    RawKey {
        name: name.as_bytes().to_vec(),
        ttl: Ttl::Left(60_000),
        value: KeyValue::String {
            len: bytes.len() as u64,
            bytes,
        },
    }
}

fn hash(name: &str, fields: &[(&str, &str)]) -> RawKey {
    let pair = |(name, value): &(&str, &str)| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    RawKey {
        name: name.as_bytes().to_vec(),
        ttl: Ttl::Left(60_000),
        value: KeyValue::Hash {
            len: None,
            fields: fields.iter().map(pair).collect(),
        },
    }
}

/// The proposal for keys of one family, which must read all of them.
#[track_caller]
fn of_keys(sample: Vec<RawKey>) -> (String, Vec<Record>) {
    let names: Vec<Vec<u8>> = sample.iter().map(|raw| raw.name.clone()).collect();
    let found = families(&names);
    assert_eq!(found.len(), 1, "{found:?}");
    let text = keys(&found[0], &sample, ground());
    let records = read(&text, &Sample::keys(sample));
    (text, records)
}

#[track_caller]
fn read(text: &str, sample: &Sample) -> Vec<Record> {
    let trial = trial::run(text, sample, NOW, &|| true);
    let trial = trial.unwrap_or_else(|mistake| panic!("{mistake}\n{text}"));
    let trial = trial.expect("nobody stops it");
    assert_eq!(trial.faults, Vec::new(), "{text}");
    let records = trial
        .examples
        .into_iter()
        .map(|example| match example.outcome {
            Outcome::Read(decoded) => decoded.record,
            Outcome::Not(why) => panic!("{}: {why:?}\n{text}", example.address),
        });
    records.collect()
}

/// What a proposal says without its comments.
fn said(text: &str) -> Vec<&str> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.collect()
}

#[test]
fn a_store_of_our_own_is_proposed_whole() {
    let (text, records) = of_keys(vec![
        string("pay:acme:ord-7", r#"{"st":"run","at":1795953500}"#),
        string(
            "pay:globex:ord-8",
            r#"{"st":"ok","at":1795953100,"code":201,"answer":"eyJpZCI6N30="}"#,
        ),
        string(
            "pay:acme:ord-9",
            r#"{"st":"ok","at":1795953200,"code":402,"answer":"eyJpZCI6OH0="}"#,
        ),
    ]);
    let expected = r#"id = "pay-scope-key"
title = "Records in pay:{scope}:{key}"
class = "http-idempotency"
[redis]
prefix = "none"
keys = ["pay:{scope}:{key}"]
[redis.captures]
key = "segment"
[redis.string]
decode = [
    { name = "value", of = "raw", as = ["json"] },
]
scope = ["key.scope"]
requires = ["value.st", "value.at"]
[redis.string.fields]
response_status = "value.code"  # a guess, by its name
response_body = { from = "value.answer", decode = ["base64"] }  # a guess, by its name
created_at = { from = "value.at", unit = "s" }  # a guess, by its name
idempotency_key = "key.key"
[[redis.string.case]]
name = "completed"
status = "completed"
when = [{ of = "value.st", word = ["ok"] }]
[[redis.string.case]]
name = "state run"
status = "processing"
when = [{ of = "value.st", equals = "run" }]
fields.locked_at = { from = "value.at", unit = "s" }
[[redis.string.case]]
name = "another state"
status = "unknown"
when = [{ of = "value.st", present = true }]"#;
    assert_eq!(said(&text).join("\n"), expected, "{text}");
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    assert_eq!(
        status,
        [Status::Processing, Status::Completed, Status::Completed]
    );
    assert_eq!(records[1].scope_text().as_deref(), Some("globex"));
    assert_eq!(records[1].response_bytes, Some(8));
    assert_eq!(records[0].locked_at, Some(Timestamp(1_795_953_500_000)));
}

#[test]
fn a_word_before_the_answer_is_a_claim() {
    let (text, records) = of_keys(vec![
        string("dedupe/req-1", "PENDING"),
        string("dedupe/req-2", "2f9a0b71c4"),
        string("dedupe/req-3", r#"{"statusCode":201,"body":"{\"id\":7}"}"#),
        string("dedupe/req-4", r#"{"statusCode":500,"body":"{}"}"#),
    ]);
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    let (running, done) = (Status::Processing, Status::Completed);
    assert_eq!(status, [running, running, done, Status::Failed], "{text}");
    assert!(!text.contains("requires"), "{text}");
    assert_eq!(records[0].idempotency_key.as_deref(), Some("req-1"));
}

#[test]
fn a_hash_is_read_by_its_fields() {
    let (text, records) = of_keys(vec![
        hash(
            "Orders.Requests.1",
            &[
                ("RequestState", "InFlight"),
                ("BodySha256", &"ab".repeat(32)),
                ("StartedAt", "2026-11-29T11:59:00Z"),
            ],
        ),
        hash(
            "Orders.Requests.2",
            &[
                ("RequestState", "Finished"),
                ("BodySha256", &"cd".repeat(32)),
                ("StartedAt", "2026-11-29T11:58:00Z"),
                ("Reply", r#"{"status":201,"content":"{}"}"#),
            ],
        ),
    ]);
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    assert_eq!(status, [Status::Processing, Status::Completed], "{text}");
    assert_eq!(records[0].payload_hash, Some("ab".repeat(32)), "{text}");
    let started = Some(Timestamp(1_795_953_540_000));
    assert_eq!(records[0].locked_at, started, "{text}");
    assert_eq!(records[1].response_status, Some(201), "{text}");
}

#[test]
fn packed_values_and_numbers_for_states() {
    let packed = |state: u8, code: Option<u16>| {
        // {"s": state, "h": …, "c": code or nil}
        let mut bytes = vec![0x83, 0xA1, b's', state, 0xA1, b'h', 0xD9, 40];
        bytes.extend("ab".repeat(20).bytes());
        bytes.extend([0xA1, b'c']);
        match code {
            Some(code) => bytes.extend([0xCD, (code >> 8) as u8, code as u8]),
            None => bytes.push(0xC0),
        }
        bytes
    };
    let (text, records) = of_keys(vec![
        string("x:req:1", packed(0, None)),
        string("x:req:2", packed(1, Some(200))),
        string("x:req:3", packed(1, Some(409))),
    ]);
    assert!(text.contains("as = [\"msgpack\"]"), "{text}");
    assert_eq!(records[0].payload_hash, Some("ab".repeat(20)), "{text}");
    assert_eq!(records[2].response_status, Some(409), "{text}");
    assert_eq!(records[1].status, Status::Completed, "{text}");
    let (text, records) = of_keys(vec![
        string("y:1", r#"{"state":0,"result":null}"#),
        string("y:2", r#"{"state":2,"result":{"id":1}}"#),
        string("y:3", r#"{"state":2,"result":{"id":2}}"#),
    ]);
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    let expected = [Status::Processing, Status::Completed, Status::Completed];
    assert_eq!(status, expected, "{text}");
}

#[test]
fn what_no_value_tells_is_left_open_with_a_question() {
    let (text, records) = of_keys(vec![string("seen:1", "1"), string("seen:2", "1")]);
    assert_eq!(records[0].status, Status::Unknown);
    assert!(text.contains("# What does it mean?"), "{text}");
    let (text, records) = of_keys(vec![
        string("at:1", "1795953500"),
        string("at:2", "1795953501"),
    ]);
    let created = Some(Timestamp(1_795_953_500_000));
    assert_eq!(records[0].created_at, created, "{text}");
    let (text, records) = of_keys(vec![
        string("z:1", r#"{"state":"P"}"#),
        string("z:2", r#"{"state":"D"}"#),
    ]);
    assert_eq!(records[0].status, Status::Unknown);
    assert!(text.contains("# What does `P` mean?"), "{text}");
}

#[test]
fn keys_that_hold_many_records() {
    let set = RawKey {
        name: b"seen:2026-11-29".to_vec(),
        ttl: Ttl::Never,
        value: KeyValue::SortedSet {
            members: vec![
                (b"k1".to_vec(), 1_795_953_500.0),
                (b"k2".to_vec(), 1_795_953_501.0),
            ],
            len: 2,
        },
    };
    let (text, records) = of_keys(vec![set]);
    assert_eq!(records.len(), 2);
    let created = Some(Timestamp(1_795_953_500_000));
    assert_eq!(records[0].created_at, created, "{text}");
    let (text, records) = of_keys(vec![hash(
        "idem-results",
        &[
            ("req-1", r#"{"status":"done","code":200}"#),
            ("req-2", r#"{"status":"started"}"#),
            ("req-3", r#"{"status":"done","code":201}"#),
        ],
    )]);
    assert_eq!(records.len(), 3);
    assert_eq!(records[1].status, Status::Processing, "{text}");
    assert_eq!(
        records[2].idempotency_key.as_deref(),
        Some("req-3"),
        "{text}"
    );
}

/// The proposal for a table, which must read all rows.
#[track_caller]
fn of_table(
    name: &str,
    columns: &[(&str, ColumnKind)],
    unique: &[&str],
    rows: &[&[Cell<'_>]],
) -> (String, Vec<Record>) {
    let column = |(name, kind): &(&str, ColumnKind)| Column {
        name: (*name).to_owned(),
        declared: "its type".to_owned(),
        kind: *kind,
        nullable: true,
        readable: true,
    };
    let table_of = Table {
        schema: "public".to_owned(),
        name: name.to_owned(),
        columns: columns.iter().map(column).collect(),
        primary_key: unique.iter().map(|name| (*name).to_owned()).collect(),
        readable: true,
        ..Table::default()
    };
    let mut cells = RawRows::new(columns.len());
    for cell in rows.iter().copied().flatten() {
        cells.push(*cell);
    }
    let text = table(&table_of, &cells, ground());
    let sample = RowsOfTable {
        columns: columns.iter().map(|(name, _)| (*name).to_owned()).collect(),
        tables: vec![table_of.clone()],
        table: table_of,
        rows: cells,
    };
    let records = read(&text, &Sample::Rows(Box::new(sample)));
    (text, records)
}

#[test]
fn a_table_is_read_by_its_columns_and_rows() {
    use ColumnKind::{Int, Text, Time};
    let columns = [
        ("tenant", Text),
        ("call_key", Text),
        ("state", Text),
        ("started", Time),
        ("done", Time),
        ("http_code", Int),
        ("answer", Text),
        ("note", Text),
    ];
    let start = Cell::Time(1_795_953_500_000_000);
    let none = Cell::Null;
    let (acme, first, second) = (Cell::Text("acme"), Cell::Text("k1"), Cell::Text("k2"));
    let code = Cell::Int(201);
    let (text, records) = of_table(
        "api_calls",
        &columns,
        &["tenant", "call_key"],
        &[
            &[acme, first, Cell::Text("P"), start, none, none, none, none],
            &[
                acme,
                second,
                Cell::Text("D"),
                start,
                start,
                code,
                Cell::Text("{}"),
                none,
            ],
        ],
    );
    assert!(
        text.contains("unique = [\"call_key\", \"tenant\"]"),
        "{text}"
    );
    assert!(text.contains("# note = {} (its type)"), "{text}");
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    assert_eq!(status, [Status::Processing, Status::Completed], "{text}");
    let locked = Some(Timestamp(1_795_953_500_000));
    assert_eq!(records[0].locked_at, locked, "{text}");
    assert_eq!(records[1].scope_text().as_deref(), Some("acme"));
}

#[test]
fn an_empty_table_with_strange_names_is_still_a_layout() {
    use ColumnKind::{Bool, Json, Time, Uuid};
    let columns = [
        ("Request Key", Uuid),
        ("Is Completed", Bool),
        ("Response", Json),
        ("Created \u{202e}At", Time),
        ("a\"b.c", Json),
    ];
    let (text, records) = of_table("Weird \"Table\"", &columns, &["Request Key"], &[]);
    assert!(records.is_empty());
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(text.contains("names = [\"Request Key\"]"), "{text}");
    let answer = Cell::Json(r#"{"status":200}"#);
    let row = [
        Cell::Uuid(&[7; 16]),
        Cell::Bool(true),
        answer,
        Cell::Null,
        Cell::Null,
    ];
    let (text, records) = of_table("Weird \"Table\"", &columns, &["Request Key"], &[&row]);
    assert_eq!(records[0].response_status, Some(200), "{text}");
    assert_eq!(records[0].status, Status::Completed);
}

#[test]
fn hostile_samples_give_layouts() {
    let deep = format!("{}1{}", "{\"a\":".repeat(90), "}".repeat(90));
    for value in [
        "{\"\\u202e\\\"x.y\":\"\\u0000\",\"\":1,\"st\\nate\":\"done\"}".as_bytes(),
        deep.as_bytes(),
        b"\xff\xfe\x00",
        b"",
        b"\"'''\n\"\"\"",
        b"[[[[",
    ] {
        let sample = vec![string("h:1", value), string("h:\u{202e}2", value)];
        let names: Vec<Vec<u8>> = sample.iter().map(|raw| raw.name.clone()).collect();
        for family in families(&names) {
            let text = keys(&family, &sample, ground());
            let layout = crate::layouts::check(&text);
            assert!(layout.is_ok(), "{layout:?}\n{text}");
            assert!(!text.contains('\u{202e}'), "{text}");
        }
    }
}
