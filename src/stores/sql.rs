//! The little SQL that is put together from names: identifiers are quoted here and nowhere else.

use crate::domain::raw::{ColumnKind, ColumnWant, Lookup};

/// An identifier in double quotes. A NUL cannot stand in one and is left out.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// `"schema"."table"`.
pub fn quoted_table(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

/// `"schema"."table" AS t`, the table that [`column`] speaks of.
pub fn from_table(schema: &str, table: &str) -> String {
    format!("{} AS t", quoted_table(schema, table))
}

/// A column of the table `t`. Without the table before it, SQLite takes a name in double quotes
/// that is no column for a text.
pub fn column(name: &str) -> String {
    format!("t.{}", quoted(name))
}

/// The column of a page for a want: the value in a form we read, or only whether it is there.
pub fn select_list(wants: &[ColumnWant], as_text: &str) -> String {
    let columns: Vec<String> = wants
        .iter()
        .map(|want| match want {
            ColumnWant::Value {
                column: name,
                kind: ColumnKind::Other,
            } => {
                format!("CAST({} AS {as_text})", column(name))
            }
            ColumnWant::Value { column: name, .. } => column(name),
            // `IS NOT NULL` is false for a composite value with one empty field.
            ColumnWant::Presence { column: name } => {
                format!("({} IS DISTINCT FROM NULL)", column(name))
            }
            ColumnWant::Lookup(lookup) => looked_up(lookup, as_text),
            // Asked only of a store that keeps it beside each row.
            ColumnWant::Holder => HOLDER.to_owned(),
        })
        .collect();
    if columns.is_empty() {
        "1".to_owned()
    } else {
        columns.join(", ")
    }
}

/// PostgreSQL's `xmax` is the transaction that last locked or changed the row, and a running one
/// holds the lock of its own number. Rows that nobody ever locked are not looked up.
const HOLDER: &str = "(t.xmax <> 0 AND t.xmax IN (SELECT l.transactionid FROM \
                      pg_catalog.pg_locks AS l WHERE l.locktype = 'transactionid' AND l.granted))";

/// One value of another table.
fn looked_up(lookup: &Lookup, as_text: &str) -> String {
    let theirs = |name: &str| format!("s.{}", quoted(name));
    let mut sql = format!(
        "(SELECT CAST({} AS {as_text}) FROM {} AS s",
        theirs(&lookup.take),
        quoted_table(&lookup.schema, &lookup.table)
    );
    for (at, (their, our)) in lookup.on.iter().enumerate() {
        let word = if at == 0 { "WHERE" } else { "AND" };
        sql.push_str(&format!(" {word} {} = {}", theirs(their), column(our)));
    }
    if let Some(newest) = &lookup.newest {
        sql.push_str(&format!(" ORDER BY {} DESC", theirs(newest)));
    }
    sql.push_str(" LIMIT 1)");
    sql
}

/// A number of rows as SQL can say it.
pub fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{column, from_table, quoted, quoted_table};

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(
            quoted("a\"; DROP TABLE x; --"),
            "\"a\"\"; DROP TABLE x; --\""
        );
        assert_eq!(quoted_table("public", "t"), "\"public\".\"t\"");
        assert_eq!(from_table("main", "a b"), "\"main\".\"a b\" AS t");
        assert_eq!(column("t.x"), "t.\"t.x\"");
    }
}
