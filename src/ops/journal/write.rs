//! Writes the journal of one run.
//!
//! Invariants: after the first thing that could not be written nothing more is, and whoever asks is
//! told; a line is written in one piece.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use super::chain::Chain;
use super::read::{ids, last_hash};
use super::{Header, JournalError, Tally};
use crate::domain::Timestamp;
use crate::domain::address::address_text;
use crate::domain::change::{Applied, Verb};
use crate::ops::plan::{Item, Refusal};
use crate::ops::written::{Shapes, address_json, change_json, shape_json, shape_of};
use crate::present::clock::iso_utc;
use crate::sys::append::{AppendFile, Syncer};
use crate::sys::files;

/// The open journal of one run. It may be written to from several threads.
#[derive(Debug)]
pub struct Journal {
    pub id: String,
    pub path: PathBuf,
    verb: Verb,
    inner: Mutex<Inner>,
    syncer: Syncer,
}

#[derive(Debug)]
struct Inner {
    file: AppendFile,
    chain: Chain,
    shapes: Shapes,
    /// Why nothing can be written any more.
    broken: Option<JournalError>,
}

impl Journal {
    /// Begins the journal of a run; the header is on the disk when this returns. The id and the run
    /// before it are found here.
    ///
    /// Errors: the folder or the file cannot be made or written; then nothing was changed anywhere.
    pub fn begin(folder: &Path, mut header: Header) -> Result<Journal, JournalError> {
        files::private_folder(folder).map_err(|error| JournalError::of("has no folder", &error))?;
        files::make_private(folder)
            .map_err(|error| JournalError::of("folder cannot be kept private", &error))?;
        let _alone = files::lock(&folder.join(".lock"))
            .map_err(|error| JournalError::of("is in use", &error))?;
        header.after = ids(folder).into_iter().next_back().and_then(|id| {
            let hash = last_hash(&path_of(folder, &id))?;
            Some((id, hash))
        });
        header.id = free_id(folder, &header);
        let path = path_of(folder, &header.id);
        let cannot = |error: &std::io::Error| JournalError::of("cannot be written", error);
        let file = AppendFile::create(&path).map_err(|error| cannot(&error))?;
        let journal = Journal {
            id: header.id.clone(),
            path,
            verb: header.verb,
            syncer: file.syncer().map_err(|error| cannot(&error))?,
            inner: Mutex::new(Inner {
                file,
                chain: Chain::default(),
                shapes: Shapes::default(),
                broken: None,
            }),
        };
        let written = journal.inner().write("run", header.members());
        if let Err(error) = written.and_then(|()| journal.sync()) {
            // Nothing was changed; half a header would only puzzle.
            let _ = files::remove(&journal.path);
            return Err(error);
        }
        Ok(journal)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The old state of what is about to be changed. It is on the disk only after [`Journal::sync`].
    pub fn before(&self, first: usize, items: &[Item]) -> Result<(), JournalError> {
        let mut inner = self.inner();
        for (at, item) in items.iter().enumerate() {
            inner.name_shape(item)?;
            let change = change_json(&item.change, &mut inner.shapes);
            let members = json!({
                "n": first + at,
                "address": address_text(&item.address),
                "at": address_json(&item.address),
                "layout": &*item.layout,
                "idempotency_key": item.idempotency_key,
                "change": change,
            });
            inner.write("before", object(members))?;
        }
        Ok(())
    }

    /// What came of a change.
    pub fn outcome(&self, n: usize, applied: &Applied, at: Timestamp) -> Result<(), JournalError> {
        let members = json!({
            "n": n,
            "outcome": applied.outcome.name(self.verb),
            "why": applied.why,
            "version": applied.version,
            "at_ms": at.millis(),
        });
        self.inner().write("outcome", object(members))
    }

    /// What was asked for and is not in the plan.
    pub fn left(&self, refusals: &[Refusal]) -> Result<(), JournalError> {
        let mut inner = self.inner();
        for refusal in refusals {
            let members = json!({
                "address": address_text(&refusal.address),
                "outcome": refusal.outcome.name(self.verb),
                "why": refusal.why,
            });
            inner.write("left", object(members))?;
        }
        Ok(())
    }

    /// What was found when a change of unknown outcome was looked at again.
    pub fn found(&self, n: usize, found: super::Found) -> Result<(), JournalError> {
        let members = json!({"n": n, "found": found.name()});
        self.inner().write("found", object(members))
    }

    /// The last line, on the disk when this returns.
    pub fn end(
        &self,
        tally: &Tally,
        stopped: Option<&str>,
        at: Timestamp,
    ) -> Result<(), JournalError> {
        let members = json!({
            "at": iso_utc(at),
            "at_ms": at.millis(),
            "outcomes": tally.json(self.verb),
            "stopped": stopped,
        });
        self.inner().write("end", object(members))?;
        self.sync()
    }

    /// Waits until all that was written so far is on the disk.
    pub fn sync(&self) -> Result<(), JournalError> {
        if let Some(error) = self.inner().broken.clone() {
            return Err(error);
        }
        self.syncer.sync().map_err(|error| {
            let error = JournalError::of("could not be brought to the disk", &error);
            self.inner().broken = Some(error.clone());
            error
        })
    }
}

impl Inner {
    fn name_shape(&mut self, item: &Item) -> Result<(), JournalError> {
        let Some(shape) = shape_of(&item.change) else {
            return Ok(());
        };
        if self.shapes.number(shape).1 {
            self.write("table", object(json!({"table": shape_json(shape)})))?;
        }
        Ok(())
    }

    fn write(&mut self, kind: &str, members: Map<String, Value>) -> Result<(), JournalError> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        let mut line: Map<String, Value> = Map::new();
        line.insert("kind".to_owned(), Value::from(kind));
        line.extend(members);
        let text = self.chain.line(&line);
        self.file.write(text.as_bytes()).map_err(|error| {
            let error = JournalError::of("cannot be written", &error);
            self.broken = Some(error.clone());
            error
        })
    }
}

pub(super) fn path_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.jsonl"))
}

/// By time, so that names sort as runs did; a number behind where one second saw several.
fn free_id(folder: &Path, header: &Header) -> String {
    let digits: String = iso_utc(header.started_at)
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    let (date, rest) = digits.split_at(8.min(digits.len()));
    let time = rest.get(..6).unwrap_or(rest);
    let base = format!("{date}-{time}-{}", header.verb.name());
    let named = |n: u32| match n {
        1 => base.clone(),
        n => format!("{base}-{n}"),
    };
    (1..=u32::MAX)
        .map(named)
        .find(|id| !files::exists(&path_of(folder, id)))
        .unwrap_or(base.clone())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
