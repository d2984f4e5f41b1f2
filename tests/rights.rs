//! Logins with few rights, and rows with odd keys: what may be read is read, and found again by its
//! address.
//!
//! Apart from `readings` because the corpus is read with every right there.

mod support;

use std::sync::Arc;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::address::address_text;
use idemscope::domain::raw::RawAddress;
use idemscope::domain::{ProblemCode, Record, Status};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::inspect::show::{find, open};
use idemscope::layouts::{Layouts, Source};
use sqlx::Connection;
use support::postgres;
use support::process::Folder;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// All records of a store, each found again by its address.
fn read(url: &str) -> Vec<Record> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let target = resolve(Some(url), &TargetOptions::default()).expect("a target");
        let session = Session::open(&target.target).await.expect("an open store");
        let session = Arc::new(session);
        let detection = detect(&session, &Layouts::built_in(), &SourceOptions::default())
            .await
            .expect("a detection");
        let found = detection.found.into_iter();
        let sources: Vec<Source> = found.map(|found| found.source).collect();
        let shared: Vec<Arc<Source>> = sources.iter().cloned().map(Arc::new).collect();
        let (updates, _views) = watch::channel(ScanView::empty());
        let cancel = CancellationToken::new();
        let options = ScanOptions::default();
        let outcome = scan(session.clone(), sources, options, updates, cancel).await;
        assert_eq!(outcome.error, None);
        let snapshot = outcome.view.snapshot;
        let rows = (0..snapshot.len() as u32).filter_map(|row| snapshot.row(row));
        let records: Vec<Record> = rows.map(|row| row.record()).collect();
        for record in &records {
            let opened = open(&session, &shared, &record.address).await;
            let whole = opened.expect("an answer");
            let address = address_text(&record.address);
            let whole = whole.unwrap_or_else(|| panic!("not found again: {address}"));
            assert_eq!(whole.record.idempotency_key, record.idempotency_key);
            assert_eq!(whole.record.status, record.status, "{address}");
            let found = find(&session, &shared, &address).await.expect("an answer");
            assert_eq!(found.len(), 1, "{address}");
        }
        records
    })
}

const CALLS: &str = "CREATE TABLE idempotency_calls (tenant text, idempotency_key text, \
     request_hash text, status text, response_status int, response_body text, \
     created_at timestamptz DEFAULT now(), PRIMARY KEY (tenant, idempotency_key));
     INSERT INTO idempotency_calls VALUES \
     ('acme', 'k1', 'ab', 'processing', NULL, NULL), \
     ('acme', 'k2', 'cd', 'completed', 201, '{\"card\":\"secret\"}');";

/// A database with calls, and the URL of a login that may read these columns.
fn with_columns(login: &str, columns: &str) -> String {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, CALLS);
    let grant = format!(
        "DROP ROLE IF EXISTS {login}; CREATE ROLE {login} LOGIN PASSWORD 'p'; \
         GRANT SELECT ({columns}) ON idempotency_calls TO {login}"
    );
    server.execute(&database, &grant);
    server.role_url(login, "p", &database)
}

#[test]
fn what_stands_in_columns_that_may_be_read_is_read() {
    let url = with_columns(
        "viewer_of_most",
        "tenant, idempotency_key, request_hash, status, response_status, created_at",
    );
    let mut records = read(&url);
    records.sort_by(|a, b| a.idempotency_key.cmp(&b.idempotency_key));
    let status: Vec<Status> = records.iter().map(|record| record.status).collect();
    assert_eq!(status, [Status::Processing, Status::Completed]);
    assert_eq!(records[1].response_status, Some(201));
    assert_eq!(records[0].payload_hash.as_deref(), Some("ab"));
}

#[test]
fn what_a_hidden_column_tells_is_unknown_and_no_guess() {
    let url = with_columns("viewer_of_keys", "tenant, idempotency_key, created_at");
    let records = read(&url);
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_eq!(record.status, Status::Unknown, "{record:?}");
        assert!(record.created_at.is_some());
    }
}

#[test]
fn an_opened_record_says_what_was_hidden() {
    let url = with_columns("viewer_of_a_few", "tenant, idempotency_key, created_at");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let target = resolve(Some(&url), &TargetOptions::default()).expect("a target");
        let session = Session::open(&target.target).await.expect("an open store");
        let (layouts, options) = (Layouts::built_in(), SourceOptions::default());
        let detection = detect(&session, &layouts, &options).await;
        let found = detection.expect("a detection").found;
        let said = found[0]
            .reasons
            .iter()
            .any(|why| why.contains("may not read"));
        assert!(said, "{:?}", found[0].reasons);
        let sources: Vec<Arc<Source>> = found.into_iter().map(|f| Arc::new(f.source)).collect();
        let whole = find(&session, &sources, "k2").await.expect("an answer");
        let problems = &whole[0].record.problems;
        let refused = problems
            .iter()
            .find(|problem| problem.code == ProblemCode::Refused);
        let text = refused
            .map(|problem| problem.text.clone())
            .unwrap_or_default();
        assert!(text.contains("`response_status`"), "{problems:?}");
    });
}

#[test]
fn keys_of_a_fixed_width_are_found_by_their_address() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE TABLE idempotency_keys (idempotency_key char(20) PRIMARY KEY, status text, \
         request_hash text, response_status int);
         INSERT INTO idempotency_keys VALUES ('k1', 'processing', 'ab', NULL), \
         ('k2', 'completed', 'cd', 201)",
    );
    assert_eq!(read(&server.database_url(&database)).len(), 2);
}

#[test]
fn text_that_ends_with_a_blank_is_not_another_one() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE TABLE idempotency_keys (idempotency_key text PRIMARY KEY, status text, \
         request_hash text, response_status int);
         INSERT INTO idempotency_keys VALUES ('k1', 'processing', 'ab', NULL), \
         ('k1 ', 'completed', 'cd', 201)",
    );
    assert_eq!(read(&server.database_url(&database)).len(), 2);
}

#[test]
fn keys_that_are_no_text_are_found_by_their_address() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let plain = format!("{database}_plain");
    server.execute(
        "postgres",
        &format!("CREATE DATABASE {plain} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"),
    );
    server.execute(
        &plain,
        "CREATE TABLE idempotency_keys (idempotency_key text PRIMARY KEY, status text, \
         request_hash text, response_status int);
         INSERT INTO idempotency_keys VALUES \
         (convert_from('\\xff6b31', 'SQL_ASCII'), 'processing', 'ab', NULL), \
         ('abcd', 'completed', 'cd', 201)",
    );
    assert_eq!(read(&server.database_url(&plain)).len(), 2);
}

fn sqlite_run(file: &std::path::Path, script: impl Into<String>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true);
        let mut connection = sqlx::SqliteConnection::connect_with(&options)
            .await
            .expect("a file");
        sqlx::raw_sql(sqlx::AssertSqlSafe(script.into()))
            .execute(&mut connection)
            .await
            .expect("the script");
    });
}

#[test]
fn sqlite_keys_that_are_null_or_no_text_are_found_by_their_address() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(
        &file,
        "CREATE TABLE idempotency_keys (tenant TEXT, idempotency_key TEXT, status TEXT, \
         request_hash TEXT, response_status INT, PRIMARY KEY (tenant, idempotency_key));
         INSERT INTO idempotency_keys VALUES (NULL, 'k1', 'processing', 'ab', NULL), \
         ('acme', 'k1', 'completed', 'cd', 201), ('acme', CAST(x'ff6b' AS TEXT), 'failed', 'ef', 500), \
         ('acme', 'abcd', 'completed', 'ef', 200)",
    );
    assert_eq!(read(&format!("sqlite:{}", file.display())).len(), 4);
}

/// What `uuid-key-locked-at` reads, with a tenant beside it.
const COLUMNS: &str = "tenant text, key text, created_at timestamp, expires_at timestamp, \
     request_path text, payload_hash text, response_status int, response_body text, \
     locked_at timestamp";
/// A table that is no records itself, and a view that is.
const VIEW: &str = "CREATE TABLE base (a text, b text, c timestamp, d timestamp, e text, f text, \
     g int, h text, i timestamp); \
     CREATE VIEW idempotency_keys AS SELECT a AS tenant, b AS key, c AS created_at, \
     d AS expires_at, e AS request_path, f AS payload_hash, g AS response_status, \
     h AS response_body, i AS locked_at FROM base";
/// One key of two tenants, and one of none.
const ROWS: &str = "\
     ('acme', 'k1', '2026-01-01 00:00', '2099-01-01 00:00', '/p', 'ab', NULL, NULL, '2026-01-01 00:00'), \
     ('globex', 'k1', '2026-01-01 00:00', '2099-01-01 00:00', '/p', 'ab', 201, '{}', NULL), \
     (NULL, 'k/2', '2026-01-01 00:00', '2099-01-01 00:00', NULL, 'ab', 200, '{}', NULL)";
const TWICE: &str = "\
     ('acme', 'k3', '2026-01-01 00:00', '2099-01-01 00:00', '/p', 'ab', NULL, NULL, '2026-01-01 00:00'), \
     ('acme', 'k3', '2026-01-01 00:00', '2099-01-01 00:00', '/p', 'ab', 201, '{}', NULL)";

fn told(words: &[&str]) -> (i32, String, String) {
    let home = Folder::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args(words).env_clear().env("HOME", home.path());
    let output = command.output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), text(&output.stderr))
}

/// Each row without a key is found by its address; rows that nothing tells apart are not mistaken
/// for each other, and none is changed.
#[track_caller]
fn check_keyless(url: &str, place: &str) {
    let statuses = |key: &str| -> Vec<String> {
        let (code, out, err) = told(&["show", url, key, "--format", "jsonl"]);
        assert_eq!(code, 0, "{key}: {err}");
        let status = |line: &str| -> String {
            let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
            record["status"].as_str().unwrap_or_default().to_owned()
        };
        out.lines().map(status).collect()
    };
    let at = |key: &str| statuses(&format!("{place}/{key}"));
    assert_eq!(at("acme/k1/%2Fp"), ["processing"]);
    assert_eq!(at("globex/k1/%2Fp"), ["completed"]);
    assert_eq!(at("/k%2F2/"), ["completed"]);
    assert_eq!(statuses("k1").len(), 2);
    // All of those that have one address, in any order, and a word about it.
    let mut twice = at("acme/k3/%2Fp");
    twice.sort();
    assert_eq!(twice, ["completed", "processing"]);
    assert_eq!(statuses("k3").len(), 2);
    let (_, _, err) = told(&["show", url, "k3", "--format", "jsonl"]);
    assert!(err.contains("nothing tells them apart"), "{err}");
    let (code, _, err) = told(&["release", url, &format!("{place}/acme/k3/%2Fp"), "--yes"]);
    assert_eq!(code, 2, "{err}");
    let one = format!("{place}/acme/k1/%2Fp");
    let words = ["release", url, &one, "--older-than", "1m", "--yes"];
    let (code, out, err) = told(&words);
    assert_ne!(code, 0, "{out}{err}");
    assert_eq!(at("acme/k1/%2Fp"), ["processing"]);
    // In the window none of them is opened.
    let (first, rest) = place.split_once('.').expect("a place");
    let address = RawAddress::Row {
        schema: Arc::from(first),
        table: Arc::from(rest),
        key: ["acme", "k3", "/p"].map(str::to_owned).to_vec(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let target = resolve(Some(url), &TargetOptions::default()).expect("a target");
        let session = Session::open(&target.target).await.expect("an open store");
        let (layouts, options) = (Layouts::built_in(), SourceOptions::default());
        let found = detect(&session, &layouts, &options)
            .await
            .expect("an answer");
        let sources = found.found.into_iter().map(|found| Arc::new(found.source));
        let sources: Vec<Arc<Source>> = sources.collect();
        let opened = open(&session, &sources, &address).await;
        let error = opened.expect_err("which of them is not known");
        assert!(error.text.contains("nothing tells them apart"), "{error}");
    });
}

#[test]
fn rows_of_views_and_of_tables_without_a_key_are_told_apart() {
    let server = postgres::Server::shared();
    let partitioned = format!(
        "CREATE TABLE idempotency_keys ({COLUMNS}) PARTITION BY LIST (payload_hash); \
         CREATE TABLE base PARTITION OF idempotency_keys DEFAULT"
    );
    for made in [VIEW, &partitioned] {
        let database = server.create_database();
        let unlike = format!("{made}; INSERT INTO base VALUES {ROWS}");
        server.execute(&database, &unlike);
        let url = server.database_url(&database);
        assert_eq!(read(&url).len(), 3);
        server.execute(&database, &format!("INSERT INTO base VALUES {TWICE}"));
        check_keyless(&url, "public.idempotency_keys");
    }
}

#[test]
fn rows_of_sqlite_views_are_told_apart() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(&file, format!("{VIEW}; INSERT INTO base VALUES {ROWS}"));
    let url = format!("sqlite:{}", file.display());
    assert_eq!(read(&url).len(), 3);
    sqlite_run(&file, format!("INSERT INTO base VALUES {TWICE}"));
    check_keyless(&url, "main.idempotency_keys");
}

/// A record whose unique columns are empty is one while nothing else has its address; it is never
/// meant by an empty key.
#[test]
fn a_record_with_an_empty_column_is_changed_where_it_is_one() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    let rows = "INSERT INTO idempotency_keys VALUES (NULL, 'k1', '2020-01-01 00:00', \
        '2099-01-01 00:00', '/p', 'ab', NULL, NULL, '2020-01-01 00:00')";
    let made = format!(
        "CREATE TABLE idempotency_keys ({COLUMNS}) PARTITION BY LIST (payload_hash); \
         CREATE TABLE base PARTITION OF idempotency_keys DEFAULT; \
         CREATE UNIQUE INDEX one ON idempotency_keys (tenant, key, payload_hash); {rows}"
    );
    server.execute(&database, &made);
    let url = server.database_url(&database);
    let (code, out, err) = told(&["show", &url, "k1", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let shown: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let address = shown["address"].as_str().expect("an address").to_owned();
    for words in [&["show", &url, ""][..], &["release", &url, "", "--yes"]] {
        let (code, _, err) = told(words);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("KEY is empty"), "{err}");
    }
    let release = ["release", &url, &address, "--older-than", "1m", "--yes"];
    let by_rule = ["release", &url, "--stuck", "--older-than", "1m", "--yes"];
    // The empty text beside what is not there has the same address.
    server.execute(&database, &rows.replace("(NULL,", "('',"));
    for words in [&release[..], &by_rule] {
        let (code, out, err) = told(words);
        assert_ne!(code, 0, "{out}{err}");
    }
    let count = "SELECT count(*)::text FROM idempotency_keys";
    assert_eq!(server.text(&database, count).as_deref(), Some("2"));
    server.execute(&database, "DELETE FROM base WHERE tenant = ''");
    let (code, out, err) = told(&release);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("\"released\": 1"), "{out}{err}");
    let held = "SELECT count(locked_at)::text FROM idempotency_keys";
    assert_eq!(server.text(&database, held).as_deref(), Some("0"));
}
