//! Tries a layout on a sample: what each key or row of it is read as, or why it is not read.
//!
//! Apart from detection because it judges a text that is being written, on a sample that a person
//! chose, and apart from `samples`, which proves a finished file.
//! Bounds: the sample's own; of a key that holds many records so many members are tried.

mod rows;

use std::sync::Arc;

use super::field::Field;
use super::form::Extent;
use super::keys::{Member, Seen};
use super::mistake::Mistake;
use super::reading::Reading;
use super::record::to_record;
use super::redis::Role;
use super::source::{Place, Source};
use super::{Layout, samples};
use crate::domain::address::escape_bytes;
use crate::domain::raw::{KeyValue, RawAddress, RawKey, RawRows, Ttl};
use crate::domain::survey::Table;
use crate::domain::{Record, Timestamp};

/// What a layout is written for: a few keys of one family, or rows of one table.
#[derive(Clone, Debug)]
pub enum Sample {
    Keys {
        keys: Vec<RawKey>,
        /// Further keys that may be parts of their records.
        beside: Vec<RawKey>,
    },
    Rows(Box<RowsOfTable>),
}

#[derive(Clone, Debug, Default)]
pub struct RowsOfTable {
    pub table: Table,
    /// The tables of the store, for values that another one holds.
    pub tables: Vec<Table>,
    /// What the cells are, in their order.
    pub columns: Vec<String>,
    pub rows: RawRows,
}

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Trial {
    pub layout: Arc<Layout>,
    pub examples: Vec<Example>,
    /// Keys that would be parts of its records and are not in the sample.
    pub beside: Vec<Vec<u8>>,
    /// What does not hold although the text is a layout: a sample of its own that reads otherwise, a
    /// column that is missing.
    pub faults: Vec<Mistake>,
}

#[derive(Clone, Debug)]
pub struct Example {
    pub address: String,
    /// Its place in the sample.
    pub at: usize,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Read(Box<Decoded>),
    /// In words why it is no record of this layout.
    Not(NotRead),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRead {
    /// No template fits its name.
    Name,
    /// It is a key that belongs to a record and is none.
    Side,
    /// No form reads a value of this type.
    Type,
    /// It is gone, or the login may not read it.
    Missing,
    /// What the form requires is not there, or no case fits.
    Form,
    /// The layout says that this is no record.
    NoRecord,
    /// The table lacks what the layout needs.
    Table,
}

/// A record as it was read.
#[derive(Clone, Debug)]
pub struct Decoded {
    pub record: Record,
    /// The case that fitted.
    pub case: Option<String>,
    /// Fields that only an opened record has, as text.
    pub extra: Vec<(&'static str, String)>,
}

/// Members tried of one key that holds many records.
const MEMBERS_OF_EACH: usize = 8;
const EXTRA_CHARS: usize = 4096;
/// Further keys that a text may ask for.
const BESIDE_MAX: usize = 160;

impl Sample {
    pub fn keys(keys: Vec<RawKey>) -> Sample {
        let beside = Vec::new();
        Sample::Keys { keys, beside }
    }

    pub fn len(&self) -> usize {
        match self {
            Sample::Keys { keys, .. } => keys.len(),
            Sample::Rows(rows) => rows.rows.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads a text and tries it; `goes_on` is asked between examples.
///
/// Errors: what is wrong with the text. None inside where it was told to stop.
pub fn run(
    text: &str,
    sample: &Sample,
    now: Timestamp,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Trial>, Mistake> {
    let layout = super::check(text)?;
    let layout = Arc::new(layout);
    let mut faults: Vec<Mistake> = samples::run(&layout)
        .into_iter()
        .map(|fault| Mistake {
            line: super::mistake::line_of_sample(text, &fault.sample),
            column: None,
            text: format!("sample `{}`: {}", fault.sample, fault.text),
        })
        .collect();
    let mut wanted = Vec::new();
    let examples = match sample {
        Sample::Keys { keys, beside } => {
            wanted = missing(&layout, keys, beside);
            try_keys(&layout, keys, beside, now, goes_on)
        }
        Sample::Rows(sample_rows) => match rows::try_rows(&layout, sample_rows, now, goes_on) {
            Ok(examples) => examples,
            Err(missing) => {
                faults.extend(
                    missing
                        .into_iter()
                        .map(|sentence| Mistake::of_check(text, sentence)),
                );
                Some(rows::untried(sample_rows))
            }
        },
    };
    Ok(examples.map(|examples| Trial {
        layout,
        examples,
        beside: wanted,
        faults,
    }))
}

/// Names of further keys that the layout builds of those in the sample.
fn missing(layout: &Arc<Layout>, keys: &[RawKey], beside: &[RawKey]) -> Vec<Vec<u8>> {
    let source = Source::new(layout.clone(), Place::every_key(layout));
    let mut names: Vec<Vec<u8>> = Vec::new();
    for raw in keys {
        let Some((role, _)) = source.role(&raw.name) else {
            continue;
        };
        let wants = source.part_wants(role, &raw.name, None, Extent::Whole, 0);
        let wanted = wants.into_iter().map(|want| want.name);
        names.extend(wanted.filter(|name| {
            let mut known = keys.iter().chain(beside);
            known.all(|raw| raw.name != *name)
        }));
        if names.len() >= BESIDE_MAX {
            break;
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn try_keys(
    layout: &Arc<Layout>,
    keys: &[RawKey],
    beside: &[RawKey],
    now: Timestamp,
    goes_on: &dyn Fn() -> bool,
) -> Option<Vec<Example>> {
    let source = Source::new(layout.clone(), Place::every_key(layout));
    let mut examples = Vec::new();
    for (at, raw) in keys.iter().enumerate() {
        if !goes_on() {
            return None;
        }
        let parts = parts_of(&source, raw, None, keys.iter().chain(beside));
        let seen = Seen {
            key: raw,
            member: None,
            parts: &parts,
        };
        let role = source.role(&raw.name).map(|(role, _)| role);
        let is_container = source
            .each()
            .is_some_and(|kind| raw.value.key_type() == Some(kind));
        if is_container && matches!(role, Some(Role::Record(_))) {
            for member in members(&raw.value) {
                let parts = parts_of(&source, raw, Some(member.name), keys.iter().chain(beside));
                let seen = Seen {
                    member: Some(member),
                    parts: &parts,
                    ..seen
                };
                examples.push(example(&source, &seen, role, at, now));
            }
            continue;
        }
        examples.push(example(&source, &seen, role, at, now));
    }
    Some(examples)
}

/// Further keys of a record that are in the sample.
fn parts_of<'k>(
    source: &Source,
    raw: &RawKey,
    member: Option<&[u8]>,
    keys: impl Iterator<Item = &'k RawKey> + Clone,
) -> Vec<(String, RawKey)> {
    let Some((role, _)) = source.role(&raw.name) else {
        return Vec::new();
    };
    source
        .part_wants(role, &raw.name, member, Extent::Whole, 0)
        .into_iter()
        .filter_map(|want| {
            let found = keys.clone().find(|key| key.name == want.name)?;
            Some((want.part, found.clone()))
        })
        .collect()
}

fn members(value: &KeyValue) -> Vec<Member<'_>> {
    let of = |name, value, score| Member { name, value, score };
    let members: Vec<Member<'_>> = match value {
        KeyValue::Set { members, .. } => members
            .iter()
            .map(|name| of(name.as_slice(), None, None))
            .collect(),
        KeyValue::Hash { fields, .. } => fields
            .iter()
            .map(|(name, value)| of(name.as_slice(), Some(value.as_slice()), None))
            .collect(),
        KeyValue::SortedSet { members, .. } => members
            .iter()
            .map(|(name, score)| of(name.as_slice(), None, Some(*score)))
            .collect(),
        _ => Vec::new(),
    };
    members.into_iter().take(MEMBERS_OF_EACH).collect()
}

fn example(
    source: &Source,
    seen: &Seen<'_>,
    role: Option<Role>,
    at: usize,
    now: Timestamp,
) -> Example {
    let raw = seen.key;
    let address = match seen.member {
        Some(member) => RawAddress::Member {
            key: raw.name.clone(),
            member: member.name.to_vec(),
        },
        None => RawAddress::Key(raw.name.clone()),
    };
    let read = role.and_then(|role| source.read_seen(seen, role, Extent::Whole, now));
    let outcome = match (role, &raw.value, read) {
        (None, ..) => Outcome::Not(NotRead::Name),
        (Some(Role::Side), ..) => Outcome::Not(NotRead::Side),
        (_, KeyValue::Missing | KeyValue::Refused(_), _) => Outcome::Not(NotRead::Missing),
        (_, _, None) => Outcome::Not(NotRead::Type),
        (Some(role), _, Some(reading)) => {
            let form = source.list_form(role, seen);
            let case = reading
                .case
                .and_then(|case| Some(form?.cases.get(case)?.name.clone()));
            outcome(reading, case, source, address, raw.ttl, now)
        }
    };
    let address = match seen.member {
        Some(member) => format!("{}[{}]", escape_bytes(&raw.name), escape_bytes(member.name)),
        None => escape_bytes(&raw.name),
    };
    Example {
        address,
        at,
        outcome,
    }
}

fn outcome(
    mut reading: Reading<'_>,
    case: Option<String>,
    source: &Source,
    address: RawAddress,
    ttl: Ttl,
    now: Timestamp,
) -> Outcome {
    if !reading.is_record {
        return Outcome::Not(NotRead::NoRecord);
    }
    if reading.fit == super::reading::Fit::Not {
        return Outcome::Not(NotRead::Form);
    }
    let extra = std::mem::take(&mut reading.extra);
    let shown = |(field, slot): &(Field, super::slot::Slot<'_>)| {
        let text = slot.text()?;
        Some((field.name(), text.chars().take(EXTRA_CHARS).collect()))
    };
    let extra: Vec<(&'static str, String)> = extra.iter().filter_map(shown).collect();
    let mut record = to_record(reading, source, address, ttl, None, now);
    let body = extra.iter().find(|(name, _)| *name == "response_body");
    record.response_bytes = body.map(|(_, text)| text.len() as u64);
    Outcome::Read(Box::new(Decoded {
        record,
        case,
        extra,
    }))
}
