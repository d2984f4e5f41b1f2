//! Logs in tables: read and counted as the command line does it, against one bare read of the same
//! columns in the same order.
//!
//! Apart from `page` because there is no window here, and a server of its own.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use idemscope::config::{TargetOptions, resolve};
use idemscope::inspect::Session;
use idemscope::inspect::retries::{Reader, find_logs};
use idemscope::layouts::Layouts;
use idemscope::stats::{Span, Tally, Terms};
use idemscope::stores::{self, Pace};
use sqlx::postgres::PgConnection;
use sqlx::{Connection, SqlitePool};

use crate::support::postgres;
use crate::{page, peak, peak_anew};

const BARE_SQLITE: &str = "SELECT count(*), max(at), sum(id + length(key_hash) + length(scope) + \
    length(endpoint) + length(client) + attempt_no + length(outcome) + http_status + duration_ms + \
    since_first_ms + length(fingerprint) + length(instance)) FROM (SELECT * FROM \
    idempotency_attempts ORDER BY at, id LIMIT -1)";

const TABLE: &str = "
    CREATE TABLE idempotency_attempts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, key_hash char(32),
        scope text, endpoint text NOT NULL, client text, attempt_no int, outcome text NOT NULL,
        http_status int NOT NULL, duration_ms int, since_first_ms bigint, fingerprint char(16),
        instance text)";
const BARE_POSTGRES: &str =
    "COPY (SELECT * FROM idempotency_attempts ORDER BY at, id) TO STDOUT (FORMAT binary)";

pub fn sqlite(attempts: u64, pace: Pace) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.sqlite");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let pool = runtime.block_on(page::make(&path, attempts));
    runtime.block_on(pool.close());
    let bare = runtime.block_on(bare_sqlite(&path));
    let target = format!("sqlite:{}", path.display());
    runtime.block_on(read("SQLite", &target, attempts, pace, bare));
}

async fn bare_sqlite(path: &Path) -> Duration {
    let url = format!("sqlite://{}?mode=ro", path.display());
    let pool = SqlitePool::connect(&url).await.expect("a file");
    let begun = Instant::now();
    let read = sqlx::query(BARE_SQLITE).fetch_one(&pool).await;
    let took = begun.elapsed();
    read.expect("a sum");
    pool.close().await;
    took
}

pub fn postgres(attempts: u64, pace: Pace) {
    let options = postgres::Server::options();
    let server = options.setting("shared_buffers", "256MB").start();
    let database = server.create_database();
    let fill = format!(
        "INSERT INTO idempotency_attempts (at, key_hash, scope, endpoint, client, attempt_no, outcome,
            http_status, duration_ms, since_first_ms, fingerprint, instance)
         SELECT now() - interval '3410 s' + i * (interval '3400 s' / {attempts}),
            lpad(to_hex(i / 2), 32, '0'), 'user_' || (i % 5000), 'POST /operation/' || (i / 2 % 20),
            'client/' || (i % 6), 1 + i % 2, CASE WHEN i % 2 = 0 THEN 'executed' ELSE 'replayed' END,
            201, 40, (i % 2) * (10 + i % 90000), lpad(to_hex(i / 2), 16, '0'), 'api-' || (i % 4)
         FROM generate_series(0, {attempts} - 1) AS i"
    );
    let index = "CREATE INDEX attempts_at ON idempotency_attempts (at)";
    let script = [TABLE, &fill, index, "VACUUM ANALYZE idempotency_attempts"];
    server.execute_all(&database, &script);
    let url = server.database_url(&database);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let bare = runtime.block_on(bare_postgres(&url));
    runtime.block_on(read("PostgreSQL", &url, attempts, pace, bare));
}

async fn bare_postgres(url: &str) -> Duration {
    let mut connection = PgConnection::connect(url).await.expect("a server");
    let begun = Instant::now();
    let mut rows = connection.copy_out_raw(BARE_POSTGRES).await.expect("rows");
    while let Some(piece) = rows.next().await {
        piece.expect("a row");
    }
    begun.elapsed()
}

/// What is first counted is told of within a second, all of it within thirty.
async fn read(name: &str, target: &str, attempts: u64, pace: Pace, bare: Duration) {
    let resolved = resolve(Some(target), &TargetOptions::default());
    let target = resolved.expect("a target").target;
    let store = stores::open(&target).await.expect("a store");
    let session = Session::over(store, "bench".to_owned()).await;
    let session = Arc::new(session.expect("a session"));
    peak_anew();
    let begun = Instant::now();
    let logs = find_logs(&session, &Layouts::built_in())
        .await
        .expect("logs");
    let now = session.now().millis();
    let span = Span {
        from: now - 3_600_000 * 12,
        to: now + 1,
    };
    let mut tally = Tally::new(span, Terms::default());
    let place = logs.places.into_iter().next().expect("a log");
    let mut reader = Reader::new(place);
    let cancel = tokio_util::sync::CancellationToken::new();
    let first = std::sync::OnceLock::new();
    let told = |_| {
        first.get_or_init(|| begun.elapsed());
    };
    let read = reader.read(&session, &mut tally, pace, &cancel, told).await;
    let read_after = begun.elapsed();
    let report = tally.report(now);
    let all = begun.elapsed();
    assert_eq!(read.error, None);
    assert_eq!(read.entries, attempts);
    assert_eq!(report.entries, attempts);
    let rate = attempts as f64 / all.as_secs_f64();
    let first = first.get().copied().unwrap_or_default();
    println!(
        "{name}: {attempts} attempts, first after {first:.2?}, all read after {read_after:.2?} and told \
         after {all:.2?} ({:.2} of the limit of 30 s), {rate:.0} a second, {:.2} of a bare read in \
         {bare:.2?}, at most {} MiB ({:.2} of the limit of 300 MiB)",
        all.as_secs_f64() / 30.0,
        bare.as_secs_f64() / all.as_secs_f64(),
        peak(),
        peak() as f64 / 300.0,
    );
}
