//! How fast locks are released, as a ratio to the same write without a comparison, and what other
//! clients feel of it.
//!
//! Limits: Redis at least 0.3 of a bare pipelined `UNLINK`, PostgreSQL at least 0.6 of a bare
//! `UPDATE` or `DELETE … WHERE key = ANY`; a foreground client's p90 at most 1.5 and p99 at most 2
//! times its unloaded one (medians of five windows).
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{Change, ExactCell, Outcome, RowChange, RowState, Verb};
use idemscope::domain::raw::RawAddress;
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::layouts::Layouts;
use idemscope::ops::plan::{Ask, Selection, Wanted, make};
use idemscope::ops::{Plan, RunOptions, control, run};
use idemscope::stores::{ExactQuery, Pace, Target, WriteStore, open_writing};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use support::process::Folder;
use support::{postgres, redis as server};
use tokio_util::sync::CancellationToken;

const LOCKS: usize = 10_000;
/// Locks that are released while somebody else asks.
const MANY: usize = 100_000;
const ROWS: usize = 200_000;
const ROUNDS: usize = 5;
/// Questions of the foreground client in a window, and how many a second.
const ASKED: u32 = 2000;
const RATE: u32 = 2000;

const TABLE: &str =
    "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, request_path text NOT NULL, payload_hash char(64) NOT NULL,
    response_status smallint, response_body jsonb, locked_at timestamptz)";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, word, kind, port, ..] = arguments.as_slice()
        && word == "--probe"
    {
        let port = port.parse().expect("a port");
        let (p90, p99) = match kind.as_str() {
            "redis" => probe_redis(port),
            _ => runtime().block_on(probe_postgres(&arguments[4])),
        };
        return println!("{} {}", p90.as_nanos(), p99.as_nanos());
    }
    pin(std::process::id(), "1");
    // One of them alone, where it is named.
    let is_wanted = |name: &str| {
        let named = ["redis", "postgres"];
        let mut words = arguments
            .iter()
            .filter(|word| named.contains(&word.as_str()));
        words.next().is_none_or(|word| word == name)
    };
    if is_wanted("redis") {
        let redis = server::Server::start();
        ahead(redis.pid());
        redis_rate(&redis);
        redis_foreground(&redis);
    }
    if is_wanted("postgres") {
        // On both cores: each client has a process there.
        let options = postgres::Server::options();
        let postgres = options.setting("shared_buffers", "256MB").start();
        postgres_rate(&postgres, Deed::Update);
        postgres_rate(&postgres, Deed::Delete);
        postgres_foreground(&postgres);
    }
}

/// A core of its own, as far as that can be had on a machine that does other things.
fn ahead(pid: u32) {
    pin(pid, "0");
    let _ = Command::new("renice")
        .args(["-n", "-15", "-p", &pid.to_string()])
        .output();
}

fn pin(pid: u32, core: &str) {
    let _ = Command::new("taskset")
        .args(["-a", "-p", "-c", core, &pid.to_string()])
        .output();
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

fn target(url: &str) -> Target {
    let resolved = resolve(Some(url), &TargetOptions::default());
    resolved.expect("a target").target
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The plan that releases these, each named.
async fn planned(session: &Session, target: &Target, addresses: Vec<RawAddress>) -> Plan {
    let found = detect(session, &Layouts::built_in(), &SourceOptions::default()).await;
    let found = found.expect("a detection").found;
    let source = Arc::new(found.into_iter().next().expect("a layout").source);
    let wanted: Vec<Wanted> = addresses
        .into_iter()
        .map(|address| Wanted {
            source: source.clone(),
            address,
            longest_ttl: None,
            lives_until: None,
        })
        .collect();
    let ask = Ask::new(Verb::Release, Selection::Named);
    let cancel = CancellationToken::new();
    let plan = make(
        &session.store,
        &target.to_string(),
        &ask,
        &wanted,
        |_| (),
        &cancel,
    )
    .await;
    let plan = plan.expect("a plan");
    assert_eq!(
        plan.items().len(),
        wanted.len(),
        "{:?}",
        plan.refused().first()
    );
    plan
}

fn name(number: usize) -> String {
    format!("idempotency:00000000-0000-4000-8000-{number:012}")
}

fn keys(count: usize) -> Vec<RawAddress> {
    (0..count)
        .map(|n| RawAddress::Key(name(n).into_bytes()))
        .collect()
}

/// Locks of an hour ago, and others that the foreground client asks for.
fn fill(redis: &server::Server, count: usize) {
    let mut connection = redis.connection();
    for first in (0..count).step_by(1000) {
        let mut pipe = redis::pipe();
        for number in first..count.min(first + 1000) {
            let set = pipe.cmd("SET").arg(name(number)).arg("processing");
            set.arg("PX").arg(82_800_000).ignore();
            pipe.cmd("SET")
                .arg(format!("cache:{number}"))
                .arg("x".repeat(300))
                .ignore();
        }
        pipe.exec(&mut connection).expect("written");
    }
}

fn changes(plan: &Plan) -> Vec<&Change> {
    plan.items().iter().map(|item| &item.change).collect()
}

/// The rate at which these are changed, in batches as a run sends them.
async fn applied(writer: &WriteStore, changes: &[&Change]) -> f64 {
    let start = Instant::now();
    for batch in changes.chunks(writer.batch_max()) {
        let done = writer.apply(batch).await;
        let is_done = done.outcomes.iter().all(|one| one.outcome == Outcome::Done);
        assert!(is_done, "{:?}", done.outcomes.first());
    }
    changes.len() as f64 / start.elapsed().as_secs_f64()
}

/// The rate of a whole run, with its journal.
async fn journalled(target: &Target, session: &Session, plan: &Plan) -> f64 {
    let folder = Folder::new();
    let options = RunOptions {
        folder: folder.path().to_owned(),
        pace: Pace::Full,
        ..RunOptions::default()
    };
    let (_control, steering) = control();
    let start = Instant::now();
    let report = run(target, &session.store, plan, &options, steering, |_| ()).await;
    let report = report.expect("a run");
    assert_eq!(report.tally.of(Outcome::Done) as usize, plan.items().len());
    plan.items().len() as f64 / start.elapsed().as_secs_f64()
}

fn redis_rate(redis: &server::Server) {
    let (mut bare, mut ours, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    let (runtime, target) = (runtime(), target(&redis.url()));
    for _ in 0..ROUNDS {
        fill(redis, LOCKS);
        let client = redis::Client::open(redis.url()).expect("a client");
        let mut connection = client.get_connection().expect("a connection");
        let start = Instant::now();
        for first in (0..LOCKS).step_by(1000) {
            let mut pipe = redis::pipe();
            (first..first + 1000).for_each(|n| drop(pipe.cmd("UNLINK").arg(name(n))));
            let _: Vec<i64> = pipe.query(&mut connection).expect("removed");
        }
        bare.push(LOCKS as f64 / start.elapsed().as_secs_f64());
        fill(redis, LOCKS);
        runtime.block_on(async {
            let session = Session::open(&target).await.expect("a store");
            let plan = planned(&session, &target, keys(LOCKS)).await;
            let writer = open_writing(&target).await.expect("a store");
            ours.push(applied(&writer, &changes(&plan)).await);
        });
        fill(redis, LOCKS);
        runtime.block_on(async {
            let session = Session::open(&target).await.expect("a store");
            let plan = planned(&session, &target, keys(LOCKS)).await;
            whole.push(journalled(&target, &session, &plan).await);
        });
    }
    let (bare, ours, whole) = (median(bare), median(ours), median(whole));
    println!("redis bare: {bare:.0} keys/s (UNLINK, 1000 a pipeline)");
    println!(
        "redis release: {ours:.0} keys/s, ratio {:.2} (limit 0.30)",
        ours / bare
    );
    println!(
        "redis whole run: {whole:.0} keys/s, ratio {:.2}",
        whole / bare
    );
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Update,
    Delete,
}

/// A table in which so many rows are locked, evenly spread.
fn table(postgres: &postgres::Server, locked: usize) -> String {
    let database = postgres.create_database();
    let each = ROWS / locked;
    let script = format!(
        "{TABLE};
         INSERT INTO idempotency_keys
         SELECT gen_random_uuid(), now() - n * interval '10 ms', now() + interval '1 day',
           '/v1/payments', md5(n::text) || md5((n + 1)::text),
           CASE WHEN n % {each} > 0 THEN 201 END,
           CASE WHEN n % {each} > 0 THEN jsonb_build_object('note', repeat('x', 300)) END,
           CASE WHEN n % {each} = 0 THEN now() - interval '1 h' END
         FROM generate_series(1, {ROWS}) AS n"
    );
    postgres.execute_all(&database, &[&script, "VACUUM ANALYZE idempotency_keys"]);
    database
}

async fn locked(url: &str) -> Vec<String> {
    let mut connection = PgConnection::connect(url).await.expect("a server");
    let sql = "SELECT key::text FROM idempotency_keys WHERE locked_at IS NOT NULL ORDER BY created_at DESC";
    let keys = sqlx::query_scalar(sql).fetch_all(&mut connection).await;
    keys.expect("keys")
}

/// As somebody does it who does not look again at what is there.
async fn bare(url: &str, deed: Deed) -> f64 {
    let keys = locked(url).await;
    let mut connection = PgConnection::connect(url).await.expect("a server");
    let sql = match deed {
        Deed::Update => {
            "UPDATE idempotency_keys SET locked_at = NULL WHERE key = ANY($1::text[]::uuid[])"
        }
        Deed::Delete => "DELETE FROM idempotency_keys WHERE key = ANY($1::text[]::uuid[])",
    };
    let start = Instant::now();
    for batch in keys.chunks(1000) {
        let write = sqlx::query(sql).bind(batch).execute(&mut connection).await;
        assert_eq!(
            write.expect("written").rows_affected() as usize,
            batch.len()
        );
    }
    keys.len() as f64 / start.elapsed().as_secs_f64()
}

/// The changes of a layout that sets a column, or of one that deletes.
async fn row_changes(session: &Session, keys: Vec<String>, deed: Deed) -> Vec<Change> {
    let query = ExactQuery {
        schema: "public".into(),
        table: "idempotency_keys".into(),
        keys: keys.iter().map(|key| vec![key.clone()]).collect(),
        wants: Vec::new(),
    };
    let exact = session.store.exact_rows(&query).await.expect("rows");
    let lock = exact.shape.column("locked_at").expect("a column");
    let of = |(key, row): (String, idemscope::stores::ExactRow)| {
        let then = match (&row.state, deed) {
            (RowState::Row { cells, .. }, Deed::Update) => {
                let mut cells = cells.clone();
                cells[lock] = ExactCell::Null;
                RowState::Row {
                    version: None,
                    cells,
                }
            }
            _ => RowState::Absent,
        };
        Change::Row(RowChange {
            shape: exact.shape.clone(),
            key: vec![key],
            seen: row.state,
            then,
        })
    };
    keys.into_iter().zip(exact.rows.clone()).map(of).collect()
}

fn postgres_rate(postgres: &postgres::Server, deed: Deed) {
    let (mut bares, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let mut wholes = Vec::new();
    let runtime = runtime();
    for _ in 0..ROUNDS {
        let url = postgres.database_url(&table(postgres, LOCKS));
        let without = runtime.block_on(bare(&url, deed));
        let url = postgres.database_url(&table(postgres, LOCKS));
        let target = target(&url);
        let with = runtime.block_on(async {
            let session = Session::open(&target).await.expect("a store");
            let changes = row_changes(&session, locked(&url).await, deed).await;
            let writer = open_writing(&target).await.expect("a store");
            applied(&writer, &changes.iter().collect::<Vec<_>>()).await
        });
        bares.push(without);
        ours.push(with);
        ratios.push(with / without);
        if deed == Deed::Update {
            let url = postgres.database_url(&table(postgres, LOCKS));
            let target = self::target(&url);
            wholes.push(runtime.block_on(async {
                let session = Session::open(&target).await.expect("a store");
                let plan = planned(&session, &target, rows(locked(&url).await)).await;
                journalled(&target, &session, &plan).await
            }));
        }
    }
    let word = match deed {
        Deed::Update => "UPDATE",
        Deed::Delete => "DELETE",
    };
    println!(
        "postgres bare {word}: {:.0} rows/s (key = ANY, 1000 a statement)",
        median(bares)
    );
    println!(
        "postgres release by {word}: {:.0} rows/s, ratio {:.2} (limit 0.60) of {ratios:.2?}",
        median(ours),
        median(ratios.clone())
    );
    if !wholes.is_empty() {
        println!("postgres whole run: {:.0} rows/s", median(wholes));
    }
}

fn rows(keys: Vec<String>) -> Vec<RawAddress> {
    let row = |key| RawAddress::Row {
        schema: "public".into(),
        table: "idempotency_keys".into(),
        key: vec![key],
    };
    keys.into_iter().map(row).collect()
}

/// A client that asks all the time, without and with a release beside it.
fn redis_foreground(redis: &server::Server) {
    let port = redis.port().to_string();
    let (mut p90, mut p99) = (Vec::new(), Vec::new());
    let target = target(&redis.url());
    for window in 0..ROUNDS {
        fill(redis, MANY);
        let base = foreign_probe(&["redis", &port]);
        let loaded = beside(&target, || keys(MANY), &["redis", &port]);
        tell(window, base, loaded);
        p90.push(loaded.0.as_secs_f64() / base.0.as_secs_f64());
        p99.push(loaded.1.as_secs_f64() / base.1.as_secs_f64());
    }
    println!("redis foreground p90 x{:.2} (limit 1.50)", median(p90));
    println!("redis foreground p99 x{:.2} (limit 2.00)", median(p99));
}

fn postgres_foreground(postgres: &postgres::Server) {
    let port = postgres.port().to_string();
    let (mut p90, mut p99) = (Vec::new(), Vec::new());
    for window in 0..ROUNDS {
        let url = postgres.database_url(&table(postgres, ROWS / 2));
        let probe = ["postgres", &port, &url];
        let base = foreign_probe(&probe);
        let all = runtime().block_on(locked(&url));
        let loaded = beside(&target(&url), || rows(all), &probe);
        tell(window, base, loaded);
        p90.push(loaded.0.as_secs_f64() / base.0.as_secs_f64());
        p99.push(loaded.1.as_secs_f64() / base.1.as_secs_f64());
    }
    println!("postgres foreground p90 x{:.2} (limit 1.50)", median(p90));
    println!("postgres foreground p99 x{:.2} (limit 2.00)", median(p99));
}

fn tell(window: usize, base: (Duration, Duration), loaded: (Duration, Duration)) {
    println!(
        "window {window}: base p90 {:?} p99 {:?}, with release p90 {:?} p99 {:?}",
        base.0, base.1, loaded.0, loaded.1
    );
}

/// What the probe finds while a whole run releases these.
fn beside(
    target: &Target,
    addresses: impl FnOnce() -> Vec<RawAddress>,
    probe: &[&str],
) -> (Duration, Duration) {
    let runtime = runtime();
    let session = runtime.block_on(Session::open(target)).expect("a store");
    let plan = runtime.block_on(planned(&session, target, addresses()));
    let (started, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let (control, steering) = control();
    std::thread::scope(|scope| {
        let work = || {
            let folder = Folder::new();
            let options = RunOptions {
                folder: folder.path().to_owned(),
                ..RunOptions::default()
            };
            let show = |progress: &idemscope::ops::run::RunProgress| {
                started.fetch_or(progress.tally.total() > 0, Ordering::SeqCst);
            };
            let run = run(target, &session.store, &plan, &options, steering, show);
            let report = runtime.block_on(run).expect("a run");
            ended.store(true, Ordering::SeqCst);
            let (done, left) = (Outcome::Done, Outcome::NotReached);
            let both = report.tally.of(done) + report.tally.of(left);
            assert_eq!(both as usize, plan.items().len());
            report.tally.of(done)
        };
        let builder = std::thread::Builder::new().name("release".into());
        let thread = builder.spawn_scoped(scope, work).expect("a thread");
        while !started.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let loaded = foreign_probe(probe);
        if ended.load(Ordering::SeqCst) {
            println!("note: the release ended before the window did");
        }
        control.stop();
        let done = thread.join().expect("an end");
        println!("released {done} in the window");
        loaded
    })
}

/// The probe in a process of its own that goes before ours: a foreground client does not share a
/// processor with an inspector.
fn foreign_probe(what: &[&str]) -> (Duration, Duration) {
    let output = Command::new("nice")
        .args(["-n", "-18", "taskset", "-c", "1"])
        .arg(std::env::current_exe().expect("a program"))
        .arg("--probe")
        .args(what)
        .output()
        .expect("a probe");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut nanos = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .map(Duration::from_nanos);
    (nanos.next().expect("p90"), nanos.next().expect("p99"))
}

/// Waits until the question of this number is due.
fn due(start: Instant, number: u32, rate: u32) {
    let due = Duration::from_secs(1) * number / rate;
    if let Some(wait) = due.checked_sub(start.elapsed()) {
        std::thread::sleep(wait);
    }
}

fn shares(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort_unstable();
    (times[times.len() * 90 / 100], times[times.len() * 99 / 100])
}

fn probe_redis(port: u16) -> (Duration, Duration) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a server");
    stream.set_nodelay(true).expect("a socket");
    let mut times = Vec::new();
    let mut buffer = vec![0; 1 << 12];
    let start = Instant::now();
    for number in 0..ASKED {
        due(start, number, RATE);
        let key = format!("cache:{}", number as usize * 7919 % LOCKS);
        let command = format!("*2\r\n$3\r\nGET\r\n${}\r\n{key}\r\n", key.len());
        let sent = Instant::now();
        stream.write_all(command.as_bytes()).expect("room");
        let mut seen = 0;
        // `$300`, the value, and two ends of lines.
        while seen < 308 {
            let read = stream.read(&mut buffer[seen..]).expect("an answer");
            assert!(read > 0 && buffer.starts_with(b"$300"), "a value");
            seen += read;
        }
        times.push(sent.elapsed());
    }
    shares(times)
}

async fn probe_postgres(url: &str) -> (Duration, Duration) {
    let mut connection = PgConnection::connect(url).await.expect("a server");
    let sql = "SELECT key::text FROM idempotency_keys WHERE response_status IS NOT NULL LIMIT 2000";
    let keys: Vec<String> = sqlx::query_scalar(AssertSqlSafe(sql.to_owned()))
        .fetch_all(&mut connection)
        .await
        .expect("keys");
    let sql = "SELECT request_path FROM idempotency_keys WHERE key = $1::text::uuid";
    let mut times = Vec::new();
    let start = Instant::now();
    for number in 0..ASKED / 2 {
        due(start, number, RATE / 2);
        let sent = Instant::now();
        let key = &keys[number as usize * 7919 % keys.len()];
        let path: String = sqlx::query_scalar(sql)
            .bind(key)
            .fetch_one(&mut connection)
            .await
            .expect("a row");
        assert!(!path.is_empty());
        times.push(sent.elapsed());
    }
    shares(times)
}
