//! Rows exactly: every cell in its storage class, as a change and its undoing need them.
//!
//! Apart from `rows`, which reads what a layout wants. Invariant: a cell that is written back as it
//! was read is the same cell, text that is not UTF-8 among them.

use std::sync::Arc;

use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row, SqliteConnection, TypeInfo, ValueRef};

use super::super::sql::{column, from_table, select_list};
use super::session::{Session, within};
use super::{SqliteStore, part_of_address, push_row, scan};
use crate::domain::change::{ExactCell, RowState, ShapeColumn, TableShape};
use crate::domain::raw::{Cell, RawRows};
use crate::stores::{ExactQuery, ExactRow, ExactRows, StoreError, StoreErrorKind};

/// Tables whose rows go, or lose a value, with rows of this one, where the application has turned
/// foreign keys on; whether it has is nowhere in the file.
const CASCADES: &str = "SELECT DISTINCT 'main.' || m.name FROM sqlite_schema m, \
    pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND lower(f.\"table\") = lower(?1) \
    AND f.on_delete IN ('CASCADE', 'SET NULL', 'SET DEFAULT') ORDER BY 1";

/// The columns that hold something; the hidden ones of a virtual table do not.
const COLUMNS: &str =
    "SELECT name, type, hidden, pk FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid";

async fn shape(store: &SqliteStore, query: &ExactQuery) -> Result<TableShape, StoreError> {
    let mut session = Session::begin(store).await?;
    let connection = session.connection();
    let found = within(store, describe(connection, query)).await?;
    drop(session);
    let Some((mut shape, mut key)) = found else {
        let text = format!(
            "{} has no table `{}` that is changed",
            store.label, query.table
        );
        return Err(StoreError::new(StoreErrorKind::Vanished, text));
    };
    key.sort();
    shape.key = key.into_iter().map(|(_, name)| name).collect();
    if shape.key.is_empty() {
        let number = scan::row_number(store, &query.table).await?;
        shape.key.extend(number.map(str::to_owned));
    }
    Ok(shape)
}

type Key = Vec<(i64, String)>;

async fn describe(
    connection: &mut SqliteConnection,
    query: &ExactQuery,
) -> Result<Option<(TableShape, Key)>, sqlx::Error> {
    let table = query.table.to_string();
    let known = sqlx::query(
        "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND type = 'table'",
    );
    let known = known
        .bind(table.clone())
        .fetch_optional(&mut *connection)
        .await?;
    if known.is_none() {
        return Ok(None);
    }
    let columns = sqlx::query(COLUMNS).bind(table.clone());
    let columns = columns.fetch_all(&mut *connection).await?;
    let cascades = sqlx::query_scalar(CASCADES).bind(table);
    let mut shape = TableShape {
        schema: query.schema.to_string(),
        table: query.table.to_string(),
        cascades: cascades.fetch_all(connection).await?,
        ..TableShape::default()
    };
    let mut key = Vec::new();
    for row in &columns {
        let name: String = row.try_get("name")?;
        let place: i64 = row.try_get("pk")?;
        if place > 0 {
            key.push((place, name.clone()));
        }
        shape.columns.push(ShapeColumn {
            name,
            declared: row.try_get("type")?,
            generated: row.try_get::<i64, _>("hidden")? != 0,
        });
    }
    Ok(Some((shape, key)))
}

pub async fn rows(store: &SqliteStore, query: &ExactQuery) -> Result<ExactRows, StoreError> {
    let shape = shape(store, query).await?;
    let mut list: Vec<String> = shape.columns.iter().map(|of| column(&of.name)).collect();
    if !query.wants.is_empty() {
        list.push(select_list(&query.wants, "TEXT"));
    }
    let start = format!(
        "SELECT {} FROM {}",
        list.join(", "),
        from_table(&query.schema, &query.table)
    );
    let mut rows = ExactRows {
        typed: RawRows::new(query.wants.len()),
        ..ExactRows::default()
    };
    let mut session = Session::begin(store).await?;
    for key in &query.keys {
        let found = match where_of(&shape, key) {
            Some(filter) => {
                // A second one shows that the key does not tell which row is meant.
                let sql = format!("{start} WHERE {filter} LIMIT 2");
                let mut statement = sqlx::query(AssertSqlSafe(sql));
                for value in key {
                    statement = statement.bind(value.clone());
                }
                within(store, statement.fetch_all(session.connection())).await?
            }
            None => Vec::new(),
        };
        let is_one_of_several = found.len() > 1;
        let found = found.into_iter().next();
        match &found {
            Some(row) => push_row(row, shape.columns.len(), &query.wants, &mut rows.typed),
            None => query.wants.iter().for_each(|_| rows.typed.push(Cell::Null)),
        }
        rows.rows.push(ExactRow {
            state: found.map_or(RowState::Absent, |row| RowState::Row {
                version: None,
                cells: (0..shape.columns.len()).map(|at| exact(&row, at)).collect(),
            }),
            // Who holds the file is only known when it is to be written.
            held: None,
            is_one_of_several,
        });
    }
    drop(session);
    rows.shape = Arc::new(shape);
    Ok(rows)
}

fn where_of(shape: &TableShape, key: &[String]) -> Option<String> {
    if shape.key.is_empty() || shape.key.len() != key.len() {
        return None;
    }
    let parts = shape.key.iter().zip(key).enumerate();
    let parts = parts.map(|(at, (name, value))| {
        let exact = part_of_address(name, value, at + 1);
        match value.as_str() {
            // An empty one may stand for what is not there.
            "" => exact,
            value => format!("{} AND {exact}", candidates(name, value, at + 1)),
        }
    });
    Some(parts.collect::<Vec<_>>().join(" AND "))
}

/// Everything that a text may be the address of, in a form that an index can serve.
fn candidates(name: &str, value: &str, bind: usize) -> String {
    let mut list = vec![format!("?{bind}")];
    if value.parse::<i64>().is_ok() {
        list.push(format!("CAST(?{bind} AS INTEGER)"));
    } else if value.parse::<f64>().is_ok() {
        list.push(format!("CAST(?{bind} AS REAL)"));
    }
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if value.len().is_multiple_of(2) && digits(value) {
        list.push(format!("x'{value}'"));
        list.push(format!("CAST(x'{value}' AS TEXT)"));
    }
    format!("{} IN ({})", column(name), list.join(", "))
}

fn exact(row: &SqliteRow, at: usize) -> ExactCell {
    let Ok(value) = row.try_get_raw(at) else {
        return ExactCell::Null;
    };
    if value.is_null() {
        return ExactCell::Null;
    }
    let bytes = || row.try_get_unchecked::<Vec<u8>, _>(at).unwrap_or_default();
    let kind = value.type_info().name().to_owned();
    match kind.as_str() {
        "INTEGER" | "BOOLEAN" => ExactCell::Int(row.try_get_unchecked(at).unwrap_or_default()),
        "REAL" => ExactCell::Real(row.try_get_unchecked(at).unwrap_or_default()),
        "BLOB" => ExactCell::Blob(bytes()),
        _ => String::from_utf8(bytes()).map_or_else(
            |error| ExactCell::RawText(error.into_bytes()),
            ExactCell::Text,
        ),
    }
}
