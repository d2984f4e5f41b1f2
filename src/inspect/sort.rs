//! Puts rows into an order by one field.
//!
//! Each row becomes one number, eight bytes of key above its own number, and the numbers are
//! sorted a piece and then a range at a time; texts that agree in their first eight bytes are then told apart eight bytes at a time.
//! Invariant: rows that are alike keep the order they came in, in both directions, and rows
//! without the field come last in both. A cancelled sort ends after the piece in hand.

mod keys;

use self::keys::{Keys, MISSING, TextOf, prefix};
use super::cancel::Cancel;
use super::catalogue::{RowId, Snapshot};
use super::pass::pass;
use crate::domain::Timestamp;

/// Rows sorted at once by one thread.
const PIECE: usize = 1 << 20;
/// Ranges that are merged apart, and the rows of a piece looked at to find them.
const RANGES: usize = 16;
const SAMPLES: usize = 128;
/// Runs of alike rows up to this length are told apart by their whole texts.
const SHORT_RUN: usize = 48;
/// Bytes of text, after those that all begin with, from which on whole texts are compared.
const DEPTH_MAX: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SortField {
    /// Stuck first, then processing, then newest.
    #[default]
    Usual,
    Status,
    Key,
    Scope,
    Operation,
    Age,
    Ttl,
    Hash,
    Response,
    Attempts,
    Layout,
}

impl SortField {
    pub const ALL: [SortField; 11] = [
        SortField::Usual,
        SortField::Status,
        SortField::Key,
        SortField::Scope,
        SortField::Operation,
        SortField::Age,
        SortField::Ttl,
        SortField::Hash,
        SortField::Response,
        SortField::Attempts,
        SortField::Layout,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SortField::Usual => "default",
            SortField::Status => "status",
            SortField::Key => "key",
            SortField::Scope => "scope",
            SortField::Operation => "operation",
            SortField::Age => "age",
            SortField::Ttl => "ttl",
            SortField::Hash => "hash",
            SortField::Response => "response",
            SortField::Attempts => "attempts",
            SortField::Layout => "layout",
        }
    }

    pub fn named(name: &str) -> Option<SortField> {
        SortField::ALL
            .into_iter()
            .find(|field| field.name() == name)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    #[default]
    Ascending,
    Descending,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    pub field: SortField,
    pub direction: Direction,
}

/// The rows in order; `None` where it was cancelled.
pub fn sort(
    snapshot: &Snapshot,
    rows: &[RowId],
    order: Order,
    now: Timestamp,
    cancel: &Cancel,
) -> Option<Vec<RowId>> {
    let keys = Keys::new(snapshot, rows, order.field, now, cancel);
    sort_in_pieces(snapshot, rows, (&keys, order.direction), PIECE, cancel)
}

fn sort_in_pieces(
    snapshot: &Snapshot,
    rows: &[RowId],
    (keys, direction): (&Keys, Direction),
    piece_rows: usize,
    cancel: &Cancel,
) -> Option<Vec<RowId>> {
    let pieces: Vec<Vec<u128>> = pass(rows.len().div_ceil(piece_rows), cancel, |piece| {
        let first = piece * piece_rows;
        let rows = rows
            .get(first..rows.len().min(first + piece_rows))
            .unwrap_or_default();
        let mut pairs: Vec<u128> = rows
            .iter()
            .map(|id| pair(direction.turn(keys.number(snapshot, *id)), *id))
            .collect();
        pairs.sort_unstable();
        pairs
    })?;
    let bounds = bounds(&pieces);
    let ranges = pass(bounds.len() + 1, cancel, |range| {
        let at = |place: Option<usize>| place.and_then(|place| bounds.get(place)).copied();
        let mut pairs = between(&pieces, at(range.checked_sub(1)), at(Some(range)));
        // The parts of the pieces are sorted already; this finds them and merges.
        pairs.sort();
        if let Keys::Text(text, depth) = keys {
            let runs = Runs {
                snapshot,
                text: *text,
                deepest: depth + DEPTH_MAX,
                direction,
                cancel,
            };
            runs.refine(&mut pairs, depth + 8);
        }
        pairs.into_iter().map(id_of).collect::<Vec<RowId>>()
    })?;
    Some(ranges.concat())
}

/// Where to cut the order into ranges that can be merged apart. Rows of one key stay together.
fn bounds(pieces: &[Vec<u128>]) -> Vec<u128> {
    let mut samples: Vec<u128> = pieces
        .iter()
        .flat_map(|piece| piece.iter().step_by(piece.len().div_ceil(SAMPLES).max(1)))
        .map(|sample| pair(key_of(*sample), 0))
        .collect();
    samples.sort_unstable();
    let step = samples.len().div_ceil(RANGES).max(1);
    let mut bounds: Vec<u128> = samples.into_iter().step_by(step).skip(1).collect();
    bounds.dedup();
    bounds
}

/// All of the sorted pieces from one bound up to another.
fn between(pieces: &[Vec<u128>], from: Option<u128>, to: Option<u128>) -> Vec<u128> {
    let place = |piece: &[u128], bound: u128| piece.partition_point(|pair| *pair < bound);
    let parts: Vec<&[u128]> = pieces
        .iter()
        .map(|piece| {
            let start = from.map_or(0, |bound| place(piece, bound));
            let end = to.map_or(piece.len(), |bound| place(piece, bound));
            piece.get(start..end).unwrap_or_default()
        })
        .collect();
    parts.concat()
}

fn pair(key: u64, id: RowId) -> u128 {
    u128::from(key) << 32 | u128::from(id)
}

fn key_of(pair: u128) -> u64 {
    (pair >> 32) as u64
}

fn id_of(pair: u128) -> RowId {
    pair as RowId
}

impl Direction {
    /// Turns the order of keys round, but for missing ones.
    fn turn(self, key: u64) -> u64 {
        match self {
            Direction::Descending if key != MISSING => MISSING - 1 - key,
            _ => key,
        }
    }
}

/// Tells apart rows whose texts agree so far.
struct Runs<'a> {
    snapshot: &'a Snapshot,
    text: TextOf,
    /// From here on whole texts are compared.
    deepest: usize,
    direction: Direction,
    cancel: &'a Cancel,
}

impl Runs<'_> {
    /// Sorts each run of equal keys by what follows at `depth`.
    fn refine(&self, pairs: &mut [u128], depth: usize) -> Option<()> {
        for run in pairs.chunk_by_mut(|a, b| key_of(*a) == key_of(*b)) {
            let is_missing = run.first().is_none_or(|pair| key_of(*pair) == MISSING);
            if run.len() < 2 || is_missing {
                continue;
            }
            if self.cancel.is_cancelled() {
                return None;
            }
            if run.len() <= SHORT_RUN || depth >= self.deepest {
                self.sort_whole(run);
            } else {
                self.sort_deeper(run, depth)?;
            }
        }
        Some(())
    }

    fn sort_whole(&self, run: &mut [u128]) {
        let texts = run
            .iter()
            .map(|pair| (self.whole_text(id_of(*pair)), *pair));
        let mut texts: Vec<(Vec<u8>, u128)> = texts.collect();
        // Stable, and the rows came in by their numbers.
        texts.sort_by(|(a, _), (b, _)| match self.direction {
            Direction::Ascending => a.cmp(b),
            Direction::Descending => b.cmp(a),
        });
        for (place, (_, pair)) in run.iter_mut().zip(texts) {
            *place = pair;
        }
    }

    fn sort_deeper(&self, run: &mut [u128], depth: usize) -> Option<()> {
        let mut text = Vec::new();
        let mut goes_on = false;
        for pair in run.iter_mut() {
            text.clear();
            let id = id_of(*pair);
            if let Some(row) = self.snapshot.row(id) {
                (self.text)(&row, &mut text);
            }
            goes_on |= text.len() > depth;
            *pair = self::pair(self.direction.turn(prefix(&text, depth)), id);
        }
        if !goes_on {
            return Some(());
        }
        run.sort_unstable();
        self.refine(run, depth + 8)
    }

    fn whole_text(&self, id: RowId) -> Vec<u8> {
        let mut text = Vec::new();
        if let Some(row) = self.snapshot.row(id) {
            (self.text)(&row, &mut text);
        }
        text
    }
}

#[cfg(test)]
mod tests;
