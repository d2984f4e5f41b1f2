//! Tables and views from the system catalogue, with what this login may read.
//!
//! Needs no right beyond connecting: the catalogue is readable to everybody.

use std::collections::HashMap;

use sqlx::Row;

use super::session::{Sessions, Statement};
use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};
use crate::stores::StoreError;

/// A database with more tables than this is looked at in part.
const COLUMNS_MAX: i64 = 200_000;

const COLUMNS: &str = "
    SELECT c.oid::bigint AS id, n.nspname::text AS schema, c.relname::text AS name,
           c.relkind::text AS kind,
           CASE WHEN c.relkind = 'v' THEN -1 ELSE c.reltuples::float8 END AS rows,
           has_any_column_privilege(c.oid, 'SELECT') AND has_schema_privilege(n.oid, 'USAGE') AS readable,
           has_table_privilege(c.oid, 'SELECT') AS whole,
           coalesce(has_table_privilege(to_regclass('pg_catalog.pg_locks'), 'SELECT'), false) AS locks,
           has_column_privilege(c.oid, a.attnum, 'SELECT') AS seen,
           a.attname::text AS column, format_type(a.atttypid, a.atttypmod) AS declared,
           coalesce(b.typname, t.typname)::text AS type, a.attnotnull AS required
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype AND t.typtype = 'd'
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'
    ORDER BY n.nspname, c.relname, a.attnum
    LIMIT $1";

const INDEXES: &str = "
    SELECT i.indrelid::bigint AS id, i.indisprimary AS main, i.indkey[0] <> 0 AS leads,
           i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL AS exact,
           ARRAY(SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k(num, place)
                 JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.num
                 WHERE k.place <= i.indnkeyatts
                 ORDER BY k.place) AS columns
    FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE i.indisvalid AND n.nspname NOT IN ('pg_catalog', 'information_schema')
      AND n.nspname !~ '^pg_(toast|temp)'
    ORDER BY i.indrelid, i.indexrelid
    LIMIT $1";

pub async fn tables(sessions: &Sessions) -> Result<Vec<Table>, StoreError> {
    let mut session = sessions.begin(Statement::Short).await?;
    let columns = sqlx::query(COLUMNS).persistent(false).bind(COLUMNS_MAX);
    let columns = columns.fetch_all(&mut session.connection);
    let columns = sessions.within(columns).await?;
    let indexes = sqlx::query(INDEXES).persistent(false).bind(COLUMNS_MAX);
    let indexes = indexes.fetch_all(&mut session.connection);
    let indexes = sessions.within(indexes).await?;
    session.end().await;

    let mut places: HashMap<i64, usize> = HashMap::new();
    let mut tables: Vec<Table> = Vec::new();
    for row in &columns {
        let id: i64 = row.try_get("id").unwrap_or_default();
        let at = *places.entry(id).or_insert_with(|| {
            let estimate: f64 = row.try_get("rows").unwrap_or(-1.0);
            tables.push(Table {
                schema: row.try_get("schema").unwrap_or_default(),
                name: row.try_get("name").unwrap_or_default(),
                // Rights on single columns are none on what the server keeps beside them.
                row_id: has_ctid(&row.try_get::<String, _>("kind").unwrap_or_default())
                    .filter(|_| row.try_get("whole").unwrap_or(false)),
                tells_holder: row.try_get("locks").unwrap_or(false),
                rows: (estimate >= 0.0).then_some(estimate as u64),
                readable: row.try_get("readable").unwrap_or(false),
                ..Table::default()
            });
            tables.len() - 1
        });
        if let Some(table) = tables.get_mut(at) {
            let kind: String = row.try_get("type").unwrap_or_default();
            table.columns.push(Column {
                name: row.try_get("column").unwrap_or_default(),
                declared: row.try_get("declared").unwrap_or_default(),
                kind: kind_of(&kind),
                nullable: !row.try_get("required").unwrap_or(false),
                readable: row.try_get("seen").unwrap_or(false),
            });
        }
    }
    for row in &indexes {
        let id: i64 = row.try_get("id").unwrap_or_default();
        let Some(table) = places.get(&id).and_then(|at| tables.get_mut(*at)) else {
            continue;
        };
        let columns: Vec<String> = row.try_get("columns").unwrap_or_default();
        // An index may begin with an expression.
        if row.try_get("leads").unwrap_or(false)
            && let Some(first) = columns.first()
            && !table.indexed.contains(first)
        {
            table.indexed.push(first.clone());
        }
        if row.try_get("main").unwrap_or(false) {
            table.primary_key = columns;
        } else if row.try_get("exact").unwrap_or(false) {
            table.unique.push(columns);
        }
    }
    Ok(tables)
}

/// Only what has rows of its own has their place.
fn has_ctid(kind: &str) -> Option<String> {
    matches!(kind, "r" | "m").then(|| "ctid".to_owned())
}

pub fn kind_of(name: &str) -> ColumnKind {
    match name {
        "bool" => ColumnKind::Bool,
        "int2" | "int4" | "int8" => ColumnKind::Int,
        "float4" | "float8" => ColumnKind::Float,
        "text" | "varchar" | "bpchar" | "name" | "citext" => ColumnKind::Text,
        "uuid" => ColumnKind::Uuid,
        "bytea" => ColumnKind::Bytes,
        "timestamptz" => ColumnKind::Time,
        "timestamp" => ColumnKind::NaiveTime,
        "json" | "jsonb" => ColumnKind::Json,
        _ => ColumnKind::Other,
    }
}
