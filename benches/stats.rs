//! How fast attempts are counted, and how much memory a tally takes: ten million of them.
//!
//! `cargo bench --bench stats`; with `-- 1000000` fewer, and with `count`, `sqlite`, `postgres` or `page`
//! these parts alone (`gentle`: at the pace of a window). With a Redis at `IDEMSCOPE_BENCH_REDIS` a log
//! of a million entries is written there and read, against bare pages of the same stream. Then logs in
//! SQLite and in a PostgreSQL of its own, against a bare read of the same columns. Last, the
//! page in the window over a log in a file: the first figures, all of them, and what a frame costs
//! while ten thousand attempts come each second. Limits: first figures within 1 s, all of ten million
//! within 30 s, 300 MiB, 0.6 of bare pages, 8 ms a frame.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "measures spans, is told where a server is, and prints what it measured"
)]

#[path = "stats/page.rs"]
mod page;
#[path = "stats/sql.rs"]
mod sql;
#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use idemscope::domain::attempt::Field;
use idemscope::inspect::Session;
use idemscope::inspect::retries::{LogPlace, Reader};
use idemscope::stats::{Draft, Span, Tally, Terms};
use idemscope::stores::target::{Endpoint, EngineTarget, Look, RedisTarget, Shape, Target};
use idemscope::stores::{self, Pace};
use redis::aio::MultiplexedConnection;

const SPAN: Span = Span {
    from: 0,
    to: 604_800_000,
};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut wanted = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok());
    let attempts = wanted.next_back().unwrap_or(10_000_000);
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let parts = ["count", "redis", "sqlite", "postgres", "page"];
    let is_wanted = |part: &str| has(part) || !parts.into_iter().any(has);
    let pace = match has("gentle") {
        true => Pace::Gentle,
        false => Pace::Full,
    };
    if is_wanted("count") {
        count(attempts);
    }
    if let (true, Ok(url)) = (is_wanted("redis"), std::env::var("IDEMSCOPE_BENCH_REDIS")) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(read(&url));
    }
    if is_wanted("sqlite") {
        sql::sqlite(attempts, pace);
    }
    if is_wanted("postgres") {
        sql::postgres(attempts, pace);
    }
    if is_wanted("page") {
        page::measure(attempts);
    }
}

fn count(attempts: u64) {
    let before = resident();
    let mut random = fastrand::Rng::with_seed(1);
    let terms = Terms {
        lease_ms: Some(300_000),
        retention_ms: Some(86_400_000),
    };
    let mut tally = Tally::new(SPAN, terms);
    let outcomes = [
        "executed",
        "replayed",
        "in_progress",
        "mismatch",
        "reexec_error",
    ];
    let begun = Instant::now();
    let (mut key, mut number) = (0_u64, 0);
    for attempt in 0..attempts {
        number += 1;
        if number == 1 || random.u8(0..10) < 7 {
            (key, number) = (attempt, 1);
        }
        let (key, print) = (format!("{key:032x}"), format!("{:016x}", key / 3));
        let endpoint = format!("POST /operation/{}", random.u8(0..20));
        let client = format!("client/{}", random.u8(0..6));
        let mut draft = Draft::default();
        draft.number(
            Field::At,
            (attempt * 604_800 / attempts * 1_000) as i64 + random.i64(0..1_000),
        );
        draft.text(Field::Key, &key);
        draft.text(Field::Scope, "0123456789abcdef");
        draft.text(Field::Endpoint, &endpoint);
        draft.text(Field::Client, &client);
        draft.number(Field::Number, number);
        draft.number(
            Field::SinceFirst,
            if number == 1 {
                0
            } else {
                random.i64(10..90_000)
            },
        );
        draft.text(
            Field::Outcome,
            outcomes[if number == 1 { 0 } else { random.usize(0..5) }],
        );
        draft.number(Field::Status, 201);
        draft.number(Field::Duration, random.i64(1..5_000));
        draft.text(Field::Fingerprint, &print);
        if let Some(entry) = draft.finish() {
            tally.add(&entry);
        }
    }
    let took = begun.elapsed();
    let held = resident().saturating_sub(before);
    let rate = attempts as f64 / took.as_secs_f64();
    println!("{attempts} attempts in {took:.2?}, {rate:.0} a second, {held} MiB");
    let begun = Instant::now();
    let report = tally.report(SPAN.to);
    println!(
        "a report in {:.2?}, keys from {:?}",
        begun.elapsed(),
        report.findings.basis
    );
    against_limits(took);
}

fn against_limits(took: Duration) {
    println!(
        "at most {} MiB ({:.2} of the limit of 300 MiB), {:.2} of the limit of 30 s",
        peak(),
        peak() as f64 / 300.0,
        took.as_secs_f64() / 30.0
    );
}

async fn read(url: &str) {
    let client = redis::Client::open(url).expect("a URL");
    let mut line = client
        .get_multiplexed_async_connection()
        .await
        .expect("a server");
    let name = "idem:log:bench";
    fill(&mut line, name).await;
    let (seen, bare) = bare_pages(&mut line, name).await;
    let target = Target {
        engine: EngineTarget::Redis(of_url(url)),
        timeout: Duration::from_secs(10),
        ssh: None,
        scratch: std::env::temp_dir(),
    };
    let store = stores::open(&target).await.expect("a store");
    let session = Arc::new(
        Session::over(store, "bench".to_owned())
            .await
            .expect("a session"),
    );
    let span = Span {
        from: 0,
        to: i64::MAX,
    };
    let mut tally = Tally::new(span, Terms::default());
    let mut reader = Reader::new(LogPlace::stream(name.as_bytes()));
    let cancel = tokio_util::sync::CancellationToken::new();
    let ours = Instant::now();
    let read = reader
        .read(&session, &mut tally, Pace::Full, &cancel, |_| {})
        .await;
    let ours = ours.elapsed();
    println!(
        "{seen} entries bare in {bare:.2?}; {} read and counted in {ours:.2?}: {:.2} of bare",
        read.entries,
        bare.as_secs_f64() / ours.as_secs_f64()
    );
}

const ENTRIES: usize = 1_000_000;

async fn fill(line: &mut MultiplexedConnection, name: &str) {
    let len: usize = redis::cmd("XLEN")
        .arg(name)
        .query_async(line)
        .await
        .expect("a count");
    for chunk in (len..ENTRIES).collect::<Vec<_>>().chunks(1_000) {
        let mut pipeline = redis::pipe();
        for number in chunk {
            pipeline
                .cmd("XADD")
                .arg(name)
                .arg("*")
                .arg("k")
                .arg(format!("{number:032x}"));
            for (field, value) in [
                ("e", "POST /payments"),
                ("o", "executed"),
                ("h", "201"),
                ("n", "1"),
            ] {
                pipeline.arg(field).arg(value);
            }
            pipeline
                .arg("s")
                .arg("0123456789abcdef")
                .arg("d")
                .arg(40)
                .arg("c")
                .arg("web/5.1")
                .ignore();
        }
        pipeline.query_async::<()>(line).await.expect("written");
    }
}

/// The same entries as the client gives them, page by page.
async fn bare_pages(line: &mut MultiplexedConnection, name: &str) -> (usize, Duration) {
    let bare = Instant::now();
    let (mut from, mut seen) = ("-".to_owned(), 0);
    loop {
        let mut command = redis::cmd("XRANGE");
        command
            .arg(name)
            .arg(&from)
            .arg("+")
            .arg("COUNT")
            .arg(2_000);
        let page: Vec<(String, redis::Value)> = command.query_async(line).await.expect("a page");
        let Some((last, _)) = page.last() else { break };
        seen += page.len();
        from = format!("({last}");
    }
    (seen, bare.elapsed())
}

fn of_url(url: &str) -> RedisTarget {
    let place = url.trim_start_matches("redis://").trim_end_matches('/');
    let (host, port) = place.rsplit_once(':').expect("host and port");
    RedisTarget {
        endpoint: Endpoint::Tcp {
            host: host.to_owned(),
            port: port
                .split('/')
                .next()
                .and_then(|port| port.parse().ok())
                .expect("a port"),
        },
        shape: Shape::Single,
        look: Look::Primary,
        tls: None,
        database: 0,
        user: None,
        password: None,
        renewal: None,
        sentinel_login: None,
    }
}

fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.and_then(|rest| rest.trim_start_matches(':').trim().split(' ').next());
    kilobytes
        .and_then(|count| count.parse::<u64>().ok())
        .unwrap_or(0)
        / 1_024
}

fn resident() -> u64 {
    status("VmRSS")
}

fn peak() -> u64 {
    status("VmHWM")
}

/// Forgets what was the most so far.
fn peak_anew() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
