//! What SQLite stores say of files that are not what they should be, and tables of odd kinds.

use idemscope::stores::{Family, RowFilter, StoreErrorKind};
use sqlx::ConnectOptions;

use crate::fixture::{check, impatient, opened, refused, sqlite_run, sqlite_target, unhung};
use crate::support::process::Folder;
use crate::table_contract::{query, scan_of, scanned, table, text_of};

#[tokio::test]
async fn a_file_that_is_not_there() {
    let folder = Folder::new();
    let file = folder.join("none.db");
    let error = refused(&impatient(sqlite_target(&file))).await;
    check(&error, StoreErrorKind::Unreachable, "no such file");
    assert!(error.text.contains("none.db"), "{error}");
    assert!(!file.exists(), "it was made");
    let error = refused(&impatient(sqlite_target(folder.path()))).await;
    check(&error, StoreErrorKind::Unreachable, "cannot be opened");
}

#[tokio::test]
async fn a_file_that_is_no_database() {
    let folder = Folder::new();
    let file = folder.write(
        "notes.txt",
        &"This is a text and no database.\n".repeat(100),
    );
    let error = refused(&impatient(sqlite_target(&file))).await;
    check(&error, StoreErrorKind::Protocol, "is no SQLite database");
}

#[tokio::test]
async fn a_database_that_another_program_holds() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(
        &file,
        "CREATE TABLE k (id INTEGER PRIMARY KEY); INSERT INTO k VALUES (1)",
    )
    .await;
    let store = opened(&impatient(sqlite_target(&file))).await;
    let k = table(&store, "k").await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&file);
    let mut other = options.connect().await.expect("another program");
    sqlx::raw_sql("BEGIN EXCLUSIVE")
        .execute(&mut other)
        .await
        .expect("its lock");
    let ask = query(&k, RowFilter::All, 1);
    let error = unhung(store.rows(&ask)).await.expect_err("locked");
    check(&error, StoreErrorKind::TimedOut, "locked");
    let error = refused(&impatient(sqlite_target(&file))).await;
    assert_eq!(error.kind, StoreErrorKind::TimedOut, "{error}");
    sqlx::raw_sql("ROLLBACK")
        .execute(&mut other)
        .await
        .expect("its end");
    assert_eq!(store.rows(&ask).await.expect("free again").len(), 1);
}

#[tokio::test]
async fn tables_of_odd_kinds_are_read_once() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1499)";
    sqlite_run(
        &file,
        &format!(
            "CREATE TABLE plain (a INTEGER PRIMARY KEY, b BLOB);
             INSERT INTO plain VALUES (-9223372036854775808, x'00'), (9223372036854775807, NULL);
             CREATE TABLE keyed (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID;
             INSERT INTO keyed {numbers} SELECT 'k' || i, i FROM n;
             CREATE TABLE hidden (rowid TEXT, _rowid_ TEXT, OID TEXT, n INT);
             INSERT INTO hidden {numbers} SELECT 'x', 'y', 'z', i FROM n;
             CREATE TABLE partly (rowid TEXT, n INT);
             INSERT INTO partly {numbers} SELECT 'x', i FROM n;
             CREATE TABLE gaps (n INT);
             INSERT INTO gaps {numbers} SELECT i FROM n; DELETE FROM gaps WHERE n % 3 = 0;
             CREATE VIEW seen AS SELECT k AS rowid, v FROM keyed;
             CREATE VIEW broken AS SELECT * FROM nowhere;
             CREATE TABLE big (n INT, b BLOB);
             INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29)
                SELECT i, zeroblob(1000000) FROM n;"
        ),
    )
    .await;
    let store = opened(&sqlite_target(&file)).await;
    assert_eq!(store.family(), Family::Tables);
    for (name, count) in [
        ("plain", 2),
        ("keyed", 1500),
        ("hidden", 1500),
        ("partly", 1500),
        ("gaps", 1000),
        ("seen", 1500),
        ("big", 30),
    ] {
        let found = table(&store, name).await;
        let pages = scanned(&store, &scan_of(&found)).await;
        let mut lines = text_of(&pages);
        assert_eq!(lines.len(), count, "{name}");
        lines.dedup();
        assert_eq!(lines.len(), count, "{name}: rows twice");
        let large = pages.iter().any(|page| page.bytes() > 16 << 20);
        assert!(!large, "{name}: a page without a bound");
    }
}

#[tokio::test]
async fn a_table_or_column_that_is_gone() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(
        &file,
        "CREATE TABLE k (a TEXT, b TEXT); INSERT INTO k VALUES ('1', '2')",
    )
    .await;
    let store = opened(&impatient(sqlite_target(&file))).await;
    let k = table(&store, "k").await;
    sqlite_run(&file, "ALTER TABLE k DROP COLUMN b").await;
    let error = store
        .rows(&query(&k, RowFilter::All, 1))
        .await
        .expect_err("no column");
    check(&error, StoreErrorKind::Vanished, "b");
    let one = RowFilter::Equals(vec![("b".to_owned(), "b".to_owned())]);
    let mut ask = query(&k, one, 1);
    ask.wants.clear();
    let error = store.rows(&ask).await.expect_err("no column");
    check(&error, StoreErrorKind::Vanished, "b");
    sqlite_run(&file, "DROP TABLE k").await;
    let (sender, _pages) = tokio::sync::mpsc::channel(1);
    let error = store
        .scan_rows(&scan_of(&k), sender)
        .await
        .expect_err("no table");
    check(&error, StoreErrorKind::Vanished, "k");
}

#[tokio::test]
async fn a_view_that_never_ends() {
    let folder = Folder::new();
    let file = folder.join("store.db");
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)";
    let view = format!("CREATE VIEW endless AS {numbers} SELECT count(*) AS i FROM n");
    sqlite_run(&file, &view).await;
    let store = opened(&impatient(sqlite_target(&file))).await;
    let endless = table(&store, "endless").await;
    // More often than there are connections: each is free again.
    for _ in 0..3 {
        let error = unhung(store.rows(&query(&endless, RowFilter::All, 1))).await;
        check(
            &error.expect_err("too long"),
            StoreErrorKind::TimedOut,
            "no answer within 1 s",
        );
    }
    let (sender, _pages) = tokio::sync::mpsc::channel(1);
    let error = unhung(store.scan_rows(&scan_of(&endless), sender)).await;
    check(
        &error.expect_err("too long"),
        StoreErrorKind::TimedOut,
        "no answer within 1 s",
    );
    assert_eq!(unhung(store.tables()).await.expect("tables").len(), 1);
}
