//! The little SQL that is put together from names: identifiers are quoted here and nowhere else.

use crate::domain::raw::{ColumnKind, ColumnWant};

/// An identifier in double quotes. A NUL cannot stand in one and is left out.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// `"schema"."table"`.
pub fn quoted_table(schema: &str, table: &str) -> String {
    format!("{}.{}", quoted(schema), quoted(table))
}

/// The column of a page for a want: the value in a form we read, or only whether it is there.
pub fn select_list(wants: &[ColumnWant], as_text: &str) -> String {
    let columns: Vec<String> = wants
        .iter()
        .map(|want| match want {
            ColumnWant::Value {
                column,
                kind: ColumnKind::Other,
            } => {
                format!("CAST({} AS {as_text})", quoted(column))
            }
            ColumnWant::Value { column, .. } => quoted(column),
            ColumnWant::Presence { column } => format!("({} IS NOT NULL)", quoted(column)),
        })
        .collect();
    if columns.is_empty() {
        "1".to_owned()
    } else {
        columns.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_quotes() {
        assert_eq!(
            quoted("a\"; DROP TABLE x; --"),
            "\"a\"\"; DROP TABLE x; --\""
        );
        assert_eq!(quoted_table("public", "t"), "\"public\".\"t\"");
    }
}
