//! How a source reads keys: which role a key has, which further keys belong to it, what it says.
//!
//! Apart from `source`, which reads rows, because a record may be one key, several, or a member of
//! one.

use super::detect::foreign;
use super::evaluate::Values;
use super::form::{Extent, Form, Input};
use super::reading::{self, Fit, Reading};
use super::redis::{PartKind, Role, parts_of};
use super::slot::Slot;
use super::source::{Place, Source};
use super::spelling::{Spelling, Writing};
use super::template::{PREFIX, Template};
use super::vocabulary::snake;
use crate::domain::raw::{KeyRead, KeyType, KeyValue, RawKey};
use crate::domain::{Problem, Status, Timestamp};

/// Bytes read of a further key for a list.
const PART_HEAD: usize = 512;
/// A template with fewer fixed bytes than this does not make a key a record by its name alone.
const TELLING_LITERAL: usize = 4;

/// What was read of one record.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub key: &'a RawKey,
    /// Where one key holds many records, which one it is.
    pub member: Option<Member<'a>>,
    /// Further keys of the record, by their names in the layout.
    pub parts: &'a [(String, RawKey)],
}

/// A member of a set or sorted set, or a field of a hash.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    pub name: &'a [u8],
    pub value: Option<&'a [u8]>,
    pub score: Option<f64>,
}

/// A further key to read.
#[derive(Clone, Debug, PartialEq)]
pub struct PartWant {
    pub part: String,
    pub name: Vec<u8>,
    pub read: KeyRead,
}

impl<'a> Seen<'a> {
    pub fn only(key: &'a RawKey) -> Seen<'a> {
        Seen {
            key,
            member: None,
            parts: &[],
        }
    }
}

impl Source {
    /// What a key of this name is here, and how many fixed bytes say so.
    pub fn role(&self, name: &[u8]) -> Option<(Role, usize)> {
        let Place::Keys(place) = &self.place else {
            return None;
        };
        let (role, length) = self.layout.redis.as_ref()?.role(name)?;
        match role {
            Role::Record(at) if !place.templates.contains(&at) => None,
            role => Some((role, length)),
        }
    }

    /// The template that fits a record's name, by its place in the layout.
    pub fn template_of(&self, name: &[u8]) -> Option<usize> {
        match self.role(name) {
            Some((Role::Record(at), _)) => Some(at),
            _ => None,
        }
    }

    pub fn key_form(&self, kind: KeyType, extent: Extent) -> Option<&Form> {
        let pair = self.layout.redis.as_ref()?.form(kind)?;
        Some(pair.of(extent))
    }

    /// The type of the keys that hold many records each.
    pub fn each(&self) -> Option<KeyType> {
        Some(self.layout.redis.as_ref()?.each.as_ref()?.kind)
    }

    pub(super) fn template(&self, role: Role) -> Option<&Template> {
        let redis = self.layout.redis.as_ref()?;
        match role {
            Role::Record(at) => redis.keys.get(at),
            Role::Lock(at) => redis.locks.get(at),
            Role::Side => None,
        }
    }

    fn form_of(&self, role: Role, seen: &Seen<'_>, extent: Extent) -> Option<&Form> {
        let redis = self.layout.redis.as_ref()?;
        let pair = match (role, seen.member) {
            (Role::Side, _) => None,
            (Role::Lock(_), _) => redis.lock.as_ref(),
            (Role::Record(_), Some(_)) => redis.each.as_ref().map(|each| &each.form),
            (Role::Record(_), None) => redis.form(seen.key.value.key_type()?),
        };
        pair.map(|pair| pair.of(extent))
    }

    /// The form that a list reads this record by.
    pub fn list_form(&self, role: Role, seen: &Seen<'_>) -> Option<&Form> {
        self.form_of(role, seen, Extent::List)
    }

    /// Reads a key that is a record, or a lock, by itself.
    pub fn read_key<'a>(
        &self,
        raw: &'a RawKey,
        extent: Extent,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let (role, _) = self.role(&raw.name)?;
        self.read_seen(&Seen::only(raw), role, extent, now)
    }

    /// Reads one record. `None` where its name or type is not this source's.
    pub fn read_seen<'a>(
        &self,
        seen: &Seen<'a>,
        role: Role,
        extent: Extent,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let form = self.form_of(role, seen, extent)?;
        let values = self.values(form, seen, role)?;
        let raw = seen.key;
        let mut reading = reading::read(form, &values, &self.params, now);
        match reading.fit {
            // A guess needs a name that does not speak against it.
            Fit::Weak if foreign::veto(&raw.name).is_some() => reading.fit = Fit::Not,
            fit if self.layout.generic && fit > Fit::Generic => reading.fit = Fit::Generic,
            _ => {}
        }
        Some(reading)
    }

    /// What a form asks of one record. `None` where its name does not fit.
    pub(super) fn values<'a>(
        &self,
        form: &Form,
        seen: &Seen<'a>,
        role: Role,
    ) -> Option<Values<'a>> {
        let template = self.template(role)?;
        let captures = template.captures(&seen.key.name)?;
        let value = &seen.key.value;
        let cut = matches!(value, KeyValue::String { bytes, len } if (bytes.len() as u64) < *len);
        Some(Values::fill(form, cut, |input| match input {
            Input::Capture(name) => capture(template, &captures, name),
            Input::Value => value_of(seen),
            Input::HashField(name) => self.hash_field(value, name),
            Input::Member => seen
                .member
                .map_or(Slot::Absent, |member| Slot::from_bytes(member.name)),
            Input::Score => seen
                .member
                .and_then(|member| member.score)
                .map_or(Slot::Absent, Slot::Float),
            Input::Part { part, field } => self.part_slot(seen, part, field.as_deref()),
            Input::Column(_) => Slot::Absent,
        }))
    }

    /// A field of a hash; a layout that is no library's own takes it also in another writing.
    fn hash_field<'a>(&self, value: &'a KeyValue, name: &str) -> Slot<'a> {
        match field_of(value, name.as_bytes()) {
            Slot::Absent if self.layout.generic => {}
            found => return found,
        }
        let KeyValue::Hash { fields, .. } = value else {
            return Slot::Absent;
        };
        let same = fields.iter().find(|(field, _)| {
            let field = std::str::from_utf8(field);
            field.is_ok_and(|field| Spelling::Loose.is_same(name, field))
        });
        same.map_or(Slot::Absent, |(_, value)| Slot::from_bytes(value))
    }

    /// The fields that a list asks of hashes, in every writing that was seen here.
    pub fn hash_fields(&self) -> Vec<Vec<u8>> {
        let Some(redis) = &self.layout.redis else {
            return Vec::new();
        };
        let writings: &[Writing] = match &self.place {
            _ if !self.layout.generic => &[],
            Place::Keys(place) if !place.writings.is_empty() => &place.writings,
            // What the layout has is in snake case.
            _ => &[Writing::Camel],
        };
        let mut fields = Vec::new();
        for name in redis.hash_names() {
            let written = writings.iter().map(|writing| writing.write(&snake(name)));
            fields.extend(written.map(String::into_bytes));
            fields.push(name.as_bytes().to_vec());
        }
        fields
    }

    fn part_slot<'a>(&self, seen: &Seen<'a>, part: &str, field: Option<&str>) -> Slot<'a> {
        let Some((_, raw)) = seen.parts.iter().find(|(known, _)| known == part) else {
            return Slot::Absent;
        };
        let what = self
            .layout
            .redis
            .as_ref()
            .and_then(|redis| redis.part(part))
            .map(|part| part.what);
        let own = seen.member.map(|member| member.name).unwrap_or_default();
        match (&raw.value, field, what) {
            (KeyValue::String { bytes, len }, None, _) if (bytes.len() as u64) < *len => Slot::Cut,
            (KeyValue::String { bytes, .. }, None, _) => Slot::from_bytes(bytes),
            (value, Some(field), _) => field_of(value, field.as_bytes()),
            (value, None, Some(PartKind::Field)) => field_of(value, own),
            (KeyValue::SortedSet { members, .. }, None, Some(PartKind::Score)) => members
                .iter()
                .find(|(member, _)| member == own)
                .map_or(Slot::Absent, |(_, score)| Slot::Float(*score)),
            (KeyValue::Missing | KeyValue::Refused(_), _, _) => Slot::Absent,
            // It is there, of a type that was not asked for.
            _ => Slot::Cut,
        }
    }

    /// Whether the name alone says that a key is one of the source's records: it has enough fixed
    /// text, behind a prefix that records were seen with, and nothing speaks against it.
    pub fn is_named_for(&self, role: Role, length: usize, name: &[u8]) -> bool {
        let (Place::Keys(place), Role::Record(_), Some(template)) =
            (&self.place, role, self.template(role))
        else {
            return false;
        };
        if self.layout.generic || length < TELLING_LITERAL || foreign::veto(name).is_some() {
            return false;
        }
        let captures = template.captures(name).unwrap_or_default();
        let prefix = template.capture(&captures, PREFIX).unwrap_or_default();
        place.prefixes.is_empty()
            || place
                .prefixes
                .iter()
                .any(|seen| seen.as_bytes() == prefix.as_ref())
    }

    /// The further keys that reading this record takes.
    pub fn part_wants(
        &self,
        role: Role,
        name: &[u8],
        member: Option<&[u8]>,
        extent: Extent,
        bytes_max: usize,
    ) -> Vec<PartWant> {
        self.part_names(role, name, member, extent)
            .into_iter()
            .map(|(part, name, what)| {
                let own = || std::sync::Arc::from(vec![member.unwrap_or_default().to_vec()]);
                let read = match (what, extent) {
                    (PartKind::Score, _) => KeyRead::Scores(own()),
                    (PartKind::Field, _) => KeyRead::Fields(own()),
                    (PartKind::Value, Extent::List) => KeyRead::Head { bytes: PART_HEAD },
                    (PartKind::Value, Extent::Whole) => KeyRead::Whole { bytes_max },
                };
                PartWant { part, name, read }
            })
            .collect()
    }

    pub(super) fn part_names(
        &self,
        role: Role,
        name: &[u8],
        member: Option<&[u8]>,
        extent: Extent,
    ) -> Vec<(String, Vec<u8>, PartKind)> {
        let (Some(redis), Some(template)) = (&self.layout.redis, self.template(role)) else {
            return Vec::new();
        };
        if redis.parts.is_empty() {
            return Vec::new();
        }
        let forms = [&redis.string, &redis.hash];
        let each = redis.each.iter().map(|each| &each.form);
        let wanted: Vec<&str> = forms
            .into_iter()
            .flatten()
            .chain(each)
            .flat_map(|pair| parts_of(&pair.of(extent).inputs))
            .collect();
        let captures = template.captures(name).unwrap_or_default();
        let value = |capture: &str| match capture {
            "member" => member.map(<[u8]>::to_vec),
            capture => template
                .capture(&captures, capture)
                .map(|part| part.into_owned()),
        };
        redis
            .parts
            .iter()
            .filter(|part| extent == Extent::Whole || wanted.contains(&part.name.as_str()))
            .filter_map(|part| Some((part.name.clone(), part.key.build(value)?, part.what)))
            .collect()
    }

    /// The names that the record of a lock may have.
    pub fn records_of_lock(&self, name: &[u8]) -> Vec<Vec<u8>> {
        self.counterparts(name, |redis| (&redis.locks, &redis.keys))
    }

    /// The names that the lock of a record may have.
    pub fn locks_of_record(&self, name: &[u8]) -> Vec<Vec<u8>> {
        self.counterparts(name, |redis| (&redis.keys, &redis.locks))
    }

    fn counterparts(
        &self,
        name: &[u8],
        sides: impl Fn(&super::redis::RedisLayout) -> (&Vec<Template>, &Vec<Template>),
    ) -> Vec<Vec<u8>> {
        let Some(redis) = &self.layout.redis else {
            return Vec::new();
        };
        let (from, to) = sides(redis);
        let Some(template) = from.iter().find(|template| template.matches(name)) else {
            return Vec::new();
        };
        let captures = template.captures(name).unwrap_or_default();
        let value = |capture: &str| {
            template
                .capture(&captures, capture)
                .map(|part| part.into_owned())
        };
        let mut names: Vec<Vec<u8>> = to.iter().filter_map(|t| t.build(value)).collect();
        names.dedup();
        names
    }

    /// What can be told of a key whose value may not be read, or is of a type that no form reads:
    /// its name's parts and nothing else.
    pub fn read_name<'a>(
        &self,
        raw: &'a RawKey,
        problem: Problem,
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        let redis = self.layout.redis.as_ref()?;
        let template = redis.keys.get(self.template_of(&raw.name)?)?;
        let captures = template.captures(&raw.name)?;
        let form = &redis.string.as_ref().or(redis.hash.as_ref())?.list;
        let values = Values::fill(form, false, |input| match input {
            Input::Capture(name) => capture(template, &captures, name),
            _ => Slot::Absent,
        });
        let mut reading = reading::read(form, &values, &self.params, now);
        reading.status = Status::Unknown;
        reading.case = None;
        reading.problems = vec![problem];
        Some(reading)
    }
}

fn value_of<'a>(seen: &Seen<'a>) -> Slot<'a> {
    match (seen.member, &seen.key.value) {
        (Some(member), _) => member.value.map_or(Slot::Absent, Slot::from_bytes),
        (None, KeyValue::String { bytes, .. }) => Slot::from_bytes(bytes),
        _ => Slot::Absent,
    }
}

fn field_of<'a>(value: &'a KeyValue, name: &[u8]) -> Slot<'a> {
    match value {
        KeyValue::Hash { fields, .. } => fields
            .iter()
            .find(|(field, _)| field == name)
            .map_or(Slot::Absent, |(_, value)| Slot::from_bytes(value)),
        _ => Slot::Absent,
    }
}

fn capture<'a>(template: &Template, captures: &[&'a [u8]], name: &str) -> Slot<'a> {
    match template.capture(captures, name) {
        None => Slot::Absent,
        Some(std::borrow::Cow::Borrowed(part)) => Slot::from_bytes(part),
        Some(std::borrow::Cow::Owned(part)) => Slot::from_bytes(&part).into_owned(),
    }
}
