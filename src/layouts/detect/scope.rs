//! Columns that tell whose a key is, in a table whose layout does not know them.
//!
//! Apart from the layouts because people add such a column to a table that a library describes;
//! without it, keys of two tenants would be shown as one key that stands twice.

use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};
use crate::layouts::layout::SqlLayout;
use crate::layouts::vocabulary::{Roles, vocabulary};

/// What makes a key unique together with the columns that the layout says do; where the layout
/// knows no scope at all, also the column that is called like one.
pub fn unknown_to(
    sql: &SqlLayout,
    table: &Table,
    described: &[(String, String, ColumnKind)],
) -> Vec<(String, ColumnKind)> {
    let Some(words) = vocabulary() else {
        return Vec::new();
    };
    let roles = Roles::of(words, table);
    let is_free = |column: &&Column| {
        column.readable && !described.iter().any(|(_, name, _)| *name == column.name)
    };
    let mut scope: Vec<&Column> = beside_the_key(sql, table, described)
        .into_iter()
        .filter(is_free)
        .filter(|column| may_be_scope(&roles, column))
        .collect();
    if scope.is_empty() && sql.row.list.scope.is_empty() {
        scope.extend(roles.get("scope").filter(is_free));
    }
    scope
        .into_iter()
        .map(|column| (column.name.clone(), column.kind))
        .collect()
}

/// The other columns of the smallest index that holds all that the layout takes for unique.
fn beside_the_key<'t>(
    sql: &SqlLayout,
    table: &'t Table,
    described: &[(String, String, ColumnKind)],
) -> Vec<&'t Column> {
    let unique: Option<Vec<&String>> = sql
        .unique
        .iter()
        .map(|role| {
            let found = described.iter().find(|(known, _, _)| known == role);
            found.map(|(_, name, _)| name)
        })
        .collect();
    let Some(unique) = unique.filter(|unique| !unique.is_empty()) else {
        return Vec::new();
    };
    let indexes = std::iter::once(&table.primary_key).chain(&table.unique);
    let smallest = indexes
        .filter(|index| unique.iter().all(|name| index.contains(name)))
        .min_by_key(|index| index.len());
    let names = smallest.into_iter().flatten();
    names
        .filter(|name| !unique.contains(name))
        .filter_map(|name| table.column(name))
        .collect()
}

/// A partitioned table has its time in the key, too.
fn may_be_scope(roles: &Roles<'_>, column: &Column) -> bool {
    let is_time = matches!(column.kind, ColumnKind::Time | ColumnKind::NaiveTime);
    let mut known = roles.0.iter();
    let role = known.find(|(_, known)| known.name == column.name);
    !is_time && role.is_none_or(|(role, _)| *role == "scope")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layouts::Layouts;
    use crate::layouts::detect::place::place_in;

    /// The scope of a table that `uuid-key-locked-at` fits, with more columns and this primary key.
    #[track_caller]
    fn check(more: &[(&str, ColumnKind)], key: &[&str], expected: &[&str]) {
        use ColumnKind::{Int, Text, Time};
        let usual = [
            ("key", Text),
            ("created_at", Time),
            ("expires_at", Time),
            ("locked_at", Time),
            ("request_path", Text),
            ("payload_hash", Text),
            ("response_status", Int),
            ("response_body", Text),
        ];
        let columns = usual.iter().chain(more).map(|(name, kind)| Column {
            name: (*name).to_owned(),
            declared: String::new(),
            kind: *kind,
            nullable: true,
            readable: true,
        });
        let table = Table {
            schema: "public".to_owned(),
            name: "idempotency_keys".to_owned(),
            columns: columns.collect(),
            primary_key: key.iter().map(|name| (*name).to_owned()).collect(),
            readable: true,
            ..Table::default()
        };
        let layouts = Layouts::built_in();
        let layout = layouts.get("uuid-key-locked-at").expect("a layout");
        let place = place_in(layout, &table, &[]).expect("a place");
        let names: Vec<&str> = place.scope.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_column_that_the_layout_does_not_know_tells_whose_a_key_is() {
        use ColumnKind::{Int, Text, Time};
        check(&[], &["key"], &[]);
        check(&[("scope", Text)], &["key"], &["scope"]);
        check(&[("tenantId", Text)], &["tenantId", "key"], &["tenantId"]);
        // What stands in the key is surer than what only has the name.
        let two = [("realm_no", Int), ("user_id", Int)];
        check(&two, &["realm_no", "key"], &["realm_no"]);
        check(&[("day", Time)], &["day", "key"], &[]);
        check(&[("note", Text)], &["key"], &[]);
        // The path is no scope, and neither is what the layout itself reads.
        check(&[("method", Text)], &["method", "key"], &[]);
        check(&[], &["created_at", "key"], &[]);
    }
}
