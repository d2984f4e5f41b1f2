//! What every store of tables has to do.

use idemscope::domain::raw::{ColumnWant, RawRows};
use idemscope::domain::survey::Table;
use idemscope::stores::{Family, Pace, ReadStore, RowFilter, RowQuery, RowScan, StoreErrorKind};
use tokio::sync::mpsc;

use crate::fixture::Fixture;

/// As tables are compared: in an order, and without what a store words in its own way.
fn comparable(mut tables: Vec<Table>) -> Vec<Table> {
    for table in &mut tables {
        table.rows = None;
        table.unique.sort();
        table.indexed.sort();
        for column in &mut table.columns {
            column.declared.clear();
        }
    }
    tables.sort_by_key(Table::place);
    tables
}

pub async fn tables_are_described(fixture: &Fixture) {
    assert_eq!(fixture.store.family(), Family::Tables);
    let seen = fixture.store.tables().await.expect("tables");
    let expected = fixture.oracle.tables().await.expect("tables");
    let declared = |table: &Table| {
        table
            .columns
            .iter()
            .all(|column| !column.declared.is_empty())
    };
    assert!(seen.iter().all(declared));
    assert_eq!(comparable(seen), comparable(expected));
}

/// Every column's value, then whether there is one.
pub fn wants(table: &Table) -> Vec<ColumnWant> {
    let values = table.columns.iter().map(|column| ColumnWant::Value {
        column: column.name.clone(),
        kind: column.kind,
    });
    let presence = table.columns.iter().map(|column| ColumnWant::Presence {
        column: column.name.clone(),
    });
    values.chain(presence).collect()
}

pub fn query(table: &Table, filter: RowFilter, limit: usize) -> RowQuery {
    RowQuery {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        wants: wants(table),
        filter,
        limit,
    }
}

pub fn scan_of(table: &Table) -> RowScan {
    RowScan {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        wants: wants(table),
        estimate: None,
        pace: Pace::Full,
    }
}

/// Rows as text, in an order.
pub fn text_of(pages: &[RawRows]) -> Vec<String> {
    let mut lines: Vec<String> = pages
        .iter()
        .flat_map(|page| {
            (0..page.len()).map(|row| {
                let cells =
                    (0..page.columns()).map(|column| format!("{:?}", page.cell(row, column)));
                cells.collect::<Vec<_>>().join(" | ")
            })
        })
        .collect();
    lines.sort();
    lines
}

pub async fn scanned(store: &ReadStore, scan: &RowScan) -> Vec<RawRows> {
    let (sender, mut pages) = mpsc::channel(2);
    let collect = async {
        let mut all = Vec::new();
        while let Some(page) = pages.recv().await {
            all.push(page);
        }
        all
    };
    let (result, all) = tokio::join!(store.scan_rows(scan, sender), collect);
    result.expect("a full read");
    all
}

pub async fn table(store: &ReadStore, name: &str) -> Table {
    let tables = store.tables().await.expect("tables");
    let found = tables.into_iter().find(|table| table.name == name);
    found.unwrap_or_else(|| panic!("no table {name}"))
}

pub async fn rows_are_found_by_text(fixture: &Fixture) {
    let kinds = table(&fixture.store, "kinds").await;
    let uuid = "00010203-0405-0607-0809-0a0b0c0d0eff";
    let filters: [&[(&str, &str)]; 18] = [
        &[("id", "+2")],
        &[("id", "99999999999999999999")],
        &[("id", "2")],
        &[("id", "-9223372036854775808")],
        &[("id", "nobody")],
        &[("t", "it's \"quoted\" \\ $1 ?1 --")],
        &[("t", "ключ 🔑\n\ttab")],
        &[("t", "")],
        &[("t", "PLAIN")],
        &[("t", "a\0b")],
        &[("t", "plain\0")],
        &[("t", "' OR 1=1 --")],
        &[("u", uuid)],
        &[("b", "true")],
        &[("n", "12345678901234567.50")],
        &[("mood", "so so"), ("id", "3")],
        &[("t", "a\0b"), ("id", "4")],
        &[("j", "{\"a\": \"it's\"}"), ("f", "1.5"), ("small", "-7")],
    ];
    for filter in filters {
        let columns = filter
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let query = query(&kinds, RowFilter::Equals(columns.collect()), 100);
        let seen = fixture.store.rows(&query).await.expect("rows");
        let expected = fixture.oracle.rows(&query).await.expect("rows");
        assert_eq!(text_of(&[seen]), text_of(&[expected]), "{filter:?}");
    }
    for limit in [0, 2, usize::MAX] {
        let query = query(&kinds, RowFilter::All, limit);
        let seen = fixture.store.rows(&query).await.expect("rows");
        let expected = fixture.oracle.rows(&query).await.expect("rows");
        assert_eq!(seen.len(), expected.len());
    }
    for name in ["select \"a.b\" Ünï", "Order"] {
        let weird = table(&fixture.store, name).await;
        let filter = RowFilter::Equals(vec![
            ("with \"quote\"".to_owned(), "b".to_owned()),
            ("UPPER".to_owned(), "U".to_owned()),
        ]);
        let query = query(&weird, filter, 10);
        let seen = fixture.store.rows(&query).await.expect("rows");
        assert_eq!(seen.len(), 1);
        let expected = fixture.oracle.rows(&query).await.expect("rows");
        assert_eq!(text_of(&[seen]), text_of(&[expected]));
    }
    let mut gone = query(&kinds, RowFilter::All, 1);
    gone.table = "no such table".into();
    let error = fixture.store.rows(&gone).await.expect_err("no such table");
    assert_eq!(error.kind, StoreErrorKind::Vanished);
}

pub async fn every_row_is_read_once(fixture: &Fixture) {
    for table in fixture.store.tables().await.expect("tables") {
        let mut scan = scan_of(&table);
        let expected = text_of(&scanned(&fixture.oracle, &scan).await);
        assert_eq!(
            text_of(&scanned(&fixture.store, &scan).await),
            expected,
            "{}",
            table.place()
        );
        // Read in bounded snapshots, where the store has those.
        scan.estimate = Some(3_000_000);
        scan.pace = Pace::Gentle;
        assert_eq!(
            text_of(&scanned(&fixture.store, &scan).await),
            expected,
            "{}",
            table.place()
        );
    }
}

pub async fn a_scan_ends_early(fixture: &Fixture) {
    let many = table(&fixture.store, "many").await;
    // More often than there are connections.
    for _ in 0..5 {
        let (sender, mut pages) = mpsc::channel::<RawRows>(1);
        let scan = scan_of(&many);
        let look = async {
            let first = pages.recv().await.expect("a first page");
            assert!(!first.is_empty());
            drop(pages);
        };
        let (result, ()) = tokio::join!(fixture.store.scan_rows(&scan, sender), look);
        assert_eq!(result, Ok(()));
    }
    let query = query(&many, RowFilter::All, 10);
    let rows = fixture
        .store
        .rows(&query)
        .await
        .expect("the store is usable");
    assert_eq!(rows.len(), 10);
}
