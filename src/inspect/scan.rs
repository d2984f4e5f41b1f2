//! Streams the sources of a store into a catalogue: first rows at once, honest progress, cancel.
//!
//! Invariant: what was read stays, also when the store goes away in the middle; the outcome holds
//! both the view and the error.

mod keys;
mod rows;

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::catalogue::{Bound, Catalogue, Snapshot, SourceId};
use super::session::Session;
use crate::layouts::{Place, Source};
use crate::stores::{Pace, StoreError};
use crate::sys::clock::Stopwatch;

/// How often a new view is handed out.
const VIEW_EVERY: std::time::Duration = std::time::Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
pub struct ScanOptions {
    pub pace: Pace,
    pub bound: Bound,
}

impl Default for ScanOptions {
    fn default() -> ScanOptions {
        ScanOptions {
            pace: Pace::Gentle,
            bound: Bound::USUAL,
        }
    }
}

/// How far a scan is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Keys or rows that were looked at.
    pub looked_at: u64,
    /// Records found.
    pub records: u64,
    /// Keys or rows that this login may not read.
    pub refused: u64,
    /// From 0 to 1, where it can be told.
    pub share: Option<f32>,
    pub elapsed: std::time::Duration,
    pub done: bool,
}

/// What a scan has found so far.
#[derive(Clone, Debug)]
pub struct ScanView {
    pub snapshot: Snapshot,
    pub progress: Progress,
}

impl ScanView {
    pub fn empty() -> ScanView {
        let snapshot = Catalogue::new(Bound::USUAL).snapshot();
        ScanView {
            snapshot,
            progress: Progress::default(),
        }
    }
}

/// What a scan has found, and what ended it early.
#[derive(Clone, Debug)]
pub struct ScanOutcome {
    pub view: ScanView,
    pub error: Option<StoreError>,
}

/// Reads all `sources`. A view is put into `updates` at the first records and then ten times a
/// second; only the newest is kept. Ends early, with what it has, when `cancel` is cancelled.
pub async fn scan(
    session: Arc<Session>,
    sources: Vec<Source>,
    options: ScanOptions,
    updates: watch::Sender<ScanView>,
    cancel: CancellationToken,
) -> ScanOutcome {
    let mut catalogue = Catalogue::new(options.bound);
    let sources: Vec<(SourceId, Arc<Source>)> = sources
        .into_iter()
        .map(|source| (catalogue.add_source(source.clone()), Arc::new(source)))
        .collect();
    let watch = Stopwatch::start();
    let mut scanner = Scanner {
        session,
        catalogue,
        pace: options.pace,
        progress: Progress::default(),
        seen: HashSet::default(),
        updates,
        cancel,
        watch,
        shown: None,
    };
    let result = scanner.run(&sources).await;
    scanner.finish(result)
}

struct Scanner {
    session: Arc<Session>,
    catalogue: Catalogue,
    pace: Pace,
    progress: Progress,
    /// Hashes of addresses, since a store that is changing may show a record twice.
    seen: HashSet<u64, BuildHasherDefault<Own>>,
    updates: watch::Sender<ScanView>,
    cancel: CancellationToken,
    watch: Stopwatch,
    /// When the last view was handed out.
    shown: Option<std::time::Duration>,
}

impl Scanner {
    async fn run(&mut self, sources: &[(SourceId, Arc<Source>)]) -> Result<(), StoreError> {
        let keys: Vec<(SourceId, Arc<Source>)> = sources
            .iter()
            .filter(|(_, source)| matches!(source.place, Place::Keys(_)))
            .cloned()
            .collect();
        if !keys.is_empty() {
            keys::scan(self, &keys).await?;
        }
        let tables: Vec<_> = sources
            .iter()
            .filter(|(_, source)| matches!(source.place, Place::Table(_)))
            .collect();
        let mut failed = None;
        for (id, source) in &tables {
            if self.cancel.is_cancelled() {
                break;
            }
            match rows::scan(self, *id, source, tables.len()).await {
                Ok(()) => {}
                Err(error) if error.is_connection() => return Err(error),
                // A table that has vanished does not hide the others.
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Hands out a view when it is time for one.
    fn show(&mut self) {
        let now = self.watch.elapsed();
        let due = match self.shown {
            None => !self.catalogue.is_empty(),
            Some(shown) => now.saturating_sub(shown) >= VIEW_EVERY,
        };
        if due {
            self.shown = Some(now);
            self.updates.send_replace(self.view());
        }
    }

    fn view(&self) -> ScanView {
        let mut progress = self.progress.clone();
        progress.records = self.catalogue.counts().total();
        progress.elapsed = self.watch.elapsed();
        ScanView {
            snapshot: self.catalogue.snapshot(),
            progress,
        }
    }

    fn finish(mut self, result: Result<(), StoreError>) -> ScanOutcome {
        self.seen = HashSet::default();
        let complete = result.is_ok() && !self.cancel.is_cancelled();
        let mut view = self.view();
        view.progress.done = complete;
        if complete {
            view.progress.share = Some(1.0);
        }
        self.updates.send_replace(view.clone());
        ScanOutcome {
            view,
            error: result.err(),
        }
    }

    /// Whether this address comes for the first time.
    fn is_new<'p>(&mut self, parts: impl Iterator<Item = &'p [u8]>) -> bool {
        let mut hash = Fnv::default();
        for part in parts {
            hash.write(part);
            hash.write(&[0xff]);
        }
        self.seen.insert(hash.finish())
    }
}

/// FNV-1a with a final mix: addresses differ in few bytes.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 ^= self.0 >> 29;
        }
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }
}

/// Takes a hash for its own hash.
#[derive(Default)]
struct Own(u64);

impl Hasher for Own {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
