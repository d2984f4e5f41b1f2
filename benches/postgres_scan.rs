//! How fast a PostgreSQL table is read, as a ratio to a drained `COPY … TO STDOUT BINARY`.
//!
//! `IDEMSCOPE_BENCH_ROWS` sets the number of rows (1 000 000), each with a body of 1 KB.
//! Limits: one streamed read at least 0.75 of the limit, bounded snapshots at least 0.55.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark measures and prints"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use futures_util::StreamExt;
use idemscope::config::{TargetOptions, resolve};
use idemscope::inspect::Session;
use idemscope::inspect::detect::{SourceOptions, detect};
use idemscope::inspect::scan::{ScanOptions, ScanView, scan};
use idemscope::layouts::{Layouts, Place, Source};
use idemscope::stores::Pace;
use sqlx::Connection;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

const NARROW: &str = "COPY (SELECT key, created_at, expires_at, request_path, payload_hash, \
                      response_status, locked_at FROM idempotency_keys) TO STDOUT (FORMAT binary)";

fn main() {
    let rows: usize = std::env::var("IDEMSCOPE_BENCH_ROWS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(1_000_000);
    let server = support::postgres::Server::shared();
    let database = server.create_database();
    let script = format!(
        "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz NOT NULL,
           expires_at timestamptz NOT NULL, request_path text NOT NULL, payload_hash char(64) NOT NULL,
           response_status smallint, response_body jsonb, locked_at timestamptz);
         INSERT INTO idempotency_keys
         SELECT gen_random_uuid(), now() - n * interval '10 ms', now() + interval '1 day',
           '/v1/payments', md5(n::text) || md5((n + 1)::text),
           CASE WHEN n % 100 = 0 THEN NULL ELSE 201 END,
           jsonb_build_object('note', repeat(chr(97 + (n % 26)::int), 1000)),
           CASE WHEN n % 100 = 0 THEN now() END
         FROM generate_series(1, {rows}) AS n;
         ANALYZE idempotency_keys"
    );
    server.execute(&database, &script);
    let url = server.database_url(&database);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    // The first read warms the cache and sets the hint bits.
    runtime.block_on(drain(&url));
    let (mut limits, mut streams, mut bounded) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        limits.push(rows as f64 / runtime.block_on(drain(&url)));
        streams.push(rows as f64 / runtime.block_on(ours(&url, rows, None)));
        bounded.push(rows as f64 / runtime.block_on(ours(&url, rows, Some(3_000_000))));
    }
    let (limit, stream, bounded) = (median(limits), median(streams), median(bounded));
    println!("limit: {limit:.0} rows/s (COPY BINARY, drained)");
    println!(
        "one stream: {stream:.0} rows/s, ratio {:.2} (limit 0.75)",
        stream / limit
    );
    println!(
        "bounded snapshots: {bounded:.0} rows/s, ratio {:.2} (limit 0.55)",
        bounded / limit
    );
}

async fn drain(url: &str) -> f64 {
    let mut connection = sqlx::PgConnection::connect(url).await.expect("a server");
    let start = Instant::now();
    let mut stream = connection.copy_out_raw(NARROW).await.expect("a stream");
    let mut bytes = 0;
    while let Some(piece) = stream.next().await {
        bytes += piece.expect("a piece").len();
    }
    assert!(bytes > 0);
    start.elapsed().as_secs_f64()
}

async fn ours(url: &str, rows: usize, estimate: Option<u64>) -> f64 {
    let target = resolve(Some(url), &TargetOptions::default())
        .expect("a target")
        .target;
    let session = Session::open(&target).await.expect("an open store");
    let detection = detect(&session, &Layouts::built_in(), &SourceOptions::default()).await;
    let mut sources: Vec<Source> = detection
        .expect("a detection")
        .found
        .into_iter()
        .map(|found| found.source)
        .collect();
    for source in &mut sources {
        if let (Place::Table(table), Some(estimate)) = (&mut source.place, estimate) {
            table.rows = Some(estimate);
        }
    }
    let (updates, _views) = watch::channel(ScanView::empty());
    let options = ScanOptions {
        pace: Pace::Full,
        ..ScanOptions::default()
    };
    let start = Instant::now();
    let cancel = CancellationToken::new();
    let outcome = scan(Arc::new(session), sources, options, updates, cancel).await;
    assert_eq!(
        outcome.view.progress.records as usize, rows,
        "every row once"
    );
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
