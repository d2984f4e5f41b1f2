//! One row, read where it lies.
//!
//! Invariant: what a reader asks for is all that is decoded; the answer about a lock is worked out
//! at `now` from raw facts and the source's lease of today.

use std::borrow::Cow;

use super::details::{Details, Operation, join_scope, read_operation, scope_parts};
use super::encode::{INLINE, Part};
use super::pack::{Packed, Reader};
use super::recipe::{Ingredient, read_address};
use super::segment::Segment;
use super::snapshot::{Snapshot, SourceEntry, SourceId};
use super::tags::{Basis, ExpiryKind, TtlKind};
use crate::domain::address::address_text;
use crate::domain::raw::{RawAddress, Ttl};
use crate::domain::stuck::{LockState, judge};
use crate::domain::{
    Duration, LockFacts, LockVerdict, Problem, ProblemCode, Status, Stuck, Timestamp,
};
use crate::layouts::Source;
use crate::present::words::Standing;

/// A row of a snapshot, by its place.
pub type RowId = u32;

#[derive(Clone, Copy, Debug)]
pub struct RowView<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) entry: &'a SourceEntry,
    pub(super) segment: &'a Segment,
    pub(super) at: usize,
    pub(super) id: RowId,
}

impl<'a> RowView<'a> {
    pub fn id(&self) -> RowId {
        self.id
    }

    pub fn status(&self) -> Status {
        self.segment.tags(self.at).status()
    }

    pub fn source_id(&self) -> SourceId {
        SourceId(self.segment.source(self.at))
    }

    pub fn source(&self) -> &'a Source {
        &self.entry.source
    }

    pub fn layout(&self) -> &'a str {
        &self.source().layout.id
    }

    pub(super) fn details(&self) -> Details<'a> {
        Details::read(self.segment.blob(self.at))
    }

    pub fn key(&self) -> Option<Packed<'a>> {
        let mut reader = Reader::new(self.segment.blob(self.at));
        let mask = reader.varint();
        (mask & Part::Key.bit() != 0).then(|| reader.text())
    }

    /// In progress, and not merely waiting: something holds a lock, or held it.
    pub fn is_locked(&self) -> bool {
        let tags = self.segment.tags(self.at);
        tags.status() == Status::Processing && tags.lock() != LockState::Waiting
    }

    pub fn digest(&self) -> Option<Packed<'a>> {
        self.details().digest
    }

    pub fn payload_hash(&self) -> Option<Packed<'a>> {
        self.details().hash
    }

    /// The number of the scope's text, the same for the same scope; none where the text is the
    /// row's own.
    pub(in crate::inspect) fn scope_number(&self) -> Option<u32> {
        Some(self.segment.scope(self.at)).filter(|number| *number != INLINE)
    }

    pub(in crate::inspect) fn operation_number(&self) -> Option<u32> {
        Some(self.segment.operation(self.at)).filter(|number| *number != INLINE)
    }

    /// The scope's columns and their values.
    pub fn scope_parts(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let bytes = match self.segment.scope(self.at) {
            INLINE => self.details().scope,
            number => self.snapshot.scopes.get(number),
        };
        scope_parts(bytes)
    }

    /// The scope as one text: several columns joined by `/`.
    pub fn scope(&self) -> Option<Cow<'a, str>> {
        join_scope(self.scope_parts())
    }

    pub fn operation(&self) -> Operation<'a> {
        let bytes = match self.segment.operation(self.at) {
            INLINE => self.details().operation,
            number => self.snapshot.operations.get(number),
        };
        read_operation(bytes)
    }

    pub fn response_status(&self) -> Option<u16> {
        let tags = self.segment.tags(self.at);
        tags.has_response().then(|| self.segment.response(self.at))
    }

    pub fn attempts(&self) -> Option<i64> {
        self.details().attempts
    }

    pub fn replays(&self) -> Option<i64> {
        self.details().replays
    }

    /// The answer about this record depends on bytes that were not read.
    pub fn needs_more(&self) -> bool {
        self.segment.tags(self.at).needs_more()
    }

    pub fn read_at(&self) -> Timestamp {
        self.segment.read_at(self.at)
    }

    pub(super) fn time(&self, basis: Basis, kept: Option<i64>) -> Option<Timestamp> {
        let base = self.segment.basis(self.at);
        if self.segment.tags(self.at).basis() == basis && basis != Basis::None {
            return Some(Timestamp(base));
        }
        kept.map(|difference| Timestamp(base.wrapping_add(difference)))
    }

    pub fn locked_at(&self) -> Option<Timestamp> {
        self.time(Basis::Locked, self.details().locked_at)
    }

    pub fn lock_until(&self) -> Option<Timestamp> {
        self.time(Basis::None, self.details().lock_until)
    }

    pub fn created_at(&self) -> Option<Timestamp> {
        self.time(Basis::Created, self.details().created_at)
    }

    pub fn completed_at(&self) -> Option<Timestamp> {
        self.time(Basis::Completed, self.details().completed_at)
    }

    pub fn failed_at(&self) -> Option<Timestamp> {
        self.time(Basis::Failed, self.details().failed_at)
    }

    /// The time that the age counts from and which one it is, of the times stored.
    pub fn basis(&self) -> Option<(Basis, Timestamp)> {
        let basis = self.segment.tags(self.at).basis();
        (basis != Basis::None).then(|| (basis, Timestamp(self.segment.basis(self.at))))
    }

    pub fn expiry_kind(&self) -> ExpiryKind {
        self.segment.tags(self.at).expiry()
    }

    /// When its time is over: the stored expiry, else the end of its TTL.
    pub fn expiry(&self) -> Option<Timestamp> {
        matches!(self.expiry_kind(), ExpiryKind::Stored | ExpiryKind::FromTtl)
            .then(|| Timestamp(self.segment.expiry(self.at)))
    }

    pub fn expires_at(&self) -> Option<Timestamp> {
        self.expiry()
            .filter(|_| self.expiry_kind() == ExpiryKind::Stored)
    }

    pub fn expired(&self, now: Timestamp) -> Option<bool> {
        self.expiry().map(|expiry| expiry < now)
    }

    /// What is left until its time is over; negative where it has passed.
    pub fn left(&self, now: Timestamp) -> Option<Duration> {
        self.expiry().map(|expiry| now.until(expiry))
    }

    /// The key's own TTL as it was read.
    pub fn ttl(&self) -> Ttl {
        self.ttl_of(&self.details())
    }

    pub(super) fn ttl_of(&self, details: &Details<'_>) -> Ttl {
        match self.segment.tags(self.at).ttl() {
            TtlKind::Unknown => Ttl::Unknown,
            TtlKind::Never => Ttl::Never,
            TtlKind::Kept => Ttl::Left(details.ttl),
            TtlKind::InExpiry => Ttl::Left(
                self.segment
                    .expiry(self.at)
                    .saturating_sub(self.read_at().0),
            ),
        }
    }

    /// The facts about its lock; only a processing record has one.
    pub fn lock(&self) -> Option<LockFacts> {
        if self.status() != Status::Processing {
            return None;
        }
        let details = self.details();
        let terms = self.entry.terms;
        Some(LockFacts {
            state: self.segment.tags(self.at).lock(),
            start: self.time(Basis::Locked, details.locked_at),
            deadline: self.time(Basis::None, details.lock_until),
            expiry: self.expires_at(),
            ttl: match self.ttl_of(&details) {
                Ttl::Left(left) => Some((Duration(left), self.read_at())),
                Ttl::Never | Ttl::Unknown => None,
            },
            lifetime: terms.lifetime,
            lease: terms.lease,
        })
    }

    pub fn verdict(&self, now: Timestamp) -> Option<LockVerdict> {
        self.lock().map(|lock| judge(&lock, now))
    }

    /// What a list calls it.
    pub fn standing(&self, now: Timestamp) -> Standing {
        let stuck = self
            .verdict(now)
            .map_or(Stuck::CannotTell, |verdict| verdict.stuck);
        Standing::of(self.status(), stuck, self.expired(now))
    }

    /// When its lock was taken, stored or inferred, else the time its age counts from.
    pub fn age_start(&self, now: Timestamp) -> Option<Timestamp> {
        let start = self.verdict(now).and_then(|verdict| verdict.start);
        start.or(self.basis().map(|(_, time)| time))
    }

    pub fn age(&self, now: Timestamp) -> Option<Duration> {
        self.age_start(now).map(|start| start.until(now))
    }

    pub fn has_problems(&self) -> bool {
        self.segment.tags(self.at).has_problems()
    }

    pub fn problems(&self) -> Vec<Problem> {
        if !self.has_problems() {
            return Vec::new();
        }
        let details = self.details();
        let bytes = match details.problems {
            0 => details.problem_bytes,
            number => self
                .snapshot
                .problems
                .get(u32::try_from(number).unwrap_or(0)),
        };
        let mut reader = Reader::new(bytes);
        let mut problems = Vec::new();
        while !reader.is_at_end() {
            let code = ProblemCode::ALL.get(usize::from(reader.byte()));
            let code = code.copied().unwrap_or(ProblemCode::NotUnderstood);
            problems.push(Problem::new(code, reader.str()));
        }
        problems
    }

    /// Where it stands, enough to find it again.
    pub fn address(&self) -> RawAddress {
        let details = self.details();
        let source = self.source();
        if let Some(kept) = details.address {
            return read_address(kept, source);
        }
        let text = |part: Ingredient| -> Option<String> {
            let packed = |text: Option<Packed<'_>>| text.map(|text| text.text().into_owned());
            let owned = |text: Option<&str>| text.map(str::to_owned);
            match part {
                Ingredient::Key => packed(details.key),
                Ingredient::Digest => packed(details.digest),
                Ingredient::Hash => packed(details.hash),
                Ingredient::Operation => owned(self.operation().name),
                Ingredient::Method => owned(self.operation().method),
                Ingredient::Path => owned(self.operation().path),
                Ingredient::Scope(at) => owned(self.scope_parts().nth(at).map(|(_, text)| text)),
            }
        };
        self.entry
            .recipes
            .get(details.recipe)
            .and_then(|recipe| recipe.build(source, text))
            .unwrap_or(RawAddress::Key(Vec::new()))
    }

    pub fn address_text(&self) -> String {
        let mut text = Vec::new();
        self.push_address_text(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    /// Appends the address as text; a pass over millions of rows uses one buffer again and again.
    pub fn push_address_text(&self, out: &mut Vec<u8>) {
        self.push_address_of(&self.details(), out);
    }

    /// Appends address, key and digest with zero bytes between them; a name is left out where the
    /// address holds it as it is.
    pub(in crate::inspect) fn push_names(&self, out: &mut Vec<u8>) {
        let details = self.details();
        self.push_address_of(&details, out);
        let recipe = match details.address {
            None => self.entry.recipes.get(details.recipe),
            Some(_) => None,
        };
        let names = [
            (Ingredient::Key, details.key),
            (Ingredient::Digest, details.digest),
        ];
        for (part, name) in names {
            let Some(name) = name else { continue };
            let never_escaped = matches!(name, Packed::Uuid(_) | Packed::Hex(_));
            if never_escaped && recipe.is_some_and(|recipe| recipe.holds(part)) {
                continue;
            }
            out.push(0);
            name.push_to(out);
        }
    }

    fn push_address_of(&self, details: &Details<'_>, out: &mut Vec<u8>) {
        if let Some(kept) = details.address {
            let address = read_address(kept, self.source());
            out.extend_from_slice(address_text(&address).as_bytes());
            return;
        }
        let Some(recipe) = self.entry.recipes.get(details.recipe) else {
            return;
        };
        recipe.push_text(self.source(), out, |part, out| {
            let mut packed = |text: Option<Packed<'_>>| {
                if let Some(text) = text {
                    text.push_to(out);
                }
            };
            let plain = |text: Option<&'a str>| text.map(Packed::Text);
            match part {
                Ingredient::Key => packed(details.key),
                Ingredient::Digest => packed(details.digest),
                Ingredient::Hash => packed(details.hash),
                Ingredient::Operation => packed(plain(self.operation().name)),
                Ingredient::Method => packed(plain(self.operation().method)),
                Ingredient::Path => packed(plain(self.operation().path)),
                Ingredient::Scope(at) => {
                    packed(plain(self.scope_parts().nth(at).map(|(_, text)| text)));
                }
            }
        });
    }
}
