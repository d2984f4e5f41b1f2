//! Finds logs of attempts: streams with the convention's fields, tables with its columns.
//!
//! By what they hold, not by their names. Invariant: what looks like one and is not read is named,
//! with the reason.

use std::sync::Arc;

use crate::domain::raw::ColumnKind;
use crate::domain::survey::Table;
use crate::inspect::session::Session;
use crate::stats::Field;
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
    Stream(Vec<u8>),
    Table(Arc<LogTable>),
}

/// A table with the convention's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct LogTable {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub tie: Tie,
    pub time_kind: ColumnKind,
    pub order: PageOrder,
    /// The fields there are, in the order in which they are read.
    pub fields: Vec<(Field, ColumnKind)>,
}

impl LogPlace {
    /// What to call it: `idem:log:shop`, `public.idempotency_attempts`.
    pub fn name(&self) -> String {
        match self {
            LogPlace::Stream(name) => crate::domain::address::escape_bytes(name),
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

/// Looks for the logs of a store.
///
/// Errors: the store does not answer. What this login may not read is refused, with the reason.
pub async fn find_logs(session: &Session) -> Result<Logs, StoreError> {
    let mut logs = match session.family() {
        Family::Keys => streams(session).await?,
        Family::Tables => tables(session.store.tables().await?),
    };
    if logs.places.len() > LOGS_MAX {
        for place in logs.places.split_off(LOGS_MAX) {
            let why = format!("{LOGS_MAX} logs are read together");
            logs.refused.push((place.name(), why));
        }
    }
    Ok(logs)
}

async fn streams(session: &Session) -> Result<Logs, StoreError> {
    let found = session.store.streams().await?;
    let mut logs = Logs {
        complete: found.complete,
        ..Logs::default()
    };
    for name in found.names {
        let query = StreamQuery {
            name: name.clone(),
            from: StreamId::default(),
            to_ms: u64::MAX,
            count: LOOK_AT,
        };
        let place = LogPlace::Stream(name);
        let page = match session.store.stream_page(&query).await {
            Ok(page) => page,
            Err(error) if error.is_connection() => return Err(error),
            Err(error) => {
                logs.refused.push((place.name(), error.text));
                continue;
            }
        };
        let is_entry = |fields: &Vec<(Vec<u8>, Vec<u8>)>| {
            let has = |field: Field| {
                let (short, _) = field.names();
                fields.iter().any(|(name, _)| name == short.as_bytes())
            };
            has(Field::Outcome) && (has(Field::Status) || has(Field::Endpoint))
        };
        let named = place.name().starts_with("idem:log");
        if page.entries.iter().any(|(_, fields)| is_entry(fields)) {
            logs.places.push(place);
        } else if named && page.entries.is_empty() {
            // Trimmed to nothing: what comes will be attempts.
            logs.places.push(place);
        } else if named {
            let why = "its entries have no fields `o` and `e` or `h`".to_owned();
            logs.refused.push((place.name(), why));
        }
    }
    Ok(logs)
}

fn tables(all: Vec<Table>) -> Logs {
    let mut logs = Logs {
        complete: true,
        ..Logs::default()
    };
    for table in all {
        let has = |field: Field| table.column(field.names().1).is_some();
        let needed = [Field::At, Field::Outcome, Field::Endpoint, Field::Status];
        if !needed.into_iter().all(has) {
            continue;
        }
        match log_table(&table.seen()) {
            Ok(found) => logs.places.push(LogPlace::Table(Arc::new(found))),
            Err(why) => logs.refused.push((table.place(), why)),
        }
    }
    logs
}

/// What is neither text nor number comes as the text that the store shows.
fn as_read(kind: ColumnKind) -> ColumnKind {
    match kind {
        ColumnKind::Int | ColumnKind::Float | ColumnKind::Text => kind,
        _ => ColumnKind::Other,
    }
}

/// Errors: why it cannot be read.
fn log_table(table: &Table) -> Result<LogTable, String> {
    let kind = |field: Field| table.column(field.names().1).map(|column| column.kind);
    let Some(time_kind) = kind(Field::At) else {
        return Err("this login may not read its column `at`".to_owned());
    };
    if kind(Field::Outcome).is_none() {
        return Err("this login may not read its column `outcome`".to_owned());
    }
    let is_sqlite = table
        .row_id
        .as_deref()
        .is_some_and(|row_id| row_id != "ctid");
    let is_time = match time_kind {
        ColumnKind::Int => true,
        // SQLite has no times, only texts that look like them.
        ColumnKind::Time | ColumnKind::NaiveTime => !is_sqlite,
        _ => false,
    };
    if !is_time {
        return Err("its column `at` is neither a time nor an integer of milliseconds".to_owned());
    }
    let numbered = match table.primary_key.as_slice() {
        [one] => table
            .column(one)
            .filter(|column| column.kind == ColumnKind::Int)
            .map(|column| column.name.clone()),
        _ => None,
    };
    let is_time_indexed = table.indexed.iter().any(|column| column == "at");
    let by_row = || table.row_id.clone();
    let tie = match numbered.or_else(|| by_row().filter(|_| is_sqlite)) {
        Some(number) => Tie::Number(number),
        None => {
            let Some(row) = by_row() else {
                return Err("its rows have neither a number nor an address to page by".to_owned());
            };
            // Each page looks for the next rows by their time.
            if !is_time_indexed && table.rows.is_some_and(|rows| rows > UNINDEXED_MAX) {
                return Err(
                    "it is large, and its column `at` has no index to page by: make one".to_owned(),
                );
            }
            Tie::Address(row)
        }
    };
    let fields = Field::ALL
        .into_iter()
        .filter(|field| *field != Field::At)
        .filter_map(|field| Some((field, as_read(kind(field)?))));
    Ok(LogTable {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        order: match (&tie, is_time_indexed) {
            (Tie::Number(_), false) => PageOrder::Number,
            _ => PageOrder::Time,
        },
        tie,
        time_kind,
        fields: fields.collect(),
    })
}
