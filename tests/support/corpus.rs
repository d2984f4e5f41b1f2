//! The corpus: what real libraries store, and what should be shown for it.
//!
//! Apart from the servers because most tests read it without one.
//! The files and their members are explained in `tests/corpus/*/README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value as Json;

use super::postgres;

/// One Redis key of a snapshot.
#[derive(Clone, Debug)]
pub struct Line {
    pub layout: String,
    pub captured: bool,
    pub case: String,
    pub variant: Option<String>,
    /// `record`, `lock`, `part`, `index`, `counter`, `container` or `noise`.
    pub role: String,
    pub captured_at_ms: i64,
    pub key: Vec<u8>,
    /// The Redis type.
    pub kind: String,
    /// -1 for a key that stays.
    pub ttl_ms: i64,
    pub value: Value,
    /// What should be shown; null on the lines that belong to another one's record.
    pub expect: Json,
    pub note: Option<String>,
}

/// What stands under the key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    String(Vec<u8>),
    Hash(Vec<(Vec<u8>, Vec<u8>)>),
    Set(Vec<Vec<u8>>),
    SortedSet(Vec<(Vec<u8>, f64)>),
}

/// The keys that were in the database at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub layout: String,
    pub case: String,
    pub variant: Option<String>,
    pub captured_at_ms: i64,
    pub lines: Vec<Line>,
}

/// A file of the PostgreSQL corpus.
#[derive(Clone, Debug)]
pub struct Layout {
    pub name: String,
    pub sql: String,
    pub expect: Json,
}

#[derive(Deserialize)]
struct Stored {
    layout: String,
    captured: bool,
    case: String,
    variant: Option<String>,
    role: String,
    captured_at_ms: i64,
    key_b64: String,
    #[serde(rename = "type")]
    kind: String,
    ttl_ms: i64,
    string_b64: Option<String>,
    hash: Option<serde_json::Map<String, Json>>,
    set_b64: Option<Vec<String>>,
    zset: Option<Vec<(String, f64)>>,
    expect: Json,
    note: Option<String>,
}

/// The layouts of the Redis corpus, by name.
pub fn redis_layouts() -> Vec<String> {
    names("redis", ".jsonl")
}

/// All lines of one layout, in the order of the file.
pub fn redis_lines(layout: &str) -> Vec<Line> {
    let file = folder("redis").join(format!("{layout}.jsonl"));
    let text = read(&file);
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .enumerate()
        .map(|(index, line)| {
            parse(line).unwrap_or_else(|| panic!("{}:{}", file.display(), index + 1))
        })
        .collect()
}

/// The snapshots of one layout, in the order of the file.
pub fn redis_snapshots(layout: &str) -> Vec<Snapshot> {
    snapshots(redis_lines(layout))
}

/// All snapshots of all layouts.
pub fn all_redis_snapshots() -> Vec<Snapshot> {
    let layouts = redis_layouts();
    layouts
        .iter()
        .flat_map(|name| redis_snapshots(name))
        .collect()
}

/// Groups lines that share layout, case and variant.
pub fn snapshots(lines: Vec<Line>) -> Vec<Snapshot> {
    let mut found: Vec<Snapshot> = Vec::new();
    for line in lines {
        let same = found.iter_mut().find(|snapshot| {
            snapshot.layout == line.layout
                && snapshot.case == line.case
                && snapshot.variant == line.variant
        });
        match same {
            Some(snapshot) => snapshot.lines.push(line),
            None => found.push(Snapshot {
                layout: line.layout.clone(),
                case: line.case.clone(),
                variant: line.variant.clone(),
                captured_at_ms: line.captured_at_ms,
                lines: vec![line],
            }),
        }
    }
    found
}

/// Writes the keys of a snapshot, with the time to live they had.
pub fn load_snapshot(connection: &mut impl redis::ConnectionLike, lines: &[Line]) {
    let mut pipe = redis::pipe();
    for line in lines {
        match &line.value {
            Value::String(bytes) => pipe.set(&line.key, bytes).ignore(),
            Value::Hash(fields) => pipe.hset_multiple(&line.key, fields).ignore(),
            Value::Set(members) => pipe.sadd(&line.key, members).ignore(),
            Value::SortedSet(members) => {
                let scored: Vec<(f64, &Vec<u8>)> = members
                    .iter()
                    .map(|(member, score)| (*score, member))
                    .collect();
                pipe.zadd_multiple(&line.key, &scored).ignore()
            }
        };
        if line.ttl_ms > 0 {
            pipe.pexpire(&line.key, line.ttl_ms).ignore();
        }
    }
    // One by one: in a cluster each is for another node.
    for command in pipe.cmd_iter() {
        command
            .exec(connection)
            .unwrap_or_else(|error| panic!("loading a snapshot: {error}"));
    }
}

/// The layouts of the PostgreSQL corpus, by name, with `decoys`.
pub fn postgres_layouts() -> Vec<String> {
    names("postgres", ".sql")
}

pub fn postgres_layout(name: &str) -> Layout {
    let folder = folder("postgres");
    let expect = read(&folder.join(format!("{name}.expect.json")));
    Layout {
        name: name.to_owned(),
        sql: read(&folder.join(format!("{name}.sql"))),
        expect: serde_json::from_str(&expect)
            .unwrap_or_else(|error| panic!("{name}.expect.json: {error}")),
    }
}

/// Makes a schema named like the layout, with `_` for `-`, runs the file in it, gives its name.
pub fn load_layout(server: &postgres::Server, database: &str, layout: &str) -> String {
    let schema = layout.replace('-', "_");
    let make = format!("CREATE SCHEMA \"{schema}\"");
    let enter = format!("SET search_path TO \"{schema}\"");
    let file = postgres_layout(layout);
    server.execute_all(database, &[&make, &enter, &file.sql]);
    schema
}

fn folder(store: &str) -> PathBuf {
    // As cargo says now: the build may come from another folder.
    let root =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(root).join("tests/corpus").join(store)
}

fn read(file: &PathBuf) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn names(store: &str, ending: &str) -> Vec<String> {
    let folder = folder(store);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{store} corpus: {error}"));
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(ending)?.to_owned()))
        .collect();
    names.sort();
    names
}

fn parse(line: &str) -> Option<Line> {
    let stored: Stored = serde_json::from_str(line).ok()?;
    let value = value(&stored)?;
    Some(Line {
        layout: stored.layout,
        captured: stored.captured,
        case: stored.case,
        variant: stored.variant,
        role: stored.role,
        captured_at_ms: stored.captured_at_ms,
        key: bytes(&stored.key_b64)?,
        kind: stored.kind,
        ttl_ms: stored.ttl_ms,
        value,
        expect: stored.expect,
        note: stored.note,
    })
}

fn value(stored: &Stored) -> Option<Value> {
    if let Some(text) = &stored.string_b64 {
        return Some(Value::String(bytes(text)?));
    }
    if let Some(fields) = &stored.hash {
        let pairs: Option<Vec<_>> = fields
            .iter()
            .map(|(field, value)| Some((field.clone().into_bytes(), bytes(value.as_str()?)?)))
            .collect();
        return Some(Value::Hash(pairs?));
    }
    if let Some(members) = &stored.set_b64 {
        let members: Option<Vec<_>> = members.iter().map(|member| bytes(member)).collect();
        return Some(Value::Set(members?));
    }
    let members: Option<Vec<_>> = stored
        .zset
        .as_ref()?
        .iter()
        .map(|(member, score)| Some((bytes(member)?, *score)))
        .collect();
    Some(Value::SortedSet(members?))
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// How many lines of a layout play each role.
pub fn roles(lines: &[Line]) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for line in lines {
        *counted.entry(line.role.clone()).or_insert(0) += 1;
    }
    counted
}
