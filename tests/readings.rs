//! Reads the corpus through real servers, found by detection, and compares with what an ideal
//! inspector shows.
//!
//! Apart from the layouts' own samples because here the whole way is gone: server, detection, scan,
//! catalogue, and the record opened again by its address.

mod support;

use std::sync::Arc;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::raw::RawAddress;
use idemscope::domain::stuck::judge;
use idemscope::domain::{Record, Status, Timestamp};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::inspect::show::{Whole, open};
use idemscope::layouts::{Layouts, Source};
use serde_json::Value as Json;
use support::{corpus, postgres, redis as server};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The SQL layouts of the corpus that are described so far.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

struct Read {
    records: Vec<Record>,
    wholes: Vec<Whole>,
}

/// Everything a store holds, as the list shows it and as it is when opened.
fn read(url: &str) -> Read {
    runtime().block_on(async {
        let target = resolve(Some(url), &TargetOptions::default())
            .expect("a target")
            .target;
        let session = Arc::new(Session::open(&target).await.expect("an open store"));
        let detection = detect(&session, &Layouts::built_in(), &SourceOptions::default())
            .await
            .expect("a detection");
        let sources: Vec<Source> = detection
            .found
            .into_iter()
            .map(|found| found.source)
            .collect();
        let shared: Vec<Arc<Source>> = sources.iter().cloned().map(Arc::new).collect();
        let (updates, _views) = watch::channel(ScanView::empty());
        let options = ScanOptions::default();
        let outcome = scan(
            session.clone(),
            sources,
            options,
            updates,
            CancellationToken::new(),
        )
        .await;
        assert_eq!(outcome.error, None);
        let snapshot = outcome.view.snapshot;
        let records: Vec<Record> = (0..snapshot.len() as u32)
            .filter_map(|row| snapshot.row(row))
            .map(|row| row.record())
            .collect();
        let mut wholes = Vec::new();
        for record in &records {
            let whole = open(&session, &shared, &record.address)
                .await
                .expect("an answer");
            wholes.push(whole.unwrap_or_else(|| panic!("gone: {record:?}")));
        }
        Read { records, wholes }
    })
}

fn text(value: Option<String>) -> Json {
    value.map_or(Json::Null, Json::String)
}

/// A member as the corpus has it; `None` for one that is not compared.
fn member(name: &str, record: &Record, whole: &Whole, now: Timestamp) -> Option<Json> {
    let time = |time: Option<Timestamp>| time.map_or(Json::Null, |time| time.millis().into());
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let shown = |shown: &Option<idemscope::inspect::show::Shown>| {
        text(shown.as_ref().map(|shown| shown.text.clone()))
    };
    Some(match name {
        "status" if record.status == Status::Unknown => Json::Null,
        "status" => record.status.name().into(),
        "idempotency_key" => text(record.idempotency_key.clone()),
        "key_digest" => text(record.key_digest.clone()),
        "scope" => text(record.scope_text()),
        "operation" => text(record.operation.clone()),
        "method" => text(record.method.clone()),
        "path" => text(record.path.clone()),
        "payload_hash" => text(record.payload_hash.clone()),
        "response_status" => record.response_status.map_or(Json::Null, Into::into),
        "attempts" => record.attempts.map_or(Json::Null, Into::into),
        "replays" => record.replays.map_or(Json::Null, Into::into),
        "locked_at_ms" => time(record.locked_at),
        "lock_until_ms" => time(record.lock_until),
        "created_at_ms" => time(record.created_at),
        "completed_at_ms" => time(record.completed_at),
        "failed_at_ms" => time(record.failed_at),
        "expires_at_ms" => time(record.expires_at),
        "stuck" => verdict
            .and_then(|verdict| verdict.stuck.as_bool())
            .map_or(Json::Null, Json::Bool),
        "lock_age_source" => text(verdict.map(|verdict| verdict.source.name().to_owned())),
        "response_body" => shown(&whole.response_body),
        "request_body" => shown(&whole.request_body),
        "error" => shown(&whole.error),
        _ => return None,
    })
}

/// Compares JSON by value where both are JSON.
fn same(found: &Json, expected: &Json) -> bool {
    let parsed = |value: &Json| {
        value
            .as_str()
            .and_then(|text| serde_json::from_str::<Json>(text).ok())
    };
    found == expected || matches!((parsed(found), parsed(expected)), (Some(a), Some(b)) if a == b)
}

/// A record that should be shown: where, and with which members.
struct Expected {
    address: RawAddress,
    members: serde_json::Map<String, Json>,
}

/// What the lines of a snapshot expect; members of a container by their decoded names.
fn expectations(lines: &[corpus::Line]) -> Vec<Expected> {
    let mut all = Vec::new();
    for line in lines {
        match &line.expect {
            Json::Object(members) => all.push(Expected {
                address: RawAddress::Key(line.key.clone()),
                members: members.clone(),
            }),
            Json::Array(list) => {
                for members in list {
                    let members = members.as_object().expect("members").clone();
                    let key = members["idempotency_key"].as_str().expect("a key");
                    let quoted = Json::from(key).to_string();
                    let names: Vec<&Vec<u8>> = match &line.value {
                        corpus::Value::Set(members) => members.iter().collect(),
                        corpus::Value::Hash(fields) => fields.iter().map(|(f, _)| f).collect(),
                        corpus::Value::SortedSet(members) => {
                            members.iter().map(|(m, _)| m).collect()
                        }
                        corpus::Value::String(_) => panic!("a string holds one record"),
                    };
                    let name = names
                        .into_iter()
                        .find(|name| **name == key.as_bytes() || **name == quoted.as_bytes());
                    let address = RawAddress::Member {
                        key: line.key.clone(),
                        member: name.expect("the member").clone(),
                    };
                    all.push(Expected { address, members });
                }
            }
            _ => {}
        }
    }
    all
}

/// What differs from the expectation, in words.
fn differences(what: &str, found: &Read, expected: &[Expected], now: Timestamp) -> Vec<String> {
    let mut wrong = Vec::new();
    for record in &found.records {
        if !expected.iter().any(|one| one.address == record.address) {
            wrong.push(format!(
                "{what}: {:?} is listed as {}",
                record.address, record.layout
            ));
        }
    }
    if found.records.len() > expected.len() {
        wrong.push(format!(
            "{what}: {} records and not {}",
            found.records.len(),
            expected.len()
        ));
    }
    for one in expected {
        let at = found
            .records
            .iter()
            .position(|record| record.address == one.address);
        let Some(at) = at else {
            wrong.push(format!("{what}: {:?} is not listed", one.address));
            continue;
        };
        let (record, whole) = (&found.records[at], &found.wholes[at]);
        for (name, value) in &one.members {
            let Some(listed) = member(name, record, whole, now) else {
                wrong.push(format!("{what}: nobody compares {name}"));
                continue;
            };
            if !same(&listed, value) {
                let layout = &record.layout;
                wrong.push(format!(
                    "{what} ({layout}): {name} is {listed} and not {value}"
                ));
            }
            let opened = member(name, &whole.record, whole, now);
            if !opened.as_ref().is_some_and(|opened| same(opened, value)) {
                wrong.push(format!(
                    "{what}: opened, {name} is {opened:?} and not {value}"
                ));
            }
        }
    }
    wrong
}

fn check_redis(server: &server::Server, layout: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for snapshot in corpus::redis_snapshots(layout) {
        let mut connection = server.connection();
        redis::cmd("FLUSHALL")
            .query::<()>(&mut connection)
            .expect("an empty server");
        corpus::load_snapshot(&mut connection, &snapshot.lines);
        let found = read(&server.url());
        let now = Timestamp(snapshot.captured_at_ms);
        let what = format!("{layout} {} {:?}", snapshot.case, snapshot.variant);
        wrong.extend(differences(
            &what,
            &found,
            &expectations(&snapshot.lines),
            now,
        ));
    }
    wrong
}

#[track_caller]
fn check_sql(layout: &str) {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let schema = corpus::load_layout(server, &database, layout);
    let found = read(&server.database_url(&database));
    let expect = corpus::postgres_layout(layout).expect;
    let rows = expect["rows"].as_array().expect("rows");
    assert_eq!(found.records.len(), rows.len(), "{layout} in {schema}");
    for row in rows {
        let wanted = row["key_row"].as_object().expect("key columns");
        let at = found.wholes.iter().position(|whole| {
            wanted.iter().all(|(column, value)| {
                let cell = &whole.raw[column];
                let found = cell
                    .as_str()
                    .map_or_else(|| cell.to_string(), str::to_owned);
                cell == value || Some(found.as_str()) == value.as_str()
            })
        });
        let at = at.unwrap_or_else(|| panic!("{layout}: no record of {wanted:?}"));
        check_row(layout, row, &found.records[at], &found.wholes[at]);
    }
}

fn check_row(layout: &str, row: &Json, record: &Record, whole: &Whole) {
    let now = whole.read_at;
    let key = &row["idempotency_key"];
    for name in [
        "idempotency_key",
        "scope",
        "status",
        "payload_hash",
        "method",
        "path",
        "response_status",
        "attempts",
    ] {
        let found = member(name, record, whole, now).expect("a member");
        let uncertain = row["status_certain"] == Json::Bool(false) && found.is_null();
        assert!(
            same(&found, &row[name]) || uncertain,
            "{layout} {key}: {name} is {found}"
        );
    }
    let stuck = member("stuck", record, whole, now).expect("a member");
    assert_eq!(stuck, row["stuck"], "{layout} {key}: stuck");
    assert_eq!(
        record.expired(now).unwrap_or(false),
        row["expired"] == true,
        "{layout} {key}"
    );
    for (name, found) in [
        ("created_s", record.created_at),
        ("locked_s", record.locked_at),
        ("expires_s", record.expires_at),
    ] {
        match (found, row[name].as_f64()) {
            (None, None) => {}
            (Some(found), Some(secs)) => {
                let found = found.millis() as f64 / 1000.0 - now.millis() as f64 / 1000.0;
                // The rows were loaded a moment ago.
                assert!(
                    (found - secs).abs() < 60.0,
                    "{layout} {key}: {name} is {found}"
                );
            }
            (found, expected) => panic!("{layout} {key}: {name} is {found:?} and not {expected:?}"),
        }
    }
}

#[test]
fn redis_records_are_read_as_an_ideal_inspector_shows_them() {
    let server = server::Server::start();
    let layouts = corpus::redis_layouts();
    let wrong: Vec<String> = layouts
        .iter()
        .flat_map(|layout| check_redis(&server, layout))
        .collect();
    assert!(wrong.is_empty(), "{} differences: {wrong:#?}", wrong.len());
}

#[test]
fn sql_records_are_read_as_an_ideal_inspector_shows_them() {
    let layouts = corpus::postgres_layouts();
    assert!(layouts.len() >= 25, "{layouts:?}");
    layouts
        .iter()
        .filter(|layout| *layout != "decoys")
        .for_each(|layout| check_sql(layout));
}

/// The newest snapshot of each kind of record, all in one database with keys of other kinds.
#[test]
fn many_libraries_in_one_database_are_told_apart() {
    let server = server::Server::start();
    let mut lines: Vec<corpus::Line> = Vec::new();
    for snapshot in corpus::all_redis_snapshots() {
        let names: Vec<&Vec<u8>> = snapshot.lines.iter().map(|line| &line.key).collect();
        // A later snapshot of the same keys takes the place of an earlier one.
        let taken = |line: &&corpus::Line| names.contains(&&line.key);
        let old: Vec<(String, Option<String>, String)> = lines
            .iter()
            .filter(taken)
            .map(|line| (line.case.clone(), line.variant.clone(), line.layout.clone()))
            .collect();
        lines.retain(|line| {
            let of = (line.case.clone(), line.variant.clone(), line.layout.clone());
            !old.contains(&of)
        });
        lines.extend(snapshot.lines.clone());
    }
    corpus::load_snapshot(&mut server.connection(), &lines);
    let found = read(&server.url());
    let expected = expectations(&lines);
    let mut wrong = Vec::new();
    for record in &found.records {
        if !expected.iter().any(|one| one.address == record.address) {
            wrong.push(format!(
                "{:?} is listed as {}",
                record.address, record.layout
            ));
        }
    }
    for one in &expected {
        let line = lines.iter().find(|line| match &one.address {
            RawAddress::Key(key) | RawAddress::Member { key, .. } => line.key == *key,
            RawAddress::Row { .. } => false,
        });
        let line = line.expect("a line");
        // Of another snapshot, whose record is here too: then the lock is a part of that.
        let is_same = |other: &corpus::Line| {
            let of = |name: &str| {
                !line.expect[name].is_null() && other.expect[name] == line.expect[name]
            };
            let key = of("idempotency_key")
                || of("payload_hash") && line.expect["idempotency_key"].is_null();
            other.role == "record" && other.layout == line.layout && key
        };
        if line.role == "lock" && lines.iter().any(is_same) {
            continue;
        }
        let now = Timestamp(line.captured_at_ms);
        let own: Vec<_> = found.records.iter().zip(&found.wholes).collect();
        let own = own
            .into_iter()
            .filter(|(record, _)| record.address == one.address);
        let (records, wholes) = own.map(|(r, w)| (r.clone(), w.clone())).unzip();
        let only = Read { records, wholes };
        let what = format!("{} {} {:?}", line.layout, line.case, line.variant);
        wrong.extend(differences(&what, &only, std::slice::from_ref(one), now));
    }
    assert!(wrong.is_empty(), "{} differences: {wrong:#?}", wrong.len());
}

#[test]
fn nothing_else_is_taken_for_a_record() {
    let redis = server::Server::start();
    for snapshot in corpus::redis_snapshots("decoys") {
        corpus::load_snapshot(&mut redis.connection(), &snapshot.lines);
    }
    assert_eq!(read(&redis.url()).records.len(), 0);
    let postgres = postgres::Server::shared();
    let database = postgres.create_database();
    corpus::load_layout(postgres, &database, "decoys");
    assert_eq!(read(&postgres.database_url(&database)).records.len(), 0);
}
