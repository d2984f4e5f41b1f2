//! Finds logs of attempts: those that a layout describes, and streams and tables with the fields of the
//! convention.
//!
//! The latter by what they hold, not by their names. Invariant: what looks like one and is not read is
//! named, with the reason.

use std::sync::Arc;

use crate::domain::attempt::{Field, LogUnit};
use crate::domain::raw::ColumnKind;
use crate::domain::survey::Table;
use crate::inspect::session::Session;
use crate::layouts::Layouts;
use crate::layouts::log::{LogLayout, LogName, LogPart, Wording};
use crate::stores::logs::{PageOrder, StreamId, StreamQuery, Tie};
use crate::stores::{Family, StoreError};

/// Logs that are read together.
const LOGS_MAX: usize = 8;
/// Rows that are sorted for each page.
const UNINDEXED_MAX: u64 = 500_000;
/// Entries of a stream that say whether it is a log.
const LOOK_AT: usize = 3;

/// Where attempts are logged.
#[derive(Clone, Debug, PartialEq)]
pub enum LogPlace {
    Stream(Arc<LogStream>),
    Table(Arc<LogTable>),
}

/// A stream of attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct LogStream {
    pub name: Vec<u8>,
    pub wording: Arc<Wording>,
}

/// A table of attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTable {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub tie: Tie,
    /// Its column of times.
    pub time: String,
    pub time_kind: ColumnKind,
    pub unit: LogUnit,
    pub order: PageOrder,
    /// The columns there are beside the time, in the order in which they are read.
    pub columns: Vec<(LogName, ColumnKind)>,
    pub wording: Arc<Wording>,
}

impl LogPlace {
    /// A stream with the fields of the convention.
    pub fn stream(name: &[u8]) -> LogPlace {
        LogPlace::Stream(Arc::new(LogStream {
            name: name.to_vec(),
            wording: Arc::new(Wording::of_entries()),
        }))
    }

    /// Whether attempts can have keys here.
    pub fn tells_keys(&self) -> bool {
        let is_key = |part: LogPart| matches!(part, LogPart::RawKey | LogPart::Field(Field::Key));
        match self {
            LogPlace::Stream(log) => log.wording.names.iter().any(|name| is_key(name.part)),
            LogPlace::Table(table) => table.columns.iter().any(|(name, _)| is_key(name.part)),
        }
    }

    /// What to call it: `idem:log:shop`, `public.idempotency_attempts`.
    pub fn name(&self) -> String {
        match self {
            LogPlace::Stream(log) => crate::domain::address::escape_bytes(&log.name),
            LogPlace::Table(table) => format!("{}.{}", table.schema, table.table),
        }
    }
}

/// The logs of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Logs {
    pub places: Vec<LogPlace>,
    /// What looks like one and is none that is read, and why.
    pub refused: Vec<(String, String)>,
    /// Whether there can be no others.
    pub complete: bool,
}

/// Looks for the logs of a store: first by what the layouts say.
///
/// Errors: the store does not answer. What this login may not read is refused, with the reason.
pub async fn find_logs(session: &Session, layouts: &Layouts) -> Result<Logs, StoreError> {
    let mut logs = match session.family() {
        Family::Keys => streams(session, layouts).await?,
        Family::Tables => {
            let is_file = session.store.is_file();
            tables(session.store.tables().await?, layouts, is_file)
        }
    };
    if logs.places.len() > LOGS_MAX {
        for place in logs.places.split_off(LOGS_MAX) {
            let why = format!("{LOGS_MAX} logs are read together");
            logs.refused.push((place.name(), why));
        }
    }
    Ok(logs)
}

async fn streams(session: &Session, layouts: &Layouts) -> Result<Logs, StoreError> {
    let mut found = session.store.streams().await?;
    // It may not have been come by, or be of another type.
    let exact = layouts.logs().flat_map(|(_, log)| log.exact_streams());
    let mut added = 0;
    for name in exact {
        if !found.names.iter().any(|known| known == name) {
            found.names.push(name.to_vec());
            added += 1;
        }
    }
    let mut logs = Logs {
        complete: found.complete,
        ..Logs::default()
    };
    let seen = found.names.len() - added;
    for (at, name) in found.names.into_iter().enumerate() {
        stream(session, name, layouts, at < seen, &mut logs).await?;
    }
    Ok(logs)
}

/// Looks whether a stream is a log, by its first entries; in the words of the first layout that fits.
async fn stream(
    session: &Session,
    name: Vec<u8>,
    layouts: &Layouts,
    is_seen: bool,
    logs: &mut Logs,
) -> Result<(), StoreError> {
    let query = StreamQuery {
        name: name.clone(),
        from: StreamId::default(),
        to_ms: u64::MAX,
        count: LOOK_AT,
    };
    let described = layouts.logs().filter(|(_, log)| log.is_in_stream(&name));
    let mut wordings: Vec<Wording> = described.map(|(_, log)| log.wording.clone()).collect();
    let is_named = !wordings.is_empty() || name.starts_with(b"idem:log");
    wordings.push(Wording::of_entries());
    let place = |wording: &Wording| {
        LogPlace::Stream(Arc::new(LogStream {
            name: name.clone(),
            wording: Arc::new(wording.clone()),
        }))
    };
    let Some(first) = wordings.first() else {
        return Ok(());
    };
    let page = match session.store.stream_page(&query).await {
        Ok(page) => page,
        Err(error) if error.is_connection() => return Err(error),
        Err(error) => {
            logs.refused.push((place(first).name(), error.text));
            return Ok(());
        }
    };
    let fits = |wording: &&Wording| {
        let mut entries = page.entries.iter();
        entries.any(|(_, fields)| is_entry(fields, wording))
    };
    // One that is trimmed to nothing: what comes will be attempts.
    let is_empty = is_named && is_seen && page.entries.is_empty();
    if let Some(wording) = wordings.iter().find(fits).or(is_empty.then_some(first)) {
        logs.places.push(place(wording));
    } else if is_named && !page.entries.is_empty() {
        logs.refused.push((place(first).name(), lacks(first)));
    }
    Ok(())
}

/// Whether the fields of an entry are those of an attempt.
fn is_entry(fields: &[(Vec<u8>, Vec<u8>)], wording: &Wording) -> bool {
    let is_there = |name: &LogName| {
        let mut names = fields.iter().map(|(name, _)| name.as_slice());
        names.any(|known| known == name.name.as_bytes())
    };
    let has = |field: Field| match wording.name_of(field) {
        Some(name) => is_there(name),
        // What is the same for all.
        None => wording.says(field),
    };
    has(Field::Outcome) && (has(Field::Status) || has(Field::Endpoint))
}

/// What a stream has to have to be a log, as it is called there.
fn lacks(wording: &Wording) -> String {
    let called = |field| wording.name_of(field).map(|name| name.name.as_str());
    let rest = [Field::Endpoint, Field::Status]
        .into_iter()
        .filter_map(called);
    let rest: Vec<String> = rest.map(|name| format!("`{name}`")).collect();
    let mut lacks = format!(
        "its entries have no field `{}`",
        called(Field::Outcome).unwrap_or_default()
    );
    if !rest.is_empty() {
        lacks.push_str(&format!(", or neither of {}", rest.join(" and ")));
    }
    lacks
}

fn tables(all: Vec<Table>, layouts: &Layouts, is_file: bool) -> Logs {
    let mut logs = Logs {
        complete: true,
        ..Logs::default()
    };
    for table in all {
        let found = match wording_of(&table, layouts) {
            Ok(None) => continue,
            Ok(Some(wording)) => log_table(&table.seen(), Arc::new(wording), is_file),
            Err(why) => Err(why),
        };
        match found {
            Ok(found) => logs.places.push(LogPlace::Table(Arc::new(found))),
            Err(why) => logs.refused.push((table.place(), why)),
        }
    }
    logs
}

/// In whose words a table is a log: those of the first layout whose columns are all there, else of the
/// convention; `None` where it is none.
///
/// Errors: what a layout names and is not there.
fn wording_of(table: &Table, layouts: &Layouts) -> Result<Option<Wording>, String> {
    let mut first_missing = None;
    let is_here = |log: &LogLayout| log.is_in_table(&table.schema, &table.name);
    for (layout, log) in layouts.logs().filter(|(_, log)| is_here(log)) {
        match missing(table, &log.wording, &layout.id) {
            None => return Ok(Some(log.wording.clone())),
            Some(missing) => first_missing = first_missing.or(Some(missing)),
        }
    }
    let has = |field: Field| table.column(field.names().1).is_some();
    let needed = [Field::At, Field::Outcome, Field::Endpoint, Field::Status];
    match (needed.into_iter().all(has), first_missing) {
        (true, _) => Ok(Some(Wording::of_columns())),
        (false, Some(missing)) => Err(missing),
        (false, None) => Ok(None),
    }
}

/// What a layout names and the table does not have.
fn missing(table: &Table, wording: &Wording, layout: &str) -> Option<String> {
    let mut names = wording.names.iter().map(|name| &name.name);
    let missing = names.find(|name| table.column(name).is_none())?;
    Some(format!(
        "it has no column `{missing}`, which the layout `{layout}` names"
    ))
}

/// What is neither text nor number comes as the text that the store shows, and so does a number that is
/// a word here: an account, a key.
fn as_read(part: LogPart, kind: ColumnKind) -> ColumnKind {
    match kind {
        ColumnKind::Text => kind,
        ColumnKind::Int | ColumnKind::Float if !part.is_text() => kind,
        _ => ColumnKind::Other,
    }
}

/// Errors: why it cannot be read.
fn log_table(table: &Table, wording: Arc<Wording>, is_file: bool) -> Result<LogTable, String> {
    let of = |field: Field| {
        let name = wording.name_of(field)?;
        Some((name, table.column(&name.name)?.kind))
    };
    let hidden = |field: Field| {
        let name = wording.name_of(field).map(|name| name.name.as_str());
        let name = name.unwrap_or_default();
        format!("this login may not read its column `{name}`")
    };
    let (time, kind) = of(Field::At).ok_or_else(|| hidden(Field::At))?;
    of(Field::Outcome).ok_or_else(|| hidden(Field::Outcome))?;
    let time_kind = match kind {
        ColumnKind::Int => ColumnKind::Int,
        // SQLite has no times, only texts that look like them, and numbers of any kind.
        ColumnKind::Time | ColumnKind::NaiveTime if !is_file => kind,
        ColumnKind::Float if is_file => ColumnKind::Int,
        _ => {
            let name = &time.name;
            return Err(format!(
                "its column `{name}` is neither a time nor an integer"
            ));
        }
    };
    let (tie, is_time_indexed) = tie(table, &time.name, is_file)?;
    let columns = wording.names.iter().filter(|name| *name != time);
    let columns = columns.filter_map(|name| {
        let kind = as_read(name.part, table.column(&name.name)?.kind);
        Some((name.clone(), kind))
    });
    Ok(LogTable {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        order: match (&tie, is_time_indexed) {
            (Tie::Number(_), false) => PageOrder::Number,
            _ => PageOrder::Time,
        },
        tie,
        time: time.name.clone(),
        time_kind,
        unit: match time_kind {
            ColumnKind::Int => time.unit,
            _ => LogUnit::Micros,
        },
        columns: columns.collect(),
        wording: wording.clone(),
    })
}

/// What tells rows of one time apart, and whether they are indexed by time.
///
/// Errors: why it cannot be paged through.
fn tie(table: &Table, time: &str, is_file: bool) -> Result<(Tie, bool), String> {
    // The key of a table in partitions has the time in it.
    let beside_time = table.primary_key.iter().filter(|name| *name != time);
    let numbered = match beside_time.collect::<Vec<_>>().as_slice() {
        [one] => table
            .column(one)
            .filter(|column| column.kind == ColumnKind::Int)
            .map(|column| column.name.clone()),
        _ => None,
    };
    let is_time_indexed = table.indexed.iter().any(|column| column == time);
    let by_row = || table.row_id.clone();
    // A column of a file may be empty though it is the key.
    let number = by_row().filter(|_| is_file).or(numbered);
    if let Some(number) = number {
        return Ok((Tie::Number(number), is_time_indexed));
    }
    let Some(row) = by_row() else {
        return Err("its rows have neither a number nor an address to page by".to_owned());
    };
    // Each page looks for the next rows by their time.
    if !is_time_indexed && table.rows.is_some_and(|rows| rows > UNINDEXED_MAX) {
        return Err(format!(
            "it is large, and its column `{time}` has no index to page by: make one"
        ));
    }
    Ok((Tie::Address(row), is_time_indexed))
}
