//! How a layout's records stand in a key space, in checked form.
//!
//! Apart from `layout` because keys have roles and parts, and tables have neither.

use regex::bytes::Regex;

use super::compile::{Vocabulary, whole_text};
use super::detect::foreign;
use super::form::Input;
use super::layout::{FormPair, form_pair};
use super::recipe::{Ground, Recipes};
use super::search::Search;
use super::spec::{FormSpec, RedisSpec};
use super::spelling::Spelling;
use super::template::{Front, PREFIX, Template};
use crate::domain::raw::KeyType;

#[derive(Debug)]
pub struct RedisLayout {
    pub keys: Vec<Template>,
    pub locks: Vec<Template>,
    pub parts: Vec<Part>,
    pub side_keys: Vec<Template>,
    pub never: Option<Regex>,
    pub string: Option<FormPair>,
    pub hash: Option<FormPair>,
    pub each: Option<Each>,
    pub lock: Option<FormPair>,
    pub search: Search,
    pub recipes: Recipes,
    /// No library's own: a name must not speak against it.
    generic: bool,
}

/// A template with fewer fixed bytes than this says next to nothing.
const TELLING_LITERAL: usize = 4;

/// A further key of the same record.
#[derive(Debug)]
pub struct Part {
    pub name: String,
    pub key: Template,
    pub what: PartKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Value,
    /// The score of the member.
    Score,
    /// The field named like the member.
    Field,
}

/// One key that holds many records.
#[derive(Debug)]
pub struct Each {
    /// Set, hash or sorted set.
    pub kind: KeyType,
    pub form: FormPair,
}

/// What a key is to a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A record's own key, or one that holds many records; the template's place.
    Record(usize),
    Lock(usize),
    /// It belongs to a record or to the library and is no record.
    Side,
}

impl RedisLayout {
    pub(super) fn check(
        spec: Option<&RedisSpec>,
        params: &[String],
        generic: bool,
    ) -> Result<Option<RedisLayout>, String> {
        let Some(redis) = spec else {
            return Ok(None);
        };
        let front = match redis.prefix.as_deref() {
            None => Front::Open,
            Some("none") => Front::Fixed,
            Some(other) => return Err(format!("`{other}` is no way to treat prefixes")),
        };
        let classes: Vec<(String, String)> = redis.captures.clone().into_iter().collect();
        let parse = |texts: &[String]| -> Result<Vec<Template>, String> {
            texts
                .iter()
                .map(|text| Template::parse(text, &classes, front))
                .collect()
        };
        let keys = parse(&redis.keys)?;
        if keys.is_empty() {
            return Err("`redis.keys` names no key".to_owned());
        }
        let locks = parse(&redis.locks)?;
        let captures = captures(keys.iter().chain(&locks));
        let parts = parts(redis, &classes, front, &captures)?;
        let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
        let words = Vocabulary {
            captures: &captures,
            parts: &names,
            params,
            spelling: if generic {
                Spelling::Loose
            } else {
                Spelling::Exact
            },
            ..Vocabulary::default()
        };
        let never = redis
            .never
            .as_deref()
            .map(|pattern| whole_text(&format!("(?s:.*(?:{pattern}).*)")));
        Ok(Some(RedisLayout {
            side_keys: parse(&redis.side_keys)?,
            never: never.transpose()?,
            string: pair(&redis.string, "string", value_words(words))?,
            hash: pair(&redis.hash, "hash", hash_words(words))?,
            each: each(redis, words)?,
            lock: pair(&redis.lock, "lock", hash_words(value_words(words)))?,
            search: Search::check(redis.search.as_ref(), &captures)?,
            recipes: recipes(redis, words)?,
            keys,
            locks,
            parts,
            generic,
        }))
    }

    pub fn form(&self, kind: KeyType) -> Option<&FormPair> {
        match kind {
            KeyType::String => self.string.as_ref(),
            KeyType::Hash => self.hash.as_ref(),
            _ => None,
        }
    }

    /// The types of a record's own key, that of a container among them.
    pub fn types(&self) -> Vec<KeyType> {
        let each = self.each.iter().map(|each| each.kind);
        [KeyType::String, KeyType::Hash]
            .into_iter()
            .filter(|kind| self.form(*kind).is_some())
            .chain(each)
            .collect()
    }

    /// What a key of this name is, and how many fixed bytes say so.
    pub fn role(&self, name: &[u8]) -> Option<(Role, usize)> {
        let fits = |templates: &[Template]| templates.iter().position(|t| t.matches(name));
        let part = self
            .parts
            .iter()
            .map(|part| &part.key)
            .find(|t| t.matches(name));
        let side = self.side_keys.iter().find(|t| t.matches(name)).or(part);
        if let Some(template) = side {
            return Some((Role::Side, template.literal_len()));
        }
        let length =
            |templates: &[Template], at: usize| templates.get(at).map_or(0, Template::literal_len);
        if let Some(at) = fits(&self.locks) {
            return Some((Role::Lock(at), length(&self.locks, at)));
        }
        let at = fits(&self.keys)?;
        let length = length(&self.keys, at);
        self.veto(name, length)
            .is_none()
            .then_some((Role::Record(at), length))
    }

    /// What speaks against a record of this name.
    fn veto(&self, name: &[u8], length: usize) -> Option<&'static str> {
        let never = self
            .never
            .as_ref()
            .is_some_and(|never| never.is_match(name));
        if never {
            return Some("the layout's keys have no such names");
        }
        let is_guarded = self.generic || length < TELLING_LITERAL;
        if is_guarded {
            foreign::veto(name)
        } else {
            None
        }
    }

    /// Why a key whose name fits a template is none of this layout all the same.
    pub fn refusal(&self, name: &[u8]) -> Option<(usize, &'static str)> {
        let at = self
            .keys
            .iter()
            .position(|template| template.matches(name))?;
        let length = self.keys.get(at).map_or(0, Template::literal_len);
        Some((length, self.veto(name, length)?))
    }

    /// The fields that the forms of a list read of a hash.
    pub fn hash_names(&self) -> impl Iterator<Item = &str> {
        let pairs = [&self.hash, &self.lock].into_iter().flatten();
        let inputs = pairs.flat_map(|pair| &pair.list.inputs);
        inputs.filter_map(|input| match input {
            Input::HashField(name) => Some(name.as_str()),
            _ => None,
        })
    }

    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}

/// What is asked of the further keys of a record by a form.
pub fn parts_of(inputs: &[Input]) -> Vec<&str> {
    let mut names: Vec<&str> = inputs
        .iter()
        .filter_map(|input| match input {
            Input::Part { part, .. } => Some(part.as_str()),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn captures<'t>(templates: impl Iterator<Item = &'t Template>) -> Vec<String> {
    let mut captures: Vec<String> = templates.flat_map(|t| t.names().iter().cloned()).collect();
    captures.sort_unstable();
    captures.dedup();
    captures
}

fn parts(
    redis: &RedisSpec,
    classes: &[(String, String)],
    front: Front,
    captures: &[String],
) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    for (name, spec) in &redis.parts {
        let key = Template::parse(&spec.key, classes, front)
            .map_err(|error| format!("redis.parts.{name}: {error}"))?;
        let known = |capture: &String| {
            captures.contains(capture) || capture == "member" || capture == PREFIX
        };
        if let Some(unknown) = key.names().iter().find(|capture| !known(capture)) {
            return Err(format!("redis.parts.{name}: nothing gives `{{{unknown}}}`"));
        }
        let what = match (spec.score, spec.field) {
            (true, false) => PartKind::Score,
            (false, true) => PartKind::Field,
            (false, false) => PartKind::Value,
            (true, true) => return Err(format!("redis.parts.{name} is a score or a field")),
        };
        let name = name.clone();
        parts.push(Part { name, key, what });
    }
    Ok(parts)
}

/// Recipes name what stands in the record before them: a lock's value where there are locks, else
/// the record's own.
fn recipes(redis: &RedisSpec, words: Vocabulary<'_>) -> Result<Recipes, String> {
    let each = [&redis.each_member, &redis.each_field, &redis.each_scored];
    let forms = [&redis.lock, &redis.string, &redis.hash].into_iter();
    let form = forms.chain(each).flatten().next();
    let words = Vocabulary {
        has_member: each.iter().any(|form| form.is_some()),
        ..hash_words(value_words(words))
    };
    Recipes::check(
        "redis",
        [&redis.release, &redis.settle, &redis.purge].map(Option::as_ref),
        form.map_or(&[], |form| &form.decode),
        &words,
        Ground::Keys,
    )
}

fn value_words(words: Vocabulary<'_>) -> Vocabulary<'_> {
    Vocabulary {
        has_value: true,
        ..words
    }
}

fn hash_words(words: Vocabulary<'_>) -> Vocabulary<'_> {
    Vocabulary {
        has_hash: true,
        ..words
    }
}

fn pair(
    form: &Option<FormSpec>,
    name: &str,
    words: Vocabulary<'_>,
) -> Result<Option<FormPair>, String> {
    let Some(form) = form else { return Ok(None) };
    form_pair(form, &words)
        .map(Some)
        .map_err(|error| format!("redis.{name}: {error}"))
}

fn each(redis: &RedisSpec, words: Vocabulary<'_>) -> Result<Option<Each>, String> {
    let words = Vocabulary {
        has_member: true,
        ..words
    };
    let scored = Vocabulary {
        has_score: true,
        ..words
    };
    let forms = [
        (&redis.each_member, "each_member", KeyType::Set, words),
        (
            &redis.each_field,
            "each_field",
            KeyType::Hash,
            value_words(words),
        ),
        (
            &redis.each_scored,
            "each_scored",
            KeyType::SortedSet,
            scored,
        ),
    ];
    let mut found = None;
    for (form, name, kind, words) in forms {
        if let Some(form) = pair(form, name, words)? {
            if found.is_some() {
                return Err(format!("redis.{name}: a key holds records in one way only"));
            }
            found = Some(Each { kind, form });
        }
    }
    Ok(found)
}
