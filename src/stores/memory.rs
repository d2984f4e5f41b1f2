//! A store in memory: the oracle that the real ones are held against.

mod exact;

use tokio::sync::mpsc;

use super::glob;
use super::{
    Family, KeyStep, KeyStepResult, RowFilter, RowQuery, RowScan, StoreError, StoreErrorKind,
    StoreFacts,
};
use crate::domain::Timestamp;
use crate::domain::raw::{
    Cell, ColumnWant, KeyRead, KeyType, KeyValue, MemberPage, RawKey, RawRows, Ttl,
};
use crate::domain::survey::{KeySample, Table};
pub use exact::ExactMemory;

#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    pub keys: Vec<RawKey>,
    /// Tables with all their rows; the cells stand in the order of the table's columns.
    pub tables: Vec<(Table, RawRows)>,
    pub now: Option<Timestamp>,
    /// What is read exactly, and changed; apart from what lists are made of.
    pub exact: ExactMemory,
}

const PAGE_ROWS: usize = 1000;

impl MemoryStore {
    pub fn of_keys(keys: Vec<RawKey>) -> MemoryStore {
        MemoryStore {
            keys,
            ..MemoryStore::default()
        }
    }

    pub fn of_tables(tables: Vec<(Table, RawRows)>) -> MemoryStore {
        MemoryStore {
            tables,
            ..MemoryStore::default()
        }
    }

    pub fn family(&self) -> Family {
        if self.tables.is_empty() {
            Family::Keys
        } else {
            Family::Tables
        }
    }

    pub fn facts(&self) -> StoreFacts {
        StoreFacts {
            product: "memory".to_owned(),
            total: Some(self.keys.len() as u64),
            ..StoreFacts::default()
        }
    }

    pub fn clock(&self) -> Option<Timestamp> {
        self.now
    }

    pub fn key_sample(&self, names_max: usize) -> KeySample {
        KeySample {
            total: Some(self.keys.len() as u64),
            names: self
                .keys
                .iter()
                .take(names_max)
                .map(|key| key.name.clone())
                .collect(),
            complete: self.keys.len() <= names_max,
        }
    }

    pub fn key_step(&self, step: &KeyStep<'_>) -> KeyStepResult {
        let mut result = KeyStepResult::default();
        if let Some(scan) = &step.scan {
            let start = usize::try_from(scan.cursor).unwrap_or(usize::MAX);
            let page = self.keys.iter().skip(start).take(scan.count.max(1));
            result.names = page
                .filter(|key| {
                    scan.glob
                        .as_ref()
                        .is_none_or(|glob| glob::matches(glob, &key.name))
                })
                .map(|key| key.name.clone())
                .collect();
            let end = start.saturating_add(scan.count.max(1));
            result.cursor = Some(if end >= self.keys.len() {
                0
            } else {
                end as u64
            });
            result.share = Some(end.min(self.keys.len()) as f32 / self.keys.len().max(1) as f32);
        }
        result.values = step
            .fetch
            .iter()
            .map(|(name, read)| self.read(name, read))
            .collect();
        result
    }

    fn read(&self, name: &[u8], read: &KeyRead) -> RawKey {
        let Some(key) = self.keys.iter().find(|key| key.name == name) else {
            return RawKey {
                name: name.to_vec(),
                ttl: Ttl::Unknown,
                value: KeyValue::Missing,
            };
        };
        let value = match (&key.value, read) {
            (KeyValue::String { bytes, len }, KeyRead::Head { bytes: most })
            | (KeyValue::String { bytes, len }, KeyRead::Whole { bytes_max: most }) => {
                KeyValue::String {
                    bytes: bytes.iter().copied().take(*most).collect(),
                    len: *len,
                }
            }
            (KeyValue::Hash { fields, .. }, KeyRead::Fields(wanted)) => KeyValue::Hash {
                fields: wanted
                    .iter()
                    .filter_map(|name| fields.iter().find(|(known, _)| known == name))
                    .cloned()
                    .collect(),
                len: None,
            },
            (KeyValue::Set { members, .. }, KeyRead::Members(wanted)) => {
                let found = members.iter().filter(|member| wanted.contains(member));
                let members: Vec<Vec<u8>> = found.cloned().collect();
                let len = members.len() as u64;
                KeyValue::Set { members, len }
            }
            (KeyValue::SortedSet { members, .. }, KeyRead::Scores(wanted)) => {
                let found = members.iter().filter(|(member, _)| wanted.contains(member));
                let members: Vec<(Vec<u8>, f64)> = found.cloned().collect();
                let len = members.len() as u64;
                KeyValue::SortedSet { members, len }
            }
            (value, KeyRead::Whole { .. }) => value.clone(),
            // A server says no more than that the type is another one.
            _ => KeyValue::Opaque(KeyType::Other),
        };
        RawKey {
            name: name.to_vec(),
            ttl: key.ttl,
            value,
        }
    }

    pub fn members(&self, name: &[u8], cursor: u64, count: usize) -> MemberPage {
        let Some(key) = self.keys.iter().find(|key| key.name == name) else {
            let (value, ttl, next) = (KeyValue::Missing, Ttl::Unknown, None);
            return MemberPage { value, ttl, next };
        };
        let start = usize::try_from(cursor).unwrap_or(usize::MAX);
        let (value, all) = match &key.value {
            KeyValue::Set { members, .. } => {
                let page = members.iter().skip(start).take(count).cloned().collect();
                let len = members.len() as u64;
                (KeyValue::Set { members: page, len }, members.len())
            }
            KeyValue::Hash { fields, .. } => {
                let page = fields.iter().skip(start).take(count).cloned().collect();
                let len = Some(fields.len() as u64);
                (KeyValue::Hash { fields: page, len }, fields.len())
            }
            KeyValue::SortedSet { members, .. } => {
                let page = members.iter().skip(start).take(count).cloned().collect();
                let len = members.len() as u64;
                (KeyValue::SortedSet { members: page, len }, members.len())
            }
            _ => (KeyValue::Opaque(KeyType::Other), 0),
        };
        let end = start.saturating_add(count.max(1));
        MemberPage {
            value,
            ttl: key.ttl,
            next: (end < all).then_some(end as u64),
        }
    }

    pub fn tables(&self) -> Vec<Table> {
        self.tables.iter().map(|(table, _)| table.clone()).collect()
    }

    pub fn rows(&self, query: &RowQuery) -> Result<RawRows, StoreError> {
        let (table, rows) = self.table(&query.schema, &query.table)?;
        let fits = |row: usize| match &query.filter {
            RowFilter::All => true,
            RowFilter::Equals(columns) | RowFilter::Address(columns) => {
                columns.iter().all(|(column, value)| {
                    let at = table.columns.iter().position(|known| known.name == *column);
                    at.is_some_and(|at| match cell_text(rows.cell(row, at)) {
                        Some(text) => text == *value,
                        None => value.is_empty() && matches!(query.filter, RowFilter::Address(_)),
                    })
                })
            }
        };
        let chosen = (0..rows.len()).filter(|row| fits(*row)).take(query.limit);
        Ok(picked(table, rows, &query.wants, chosen))
    }

    pub async fn scan_rows(
        &self,
        scan: &RowScan,
        pages: mpsc::Sender<RawRows>,
    ) -> Result<(), StoreError> {
        let (table, rows) = self.table(&scan.schema, &scan.table)?;
        for start in (0..rows.len()).step_by(PAGE_ROWS) {
            let page = start..rows.len().min(start + PAGE_ROWS);
            if pages
                .send(picked(table, rows, &scan.wants, page))
                .await
                .is_err()
            {
                break;
            }
        }
        Ok(())
    }

    fn table(&self, schema: &str, table: &str) -> Result<(&Table, &RawRows), StoreError> {
        self.tables
            .iter()
            .find(|(known, _)| known.schema == schema && known.name == table)
            .map(|(table, rows)| (table, rows))
            .ok_or_else(|| {
                let text = format!("There is no table {schema}.{table} any more");
                StoreError::new(StoreErrorKind::Vanished, text)
            })
    }
}

fn picked(
    table: &Table,
    rows: &RawRows,
    wants: &[ColumnWant],
    chosen: impl Iterator<Item = usize>,
) -> RawRows {
    let mut page = RawRows::new(wants.len());
    for row in chosen {
        for want in wants {
            let (ColumnWant::Value { column, .. } | ColumnWant::Presence { column }) = want else {
                // The oracle has no tables that look each other up.
                page.push(Cell::Null);
                continue;
            };
            let at = table.columns.iter().position(|known| known.name == *column);
            let cell = at.map_or(Cell::Null, |at| rows.cell(row, at));
            match want {
                ColumnWant::Presence { .. } => page.push(Cell::Bool(cell != Cell::Null)),
                _ => page.push(cell),
            }
        }
    }
    page
}

/// As PostgreSQL writes it, but for points in time.
fn cell_text(cell: Cell<'_>) -> Option<String> {
    Some(match cell {
        Cell::Null => return None,
        Cell::Bool(value) => value.to_string(),
        Cell::Int(value) | Cell::Time(value) => value.to_string(),
        Cell::Float(value) => value.to_string(),
        Cell::Text(text) | Cell::Json(text) => text.to_owned(),
        Cell::Bytes(bytes) => format!("\\x{}", hex(bytes)),
        Cell::Uuid(bytes) => {
            let hex = hex(bytes);
            let part = |range| hex.get(range).unwrap_or_default();
            let parts = [
                part(0..8),
                part(8..12),
                part(12..16),
                part(16..20),
                part(20..32),
            ];
            parts.join("-")
        }
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
