//! The retry log on real stores: numbers, names and times of attempts, and nothing that is private.

use std::sync::Arc;
use std::time::Duration;

use idemscope::domain::attempt::{Outcome, key_hash, scope_hash};
use idemscope::guard::log::AttemptLog;
use idemscope::guard::{Attempt, Caller};
use sqlx::{AssertSqlSafe, Connection, Row};

use crate::support::process::Folder;
use crate::support::{postgres, redis};

const RETENTION: Duration = Duration::from_millis(200);

fn attempt(key: Option<&str>, outcome: Outcome, status: u16) -> Attempt {
    Attempt {
        outcome,
        status,
        took: Duration::from_millis(12),
        caller: Caller {
            user: "user_42".to_owned(),
            route: "/payments".to_owned(),
            client: "checkout/8.4".to_owned(),
            ..Caller::default()
        },
        method: "POST".to_owned(),
        key: key.map(str::to_owned),
        scope: key.map(|_| "user_42 POST /payments".to_owned()),
        fingerprint: key.map(|_| "f".repeat(64)),
        owner: key.map(|_| "shop-1/0123456789abcdef".to_owned()),
        trouble: None,
    }
}

/// One attempt as it stands in the log, in the convention's short names.
type Entry = Vec<(String, String)>;

#[track_caller]
fn field<'e>(entry: &'e Entry, name: &str) -> &'e str {
    let found = entry.iter().find(|(known, _)| known == name);
    found.map_or("", |(_, value)| value.as_str())
}

/// What is written, and what the log calls it.
async fn check(log: AttemptLog, read: impl AsyncFn() -> Vec<Entry>) {
    let log = Arc::new(log);
    let told = async |outcome, status| {
        let written = log.write(&attempt(Some("k1"), outcome, status)).await;
        written.expect("written").name()
    };
    assert_eq!(told(Outcome::Executed, 503).await, "executed");
    assert_eq!(told(Outcome::InProgress, 409).await, "in_progress");
    assert_eq!(told(Outcome::Executed, 201).await, "reexec_error");
    assert_eq!(told(Outcome::Replayed, 201).await, "replayed");
    tokio::time::sleep(RETENTION).await;
    assert_eq!(told(Outcome::Executed, 201).await, "reexec_expired");
    let missing = log.write(&attempt(None, Outcome::MissingKey, 400)).await;
    assert_eq!(missing, Ok(Outcome::MissingKey));
    // Twenty at once are numbered one after the other.
    let mut at_once = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let log = log.clone();
        at_once.spawn(async move {
            let attempt = attempt(Some("k2"), Outcome::InProgress, 409);
            log.write(&attempt).await.expect("written")
        });
    }
    at_once.join_all().await;

    let entries = read().await;
    assert_eq!(entries.len(), 26);
    let first = &entries[0];
    let key = key_hash("user_42 POST /payments", "k1");
    for (name, value) in [
        ("k", key.as_str()),
        ("s", scope_hash("user_42").as_str()),
        ("e", "POST /payments"),
        ("c", "checkout/8.4"),
        ("n", "1"),
        ("o", "executed"),
        ("h", "503"),
        ("d", "12"),
        ("f0", "0"),
        ("fp", "ffffffffffffffff"),
        ("fv", "1"),
        ("i", "shop-1"),
        ("ow", "01234567"),
    ] {
        assert_eq!(field(first, name), value, "{name} of {first:?}");
    }
    let later: i64 = field(&entries[4], "f0").parse().expect("a time");
    assert!(later >= 200, "{later}");
    let missing = &entries[5];
    assert_eq!((field(missing, "k"), field(missing, "n")), ("", ""));
    let numbers = entries[6..].iter().map(|entry| field(entry, "n"));
    let mut numbers: Vec<u32> = numbers.map(|n| n.parse().expect("a number")).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<u32>>());
    let whole = format!("{entries:?}");
    assert!(!whole.contains("user_42"), "{whole}");
}

fn rows<R>(rows: &[R], text: impl Fn(&R, &str) -> Option<String>) -> Vec<Entry> {
    const COLUMNS: [(&str, &str); 13] = [
        ("k", "key_hash"),
        ("s", "scope"),
        ("e", "endpoint"),
        ("c", "client"),
        ("n", "attempt_no"),
        ("o", "outcome"),
        ("h", "http_status"),
        ("d", "duration_ms"),
        ("f0", "since_first_ms"),
        ("fp", "fingerprint"),
        ("fv", "fp_version"),
        ("i", "instance"),
        ("ow", "owner"),
    ];
    let entry = |row: &R| {
        let column = |(short, long): (&str, &str)| Some((short.to_owned(), text(row, long)?));
        COLUMNS.into_iter().filter_map(column).collect()
    };
    rows.iter().map(entry).collect()
}

/// Every column as text.
fn sql(table: &str) -> String {
    let columns = [
        "key_hash",
        "scope",
        "endpoint",
        "client",
        "attempt_no",
        "outcome",
        "http_status",
        "duration_ms",
        "since_first_ms",
        "fingerprint",
        "fp_version",
        "instance",
        "owner",
    ];
    let columns = columns.map(|name| format!("CAST({name} AS text) AS {name}"));
    format!("SELECT {} FROM {table} ORDER BY id", columns.join(", "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_sqlite() {
    let folder = Folder::new();
    let path = folder.path().join("log.sqlite");
    let log = AttemptLog::sqlite(&path, "shop-1", RETENTION).await;
    let read = async || {
        let url = format!("sqlite:{}", path.display());
        let mut connection = sqlx::SqliteConnection::connect(&url).await.expect("a file");
        let query = sqlx::query(AssertSqlSafe(sql("idempotency_attempts")));
        let found = query.fetch_all(&mut connection).await.expect("rows");
        rows(&found, |row, name| row.try_get(name).expect("text"))
    };
    check(log.expect("a log"), read).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_postgres() {
    let server = postgres::Server::start();
    let pool = sqlx::PgPool::connect(&server.url()).await.expect("a pool");
    let log = AttemptLog::postgres(pool.clone(), "shop", "shop-1", RETENTION).await;
    let read = async || {
        let query = sqlx::query(AssertSqlSafe(sql("shop.idempotency_attempts")));
        let found = query.fetch_all(&pool).await.expect("rows");
        rows(&found, |row, name| row.try_get(name).expect("text"))
    };
    check(log.expect("a log"), read).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_redis() {
    let server = redis::Server::start();
    let client = ::redis::Client::open(server.url()).expect("a client");
    let log = AttemptLog::redis(client, "shop", "shop-1", RETENTION);
    let read = async || {
        let mut connection = server.connection();
        let range = ::redis::cmd("XRANGE")
            .arg("idem:log:shop")
            .arg("-")
            .arg("+")
            .query::<Vec<(String, Vec<(String, String)>)>>(&mut connection);
        let entries = range.expect("entries").into_iter();
        entries.map(|(_, fields)| fields).collect()
    };
    check(log, read).await;
}
