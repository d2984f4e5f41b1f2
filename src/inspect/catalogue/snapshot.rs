//! What the catalogue held at one moment: cheap to take, free to hand to any thread.

use std::borrow::Cow;
use std::sync::Arc;

use super::Counts;
use super::details::{Operation, join_scope, read_operation, scope_parts};
use super::dictionary::Entries;
use super::recipe::Recipes;
use super::row::{RowId, RowView};
use super::segment::{ROWS, Segment};
use crate::domain::Duration;
use crate::layouts::Source;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub(super) u16);

impl SourceId {
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A source with what was learnt of it.
#[derive(Clone, Debug)]
pub(super) struct SourceEntry {
    pub source: Arc<Source>,
    pub recipes: Recipes,
    /// The longest TTL seen of a processing record.
    pub longest_ttl: Option<Duration>,
    pub terms: Terms,
}

/// The periods that judge a source's locks, worked out once for all its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub lease: Option<Duration>,
    pub lifetime: Option<Duration>,
}

impl SourceEntry {
    pub(super) fn new(source: Source) -> SourceEntry {
        let mut entry = SourceEntry {
            source: Arc::new(source),
            recipes: Recipes::default(),
            longest_ttl: None,
            terms: Terms::default(),
        };
        entry.settle_terms();
        entry
    }

    pub(super) fn settle_terms(&mut self) {
        self.terms = Terms {
            lease: self.source.lease(),
            lifetime: self.source.lifetime(self.longest_ttl),
        };
    }

    pub(super) fn saw_ttl(&mut self, ttl: Duration) {
        if self.longest_ttl.is_none_or(|longest| longest < ttl) {
            self.longest_ttl = Some(ttl);
            self.settle_terms();
        }
    }

    pub(super) fn set_lease(&mut self, lease: Option<Duration>) {
        Arc::make_mut(&mut self.source).lease = lease;
        self.settle_terms();
    }

    pub(super) fn set_lifetime(&mut self, lifetime: Option<Duration>) {
        Arc::make_mut(&mut self.source).lifetime = lifetime;
        self.settle_terms();
    }
}

#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) segments: Arc<[Arc<Segment>]>,
    pub(super) rows: usize,
    pub(super) sources: Vec<SourceEntry>,
    pub(super) scopes: Entries,
    pub(super) operations: Entries,
    pub(super) problems: Entries,
    pub(super) counts: Counts,
    /// Some rows keep a scope, or an operation, themselves.
    pub(super) has_own_scopes: bool,
    pub(super) has_own_operations: bool,
}

impl Snapshot {
    pub fn len(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// What came, held or only counted.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The row; `None` past the end.
    pub fn row(&self, id: RowId) -> Option<RowView<'_>> {
        let at = id as usize;
        let segment = self.segments.get(at / ROWS)?;
        self.view(segment, at % ROWS, id)
    }

    fn view<'a>(&'a self, segment: &'a Segment, at: usize, id: RowId) -> Option<RowView<'a>> {
        if at >= segment.len() {
            return None;
        }
        Some(RowView {
            snapshot: self,
            entry: self.sources.get(usize::from(segment.source(at)))?,
            segment,
            at,
            id,
        })
    }

    /// All rows in the order they came in.
    pub fn rows(&self) -> impl Iterator<Item = RowView<'_>> {
        (0..self.segment_count()).flat_map(|segment| self.segment_rows(segment))
    }

    /// Rows lie in segments of equal size, which is what passes over all of them are cut by.
    pub(in crate::inspect) fn segment_count(&self) -> usize {
        self.segments.len()
    }

    pub(in crate::inspect) fn segment_rows(
        &self,
        number: usize,
    ) -> impl Iterator<Item = RowView<'_>> {
        let segment = self.segments.get(number);
        segment.into_iter().flat_map(move |segment| {
            let id = move |at| (number * ROWS + at) as RowId;
            (0..segment.len()).filter_map(move |at| self.view(segment, at, id(at)))
        })
    }

    pub fn source(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.index()).map(|entry| &*entry.source)
    }

    /// The same, to be kept.
    pub fn shared_source(&self, id: SourceId) -> Option<Arc<Source>> {
        Some(self.sources.get(id.index())?.source.clone())
    }

    pub fn sources(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        let sources = self.sources.iter().enumerate();
        sources.map(|(at, entry)| (SourceId(at as u16), &*entry.source))
    }

    /// The lease and the lifetime that count for a source.
    pub fn terms(&self, id: SourceId) -> Terms {
        let entry = self.sources.get(id.index());
        entry.map_or(Terms::default(), |entry| entry.terms)
    }

    /// The longest TTL seen of a processing record of this source.
    pub fn longest_ttl(&self, id: SourceId) -> Option<Duration> {
        self.sources.get(id.index())?.longest_ttl
    }

    /// The same rows judged by another lease of the operator.
    pub fn set_lease(&mut self, id: SourceId, lease: Option<Duration>) {
        if let Some(entry) = self.sources.get_mut(id.index()) {
            entry.set_lease(lease);
        }
    }

    /// The same rows judged by another lifetime of the operator.
    pub fn set_lifetime(&mut self, id: SourceId, lifetime: Option<Duration>) {
        if let Some(entry) = self.sources.get_mut(id.index()) {
            entry.set_lifetime(lifetime);
        }
    }

    /// How many scopes are known by number; their numbers are `1..=scope_numbers()`.
    pub(in crate::inspect) fn scope_numbers(&self) -> usize {
        self.scopes.len()
    }

    pub(in crate::inspect) fn scope_of(&self, number: u32) -> Option<Cow<'_, str>> {
        join_scope(scope_parts(self.scopes.get(number)))
    }

    /// Whether every scope has a number, because there was room for all of them.
    pub(in crate::inspect) fn scope_numbers_are_all(&self) -> bool {
        !self.has_own_scopes
    }

    pub(in crate::inspect) fn operation_numbers_are_all(&self) -> bool {
        !self.has_own_operations
    }

    pub(in crate::inspect) fn operation_numbers(&self) -> usize {
        self.operations.len()
    }

    pub(in crate::inspect) fn operation_of(&self, number: u32) -> Operation<'_> {
        read_operation(self.operations.get(number))
    }
}
