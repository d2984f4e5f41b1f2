//! A key on its way: what it may be, and what is to be read to tell.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::domain::raw::{KeyRead, KeyType};
use crate::layouts::keys::PartWant;
use crate::layouts::redis::Role;

/// Bytes read of a string at first, then, and at last.
pub const HEADS: [usize; 3] = [512, 64 << 10, 1 << 20];

/// What a key may be: a source by its place among the scanned ones, and its role there.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub source: usize,
    pub role: Role,
    /// Fixed bytes of the template: the more, the more its name says.
    pub length: usize,
}

/// A further key that is read along.
#[derive(Clone, Debug)]
pub enum Further {
    /// A part of the record as this source has it.
    Part { source: usize, want: PartWant },
    /// The record of a lock: where it is there, the lock is only a part of it.
    Record { source: usize, name: Vec<u8> },
}

/// A key that is to be read.
pub struct Pending {
    pub name: Vec<u8>,
    pub candidates: Vec<Candidate>,
    pub further: Vec<Further>,
    pub kind: KeyType,
    /// How often it was asked for already, by a longer beginning each time.
    pub head: usize,
    /// The other type was tried before.
    pub turned: bool,
}

impl Pending {
    /// Everything to ask for, the key itself first.
    pub fn wants(&self, fields: &Arc<[Vec<u8>]>) -> Vec<(Vec<u8>, KeyRead)> {
        let mut wants = vec![(self.name.clone(), self.read(fields))];
        for further in &self.further {
            wants.push(match further {
                Further::Part { want, .. } => (want.name.clone(), want.read.clone()),
                Further::Record { name, .. } => (name.clone(), KeyRead::Head { bytes: 1 }),
            });
        }
        wants
    }

    /// The other of the two types that keys are asked for as.
    pub fn other_kind(&self) -> KeyType {
        match self.kind {
            KeyType::Hash => KeyType::String,
            _ => KeyType::Hash,
        }
    }

    fn read(&self, fields: &Arc<[Vec<u8>]>) -> KeyRead {
        match self.kind {
            KeyType::Hash => KeyRead::Fields(fields.clone()),
            _ => KeyRead::Head {
                bytes: HEADS.get(self.head).copied().unwrap_or(HEADS[2]),
            },
        }
    }
}

/// Keys that wait to be asked for, by the server that has them.
#[derive(Default)]
pub struct Lanes {
    lanes: Vec<VecDeque<Pending>>,
    len: usize,
}

impl Lanes {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, lane: usize, pending: Pending) {
        if self.lanes.len() <= lane {
            self.lanes.resize_with(lane + 1, VecDeque::new);
        }
        if let Some(queue) = self.lanes.get_mut(lane) {
            queue.push_back(pending);
            self.len += 1;
        }
    }

    /// How many wait where the most wait.
    pub fn longest(&self) -> usize {
        self.lanes.iter().map(VecDeque::len).max().unwrap_or(0)
    }

    /// Up to so many keys of one server: of that where the most wait.
    pub fn take(&mut self, count: usize) -> Vec<Pending> {
        let Some(queue) = self.lanes.iter_mut().max_by_key(|queue| queue.len()) else {
            return Vec::new();
        };
        let taken: Vec<Pending> = queue.drain(..count.min(queue.len())).collect();
        self.len -= taken.len();
        taken
    }
}
