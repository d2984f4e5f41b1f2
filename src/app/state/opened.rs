//! What a store that answered is: who it says it is, and what was found in it.

use std::path::PathBuf;

use super::{SourceTerms, name_of};
use crate::domain::Duration;
use crate::stores::{Eviction, StoreFacts};

pub use crate::stores::Place as Servers;

/// A store that answered.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// Without secrets.
    pub label: String,
    pub product: String,
    pub encryption: Option<String>,
    pub servers: Servers,
    pub skew: Option<Duration>,
    pub is_demo: bool,
    pub sources: Vec<SourceFace>,
    pub refused: Vec<RefusedFace>,
    /// Layout files of the user that could not be read.
    pub broken: Vec<BrokenFile>,
    /// Keys or tables that were looked at.
    pub sampled: u64,
    /// Of those, what this login may not read.
    pub unreadable: u64,
    /// What those are called.
    pub sampled_word: &'static str,
    pub missing_rights: Vec<String>,
    pub eviction: Option<Eviction>,
    /// The periods of its sources before anything was set here.
    pub terms: Vec<SourceTerms>,
}

/// What an open store says of itself each time that it is read.
#[derive(Clone, Debug)]
pub struct Told {
    /// Of the store that said so.
    pub label: String,
    pub product: String,
    pub encryption: Option<String>,
    pub servers: Servers,
    pub skew: Option<Duration>,
    pub missing_rights: Vec<String>,
    pub eviction: Option<Eviction>,
}

impl Told {
    pub fn of(label: String, facts: StoreFacts, skew: Option<Duration>) -> Told {
        Told {
            label,
            product: facts.product,
            encryption: facts.encryption,
            servers: facts.place,
            skew,
            missing_rights: facts.missing_rights,
            eviction: facts.eviction,
        }
    }
}

impl Opened {
    /// Takes what it says now; what another store said is not for it.
    pub fn take(&mut self, told: Told) {
        if self.label != told.label {
            return;
        }
        self.product = told.product;
        self.encryption = told.encryption;
        self.servers = told.servers;
        self.skew = told.skew;
        self.missing_rights = told.missing_rights;
        self.eviction = told.eviction;
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFace {
    pub layout: String,
    pub title: String,
    pub about: String,
    pub place: String,
    /// How sure it is, of a hundred.
    pub percent: u8,
    pub is_sure: bool,
    pub reasons: Vec<String>,
    /// Records of the sample that it reads.
    pub matched: u64,
    /// Addresses of a few records.
    pub examples: Vec<String>,
    /// What the layout says.
    pub lease: Option<Duration>,
    pub retention: Option<Duration>,
}

impl SourceFace {
    /// What it is known by.
    pub fn name(&self) -> String {
        name_of(&self.layout, &self.place)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFace {
    pub place: String,
    /// The layout it looks like.
    pub resembles: String,
    pub why: String,
}

/// A layout file that is not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenFile {
    pub path: PathBuf,
    pub line: Option<usize>,
    pub why: String,
}
