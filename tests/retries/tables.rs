//! Logs in tables whose times are odd: between two milliseconds, or too many at once.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value as Json;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use crate::support::process::{Folder, Signal, send, spawn};
use crate::{sqlite_target, stats};

pub async fn run(path: &Path, script: String) {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.expect("a file");
    let ran = sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut connection);
    ran.await.expect("it runs");
    connection.close().await.expect("closed");
}

/// A log of so many attempts in the last seconds, each at the time that this says of its number `i`.
async fn log(path: &Path, attempts: u32, at: &str) {
    let script = format!(
        "CREATE TABLE attempts (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, key_hash TEXT,
            endpoint TEXT NOT NULL, attempt_no INTEGER, outcome TEXT NOT NULL, http_status INTEGER);
         CREATE INDEX attempts_at ON attempts (at);
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {attempts})
         INSERT INTO attempts (at, key_hash, endpoint, attempt_no, outcome, http_status)
         SELECT {at}, printf('%032x', i / 2), 'POST /a', 1 + i % 2, 'executed', 201 FROM n"
    );
    run(path, script).await;
}

/// SQLite's clock in milliseconds.
const NOW: &str = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn times_between_milliseconds_end_no_page_twice() {
    let folder = Folder::new();
    let path = folder.path().join("log.sqlite");
    // The last rows are such, and so are those at the ends of pages.
    log(&path, 20_001, &format!("{NOW} - 60000 + i + 0.25")).await;
    let told = stats(&sqlite_target(&path), &[]);
    assert_eq!(told["window"]["attempts"], 20_001);
    assert_eq!(told["window"]["complete"], true);
    assert_eq!(told["figures"]["retry_rate"]["retries"], 10_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_is_busier_than_can_be_remembered_is_counted_once() {
    let folder = Folder::new();
    let path = folder.path().join("log.sqlite");
    let attempts = 140_000;
    // All within the time that is read again.
    log(&path, attempts, &format!("{NOW} - 4000 + i / 50")).await;
    let target = sqlite_target(&path);
    let home = Folder::new();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args(["stats", &target, "--watch", "--every", "100ms", "--format"]);
    command.arg("jsonl").env_clear().env("HOME", home.path());
    command.stdout(Stdio::piped());
    let mut child = spawn(command).expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || {
        let line = lines.next().expect("a line").expect("text");
        let told: Json = serde_json::from_str(&line).expect("JSON");
        told["window"]["attempts"].as_u64()
    };
    for _ in 0..3 {
        assert_eq!(next(), Some(u64::from(attempts)));
    }
    let one = format!(
        "INSERT INTO attempts (at, endpoint, outcome, http_status) \
         VALUES ({NOW}, 'POST /a', 'executed', 201)"
    );
    run(&path, one).await;
    while next() < Some(u64::from(attempts) + 1) {}
    assert_eq!(next(), Some(u64::from(attempts) + 1));
    send(child.id(), Signal::Interrupt);
    assert_eq!(child.wait().expect("an end").code(), Some(0));
}
