//! One record, whole: found by its key, a digest or its address, with everything that is stored.

mod find;
mod key;
pub(super) mod text;

use std::sync::Arc;

use serde_json::Value;

use super::session::Session;
use crate::domain::address::address_text;
use crate::domain::raw::{ColumnWant, RawAddress, RawRows, Ttl};
use crate::domain::stuck::judge;
use crate::domain::{Record, Status, Stuck, Timestamp};
use crate::layouts::field::Field;
use crate::layouts::form::Extent;
use crate::layouts::reading::Reading;
use crate::layouts::record::to_record;
use crate::layouts::retry::{self, Standing};
use crate::layouts::slot::Slot;
use crate::layouts::{Place, RetryAnswer, Source, TablePlace};
use crate::present::escape;
use crate::stores::{RowFilter, RowQuery, StoreError, StoreErrorKind};

pub use find::{find, unsearchable};
pub use text::Shown;

/// A value is read whole up to this; beyond, its start and its size.
pub const VALUE_BYTES_MAX: usize = 16 << 20;

/// Records shown for one key.
const FOUND_MAX: usize = 100;

/// A record with all that is stored of it.
#[derive(Clone, Debug)]
pub struct Whole {
    pub record: Record,
    pub source: Arc<Source>,
    pub response_body: Option<Shown>,
    pub response_headers: Option<Shown>,
    pub request_body: Option<Shown>,
    pub error: Option<Shown>,
    pub owner: Option<Shown>,
    pub recovery_point: Option<Shown>,
    /// The keys or rows that the record consists of.
    pub parts: Vec<Part>,
    /// What is stored, as it is stored.
    pub raw: Value,
    pub retry: RetryAnswer,
    /// The store's clock when it was read.
    pub read_at: Timestamp,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub address: String,
    pub kind: String,
    pub ttl: Ttl,
    pub bytes: Option<u64>,
}

/// Reads the record at an address. `None` where it is gone or no source reads it.
///
/// Errors: several rows have the address, so that none of them is the one that is meant.
pub async fn open(
    session: &Session,
    sources: &[Arc<Source>],
    address: &RawAddress,
) -> Result<Option<Whole>, StoreError> {
    match address {
        RawAddress::Key(name) => key::open(session, sources, name).await,
        RawAddress::Member { key, member } => key::open_member(session, sources, key, member).await,
        RawAddress::Row { schema, table, key } => {
            let row = RowAddress { schema, table, key };
            // What is no record is left out afterwards, so that a limit of two is too few.
            let mut found = rows_at(session, sources, row).await?;
            if found.len() > 1 {
                let text = format!(
                    "several rows have the address `{}`, and nothing tells them apart",
                    escape::shown(&address_text(address), 300)
                );
                return Err(StoreError::new(StoreErrorKind::Ambiguous, text));
            }
            Ok(found.pop())
        }
    }
}

#[derive(Clone, Copy)]
struct RowAddress<'a> {
    schema: &'a str,
    table: &'a str,
    key: &'a [String],
}

/// The records at the address of a row, which are several where the table has no key.
async fn rows_at(
    session: &Session,
    sources: &[Arc<Source>],
    row: RowAddress<'_>,
) -> Result<Vec<Whole>, StoreError> {
    for source in sources {
        let Place::Table(place) = &source.place else {
            continue;
        };
        let is_here = *place.schema == *row.schema && *place.table == *row.table;
        if !is_here || place.key.len() != row.key.len() {
            continue;
        }
        let columns = place.key.iter().map(|(name, _)| name.clone());
        let filter = RowFilter::Address(columns.zip(row.key.iter().cloned()).collect());
        return read_rows(session, source, place, filter).await;
    }
    Ok(Vec::new())
}

/// Rows of one table that fit a filter, whole.
async fn read_rows(
    session: &Session,
    source: &Arc<Source>,
    place: &TablePlace,
    filter: RowFilter,
) -> Result<Vec<Whole>, StoreError> {
    let plan = source.row_plan(Extent::Whole);
    let mut wants = plan.wants.clone();
    // Behind the columns that are read come all the others, to be shown.
    for (column, kind) in &place.every {
        wants.push(ColumnWant::Value {
            column: column.clone(),
            kind: *kind,
        });
    }
    let query = RowQuery {
        schema: place.schema.clone(),
        table: place.table.clone(),
        wants,
        filter,
        limit: FOUND_MAX,
    };
    let rows = session.store.rows(&query).await?;
    let now = session.now();
    let mut found = Vec::new();
    for row in 0..rows.len() {
        let Some(reading) = source.read_row(&rows, row, &plan, Extent::Whole, now) else {
            continue;
        };
        if !reading.is_record {
            continue;
        }
        let address = RawAddress::Row {
            schema: place.schema.clone(),
            table: place.table.clone(),
            key: Source::row_key(&rows, row, &plan),
        };
        let text = address_text(&address);
        let mut whole = assemble(reading, source, address, Ttl::Unknown, now);
        whole.raw = raw_row(&rows, row, plan.wants.len(), place);
        whole.parts = vec![Part {
            address: text,
            kind: "row".to_owned(),
            ttl: Ttl::Unknown,
            bytes: None,
        }];
        found.push(whole);
    }
    Ok(found)
}

fn raw_row(rows: &RawRows, row: usize, offset: usize, place: &TablePlace) -> Value {
    let columns = place
        .every
        .iter()
        .enumerate()
        .map(|(at, (name, _))| (name.clone(), text::raw_cell(rows.cell(row, offset + at))));
    Value::Object(columns.collect())
}

fn assemble(
    mut reading: Reading<'_>,
    source: &Arc<Source>,
    address: RawAddress,
    ttl: Ttl,
    now: Timestamp,
) -> Whole {
    let extra = std::mem::take(&mut reading.extra);
    let of = |field: Field| -> Option<&Slot<'_>> {
        extra
            .iter()
            .find(|(known, _)| *known == field)
            .map(|(_, slot)| slot)
    };
    let shown = |field: Field| of(field).and_then(Shown::of);
    let (response_body, response_headers) =
        (shown(Field::ResponseBody), shown(Field::ResponseHeaders));
    let (request_body, error) = (shown(Field::RequestBody), shown(Field::Error));
    let (owner, recovery_point) = (shown(Field::Owner), shown(Field::RecoveryPoint));
    let finished = reading.response_status.is_some() || response_body.is_some();
    let mut record = to_record(reading, source, address, ttl, None, now);
    record.response_bytes = response_body.as_ref().map(|body| body.bytes);
    let stuck = match (&record.lock, record.status) {
        (Some(lock), Status::Processing) => judge(lock, now).stuck,
        _ => Stuck::CannotTell,
    };
    let retry = retry::answer(&source.layout, &record, Standing { stuck, finished }, now);
    Whole {
        record,
        source: source.clone(),
        response_body,
        response_headers,
        request_body,
        error,
        owner,
        recovery_point,
        parts: Vec::new(),
        raw: Value::Null,
        retry,
        read_at: now,
    }
}
