//! From what a person pastes to the records it means: an address, a key, or a digest.

use std::sync::Arc;

use super::super::session::Session;
use super::{Whole, open, read_rows};
use crate::domain::address::{decode_value, unescape_bytes};
use crate::domain::raw::RawAddress;
use crate::layouts::{Place, Source, TablePlace};
use crate::stores::{KeyStep, RowFilter, ScanStep, StoreError};

/// Records shown for one key.
const FOUND_MAX: usize = 100;
const SCAN_COUNT: usize = 500;

/// All records that `text` means. An exact address is one record; a key may fit several.
pub async fn find(
    session: &Session,
    sources: &[Arc<Source>],
    text: &str,
) -> Result<Vec<Whole>, StoreError> {
    for address in addresses(sources, text) {
        if let Some(whole) = open(session, sources, &address).await? {
            return Ok(vec![whole]);
        }
    }
    let mut found: Vec<Whole> = Vec::new();
    for source in sources {
        if let Place::Table(place) = &source.place {
            for role in ["idempotency_key", "key_digest"] {
                let Some(filter) = column_filter(source, place, role, text) else {
                    continue;
                };
                found.extend(read_rows(session, source, place, filter, FOUND_MAX).await?);
            }
        }
    }
    for name in names(session, sources, text).await? {
        if let Some(whole) = open(session, sources, &RawAddress::Key(name)).await? {
            found.push(whole);
        }
    }
    let mut seen = Vec::new();
    found.retain(|whole| {
        let new = !seen.contains(&whole.record.address);
        seen.push(whole.record.address.clone());
        new
    });
    found.truncate(FOUND_MAX);
    Ok(found)
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
            Place::Keys { .. } => {
                if let Some(name) = unescape_bytes(text)
                    && source.template_of(&name).is_some()
                    && !addresses.contains(&RawAddress::Key(name.clone()))
                {
                    addresses.push(RawAddress::Key(name));
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

/// Names of keys whose captured key or digest is `text`.
async fn names(
    session: &Session,
    sources: &[Arc<Source>],
    text: &str,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let value =
        |capture: &str| matches!(capture, "key" | "digest").then(|| text.as_bytes().to_vec());
    let (mut names, mut globs): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    for source in sources {
        let (Place::Keys { templates }, Some(redis)) = (&source.place, &source.layout.redis) else {
            continue;
        };
        for template in templates.iter().filter_map(|at| redis.keys.get(*at)) {
            match template.build(value) {
                Some(name) => names.push(name),
                None => globs.push(template.glob(value)),
            }
        }
    }
    for glob in globs {
        let mut cursor = 0;
        loop {
            let scan = ScanStep {
                cursor,
                glob: Some(glob.clone()),
                count: SCAN_COUNT,
            };
            let page = session
                .store
                .key_step(KeyStep {
                    scan: Some(scan),
                    fetch: &[],
                })
                .await?;
            names.extend(
                page.names
                    .into_iter()
                    .filter(|name| is_meant(sources, name, text)),
            );
            cursor = page.cursor.unwrap_or(0);
            if cursor == 0 || names.len() > FOUND_MAX {
                break;
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Whether a name's key or digest, captured by the template that wins, is exactly `text`.
fn is_meant(sources: &[Arc<Source>], name: &[u8], text: &str) -> bool {
    sources.iter().any(|source| {
        let redis = source.layout.redis.as_ref();
        let template = source.template_of(name).and_then(|at| redis?.keys.get(at));
        let Some(template) = template else {
            return false;
        };
        let Some(captures) = template.captures(name) else {
            return false;
        };
        template
            .names()
            .iter()
            .zip(captures)
            .any(|(capture, part)| {
                matches!(capture.as_str(), "key" | "digest") && part == text.as_bytes()
            })
    })
}
