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
use crate::layouts::log::{LogLayout, LogName, Wording};
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
        Family::Tables => tables(session.store.tables().await?, layouts),
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
    // One of so many keys may not have been come by.
    let exact = layouts.logs().flat_map(|(_, log)| log.exact_streams());
    for name in exact {
        if !found.complete && !found.names.iter().any(|known| known == name) {
            found.names.push(name.to_vec());
        }
    }
    let mut logs = Logs {
        complete: found.complete,
        ..Logs::default()
    };
    let usual = Arc::new(Wording::of_entries());
    for name in found.names {
        let mut described = layouts.logs().filter(|(_, log)| log.is_in_stream(&name));
        let by = described.next().map(|(_, log)| log);
        let wording = by.map_or_else(|| usual.clone(), |log| Arc::new(log.wording.clone()));
        stream(session, name, (wording, by.is_some()), &mut logs).await?;
    }
    Ok(logs)
}

/// Looks whether a stream is a log, by its first entries.
async fn stream(
    session: &Session,
    name: Vec<u8>,
    (wording, is_described): (Arc<Wording>, bool),
    logs: &mut Logs,
) -> Result<(), StoreError> {
    let query = StreamQuery {
        name: name.clone(),
        from: StreamId::default(),
        to_ms: u64::MAX,
        count: LOOK_AT,
    };
    let is_named = is_described || name.starts_with(b"idem:log");
    let is_entry = |fields: &Vec<(Vec<u8>, Vec<u8>)>| is_entry(fields, &wording);
    let place = LogPlace::Stream(Arc::new(LogStream {
        name,
        wording: wording.clone(),
    }));
    let page = match session.store.stream_page(&query).await {
        Ok(page) => page,
        Err(error) if error.is_connection() => return Err(error),
        Err(error) => {
            logs.refused.push((place.name(), error.text));
            return Ok(());
        }
    };
    // One that is trimmed to nothing: what comes will be attempts.
    let is_empty = is_named && page.entries.is_empty();
    if is_empty || page.entries.iter().any(|(_, fields)| is_entry(fields)) {
        logs.places.push(place);
    } else if is_named {
        let (outcome, rest) = expected(&wording);
        let why = format!("its entries have no fields `{outcome}` and {rest}");
        logs.refused.push((place.name(), why));
    }
    Ok(())
}

/// Whether the fields of an entry are those of an attempt.
fn is_entry(fields: &[(Vec<u8>, Vec<u8>)], wording: &Wording) -> bool {
    let is_there = |name: &LogName| {
        let mut names = fields.iter().map(|(name, _)| name.as_slice());
        names.any(|known| known == name.name.as_bytes())
    };
    let has = |field: Field| wording.name_of(field).is_some_and(is_there);
    let is_fixed = |field: Field| wording.name_of(field).is_none() && wording.says(field);
    let tells = [Field::Status, Field::Endpoint];
    has(Field::Outcome) && tells.into_iter().any(|field| has(field) || is_fixed(field))
}

/// The fields without which a stream is no log, as they are called there.
fn expected(wording: &Wording) -> (&str, String) {
    let called = |field| wording.name_of(field).map(|name| name.name.as_str());
    let rest = [Field::Endpoint, Field::Status]
        .into_iter()
        .filter_map(called);
    let rest: Vec<String> = rest.map(|name| format!("`{name}`")).collect();
    let outcome = called(Field::Outcome).unwrap_or_default();
    (outcome, rest.join(" or "))
}

fn tables(all: Vec<Table>, layouts: &Layouts) -> Logs {
    let mut logs = Logs {
        complete: true,
        ..Logs::default()
    };
    let usual = Arc::new(Wording::of_columns());
    for table in all {
        let is_here = |log: &LogLayout| log.is_in_table(&table.schema, &table.name);
        let described = layouts.logs().find(|(_, log)| is_here(log));
        let wording = match described {
            Some((_, log)) => Arc::new(log.wording.clone()),
            None => usual.clone(),
        };
        let has = |field: Field| {
            let name = wording.name_of(field);
            name.is_some_and(|name| table.column(&name.name).is_some())
        };
        let needed = [Field::At, Field::Outcome, Field::Endpoint, Field::Status];
        let is_log = described.is_some() || needed.into_iter().all(has);
        if !is_log {
            continue;
        }
        let found = match described {
            Some((layout, _)) => missing(&table, &wording, &layout.id).map_or(Ok(()), Err),
            None => Ok(()),
        };
        match found.and_then(|()| log_table(&table.seen(), wording)) {
            Ok(found) => logs.places.push(LogPlace::Table(Arc::new(found))),
            Err(why) => logs.refused.push((table.place(), why)),
        }
    }
    logs
}

/// What a layout names and the table does not have.
fn missing(table: &Table, wording: &Wording, layout: &str) -> Option<String> {
    let mut names = wording.names.iter().map(|name| &name.name);
    let missing = names.find(|name| table.column(name).is_none())?;
    Some(format!(
        "it has no column `{missing}`, which the layout `{layout}` names"
    ))
}

/// What is neither text nor number comes as the text that the store shows.
fn as_read(kind: ColumnKind) -> ColumnKind {
    match kind {
        ColumnKind::Int | ColumnKind::Float | ColumnKind::Text => kind,
        _ => ColumnKind::Other,
    }
}

/// Errors: why it cannot be read.
fn log_table(table: &Table, wording: Arc<Wording>) -> Result<LogTable, String> {
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
    let is_sqlite = table
        .row_id
        .as_deref()
        .is_some_and(|row_id| row_id != "ctid");
    let time_kind = match kind {
        ColumnKind::Int => ColumnKind::Int,
        // SQLite has no times, only texts that look like them, and numbers of any kind.
        ColumnKind::Time | ColumnKind::NaiveTime if !is_sqlite => kind,
        ColumnKind::Float if is_sqlite => ColumnKind::Int,
        _ => {
            let name = &time.name;
            return Err(format!(
                "its column `{name}` is neither a time nor an integer"
            ));
        }
    };
    let (tie, is_time_indexed) = tie(table, &time.name, is_sqlite)?;
    let columns = wording.names.iter().filter(|name| *name != time);
    let columns = columns.filter_map(|name| {
        let kind = as_read(table.column(&name.name)?.kind);
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
fn tie(table: &Table, time: &str, is_sqlite: bool) -> Result<(Tie, bool), String> {
    let numbered = match table.primary_key.as_slice() {
        [one] => table
            .column(one)
            .filter(|column| column.kind == ColumnKind::Int)
            .map(|column| column.name.clone()),
        _ => None,
    };
    let is_time_indexed = table.indexed.iter().any(|column| column == time);
    let by_row = || table.row_id.clone();
    if let Some(number) = numbered.or_else(|| by_row().filter(|_| is_sqlite)) {
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
