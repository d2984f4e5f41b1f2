//! From votes to findings: which layouts are there, how sure that is, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Found, Refused, count};
use crate::layouts::Layout;
use crate::layouts::reading::Fit;
use crate::layouts::redis::{RedisLayout, Role};
use crate::layouts::source::{KeyPlace, Place, Source};
use crate::layouts::spelling::{Spelling, Writing};
use crate::layouts::template::{PREFIX, Template};

/// Prefixes kept of one layout.
const PREFIXES_MAX: usize = 32;
/// Fixed bytes of a template from which on it is looked for also where the sample had none of it.
const TELLING_LITERAL: usize = 4;

/// What one layout made of the sample.
#[derive(Default)]
pub struct Tally {
    names: u64,
    /// Templates that names fit, with what stood in front.
    seen: BTreeSet<(usize, String)>,
    locks_seen: BTreeSet<(usize, String)>,
    /// Templates of records and locks that were read.
    read: BTreeSet<(usize, String)>,
    locks_read: BTreeSet<(usize, String)>,
    pub values: u64,
    /// Values it reads better than any other layout, and that tell.
    telling: u64,
    /// Values it reads as well as any other, that do not tell.
    common: u64,
    /// Values only something general or a guess reads.
    generic: u64,
    weak: u64,
    /// Values another layout reads better.
    pub lost: u64,
    pub cases: BTreeMap<String, u64>,
    pub rivals: BTreeMap<usize, u64>,
    pub examples: Vec<String>,
    pub misfits: BTreeMap<String, u64>,
    /// How hashes that were read write the names of their fields.
    writings: BTreeSet<Writing>,
}

impl Tally {
    pub fn saw_name(&mut self, layout: &Layout, role: Role, name: &[u8]) {
        self.names += u64::from(role != Role::Side);
        let (records, locks) = (&mut self.seen, &mut self.locks_seen);
        keep(layout, role, name, records, locks);
    }

    /// A key that it reads best, or as well as any other.
    pub fn read_key(&mut self, layout: &Layout, role: Role, name: &[u8]) {
        keep(layout, role, name, &mut self.read, &mut self.locks_read);
    }

    /// Names of fields that are not written as the layout has them.
    pub fn read_fields(&mut self, redis: &RedisLayout, fields: &[(Vec<u8>, Vec<u8>)]) {
        for (field, _) in fields {
            let Ok(field) = std::str::from_utf8(field) else {
                continue;
            };
            if redis.hash_names().any(|name| name == field) {
                continue;
            }
            let mut meant = redis.hash_names();
            let meant = meant.find(|name| Spelling::Loose.is_same(name, field));
            self.writings
                .extend(meant.and_then(|name| Writing::of(name, field)));
        }
    }

    pub fn won(&mut self, fit: Fit) {
        match fit {
            Fit::Telling(_) => self.telling += 1,
            Fit::Common => self.common += 1,
            Fit::Generic => self.generic += 1,
            Fit::Weak => self.weak += 1,
            Fit::Not | Fit::Unread => {}
        }
    }

    fn matched(&self) -> u64 {
        self.telling + self.common + self.generic + self.weak
    }

    /// What it reads beside what tells by itself.
    fn untold(&self) -> u64 {
        self.common + self.generic + self.weak
    }
}

type Seen = BTreeSet<(usize, String)>;

/// Keeps a template with what stands in front of it in this name.
fn keep(layout: &Layout, role: Role, name: &[u8], records: &mut Seen, locks: &mut Seen) {
    let Some(redis) = &layout.redis else { return };
    let (at, templates, seen) = match role {
        Role::Record(at) => (at, &redis.keys, records),
        Role::Lock(at) => (at, &redis.locks, locks),
        Role::Side => return,
    };
    let Some(template) = templates.get(at).filter(|_| seen.len() < PREFIXES_MAX) else {
        return;
    };
    let captures = template.captures(name).unwrap_or_default();
    let prefix = template.capture(&captures, PREFIX).unwrap_or_default();
    seen.insert((at, String::from_utf8_lossy(&prefix).into_owned()));
}

pub fn verdicts(sources: &[Source], tallies: BTreeMap<usize, Tally>) -> (Vec<Found>, Vec<Refused>) {
    let (mut found, mut refused) = (Vec::new(), Vec::new());
    for (at, tally) in &tallies {
        let Some(source) = sources.get(*at) else {
            continue;
        };
        match verdict(*at, sources, tally, &tallies) {
            Some(finding) => found.push(finding),
            None => refused.extend(refusal(&source.layout, tally)),
        }
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    (found, refused)
}

fn verdict(
    at: usize,
    sources: &[Source],
    tally: &Tally,
    tallies: &BTreeMap<usize, Tally>,
) -> Option<Found> {
    let layout = &sources.get(at)?.layout;
    let matched = tally.matched();
    if matched == 0 || (tally.telling == 0 && is_anothers(at, tally, tallies)) {
        return None;
    }
    let redis = layout.redis.as_ref()?;
    let share = match is_bare(redis, tally) {
        // Its template fits every name: what it does not read is no evidence against it.
        true => 0.9,
        false => matched as f32 / (tally.values - tally.lost).max(1) as f32,
    };
    let telling = tally.telling as f32 / matched as f32;
    let mut score = 0.25 + 0.35 * share + 0.4 * telling.min(1.0) * share;
    let mut reasons = reasons(redis, tally);
    if tally.telling == 0 {
        let is_guess = tally.common + tally.generic == 0;
        score = score.min(if is_guess { 0.3 } else { 0.45 });
        reasons.push(match (layout.generic, is_guess) {
            (_, true) => "this is a guess: have a look".to_owned(),
            (true, false) => {
                "no layout known by name fits; read by what idempotency records usually hold"
                    .to_owned()
            }
            (false, false) => {
                "nothing here tells this layout from similar ones: have a look".to_owned()
            }
        });
        for rival in tally.rivals.keys().filter_map(|rival| sources.get(*rival)) {
            reasons.push(format!(
                "`{}` would read the same values alike",
                rival.layout.id
            ));
        }
    }
    Some(Found {
        source: Source::new(layout.clone(), Place::Keys(place(redis, tally))),
        score,
        reasons,
        matched,
        examples: tally.examples.clone(),
    })
}

/// Whether the keys that were read have next to no fixed text.
fn is_bare(redis: &RedisLayout, tally: &Tally) -> bool {
    let mut templates = tally.read.iter().filter_map(|(at, _)| redis.keys.get(*at));
    tally.locks_read.is_empty()
        && templates.all(|template| template.literal_len() < TELLING_LITERAL)
}

/// The templates to look for: those that were read, and those whose fixed text says enough.
fn place(redis: &RedisLayout, tally: &Tally) -> KeyPlace {
    let templates = redis.keys.iter().enumerate().filter(|(at, template)| {
        tally.read.iter().any(|(read, _)| read == at) || template.literal_len() >= TELLING_LITERAL
    });
    let both = tally.read.iter().chain(&tally.locks_read);
    let mut prefixes: Vec<String> = both.map(|(_, prefix)| prefix.clone()).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    KeyPlace {
        templates: templates.map(|(at, _)| at).collect(),
        prefixes,
        writings: tally.writings.iter().copied().collect(),
        seen: texts(redis, &tally.read, &tally.locks_read),
    }
}

fn texts(redis: &RedisLayout, records: &Seen, locks: &Seen) -> Vec<String> {
    let text = |templates: &[Template], (at, prefix): &(usize, String)| {
        let template = templates.get(*at)?;
        Some(template.text_behind(prefix))
    };
    let records = records.iter().filter_map(|seen| text(&redis.keys, seen));
    let locks = locks.iter().filter_map(|seen| text(&redis.locks, seen));
    records.chain(locks).collect()
}

/// Only words that many layouts write: the layout that also tells elsewhere takes them, or the one
/// that reads more of them, or the first of equals.
fn is_anothers(at: usize, tally: &Tally, tallies: &BTreeMap<usize, Tally>) -> bool {
    let rivals = || {
        tally
            .rivals
            .keys()
            .filter_map(|id| Some((id, tallies.get(id)?)))
    };
    let taken = rivals().any(|(_, rival)| rival.telling > 0 || rival.untold() > tally.untold());
    let earlier = rivals()
        .any(|(id, rival)| *id < at && rival.telling == 0 && rival.untold() == tally.untold());
    taken || earlier
}

fn reasons(redis: &RedisLayout, tally: &Tally) -> Vec<String> {
    let texts = texts(redis, &tally.seen, &tally.locks_seen);
    let shown: Vec<String> = texts
        .iter()
        .take(4)
        .map(|text| format!("`{text}`"))
        .collect();
    let names = count(tally.names, "key name fits", "key names fit");
    let mut reasons = vec![format!("{names} {}", shown.join(" or "))];
    for (case, cases) in &tally.cases {
        reasons.push(format!(
            "{} read as “{case}”",
            count(*cases, "value is", "values are")
        ));
    }
    let misfits = tally.misfits.iter().filter(|_| !is_bare(redis, tally));
    for (why, cases) in misfits {
        reasons.push(format!(
            "{} not read: {why}",
            count(*cases, "value is", "values are")
        ));
    }
    reasons
}

/// A family of keys that has a layout's names but not its values.
fn refusal(layout: &Arc<Layout>, tally: &Tally) -> Option<Refused> {
    let redis = layout.redis.as_ref()?;
    if tally.values == 0 || tally.matched() + tally.lost > 0 {
        return None;
    }
    let (at, prefix) = tally.seen.first()?;
    let template = redis.keys.get(*at)?;
    // A bare template fits every name: that is no resemblance.
    if template.literal_len() < TELLING_LITERAL {
        return None;
    }
    let why = tally
        .misfits
        .iter()
        .map(|(why, cases)| format!("{} looked at: {why}", count(*cases, "key", "keys")))
        .collect();
    Some(Refused {
        place: template.text_behind(prefix),
        resembles: layout.id.to_string(),
        why,
    })
}
