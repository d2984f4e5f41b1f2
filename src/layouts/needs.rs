//! What a source needs of a store: which keys and types, which columns, to look and to repair.
//!
//! Apart from `source`, which reads, because this is asked once, for the smallest rights.

use super::form::Input;
use super::recipe::{Recipe, Recipes};
use super::redis::{PartKind, RedisLayout};
use super::source::{Addressed, KeyPlace, Place, Source, TablePlace};
use super::template::{PREFIX, Template};
use crate::domain::change::Verb;
use crate::domain::raw::KeyType;

/// What keys a source has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyNeeds {
    /// As the server matches names.
    pub globs: Vec<Vec<u8>>,
    /// Types of the keys, in the order of `KeyType`.
    pub types: Vec<KeyType>,
    /// What the layout can do to them.
    pub verbs: Vec<Verb>,
}

/// What rows a source has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowNeeds {
    pub schema: String,
    pub table: String,
    /// Tables, as `schema` and `table`, that tell something of the rows.
    pub lookups: Vec<(String, String)>,
    /// Columns that a release or a settle writes, by the table's names.
    pub writes: Vec<String>,
    /// Whether any verb deletes rows.
    pub deletes: Option<Verb>,
    /// A column to have the right of locking rows by.
    pub key: Option<String>,
    pub verbs: Vec<Verb>,
}

/// What a source needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    Keys(KeyNeeds),
    Rows(RowNeeds),
}

impl Source {
    /// What looking and repairing here takes.
    pub fn needs(&self) -> Needs {
        let verbs = [Verb::Release, Verb::Settle, Verb::Purge];
        let verbs: Vec<Verb> = verbs
            .into_iter()
            .filter(|verb| self.can(*verb).is_ok())
            .collect();
        match (&self.place, &self.layout.redis, &self.layout.sql) {
            (Place::Table(place), _, Some(sql)) => {
                Needs::Rows(row_needs(place, &sql.recipes, verbs))
            }
            (Place::Keys(place), Some(redis), _) => Needs::Keys(key_needs(place, redis, verbs)),
            _ => Needs::Keys(KeyNeeds::default()),
        }
    }
}

fn key_needs(place: &KeyPlace, redis: &RedisLayout, verbs: Vec<Verb>) -> KeyNeeds {
    let own = place.templates.iter().filter_map(|at| redis.keys.get(*at));
    let parts = redis.parts.iter().map(|part| &part.key);
    let templates: Vec<&Template> = own
        .chain(&redis.locks)
        .chain(&redis.side_keys)
        .chain(parts)
        .collect();
    let mut globs: Vec<Vec<u8>> = Vec::new();
    for template in templates {
        for glob in globs_of(template, &place.prefixes) {
            if !globs.contains(&glob) {
                globs.push(glob);
            }
        }
    }
    let covered = globs.clone();
    globs.retain(|glob| {
        !covered
            .iter()
            .any(|wide| wide != glob && covers(wide, glob))
    });
    let mut types = redis.types();
    let mut add = |kind: KeyType| {
        if !types.contains(&kind) {
            types.push(kind);
        }
    };
    for part in &redis.parts {
        match part.what {
            PartKind::Score => add(KeyType::SortedSet),
            PartKind::Field => add(KeyType::Hash),
            PartKind::Value => add(KeyType::String),
        }
    }
    if let Some(lock) = &redis.lock {
        let inputs = &lock.whole.inputs;
        let has_fields = inputs
            .iter()
            .any(|input| matches!(input, Input::HashField(_)));
        add(match has_fields {
            true => KeyType::Hash,
            false => KeyType::String,
        });
    }
    types.sort_unstable();
    KeyNeeds {
        globs,
        types,
        verbs,
    }
}

/// With the prefixes that were seen, so that the pattern is no wider than what is there.
fn globs_of(template: &Template, prefixes: &[String]) -> Vec<Vec<u8>> {
    let has_prefix = template.names().iter().any(|name| name == PREFIX);
    if prefixes.is_empty() || !has_prefix {
        return vec![template.glob(|_| None)];
    }
    prefixes
        .iter()
        .map(|prefix| template.glob(|name| (name == PREFIX).then(|| prefix.clone().into_bytes())))
        .collect()
}

/// Whether one glob of the form `text*` takes all that the other does.
fn covers(wide: &[u8], glob: &[u8]) -> bool {
    let fixed = |glob: &[u8]| glob.iter().take_while(|byte| **byte != b'*').count();
    let length = fixed(wide);
    length + 1 == wide.len() && fixed(glob) >= length && glob.get(..length) == wide.get(..length)
}

fn row_needs(place: &TablePlace, recipes: &Recipes, verbs: Vec<Verb>) -> RowNeeds {
    // Rows without a key, as those of a view, are not changed.
    let verbs = match place.addressed {
        Addressed::ByKey => verbs,
        Addressed::ByContents => Vec::new(),
    };
    let mut needs = RowNeeds {
        schema: place.schema.to_string(),
        table: place.table.to_string(),
        key: match place.addressed {
            Addressed::ByKey => place.key.first().map(|(name, _)| name.clone()),
            Addressed::ByContents => None,
        },
        ..RowNeeds::default()
    };
    for (_, lookup) in &place.lookups {
        let table = (lookup.schema.clone(), lookup.table.clone());
        if !needs.lookups.contains(&table) {
            needs.lookups.push(table);
        }
    }
    for verb in &verbs {
        match recipes.of(*verb) {
            Some(Recipe::Delete(_)) => needs.deletes = Some(*verb),
            Some(Recipe::Write(writing)) => {
                for (role, _) in &writing.columns {
                    if let Some((column, _)) = place.column(role)
                        && !needs.writes.iter().any(|known| known == column)
                    {
                        needs.writes.push(column.to_owned());
                    }
                }
            }
            Some(Recipe::Not(_)) | None => {}
        }
    }
    needs.verbs = verbs;
    needs
}
