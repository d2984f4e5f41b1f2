//! From what a person pastes to the records it means: an address, a key, or a digest.

mod keys;

use std::sync::Arc;

use super::super::session::Session;
use super::{FOUND_MAX, RowAddress, Whole, open, read_rows, rows_at};
use crate::domain::address::decode_value;
use crate::domain::raw::RawAddress;
use crate::layouts::{Place, Source, TablePlace};
use crate::stores::{RowFilter, StoreError};

/// All records that `text` means. An address is one record, where something tells rows apart; a key
/// may fit several.
pub async fn find(
    session: &Session,
    sources: &[Arc<Source>],
    text: &str,
) -> Result<Vec<Whole>, StoreError> {
    for address in addresses(sources, text) {
        let found = match &address {
            RawAddress::Row { schema, table, key } => {
                let row = RowAddress { schema, table, key };
                rows_at(session, sources, row).await?
            }
            _ => Vec::from_iter(open(session, sources, &address).await?),
        };
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let mut found: Vec<Whole> = Vec::new();
    for source in sources {
        if let Place::Table(place) = &source.place {
            for role in ["idempotency_key", "key_digest"] {
                let Some(filter) = column_filter(source, place, role, text) else {
                    continue;
                };
                let rows = read_rows(session, source, place, filter).await?;
                add_new(&mut found, rows);
            }
        }
    }
    for whole in keys::find(session, sources, text).await? {
        add_new(&mut found, vec![whole]);
    }
    found.truncate(FOUND_MAX);
    Ok(found)
}

/// Adds what was not found before. Rows of one answer are different ones, also where nothing tells
/// them apart.
fn add_new(found: &mut Vec<Whole>, answer: Vec<Whole>) {
    let known: Vec<RawAddress> = found
        .iter()
        .map(|whole| whole.record.address.clone())
        .collect();
    let new = answer
        .into_iter()
        .filter(|whole| !known.contains(&whole.record.address));
    found.extend(new);
}

/// What `text` is, read as an address.
fn addresses(sources: &[Arc<Source>], text: &str) -> Vec<RawAddress> {
    let mut addresses = Vec::new();
    for source in sources {
        match &source.place {
            Place::Table(place) => {
                let start = format!("{}.{}/", place.schema, place.table);
                let Some(rest) = text.strip_prefix(&start) else {
                    continue;
                };
                let key: Option<Vec<String>> = rest.split('/').map(decode_value).collect();
                if let Some(key) = key {
                    let (schema, table) = (place.schema.clone(), place.table.clone());
                    addresses.push(RawAddress::Row { schema, table, key });
                }
            }
            Place::Keys(_) => {
                for address in keys::addresses(source, text) {
                    if !addresses.contains(&address) {
                        addresses.push(address);
                    }
                }
            }
        }
    }
    addresses
}

/// The column that holds the field, compared with `text`.
fn column_filter(
    source: &Source,
    place: &TablePlace,
    field: &str,
    text: &str,
) -> Option<RowFilter> {
    let role = source.column_of_field(field)?;
    let (column, _) = place.column(&role)?;
    Some(RowFilter::Equals(vec![(
        column.to_owned(),
        text.to_owned(),
    )]))
}

/// Why a client's key may not be found here although its record is: a sentence for each layout
/// that only keeps a digest made of more than the key.
pub fn unsearchable(sources: &[Arc<Source>]) -> Vec<String> {
    let reason = |source: &Arc<Source>| {
        let why = source.layout.redis.as_ref()?.search.impossible.as_ref()?;
        Some(format!("`{}`: {why}", source.layout.id))
    };
    sources.iter().filter_map(reason).collect()
}
