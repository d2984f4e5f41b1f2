//! Rows exactly: every column as the server's own text, with the row's version, as a change and its
//! undoing need them.
//!
//! Apart from `rows`, which reads what a layout wants. Invariants: the texts do not depend on the
//! session's settings; names of types are whole, so that they mean the same on any search path.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::postgres::{PgRow, PgValueFormat};
use sqlx::{AssertSqlSafe, Row, ValueRef};

use super::super::sql::{column, from_table, quoted, select_list};
use super::address::part_of_address;
use super::catalogue::kind_of;
use super::cell;
use super::session::{Sessions, Statement};
use crate::domain::change::{ExactCell, RowState, ShapeColumn, TableShape};
use crate::domain::raw::{Cell, ColumnKind, RawRows};
use crate::stores::{ExactQuery, ExactRow, ExactRows, StoreError, StoreErrorKind};

/// Rows asked for at once.
const PAGE: usize = 200;
/// So many show that a key does not tell which row is meant; where a unique column may be empty,
/// any number of rows can have one key.
const ROWS_PER_KEY: usize = 2;

/// One look at the catalogue: a line a column, the first with what is said of the table.
const COLUMNS: &str = "
    SELECT c.relkind::text AS kind, a.attname::text AS name,
           format_type(a.atttypid, a.atttypmod) AS declared,
           coalesce(b.typname, t.typname)::text AS type, coalesce(to_jsonb(a)->>'attgenerated', '') <> '' AS generated,
           has_column_privilege(c.oid, a.attnum, 'SELECT') AS seen,
           has_table_privilege(c.oid, 'SELECT') OR has_column_privilege(c.oid, 'xmin', 'SELECT')
             AND has_column_privilege(c.oid, 'xmax', 'SELECT')
             AND has_column_privilege(c.oid, 'ctid', 'SELECT') AS versioned,
           has_table_privilege(c.oid, 'SELECT') AS whole, c.oid::bigint AS id,
           coalesce(has_table_privilege(to_regclass('pg_catalog.pg_locks'), 'SELECT'), false) AS locks
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd'
    WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    ORDER BY a.attnum";

/// Columns that make rows unique, the primary key's first.
const KEYS: &str = "
    SELECT i.indisprimary AS main,
           ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(num, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
                 WHERE k.place <= i.indnkeyatts ORDER BY k.place) AS columns
    FROM pg_catalog.pg_index i
    WHERE i.indrelid = $1::bigint::oid AND i.indisvalid AND i.indisunique
      AND i.indpred IS NULL AND i.indexprs IS NULL
    ORDER BY i.indisprimary DESC, i.indexrelid";

/// Tables whose rows go, or lose a value, with rows of this one.
const CASCADES: &str = "
    SELECT DISTINCT n.nspname::text || '.' || c.relname::text
    FROM pg_catalog.pg_constraint f
    JOIN pg_catalog.pg_class c ON c.oid = f.conrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE f.contype = 'f' AND f.confrelid = $1::bigint::oid AND f.confdeltype IN ('c', 'n', 'd')
    ORDER BY 1";

/// So that a text is the value and nothing of the session.
const PLAIN: &str = "SET LOCAL bytea_output = 'hex'; SET LOCAL DateStyle = 'ISO'; \
    SET LOCAL IntervalStyle = 'postgres'; SET LOCAL extra_float_digits = 3; \
    SET LOCAL TimeZone = 'UTC'";

/// A table as it is read and changed.
struct Described {
    shape: TableShape,
    kinds: HashMap<String, ColumnKind>,
    /// Whether this login may see the rows' versions.
    versioned: bool,
    /// Whether it may see who holds what.
    sees_locks: bool,
}

async fn described(sessions: &Sessions, query: &ExactQuery) -> Result<Described, StoreError> {
    let mut session = sessions.begin(Statement::Short).await?;
    // For this transaction only: types are named with their schema.
    let path = sqlx::raw_sql("SET LOCAL search_path = pg_catalog");
    sessions
        .within(path.execute(&mut session.connection))
        .await?;
    let columns = sqlx::query(COLUMNS)
        .persistent(false)
        .bind(query.schema.as_ref())
        .bind(query.table.as_ref())
        .fetch_all(&mut session.connection);
    let columns = sessions.within(columns).await?;
    let place = format!("{}.{}", query.schema, query.table);
    let Some(first) = columns.first() else {
        let text = format!("there is no table {place} any more");
        return Err(StoreError::new(StoreErrorKind::Vanished, text));
    };
    let kind: String = first.try_get("kind").unwrap_or_default();
    if kind != "r" && kind != "p" {
        let text = format!("{place} is no table of its own: nothing is changed in it");
        return Err(StoreError::new(StoreErrorKind::Unsupported, text));
    }
    let id: i64 = first.try_get("id").unwrap_or_default();
    let keys = sqlx::query(KEYS).persistent(false).bind(id);
    let keys = sessions
        .within(keys.fetch_all(&mut session.connection))
        .await?;
    let cascades = sqlx::query_scalar(CASCADES).persistent(false).bind(id);
    let cascades = sessions
        .within(cascades.fetch_all(&mut session.connection))
        .await?;
    session.end().await;
    Ok(put_together(query, &columns, &keys, cascades))
}

fn put_together(
    query: &ExactQuery,
    columns: &[PgRow],
    keys: &[PgRow],
    cascades: Vec<String>,
) -> Described {
    let mut shape = TableShape {
        schema: query.schema.to_string(),
        table: query.table.to_string(),
        cascades,
        ..TableShape::default()
    };
    let mut kinds = HashMap::new();
    for row in columns {
        let name: String = row.try_get("name").unwrap_or_default();
        if !row.try_get("seen").unwrap_or(false) {
            shape.hidden.push(name);
            continue;
        }
        let kind: String = row.try_get("type").unwrap_or_default();
        kinds.insert(name.clone(), kind_of(&kind));
        shape.columns.push(ShapeColumn {
            name,
            declared: row.try_get("declared").unwrap_or_default(),
            generated: row.try_get("generated").unwrap_or(false),
        });
    }
    let first = |name: &str| {
        columns
            .first()
            .is_some_and(|row| row.try_get(name).unwrap_or(false))
    };
    let kind: String = columns
        .first()
        .and_then(|row| row.try_get("kind").ok())
        .unwrap_or_default();
    let readable = |row: &PgRow| {
        let columns: Vec<String> = row.try_get("columns").unwrap_or_default();
        columns
            .iter()
            .all(|name| shape.column(name).is_some())
            .then_some(columns)
    };
    // As records are addressed: by the primary key, else the row's place, else what is unique.
    let main = keys
        .iter()
        .filter(|row| row.try_get("main").unwrap_or(false));
    shape.key = match main.filter_map(readable).next() {
        Some(key) => key,
        None if kind == "r" && first("whole") => vec!["ctid".to_owned()],
        None => keys.iter().filter_map(readable).next().unwrap_or_default(),
    };
    Described {
        shape,
        kinds,
        versioned: first("versioned"),
        sees_locks: first("locks"),
    }
}

/// A row that a key fits, the first of them.
struct Fitting {
    row: PgRow,
    is_one_of_several: bool,
}

pub async fn rows(sessions: &Sessions, query: &ExactQuery) -> Result<ExactRows, StoreError> {
    let table = described(sessions, query).await?;
    let found = fitting(sessions, query, &table).await?;
    let columns = table.shape.columns.len();
    let mut rows = ExactRows {
        typed: RawRows::new(query.wants.len()),
        ..ExactRows::default()
    };
    for found in &found {
        match found {
            None => {
                query.wants.iter().for_each(|_| rows.typed.push(Cell::Null));
                rows.rows.push(ExactRow {
                    state: RowState::Absent,
                    held: None,
                    is_one_of_several: false,
                });
            }
            Some(Fitting {
                row,
                is_one_of_several,
            }) => {
                for (at, want) in query.wants.iter().enumerate() {
                    rows.typed.push(cell(row, 3 + columns + at, want));
                }
                rows.rows.push(ExactRow {
                    state: state(row, columns),
                    held: row.try_get(2).unwrap_or(None),
                    is_one_of_several: *is_one_of_several,
                });
            }
        }
    }
    rows.shape = Arc::new(table.shape);
    Ok(rows)
}

/// What each key fits.
async fn fitting(
    sessions: &Sessions,
    query: &ExactQuery,
    table: &Described,
) -> Result<Vec<Option<Fitting>>, StoreError> {
    let mut found: Vec<Option<Fitting>> = Vec::new();
    found.resize_with(query.keys.len(), || None);
    // Keys of one form go together: what a text is compared with depends on what it looks like.
    let mut forms: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, key) in query.keys.iter().enumerate() {
        if let Some(form) = form(table, key) {
            forms.entry(form).or_default().push(at);
        }
    }
    let prefix = prefix(table, query);
    for (form, places) in &forms {
        for page in places.chunks(PAGE) {
            let mut rows = fetch(sessions, query, table, &prefix, form, page).await?;
            // Not all that fit have come: one key with many rows may have kept out the others'.
            if rows.len() >= ROWS_PER_KEY * page.len() && page.len() > 1 {
                rows.clear();
                for one in page.chunks(1) {
                    rows.extend(fetch(sessions, query, table, &prefix, form, one).await?);
                }
            }
            for (at, row) in rows {
                match found.get_mut(at) {
                    Some(Some(first)) => first.is_one_of_several = true,
                    Some(none) => {
                        *none = Some(Fitting {
                            row,
                            is_one_of_several: false,
                        });
                    }
                    None => {}
                }
            }
        }
    }
    Ok(found)
}

fn form(table: &Described, key: &[String]) -> Option<String> {
    let names = &table.shape.key;
    if names.is_empty() || names.len() != key.len() {
        return None;
    }
    let conditions = names
        .iter()
        .zip(key)
        .enumerate()
        .map(|(at, (name, value))| {
            let kind = table.kinds.get(name).copied();
            part_of_address(kind, name, value, &format!("k.k{at}"))
        });
    Some(conditions.collect::<Option<Vec<_>>>()?.join(" AND "))
}

/// What is selected: the place in the question, the version, whether it is held, every column.
fn prefix(table: &Described, query: &ExactQuery) -> String {
    let mut list = vec!["k.ord".to_owned()];
    if table.versioned {
        // The place belongs to it: a change of the row moves it, and it is found there.
        list.push("t.xmin::text || ' ' || t.ctid::text".to_owned());
        // A row that several transactions share has a number of another kind there.
        list.push(match table.sees_locks {
            true => "CASE WHEN t.xmax::text = '0' THEN false WHEN t.xmax::text IN (\
                 SELECT l.transactionid::text FROM pg_catalog.pg_locks l \
                 WHERE l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted) \
                 THEN true END"
                .to_owned(),
            false => "CASE WHEN t.xmax::text = '0' THEN false END".to_owned(),
        });
    } else {
        list.extend(["NULL::text".to_owned(), "NULL::boolean".to_owned()]);
    }
    for of in &table.shape.columns {
        list.push(format!("{}::text", column(&of.name)));
    }
    if !query.wants.is_empty() {
        list.push(select_list(&query.wants, "text"));
    }
    list.join(", ")
}

async fn fetch(
    sessions: &Sessions,
    query: &ExactQuery,
    table: &Described,
    list: &str,
    form: &str,
    page: &[usize],
) -> Result<Vec<(usize, PgRow)>, StoreError> {
    let width = table.shape.key.len();
    let arrays: Vec<String> = (1..=width).map(|bind| format!("${bind}::text[]")).collect();
    let names: Vec<String> = (0..width).map(|at| quoted(&format!("k{at}"))).collect();
    let sql = format!(
        "SELECT {list} FROM unnest({}) WITH ORDINALITY AS k({}, ord) JOIN {} ON {form} \
         LIMIT {}",
        arrays.join(", "),
        names.join(", "),
        from_table(&query.schema, &query.table),
        ROWS_PER_KEY * page.len(),
    );
    let mut statement = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for part in 0..width {
        let of_key = |at: &usize| query.keys.get(*at).and_then(|key| key.get(part)).cloned();
        let values: Vec<Option<String>> = page.iter().map(of_key).collect();
        statement = statement.bind(values);
    }
    let mut session = sessions.begin(Statement::Short).await?;
    let plain = sqlx::raw_sql(PLAIN).execute(&mut session.connection);
    sessions.within(plain).await?;
    let rows = sessions
        .within(statement.fetch_all(&mut session.connection))
        .await?;
    session.end().await;
    let place = |row: PgRow| {
        let ord: i64 = row.try_get(0).ok()?;
        let at = usize::try_from(ord.checked_sub(1)?).ok()?;
        Some((*page.get(at)?, row))
    };
    Ok(rows.into_iter().filter_map(place).collect())
}

fn state(row: &PgRow, columns: usize) -> RowState {
    let cells = (0..columns).map(|at| match row.try_get_raw(3 + at) {
        Ok(value) if !value.is_null() => match (value.format(), value.as_bytes()) {
            (PgValueFormat::Binary | PgValueFormat::Text, Ok(bytes)) => {
                match std::str::from_utf8(bytes) {
                    Ok(text) => ExactCell::Text(text.to_owned()),
                    Err(_) => ExactCell::RawText(bytes.to_vec()),
                }
            }
            (_, Err(_)) => ExactCell::Null,
        },
        _ => ExactCell::Null,
    });
    RowState::Row {
        version: row.try_get(1).unwrap_or(None),
        cells: cells.collect(),
    }
}
