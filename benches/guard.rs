//! What the idempotency layer costs: the same service with and without it, over each store, at 1, 16
//! and 64 parallel clients, for first requests and for replays.
//!
//! Limits: on Redis two round trips for a first request and one for a replay, on PostgreSQL one
//! statement each for the claim and the save. The rates and times stand beside those of the bare
//! service in the same run.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::http::{Request, StatusCode};
use axum::routing::post;
use idemscope::guard::stores::{PostgresStore, RedisStore, SqliteStore};
use idemscope::guard::{Guard, GuardStore, Policy};
use idemscope::lab::http::Line;
use support::process::Folder;
use support::{postgres, redis as server};
use tokio::net::TcpListener;

const PARALLEL: [usize; 3] = [1, 16, 64];
/// Requests of one measurement.
const REQUESTS: usize = 6_400;
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// A new key each time.
    First,
    /// Keys that are finished.
    Replay,
}

/// Requests a second, and the times of half and of 99 in a hundred of them.
#[derive(Clone, Copy, Debug)]
struct Measured {
    rate: f64,
    p50: Duration,
    p99: Duration,
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let bare = serve(service()).await;
        let mut known = Vec::new();
        for parallel in PARALLEL {
            let measured = ask(bare, parallel, Asked::First, "bare").await;
            tell("no layer", parallel, "", measured, measured);
            known.push(measured);
        }
        sqlite(&known).await;
        redis(&known).await;
        in_postgres(&known).await;
    });
}

async fn sqlite(bare: &[Measured]) {
    let folder = Folder::new();
    let path = folder.path().join("bench.sqlite");
    let store = SqliteStore::prepare(&path, "idempotency_keys").await;
    let at = serve(guarded(store.expect("a file"))).await;
    measure("SQLite", at, bare, async || 0).await;
}

async fn redis(bare: &[Measured]) {
    let server = server::Server::start();
    let client = ::redis::Client::open(server.url()).expect("a client");
    let at = serve(guarded(RedisStore::new(client, "bench"))).await;
    // The script's own commands stand in the same list, and are no round trips.
    let calls = async || {
        let info: String = ::redis::cmd("INFO")
            .arg("commandstats")
            .query(&mut server.connection())
            .expect("figures");
        let lines = info.lines().filter(|line| line.starts_with("cmdstat_eval"));
        let count = |line: &str| -> Option<u64> {
            let rest = line.split_once("calls=")?.1;
            rest.split(',').next()?.parse().ok()
        };
        lines.filter_map(count).sum::<u64>()
    };
    measure("Redis", at, bare, calls).await;
}

async fn in_postgres(bare: &[Measured]) {
    let server = postgres::Server::start();
    let options = sqlx::postgres::PgPoolOptions::new().max_connections(16);
    let pool = options.connect(&server.url()).await.expect("a pool");
    let watching = sqlx::PgPool::connect(&server.url()).await.expect("a pool");
    let store = PostgresStore::prepare(pool, "bench", "idempotency_keys").await;
    let at = serve(guarded(store.expect("a table"))).await;
    // Each statement is a transaction of its own; this question is one more.
    let calls = async || {
        let sql = "SELECT pg_stat_force_next_flush()";
        let _ = sqlx::query(sql).execute(&watching).await;
        let sql = "SELECT n_tup_ins + n_tup_upd FROM pg_stat_all_tables
                   WHERE schemaname = 'bench' AND relname = 'idempotency_keys'";
        let count: i64 = sqlx::query_scalar(sql)
            .fetch_one(&watching)
            .await
            .unwrap_or(0);
        u64::try_from(count).unwrap_or(0)
    };
    measure("PostgreSQL", at, bare, calls).await;
}

/// Both kinds at every number of clients. `calls` counts what the store was asked so far.
async fn measure(name: &str, at: SocketAddr, bare: &[Measured], calls: impl AsyncFn() -> u64) {
    for (parallel, bare) in PARALLEL.into_iter().zip(bare) {
        for asked in [Asked::First, Asked::Replay] {
            let before = calls().await;
            let measured = ask(at, parallel, asked, &format!("{name}-{parallel}")).await;
            let per_request = (calls().await - before) as f64 / REQUESTS as f64;
            let trips = match (name, asked) {
                ("Redis", _) => format!(", {per_request:.2} round trips a request"),
                ("PostgreSQL", _) => format!(", {per_request:.2} writes a request"),
                _ => String::new(),
            };
            let what = format!("{asked:?}").to_lowercase();
            tell(
                &format!("{name} {what}{trips}"),
                parallel,
                "",
                measured,
                *bare,
            );
        }
    }
}

fn tell(name: &str, parallel: usize, more: &str, measured: Measured, bare: Measured) {
    println!(
        "{name}, {parallel} clients: {:.0} requests/s (x{:.2} of the bare service), p50 {:?}, p99 {:?}{more}",
        measured.rate,
        measured.rate / bare.rate,
        measured.p50,
        measured.p99,
    );
}

fn service() -> Router {
    let answer = async || (StatusCode::CREATED, r#"{"id": "ch_1", "amount": 1500}"#);
    Router::new().route("/payments", post(answer))
}

fn guarded(store: impl GuardStore) -> Router {
    service().layer(Guard::new(store, Policy::default(), "bench"))
}

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Sends the requests over connections that are kept.
async fn ask(at: SocketAddr, parallel: usize, asked: Asked, run: &str) -> Measured {
    let each = REQUESTS / parallel;
    let mut clients = tokio::task::JoinSet::new();
    if asked == Asked::Replay {
        let mut line = Line::to(at);
        for client in 0..parallel {
            send(&mut line, &format!("{run}-{client}-again")).await;
        }
    }
    let start = Instant::now();
    for client in 0..parallel {
        let run = run.to_owned();
        clients.spawn(async move {
            let mut line = Line::to(at);
            let mut times = Vec::with_capacity(each);
            for number in 0..each {
                let key = match asked {
                    Asked::First => format!("{run}-{client}-{number}"),
                    Asked::Replay => format!("{run}-{client}-again"),
                };
                let since = Instant::now();
                send(&mut line, &key).await;
                times.push(since.elapsed());
            }
            times
        });
    }
    let mut times: Vec<Duration> = clients.join_all().await.into_iter().flatten().collect();
    let took = start.elapsed();
    times.sort_unstable();
    Measured {
        rate: times.len() as f64 / took.as_secs_f64(),
        p50: times[times.len() / 2],
        p99: times[times.len() * 99 / 100],
    }
}

async fn send(line: &mut Line, key: &str) {
    let request = Request::builder()
        .method("POST")
        .uri("/payments")
        .header("content-type", "application/json")
        .header("idempotency-key", key);
    let request = request.body(Bytes::from_static(br#"{"amount": 1500}"#));
    let answer = line.send(request.expect("a request"), PATIENCE).await;
    assert_eq!(answer.expect("an answer").status(), 201);
}
