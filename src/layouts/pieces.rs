//! Records as changes see them: which pieces they have, what they read as, what a repair makes of
//! them.
//!
//! Apart from `keys` and `source`, which read lists and pages, because here everything is exact.
//! Invariants: the pieces of a record are all that a change of it compares; an edit gives a state
//! for each of them, in their order, and touches none that the layout's recipe does not name.

mod edit;
mod read;
mod row;
#[cfg(test)]
mod tests;

use super::form::Extent;
use super::layout::Layout;
use super::reading::{Fit, Reading};
use super::recipe::{Recipe, Recipes};
use super::redis::{PartKind, RedisLayout, Role};
use super::source::{Place, Source};
use super::template::{PREFIX, Template};
use crate::domain::Timestamp;
use crate::domain::change::{
    Answer, ExactCell, Piece, PiecePart, PieceState, RowState, TableShape, Verb,
};
use crate::domain::raw::{KeyType, RawAddress};

/// What a piece is to its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceRole {
    /// The key, member or field that the record is shown under.
    Own,
    /// A further key, by its name in the layout.
    Part(String),
    /// The lock of a record, or the record of a lock.
    Counterpart,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RecordPiece {
    pub role: PieceRole,
    pub piece: Piece,
}

impl Source {
    /// Every piece of the record at an address, its own first; empty where the address is none of
    /// this source's.
    pub fn pieces(&self, address: &RawAddress) -> Vec<RecordPiece> {
        let (name, member) = match address {
            RawAddress::Key(key) => (key.as_slice(), None),
            RawAddress::Member { key, member } => (key.as_slice(), Some(member.as_slice())),
            RawAddress::Row { .. } => return Vec::new(),
        };
        let (Some(redis), Some((role, _))) = (&self.layout.redis, self.role(name)) else {
            return Vec::new();
        };
        let Some(own) = own_piece(redis, role, name, member) else {
            return Vec::new();
        };
        let mut pieces = vec![RecordPiece {
            role: PieceRole::Own,
            piece: own,
        }];
        self.add_parts(role, name, member, &mut pieces);
        for key in self.counterparts_of(redis, role, name) {
            add(&mut pieces, PieceRole::Counterpart, Piece::whole(key));
        }
        pieces
    }

    /// The further keys of a record, and side keys that no other record has a part in.
    fn add_parts(
        &self,
        role: Role,
        name: &[u8],
        member: Option<&[u8]>,
        pieces: &mut Vec<RecordPiece>,
    ) {
        if matches!(role, Role::Record(_)) {
            for (part, key, what) in self.part_names(role, name, member, Extent::Whole) {
                let of = member.unwrap_or_default().to_vec();
                let part_of = match what {
                    PartKind::Value => PiecePart::Whole,
                    PartKind::Score => PiecePart::Score(of),
                    PartKind::Field => PiecePart::Field(of),
                };
                let piece = Piece { key, part: part_of };
                add(pieces, PieceRole::Part(part), piece);
            }
        }
        let (Some(redis), Some(template)) = (&self.layout.redis, self.template(role)) else {
            return;
        };
        let captures = template.captures(name).unwrap_or_default();
        let value = |capture: &str| {
            let part = template.capture(&captures, capture);
            part.map(|part| part.into_owned())
        };
        for side in redis.side_keys.iter().filter(|side| is_own(side, template)) {
            if let Some(key) = side.build(value) {
                let role = PieceRole::Part(side.text().to_owned());
                add(pieces, role, Piece::whole(key));
            }
        }
    }

    /// The lock of a record, or the record of a lock. Where there are as many templates of locks as
    /// of records, each lock has the record at its own place among them.
    fn counterparts_of(&self, redis: &RedisLayout, role: Role, name: &[u8]) -> Vec<Vec<u8>> {
        let (from, to, at, names) = match role {
            Role::Record(at) => (&redis.keys, &redis.locks, at, self.locks_of_record(name)),
            Role::Lock(at) => (&redis.locks, &redis.keys, at, self.records_of_lock(name)),
            Role::Side => return Vec::new(),
        };
        let is_paired = from.len() == to.len();
        let fits = |key: &Vec<u8>| match to.get(at) {
            Some(template) if is_paired => template.matches(key),
            _ => true,
        };
        names.into_iter().filter(fits).collect()
    }

    /// Reads a record from its pieces, in the order that [`Source::pieces`] gave them. `None` where
    /// they are no record of this source.
    pub fn read_pieces<'a>(
        &self,
        pieces: &'a [(RecordPiece, PieceState)],
        now: Timestamp,
    ) -> Option<Reading<'a>> {
        read::record(self, pieces, now)
    }

    /// What each piece becomes by a verb, in the same order.
    ///
    /// Errors: why the layout does not do this, in one sentence without a full stop.
    pub fn edit_pieces(
        &self,
        verb: Verb,
        pieces: &[(RecordPiece, PieceState)],
        answer: Option<&Answer>,
        now: Timestamp,
    ) -> Result<Vec<PieceState>, String> {
        let recipe = self.recipe(verb)?;
        if matches!(verb, Verb::Release | Verb::Settle) {
            let reading = self.read_pieces(pieces, now);
            let reading = reading.ok_or_else(|| "the record is gone".to_owned())?;
            if reading.fit <= Fit::Weak {
                return Err(
                    "that this is such a record is a guess: describe its layout first".into(),
                );
            }
        }
        edit::edit(self, verb, recipe, pieces, answer, now)
    }

    /// What a row becomes by a verb.
    ///
    /// Errors: why the layout does not do this, in one sentence without a full stop.
    pub fn edit_row(
        &self,
        verb: Verb,
        shape: &TableShape,
        cells: &[ExactCell],
        answer: Option<&Answer>,
        now: Timestamp,
    ) -> Result<RowState, String> {
        let recipe = self.recipe(verb)?;
        row::edit(self, recipe, shape, cells, answer, now)
    }

    /// Whether the layout can do this here at all, before any record is looked at; the reason where
    /// it cannot.
    pub fn can(&self, verb: Verb) -> Result<(), String> {
        match verb {
            Verb::Undo => Ok(()),
            verb => self.recipe(verb).map(|_| ()),
        }
    }

    /// The recipe of a verb where it is more than a refusal.
    fn recipe(&self, verb: Verb) -> Result<&Recipe, String> {
        let recipes = recipes(&self.layout, &self.place);
        match recipes.and_then(|recipes| recipes.of(verb)) {
            Some(Recipe::Not(why)) => Err(why.clone()),
            Some(recipe) => Ok(recipe),
            None => Err("no layout describes this".to_owned()),
        }
    }
}

fn recipes<'l>(layout: &'l Layout, place: &Place) -> Option<&'l Recipes> {
    match place {
        Place::Keys(_) => layout.redis.as_ref().map(|redis| &redis.recipes),
        Place::Table(_) => layout.sql.as_ref().map(|sql| &sql.recipes),
    }
}

/// A whole key, or the piece of one that holds many records; `None` where the layout has no such.
fn own_piece(redis: &RedisLayout, role: Role, name: &[u8], member: Option<&[u8]>) -> Option<Piece> {
    let Some(member) = member else {
        let is_whole = match role {
            Role::Record(_) => redis.string.is_some() || redis.hash.is_some(),
            Role::Lock(_) => redis.lock.is_some(),
            Role::Side => false,
        };
        return is_whole.then(|| Piece::whole(name));
    };
    let member = member.to_vec();
    let part = match (role, redis.each.as_ref()?.kind) {
        (Role::Record(_), KeyType::Set) => PiecePart::Member(member),
        (Role::Record(_), KeyType::Hash) => PiecePart::Field(member),
        (Role::Record(_), KeyType::SortedSet) => PiecePart::Score(member),
        _ => return None,
    };
    let key = name.to_vec();
    Some(Piece { key, part })
}

/// Whether a side key belongs to one record alone: its name is made of all that the record's is.
fn is_own(side: &Template, record: &Template) -> bool {
    let mut telling = record.names().iter().filter(|name| *name != PREFIX);
    !record.names().is_empty() && telling.all(|name| side.names().contains(name))
}

fn add(pieces: &mut Vec<RecordPiece>, role: PieceRole, piece: Piece) {
    if !pieces.iter().any(|known| known.piece == piece) {
        pieces.push(RecordPiece { role, piece });
    }
}
