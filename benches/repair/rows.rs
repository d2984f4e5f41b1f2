//! The part of the benchmark in PostgreSQL.
//!
//! Apart from the one in Redis because a bare write is another thing there: a statement that does
//! not look at what it changes.

use std::time::Instant;

use idemscope::domain::change::{Change, ExactCell, RowChange, RowState};
use idemscope::domain::raw::RawAddress;
use idemscope::inspect::Session;
use idemscope::stores::{ExactQuery, ExactRow, open_writing};
use sqlx::{Connection, PgConnection};

use crate::probe::foreign_probe;
use crate::support::postgres;
use crate::{LOCKS, ROUNDS, applied, beside, journalled, median, planned, runtime, target, tell};

const ROWS: usize = 200_000;

const TABLE: &str =
    "CREATE TABLE idempotency_keys (key uuid PRIMARY KEY, created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL, request_path text NOT NULL, payload_hash char(64) NOT NULL,
    response_status smallint, response_body jsonb, locked_at timestamptz)";

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Deed {
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
    let of = |(key, row): (String, ExactRow)| {
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

pub fn postgres_rate(postgres: &postgres::Server, deed: Deed) {
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

pub fn postgres_foreground(postgres: &postgres::Server) {
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
