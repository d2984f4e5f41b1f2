//! Finds the sources of a store: a bounded look, then the judgement of `layouts::detect`.

use std::sync::Arc;

use super::session::Session;
use crate::domain::raw::{KeyRead, KeyValue, RawKey};
use crate::domain::{Duration, Timestamp};
use crate::layouts::detect::{Detection, Found, Refused, keys, tables};
use crate::layouts::form::Extent;
use crate::layouts::{Layout, Layouts, Place, Source};
use crate::stores::{Family, KeyStep, RowFilter, RowQuery, StoreError};

/// Key names that are looked at.
const NAMES_MAX: usize = 20_000;
/// Bytes read of each value that is looked at.
const VALUE_BYTES_MAX: usize = 16 << 10;
/// Rows read of each table that may be a source.
const ROWS_OF_EACH: usize = 50;
/// Tables whose rows are looked at.
const TABLES_MAX: usize = 1000;
/// Keys read in one round trip.
const BATCH: usize = 100;

/// What the operator says instead of letting it be found.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// Take this layout and look for no other.
    pub layout: Option<Arc<Layout>>,
    /// Values of parameters; `table` names the table.
    pub set: Vec<(String, String)>,
    /// The lease past which a lock counts as stuck where the record holds no deadline.
    pub lease: Option<Duration>,
}

pub async fn detect(
    session: &Session,
    layouts: &Layouts,
    options: &SourceOptions,
) -> Result<Detection, StoreError> {
    let mut chosen = layouts.clone();
    if let Some(layout) = &options.layout {
        chosen = Layouts::of(layout.clone());
    }
    let mut detection = match session.family() {
        Family::Keys => detect_keys(session, &chosen).await?,
        Family::Tables => detect_tables(session, &chosen, options).await?,
    };
    if let (Some(layout), Family::Keys) = (&options.layout, session.family()) {
        take_as_told(layout, &mut detection);
    }
    for found in &mut detection.found {
        apply(&mut found.source, options);
    }
    Ok(detection)
}

/// A layout that was named is taken with all its templates, whatever the sample holds.
fn take_as_told(layout: &Arc<Layout>, detection: &mut Detection) {
    if layout.redis.is_none() {
        return;
    }
    let place = Place::every_key(layout);
    match detection.found.first_mut() {
        Some(found) => {
            found.source.place = place;
            found.score = 1.0;
            found.reasons.insert(0, "it was named".to_owned());
        }
        None => detection.found.push(Found {
            source: Source::new(layout.clone(), place),
            score: 1.0,
            reasons: vec!["it was named; nothing in the sample fits it".to_owned()],
            matched: 0,
            examples: Vec::new(),
        }),
    }
}

fn apply(source: &mut Source, options: &SourceOptions) {
    source.lease = options.lease.or(source.lease);
    for (name, value) in &options.set {
        let Some(period) = Duration::parse(value) else {
            continue;
        };
        match name.as_str() {
            "lease" => source.lease = Some(period),
            "lifetime" => source.lifetime = Some(period),
            _ => source.params.set(name, period),
        }
        if name == "retention" {
            source.lifetime = Some(period);
        }
    }
}

async fn detect_keys(session: &Session, layouts: &Layouts) -> Result<Detection, StoreError> {
    let sample = session.store.key_sample(NAMES_MAX).await?;
    let survey = keys::Survey::of(layouts, &sample.names);
    let wanted: Vec<(usize, &Vec<u8>)> = survey
        .wanted()
        .into_iter()
        .filter_map(|at| Some((at, sample.names.get(at)?)))
        .collect();
    let mut values = Vec::with_capacity(wanted.len());
    for batch in wanted.chunks(BATCH) {
        values.extend(read_values(session, batch).await?);
    }
    let (found, refused) = survey.judge(&values, session.now());
    let sampled = sample.names.len() as u64;
    let is_unreadable = |(_, raw): &&(usize, RawKey)| matches!(raw.value, KeyValue::Refused(_));
    let unreadable = values.iter().filter(is_unreadable).count() as u64;
    Ok(Detection {
        found,
        refused,
        sampled,
        unreadable,
        complete: sample.complete,
    })
}

/// The beginnings of strings in one round trip; what is no string is read whole.
async fn read_values(
    session: &Session,
    batch: &[(usize, &Vec<u8>)],
) -> Result<Vec<(usize, RawKey)>, StoreError> {
    let bytes = VALUE_BYTES_MAX;
    let heads: Vec<(Vec<u8>, KeyRead)> = batch
        .iter()
        .map(|(_, name)| ((*name).clone(), KeyRead::Head { bytes }))
        .collect();
    let read = |fetch| KeyStep { scan: None, fetch };
    let mut values = session.store.key_step(read(&heads)).await?.values;
    // A login for hashes alone may not ask for strings: it is refused before the type is looked at.
    let is_other = |raw: &RawKey| matches!(raw.value, KeyValue::Opaque(_) | KeyValue::Refused(_));
    let others: Vec<usize> = (0..values.len())
        .filter(|at| values.get(*at).is_some_and(is_other))
        .collect();
    let wholes: Vec<(Vec<u8>, KeyRead)> = others
        .iter()
        .filter_map(|at| batch.get(*at))
        .map(|(_, name)| ((*name).clone(), KeyRead::Whole { bytes_max: bytes }))
        .collect();
    if !wholes.is_empty() {
        let found = session.store.key_step(read(&wholes)).await?.values;
        for (at, raw) in others.into_iter().zip(found) {
            if let Some(place) = values.get_mut(at) {
                *place = raw;
            }
        }
    }
    let places = batch.iter().map(|(at, _)| *at);
    Ok(places.zip(values).collect())
}

async fn detect_tables(
    session: &Session,
    layouts: &Layouts,
    options: &SourceOptions,
) -> Result<Detection, StoreError> {
    let mut all = session.store.tables().await?;
    if let Some((_, wanted)) = options.set.iter().find(|(name, _)| name == "table") {
        all.retain(|table| table.name == *wanted || table.place() == *wanted);
    }
    let (mut candidates, refused) = tables::candidates(layouts, &all);
    if let Some(named) = &options.layout {
        // A generic reading is not what was asked for.
        candidates.retain(|candidate| candidate.source.layout.id == named.id);
    }
    let mut detection = Detection {
        refused,
        sampled: all.len() as u64,
        unreadable: all.iter().filter(|table| !table.readable).count() as u64,
        complete: true,
        ..Detection::default()
    };
    detection.complete = candidates.len() <= TABLES_MAX;
    candidates.sort_by(|a, b| b.score().total_cmp(&a.score()));
    for candidate in candidates.into_iter().take(TABLES_MAX) {
        match look_at(session, candidate, session.now()).await {
            Ok(Ok(found)) => detection.found.push(found),
            Ok(Err(refused)) => detection.refused.push(refused),
            Err(error) if error.is_connection() => return Err(error),
            // One table that cannot be read hurts no other.
            Err(_) => {}
        }
    }
    detection.found.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(detection)
}

async fn look_at(
    session: &Session,
    candidate: tables::Candidate,
    now: Timestamp,
) -> Result<Result<Found, Refused>, StoreError> {
    let Place::Table(place) = candidate.source.place.clone() else {
        return Ok(Err(Refused {
            place: candidate.source.place_text(),
            resembles: candidate.source.layout.id.to_string(),
            why: vec!["it is no table".to_owned()],
        }));
    };
    let query = RowQuery {
        schema: place.schema.clone(),
        table: place.table.clone(),
        wants: candidate.source.row_plan(Extent::List).wants,
        filter: RowFilter::All,
        limit: ROWS_OF_EACH,
    };
    match session.store.rows(&query).await {
        Ok(rows) => Ok(tables::judge(candidate, &rows, now)),
        Err(error) if error.is_connection() => Err(error),
        Err(error) => Ok(Err(Refused {
            place: candidate.source.place_text(),
            resembles: candidate.source.layout.id.to_string(),
            why: vec![error.text],
        })),
    }
}
