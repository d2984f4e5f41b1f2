//! Numbers for names: operations, clients, users, instances.
//!
//! Invariants: no more than a stated number of names, each cut to a stated length; whoever comes
//! after that is one of the rest, and that is told.

use std::sync::Arc;

use super::hash::{self, HashedMap};

/// A name is cut after so many bytes.
const BYTES_MAX: usize = 120;

/// The number of all that have no number of their own.
pub const REST: u16 = u16::MAX;

#[derive(Clone, Debug)]
pub struct Names {
    numbers: HashedMap<u16>,
    names: Vec<Arc<str>>,
    most: usize,
    pub is_full: bool,
}

impl Names {
    /// Room for so many names, fewer than [`REST`].
    pub fn new(most: usize) -> Names {
        Names {
            numbers: HashedMap::default(),
            names: Vec::new(),
            most: most.min(usize::from(REST) - 1),
            is_full: false,
        }
    }

    pub fn number(&mut self, name: &str) -> u16 {
        let name = cut(name);
        let hash = hash::of(name);
        if let Some(number) = self.numbers.get(&hash) {
            return *number;
        }
        if self.names.len() >= self.most {
            self.is_full = true;
            return REST;
        }
        let number = u16::try_from(self.names.len()).unwrap_or(REST);
        self.names.push(name.into());
        self.numbers.insert(hash, number);
        number
    }

    /// The number of a name that is here already.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.numbers.get(&hash::of(cut(name))).copied()
    }

    /// `None` for the rest.
    pub fn name(&self, number: u16) -> Option<&Arc<str>> {
        self.names.get(usize::from(number))
    }

    /// What the numbers of another list are here.
    pub fn take_in(&mut self, other: &Names) -> Renumbered {
        self.is_full |= other.is_full;
        Renumbered(other.names.iter().map(|name| self.number(name)).collect())
    }
}

/// Numbers of one list as numbers of another.
pub struct Renumbered(Vec<u16>);

impl Renumbered {
    pub fn of(&self, number: u16) -> u16 {
        self.0.get(usize::from(number)).copied().unwrap_or(REST)
    }
}

fn cut(name: &str) -> &str {
    if name.len() <= BYTES_MAX {
        return name;
    }
    name.get(..name.floor_char_boundary(BYTES_MAX))
        .unwrap_or("")
}
