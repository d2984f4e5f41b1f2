//! Detection in a key space: names first, then the values of a few keys of each family.

use std::collections::BTreeMap;

use super::families::{Fitting, choose};
use super::verdict::{Tally, verdicts};
use super::{EXAMPLES_MAX, Found, Refused};
use crate::domain::Timestamp;
use crate::domain::address::escape_bytes;
use crate::domain::raw::{KeyValue, RawKey};
use crate::layouts::Layouts;
use crate::layouts::form::{Extent, Form};
use crate::layouts::keys::{Member, Seen};
use crate::layouts::reading::Fit;
use crate::layouts::redis::Role;
use crate::layouts::source::{Place, Source};

/// Fixed bytes of a template from which on its name alone says much.
const TELLING_LITERAL: usize = 4;
/// Members looked at of a key that holds many records.
const MEMBERS_OF_EACH: usize = 20;

/// The names of a sample with what each may be.
pub struct Survey<'n> {
    names: &'n [Vec<u8>],
    /// Every layout that lives in a key space, as a source of all its keys.
    sources: Vec<Source>,
    fittings: Vec<Fitting>,
    /// Where the fittings of each name begin.
    starts: Vec<usize>,
    refusals: Vec<Refusal>,
}

/// A name that fits a template and speaks against it.
struct Refusal {
    layout: usize,
    /// Fixed bytes of its template.
    length: usize,
    why: &'static str,
    name: usize,
}

impl<'n> Survey<'n> {
    pub fn of(layouts: &Layouts, names: &'n [Vec<u8>]) -> Survey<'n> {
        let sources: Vec<Source> = layouts
            .iter()
            .filter(|layout| layout.redis.is_some())
            .map(|layout| Source::new(layout.clone(), Place::every_key(layout)))
            .collect();
        let mut survey = Survey {
            names,
            sources,
            fittings: Vec::new(),
            starts: Vec::new(),
            refusals: Vec::new(),
        };
        for (at, name) in names.iter().enumerate() {
            survey.starts.push(survey.fittings.len());
            survey.look_at(at, name);
        }
        survey
    }

    fn look_at(&mut self, at: usize, name: &[u8]) {
        for (layout, source) in self.sources.iter().enumerate() {
            let Some(redis) = &source.layout.redis else {
                continue;
            };
            if let Some((role, length)) = source.role(name) {
                self.fittings.push(Fitting {
                    name: at,
                    layout,
                    role,
                    is_telling: length >= TELLING_LITERAL,
                });
            } else if let Some((length, why)) = redis.refusal(name) {
                self.refusals.push(Refusal {
                    layout,
                    length,
                    why,
                    name: at,
                });
            }
        }
    }

    /// The places of the keys whose values detection wants to see.
    pub fn wanted(&self) -> Vec<usize> {
        choose(&self.fittings, self.names)
    }

    fn fittings_of(&self, name: usize) -> &[Fitting] {
        let start = self
            .starts
            .get(name)
            .copied()
            .unwrap_or(self.fittings.len());
        let end = self
            .starts
            .get(name + 1)
            .copied()
            .unwrap_or(self.fittings.len());
        self.fittings.get(start..end).unwrap_or_default()
    }

    /// Judges the sample: `values` are some of its keys, each with its place.
    pub fn judge(&self, values: &[(usize, RawKey)], now: Timestamp) -> (Vec<Found>, Vec<Refused>) {
        let mut tallies: BTreeMap<usize, Tally> = BTreeMap::new();
        for fitting in &self.fittings {
            let (Some(name), Some(source)) = (
                self.names.get(fitting.name),
                self.sources.get(fitting.layout),
            ) else {
                continue;
            };
            let tally = tallies.entry(fitting.layout).or_default();
            tally.saw_name(&source.layout, fitting.role, name);
        }
        for (at, raw) in values {
            self.vote(*at, raw, now, &mut tallies);
        }
        let (found, mut refused) = verdicts(&self.sources, tallies);
        refused.extend(self.refused());
        (found, refused)
    }

    /// Lets every layout whose template fits read one key; the best readings get the vote.
    fn vote(&self, at: usize, raw: &RawKey, now: Timestamp, tallies: &mut BTreeMap<usize, Tally>) {
        let mut votes: Vec<Vote> = Vec::new();
        let fittings = self.fittings_of(at);
        let length = |fitting: &Fitting| {
            let source = self.sources.get(fitting.layout)?;
            source.role(&raw.name).map(|(_, length)| length)
        };
        let sides = fittings.iter().filter(|fitting| fitting.role == Role::Side);
        let side = sides.filter_map(length).max().unwrap_or(0);
        for fitting in fittings {
            let Some(source) = self.sources.get(fitting.layout) else {
                continue;
            };
            let length = length(fitting).unwrap_or(0);
            if fitting.role == Role::Side || (side > 0 && length <= side) {
                continue;
            }
            let (fit, case) = fit_of(source, fitting.role, raw, now);
            let is_own = source.layout.own && fit > Fit::Weak;
            votes.push(Vote {
                layout: fitting.layout,
                role: fitting.role,
                rank: (is_own, fit, length),
                case,
            });
        }
        count(&self.sources, raw, &votes, tallies);
    }

    /// Families with an idempotency word in their names that something else in them speaks against.
    fn refused(&self) -> Vec<Refused> {
        let mut families: BTreeMap<&'static str, BTreeMap<usize, &Refusal>> = BTreeMap::new();
        for refusal in &self.refusals {
            let is_named = |name: &Vec<u8>| super::foreign::speaks_for_it(name);
            if self.names.get(refusal.name).is_some_and(is_named) {
                let names = families.entry(refusal.why).or_default();
                // Of several layouts that fit one name, the one with most fixed text.
                let kept = names.entry(refusal.name).or_insert(refusal);
                if refusal.length > kept.length {
                    *kept = refusal;
                }
            }
        }
        let refused = families.into_iter().filter_map(|(why, names)| {
            let (at, refusal) = names.iter().next()?;
            Some(Refused {
                place: escape_bytes(self.names.get(*at)?),
                resembles: self.sources.get(refusal.layout)?.layout.id.to_string(),
                why: vec![format!(
                    "{}: {why}",
                    super::count(names.len() as u64, "key", "keys")
                )],
            })
        });
        refused.collect()
    }
}

struct Vote {
    layout: usize,
    role: Role,
    /// A user's own goes first, then what fits best, then what its name says.
    rank: (bool, Fit, usize),
    case: String,
}

fn count(sources: &[Source], raw: &RawKey, votes: &[Vote], tallies: &mut BTreeMap<usize, Tally>) {
    let best = votes.iter().map(|vote| vote.rank).max().unwrap_or_default();
    let winners: Vec<usize> = votes
        .iter()
        .filter(|vote| vote.rank == best)
        .map(|vote| vote.layout)
        .collect();
    for vote in votes {
        let tally = tallies.entry(vote.layout).or_default();
        tally.values += 1;
        let fit = vote.rank.1;
        if fit == Fit::Not && best.1 == Fit::Not {
            *tally.misfits.entry(vote.case.clone()).or_default() += 1;
            continue;
        }
        // Neither for nor against: what would tell was not read.
        if fit == Fit::Unread {
            tally.lost += 1;
            continue;
        }
        // What another layout reads better is not held against this one.
        if vote.rank != best {
            tally.lost += 1;
            continue;
        }
        tally.won(fit);
        for rival in winners.iter().filter(|rival| **rival != vote.layout) {
            *tally.rivals.entry(*rival).or_default() += 1;
        }
        *tally.cases.entry(vote.case.clone()).or_default() += 1;
        if let Some(source) = sources.get(vote.layout) {
            tally.read_key(&source.layout, vote.role, &raw.name);
            if let (true, Some(redis), KeyValue::Hash { fields, .. }) =
                (source.layout.generic, &source.layout.redis, &raw.value)
            {
                tally.read_fields(redis, fields);
            }
        }
        if tally.examples.len() < EXAMPLES_MAX {
            tally.examples.push(escape_bytes(&raw.name));
        }
    }
}

/// How a layout fits one key, with the name of the case or the reason against it.
fn fit_of(source: &Source, role: Role, raw: &RawKey, now: Timestamp) -> (Fit, String) {
    let kind = raw.value.key_type();
    if let (Some(each), Role::Record(_)) = (source.each(), role)
        && kind == Some(each)
    {
        return fit_of_members(source, role, raw, now);
    }
    let seen = Seen::only(raw);
    fit_of_seen(source, role, &seen, now).unwrap_or_else(|| {
        let why = match (&raw.value, kind) {
            (KeyValue::Missing, _) => "the key was gone when it was read".to_owned(),
            (KeyValue::Refused(_), _) => "this login may not read the value".to_owned(),
            (_, Some(kind)) => format!("the value is a {}", kind.name()),
            _ => "the value could not be read".to_owned(),
        };
        (Fit::Not, why)
    })
}

fn fit_of_seen(
    source: &Source,
    role: Role,
    seen: &Seen<'_>,
    now: Timestamp,
) -> Option<(Fit, String)> {
    let reading = source.read_seen(seen, role, Extent::List, now)?;
    let form = source.list_form(role, seen);
    let name = |form: &Form| Some(form.cases.get(reading.case?)?.name.clone());
    let case = form.and_then(name);
    Some(match reading.fit {
        Fit::Not => (
            Fit::Not,
            "the value is in none of the layout's forms".to_owned(),
        ),
        fit => (
            fit,
            case.unwrap_or_else(|| "cut before it tells".to_owned()),
        ),
    })
}

/// A key that holds many records fits as well as its best members do, if most of them do.
fn fit_of_members(source: &Source, role: Role, raw: &RawKey, now: Timestamp) -> (Fit, String) {
    let members: Vec<Member<'_>> = match &raw.value {
        KeyValue::Set { members, .. } => members
            .iter()
            .map(|name| Member {
                name,
                ..Member::default()
            })
            .collect(),
        KeyValue::Hash { fields, .. } => fields
            .iter()
            .map(|(name, value)| Member {
                name,
                value: Some(value),
                score: None,
            })
            .collect(),
        KeyValue::SortedSet { members, .. } => members
            .iter()
            .map(|(name, score)| Member {
                name,
                value: None,
                score: Some(*score),
            })
            .collect(),
        _ => Vec::new(),
    };
    let fits: Vec<(Fit, String)> = members
        .iter()
        .take(MEMBERS_OF_EACH)
        .filter_map(|member| {
            let seen = Seen {
                key: raw,
                member: Some(*member),
                parts: &[],
            };
            fit_of_seen(source, role, &seen, now)
        })
        .collect();
    let misfits = fits.iter().filter(|(fit, _)| *fit == Fit::Not).count();
    if misfits * 2 >= fits.len() {
        return (
            Fit::Not,
            "its members are in none of the layout's forms".to_owned(),
        );
    }
    fits.into_iter()
        .max_by_key(|(fit, _)| *fit)
        .unwrap_or((Fit::Not, "it is empty".to_owned()))
}
