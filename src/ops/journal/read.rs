//! Reads the journal: what runs there were, and what came of each record.
//!
//! Invariant: whatever a file holds, it is read with a bound, and what is broken or altered is said.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::chain::Chain;
use super::write::path_of;
use super::{Header, JournalError, LINE_BYTES_MAX, Tally};
use crate::domain::Timestamp;
use crate::domain::change::{Change, Outcome};
use crate::domain::raw::RawAddress;
use crate::ops::written::{Shapes, read_address, read_change, read_shape};
use crate::sys::append::{Line, Lines};
use crate::sys::files;

/// Changes of one run that are read into memory.
const ENTRIES_MAX: usize = 1_000_000;

/// How much of a run is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// What came of each record.
    Outcomes,
    /// The old states too, as undo needs them.
    Changes,
}

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    pub header: Header,
    pub entries: Vec<Entry>,
    /// What was asked for and not planned.
    pub left: Vec<Left>,
    /// `None` where the program ended before the run did.
    pub end: Option<End>,
    pub chain: ChainState,
}

/// Whether the lines are as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainState {
    Whole,
    /// The last line was not written to its end: the program or the machine stopped there.
    BrokenTail,
    /// From this line on, counted from 1, it is not what was written.
    Altered(u64),
    /// The run before this one is missing, or is not what it was.
    BeforeMissing(String),
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub n: usize,
    pub address_text: String,
    pub address: Option<RawAddress>,
    pub layout: String,
    pub idempotency_key: Option<String>,
    /// Only read where it was asked for.
    pub change: Option<Change>,
    /// `None` where no outcome was written any more.
    pub outcome: Option<Outcome>,
    pub why: Option<String>,
    pub version: Option<String>,
    pub found: Option<Found>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    pub address: String,
    pub outcome: Outcome,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct End {
    pub at: Timestamp,
    pub tally: Tally,
    /// Why it did not come to its natural end.
    pub stopped: Option<String>,
}

/// What stood there when a change without an outcome was looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// As it was before.
    AsBefore,
    /// As it was to become; somebody else may have made it so.
    AsPlanned,
    SomethingElse,
}

impl Found {
    pub const ALL: [Found; 3] = [Found::AsBefore, Found::AsPlanned, Found::SomethingElse];

    pub fn name(self) -> &'static str {
        match self {
            Found::AsBefore => "as_before",
            Found::AsPlanned => "as_planned",
            Found::SomethingElse => "something_else",
        }
    }

    fn from_name(name: &str) -> Option<Found> {
        Found::ALL.into_iter().find(|found| found.name() == name)
    }
}

impl Run {
    /// What came of all: by the outcomes that stand there, the rest unknown where it may have been
    /// sent.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for entry in &self.entries {
            tally.add(entry.outcome.unwrap_or(Outcome::Unknown));
        }
        for left in &self.left {
            tally.add(left.outcome);
        }
        // Where the run could still say so, what it never came near is among what was left.
        let named = self.left.iter().map(|left| left.outcome);
        let named = named.filter(|outcome| *outcome == Outcome::NotReached);
        let known = (self.entries.len() + named.count()) as u64;
        for _ in known..self.header.planned.min(ENTRIES_MAX as u64) {
            tally.add(Outcome::NotReached);
        }
        tally
    }

    /// Changes that may have been made and of which no outcome is known.
    pub fn open_entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| matches!(entry.outcome, None | Some(Outcome::Unknown)))
    }
}

/// The ids of all runs, oldest first.
pub fn ids(folder: &Path) -> Vec<String> {
    let stem = |path: &std::path::PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    files::list(folder, "jsonl")
        .iter()
        .filter_map(stem)
        .collect()
}

/// All runs, newest first, without their changes; and the files that are no runs, with the reason.
pub fn list(folder: &Path) -> (Vec<Run>, Vec<JournalError>) {
    let ids = ids(folder);
    let mut claims: HashMap<String, String> = HashMap::new();
    for id in &ids {
        if let Some((before, hash)) = header_of(&path_of(folder, id)).and_then(|h| h.after) {
            claims.insert(before, hash);
        }
    }
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let mut confirmed: HashMap<String, Claim> = HashMap::new();
    for id in &ids {
        let claimed = claims.get(id).map(String::as_str);
        match read_file(&path_of(folder, id), Depth::Outcomes, claimed) {
            Ok((run, claim)) => {
                confirmed.insert(id.clone(), claim);
                found.push(run);
            }
            Err(error) => wrong.push(error),
        }
    }
    for run in &mut found {
        let Some((before, _)) = &run.header.after else {
            continue;
        };
        if run.chain == ChainState::Whole && confirmed.get(before) != Some(&Claim::Seen) {
            run.chain = ChainState::BeforeMissing(before.clone());
        }
    }
    found.reverse();
    (found, wrong)
}

/// The same, for whoever wants the runs alone.
pub fn runs(folder: &Path) -> Vec<Run> {
    list(folder).0
}

/// One run by its id.
///
/// Errors: there is none of that id, or it is no journal.
pub fn read(folder: &Path, id: &str, depth: Depth) -> Result<Run, JournalError> {
    let is_id = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !is_id || !files::exists(&path_of(folder, id)) {
        return Err(JournalError::new(format!("the journal has no run `{id}`")));
    }
    Ok(read_file(&path_of(folder, id), depth, None)?.0)
}

/// The hash of the last good line.
pub(super) fn last_hash(path: &Path) -> Option<String> {
    let mut lines = Lines::open(path, LINE_BYTES_MAX).ok()?;
    let mut chain = Chain::default();
    while let Ok(Some(Line::Whole(line))) = lines.next_line() {
        chain.follow(&line)?;
    }
    Some(chain.last)
}

fn header_of(path: &Path) -> Option<Header> {
    let mut lines = Lines::open(path, LINE_BYTES_MAX).ok()?;
    let Ok(Some(Line::Whole(line))) = lines.next_line() else {
        return None;
    };
    Header::read(&Chain::default().follow(&line)?)
}

/// Whether the hash that the next run names was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Seen,
    NotSeen,
}

fn read_file(
    path: &Path,
    depth: Depth,
    claimed: Option<&str>,
) -> Result<(Run, Claim), JournalError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let cannot = |error: &std::io::Error| JournalError::new(format!("`{name}`: {error}"));
    let mut lines = Lines::open(path, LINE_BYTES_MAX).map_err(|error| cannot(&error))?;
    let mut chain = Chain::default();
    let mut reader: Option<Reader> = None;
    let (mut claim, mut number) = (Claim::NotSeen, 0);
    let state = loop {
        number += 1;
        let line = match lines.next_line().map_err(|error| cannot(&error))? {
            None => break ChainState::Whole,
            Some(Line::Whole(line)) => line,
            Some(Line::Unfinished) => break ChainState::BrokenTail,
            Some(Line::TooLong) => break ChainState::Altered(number),
        };
        // What was gone on behind a broken tail is chained to the last good line.
        let Some(value) = chain.follow(&line) else {
            match is_torn(&line) {
                true => continue,
                false => break ChainState::Altered(number),
            }
        };
        if claimed == Some(chain.last.as_str()) {
            claim = Claim::Seen;
        }
        match &mut reader {
            None => {
                let header = Header::read(&value);
                let none = || JournalError::new(format!("`{name}` is no journal of a run"));
                reader = Some(Reader::new(header.ok_or_else(none)?, depth));
            }
            Some(reader) => reader.take(&value),
        }
    };
    let reader = reader
        .ok_or_else(|| JournalError::new(format!("`{name}` holds no line that can be read")))?;
    Ok((reader.finish(state), claim))
}

/// A line that a crash cut short, ended when the file was gone on with.
fn is_torn(line: &[u8]) -> bool {
    line.starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_err()
}

struct Reader {
    run: Run,
    depth: Depth,
    shapes: Shapes,
    places: HashMap<u64, usize>,
}

impl Reader {
    fn new(header: Header, depth: Depth) -> Reader {
        Reader {
            run: Run {
                header,
                entries: Vec::new(),
                left: Vec::new(),
                end: None,
                chain: ChainState::Whole,
            },
            depth,
            shapes: Shapes::default(),
            places: HashMap::new(),
        }
    }

    fn take(&mut self, value: &Value) {
        match value.get("kind").and_then(Value::as_str) {
            Some("table") => {
                let shape = value.get("table").and_then(read_shape);
                self.shapes.add(shape.unwrap_or_default());
            }
            Some("before") => self.before(value),
            Some("outcome") => self.outcome(value),
            Some("found") => {
                let found = value.get("found").and_then(Value::as_str);
                let found = found.and_then(Found::from_name);
                if let Some(entry) = self.entry(value) {
                    entry.found = found;
                }
            }
            Some("left") if self.run.left.len() < ENTRIES_MAX => {
                self.run.left.extend(self.left(value));
            }
            Some("end") => self.run.end = self.end(value),
            _ => {}
        }
    }

    fn entry(&mut self, value: &Value) -> Option<&mut Entry> {
        let n = value.get("n")?.as_u64()?;
        self.run.entries.get_mut(*self.places.get(&n)?)
    }

    fn before(&mut self, value: &Value) {
        let Some(n) = value.get("n").and_then(Value::as_u64) else {
            return;
        };
        if self.run.entries.len() >= ENTRIES_MAX {
            return;
        }
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let change = match self.depth {
            Depth::Outcomes => None,
            Depth::Changes => value
                .get("change")
                .and_then(|change| read_change(change, &self.shapes)),
        };
        self.places.insert(n, self.run.entries.len());
        self.run.entries.push(Entry {
            n: usize::try_from(n).unwrap_or(usize::MAX),
            address_text: text("address").unwrap_or_default(),
            address: value.get("at").and_then(read_address),
            layout: text("layout").unwrap_or_default(),
            idempotency_key: text("idempotency_key"),
            change,
            outcome: None,
            why: None,
            version: None,
            found: None,
        });
    }

    fn outcome(&mut self, value: &Value) {
        let verb = self.run.header.verb;
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let outcome = text("outcome").and_then(|name| Outcome::from_name(&name, verb));
        let (why, version) = (text("why"), text("version"));
        if let Some(entry) = self.entry(value) {
            entry.outcome = outcome;
            entry.why = why;
            entry.version = version;
        }
    }

    fn left(&self, value: &Value) -> Option<Left> {
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Left {
            address: text("address")?,
            outcome: Outcome::from_name(&text("outcome")?, self.run.header.verb)?,
            why: text("why").unwrap_or_default(),
        })
    }

    fn end(&self, value: &Value) -> Option<End> {
        Some(End {
            at: Timestamp(value.get("at_ms")?.as_i64()?),
            tally: Tally::read(value.get("outcomes")?, self.run.header.verb)?,
            stopped: value
                .get("stopped")
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }

    fn finish(mut self, state: ChainState) -> Run {
        self.run.chain = state;
        self.run
    }
}
