//! What a layout can be written for in a store, a bounded sample of it, and a first text.
//!
//! Apart from detection because a person chooses: everything the store holds is offered, also what
//! was refused or never looked at.
//! Bounds: so many names and families, so many keys or rows of each, so many bytes of a value.

use serde_json::Value;

use super::session::Session;
use super::show::text::{raw_cell, raw_value, stored_bytes};
use crate::domain::Timestamp;
use crate::domain::address::escape_bytes;
use crate::domain::raw::{ColumnKind, ColumnWant, KeyRead, KeyValue, RawKey, RawRows, Ttl};
use crate::domain::survey::Table;
use crate::layouts::form::Extent;
use crate::layouts::propose::{self, Ground, KeyFamily, families};
use crate::layouts::trial::{RowsOfTable, Sample};
use crate::layouts::{Place, Source};
use crate::stores::{Family, KeyStep, RowFilter, RowQuery, StoreError};

const NAMES_MAX: usize = 20_000;
const TABLES_MAX: usize = 2_000;
/// Keys or rows of a sample.
const SAMPLE_MAX: usize = 40;
const VALUE_BYTES_MAX: usize = 64 << 10;
/// Further keys that are read for a sample.
const BESIDE_MAX: usize = 160;

/// All that a layout can be written for.
#[derive(Debug, Default)]
pub struct Subjects {
    pub list: Vec<Subject>,
    /// Keys or tables that were looked at.
    pub sampled: u64,
    /// Whether that was all there is.
    pub complete: bool,
    names: Vec<Vec<u8>>,
    tables: Vec<Table>,
}

#[derive(Debug)]
pub struct Subject {
    /// The template of a family of keys, or a table.
    pub place: String,
    /// Keys of the sample, or estimated rows.
    pub count: Option<u64>,
    /// The layout that reads it now.
    pub reader: Option<String>,
    /// Whether this login may read it.
    pub readable: bool,
    what: What,
}

#[derive(Debug)]
enum What {
    Keys(KeyFamily),
    /// A place among the tables.
    Table(usize),
}

/// A sample with each of its records as it is stored.
#[derive(Clone, Debug)]
pub struct Sampled {
    pub sample: Sample,
    pub stored: Vec<Stored>,
}

#[derive(Clone, Debug)]
pub struct Stored {
    /// `string`, `hash`, `row`.
    pub kind: &'static str,
    pub bytes: Option<u64>,
    pub ttl: Ttl,
    pub raw: Value,
}

impl Subjects {
    /// The subject that stands at a place, as a source writes it.
    pub fn at_place(&self, place: &str) -> Option<usize> {
        self.list.iter().position(|subject| subject.place == place)
    }
}

/// What there is: families of key names, or tables; no value is read. `sources` are those that
/// were found.
pub async fn subjects(session: &Session, sources: &[Source]) -> Result<Subjects, StoreError> {
    let mut subjects = look(session).await?;
    for subject in &mut subjects.list {
        let reads = |source: &&Source| match (&subject.what, &source.place) {
            (What::Table(_), Place::Table(_)) => source.place_text() == subject.place,
            (What::Keys(family), Place::Keys(_)) => {
                let first = family.names.first().and_then(|at| subjects.names.get(*at));
                first.is_some_and(|name| source.role(name).is_some())
            }
            _ => false,
        };
        let reader = sources.iter().find(reads);
        subject.reader = reader.map(|source| source.layout.id.to_string());
    }
    Ok(subjects)
}

async fn look(session: &Session) -> Result<Subjects, StoreError> {
    match session.family() {
        Family::Keys => {
            let sample = session.store.key_sample(NAMES_MAX).await?;
            let list = families(&sample.names).into_iter().map(|family| Subject {
                place: family.template.clone(),
                count: Some(family.names.len() as u64),
                reader: None,
                readable: true,
                what: What::Keys(family),
            });
            Ok(Subjects {
                list: list.collect(),
                sampled: sample.names.len() as u64,
                complete: sample.complete,
                names: sample.names,
                tables: Vec::new(),
            })
        }
        Family::Tables => {
            let mut tables = session.store.tables().await?;
            let sampled = tables.len() as u64;
            tables.truncate(TABLES_MAX);
            let list = tables.iter().enumerate().map(|(at, table)| Subject {
                place: table.place(),
                count: table.rows,
                reader: None,
                readable: table.readable,
                what: What::Table(at),
            });
            Ok(Subjects {
                list: list.collect(),
                sampled,
                complete: sampled as usize == tables.len(),
                names: Vec::new(),
                tables,
            })
        }
    }
}

/// A few keys or rows of a subject.
pub async fn sample(
    session: &Session,
    subjects: &Subjects,
    at: usize,
) -> Result<Sampled, StoreError> {
    match subjects.list.get(at).map(|subject| &subject.what) {
        Some(What::Keys(family)) => {
            let names: Vec<&Vec<u8>> = family
                .names
                .iter()
                .filter_map(|at| subjects.names.get(*at))
                .collect();
            let keys = read_keys(session, spread(names)).await?;
            Ok(sampled(Sample::keys(keys)))
        }
        Some(What::Table(at)) => match subjects.tables.get(*at) {
            Some(table) => read_table(session, table, &subjects.tables).await,
            None => Ok(sampled(Sample::keys(Vec::new()))),
        },
        None => Ok(sampled(Sample::keys(Vec::new()))),
    }
}

/// A few records of a source, with the keys that belong to them.
pub async fn sample_of_source(
    session: &Session,
    subjects: &Subjects,
    source: &Source,
) -> Result<Sampled, StoreError> {
    if let Place::Table(place) = &source.place {
        let name = format!("{}.{}", place.schema, place.table);
        let at = subjects.at_place(&name).unwrap_or(usize::MAX);
        return sample(session, subjects, at).await;
    }
    let named = subjects.names.iter().filter(|name| {
        use crate::layouts::redis::Role;
        matches!(
            source.role(name),
            Some((Role::Record(_) | Role::Lock(_), _))
        )
    });
    let keys = read_keys(session, spread(named.collect())).await?;
    let mut beside: Vec<Vec<u8>> = Vec::new();
    for raw in &keys {
        let Some((role, _)) = source.role(&raw.name) else {
            continue;
        };
        let wants = source.part_wants(role, &raw.name, None, Extent::Whole, VALUE_BYTES_MAX);
        beside.extend(wants.into_iter().map(|want| want.name));
    }
    beside.sort_unstable();
    beside.dedup();
    beside.truncate(BESIDE_MAX);
    let beside = read_keys(session, beside.iter().collect()).await?;
    Ok(sampled(Sample::Keys { keys, beside }))
}

/// The sample with further keys, as a text wants them; those that are not there are known to be gone.
pub async fn with_beside(
    session: &Session,
    sampled: &Sampled,
    mut names: Vec<Vec<u8>>,
) -> Result<Sampled, StoreError> {
    names.truncate(BESIDE_MAX);
    let found = read_keys(session, names.iter().collect()).await?;
    let mut sampled = sampled.clone();
    if let Sample::Keys { beside, .. } = &mut sampled.sample {
        let is_gone = |name: &Vec<u8>| found.iter().all(|raw| raw.name != *name);
        let gone: Vec<RawKey> = names
            .iter()
            .filter(|name| is_gone(name))
            .map(|name| RawKey {
                name: name.clone(),
                ttl: Ttl::Unknown,
                value: KeyValue::Missing,
            })
            .collect();
        beside.extend(found);
        beside.extend(gone);
        // What an older text wanted makes room.
        let over = beside.len().saturating_sub(BESIDE_MAX * 4);
        beside.drain(..over);
    }
    Ok(sampled)
}

/// The first text for a subject.
pub fn proposal(
    subjects: &Subjects,
    at: usize,
    sampled: &Sampled,
    taken: &[String],
    now: Timestamp,
) -> Option<String> {
    let subject = subjects.list.get(at)?;
    let ground = Ground {
        now,
        taken,
        of: subject.count,
    };
    Some(match (&subject.what, &sampled.sample) {
        (What::Keys(family), Sample::Keys { keys, .. }) => propose::keys(family, keys, ground),
        (What::Table(_), Sample::Rows(rows)) => propose::table(&rows.table, &rows.rows, ground),
        _ => return None,
    })
}

/// The subject that most records of a sample are of.
pub fn subject_of(subjects: &Subjects, sampled: &Sampled) -> Option<usize> {
    match &sampled.sample {
        Sample::Rows(rows) => subjects.at_place(&rows.table.place()),
        Sample::Keys { keys, .. } => {
            let holds = |subject: &&Subject| match &subject.what {
                What::Keys(family) => keys.iter().any(|raw| {
                    let mut names = family.names.iter().filter_map(|at| subjects.names.get(*at));
                    names.any(|name| *name == raw.name)
                }),
                What::Table(_) => false,
            };
            // Families stand with the largest first.
            subjects.list.iter().position(|subject| holds(&subject))
        }
    }
}

/// So many of them, from all over.
fn spread(names: Vec<&Vec<u8>>) -> Vec<&Vec<u8>> {
    let step = names.len().div_ceil(SAMPLE_MAX).max(1);
    names.into_iter().step_by(step).collect()
}

async fn read_keys(session: &Session, names: Vec<&Vec<u8>>) -> Result<Vec<RawKey>, StoreError> {
    let read = KeyRead::Whole {
        bytes_max: VALUE_BYTES_MAX,
    };
    let fetch: Vec<(Vec<u8>, KeyRead)> = names
        .into_iter()
        .map(|name| (name.clone(), read.clone()))
        .collect();
    if fetch.is_empty() {
        return Ok(Vec::new());
    }
    let step = KeyStep {
        scan: None,
        fetch: &fetch,
    };
    let mut values = session.store.key_step(step).await?.values;
    // What went while it was looked for is no example.
    values.retain(|raw| raw.value != KeyValue::Missing);
    Ok(values)
}

async fn read_table(
    session: &Session,
    table: &Table,
    tables: &[Table],
) -> Result<Sampled, StoreError> {
    let table = &table.seen();
    let own = table
        .columns
        .iter()
        .map(|column| (column.name.clone(), column.kind));
    // Without a primary key a row is addressed by what the store itself calls it.
    let row_id = table
        .row_id
        .iter()
        .filter(|_| table.primary_key.is_empty())
        .map(|name| (name.clone(), ColumnKind::Other));
    let columns: Vec<(String, ColumnKind)> = own.chain(row_id).collect();
    let wants = columns.iter().map(|(column, kind)| ColumnWant::Value {
        column: column.clone(),
        kind: *kind,
    });
    let query = RowQuery {
        schema: table.schema.as_str().into(),
        table: table.name.as_str().into(),
        wants: wants.collect(),
        filter: RowFilter::All,
        limit: SAMPLE_MAX,
    };
    let rows = match table.readable {
        true => session.store.rows(&query).await?,
        false => RawRows::new(columns.len()),
    };
    Ok(sampled(Sample::Rows(Box::new(RowsOfTable {
        table: table.clone(),
        tables: tables.to_vec(),
        columns: columns.into_iter().map(|(name, _)| name).collect(),
        rows,
    }))))
}

fn sampled(sample: Sample) -> Sampled {
    let stored = match &sample {
        Sample::Keys { keys, .. } => keys.iter().map(stored_key).collect(),
        Sample::Rows(rows) => (0..rows.rows.len())
            .map(|row| stored_row(rows, row))
            .collect(),
    };
    Sampled { sample, stored }
}

fn stored_key(raw: &RawKey) -> Stored {
    Stored {
        kind: raw.value.key_type().map_or("key", |kind| kind.name()),
        bytes: stored_bytes(&raw.value),
        ttl: raw.ttl,
        raw: match &raw.value {
            KeyValue::Refused(why) => Value::String(escape_bytes(why.as_bytes())),
            value => raw_value(value),
        },
    }
}

fn stored_row(sample: &RowsOfTable, row: usize) -> Stored {
    let columns = sample.columns.iter().enumerate();
    let members = columns.map(|(at, name)| (name.clone(), raw_cell(sample.rows.cell(row, at))));
    Stored {
        kind: "row",
        bytes: None,
        ttl: Ttl::Unknown,
        raw: Value::Object(members.collect()),
    }
}
