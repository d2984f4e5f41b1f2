//! Pages at once against pages row by row, over tables that no application would fill so.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};

use super::super::SqliteStore;
use super::unpack;
use crate::domain::attempt::LogUnit;
use crate::domain::raw::{Cell, ColumnKind, ColumnWant, RawRows};
use crate::stores::logs::{After, PageOrder, PageQuery, Tie, TieAt};
use crate::stores::target::SqliteTarget;

const NUMBERS: [&str; 7] = [
    "NULL",
    "0",
    "-1",
    "9223372036854775807",
    "(-9223372036854775807 - 1)",
    "201",
    "'12'",
];
const TEXTS: [&str; 14] = [
    "NULL",
    "'executed'",
    "''",
    "'a:b'",
    "'null:'",
    "'1;2;3;'",
    "'integer3:201'",
    "'!'",
    "'12'",
    "'1.5'",
    "'ключ'",
    "char(1114111, 0, 31)",
    "CAST(x'61003a62' AS TEXT)",
    "CAST(x'ff3a80' AS TEXT)",
];
const OTHERS: [&str; 5] = ["x''", "x'00ff'", "x'616263'", "x'3b'", "0.25"];
/// Those for which a page is not packed, in some columns at least.
const RARE: [&str; 7] = [
    "printf('%.*c', 3000, 'x')",
    "zeroblob(2000)",
    "1.0 / 3.0",
    "9e999",
    "-0.0",
    "5e-324",
    "1e308",
];

/// A table of so many rows, with strange values in every column but the number of the row.
async fn fill(path: &Path, encoding: &str, random: &mut fastrand::Rng, rows: u32) {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let mut connection = options.connect().await.expect("a file");
    let mut script = format!(
        "PRAGMA encoding = '{encoding}'; CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER, \
         t TEXT COLLATE NOCASE, v, n INTEGER, f REAL, b BLOB); CREATE INDEX log_at ON log (at); BEGIN;"
    );
    let any = [&NUMBERS[..], &TEXTS, &OTHERS, &RARE].concat();
    // Some tables hold anything anywhere, others now and then, others never.
    let strangeness = [1, 20, u32::MAX][random.usize(0..3)];
    for row in 0..rows {
        let mut value = |of: &[&'static str]| match random.u32(0..strangeness) {
            0 => any[random.usize(0..any.len())],
            _ => of[random.usize(0..of.len())],
        };
        let (numbers, texts) = (&NUMBERS[..], &TEXTS[..]);
        let exact = [numbers, texts, &OTHERS].concat();
        let columns = [texts, texts, numbers, &exact, &exact];
        let values = columns.map(&mut value).join(", ");
        let at = match random.u8(0..20) {
            0 => "1.5".to_owned(),
            1 => "'then'".to_owned(),
            _ => random.i64(0..30).to_string(),
        };
        script.push_str(&format!("INSERT INTO log VALUES ({row}, {at}, {values});"));
    }
    script.push_str("COMMIT");
    run(&mut connection, script).await;
    connection.close().await.expect("closed");
}

async fn run(connection: &mut SqliteConnection, script: String) {
    let ran = sqlx::raw_sql(AssertSqlSafe(script)).execute(connection);
    ran.await.expect("it runs");
}

async fn open(path: &Path) -> SqliteStore {
    let target = SqliteTarget {
        path: path.to_owned(),
        name: None,
    };
    SqliteStore::open(&target, Duration::from_secs(30))
        .await
        .expect("a store")
}

fn query(order: PageOrder, limit: usize) -> PageQuery {
    let want = |column: &str, kind| ColumnWant::Value {
        column: column.to_owned(),
        kind,
    };
    PageQuery {
        schema: "main".into(),
        table: "log".into(),
        time: "at".to_owned(),
        time_kind: ColumnKind::Int,
        unit: LogUnit::Millis,
        tie: Tie::Number("id".to_owned()),
        wants: vec![
            want("t", ColumnKind::Text),
            want("v", ColumnKind::Text),
            want("n", ColumnKind::Int),
            want("f", ColumnKind::Float),
            want("b", ColumnKind::Other),
        ],
        order,
        from_ms: 1,
        to_ms: 29,
        after: None,
        limit,
    }
}

/// Where the next page begins.
fn after(rows: &RawRows) -> Option<After> {
    let last = rows.len().checked_sub(1)?;
    let number = |column| match rows.cell(last, column) {
        Cell::Int(number) => Some(number),
        Cell::Float(number) => Some(number as i64),
        _ => None,
    };
    let between = match rows.cell(last, 0) {
        Cell::Float(time) => Some(time),
        _ => None,
    };
    Some(After {
        time: number(0)?,
        between,
        tie: TieAt::Number(number(1)?),
    })
}

/// How many pages there were, and how many of them were packed.
async fn same_pages(store: &SqliteStore, mut query: PageQuery) -> (u32, u32) {
    let (mut pages, mut packed) = (0, 0);
    loop {
        let rows = store.page_by_rows(&query).await.expect("rows");
        if let Some(at_once) = store.page_at_once(&query).await.expect("a page") {
            // As text, in which one not-a-number is like another.
            assert_eq!(format!("{at_once:?}"), format!("{rows:?}"), "{query:?}");
            packed += 1;
        }
        let same = store.page(&query).await.expect("a page");
        assert_eq!(format!("{same:?}"), format!("{rows:?}"), "{query:?}");
        pages += 1;
        query.after = after(&rows);
        if rows.is_empty() {
            return (pages, packed);
        }
    }
}

#[tokio::test]
async fn a_page_at_once_is_the_page_row_by_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut pages, mut packed) = (0, 0);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let path = folder.path().join(format!("{seed}.sqlite"));
        fill(&path, "UTF-8", &mut random, 60).await;
        let store = open(&path).await;
        for order in [PageOrder::Time, PageOrder::Number] {
            for limit in [1, 7, 100] {
                let (more, packed_more) = same_pages(&store, query(order, limit)).await;
                (pages, packed) = (pages + more, packed + packed_more);
            }
        }
    }
    assert!(
        packed > pages / 3 && packed < pages * 9 / 10,
        "{packed} of {pages}"
    );
}

#[tokio::test]
async fn a_file_in_utf_16_is_read_row_by_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log.sqlite");
    fill(&path, "UTF-16le", &mut fastrand::Rng::with_seed(1), 60).await;
    let store = open(&path).await;
    let (pages, packed) = same_pages(&store, query(PageOrder::Time, 7)).await;
    assert!(pages > 5);
    assert_eq!(packed, 0);
}

#[test]
fn what_was_not_packed_by_us_does_not_panic() {
    let query = query(PageOrder::Time, 1);
    for bytes in [
        &b"!"[..],
        b";",
        b"1.5;",
        b"1;2;9:a",
        b"1;2;99999999999999999999:a",
        b"1;2;-1:a",
        b"1;2;1:a::word1:a",
        b"1;2;1:a:3;real3:0.x",
        b"1;2;1:a:3;text9:a",
        b"\xff;2;1:a",
    ] {
        assert_eq!(unpack(bytes, &query.all_wants()), None);
    }
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..2_000 {
        let words = [
            &b"text"[..],
            b"integer",
            b"1",
            b":",
            b"null:",
            b"\xff",
            b"9",
        ];
        let pick = |_| words[random.usize(0..words.len())];
        let bytes: Vec<u8> = (0..30).flat_map(pick).copied().collect();
        let _ = unpack(&bytes, &query.all_wants());
    }
}
