//! What every store of tables has to do when rows are read exactly: what a layout reads of them is
//! what lists show, whatever the columns and the keys are.

use idemscope::domain::change::RowState;
use idemscope::domain::raw::Cell;
use idemscope::stores::{ExactQuery, RowFilter};

use crate::fixture::Fixture;
use crate::table_contract::{query, table, wants};

pub async fn rows_read_exactly_show_what_lists_show(fixture: &Fixture) {
    let kinds: [&[&str]; 7] = [
        &["2"],
        &["-9223372036854775808"],
        &["nobody"],
        &["1"],
        &["9223372036854775807"],
        &["2"],
        &[""],
    ];
    let odd: [&[&str]; 3] = [&["b", "U"], &["a", "U"], &["a", "u"]];
    let tables: [(&str, &[&[&str]]); 2] = [("kinds", &kinds), ("Order", &odd)];
    for (name, keys) in tables {
        let table = table(&fixture.store, name).await;
        let exact = ExactQuery {
            schema: table.schema.as_str().into(),
            table: table.name.as_str().into(),
            keys: keys
                .iter()
                .map(|key| key.iter().map(|part| (*part).to_owned()).collect())
                .collect(),
            wants: wants(&table),
        };
        let found = fixture.store.exact_rows(&exact).await.expect("rows");
        assert_eq!(found.shape.key, table.primary_key);
        assert_eq!(found.rows.len(), keys.len());
        assert_eq!(found.typed.len(), keys.len());
        for (at, key) in exact.keys.iter().enumerate() {
            let named = table.primary_key.iter().cloned().zip(key.iter().cloned());
            let listed = query(&table, RowFilter::Address(named.collect()), 1);
            let listed = fixture.store.rows(&listed).await.expect("rows");
            let there = found.rows[at].state != RowState::Absent;
            assert_eq!(there, !listed.is_empty(), "{key:?}");
            for column in 0..exact.wants.len() {
                let expected = match there {
                    true => listed.cell(0, column),
                    false => Cell::Null,
                };
                assert_eq!(found.typed.cell(at, column), expected, "{key:?} {column}");
            }
        }
    }
}

/// More keys than go in one question, in an order of their own.
pub async fn many_rows_keep_the_order_of_their_keys(fixture: &Fixture) {
    let table = table(&fixture.store, "many").await;
    let keys: Vec<Vec<String>> = (0..1000)
        .rev()
        .map(|n: i64| vec![(n * 2).to_string()])
        .collect();
    let exact = ExactQuery {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        keys: keys.clone(),
        wants: wants(&table),
    };
    let found = fixture.store.exact_rows(&exact).await.expect("rows");
    for (at, key) in keys.iter().enumerate() {
        let number: i64 = key[0].parse().expect("a number");
        let there = found.rows[at].state != RowState::Absent;
        assert_eq!(there, number % 3 == 0, "{key:?}");
        let shown = format!("{:?}", found.typed.cell(at, 1));
        let expected = if there {
            format!("Text(\"row {}\")", number / 3)
        } else {
            "Null".to_owned()
        };
        assert_eq!(shown, expected);
    }
}
