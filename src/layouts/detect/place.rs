//! Where a layout's records stand in one table: its columns, what addresses a row, what other tables
//! tell.
//!
//! Apart from detection because a text that is being written is tried on a table in the same way.

use std::sync::Arc;

use super::scope;
use crate::domain::raw::{ColumnKind, Lookup};
use crate::domain::survey::Table;
use crate::layouts::Layout;
use crate::layouts::field::Field;
use crate::layouts::form::Input;
use crate::layouts::layout::SqlLayout;
use crate::layouts::source::{Addressed, TablePlace};
use crate::layouts::spec::LookupSpec;

/// The layout's name for a column, the table's, and its kind.
type Columns = Vec<(String, String, ColumnKind)>;
/// The same of columns that are there and that this login may not read.
type Hidden = Vec<(String, String)>;

/// Where a layout's records stand in a table, or in words what is missing.
pub fn place_in(
    layout: &Layout,
    table: &Table,
    tables: &[Table],
) -> Result<TablePlace, Vec<String>> {
    let sql = layout.sql.as_ref();
    let sql = sql.ok_or_else(|| vec!["`sql` is not described, and this is a table".to_owned()])?;
    let (columns, hidden) = columns_of(sql, table)?;
    Ok(with_columns(sql, table, tables, columns, hidden))
}

pub fn with_columns(
    sql: &SqlLayout,
    table: &Table,
    tables: &[Table],
    columns: Columns,
    hidden: Hidden,
) -> TablePlace {
    let mut place = TablePlace {
        lookups: lookups_of(sql, table, tables, &columns),
        scope: scope::unknown_to(sql, table, &columns),
        columns,
        hidden,
        ..bare_place(table)
    };
    if place.key.is_empty() {
        place.key = contents_of(sql, &place);
        place.addressed = Addressed::ByContents;
    }
    place
}

/// A table without any layout's columns in it.
pub fn bare_place(table: &Table) -> TablePlace {
    TablePlace {
        schema: Arc::from(table.schema.as_str()),
        table: Arc::from(table.name.as_str()),
        columns: Vec::new(),
        hidden: Vec::new(),
        scope: Vec::new(),
        key: key_of(table),
        addressed: Addressed::ByKey,
        lookups: Vec::new(),
        every: table
            .columns
            .iter()
            .filter(|c| c.readable)
            .map(|c| (c.name.clone(), c.kind))
            .collect(),
        rows: table.rows,
        // Views and single columns have none of what the server keeps beside a row.
        shows_holder: table.tells_holder && table.row_id.as_deref() == Some("ctid"),
    }
}

/// The layout's columns in the table, or in words which are missing.
pub fn columns_of(sql: &SqlLayout, table: &Table) -> Result<(Columns, Hidden), Vec<String>> {
    let (mut columns, mut hidden) = (Vec::new(), Vec::new());
    let mut missing = Vec::new();
    for rule in &sql.columns {
        let found = rule.names.iter().find_map(|name| {
            table
                .columns
                .iter()
                .find(|column| column.name.eq_ignore_ascii_case(name))
        });
        match found {
            Some(column) if rule.kinds.is_empty() || rule.kinds.contains(&column.kind) => {
                if !column.readable {
                    hidden.push((rule.role.clone(), column.name.clone()));
                    continue;
                }
                columns.push((rule.role.clone(), column.name.clone(), column.kind));
            }
            Some(column) if !rule.optional => {
                missing.push(format!("`{}` is of type {}", column.name, column.declared));
            }
            None if !rule.optional => {
                missing.push(format!(
                    "there is no column `{}`",
                    rule.names.join("` or `")
                ));
            }
            _ => {}
        }
    }
    if missing.is_empty() {
        Ok((columns, hidden))
    } else {
        Err(missing)
    }
}

/// What other tables of the same schema tell; one that is missing or may not be read tells nothing.
fn lookups_of(
    sql: &SqlLayout,
    table: &Table,
    tables: &[Table],
    columns: &Columns,
) -> Vec<(String, Lookup)> {
    let resolve = |spec: &LookupSpec| {
        let other = tables.iter().find(|other| {
            other.schema == table.schema
                && other.readable
                && other.name.eq_ignore_ascii_case(&spec.table)
        })?;
        let theirs = |name: &str| {
            let column = other.column(name).filter(|column| column.readable);
            column.map(|column| column.name.clone())
        };
        let ours = |role: &str| {
            columns
                .iter()
                .find(|(known, _, _)| known == role)
                .map(|(_, name, _)| name.clone())
        };
        let on: Option<Vec<(String, String)>> = spec
            .on
            .iter()
            .map(|(their, our)| Some((theirs(their)?, ours(our)?)))
            .collect();
        let newest = match &spec.newest {
            Some(name) => Some(theirs(name)?),
            None => None,
        };
        Some(Lookup {
            schema: other.schema.clone(),
            table: other.name.clone(),
            on: on?,
            take: theirs(&spec.take)?,
            newest,
        })
    };
    sql.lookups
        .iter()
        .filter_map(|(name, spec)| Some((name.clone(), resolve(spec)?)))
        .collect()
}

/// The columns that address a row: the primary key, else the store's own row number. A login that
/// may read neither is helped by any other index that makes rows unique.
fn key_of(table: &Table) -> Vec<(String, ColumnKind)> {
    let seen = table.seen();
    let other = seen.unique.first().filter(|_| table.row_id.is_none());
    let key = match seen.primary_key.as_slice() {
        [] => other.map_or(&[][..], Vec::as_slice),
        key => key,
    };
    if key.is_empty() {
        return table
            .row_id
            .iter()
            .map(|name| (name.clone(), ColumnKind::Other))
            .collect();
    }
    key.iter()
        .filter_map(|name| Some((name.clone(), table.column(name)?.kind)))
        .collect()
}

/// What tells rows apart where the store has nothing that does, as in a view: whose a key is, what
/// the layout takes for unique, the key itself, and what was called.
fn contents_of(sql: &SqlLayout, place: &TablePlace) -> Vec<(String, ColumnKind)> {
    const FIELDS: [&str; 5] = [
        "idempotency_key",
        "key_digest",
        "operation",
        "method",
        "path",
    ];
    let form = &sql.row.list;
    let role_of = |slot: usize| {
        let at = form.input_slots.iter().position(|known| *known == slot)?;
        match form.inputs.get(at)? {
            Input::Column(role) => Some(role.as_str()),
            _ => None,
        }
    };
    let scope = form.scope.iter().filter_map(|(_, slot)| role_of(*slot));
    let unique = sql.unique.iter().map(String::as_str);
    // Some layouts read a field of one column or another, by the form of the row.
    let tables: Vec<_> = std::iter::once(&form.fields)
        .chain(form.cases.iter().map(|case| &case.fields))
        .collect();
    let fields = FIELDS.into_iter().filter_map(Field::named);
    let fields = fields.flat_map(|field| tables.iter().flat_map(move |table| table.get(field)));
    let fields = fields.filter_map(|source| role_of(source.slot));
    let mut key: Vec<(String, ColumnKind)> = place.scope.clone();
    for role in scope.chain(unique).chain(fields) {
        if let Some((name, kind)) = place.column(role)
            && !key.iter().any(|(known, _)| known == name)
        {
            key.push((name.to_owned(), kind));
        }
    }
    key
}

/// A sentence about columns that this login may not read.
pub fn of_hidden(hidden: &[(String, String)]) -> Option<String> {
    let names: Vec<&str> = hidden.iter().map(|(_, name)| name.as_str()).collect();
    (!names.is_empty()).then(|| {
        let names = names.join("`, `");
        format!("this login may not read `{names}`: what they tell is unknown")
    })
}
