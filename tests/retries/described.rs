//! Logs in words of their own, described by a layout: they tell what the same attempts tell in the words
//! of the convention.

use std::fmt::Write as _;
use std::process::Command;

use idemscope::domain::attempt::key_hash;
use serde_json::Value as Json;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::sqlite_target;
use crate::support::process::Folder;
use crate::support::{postgres, redis as server};
use crate::tables::run as run_sqlite;

const LAYOUT: &str = r#"
id = "edge-log"
title = "Requests of our gateway"
class = "http-idempotency"

[log]
tables = ["edge_requests"]
streams = ["edge:*:log"]

[log.fields]
at = { from = "ts", unit = "s" }
key = "idem_key"
scope = "account"
endpoint = "route"
client = { is = "gateway" }
outcome = "served_from"
http_status = "code"
duration_ms = { from = "took_us", unit = "us" }

[log.outcomes]
handler = "executed"
store = "replayed"
busy = "in_progress"
"#;

/// An attempt as a gateway would note it.
struct Edge {
    ago_s: i64,
    key: String,
    account: String,
    word: &'static str,
    status: u16,
    took_us: i64,
}

fn attempts() -> Vec<Edge> {
    let words = [
        ("handler", 201),
        ("busy", 409),
        ("store", 201),
        ("store", 201),
        ("melted", 500),
    ];
    let one = |at: i64| {
        let (word, status) = words[usize::try_from(at % 5).expect("small")];
        Edge {
            ago_s: 3000 - at,
            key: format!("key-{}", at / 5),
            account: format!("user_{}", at % 3),
            word,
            status,
            took_us: 1_000 * (at % 90) + 400,
        }
    };
    (0..1_500).map(one).collect()
}

fn usual(word: &str) -> &str {
    match word {
        "handler" => "executed",
        "store" => "replayed",
        "busy" => "in_progress",
        other => other,
    }
}

/// `idemscope stats` of a person who keeps this layout.
fn stats(layout: &str, target: &str) -> (Json, String) {
    let home = Folder::new();
    let layouts = home.path().join("idemscope/layouts");
    std::fs::create_dir_all(&layouts).expect("a folder");
    std::fs::write(layouts.join("edge-log.toml"), layout).expect("a layout");
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command.args(["stats", target, "--format", "json", "--window", "2h"]);
    command.env_clear().env("PATH", "/usr/bin:/bin");
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(name, home.path());
    }
    let output = command.output().expect("the binary runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{err}");
    let told: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    (told, err)
}

fn now_s() -> i64 {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
    i64::try_from(since.expect("a clock").as_secs()).expect("a time")
}

/// What a log alone tells.
#[track_caller]
fn assert_alike(told: &Json, expected: &Json, log: &str) {
    assert_eq!(told["logs"], serde_json::json!([log]), "{told}");
    assert_eq!(told["window"]["attempts"], 1_500, "{log}");
    for figure in [
        "outcomes",
        "keyed_share",
        "retry_rate",
        "attempts_per_key",
        "first_retry_delay",
        "retry_gap",
        "execution_time",
        "abandoned",
        "storms",
        "breakdown",
    ] {
        let (told, expected) = (&told["figures"][figure], &expected["figures"][figure]);
        assert!(!expected.is_null(), "{figure}");
        assert_eq!(told, expected, "{log}: {figure}");
    }
    assert_eq!(told["defects"], expected["defects"], "{log}");
}

/// The same attempts in the words of the convention.
async fn told_usually(folder: &Folder, now: i64) -> Json {
    let path = folder.path().join("usual.sqlite");
    let mut script = "CREATE TABLE idempotency_attempts (id INTEGER PRIMARY KEY, at INTEGER,
        key_hash TEXT, scope TEXT, endpoint TEXT, client TEXT, outcome TEXT, http_status INTEGER,
        duration_ms INTEGER); BEGIN;"
        .to_owned();
    for edge in attempts() {
        let _ = write!(
            script,
            "INSERT INTO idempotency_attempts VALUES
             (NULL, {}, '{}', '{}', 'POST /pay', 'gateway', '{}', {}, {});",
            (now - edge.ago_s) * 1_000,
            key_hash(&edge.account, &edge.key),
            edge.account,
            usual(edge.word),
            edge.status,
            edge.took_us / 1_000,
        );
    }
    run_sqlite(&path, script + "COMMIT;").await;
    stats("id = 'none'", &sqlite_target(&path)).0
}

/// The same in a table of the gateway, with its times as an expression of the seconds.
fn table_of_the_gateway(now: i64, columns: &str, ts: impl Fn(i64) -> String) -> String {
    let mut script = format!("CREATE TABLE edge_requests ({columns}); BEGIN;");
    for edge in attempts() {
        let _ = write!(
            script,
            "INSERT INTO edge_requests (ts, idem_key, account, route, served_from, code, took_us)
             VALUES ({}, '{}', '{}', 'POST /pay', '{}', {}, {});",
            ts(now - edge.ago_s),
            edge.key,
            edge.account,
            edge.word,
            edge.status,
            edge.took_us,
        );
    }
    script + "COMMIT;"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_described_log_tells_the_same_in_sqlite() {
    let (folder, now) = (Folder::new(), now_s());
    let expected = told_usually(&folder, now).await;
    let rest = "idem_key TEXT, account TEXT, route TEXT, served_from TEXT, code INTEGER,
        took_us INTEGER";
    for (name, kind, add) in [("whole", "INTEGER", ""), ("real", "REAL", ".0")] {
        let path = folder.path().join(name);
        let columns = format!("id INTEGER PRIMARY KEY, ts {kind}, {rest}");
        let script = table_of_the_gateway(now, &columns, |ts| format!("{ts}{add}"));
        run_sqlite(&path, script).await;
        let (told, _) = stats(LAYOUT, &sqlite_target(&path));
        assert_alike(&told, &expected, "main.edge_requests");
        // By time, through an index.
        run_sqlite(&path, "CREATE INDEX e ON edge_requests (ts)".to_owned()).await;
        let (told, _) = stats(LAYOUT, &sqlite_target(&path));
        assert_alike(&told, &expected, "main.edge_requests");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_described_log_tells_the_same_in_postgres() {
    let (folder, now) = (Folder::new(), now_s());
    let expected = told_usually(&folder, now).await;
    let server = postgres::Server::shared();
    let url = server.database_url(&server.create_database());
    let mut connection = PgConnection::connect(&url).await.expect("a server");
    let rest = "idem_key varchar(40), account text, route text, served_from text, code int2,
        took_us bigint";
    for (kind, key) in [
        ("bigint", "bigserial"),
        ("timestamptz", "bigserial"),
        ("timestamptz", "text"),
        ("timestamptz", "partitions"),
    ] {
        let columns = match key {
            "text" => format!(
                "id text PRIMARY KEY DEFAULT gen_random_uuid()::text, ts {kind}, {rest}"
            ),
            "partitions" => format!(
                "id bigserial, ts {kind}, {rest}, PRIMARY KEY (id, ts)) PARTITION BY RANGE (ts);
                 CREATE TABLE edge_all PARTITION OF edge_requests DEFAULT; CREATE TABLE edge_x (x int"
            ),
            other => format!("id {other} PRIMARY KEY, ts {kind}, {rest}"),
        };
        let script = table_of_the_gateway(now, &columns, |ts| match kind {
            "bigint" => ts.to_string(),
            _ => format!("to_timestamp({ts})"),
        });
        let script = format!("DROP TABLE IF EXISTS edge_requests, edge_x; {script}");
        let made = sqlx::raw_sql(AssertSqlSafe(script)).execute(&mut connection);
        made.await.expect("a table");
        let (told, _) = stats(LAYOUT, &url);
        assert_alike(&told, &expected, "public.edge_requests");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_described_log_tells_the_same_in_redis() {
    let (folder, now) = (Folder::new(), now_s());
    let expected = told_usually(&folder, now).await;
    let server = server::Server::start();
    let mut pipeline = redis::pipe();
    for edge in attempts() {
        let add = pipeline.cmd("XADD").arg("edge:eu:log").arg("*");
        add.arg("ts").arg(now - edge.ago_s);
        add.arg("idem_key").arg(edge.key);
        add.arg("account").arg(edge.account);
        add.arg("route").arg("POST /pay");
        add.arg("served_from").arg(edge.word);
        add.arg("code").arg(edge.status);
        add.arg("took_us").arg(edge.took_us).ignore();
    }
    pipeline.exec(&mut server.connection()).expect("a stream");
    let (told, _) = stats(LAYOUT, &server.url());
    assert_alike(&told, &expected, "edge:eu:log");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_described_log_that_is_another_says_what_is_missing() {
    let folder = Folder::new();
    let path = folder.path().join("other.sqlite");
    let script =
        "CREATE TABLE edge_requests (id INTEGER PRIMARY KEY, ts INTEGER, served_from TEXT)";
    run_sqlite(&path, script.to_owned()).await;
    let (told, err) = stats(LAYOUT, &sqlite_target(&path));
    assert_eq!(told["logs"], serde_json::json!([]));
    let why = told["logs_refused"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("`edge-log`"), "{why}");
    assert!(
        err.contains("is not read as a retry log: it has no column"),
        "{err}"
    );
}

/// Accounts, keys and words that are numbers are words all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_words_where_words_are_wanted() {
    let folder = Folder::new();
    let path = folder.path().join("numbers.sqlite");
    let script = format!(
        "CREATE TABLE edge_requests (id BIGINT PRIMARY KEY, ts INTEGER, idem_key INTEGER,
            account INTEGER, route TEXT, served_from INTEGER, code INTEGER, took_us INTEGER);
         WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 100)
         INSERT INTO edge_requests (ts, idem_key, account, route, served_from, code, took_us)
         SELECT {} - i, i % 5, i / 5, 'POST /pay', 1 + i % 2, 201, 1000 FROM n",
        now_s() - 10,
    );
    run_sqlite(&path, script).await;
    let layout = LAYOUT.replace("handler =", "1 =");
    let (told, _) = stats(&layout, &sqlite_target(&path));
    let figures = &told["figures"];
    assert_eq!(figures["attempts_per_key"]["keys"], 100, "{figures}");
    assert_eq!(told["defects"], serde_json::json!({"unknown_outcome": 50}));
    assert_eq!(told["window"]["attempts"], 100);
}

/// One field may be two things.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_may_be_two_things_in_a_stream() {
    let server = server::Server::start();
    let mut add = redis::cmd("XADD");
    add.arg("edge:eu:log").arg("*").arg("answer").arg(201);
    add.exec(&mut server.connection()).expect("an entry");
    let layout = r#"
id = "edge-log"
title = "One number"
class = "http-idempotency"
[log]
streams = ["edge:*:log"]
[log.fields]
outcome = "answer"
http_status = "answer"
endpoint = { is = "POST /pay" }
[log.outcomes]
201 = "executed"
"#;
    let (told, _) = stats(layout, &server.url());
    assert_eq!(told["defects"], serde_json::json!({}));
    let outcomes = &told["figures"]["outcomes"];
    assert_eq!(outcomes["value"]["executed"], 1, "{outcomes}");
    // Without keys there is no share of them.
    assert_eq!(told["figures"]["keyed_share"]["value"], Json::Null);
}
