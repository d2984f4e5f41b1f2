//! Detection in a key space: names first, then the values of a few keys of each family.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{EXAMPLES_MAX, Found, Refused, count};
use crate::domain::Timestamp;
use crate::domain::address::escape_bytes;
use crate::domain::raw::{KeyValue, RawKey};
use crate::layouts::form::Extent;
use crate::layouts::reading::Fit;
use crate::layouts::source::{Place, Source};
use crate::layouts::{Layout, Layouts};

/// Keys whose values are read, of each layout and template.
const VALUES_OF_EACH: usize = 60;

/// The places in `names` of the keys whose values detection wants to see.
pub fn wanted(layouts: &Layouts, names: &[Vec<u8>]) -> Vec<usize> {
    let mut taken: BTreeMap<(Arc<str>, usize), Vec<usize>> = BTreeMap::new();
    for (at, name) in names.iter().enumerate() {
        for layout in layouts.iter() {
            if let Some(template) = template_of(layout, name) {
                taken
                    .entry((layout.id.clone(), template))
                    .or_default()
                    .push(at);
            }
        }
    }
    let mut wanted: Vec<usize> = taken.into_values().flat_map(|all| spread(&all)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// A bounded choice from the whole length of a list.
fn spread(all: &[usize]) -> Vec<usize> {
    let step = all.len().div_ceil(VALUES_OF_EACH).max(1);
    all.iter().copied().step_by(step).collect()
}

fn template_of(layout: &Layout, name: &[u8]) -> Option<usize> {
    let redis = layout.redis.as_ref()?;
    if redis
        .side_keys
        .iter()
        .any(|template| template.matches(name))
    {
        return None;
    }
    redis
        .keys
        .iter()
        .position(|template| template.matches(name))
}

/// What one layout made of the sample.
#[derive(Default)]
struct Tally {
    templates: Vec<usize>,
    names: u64,
    values: u64,
    /// Values it reads better than any other layout, and that tell.
    telling: u64,
    /// Values it reads as well as any other, that do not tell.
    common: u64,
    /// Values another layout reads better.
    lost: u64,
    cases: BTreeMap<String, u64>,
    rivals: BTreeMap<Arc<str>, u64>,
    examples: Vec<String>,
    misfits: BTreeMap<String, u64>,
}

/// Judges the sample: `values` are some of the keys in `names`.
pub fn judge(
    layouts: &Layouts,
    names: &[Vec<u8>],
    values: &[RawKey],
    now: Timestamp,
) -> (Vec<Found>, Vec<Refused>) {
    let mut tallies: BTreeMap<Arc<str>, Tally> = BTreeMap::new();
    for name in names {
        for layout in layouts.iter() {
            if let Some(template) = template_of(layout, name) {
                let tally = tallies.entry(layout.id.clone()).or_default();
                tally.names += 1;
                if !tally.templates.contains(&template) {
                    tally.templates.push(template);
                }
            }
        }
    }
    for raw in values {
        vote(layouts, raw, now, &mut tallies);
    }
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (id, tally) in &tallies {
        let Some(layout) = layouts.get(id) else {
            continue;
        };
        match verdict(layout, tally, &tallies) {
            Some(finding) => found.push(finding),
            None => refused.extend(refusal(layout, tally)),
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    (found, refused)
}

/// Lets every layout whose template fits read one key; the best readings get the vote.
fn vote(layouts: &Layouts, raw: &RawKey, now: Timestamp, tallies: &mut BTreeMap<Arc<str>, Tally>) {
    let mut readings: Vec<(Arc<str>, Fit, String)> = Vec::new();
    for layout in layouts.iter() {
        if template_of(layout, &raw.name).is_none() {
            continue;
        }
        let (fit, case) = fit_of(layout, raw, now);
        if let Some(tally) = tallies.get_mut(&layout.id) {
            tally.values += 1;
        }
        readings.push((layout.id.clone(), fit, case));
    }
    let best = readings
        .iter()
        .map(|(_, fit, _)| *fit)
        .max()
        .unwrap_or_default();
    let winners: Vec<Arc<str>> = readings
        .iter()
        .filter(|(_, fit, _)| *fit == best)
        .map(|(id, _, _)| id.clone())
        .collect();
    for (id, fit, case) in readings {
        let Some(tally) = tallies.get_mut(&id) else {
            continue;
        };
        if fit == Fit::Not {
            // What another layout reads is not held against this one.
            if best != Fit::Not {
                tally.lost += 1;
                continue;
            }
            *tally.misfits.entry(case).or_default() += 1;
            continue;
        }
        if fit != best {
            tally.lost += 1;
            continue;
        }
        if matches!(fit, Fit::Telling(_)) {
            tally.telling += 1;
        } else {
            tally.common += 1;
        }
        for rival in winners.iter().filter(|rival| **rival != id) {
            *tally.rivals.entry(rival.clone()).or_default() += 1;
        }
        *tally.cases.entry(case).or_default() += 1;
        if tally.examples.len() < EXAMPLES_MAX {
            tally.examples.push(escape_bytes(&raw.name));
        }
    }
}

/// How a layout fits one key, with the name of the case or the reason against it.
fn fit_of(layout: &Arc<Layout>, raw: &RawKey, now: Timestamp) -> (Fit, String) {
    let templates = layout.redis.as_ref().map_or(0, |redis| redis.keys.len());
    let source = Source::new(
        layout.clone(),
        Place::Keys {
            templates: (0..templates).collect(),
        },
    );
    let kind = raw.value.key_type();
    let Some(reading) = source.read_key(raw, Extent::List, now) else {
        let why = match (&raw.value, kind) {
            (KeyValue::Missing, _) => "the key was gone when it was read".to_owned(),
            (KeyValue::Refused(_), _) => "this login may not read the value".to_owned(),
            (_, Some(kind)) => format!("the value is a {}", kind.name()),
            _ => "the value could not be read".to_owned(),
        };
        return (Fit::Not, why);
    };
    let form = kind.and_then(|kind| source.key_form(kind, Extent::List));
    let case = reading
        .case
        .and_then(|at| form?.cases.get(at))
        .map(|case| case.name.clone());
    match reading.fit {
        Fit::Not => (
            Fit::Not,
            "the value is in none of the layout's forms".to_owned(),
        ),
        fit => (
            fit,
            case.unwrap_or_else(|| "cut before it tells".to_owned()),
        ),
    }
}

fn verdict(
    layout: &Arc<Layout>,
    tally: &Tally,
    tallies: &BTreeMap<Arc<str>, Tally>,
) -> Option<Found> {
    let matched = tally.telling + tally.common;
    if matched == 0 {
        return None;
    }
    let mut reasons = Vec::new();
    if tally.telling == 0 {
        // Only words that many layouts write: the one that also tells elsewhere takes them.
        let taken = tally.rivals.keys().any(|rival| {
            tallies
                .get(rival)
                .is_some_and(|rival| rival.telling > 0 || rival.common > tally.common)
        });
        let earlier = tally.rivals.keys().any(|rival| {
            *rival < layout.id
                && tallies
                    .get(rival)
                    .is_some_and(|r| r.telling == 0 && r.common == tally.common)
        });
        if taken || earlier || tally.lost > tally.common * 4 {
            return None;
        }
    }
    let redis = layout.redis.as_ref()?;
    let texts: Vec<String> = tally
        .templates
        .iter()
        .filter_map(|at| redis.keys.get(*at))
        .map(|template| format!("`{}`", template.text()))
        .collect();
    reasons.push(format!(
        "{} fit {}",
        count(tally.names, "key name", "key names"),
        texts.join(" or ")
    ));
    for (case, cases) in &tally.cases {
        reasons.push(format!(
            "{} read as “{case}”",
            count(*cases, "value is", "values are")
        ));
    }
    for (why, cases) in &tally.misfits {
        reasons.push(format!(
            "{} not read: {why}",
            count(*cases, "value is", "values are")
        ));
    }
    let share = matched as f32 / (tally.values - tally.lost).max(1) as f32;
    let telling = tally.telling as f32 / matched as f32;
    let mut score = 0.25 + 0.35 * share + 0.4 * telling.min(1.0) * share;
    if tally.telling == 0 {
        score = score.min(0.45);
        reasons.push("nothing here tells this layout from similar ones: have a look".to_owned());
        for rival in tally.rivals.keys() {
            reasons.push(format!("`{rival}` would read the same values alike"));
        }
    }
    let mut templates: Vec<usize> = (0..redis.keys.len()).collect();
    templates.retain(|at| tally.templates.contains(at));
    Some(Found {
        source: Source::new(layout.clone(), Place::Keys { templates }),
        score,
        reasons,
        matched,
        examples: tally.examples.clone(),
    })
}

/// A family of keys that has a layout's names but not its values.
fn refusal(layout: &Layout, tally: &Tally) -> Option<Refused> {
    let redis = layout.redis.as_ref()?;
    if tally.values == 0 || tally.telling + tally.common + tally.lost > 0 {
        return None;
    }
    let template = tally.templates.first().and_then(|at| redis.keys.get(*at))?;
    let why = tally
        .misfits
        .iter()
        .map(|(why, cases)| format!("{} looked at: {why}", count(*cases, "key", "keys")))
        .collect();
    Some(Refused {
        place: template.text().to_owned(),
        resembles: layout.id.to_string(),
        why,
    })
}
