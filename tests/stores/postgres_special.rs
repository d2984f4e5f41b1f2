//! What only PostgreSQL has: snapshots of huge tables, partitions, views, its own enforcement.

use idemscope::domain::raw::{Cell, ColumnKind, ColumnWant};
use idemscope::stores::{ReadStore, RowFilter, StoreErrorKind};

use crate::fixture::{check, opened, postgres_target};
use crate::support::postgres::Server;
use crate::support::process::wait_for;
use crate::table_contract::{query, scan_of, scanned, table, text_of};

async fn with(script: &str) -> (String, ReadStore) {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(&database, script);
    let store = opened(&postgres_target(server.port(), &database)).await;
    (database, store)
}

#[tokio::test]
async fn a_huge_table_is_read_in_snapshots_and_each_row_once() {
    // More blocks than one snapshot takes.
    let (_, store) = with(
        "CREATE TABLE huge (id int PRIMARY KEY, t text);
         ALTER TABLE huge ALTER t SET STORAGE PLAIN;
         INSERT INTO huge SELECT i, repeat('x', 1900) FROM generate_series(1, 36000) AS i;
         DELETE FROM huge WHERE id % 7 = 0",
    )
    .await;
    let mut scan = scan_of(&table(&store, "huge").await);
    scan.wants = vec![ColumnWant::Value {
        column: "id".to_owned(),
        kind: ColumnKind::Int,
    }];
    scan.estimate = Some(3_000_000);
    let pages = scanned(&store, &scan).await;
    let mut seen: Vec<i64> = pages
        .iter()
        .flat_map(|page| (0..page.len()).map(|row| page.cell(row, 0)))
        .map(|cell| match cell {
            Cell::Int(id) => id,
            other => panic!("{other:?}"),
        })
        .collect();
    seen.sort_unstable();
    let expected: Vec<i64> = (1..=36_000).filter(|id| id % 7 != 0).collect();
    assert!(
        seen == expected,
        "{} rows instead of {}",
        seen.len(),
        expected.len()
    );
}

#[tokio::test]
async fn partitions_and_views_are_one_table_each() {
    let (_, store) = with(
        "CREATE TABLE parted (id int NOT NULL, t text, PRIMARY KEY (id)) PARTITION BY RANGE (id);
         CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
         CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (3000);
         INSERT INTO parted SELECT i, 't' || i FROM generate_series(0, 2999) AS i;
         CREATE VIEW seen AS SELECT id, t FROM parted WHERE id < 1500;
         CREATE MATERIALIZED VIEW kept AS SELECT * FROM seen;
         CREATE TEMPORARY TABLE passing (id int)",
    )
    .await;
    let tables = store.tables().await.expect("tables");
    let mut names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["kept", "parted", "seen"]);
    for (name, count) in [("parted", 3000), ("seen", 1500), ("kept", 1500)] {
        let found = table(&store, name).await;
        assert!(found.readable);
        for estimate in [None, Some(3_000_000)] {
            let mut scan = scan_of(&found);
            scan.estimate = estimate;
            let mut lines = text_of(&scanned(&store, &scan).await);
            lines.dedup();
            assert_eq!(lines.len(), count, "{name} {estimate:?}");
        }
    }
    assert_eq!(table(&store, "parted").await.primary_key, ["id"]);
}

#[tokio::test]
async fn nothing_that_is_read_can_change_anything() {
    let (database, store) = with(
        "CREATE TABLE k (id int PRIMARY KEY); INSERT INTO k VALUES (1);
         CREATE FUNCTION sly() RETURNS text LANGUAGE plpgsql AS
           $$ BEGIN DELETE FROM k; RETURN 'gone'; END $$;
         CREATE VIEW trap AS SELECT id, sly() AS t FROM k",
    )
    .await;
    let trap = table(&store, "trap").await;
    let error = store.rows(&query(&trap, RowFilter::All, 1)).await;
    check(
        &error.expect_err("a change"),
        StoreErrorKind::Denied,
        "read-only",
    );
    let (sender, _pages) = tokio::sync::mpsc::channel(1);
    let error = store.scan_rows(&scan_of(&trap), sender).await;
    check(
        &error.expect_err("a change"),
        StoreErrorKind::Denied,
        "read-only",
    );
    let left = Server::shared().text(&database, "SELECT count(*) FROM k");
    assert_eq!(left.as_deref(), Some("1"));
    assert!(store.tables().await.is_ok());
}

#[tokio::test]
async fn the_catalogue_tells_kinds_and_indexes_apart() {
    let (_, store) = with(
        "CREATE DOMAIN code AS varchar(10);
         CREATE TABLE k (a int, b code, c text, gone text, d int2, e char(4), f date,
                         g timestamp, h text[]);
         ALTER TABLE k DROP COLUMN gone;
         CREATE UNIQUE INDEX ON k (a, b) INCLUDE (c);
         CREATE UNIQUE INDEX ON k (c) WHERE a > 0;
         CREATE UNIQUE INDEX ON k (lower(c), d);
         INSERT INTO k VALUES (1, 'b', 'c', 2, 'e', '2024-01-01', '2024-01-01', '{x}')",
    )
    .await;
    let k = table(&store, "k").await;
    let kinds: Vec<ColumnKind> = k.columns.iter().map(|column| column.kind).collect();
    use ColumnKind::{Int, NaiveTime, Other, Text};
    assert_eq!(kinds, [Int, Text, Text, Int, Text, Other, NaiveTime, Other]);
    assert_eq!(k.unique, [["a", "b"]]);
    assert_eq!(k.indexed, ["a", "c"]);
    assert!(k.primary_key.is_empty());
    let rows = store
        .rows(&query(&k, RowFilter::All, 10))
        .await
        .expect("rows");
    assert_eq!(rows.cell(0, 5), Cell::Text("2024-01-01"));
    assert_eq!(rows.cell(0, 7), Cell::Text("{x}"));
    // A row without a key is addressed by its place.
    let place = RowFilter::Equals(vec![("ctid".to_owned(), "(0,1)".to_owned())]);
    assert_eq!(
        store.rows(&query(&k, place, 10)).await.expect("rows").len(),
        1
    );
}

#[tokio::test]
async fn a_row_is_found_by_its_index() {
    let (database, store) = with(
        "CREATE TABLE u (k uuid PRIMARY KEY); CREATE TABLE n (k int PRIMARY KEY);
         CREATE TABLE t (k varchar(40) PRIMARY KEY);
         INSERT INTO u SELECT md5(i::text)::uuid FROM generate_series(1, 20000) AS i;
         INSERT INTO n SELECT i FROM generate_series(1, 20000) AS i;
         INSERT INTO t SELECT 'key ' || i FROM generate_series(1, 20000) AS i; ANALYZE",
    )
    .await;
    let keys = [
        ("u", "c4ca4238-a0b9-2382-0dcc-509a6f75849b"),
        ("n", "12345"),
        ("t", "key 777"),
    ];
    for (name, key) in keys {
        let filter = RowFilter::Equals(vec![("k".to_owned(), key.to_owned())]);
        let found = store
            .rows(&query(&table(&store, name).await, filter, 10))
            .await;
        assert_eq!(found.expect("rows").len(), 1, "{name}");
    }
    drop(store);
    // The server counts when a connection has ended.
    for (name, _) in keys {
        let sql = format!("SELECT idx_scan FROM pg_stat_user_tables WHERE relname = '{name}'");
        let counted = || Server::shared().text(&database, &sql);
        wait_for("the index to have been used", || {
            (counted().as_deref() != Some("0")).then_some(())
        });
    }
}

#[tokio::test]
async fn a_composite_with_an_empty_field_is_there() {
    let (_, store) = with(
        "CREATE TYPE part AS (n int, t text); CREATE TABLE k (p part);
         INSERT INTO k VALUES (ROW(1, NULL)), (NULL)",
    )
    .await;
    let mut scan = scan_of(&table(&store, "k").await);
    scan.wants = vec![ColumnWant::Presence {
        column: "p".to_owned(),
    }];
    let lines = text_of(&scanned(&store, &scan).await);
    assert_eq!(lines, ["Bool(false)", "Bool(true)"]);
}

#[tokio::test]
async fn it_says_what_it_is() {
    let (_, store) = with("SELECT 1").await;
    let facts = store.facts().await.expect("facts");
    assert!(facts.product.starts_with("PostgreSQL 1"), "{facts:?}");
    assert_eq!(facts.encryption.as_deref(), Some("not encrypted"));
    let clock = store.clock().await.expect("an answer").expect("a clock");
    assert!(clock.0 > 1_600_000_000_000);
}
