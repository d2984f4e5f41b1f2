//! What is seen of a store beside a log, with servers as they are: events, pushed changes, commands,
//! idle times, statistics of the database, and logins with few rights.
//!
//! Apart from `retries` because none of it is a count of the log.

#[path = "observed/nodes.rs"]
mod nodes;
mod support;

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value as Json;
use support::process::{Folder, Signal, send, spawn};
use support::{postgres, redis as server};

fn command(arguments: &[&str], home: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin");
    for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"] {
        command.env(name, home.path());
    }
    command
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let home = Folder::new();
    let output = command(arguments, &home).output().expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[track_caller]
fn figures(target: &str, more: &[&str]) -> Json {
    let base = ["stats", target, "--format", "json", "--window", "1h"];
    let (code, out, err) = run(&[&base, more].concat());
    assert_eq!(code, 0, "{err}");
    let told: Json = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    told["figures"].clone()
}

/// `stats --watch`, line by line.
struct Watch {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    _home: Folder,
}

impl Watch {
    fn start(target: &str) -> Watch {
        let home = Folder::new();
        let arguments = [
            "stats", target, "--watch", "--every", "100ms", "--format", "jsonl",
        ];
        let mut command = command(&arguments, &home);
        command.stdout(Stdio::piped());
        let mut child = spawn(command).expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Watch {
            child,
            lines,
            _home: home,
        }
    }

    fn next(&mut self) -> Json {
        let line = self.lines.next().expect("a line").expect("text");
        let told: Json = serde_json::from_str(&line).expect("JSON");
        told["figures"].clone()
    }

    /// The first telling of which this holds.
    fn until(&mut self, holds: impl Fn(&Json) -> bool) -> Json {
        loop {
            let figures = self.next();
            if holds(&figures) {
                return figures;
            }
        }
    }

    fn end(mut self) {
        send(self.child.id(), Signal::Interrupt);
        assert_eq!(self.child.wait().expect("an end").code(), Some(0));
    }
}

/// Records as the plain pattern of articles has them.
fn claim(connection: &mut impl redis::ConnectionLike, key: &str) -> bool {
    put(connection, key, "processing", &["NX"]).is_some()
}

fn finish(connection: &mut impl redis::ConnectionLike, key: &str) {
    let answer = r#"{"status":201,"body":"{}"}"#;
    assert!(put(connection, key, answer, &[]).is_some());
}

fn put(
    connection: &mut impl redis::ConnectionLike,
    key: &str,
    value: &str,
    more: &[&str],
) -> Option<String> {
    let mut set = redis::cmd("SET");
    set.arg(format!("idempotency:{key}")).arg(value).arg(more);
    set.arg("PX").arg(86_400_000);
    set.query(connection).expect("an answer")
}

fn uuid(number: u32) -> String {
    format!("a8098c1a-f86e-41da-bd1a-{number:012x}")
}

fn filled(server: &server::Server) -> redis::Connection {
    let mut connection = server.connection();
    for number in 0..20 {
        assert!(claim(&mut connection, &uuid(number)));
        finish(&mut connection, &uuid(number));
    }
    connection
}

#[test]
fn changes_between_looks_are_told_and_are_no_part_of_the_log() {
    let server = server::Server::start();
    let mut connection = filled(&server);
    let mut watch = Watch::start(&server.url());
    let first = watch.next();
    assert!(
        first["between_looks"]["why"].is_string(),
        "one look is none"
    );
    assert!(claim(&mut connection, &uuid(50)));
    watch.until(|figures| figures["between_looks"]["value"]["appeared"] == 1);
    finish(&mut connection, &uuid(50));
    let name = format!("idempotency:{}", uuid(1));
    let _: i32 = redis::cmd("DEL")
        .arg(name)
        .query(&mut connection)
        .expect("an answer");
    let told = watch.until(|figures| {
        let looks = &figures["between_looks"]["value"];
        looks["finished"] == 1 && looks["gone"] == 1
    });
    let looks = &told["between_looks"];
    assert_eq!(looks["source"], "snapshots");
    assert_eq!(looks["complete"], false);
    assert_eq!(looks["sample"], 20);
    assert!(looks["looks"].as_u64() >= Some(2));
    assert!(looks["from_ms"].as_i64() < looks["to_ms"].as_i64());
    assert_eq!(told["outcomes"]["value"], Json::Null);
    watch.end();
}

#[test]
fn a_server_without_events_says_so_and_pushes_its_changes() {
    let server = server::Server::start();
    let mut connection = filled(&server);
    let mut watch = Watch::start(&server.url());
    let first = watch.next();
    let why = first["events"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("nothing was heard yet"), "{why}");
    assert_eq!(first["invalidations"]["value"], 0);
    claim(&mut connection, &uuid(60));
    // Another application's key.
    let _: String = redis::cmd("SET")
        .arg("cart:1")
        .arg("x")
        .query(&mut connection)
        .expect("an answer");
    let told = watch.until(|figures| figures["invalidations"]["value"] == 1);
    let why = told["events"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("not enabled on this server"), "{why}");
    let setting: Vec<String> = redis::cmd("CONFIG")
        .arg("GET")
        .arg("notify-keyspace-events")
        .query(&mut connection)
        .expect("an answer");
    assert_eq!(setting[1], "", "nothing was switched on");
    watch.end();
}

#[test]
fn keyspace_events_tell_writing_from_expiry() {
    let options = server::Server::options().args(&["--notify-keyspace-events", "KEA"]);
    let server = options.start();
    let mut connection = filled(&server);
    let mut watch = Watch::start(&server.url());
    watch.next();
    claim(&mut connection, &uuid(70));
    let _: i32 = redis::cmd("PEXPIRE")
        .arg(format!("idempotency:{}", uuid(2)))
        .arg(1)
        .query(&mut connection)
        .expect("an answer");
    let told = watch.until(|figures| {
        let events = &figures["events"]["value"];
        events["written"] == 1 && events["expired"] == 1
    });
    assert_eq!(told["events"]["source"], "keyspace_events");
    assert_eq!(told["events"]["value"]["deleted"], 0);
    watch.end();
}

#[test]
fn a_login_with_the_printed_rights_sees_what_they_allow() {
    let server = server::Server::start();
    let mut connection = filled(&server);
    let mut log = redis::cmd("XADD");
    log.arg("idem:log:shop").arg("*");
    for (name, value) in [
        ("k", "a"),
        ("e", "POST /a"),
        ("o", "executed"),
        ("h", "201"),
    ] {
        log.arg(name).arg(value);
    }
    let _: String = log.query(&mut connection).expect("added");
    let (code, out, err) = run(&["rights", &server.url(), "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let rights: Json = serde_json::from_str(&out).expect("JSON");
    for line in rights["looking"].as_array().expect("lines") {
        acl(&mut connection, line.as_str().expect("text"));
    }
    let url = server
        .url()
        .replace("redis://", "redis://idemscope_looker:PASSWORD@");
    let told = figures(&url, &[]);
    assert_eq!(told["outcomes"]["value"]["executed"], 1);
    for figure in ["evictions", "touched_again"] {
        let why = told[figure]["why"].as_str().unwrap_or_default();
        assert!(why.contains("rights"), "{figure}: {why}");
    }
    let mut watch = Watch::start(&url);
    let told = watch.next();
    for figure in ["events", "invalidations"] {
        let why = told[figure]["why"].as_str().unwrap_or_default();
        assert!(why.contains("rights"), "{figure}: {why}");
    }
    watch.end();
    let told = figures(&url, &["--monitor", "100ms"]);
    let why = told["monitor"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("rights"), "{why}");
    // What the note says may be added.
    acl(
        &mut connection,
        "ACL SETUSER idemscope_looker +info +object|idletime +client|tracking +hello +psubscribe \
         &__keyspace@* &__keyevent@*",
    );
    let told = figures(&url, &[]);
    assert!(
        told["evictions"]["value"].is_object(),
        "{}",
        told["evictions"]
    );
    assert!(told["touched_again"]["value"].is_u64() || told["touched_again"]["why"].is_string());
    let mut watch = Watch::start(&url);
    watch.next();
    claim(&mut connection, &uuid(80));
    watch.until(|figures| figures["invalidations"]["value"] == 1);
    watch.end();
}

fn acl(connection: &mut redis::Connection, line: &str) {
    let words = line.split_whitespace().map(|word| word.trim_matches('"'));
    let mut command = redis::Cmd::new();
    for word in words {
        command.arg(word);
    }
    let answer: String = command.query(connection).expect("an answer");
    assert_eq!(answer, "OK", "{line}");
}

#[test]
fn a_server_that_counts_uses_tells_no_idle_times() {
    let args = ["--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lfu"];
    let server = server::Server::options().args(&args).start();
    let _connection = filled(&server);
    let told = figures(&server.url(), &[]);
    let why = told["touched_again"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("LFU"), "{}", told["touched_again"]);
    assert_eq!(told["touched_again"]["value"], Json::Null);
}

#[test]
fn commands_are_counted_on_request_and_none_is_shown() {
    let server = server::Server::start();
    let mut connection = filled(&server);
    let home = Folder::new();
    let url = server.url();
    let arguments = ["stats", url.as_str(), "--format", "json", "--monitor", "3s"];
    let mut command = command(&arguments, &home);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = spawn(command).expect("it starts");
    // It watches from when its client is there.
    support::process::wait_for("a monitor", || {
        let clients: String = redis::cmd("CLIENT")
            .arg("LIST")
            .query(&mut connection)
            .expect("an answer");
        clients.contains("flags=O").then_some(())
    });
    for key in [90, 90, 90, 91] {
        claim(&mut connection, &uuid(key));
    }
    let secret = "s3cret-card-4111";
    let _: String = redis::cmd("SET")
        .arg("cart:9")
        .arg(secret)
        .query(&mut connection)
        .expect("an answer");
    let output = child.wait_with_output().expect("an end");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(err.contains("MONITOR slows the server"), "{err}");
    assert!(!out.contains(secret) && !err.contains(secret));
    let told: Json = serde_json::from_str(&out).expect("JSON");
    let monitor = &told["figures"]["monitor"];
    assert_eq!(monitor["value"]["claims"], 4, "{monitor}");
    assert_eq!(monitor["value"]["keys"], 2);
    assert_eq!(monitor["value"]["claimed_again"], 1);
    assert_eq!(monitor["source"], "monitor");
    assert_eq!(monitor["span_ms"], 3_000);
    let (code, _, err) = run(&["stats", &server.url(), "--monitor", "2h"]);
    assert_eq!(code, 2, "{err}");
}

const CALLS: &str = "CREATE TABLE idempotency_keys (idempotency_key text PRIMARY KEY, status text, \
     request_hash text, response_status int, locked_at timestamptz, created_at timestamptz DEFAULT now());";

#[test]
fn statements_of_the_database_tell_claims_to_who_may_see_them() {
    let options = postgres::Server::options();
    let server = options
        .setting("shared_preload_libraries", "pg_stat_statements")
        .start();
    let database = server.create_database();
    server.execute(&database, CALLS);
    let claim = |key: &str| {
        let sql = format!(
            "INSERT INTO idempotency_keys (idempotency_key, status) VALUES ('{key}', 'processing') \
             ON CONFLICT DO NOTHING"
        );
        server.execute(&database, &sql);
    };
    let url = server.database_url(&database);
    claim("before");
    let told = figures(&url, &[]);
    let why = told["claim_statements"]["why"].as_str().unwrap_or_default();
    assert!(
        why.contains("not installed"),
        "{}",
        told["claim_statements"]
    );
    server.execute(
        &database,
        "CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset();",
    );
    for key in ["k1", "k1", "k1", "k2"] {
        claim(key);
    }
    let told = figures(&url, &[]);
    let claims = &told["claim_statements"];
    assert_eq!(claims["value"]["calls"], 4, "{claims}");
    assert_eq!(claims["value"]["rows"], 2);
    assert_eq!(claims["source"], "server");
    assert!(told["table_activity"]["value"].is_object());
    // The printed rights, to the letter.
    server.execute(&database, "CREATE ROLE idemscope_looker LOGIN PASSWORD 'p'");
    let (code, out, err) = run(&["rights", &url, "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let rights: Json = serde_json::from_str(&out).expect("JSON");
    for line in rights["looking"].as_array().expect("lines") {
        server.execute(&database, line.as_str().expect("text"));
    }
    let narrow = server.role_url("idemscope_looker", "p", &database);
    let told = figures(&narrow, &[]);
    let why = told["claim_statements"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("rights"), "{}", told["claim_statements"]);
    server.execute(&database, "GRANT pg_read_all_stats TO idemscope_looker");
    let told = figures(&narrow, &[]);
    assert_eq!(told["claim_statements"]["value"]["calls"], 4);
}

/// A log as others would make it: a uuid for a key, an enumeration for an outcome, digests as bytes.
const FOREIGN_LOG: &str = "CREATE TYPE came_to AS ENUM ('executed', 'replayed', 'vanished');
    CREATE TABLE attempts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), at timestamptz NOT NULL, \
     key_hash bytea, scope uuid, endpoint varchar(80) NOT NULL, attempt_no smallint, \
     outcome came_to NOT NULL, http_status numeric(3) NOT NULL);
    INSERT INTO attempts (at, key_hash, scope, endpoint, attempt_no, outcome, http_status) \
     SELECT now() - (n % 700) * interval '1 second', decode(md5((n / 2)::text), 'hex'), \
     gen_random_uuid(), 'POST /a', 1 + n % 2, \
     (CASE WHEN n % 2 = 0 THEN 'executed' ELSE 'replayed' END)::came_to, 201 \
     FROM generate_series(0, 11999) n;";

#[test]
fn a_log_whose_rows_have_no_number_is_read_whole() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, FOREIGN_LOG);
    let url = server.database_url(&database);
    // Without an index first, then with one.
    for index in ["", "CREATE INDEX ON attempts (at)"] {
        if !index.is_empty() {
            server.execute(&database, index);
        }
        let told = figures(&url, &[]);
        assert_eq!(told["outcomes"]["value"]["executed"], 6_000, "{index}");
        assert_eq!(told["outcomes"]["value"]["replayed"], 6_000);
        assert_eq!(told["attempts_per_key"]["keys"], 6_000);
        assert_eq!(told["retry_rate"]["retries"], 6_000);
    }
    let mut watch = Watch::start(&url);
    let executed = |figures: &Json| figures["outcomes"]["value"]["executed"].as_u64();
    assert_eq!(executed(&watch.next()), Some(6_000));
    server.execute(
        &database,
        "INSERT INTO attempts (at, endpoint, outcome, http_status) \
         VALUES (now(), 'POST /a', 'executed', 201)",
    );
    watch.until(|figures| executed(figures) >= Some(6_001));
    // What was read again is not counted again.
    assert_eq!(executed(&watch.next()), Some(6_001));
    watch.end();
}

#[test]
fn a_log_without_an_index_is_not_counted_twice_while_it_is_watched() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE TABLE attempts (id bigserial PRIMARY KEY, at timestamptz NOT NULL, \
         endpoint text NOT NULL, outcome text NOT NULL, http_status int NOT NULL);
         INSERT INTO attempts (at, endpoint, outcome, http_status) SELECT \
         now() - (3000 - n) * interval '1 second', 'POST /a', 'executed', 201 \
         FROM generate_series(1, 3000) n",
    );
    let mut watch = Watch::start(&server.database_url(&database));
    let executed = |figures: &Json| figures["outcomes"]["value"]["executed"].as_u64();
    for _ in 0..3 {
        assert_eq!(executed(&watch.next()), Some(3_000));
    }
    server.execute(
        &database,
        "INSERT INTO attempts (at, endpoint, outcome, http_status) \
         VALUES (now(), 'POST /a', 'executed', 201)",
    );
    watch.until(|figures| executed(figures) >= Some(3_001));
    assert_eq!(executed(&watch.next()), Some(3_001));
    watch.end();
}
