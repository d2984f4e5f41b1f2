//! One attempt as a log has it, and what is wrong with what was read.
//!
//! Apart from `tally` because logs are written by many hands: whatever a field holds, an entry comes
//! of it, with a name for each defect.
//! Invariant: nothing here fails; an unknown word of an outcome is kept as it is.

use crate::domain::attempt::{Field, Outcome};

/// What is wrong with an entry, or with its place in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Defect {
    /// Without a time, an outcome, or an operation.
    MissingField,
    UnknownOutcome,
    /// A field that is no number, or one that cannot be: a negative duration.
    BadField,
    /// A second or more earlier than the entry before it.
    OutOfOrder,
    /// A minute or more earlier than the entry before it: the writer's clock was set.
    ClockStep,
    /// The same entry once more.
    DuplicateId,
    /// Later than the end of the window: a clock that is ahead.
    FromTheFuture,
}

impl Defect {
    pub const ALL: [Defect; 7] = [
        Defect::MissingField,
        Defect::UnknownOutcome,
        Defect::BadField,
        Defect::OutOfOrder,
        Defect::ClockStep,
        Defect::DuplicateId,
        Defect::FromTheFuture,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Defect::MissingField => "missing_field",
            Defect::UnknownOutcome => "unknown_outcome",
            Defect::BadField => "bad_field",
            Defect::OutOfOrder => "out_of_order",
            Defect::ClockStep => "clock_step",
            Defect::DuplicateId => "duplicate_id",
            Defect::FromTheFuture => "from_the_future",
        }
    }
}

/// An outcome, or a word that is none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    Known(Outcome),
    Unknown(&'a str),
}

impl Word<'_> {
    pub fn known(self) -> Option<Outcome> {
        match self {
            Word::Known(outcome) => Some(outcome),
            Word::Unknown(_) => None,
        }
    }
}

/// One attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry<'a> {
    /// Milliseconds since the epoch, by the writer's clock or the store's.
    pub at: i64,
    /// `None` for a request without a key, or with a bad one.
    pub key: Option<&'a str>,
    pub scope: Option<&'a str>,
    pub endpoint: &'a str,
    pub client: Option<&'a str>,
    /// From 1 on; `None` where the writer does not count.
    pub number: Option<u32>,
    pub outcome: Word<'a>,
    pub status: Option<u16>,
    pub duration_ms: Option<u64>,
    pub since_first_ms: Option<u64>,
    pub fingerprint: Option<&'a str>,
    pub fingerprint_version: u8,
    pub instance: Option<&'a str>,
    pub owner: Option<&'a str>,
    /// From 0 to 1; `None` where every attempt is logged.
    pub sample_rate: Option<f32>,
    pub defects: Defects,
}

/// A set of defects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Defects(u8);

impl Defects {
    pub fn add(&mut self, defect: Defect) {
        self.0 |= 1 << defect as u8;
    }

    pub fn has(self, defect: Defect) -> bool {
        self.0 & (1 << defect as u8) != 0
    }
}

impl Entry<'_> {
    /// Whether it is a retry; `None` where neither a number nor an age tells.
    pub fn is_retry(&self) -> Option<bool> {
        self.key?;
        match (self.number, self.since_first_ms) {
            (Some(number), _) => Some(number > 1),
            (None, Some(since)) => Some(since > 0),
            (None, None) => None,
        }
    }
}

/// An entry on its way: fields come as texts or numbers, in any order.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    entry: Entry<'a>,
    has_time: bool,
    has_outcome: bool,
}

impl Default for Draft<'_> {
    fn default() -> Self {
        Draft {
            entry: Entry {
                at: 0,
                key: None,
                scope: None,
                endpoint: "",
                client: None,
                number: None,
                outcome: Word::Unknown(""),
                status: None,
                duration_ms: None,
                since_first_ms: None,
                fingerprint: None,
                fingerprint_version: 0,
                instance: None,
                owner: None,
                sample_rate: None,
                defects: Defects::default(),
            },
            has_time: false,
            has_outcome: false,
        }
    }
}

impl<'a> Draft<'a> {
    pub fn text(&mut self, field: Field, text: &'a str) {
        // A column of fixed width is filled up with spaces.
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        let entry = &mut self.entry;
        match field {
            Field::Key => entry.key = Some(text),
            Field::Scope => entry.scope = Some(text),
            Field::Endpoint => entry.endpoint = text,
            Field::Client => entry.client = Some(text),
            Field::Fingerprint => entry.fingerprint = Some(text),
            Field::Instance => entry.instance = Some(text),
            Field::Owner => entry.owner = Some(text),
            Field::Outcome => {
                self.has_outcome = true;
                entry.outcome = match Outcome::of_name(text) {
                    Some(outcome) => Word::Known(outcome),
                    None => {
                        entry.defects.add(Defect::UnknownOutcome);
                        Word::Unknown(text)
                    }
                };
            }
            Field::SampleRate => match text.parse::<f64>() {
                Ok(rate) => self.rate(rate),
                Err(_) => entry.defects.add(Defect::BadField),
            },
            _ => match text.parse::<i64>() {
                Ok(number) => self.number(field, number),
                Err(_) => entry.defects.add(Defect::BadField),
            },
        }
    }

    pub fn number(&mut self, field: Field, number: i64) {
        let entry = &mut self.entry;
        let mut is_good = true;
        match field {
            Field::At => {
                entry.at = number;
                self.has_time = true;
            }
            // 0 is what the convention says for unknown.
            Field::Number => entry.number = u32::try_from(number).ok().filter(|it| *it > 0),
            Field::Status => {
                entry.status = u16::try_from(number).ok();
                is_good = entry.status.is_some();
            }
            Field::Duration => {
                entry.duration_ms = period(number);
                is_good = entry.duration_ms.is_some();
            }
            Field::SinceFirst => {
                entry.since_first_ms = period(number);
                is_good = entry.since_first_ms.is_some();
            }
            Field::FingerprintVersion => {
                entry.fingerprint_version = u8::try_from(number).unwrap_or(u8::MAX);
            }
            Field::SampleRate => {
                self.rate(number as f64);
                return;
            }
            _ => is_good = false,
        }
        if !is_good {
            entry.defects.add(Defect::BadField);
        }
    }

    pub fn rate(&mut self, rate: f64) {
        if rate > 0.0 && rate <= 1.0 {
            // A rate of one is no sample.
            self.entry.sample_rate = (rate < 1.0).then_some(rate as f32);
        } else {
            self.entry.defects.add(Defect::BadField);
        }
    }

    /// A field that holds something else than text or number.
    pub fn garbage(&mut self) {
        self.entry.defects.add(Defect::BadField);
    }

    /// The entry; none without a time, which belongs to no window.
    pub fn finish(mut self) -> Option<Entry<'a>> {
        if !self.has_time {
            return None;
        }
        if !self.has_outcome || self.entry.endpoint.is_empty() {
            self.entry.defects.add(Defect::MissingField);
        }
        Some(self.entry)
    }
}

/// Longer than a hundred years nothing takes.
const PERIOD_MAX_MS: u64 = 100 * 366 * 86_400_000;

fn period(ms: i64) -> Option<u64> {
    u64::try_from(ms).ok().filter(|ms| *ms <= PERIOD_MAX_MS)
}

/// A clock that goes back by as much was set.
const STEP_MS: i64 = 60_000;
/// Writers that answer at the same time take turns.
const LATE_MS: i64 = 1_000;

/// The order in which a log is read: what only neighbours tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    latest: Option<i64>,
}

impl Sequence {
    /// Looks at the next entry in the order of the log.
    pub fn look(&mut self, entry: &mut Entry<'_>) {
        let at = entry.at;
        if let Some(latest) = self.latest {
            let back = latest.saturating_sub(at);
            if back >= STEP_MS {
                entry.defects.add(Defect::ClockStep);
                // From here on the clock counts as it is now.
                self.latest = Some(at);
                return;
            }
            if back >= LATE_MS {
                entry.defects.add(Defect::OutOfOrder);
            }
        }
        self.latest = self.latest.max(Some(at));
    }
}
