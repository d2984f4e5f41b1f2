//! How a row's address is made again of its fields, so that millions need not be kept.
//!
//! A recipe is learnt from a record whose address consists of its own fields, and then tried on
//! every record before its address is left out.
//! Invariant: an address is left out only where the recipe gives the very same bytes again.

use std::sync::Arc;

use super::pack::{Reader, put_bytes, put_varint};
use crate::domain::address::{encode_value, escape_bytes};
use crate::domain::raw::RawAddress;
use crate::layouts::reading::Reading;
use crate::layouts::template::PREFIX;
use crate::layouts::{Place, Source};

/// Recipes a source may have, and records that may fail to give one before it is given up.
const RECIPES_MAX: usize = 32;
const FAILURES_MAX: u32 = 256;

/// An address that is still borrowed from the page.
#[derive(Clone, Copy, Debug)]
pub enum AddressRef<'a> {
    Key(&'a [u8]),
    Member {
        key: &'a [u8],
        member: &'a [u8],
    },
    Row {
        schema: &'a str,
        table: &'a str,
        key: &'a [String],
    },
}

impl<'a> From<&'a RawAddress> for AddressRef<'a> {
    fn from(address: &'a RawAddress) -> AddressRef<'a> {
        match address {
            RawAddress::Key(key) => AddressRef::Key(key),
            RawAddress::Member { key, member } => AddressRef::Member { key, member },
            RawAddress::Row { schema, table, key } => AddressRef::Row { schema, table, key },
        }
    }
}

/// A field that is a part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ingredient {
    Key,
    Digest,
    Operation,
    Method,
    Path,
    Hash,
    Scope(usize),
}

impl Ingredient {
    fn of<'a>(self, reading: &'a Reading<'_>) -> Option<&'a str> {
        match self {
            Ingredient::Key => reading.key.as_deref(),
            Ingredient::Digest => reading.digest.as_deref(),
            Ingredient::Operation => reading.operation.as_deref(),
            Ingredient::Method => reading.method.as_deref(),
            Ingredient::Path => reading.path.as_deref(),
            Ingredient::Hash => reading.payload_hash.as_deref(),
            Ingredient::Scope(at) => reading.scope_parts.get(at).map(|(_, text)| text.as_str()),
        }
    }

    fn that_is(text: &str, reading: &Reading<'_>) -> Option<Ingredient> {
        [
            Ingredient::Key,
            Ingredient::Digest,
            Ingredient::Operation,
            Ingredient::Method,
            Ingredient::Path,
            Ingredient::Hash,
        ]
        .into_iter()
        .chain((0..reading.scope_parts.len()).map(Ingredient::Scope))
        .find(|part| part.of(reading) == Some(text))
    }
}

/// A part of an address: a field, or what stands in front of all names of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Field(Ingredient),
    Fixed(String),
}

impl Piece {
    fn of<'a>(&'a self, reading: &'a Reading<'_>) -> Option<&'a str> {
        match self {
            Piece::Field(field) => field.of(reading),
            Piece::Fixed(text) => Some(text),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipe {
    /// The template of a key, by its place in the layout; none for a row.
    template: Option<usize>,
    parts: Vec<Piece>,
}

/// The recipes of one source.
#[derive(Clone, Debug, Default)]
pub(super) struct Recipes {
    list: Vec<Recipe>,
    failures: u32,
}

impl Recipes {
    /// The recipe that gives this address; `None` where it must be kept.
    pub(super) fn find(
        &mut self,
        source: &Source,
        reading: &Reading<'_>,
        address: &AddressRef<'_>,
    ) -> Option<u8> {
        let gives = |recipe: &Recipe| recipe.gives(source, reading, address);
        if let Some(at) = self.list.iter().position(gives) {
            return u8::try_from(at).ok();
        }
        if self.list.len() >= RECIPES_MAX || self.failures >= FAILURES_MAX {
            return None;
        }
        match learn(source, reading, address).filter(gives) {
            Some(recipe) => self.list.push(recipe),
            None => {
                self.failures += 1;
                return None;
            }
        }
        u8::try_from(self.list.len() - 1).ok()
    }

    pub(super) fn get(&self, at: u8) -> Option<&Recipe> {
        self.list.get(usize::from(at))
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.list.capacity() * (size_of::<Recipe>() + 64)
    }
}

impl Recipe {
    fn gives(&self, source: &Source, reading: &Reading<'_>, address: &AddressRef<'_>) -> bool {
        let part = |at: usize| self.parts.get(at).and_then(|part| part.of(reading));
        match (self.template, address) {
            (Some(template), AddressRef::Key(name)) => {
                let keys = source.layout.redis.as_ref().map(|redis| &redis.keys);
                keys.and_then(|keys| keys.get(template))
                    .is_some_and(|template| template.is_built_of(name, part))
            }
            (None, AddressRef::Row { schema, table, key }) => {
                is_place(source, schema, table)
                    && key.len() == self.parts.len()
                    && key
                        .iter()
                        .enumerate()
                        .all(|(at, value)| part(at) == Some(value.as_str()))
            }
            _ => false,
        }
    }

    /// Makes the address of the fields' texts; `None` where a field is missing.
    pub(super) fn build(
        &self,
        source: &Source,
        text: impl Fn(Ingredient) -> Option<String>,
    ) -> Option<RawAddress> {
        match self.template {
            None => {
                let Place::Table(table) = &source.place else {
                    return None;
                };
                let key: Option<Vec<String>> =
                    self.parts.iter().map(|part| piece(part, &text)).collect();
                Some(RawAddress::Row {
                    schema: table.schema.clone(),
                    table: table.table.clone(),
                    key: key?,
                })
            }
            Some(template) => {
                let template = source.layout.redis.as_ref()?.keys.get(template)?;
                let name = template.build(|capture| {
                    let at = template.names().iter().position(|name| name == capture)?;
                    Some(piece(self.parts.get(at)?, &text)?.into_bytes())
                })?;
                Some(RawAddress::Key(name))
            }
        }
    }

    pub(super) fn holds(&self, part: Ingredient) -> bool {
        self.parts.contains(&Piece::Field(part))
    }

    /// Appends the address as text without making it first; `push` appends a field's text.
    pub(super) fn push_text(
        &self,
        source: &Source,
        out: &mut Vec<u8>,
        push: impl Fn(Ingredient, &mut Vec<u8>),
    ) {
        let put = |at: usize, out: &mut Vec<u8>| match self.parts.get(at) {
            Some(Piece::Field(part)) => push(*part, out),
            Some(Piece::Fixed(text)) => out.extend_from_slice(text.as_bytes()),
            None => {}
        };
        if let (None, Place::Table(table)) = (self.template, &source.place) {
            out.extend_from_slice(table.schema.as_bytes());
            out.push(b'.');
            out.extend_from_slice(table.table.as_bytes());
            for at in 0..self.parts.len() {
                out.push(b'/');
                let start = out.len();
                put(at, out);
                escape_tail(out, start, b"/%", encode_value);
            }
            return;
        }
        let keys = source.layout.redis.as_ref().map(|redis| &redis.keys);
        let template = self
            .template
            .and_then(|at| keys.and_then(|keys| keys.get(at)));
        if let Some(template) = template {
            let start = out.len();
            template.push_name(out, put);
            escape_tail(out, start, b"\\", |text| escape_bytes(text.as_bytes()));
        }
    }
}

fn piece(piece: &Piece, text: impl Fn(Ingredient) -> Option<String>) -> Option<String> {
    match piece {
        Piece::Field(field) => text(*field),
        Piece::Fixed(fixed) => Some(fixed.clone()),
    }
}

/// Puts the escaped form in place of the bytes from `start` on, where these hold what is escaped.
fn escape_tail(out: &mut Vec<u8>, start: usize, special: &[u8], escape: impl Fn(&str) -> String) {
    let tail = out.get(start..).unwrap_or_default();
    if !tail.iter().any(|byte| special.contains(byte)) {
        return;
    }
    let escaped = escape(&String::from_utf8_lossy(tail));
    out.truncate(start);
    out.extend_from_slice(escaped.as_bytes());
}

fn is_place(source: &Source, schema: &str, table: &str) -> bool {
    matches!(&source.place, Place::Table(place) if &*place.schema == schema && &*place.table == table)
}

fn learn(source: &Source, reading: &Reading<'_>, address: &AddressRef<'_>) -> Option<Recipe> {
    match address {
        AddressRef::Member { .. } => None,
        AddressRef::Row { key, .. } => Some(Recipe {
            template: None,
            parts: key
                .iter()
                .map(|value| Ingredient::that_is(value, reading).map(Piece::Field))
                .collect::<Option<Vec<Piece>>>()?,
        }),
        AddressRef::Key(name) => {
            let at = source.template_of(name)?;
            let template = source.layout.redis.as_ref()?.keys.get(at)?;
            let captures = template.captures(name)?;
            let parts = captures.into_iter().enumerate().map(|(place, capture)| {
                let meant = template.meant(place, capture);
                let text = std::str::from_utf8(&meant).ok()?;
                match Ingredient::that_is(text, reading) {
                    Some(field) => Some(Piece::Field(field)),
                    None => (template.names().get(place)? == PREFIX)
                        .then(|| Piece::Fixed(text.to_owned())),
                }
            });
            Some(Recipe {
                template: Some(at),
                parts: parts.collect::<Option<Vec<Piece>>>()?,
            })
        }
    }
}

/// Keeps an address that no recipe gives.
pub(super) fn put_address(out: &mut Vec<u8>, source: &Source, address: &AddressRef<'_>) {
    match address {
        AddressRef::Key(key) => {
            out.push(0);
            put_bytes(out, key);
        }
        AddressRef::Member { key, member } => {
            out.push(1);
            put_bytes(out, key);
            put_bytes(out, member);
        }
        AddressRef::Row { schema, table, key } => {
            if is_place(source, schema, table) {
                out.push(2);
            } else {
                out.push(3);
                put_bytes(out, schema.as_bytes());
                put_bytes(out, table.as_bytes());
            }
            put_varint(out, key.len() as u64);
            for value in *key {
                put_bytes(out, value.as_bytes());
            }
        }
    }
}

/// Reads an address that was kept.
pub(super) fn read_address(bytes: &[u8], source: &Source) -> RawAddress {
    let mut reader = Reader::new(bytes);
    let kind = reader.byte();
    match kind {
        0 => RawAddress::Key(reader.bytes().to_vec()),
        1 => RawAddress::Member {
            key: reader.bytes().to_vec(),
            member: reader.bytes().to_vec(),
        },
        _ => {
            let (schema, table) = match &source.place {
                Place::Table(place) if kind == 2 => (place.schema.clone(), place.table.clone()),
                _ => (Arc::from(reader.str()), Arc::from(reader.str())),
            };
            let values = reader.varint();
            let key = (0..values)
                .map_while(|_| (!reader.is_at_end()).then(|| reader.str().to_owned()))
                .collect();
            RawAddress::Row { schema, table, key }
        }
    }
}
