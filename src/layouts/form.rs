//! A form in checked shape: which inputs to ask a store for, what to decode, which cases to try.
//!
//! Compiled once a source, in two extents: what a list needs, and everything. Paths have become
//! slot numbers, so that reading a record looks up no names.

use super::codec::Step;
use super::field::Field;
use super::json::Trie;
use super::predicate::Predicate;
use super::times::Unit;
use crate::domain::stuck::LockState;
use crate::domain::{Duration, Status};

/// What a store is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A captured part of the key's name.
    Capture(String),
    /// The bytes of a string.
    Value,
    /// A field of a hash.
    HashField(String),
    /// The member or field that is the record.
    Member,
    /// The score of the member that is the record.
    Score,
    /// A further key of the record, or a field of the hash there.
    Part { part: String, field: Option<String> },
    /// A column, by the layout's name for it.
    Column(String),
}

/// How much of a record is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    List,
    Whole,
}

#[derive(Clone, Debug)]
pub struct Form {
    pub inputs: Vec<Input>,
    /// Slot of each input, in the order of `inputs`.
    pub input_slots: Vec<usize>,
    pub nodes: Vec<Node>,
    pub slots: usize,
    pub cases: Vec<Case>,
    /// Fields where no case fits.
    pub fields: FieldTable,
    pub scope: Vec<(String, usize)>,
    /// Slots that must hold something for this form to be meant.
    pub requires: Vec<usize>,
    /// Slots that are only looked at for presence.
    pub presence_only: Vec<usize>,
}

/// A decoded thing.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub of: usize,
    pub codecs: Vec<Step>,
    pub trie: Trie,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub status: Status,
    pub lock: LockState,
    pub when: Vec<Predicate>,
    pub fields: FieldTable,
    pub telling: Telling,
    /// False where the case says that this is no record at all.
    pub is_record: bool,
}

/// How much a case tells by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    Much,
    /// Other layouts write the same.
    Common,
    /// A guess.
    Weak,
}

#[derive(Clone, Debug)]
pub struct FieldSource {
    pub slot: usize,
    pub decode: Vec<Step>,
    pub unit: Unit,
    pub plus: Option<Period>,
    /// An empty text is a value, and shown as such.
    pub keep_empty: bool,
}

/// A period of time: a parameter's value, or a fixed one.
#[derive(Clone, Debug, PartialEq)]
pub enum Period {
    Param(String),
    Fixed(Duration),
}

/// Where each field comes from: alternatives in order.
#[derive(Clone, Debug, Default)]
pub struct FieldTable(Vec<(Field, Vec<FieldSource>)>);

impl FieldTable {
    pub fn set(&mut self, field: Field, sources: Vec<FieldSource>) {
        self.0.retain(|(known, _)| *known != field);
        self.0.push((field, sources));
    }

    pub fn get(&self, field: Field) -> &[FieldSource] {
        self.0
            .iter()
            .find(|(known, _)| *known == field)
            .map_or(&[], |(_, sources)| sources)
    }

    pub fn fields(&self) -> impl Iterator<Item = Field> + '_ {
        self.0.iter().map(|(field, _)| *field)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Field, &[FieldSource])> {
        self.0
            .iter()
            .map(|(field, sources)| (*field, sources.as_slice()))
    }
}
