//! A compact store of millions of records in memory.
//!
//! Apart from `domain::Record` because a record as a struct of texts takes five times the room of
//! what was read. Rows only ever come in; a refresh builds a new catalogue.
//! Bound: rows and bytes, both given; what comes past them is counted by status and not held.
//! Invariant: no verdict is kept, only what was read, so that another lease judges the same rows.

mod details;
mod dictionary;
mod encode;
mod pack;
mod recipe;
mod record;
mod row;
mod segment;
mod snapshot;
mod tags;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use self::details::Operation;
use self::dictionary::Dictionary;
use self::encode::{Arrival, Scratch, Shared, encode};
pub use self::pack::Packed;
pub(crate) use self::pack::hex_digits;
pub use self::recipe::AddressRef;
pub use self::row::{RowId, RowView};
use self::segment::{OpenSegment, Segment};
use self::snapshot::SourceEntry;
pub use self::snapshot::{Snapshot, SourceId, Terms};
pub use self::tags::{Basis, ExpiryKind};
use crate::domain::raw::Ttl;
use crate::domain::{Duration, Status, Timestamp};
use crate::layouts::Source;
use crate::layouts::reading::Reading;

/// Distinct scopes, operations and lists of problems known by number.
const SHARED_MAX: usize = 1_000_000;

/// How much may be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub rows: usize,
    pub bytes: usize,
}

impl Bound {
    /// Two thousand million bytes, and as many rows as have a number.
    pub const USUAL: Bound = Bound {
        rows: RowId::MAX as usize,
        bytes: 2_000_000_000,
    };
}

/// How many records came, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub held: u64,
    /// Records past the bound, in the order of `Status::ALL`.
    pub counted_only: [u64; 4],
}

impl Counts {
    pub fn counted_only_total(&self) -> u64 {
        self.counted_only.iter().sum()
    }

    pub fn total(&self) -> u64 {
        self.held + self.counted_only_total()
    }

    fn count_only(&mut self, status: Status) {
        let at = Status::ALL.iter().position(|known| *known == status);
        if let Some(count) = at.and_then(|at| self.counted_only.get_mut(at)) {
            *count += 1;
        }
    }
}

#[derive(Debug)]
pub struct Catalogue {
    bound: Bound,
    sources: Vec<SourceEntry>,
    full: Vec<Arc<Segment>>,
    full_bytes: usize,
    open: OpenSegment,
    shared: Shared,
    scratch: Scratch,
    counts: Counts,
}

impl Catalogue {
    pub fn new(bound: Bound) -> Catalogue {
        Catalogue {
            bound,
            sources: Vec::new(),
            full: Vec::new(),
            full_bytes: 0,
            open: OpenSegment::default(),
            shared: Shared {
                scopes: Dictionary::new(SHARED_MAX),
                operations: Dictionary::new(SHARED_MAX),
                problems: Dictionary::new(SHARED_MAX),
            },
            scratch: Scratch::default(),
            counts: Counts::default(),
        }
    }

    /// Adds a source. A catalogue can tell 65 535 apart; what comes past them goes by the last.
    pub fn add_source(&mut self, source: Source) -> SourceId {
        if self.sources.len() < usize::from(u16::MAX) {
            self.sources.push(SourceEntry::new(source));
        }
        SourceId((self.sources.len() - 1) as u16)
    }

    pub fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.index()).map(|entry| &*entry.source)
    }

    /// Judges a source's locks by another lease of the operator from the next snapshot on.
    pub fn set_lease(&mut self, id: SourceId, lease: Option<Duration>) {
        if let Some(entry) = self.sources.get_mut(id.index()) {
            entry.set_lease(lease);
        }
    }

    /// Infers a source's ages by another lifetime of the operator from the next snapshot on.
    pub fn set_lifetime(&mut self, id: SourceId, lifetime: Option<Duration>) {
        if let Some(entry) = self.sources.get_mut(id.index()) {
            entry.set_lifetime(lifetime);
        }
    }

    /// Takes a record in; past the bound it is only counted.
    pub fn push<'a>(
        &mut self,
        source: SourceId,
        reading: &'a Reading<'a>,
        address: impl Into<AddressRef<'a>>,
        ttl: Ttl,
        read_at: Timestamp,
    ) {
        let full = self.counts.counted_only_total() > 0
            || self.len() >= self.bound.rows.min(RowId::MAX as usize)
            || self.quick_bytes() >= self.bound.bytes;
        let Some(entry) = self.sources.get_mut(source.index()).filter(|_| !full) else {
            return self.counts.count_only(reading.status);
        };
        if let (Status::Processing, Ttl::Left(left)) = (reading.status, ttl) {
            entry.saw_ttl(Duration(left));
        }
        let arrival = Arrival {
            source: &entry.source,
            reading,
            address: address.into(),
            ttl,
            read_at,
        };
        let recipes = &mut entry.recipes;
        let mut fixed = encode(&arrival, &mut self.shared, recipes, &mut self.scratch);
        fixed.source = source.0;
        if !self.open.has_room(self.scratch.blob.len()) {
            return self.counts.count_only(reading.status);
        }
        self.open.push(&fixed, &self.scratch.blob, read_at);
        self.counts.held += 1;
        if self.open.is_full() {
            let segment = std::mem::take(&mut self.open).freeze();
            self.full_bytes += segment.memory_bytes();
            self.full.push(Arc::new(segment));
        }
    }

    pub fn len(&self) -> usize {
        self.full.len() * segment::ROWS + self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What came, held or only counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether the bound is reached and further records are only counted.
    pub fn is_full(&self) -> bool {
        self.counts.counted_only_total() > 0
    }

    fn quick_bytes(&self) -> usize {
        self.full_bytes
            + self.open.memory_bytes()
            + self.shared.scopes.memory_bytes()
            + self.shared.operations.memory_bytes()
            + self.shared.problems.memory_bytes()
    }

    /// All that is held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let sources = self.sources.iter().map(|entry| {
            size_of::<SourceEntry>() + size_of::<Source>() + entry.recipes.memory_bytes()
        });
        self.quick_bytes()
            + self.full.capacity() * size_of::<Arc<Segment>>()
            + sources.sum::<usize>()
            + size_of::<Catalogue>()
    }

    /// What is held now. Full segments are shared, the open one is copied.
    pub fn snapshot(&self) -> Snapshot {
        let mut segments = self.full.clone();
        if self.open.len() > 0 {
            segments.push(Arc::new(self.open.copy()));
        }
        Snapshot {
            segments: segments.into(),
            rows: self.len(),
            sources: self.sources.clone(),
            scopes: self.shared.scopes.entries(),
            operations: self.shared.operations.entries(),
            problems: self.shared.problems.entries(),
            counts: self.counts,
            has_own_scopes: self.shared.scopes.has_refused(),
            has_own_operations: self.shared.operations.has_refused(),
        }
    }
}
