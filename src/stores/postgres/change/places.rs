//! The usual way of changing rows: each at the place where it was seen.
//!
//! Apart from the way by key because nothing is searched here, and what is not found so says
//! nothing yet: the row may have been moved, changed, removed, or be held. Invariants: only a row
//! of the version, the key and the columns that were seen is written, under a lock; a row that
//! somebody holds is not waited for.

use super::sql::{Deed, Group, Prepared, arrays, version, written_as};
use crate::domain::change::{RowChange, ShapeColumn};
use crate::stores::sql::quoted;

/// Types whose equality is as good as that of their texts, once the version is the same.
const PLAIN: [&str; 12] = [
    "bigint",
    "boolean",
    "character varying",
    "date",
    "double precision",
    "integer",
    "real",
    "smallint",
    "text",
    "timestamp with time zone",
    "timestamp without time zone",
    "uuid",
];

impl Group<'_> {
    /// Gives a line a row that was changed, its number and its new place, and one with the number
    /// 0: how many were locked, the transaction's number, and when the server was started.
    /// `None` where the places are not known.
    pub fn by_places(&self) -> Option<Prepared> {
        let columns: &[usize] = match &self.deed {
            Deed::Update(columns) if !columns.is_empty() => columns,
            Deed::Delete => &[],
            Deed::Update(_) | Deed::Insert => return None,
        };
        let seen = |(_, row): &(usize, &RowChange)| match version(&row.seen) {
            (Some(number), Some(place)) => Some((number, place)),
            _ => None,
        };
        let seen: Vec<(String, String)> = self.rows.iter().map(seen).collect::<Option<_>>()?;
        let (numbers, places) = seen
            .into_iter()
            .map(|(number, place)| (Some(number), Some(place)))
            .unzip();
        let mut names = vec!["version".to_owned(), "place".to_owned()];
        let mut binds: Vec<Vec<Option<String>>> = vec![numbers, places];
        let mut same = vec![
            "t.ctid = w.place::tid".to_owned(),
            "t.xmin::text = w.version".to_owned(),
        ];
        for (number, at) in self.key_columns().into_iter().enumerate() {
            let of = self.column(at);
            names.push(format!("k{number}"));
            binds.push(self.texts(|row| self.column_text(&row.seen, at)));
            let (name, declared) = (quoted(&of.name), &of.declared);
            same.push(format!("t.{name} = w.k{number}::{declared}"));
        }
        let (mut taken, mut sets) = (String::new(), Vec::new());
        for at in columns {
            let of = self.column(*at);
            names.extend([format!("s{at}"), format!("n{at}")]);
            binds.push(self.texts(|row| self.column_text(&row.seen, *at)));
            binds.push(self.texts(|row| self.column_text(&row.then, *at)));
            same.push(is_as_seen(&of, *at));
            taken.push_str(&format!(", w.n{at}"));
            let written = written_as(&of.declared);
            sets.push(format!("{} = l.n{at}::{written}", quoted(&of.name)));
        }
        let table = self.table();
        let done = match sets.is_empty() {
            true => format!("DELETE FROM {table} AS t USING locked l"),
            false => format!("UPDATE {table} AS t SET {} FROM locked l", sets.join(", ")),
        };
        let told = match sets.is_empty() {
            true => "NULL::text",
            false => "t.ctid::text",
        };
        // A place is one in its partition only.
        let sql = format!(
            "WITH locked AS (SELECT w.ord, t.tableoid AS part, t.ctid AS at{taken} \
             FROM unnest({}) WITH ORDINALITY AS w({}, ord) JOIN {table} AS t ON {} \
             FOR UPDATE OF t SKIP LOCKED), \
             done AS ({done} WHERE t.ctid = l.at AND t.tableoid = l.part \
             RETURNING l.ord, {told} AS place) \
             SELECT d.ord, d.place, NULL::text, NULL::text FROM done d UNION ALL \
             SELECT 0, (SELECT pg_catalog.count(*) FROM locked)::text, \
             pg_catalog.txid_current()::text, pg_catalog.pg_postmaster_start_time()::text",
            arrays(binds.len()),
            names.join(", "),
            same.join(" AND "),
        );
        Some(Prepared { sql, binds })
    }

    fn texts(&self, of: impl Fn(&RowChange) -> Option<String>) -> Vec<Option<String>> {
        self.rows.iter().map(|(_, row)| of(row)).collect()
    }
}

fn is_as_seen(column: &ShapeColumn, at: usize) -> String {
    let (name, declared) = (quoted(&column.name), &column.declared);
    let (plain, _) = declared.split_once('(').unwrap_or((declared, ""));
    match PLAIN.contains(&plain) {
        true => format!("t.{name} IS NOT DISTINCT FROM w.s{at}::{declared}"),
        // Both as the server writes them now, whatever its settings are.
        false => format!("t.{name}::text IS NOT DISTINCT FROM (w.s{at}::{declared})::text"),
    }
}
