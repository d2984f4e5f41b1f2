//! Changes of SQLite's rows: put back cell by cell, and never made to a row that is not as it was
//! seen.

use std::path::PathBuf;

use idemscope::domain::change::{Applied, Change, ExactCell, Outcome, RowChange, RowState};
use idemscope::stores::{
    Batch, ExactQuery, ExactRows, ReadStore, StoreErrorKind, WriteStore, open_writing,
};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqliteConnection};

use crate::change_fixture::writing;
use crate::fixture::{check, impatient, opened, sqlite_run, sqlite_target, unhung};
use crate::support::process::Folder;
use crate::table_data::quoted;

struct Place {
    reader: ReadStore,
    writer: WriteStore,
    file: PathBuf,
    _folder: Folder,
}

async fn place(script: &str) -> Place {
    let folder = Folder::new();
    let file = folder.join("store.db");
    sqlite_run(&file, script).await;
    let target = impatient(sqlite_target(&file));
    Place {
        reader: opened(&target).await,
        writer: writing(&target).await,
        file,
        _folder: folder,
    }
}

impl Place {
    async fn read(&self, table: &str, keys: &[&[&str]]) -> ExactRows {
        let query = ExactQuery {
            schema: "main".into(),
            table: table.into(),
            keys: keys
                .iter()
                .map(|key| key.iter().map(|part| (*part).to_owned()).collect())
                .collect(),
            wants: Vec::new(),
        };
        self.reader.exact_rows(&query).await.expect("rows")
    }

    async fn connect(&self) -> SqliteConnection {
        let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&self.file);
        options
            .connect()
            .await
            .expect("a connection of the application")
    }

    /// Every cell of a table with its class and its bytes.
    async fn dump(&self, table: &str) -> Vec<String> {
        let rows = self.read(table, &[]).await;
        let cell = |name: &str| {
            let name = quoted(name);
            format!("typeof({name}) || quote(CAST({name} AS BLOB))")
        };
        let list: Vec<String> = rows.shape.columns.iter().map(|of| cell(&of.name)).collect();
        let sql = format!(
            "SELECT {} FROM {table} ORDER BY 1",
            list.join(" || ' ' || ")
        );
        let mut connection = self.connect().await;
        let lines = sqlx::query_scalar(AssertSqlSafe(sql))
            .fetch_all(&mut connection)
            .await;
        connection.close().await.expect("an end");
        lines.expect("SQL of the test")
    }
}

async fn apply(writer: &WriteStore, changes: &[RowChange]) -> Batch {
    let changes: Vec<Change> = changes.iter().cloned().map(Change::Row).collect();
    let all: Vec<&Change> = changes.iter().collect();
    let batch = unhung(writer.apply(&all)).await;
    assert_eq!(batch.outcomes.len(), changes.len());
    for applied in &batch.outcomes {
        assert_eq!(
            applied.why.is_some(),
            applied.outcome != Outcome::Done,
            "{applied:?}"
        );
    }
    batch
}

async fn one(writer: &WriteStore, change: &RowChange) -> Applied {
    apply(writer, std::slice::from_ref(change))
        .await
        .outcomes
        .remove(0)
}

fn change(rows: &ExactRows, at: usize, key: &[&str], then: RowState) -> RowChange {
    RowChange {
        shape: rows.shape.clone(),
        key: key.iter().map(|part| (*part).to_owned()).collect(),
        seen: rows.rows[at].state.clone(),
        then,
    }
}

fn with(rows: &ExactRows, at: usize, column: &str, cell: ExactCell) -> RowState {
    let RowState::Row { version, cells } = &rows.rows[at].state else {
        panic!("no row {at}")
    };
    let (version, mut cells) = (version.clone(), cells.clone());
    cells[rows.shape.column(column).expect("a column")] = cell;
    RowState::Row { version, cells }
}

fn undo(change: &RowChange) -> RowChange {
    match Change::Row(change.clone()).inverted() {
        Change::Row(undo) => undo,
        Change::Keys(_) => unreachable!(),
    }
}

const LOCKS: &str = "CREATE TABLE locks (k TEXT PRIMARY KEY COLLATE NOCASE, status TEXT, n INT);
    WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 499)
    INSERT INTO locks SELECT 'k' || i, 'processing', 0 FROM c";

async fn releases(place: &Place, count: usize) -> Vec<RowChange> {
    let names: Vec<String> = (0..count).map(|number| format!("k{number}")).collect();
    let keys: Vec<[&str; 1]> = names.iter().map(|name| [name.as_str()]).collect();
    let keys: Vec<&[&str]> = keys.iter().map(|key| key.as_slice()).collect();
    let rows = place.read("locks", &keys).await;
    let released = || ExactCell::Text("released".to_owned());
    (0..count)
        .map(|at| change(&rows, at, keys[at], with(&rows, at, "status", released())))
        .collect()
}

#[tokio::test]
async fn every_class_of_cell_is_put_back() {
    let place = place(
        "CREATE TABLE kinds (a TEXT, b INTEGER, c, d REAL, e NUMERIC, f BLOB,
            g TEXT GENERATED ALWAYS AS (a || b) STORED, \"odd \"\"name\" TEXT, PRIMARY KEY (a, b));
         INSERT INTO kinds (a, b, c, d, e, f, \"odd \"\"name\") VALUES
            ('a', 1, 'text', 1, 1.5, x'00ff', 'O'),
            ('12', 2, 1, 0.1, '12', 'text in a blob', NULL),
            (CAST(x'ff00fe' AS TEXT), 3, 1.0, -9e99, 9223372036854775807, x'', ''),
            (x'0102', 4, CAST(x'c3' AS TEXT), NULL, 'x', 1, 'nul' || char(0) || 'inside'),
            (NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    )
    .await;
    let before = place.dump("kinds").await;
    let keys: [&[&str]; 6] = [
        &["a", "1"],
        &["12", "2"],
        &["ff00fe", "3"],
        &["0102", "4"],
        &["", ""],
        &["nobody", "1"],
    ];
    let rows = place.read("kinds", &keys).await;
    assert_eq!(rows.rows[5].state, RowState::Absent);
    for (at, key) in keys.iter().enumerate().take(5) {
        let purge = change(&rows, at, key, RowState::Absent);
        let done = one(&place.writer, &purge).await;
        assert_eq!(done.outcome, Outcome::Done, "{key:?} {done:?}");
        assert_eq!(
            one(&place.writer, &purge).await.outcome,
            Outcome::Gone,
            "{key:?}"
        );
        assert_eq!(place.dump("kinds").await.len(), 4);
        let undone = one(&place.writer, &undo(&purge)).await;
        assert_eq!(undone.outcome, Outcome::Done, "{key:?} {undone:?}");
        assert_eq!(place.dump("kinds").await, before);
        for column in ["c", "d", "e", "f", "odd \"name"] {
            let cell = ExactCell::Text("settled".to_owned());
            let settle = change(&rows, at, key, with(&rows, at, column, cell));
            assert_eq!(
                one(&place.writer, &settle).await.outcome,
                Outcome::Done,
                "{key:?}"
            );
            let undone = one(&place.writer, &undo(&settle)).await;
            assert_eq!(undone.outcome, Outcome::Done, "{key:?} {column} {undone:?}");
            assert_eq!(place.dump("kinds").await, before);
        }
    }
}

#[tokio::test]
async fn rows_without_a_key_keep_their_number() {
    let place = place("CREATE TABLE heap (t TEXT); INSERT INTO heap VALUES ('a'), ('a')").await;
    let rows = place.read("heap", &[&["2"], &["7"], &["x"]]).await;
    assert_eq!(rows.shape.key, ["rowid"]);
    assert_eq!(rows.rows[1].state, RowState::Absent);
    let purge = change(&rows, 0, &["2"], RowState::Absent);
    assert_eq!(one(&place.writer, &purge).await.outcome, Outcome::Done);
    assert_eq!(
        one(&place.writer, &undo(&purge)).await.outcome,
        Outcome::Done
    );
    assert_eq!(
        one(&place.writer, &undo(&purge)).await.outcome,
        Outcome::ChangedMeanwhile
    );
    assert_eq!(place.read("heap", &[&["2"]]).await.rows, rows.rows[..1]);
}

#[tokio::test]
async fn a_key_that_several_rows_have_is_said_to_be() {
    let place = place(
        "CREATE TABLE t (a TEXT, k TEXT, PRIMARY KEY (a, k));
         INSERT INTO t VALUES (NULL, 'k1'), ('', 'k1'), (NULL, 'k2'), ('a', 'k1')",
    )
    .await;
    let rows = place
        .read("t", &[&["", "k1"], &["", "k2"], &["a", "k1"]])
        .await;
    let several = rows.rows.iter().map(|row| row.is_one_of_several);
    assert_eq!(several.collect::<Vec<_>>(), [true, false, false]);
}

#[tokio::test]
async fn rows_that_changed_are_left_alone() {
    let place = place(LOCKS).await;
    let changes = releases(&place, 450).await;
    sqlite_run(
        &place.file,
        "UPDATE locks SET status = 'Processing' WHERE k = 'k1'; DELETE FROM locks WHERE k = 'k2';
         UPDATE locks SET n = 1 WHERE k = 'k300'; UPDATE locks SET n = 0.0 WHERE k = 'k301';
         UPDATE locks SET n = '0' WHERE k = 'k302'",
    )
    .await;
    let batch = apply(&place.writer, &changes).await;
    assert_eq!(batch.trouble, None);
    for (number, applied) in batch.outcomes.iter().enumerate() {
        let expected = match number {
            1 | 300 => Outcome::ChangedMeanwhile,
            2 => Outcome::Gone,
            // The column makes the same number of both.
            _ => Outcome::Done,
        };
        assert_eq!(applied.outcome, expected, "{number} {applied:?}");
    }
}

#[tokio::test]
async fn a_bad_row_does_not_keep_the_others() {
    let place = place(&format!(
        "{LOCKS}; CREATE TRIGGER no BEFORE UPDATE ON locks BEGIN
            SELECT RAISE(ABORT, 'not this one') WHERE NEW.k = 'k1';
            SELECT RAISE(IGNORE) WHERE NEW.k = 'k2'; END"
    ))
    .await;
    let changes = releases(&place, 4).await;
    let batch = apply(&place.writer, &changes).await;
    let outcomes: Vec<Outcome> = batch
        .outcomes
        .iter()
        .map(|applied| applied.outcome)
        .collect();
    use Outcome::{Done, NotReached, Refused};
    assert_eq!(outcomes, [Done, Refused, Refused, Done], "{batch:?}");
    assert!(
        batch.outcomes[1]
            .why
            .as_ref()
            .is_some_and(|why| why.contains("not this one"))
    );
    // One that ends the whole transaction.
    sqlite_run(
        &place.file,
        "DROP TRIGGER no; UPDATE locks SET status = 'processing';
         CREATE TRIGGER all_of_it BEFORE UPDATE ON locks WHEN NEW.k = 'k2'
         BEGIN SELECT RAISE(ROLLBACK, 'nothing at all'); END",
    )
    .await;
    let batch = apply(&place.writer, &releases(&place, 4).await).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == NotReached),
        "{batch:?}"
    );
    assert!(batch.trouble.is_some());
    let rows = place.read("locks", &[&["k0"]]).await;
    assert_eq!(rows.rows[0].state, changes[0].seen);
}

#[tokio::test]
async fn a_file_that_another_program_holds_is_left() {
    let place = place(LOCKS).await;
    let changes = releases(&place, 2).await;
    let mut holder = place.connect().await;
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut holder)
        .await
        .expect("a lock");
    let batch = apply(&place.writer, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::NotReached)
    );
    check(
        &batch.trouble.expect("trouble"),
        StoreErrorKind::TimedOut,
        "locked by another program",
    );
    sqlx::raw_sql("ROLLBACK")
        .execute(&mut holder)
        .await
        .expect("an end");
    // One that reads: the change cannot be ended, and is taken back.
    sqlx::raw_sql("BEGIN; SELECT count(*) FROM locks")
        .execute(&mut holder)
        .await
        .expect("a look");
    let batch = apply(&place.writer, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::NotReached),
        "{batch:?}"
    );
    sqlx::raw_sql("ROLLBACK")
        .execute(&mut holder)
        .await
        .expect("an end");
    let batch = apply(&place.writer, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::Done),
        "{batch:?}"
    );
}

#[tokio::test]
async fn a_file_that_takes_no_changes_is_not_opened() {
    let place = place(LOCKS).await;
    let mut missing = sqlite_target(&place.file.with_extension("none"));
    missing = impatient(missing);
    let error = open_writing(&missing).await.expect_err("no file");
    check(&error, StoreErrorKind::Unreachable, "cannot be opened");
}

#[tokio::test]
async fn a_row_that_others_would_go_with_is_not_deleted() {
    let place = place(
        "CREATE TABLE records (k TEXT PRIMARY KEY); INSERT INTO records VALUES ('a');
         CREATE TABLE items (k TEXT REFERENCES records (k) ON DELETE CASCADE)",
    )
    .await;
    let rows = place.read("records", &[&["a"]]).await;
    assert_eq!(rows.shape.cascades, ["main.items"]);
    let refused = one(&place.writer, &change(&rows, 0, &["a"], RowState::Absent)).await;
    assert_eq!(refused.outcome, Outcome::Refused);
    assert_eq!(place.read("records", &[&["a"]]).await.rows, rows.rows);
}
