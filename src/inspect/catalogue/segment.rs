//! 65 536 rows as columns of numbers and one arena of bytes.
//!
//! A segment grows as `OpenSegment` and is then frozen into exact sizes, so that no list of
//! millions is ever doubled and a snapshot shares what is full.

use super::tags::Tags;
use crate::domain::Timestamp;

pub(super) const ROWS: usize = 65_536;

/// The fixed part of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fixed {
    pub tags: Tags,
    pub source: u16,
    pub scope: u32,
    pub operation: u32,
    pub response: u16,
    pub basis: i64,
    pub expiry: i64,
}

/// Rows that no longer change.
#[derive(Debug, Default)]
pub(super) struct Segment {
    tags: Box<[Tags]>,
    sources: Box<[u16]>,
    scopes: Box<[u32]>,
    operations: Box<[u32]>,
    responses: Box<[u16]>,
    bases: Box<[i64]>,
    expiries: Box<[i64]>,
    offsets: Box<[u32]>,
    blob: Box<[u8]>,
    /// From which row on a page was read when.
    reads: Box<[(u32, Timestamp)]>,
}

/// Takes a value out of a column.
macro_rules! at {
    ($column:expr, $at:expr) => {
        $column.get($at).copied().unwrap_or_default()
    };
}

impl Segment {
    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }

    pub(super) fn tags(&self, at: usize) -> Tags {
        at!(self.tags, at)
    }

    pub(super) fn source(&self, at: usize) -> u16 {
        at!(self.sources, at)
    }

    pub(super) fn scope(&self, at: usize) -> u32 {
        at!(self.scopes, at)
    }

    pub(super) fn operation(&self, at: usize) -> u32 {
        at!(self.operations, at)
    }

    pub(super) fn response(&self, at: usize) -> u16 {
        at!(self.responses, at)
    }

    pub(super) fn basis(&self, at: usize) -> i64 {
        at!(self.bases, at)
    }

    pub(super) fn expiry(&self, at: usize) -> i64 {
        at!(self.expiries, at)
    }

    /// The row's bytes and whatever follows; their reader knows where to end.
    pub(super) fn blob(&self, at: usize) -> &[u8] {
        let start = at!(self.offsets, at) as usize;
        self.blob.get(start..).unwrap_or_default()
    }

    pub(super) fn read_at(&self, at: usize) -> Timestamp {
        let after = self
            .reads
            .partition_point(|(first, _)| *first as usize <= at);
        let read = after.checked_sub(1).and_then(|run| self.reads.get(run));
        read.map_or(Timestamp(0), |(_, read_at)| *read_at)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.len() * size_of_fixed()
            + self.blob.len()
            + size_of_val(&*self.reads)
            + size_of::<Segment>()
    }
}

/// Rows that are still coming.
#[derive(Debug, Default)]
pub(super) struct OpenSegment {
    tags: Vec<Tags>,
    sources: Vec<u16>,
    scopes: Vec<u32>,
    operations: Vec<u32>,
    responses: Vec<u16>,
    bases: Vec<i64>,
    expiries: Vec<i64>,
    offsets: Vec<u32>,
    blob: Vec<u8>,
    reads: Vec<(u32, Timestamp)>,
}

impl OpenSegment {
    pub(super) fn len(&self) -> usize {
        self.tags.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.len() >= ROWS
    }

    /// Whether a row of this many bytes can still be reached by an offset.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.blob.len().saturating_add(bytes) <= u32::MAX as usize
    }

    pub(super) fn push(&mut self, fixed: &Fixed, blob: &[u8], read_at: Timestamp) {
        let row = self.len() as u32;
        if self.reads.last().is_none_or(|(_, last)| *last != read_at) {
            self.reads.push((row, read_at));
        }
        self.tags.push(fixed.tags);
        self.sources.push(fixed.source);
        self.scopes.push(fixed.scope);
        self.operations.push(fixed.operation);
        self.responses.push(fixed.response);
        self.bases.push(fixed.basis);
        self.expiries.push(fixed.expiry);
        self.offsets.push(self.blob.len() as u32);
        self.blob.extend_from_slice(blob);
    }

    /// Freezes the rows into exact sizes.
    pub(super) fn freeze(self) -> Segment {
        Segment {
            tags: self.tags.into(),
            sources: self.sources.into(),
            scopes: self.scopes.into(),
            operations: self.operations.into(),
            responses: self.responses.into(),
            bases: self.bases.into(),
            expiries: self.expiries.into(),
            offsets: self.offsets.into(),
            blob: self.blob.into(),
            reads: self.reads.into(),
        }
    }

    /// What has come so far.
    pub(super) fn copy(&self) -> Segment {
        Segment {
            tags: self.tags.as_slice().into(),
            sources: self.sources.as_slice().into(),
            scopes: self.scopes.as_slice().into(),
            operations: self.operations.as_slice().into(),
            responses: self.responses.as_slice().into(),
            bases: self.bases.as_slice().into(),
            expiries: self.expiries.as_slice().into(),
            offsets: self.offsets.as_slice().into(),
            blob: self.blob.as_slice().into(),
            reads: self.reads.as_slice().into(),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.tags.capacity() * size_of_fixed()
            + self.blob.capacity()
            + self.reads.capacity() * size_of::<(u32, Timestamp)>()
    }
}

/// Bytes of a row in all its columns, the offset included.
fn size_of_fixed() -> usize {
    size_of::<Tags>() + 2 * size_of::<u16>() + 3 * size_of::<u32>() + 2 * size_of::<i64>()
}
