//! Reads a log into a tally: the past by pages, then what comes, from where it stopped.
//!
//! The next page travels while one is counted. Invariants: no entry is counted twice, though rows of
//! transactions that end late are looked for again; what was counted stays when the store goes away.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::draft::{Digest, RowPlace, of_row, of_stream, place_of};
use super::find::{LogPlace, LogTable};
use crate::domain::raw::{ColumnWant, RawRows};
use crate::inspect::session::Session;
use crate::stats::{Defect, Sequence, Span, Tally};
use crate::stores::logs::{After, PageOrder, PageQuery, StreamId, StreamPage, StreamQuery, TieAt};
use crate::stores::{Pace, StoreError};

const ROWS: usize = 5_000;
/// Entries of the first page of a stream, and of the largest: entries may be of any size.
const ENTRIES_FIRST: usize = 50;
const ENTRIES_MOST: usize = 2_000;
/// A page of a stream is to be of about so many bytes.
const PAGE_BYTES: usize = 1 << 20;
/// How far back a table is read again: a transaction may end after one that began later.
const AGAIN_MS: i64 = 5_000;
/// The same for a table that is read by its numbers.
const AGAIN_ROWS: i64 = 1_000;
/// Rows that are known to have been counted.
const RECENT_MAX: usize = 100_000;
/// Rows whose numbers and times disagree by more were written late.
const LATE_MS: i64 = 1_000;
const STEP_MS: i64 = 60_000;
const GENTLE_PAUSE: std::time::Duration = std::time::Duration::from_millis(2);

/// Where reading one log has come to.
#[derive(Clone, Debug)]
pub struct Reader {
    place: LogPlace,
    sequence: Sequence,
    stream: Option<StreamId>,
    row: Option<RowPlace>,
    recent: Recent,
    /// The highest number so far, and its time.
    highest: Option<(i64, i64)>,
}

/// The last rows that were counted: what is read again is known by them.
#[derive(Clone, Debug, Default)]
struct Recent {
    /// The same for the same row, and its time in milliseconds; in the order in which they were counted.
    rows: VecDeque<(u64, i64)>,
    /// The latest time of those that had to be forgotten.
    forgotten: Option<i64>,
}

/// How a read ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    pub entries: u64,
    /// To the end of what was asked for.
    pub is_whole: bool,
    pub error: Option<StoreError>,
}

enum Page {
    Stream(StreamPage),
    Rows(RawRows),
}

impl Reader {
    pub fn new(place: LogPlace) -> Reader {
        Reader {
            place,
            sequence: Sequence::default(),
            stream: None,
            row: None,
            recent: Recent::default(),
            highest: None,
        }
    }

    pub fn place(&self) -> &LogPlace {
        &self.place
    }

    /// Reads what there is of the tally's window and was not read yet. `told` is told now and then how
    /// many entries there were so far.
    pub async fn read(
        &mut self,
        session: &Arc<Session>,
        tally: &mut Tally,
        pace: Pace,
        cancel: &CancellationToken,
        told: impl Fn(u64),
    ) -> Read {
        if !self.place.tells_keys() {
            tally.some_tell_no_keys();
        }
        let (pages, mut coming) = mpsc::channel(2);
        let fetch = Fetch {
            session: session.clone(),
            place: self.place.clone(),
            span: tally.span,
            stream: self.stream.map(StreamId::next),
            after: self.after(),
            pace,
        };
        let work = tokio::spawn(fetch.run(pages));
        let mut read = Read::default();
        // What is read again lies before this.
        let known: HashSet<u64> = self.recent.rows.iter().map(|(id, _)| *id).collect();
        loop {
            let page = tokio::select! {
                () = cancel.cancelled() => break,
                page = coming.recv() => page,
            };
            match page {
                Some(Page::Stream(page)) => read.entries += self.stream_page(&page, tally),
                Some(Page::Rows(rows)) => read.entries += self.row_page(&rows, tally, &known),
                None => {
                    read.is_whole = true;
                    break;
                }
            }
            told(read.entries);
        }
        drop(coming);
        if read.is_whole {
            match work.await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => read.error = Some(error),
                Err(_) => read.is_whole = false,
            }
            read.is_whole &= read.error.is_none();
        } else {
            work.abort();
        }
        read
    }

    fn stream_page(&mut self, page: &StreamPage, tally: &mut Tally) -> u64 {
        let LogPlace::Stream(log) = self.place.clone() else {
            return 0;
        };
        for _ in 0..page.strange {
            tally.defect(Defect::MissingField);
        }
        for (id, fields) in &page.entries {
            self.stream = self.stream.max(Some(*id));
            let mut digest = Digest::new();
            match of_stream(&log, *id, fields, &mut digest) {
                Some(mut entry) => {
                    self.sequence.look(&mut entry);
                    tally.add(&entry);
                }
                None => tally.defect(Defect::MissingField),
            }
        }
        page.entries.len() as u64
    }

    fn row_page(&mut self, rows: &RawRows, tally: &mut Tally, known: &HashSet<u64>) -> u64 {
        let LogPlace::Table(table) = self.place.clone() else {
            return 0;
        };
        let mut count = 0;
        for row in 0..rows.len() {
            let mut digest = Digest::new();
            let placed = place_of(&table, rows, row);
            let whole = placed.and_then(|(place, at)| {
                Some((place, of_row(&table, (rows, row), at, &mut digest)?))
            });
            let Some((place, mut entry)) = whole else {
                tally.defect(Defect::MissingField);
                continue;
            };
            let id = place.id();
            let number = match place.tie {
                TieAt::Number(number) => Some(number),
                TieAt::First | TieAt::Address(_) => None,
            };
            let is_later = |last: &RowPlace| match (table.order, number, &last.tie) {
                (PageOrder::Number, Some(number), TieAt::Number(last)) => *last <= number,
                _ => last.time <= place.time,
            };
            if self.row.as_ref().is_none_or(is_later) {
                self.row = Some(place);
            }
            // Of seconds more are asked for than lie within.
            if known.contains(&id) || !tally.span.holds(entry.at) {
                continue;
            }
            match (self.highest, number) {
                (Some((highest, at)), Some(number)) if number < highest => {
                    let late = (entry.at - at).abs();
                    if late >= STEP_MS {
                        entry.defects.add(Defect::ClockStep);
                    } else if late >= LATE_MS {
                        entry.defects.add(Defect::OutOfOrder);
                    }
                }
                (_, Some(number)) => self.highest = Some((number, entry.at)),
                // Addresses tell nothing of the order of writing.
                (_, None) => {}
            }
            count += 1;
            self.recent.rows.push_back((id, entry.at));
            tally.add(&entry);
        }
        self.forget(&table);
        count
    }

    /// Forgets what will not be read again. What is counted late stands behind what was counted before
    /// it, and is kept as long.
    fn forget(&mut self, table: &LogTable) {
        let Some(last) = &self.row else { return };
        let rows = &mut self.recent.rows;
        if let (PageOrder::Number, TieAt::Number(number)) = (table.order, &last.tie) {
            let from = number.saturating_sub(AGAIN_ROWS);
            while rows.front().is_some_and(|(id, _)| id.cast_signed() <= from) {
                rows.pop_front();
            }
            return;
        }
        let from = table.unit.to_millis(last.time).saturating_sub(AGAIN_MS);
        while rows.front().is_some_and(|(_, at)| *at < from) {
            rows.pop_front();
        }
        while rows.len() > RECENT_MAX {
            let oldest = rows.pop_front().map(|(_, at)| at);
            self.recent.forgotten = self.recent.forgotten.max(oldest);
        }
    }

    /// Where the next read begins: a little before where the last one ended, and after what is forgotten.
    fn after(&self) -> Option<After> {
        let LogPlace::Table(table) = &self.place else {
            return None;
        };
        let last = self.row.as_ref()?;
        let exactly = After {
            time: last.time,
            between: last.between,
            tie: last.tie.clone(),
        };
        if let (PageOrder::Number, TieAt::Number(number)) = (table.order, &last.tie) {
            let tie = TieAt::Number(number.saturating_sub(AGAIN_ROWS));
            return Some(After { tie, ..exactly });
        }
        let unit = table.unit;
        let again = last.time.saturating_sub(unit.from_millis(AGAIN_MS));
        let known = self.recent.forgotten.map_or(again, |forgotten| {
            again.max(unit.from_millis(forgotten.saturating_add(1)))
        });
        let after = After {
            time: known,
            between: None,
            tie: TieAt::First,
        };
        // Too many at one time: those that end late are not found.
        Some(if known <= last.time { after } else { exactly })
    }
}

/// Fetches pages until there is none.
struct Fetch {
    session: Arc<Session>,
    place: LogPlace,
    span: Span,
    stream: Option<StreamId>,
    after: Option<After>,
    pace: Pace,
}

impl Fetch {
    async fn run(self, pages: mpsc::Sender<Page>) -> Result<(), StoreError> {
        match self.place.clone() {
            LogPlace::Stream(log) => self.stream(log.name.clone(), pages).await,
            LogPlace::Table(table) => self.rows(&table, pages).await,
        }
    }

    async fn stream(self, name: Vec<u8>, pages: mpsc::Sender<Page>) -> Result<(), StoreError> {
        let ms = |ms: i64| u64::try_from(ms).unwrap_or(0);
        let mut query = StreamQuery {
            name,
            from: self.stream.unwrap_or(StreamId {
                ms: ms(self.span.from),
                seq: 0,
            }),
            to_ms: ms(self.span.to.saturating_sub(1)),
            count: ENTRIES_FIRST,
        };
        loop {
            let page = self.session.store.stream_page(&query).await?;
            let Some((last, _)) = page.entries.last() else {
                return Ok(());
            };
            query.from = last.next();
            let is_last =
                page.entries.len() + usize::try_from(page.strange).unwrap_or(0) < query.count;
            query.count = next_count(&page, query.count);
            if pages.send(Page::Stream(page)).await.is_err() || is_last {
                return Ok(());
            }
            self.rest().await;
        }
    }

    async fn rows(self, table: &LogTable, pages: mpsc::Sender<Page>) -> Result<(), StoreError> {
        let wants = table.columns.iter().map(|(name, kind)| ColumnWant::Value {
            column: name.name.clone(),
            kind: *kind,
        });
        let mut query = PageQuery {
            schema: table.schema.clone(),
            table: table.table.clone(),
            time: table.time.clone(),
            time_kind: table.time_kind,
            unit: table.unit,
            tie: table.tie.clone(),
            wants: wants.collect(),
            order: table.order,
            from_ms: self.span.from,
            to_ms: self.span.to,
            after: self.after.clone(),
            limit: ROWS,
        };
        loop {
            let rows = self.session.store.row_page(&query).await?;
            let last = (0..rows.len())
                .rev()
                .find_map(|row| place_of(table, &rows, row));
            let Some((place, _)) = last else {
                return Ok(());
            };
            query.after = Some(After {
                time: place.time,
                between: place.between,
                tie: place.tie,
            });
            if pages.send(Page::Rows(rows)).await.is_err() {
                return Ok(());
            }
            self.rest().await;
        }
    }

    async fn rest(&self) {
        if self.pace == Pace::Gentle {
            tokio::time::sleep(GENTLE_PAUSE).await;
        }
    }
}

/// How many entries make a page of the wanted size.
fn next_count(page: &StreamPage, count: usize) -> usize {
    let bytes: usize = page
        .entries
        .iter()
        .flat_map(|(_, fields)| fields)
        .map(|(name, value)| name.len() + value.len())
        .sum();
    let each = bytes / page.entries.len().max(1) + 1;
    (PAGE_BYTES / each).clamp(1, (count * 8).min(ENTRIES_MOST))
}
