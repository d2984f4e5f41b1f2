//! The statements that compare rows and change them.
//!
//! Apart from the transactions around them. One statement takes many rows: it locks those that are
//! free, compares each in its newest version, and changes those that are as they were seen. What
//! has no lock in the hand of this transaction is never written.

use std::sync::Arc;

use crate::domain::change::{ExactCell, RowChange, RowState, ShapeColumn, TableShape};
use crate::stores::sql::{quoted, quoted_table};

/// What is done to rows in one statement: the same to all of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// These columns, by their places in the shape, get new values.
    Update(Vec<usize>),
    Delete,
    Insert,
}

/// Rows that go into one statement.
pub struct Group<'c> {
    pub shape: Arc<TableShape>,
    pub deed: Deed,
    /// Whether rows are told apart by version; else all their cells are compared.
    pub versioned: bool,
    pub rows: Vec<(usize, &'c RowChange)>,
}

/// A statement with its arrays, one a bind.
pub struct Prepared {
    pub sql: String,
    pub binds: Vec<Vec<Option<String>>>,
}

/// What is to be done to a row.
///
/// Errors: why it is not done, in one sentence.
pub fn deed(change: &RowChange) -> Result<Deed, String> {
    let shape = &change.shape;
    let deed = match (&change.seen, &change.then) {
        (RowState::Absent, RowState::Row { .. }) if !shape.hidden.is_empty() => {
            return Err(format!(
                "the row cannot be put back whole: this login may not read `{}`",
                shape.hidden.join("`, `")
            ));
        }
        (RowState::Absent, RowState::Row { .. }) => Deed::Insert,
        (RowState::Row { .. }, RowState::Absent) if !shape.cascades.is_empty() => {
            return Err(format!(
                "rows of {} would go with it, and could not be put back",
                shape.cascades.join(", ")
            ));
        }
        (RowState::Row { .. }, RowState::Absent) => Deed::Delete,
        (RowState::Row { cells: seen, .. }, RowState::Row { cells: then, .. }) => {
            let writable = |at: &usize| shape.columns.get(*at).is_some_and(|of| !of.generated);
            let differs = |at: &usize| seen.get(*at) != then.get(*at);
            Deed::Update(
                (0..shape.columns.len())
                    .filter(writable)
                    .filter(differs)
                    .collect(),
            )
        }
        (RowState::Absent, RowState::Absent) => return Err("there is nothing to do".to_owned()),
    };
    for state in [&change.seen, &change.then] {
        if let RowState::Row { cells, .. } = state {
            if cells.len() != shape.columns.len() {
                return Err("the row does not fit its table".to_owned());
            }
            for (cell, column) in cells.iter().zip(&shape.columns) {
                text(cell, column)?;
            }
        }
    }
    if shape.key.is_empty() && deed != Deed::Insert {
        return Err("nothing tells this row from others: the table has no key".to_owned());
    }
    Ok(deed)
}

/// A cell as the text that the server takes for it.
fn text(cell: &ExactCell, column: &ShapeColumn) -> Result<Option<String>, String> {
    Ok(Some(match cell {
        ExactCell::Null => return Ok(None),
        ExactCell::Int(number) => number.to_string(),
        ExactCell::Real(number) => number.to_string(),
        ExactCell::Text(text) => text.clone(),
        ExactCell::Blob(bytes) if column.declared == "bytea" => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("\\x{digits}")
        }
        ExactCell::Blob(_) | ExactCell::RawText(_) => {
            return Err(format!("`{}` holds text that is not UTF-8", column.name));
        }
    }))
}

/// The type to cast a text to that is written: without a width, since a cast to it cuts off what
/// is too long, where the column itself refuses it.
pub(super) fn written_as(declared: &str) -> String {
    for (long, short) in [
        ("character varying(", "character varying"),
        ("character(", "bpchar"),
    ] {
        let rest = declared.strip_prefix(long);
        if let Some((_, rest)) = rest.and_then(|rest| rest.split_once(')')) {
            return format!("{short}{rest}");
        }
    }
    declared.to_owned()
}

fn cells(state: &RowState) -> &[ExactCell] {
    match state {
        RowState::Absent => &[],
        RowState::Row { cells, .. } => cells,
    }
}

/// A version as it was read: the number of the transaction that wrote the row, and its place.
pub(super) fn version(state: &RowState) -> (Option<String>, Option<String>) {
    let RowState::Row {
        version: Some(version),
        ..
    } = state
    else {
        return (None, None);
    };
    match version.split_once(' ') {
        Some((number, place)) => (Some(number.to_owned()), Some(place.to_owned())),
        None => (Some(version.clone()), None),
    }
}

/// The version of a row that was written: the transaction's number as rows bear it.
pub fn new_version(
    deed: &Deed,
    row: &RowChange,
    number: Option<&str>,
    place: Option<String>,
) -> Option<String> {
    let version = match deed {
        Deed::Delete => return None,
        // Only compared: it is as it was.
        Deed::Update(columns) if columns.is_empty() => match &row.seen {
            RowState::Row { version, .. } => return version.clone(),
            RowState::Absent => return None,
        },
        _ => (number?.parse::<u64>().ok()? & 0xffff_ffff).to_string(),
    };
    Some(match place {
        Some(place) => format!("{version} {place}"),
        None => version,
    })
}

impl Group<'_> {
    pub fn by_place(&self) -> bool {
        matches!(self.shape.key.as_slice(), [only] if only == "ctid")
    }

    pub(super) fn key_columns(&self) -> Vec<usize> {
        let names = self.shape.key.iter();
        names.filter_map(|name| self.shape.column(name)).collect()
    }

    pub(super) fn column(&self, at: usize) -> ShapeColumn {
        self.shape.columns.get(at).cloned().unwrap_or_default()
    }

    pub(super) fn column_text(&self, state: &RowState, at: usize) -> Option<String> {
        let cell = cells(state).get(at)?;
        text(cell, &self.column(at)).ok().flatten()
    }

    pub(super) fn table(&self) -> String {
        quoted_table(&self.shape.schema, &self.shape.table)
    }

    /// Locks, compares and changes. Gives a line a row: its number, one letter (`d` done, `c`
    /// changed, `g` gone, `s` skipped since somebody holds it, `x` kept as it was by the table),
    /// its place, and the transaction's number.
    pub fn statement(&self) -> Prepared {
        match &self.deed {
            Deed::Insert => self.insert(),
            Deed::Delete => self.change(&[], "DELETE FROM"),
            Deed::Update(columns) => self.change(columns, "UPDATE"),
        }
    }

    /// The condition under which a row is as it was seen: its version, and the columns that are
    /// to change; without a version all of them.
    fn comparison(
        &self,
        columns: &[usize],
        names: &mut Vec<String>,
        binds: &mut Vec<Vec<Option<String>>>,
    ) -> String {
        let mut same = vec!["true".to_owned()];
        if self.versioned {
            names.push("version".to_owned());
            let versions = self.rows.iter().map(|(_, row)| version(&row.seen).0);
            binds.push(versions.collect());
            same.push("t.xmin::text = w.version".to_owned());
        }
        let compared: Vec<usize> = match self.versioned {
            true => columns.to_vec(),
            false => (0..self.shape.columns.len()).collect(),
        };
        for at in compared {
            let column = self.column(at);
            let (name, declared) = (quoted(&column.name), &column.declared);
            names.push(format!("s{at}"));
            let seen = self
                .rows
                .iter()
                .map(|(_, row)| self.column_text(&row.seen, at));
            binds.push(seen.collect());
            // Both as the server writes them now, whatever its settings are.
            same.push(format!(
                "t.{name}::text IS NOT DISTINCT FROM (w.s{at}::{declared})::text"
            ));
        }
        same.join(" AND ")
    }

    fn change(&self, columns: &[usize], word: &str) -> Prepared {
        let mut binds = self.key_binds();
        let mut names: Vec<String> = (0..binds.len()).map(|at| format!("k{at}")).collect();
        let same = self.comparison(columns, &mut names, &mut binds);
        let mut sets = Vec::new();
        for at in columns {
            let column = self.column(*at);
            let (name, declared) = (quoted(&column.name), &column.declared);
            names.push(format!("n{at}"));
            let then = self
                .rows
                .iter()
                .map(|(_, row)| self.column_text(&row.then, *at));
            binds.push(then.collect());
            sets.push(format!("{name} = w.n{at}::{}", written_as(declared)));
        }
        let (table, join) = (self.table(), self.join());
        let done = match (word, sets.is_empty()) {
            ("UPDATE", true) => {
                "SELECT l.ord, NULL::text AS place FROM locked l WHERE l.same".to_owned()
            }
            ("UPDATE", false) => format!(
                "UPDATE {table} AS t SET {} FROM locked l JOIN want w ON w.ord = l.ord \
                 WHERE l.same AND t.ctid = l.at AND {join} RETURNING l.ord, t.ctid::text AS place",
                sets.join(", ")
            ),
            _ => format!(
                "DELETE FROM {table} AS t USING locked l JOIN want w ON w.ord = l.ord \
                 WHERE l.same AND t.ctid = l.at AND {join} RETURNING l.ord, NULL::text AS place"
            ),
        };
        let sql = format!(
            "WITH want AS (SELECT * FROM unnest({}) WITH ORDINALITY AS w({}, ord)), \
             locked AS (SELECT w.ord, t.ctid AS at, {} AS same FROM want w JOIN {table} AS t ON {join} \
             FOR UPDATE OF t SKIP LOCKED), \
             done AS ({done}) \
             SELECT w.ord, CASE WHEN d.ord IS NOT NULL THEN 'd' WHEN l.same THEN 'x' \
             WHEN l.ord IS NOT NULL THEN 'c' \
             WHEN EXISTS (SELECT 1 FROM {table} AS t WHERE {join}) THEN 's' ELSE 'g' END, \
             d.place, pg_catalog.txid_current()::text, \
             pg_catalog.pg_postmaster_start_time()::text \
             FROM want w LEFT JOIN locked l ON l.ord = w.ord LEFT JOIN done d ON d.ord = w.ord",
            arrays(binds.len()),
            names.join(", "),
            same,
        );
        Prepared { sql, binds }
    }

    fn insert(&self) -> Prepared {
        let of: Vec<usize> = (0..self.shape.columns.len())
            .filter(|at| !self.column(*at).generated)
            .collect();
        let mut binds = Vec::new();
        let (mut names, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for at in of {
            let column = self.column(at);
            names.push(format!("n{at}"));
            columns.push(quoted(&column.name));
            values.push(format!("w.n{at}::{}", written_as(&column.declared)));
            let then = self
                .rows
                .iter()
                .map(|(_, row)| self.column_text(&row.then, at));
            binds.push(then.collect());
        }
        // A row put there tells its key, by which it is found again among those that were wanted;
        // without a key there is only one.
        let (mut told, mut matched) = (vec!["1 AS one".to_owned()], vec!["true".to_owned()]);
        for (number, at) in self.key_columns().into_iter().enumerate() {
            let column = self.column(at);
            told.push(format!("{} AS r{number}", quoted(&column.name)));
            let (left, right) = (
                format!("d.r{number}"),
                format!("w.n{at}::{}", column.declared),
            );
            matched.push(self.equal(at, &left, &right, |row| &row.then));
        }
        let sql = format!(
            "WITH want AS (SELECT * FROM unnest({}) WITH ORDINALITY AS w({}, ord)), \
             done AS (INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE \
             SELECT {} FROM want w ORDER BY w.ord ON CONFLICT DO NOTHING \
             RETURNING {}, ctid::text AS place) \
             SELECT w.ord, CASE WHEN d.one IS NULL THEN 'c' ELSE 'd' END, d.place, \
             pg_catalog.txid_current()::text, pg_catalog.pg_postmaster_start_time()::text \
             FROM want w LEFT JOIN done d ON {}",
            arrays(binds.len()),
            names.join(", "),
            self.table(),
            columns.join(", "),
            values.join(", "),
            told.join(", "),
            matched.join(" AND "),
        );
        Prepared { sql, binds }
    }

    /// Which of the rows with these numbers are still there, by a look that locks nothing; and whether
    /// a policy of the table may have kept them from this login, though nobody ever locked them.
    pub fn still_there(&self) -> Prepared {
        let binds = self.key_binds();
        let names: Vec<String> = (0..binds.len()).map(|at| format!("k{at}")).collect();
        let sql = format!(
            "SELECT w.ord, {} FROM unnest({}) WITH ORDINALITY AS w({}, ord) JOIN {} AS t ON {}",
            self.kept_by_policy(),
            arrays(binds.len()),
            names.join(", "),
            self.table(),
            self.join(),
        );
        Prepared { sql, binds }
    }

    /// `n` where no policy is at work, `f` where one is and the row is free, `m` where one may be.
    fn kept_by_policy(&self) -> String {
        let active = format!(
            "pg_catalog.row_security_active({}::pg_catalog.regclass)",
            literal(&self.table())
        );
        match self.versioned {
            true => {
                format!("CASE WHEN NOT {active} THEN 'n' WHEN t.xmax = 0 THEN 'f' ELSE 'm' END")
            }
            false => format!("CASE WHEN NOT {active} THEN 'n' ELSE 'm' END"),
        }
    }
}

/// A text in a form that no setting of the server reads otherwise.
fn literal(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('\'', "''");
    format!("E'{text}'")
}

pub(super) fn arrays(count: usize) -> String {
    let arrays: Vec<String> = (1..=count).map(|bind| format!("${bind}::text[]")).collect();
    arrays.join(", ")
}
