//! Runs the samples inside a layout file: a stored record and its right reading.

mod entries;
pub mod repairs;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::field::Field;
use super::form::Extent;
use super::keys::{Member, Seen};
use super::layout::Layout;
use super::reading::Reading;
use super::record::to_record;
use super::source::{Addressed, Place, Source, TablePlace};
use super::spec::SampleSpec;
use crate::domain::change::Verb;
use crate::domain::raw::{
    Cell, ColumnKind, ColumnWant as Want, KeyType, KeyValue, RawAddress, RawKey, RawRows, Ttl,
};
use crate::domain::stuck::judge;
use crate::domain::{Record, Timestamp};

/// What a sample got wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleFault {
    pub sample: String,
    pub text: String,
}

/// The faults of all samples; empty when every reading is right.
pub fn run(layout: &Arc<Layout>) -> Vec<SampleFault> {
    let mut faults = Vec::new();
    for sample in &layout.spec().sample {
        let mut fault = |text| {
            faults.push(SampleFault {
                sample: sample.name.clone(),
                text,
            })
        };
        if let Some(entry) = &sample.entry {
            let wrong = entries::compare(layout, entry, sample);
            wrong
                .unwrap_or_else(|why| vec![why])
                .into_iter()
                .for_each(fault);
            continue;
        }
        match read(layout, sample) {
            Err(text) => fault(text),
            Ok((record, extra)) => {
                compare(&sample.expect, sample, &record, &extra)
                    .into_iter()
                    .for_each(&mut fault);
            }
        }
        for (verb, expected) in [
            (Verb::Release, &sample.released),
            (Verb::Settle, &sample.settled),
        ] {
            if let Some(expected) = expected {
                let found = after(layout, sample, verb, expected);
                let said = |text| format!("{}: {text}", verb.done());
                found.into_iter().map(said).for_each(&mut fault);
            }
        }
    }
    faults
}

/// What differs from what a sample should be after a verb.
fn after(
    layout: &Arc<Layout>,
    sample: &SampleSpec,
    verb: Verb,
    expected: &BTreeMap<String, toml::Value>,
) -> Vec<String> {
    match repairs::repaired(layout, sample, verb) {
        Err(why) => vec![why],
        Ok(None) if expected.is_empty() => Vec::new(),
        Ok(None) => vec!["it is gone".to_owned()],
        Ok(Some(_)) if expected.is_empty() => vec!["it is still there".to_owned()],
        Ok(Some((record, extra))) => compare(expected, sample, &record, &extra),
    }
}

/// Fields that only an opened record has, by their names.
pub type Extra = BTreeMap<&'static str, String>;

/// The clock of a sample that does not say its own.
const NOW: i64 = 1_795_953_600_000;

fn read(layout: &Arc<Layout>, sample: &SampleSpec) -> Result<(Record, Extra), String> {
    let now = Timestamp(sample.at_ms.unwrap_or(NOW));
    match (&sample.key, &sample.row) {
        (Some(key), None) => read_key(layout, sample, key, now),
        (None, Some(row)) => read_row(layout, row, now),
        _ => Err("a sample has one of `key`, `row` and `entry`".to_owned()),
    }
}

fn read_key(
    layout: &Arc<Layout>,
    sample: &SampleSpec,
    key: &str,
    now: Timestamp,
) -> Result<(Record, Extra), String> {
    let source = Source::new(layout.clone(), Place::every_key(layout));
    let ttl = sample.ttl_ms.map_or(Ttl::Never, Ttl::Left);
    let raw = RawKey {
        name: key.as_bytes().to_vec(),
        ttl,
        value: value_of(sample)?,
    };
    let parts: Vec<(String, RawKey)> = sample
        .parts
        .iter()
        .map(|(part, text)| {
            let name = part.clone().into_bytes();
            let value = string(text.clone().into_bytes());
            (part.clone(), RawKey { name, ttl, value })
        })
        .collect();
    let text = sample.string.clone().unwrap_or_default().into_bytes();
    let member = sample.member.as_ref().map(|member| Member {
        name: member.as_bytes(),
        value: Some(&text),
        score: None,
    });
    let seen = Seen {
        key: &raw,
        member,
        parts: &parts,
    };
    let reading = source
        .role(&raw.name)
        .and_then(|(role, _)| source.read_seen(&seen, role, Extent::Whole, now))
        .ok_or_else(|| format!("no template fits `{key}`"))?;
    let extra = extra_of(&reading);
    let address = RawAddress::Key(raw.name.clone());
    Ok((to_record(reading, &source, address, ttl, None, now), extra))
}

fn string(bytes: Vec<u8>) -> KeyValue {
    KeyValue::String {
        len: bytes.len() as u64,
        bytes,
    }
}

fn value_of(sample: &SampleSpec) -> Result<KeyValue, String> {
    let base64 = |text: &str| {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|error| format!("`string_base64`: {error}"))
    };
    match (&sample.string, &sample.string_base64, &sample.hash) {
        (Some(text), None, None) => Ok(string(text.clone().into_bytes())),
        (None, Some(text), None) => Ok(string(base64(text)?)),
        (None, None, Some(fields)) => Ok(KeyValue::Hash {
            len: Some(fields.len() as u64),
            fields: fields
                .iter()
                .map(|(name, value)| (name.clone().into_bytes(), value.clone().into_bytes()))
                .collect(),
        }),
        (None, None, None) if sample.member.is_some() => Ok(KeyValue::Opaque(KeyType::Set)),
        _ => Err("a sample's key has one of `string`, `string_base64` and `hash`".to_owned()),
    }
}

fn read_row(
    layout: &Arc<Layout>,
    row: &BTreeMap<String, toml::Value>,
    now: Timestamp,
) -> Result<(Record, Extra), String> {
    let place = place_of_row(layout)?;
    let source = Source::new(layout.clone(), Place::Table(place));
    let plan = source.row_plan(Extent::Whole);
    let mut rows = RawRows::new(plan.wants.len());
    for want in &plan.wants {
        match want {
            Want::Value { column, .. } => rows.push(cell(row.get(column))),
            Want::Presence { column } => rows.push(Cell::Bool(row.contains_key(column))),
            Want::Lookup(_) | Want::Holder => rows.push(Cell::Null),
        }
    }
    let reading = source
        .read_row(&rows, 0, &plan, Extent::Whole, now)
        .ok_or("the row could not be read")?;
    let extra = extra_of(&reading);
    let address = RawAddress::Row {
        schema: "sample".into(),
        table: "sample".into(),
        key: Vec::new(),
    };
    Ok((
        to_record(reading, &source, address, Ttl::Unknown, None, now),
        extra,
    ))
}

/// The table that samples of rows stand in.
fn place_of_row(layout: &Layout) -> Result<TablePlace, String> {
    let sql = layout.sql.as_ref().ok_or("no `sql` form is described")?;
    let columns = sql
        .columns
        .iter()
        .filter_map(|rule| {
            let name = rule.names.first()?;
            Some((
                rule.role.clone(),
                name.clone(),
                rule.kinds.first().copied().unwrap_or(ColumnKind::Text),
            ))
        })
        // What other tables tell stands in a sample's row like a column.
        .chain(
            sql.lookups
                .keys()
                .map(|name| (name.clone(), name.clone(), ColumnKind::Text)),
        )
        .collect();
    Ok(TablePlace {
        schema: Arc::from("sample"),
        table: Arc::from("sample"),
        columns,
        hidden: Vec::new(),
        scope: Vec::new(),
        key: Vec::new(),
        addressed: Addressed::ByKey,
        lookups: Vec::new(),
        every: Vec::new(),
        rows: None,
        shows_holder: false,
    })
}

fn cell(value: Option<&toml::Value>) -> Cell<'_> {
    match value {
        Some(toml::Value::String(text)) => Cell::Text(text),
        Some(toml::Value::Integer(number)) => Cell::Int(*number),
        Some(toml::Value::Float(number)) => Cell::Float(*number),
        Some(toml::Value::Boolean(value)) => Cell::Bool(*value),
        _ => Cell::Null,
    }
}

fn extra_of(reading: &Reading<'_>) -> Extra {
    let text = |(field, slot): &(Field, super::slot::Slot<'_>)| {
        Some((field.name(), slot.text()?.into_owned()))
    };
    reading.extra.iter().filter_map(text).collect()
}

fn compare(
    expected: &BTreeMap<String, toml::Value>,
    sample: &SampleSpec,
    record: &Record,
    extra: &Extra,
) -> Vec<String> {
    let now = Timestamp(sample.at_ms.unwrap_or(NOW));
    expected
        .iter()
        .filter_map(|(member, expected)| {
            let found = member_text(member, record, extra, now);
            let expected = text_of(expected);
            (found.as_deref() != Some(expected.as_str())).then(|| is_not(member, found, &expected))
        })
        .collect()
}

fn text_of(expected: &toml::Value) -> String {
    match expected {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn is_not(member: &str, found: Option<String>, expected: &str) -> String {
    let found = found.unwrap_or("nothing".into());
    format!("{member} is {found} and not {expected}")
}

fn member_text(member: &str, record: &Record, extra: &Extra, now: Timestamp) -> Option<String> {
    let time = |time: Option<Timestamp>| time.map(|time| time.millis().to_string());
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    match member {
        "status" => Some(record.status.name().to_owned()),
        "idempotency_key" => record.idempotency_key.clone(),
        "key_digest" => record.key_digest.clone(),
        "scope" => record.scope_text(),
        "operation" => record.operation.clone(),
        "method" => record.method.clone(),
        "path" => record.path.clone(),
        "payload_hash" => record.payload_hash.clone(),
        "response_status" => record.response_status.map(|code| code.to_string()),
        "attempts" => record.attempts.map(|count| count.to_string()),
        "replays" => record.replays.map(|count| count.to_string()),
        "locked_at_ms" => time(record.locked_at),
        "lock_until_ms" => time(record.lock_until),
        "created_at_ms" => time(record.created_at),
        "completed_at_ms" => time(record.completed_at),
        "failed_at_ms" => time(record.failed_at),
        "expires_at_ms" => time(record.expires_at),
        "stuck" => verdict?.stuck.as_bool().map(|stuck| stuck.to_string()),
        "lock_age_source" => Some(verdict?.source.name().to_owned()),
        other => extra.get(other).cloned(),
    }
}
