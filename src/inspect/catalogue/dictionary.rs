//! Texts that many rows share, each kept once and known by a number.
//!
//! Entries only ever come to it, in chunks that snapshots share; the index from text to number
//! belongs to the catalogue alone.
//! Bound: past a number of entries, and for very long ones, there is no number and the row keeps
//! the text itself.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

const CHUNK: usize = 4096;
const ENTRY_BYTES_MAX: usize = 2048;
/// A hash, a number and a byte of control, at a load of seven eighths at best.
const INDEX_ENTRY_BYTES: usize = 20;

/// The number of an entry; 0 is none.
pub(super) type EntryId = u32;

#[derive(Clone, Debug, Default)]
struct Chunk {
    ends: Vec<u32>,
    bytes: Vec<u8>,
}

impl Chunk {
    fn get(&self, at: usize) -> &[u8] {
        let start = match at.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.bytes
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    fn memory_bytes(&self) -> usize {
        self.ends.capacity() * size_of::<u32>() + self.bytes.capacity() + size_of::<Chunk>()
    }
}

/// What a snapshot has of a dictionary.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    full: Vec<Arc<Chunk>>,
    open: Arc<Chunk>,
}

impl Entries {
    /// The entry; empty for one that is not there.
    pub(super) fn get(&self, id: EntryId) -> &[u8] {
        let Some(at) = (id as usize).checked_sub(1) else {
            return &[];
        };
        self.full
            .get(at / CHUNK)
            .unwrap_or(&self.open)
            .get(at % CHUNK)
    }

    /// How many entries there are; their numbers are `1..=len`.
    pub(super) fn len(&self) -> usize {
        self.full.len() * CHUNK + self.open.ends.len()
    }
}

#[derive(Debug)]
pub(super) struct Dictionary {
    max: usize,
    full: Vec<Arc<Chunk>>,
    full_bytes: usize,
    open: Chunk,
    index: HashMap<u64, EntryId, AsItIs>,
    hasher: RandomState,
    refused: bool,
}

impl Dictionary {
    pub(super) fn new(max: usize) -> Dictionary {
        Dictionary {
            max: max.min(EntryId::MAX as usize - 1),
            full: Vec::new(),
            full_bytes: 0,
            open: Chunk::default(),
            index: HashMap::default(),
            hasher: RandomState::new(),
            refused: false,
        }
    }

    /// The number of an entry, which is added where it is new. `None` past the bound.
    pub(super) fn number(&mut self, entry: &[u8]) -> Option<EntryId> {
        let number = self.find_or_add(entry);
        self.refused |= number.is_none();
        number
    }

    /// Whether some entry got no number.
    pub(super) fn has_refused(&self) -> bool {
        self.refused
    }

    fn find_or_add(&mut self, entry: &[u8]) -> Option<EntryId> {
        if entry.len() > ENTRY_BYTES_MAX {
            return None;
        }
        let mut hash = self.hasher.hash_one(entry);
        loop {
            match self.index.get(&hash) {
                Some(id) if self.get(*id) == entry => return Some(*id),
                Some(_) => hash = hash.wrapping_add(1),
                None => break,
            }
        }
        let id = self.len() + 1;
        if id > self.max {
            return None;
        }
        let id = EntryId::try_from(id).ok()?;
        if let Entry::Vacant(place) = self.index.entry(hash) {
            place.insert(id);
        }
        self.open.bytes.extend_from_slice(entry);
        self.open
            .ends
            .push(u32::try_from(self.open.bytes.len()).ok()?);
        if self.open.ends.len() == CHUNK {
            let mut full = std::mem::take(&mut self.open);
            full.bytes.shrink_to_fit();
            self.full_bytes += full.memory_bytes();
            self.full.push(Arc::new(full));
        }
        Some(id)
    }

    fn get(&self, id: EntryId) -> &[u8] {
        let at = (id as usize).saturating_sub(1);
        match self.full.get(at / CHUNK) {
            Some(chunk) => chunk.get(at % CHUNK),
            None => self.open.get(at % CHUNK),
        }
    }

    fn len(&self) -> usize {
        self.full.len() * CHUNK + self.open.ends.len()
    }

    pub(super) fn entries(&self) -> Entries {
        Entries {
            full: self.full.clone(),
            open: Arc::new(self.open.clone()),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.full_bytes + self.open.memory_bytes() + self.index.capacity() * INDEX_ENTRY_BYTES
    }
}

/// Takes a hash for its own hash.
#[derive(Clone, Copy, Debug, Default)]
struct AsItIs {
    hash: u64,
}

impl BuildHasher for AsItIs {
    type Hasher = AsItIs;

    fn build_hasher(&self) -> AsItIs {
        *self
    }
}

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.hash
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = self.hash.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.hash = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_keeps_its_number() {
        let mut dictionary = Dictionary::new(10_000);
        for round in 0..2 {
            for n in 0..9_000_u32 {
                let id = dictionary.number(&n.to_le_bytes());
                assert_eq!(id, Some(n + 1), "round {round}");
            }
        }
        let entries = dictionary.entries();
        assert_eq!(entries.len(), 9_000);
        assert_eq!(entries.get(4_097), 4_096_u32.to_le_bytes());
        assert_eq!(entries.get(0), b"");
        assert_eq!(entries.get(99_999), b"");
    }

    #[test]
    fn past_the_bound_there_is_no_number() {
        let mut dictionary = Dictionary::new(2);
        assert_eq!(dictionary.number(b"a"), Some(1));
        assert_eq!(dictionary.number(b""), Some(2));
        assert_eq!(dictionary.number(b"c"), None);
        assert_eq!(dictionary.number(b"a"), Some(1));
        assert_eq!(dictionary.number(&[0; 4000]), None);
    }
}
