//! What the locks view says: the answer in one sentence, groups, and each lock's cells.

use crate::app::State;
use crate::app::state::{Grouping, LockCounts, LockGroup, LockList, Running};
use crate::app::view::{self, LockRow};
use crate::domain::{Duration, Stuck};
use crate::present::count::{self, Font};
use crate::present::words::verdict_word;
use crate::present::{escape, span};
use crate::ui::panels::keys::data::{self, Wording, chars_of};
use crate::ui::theme::{Text, Tone};
use crate::ui::widgets::span::{Span, stored_end, stored_middle};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockColumn {
    Mark,
    Verdict,
    Key,
    Operation,
    LockedFor,
    PastLease,
    ExpiresIn,
    Evidence,
}

use LockColumn::{Evidence, ExpiresIn, Key, LockedFor, Mark, Operation, PastLease, Verdict};

const COLUMNS: [(LockColumn, f32); 8] = [
    (Mark, 32.0),
    (Verdict, 110.0),
    (Key, 250.0),
    (Operation, 216.0),
    (LockedFor, 92.0),
    (PastLease, 102.0),
    (ExpiresIn, 96.0),
    (Evidence, 0.0),
];
/// Under this, evidence says nothing.
const EVIDENCE_MIN: f32 = 170.0;
const KEY_MIN: f32 = 172.0;
const OPERATION_MIN: f32 = 132.0;

impl LockColumn {
    pub fn title(self) -> &'static str {
        match self {
            Mark => "",
            Verdict => "Verdict",
            Key => "Key",
            Operation => "Operation",
            LockedFor => "Locked for",
            PastLease => "Past lease",
            ExpiresIn => "Expires in",
            Evidence => "Evidence",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, LockedFor | PastLease | ExpiresIn)
    }
}

/// The columns that fit: the evidence goes first, then the expiry.
pub fn columns(width: f32) -> Vec<(LockColumn, f32)> {
    let mut columns: Vec<(LockColumn, f32)> = COLUMNS.to_vec();
    let sum = |columns: &[(LockColumn, f32)]| columns.iter().map(|column| column.1).sum::<f32>();
    if sum(&columns) + EVIDENCE_MIN > width {
        columns.retain(|column| column.0 != Evidence);
    }
    let give = 250.0 - KEY_MIN + 216.0 - OPERATION_MIN;
    if sum(&columns) - give > width {
        columns.retain(|column| column.0 != ExpiresIn);
    }
    let mut short = sum(&columns) - width;
    for (name, least) in [(Operation, OPERATION_MIN), (Key, KEY_MIN)] {
        for column in columns.iter_mut().filter(|column| column.0 == name) {
            let give = short.max(0.0).min(column.1 - least);
            column.1 -= give;
            short -= give;
        }
    }
    let takes = if columns.iter().any(|column| column.0 == Evidence) {
        Evidence
    } else {
        Key
    };
    for column in columns.iter_mut().filter(|column| column.0 == takes) {
        column.1 += (-short).max(0.0);
    }
    columns
}

/// The answer, in two tones: the count, and what it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocksHead {
    pub lead: String,
    pub rest: String,
    /// When a lock counts as stuck.
    pub lease: String,
}

pub fn head(state: &State) -> LocksHead {
    let lease = lease_words(state);
    let Some(locks) = view::locks(state) else {
        return LocksHead {
            lead: "Locks".to_owned(),
            rest: String::new(),
            lease,
        };
    };
    let counts = &locks.counts;
    let stuck = counts.stuck(state.now());
    let total = count::grouped(counts.total + locks.not_listed, Font::Text);
    let noun = if counts.total == 1 { "lock" } else { "locks" };
    let mut rest = format!("of {total} {noun}");
    if let Some(oldest) = counts.oldest {
        rest.push_str(&format!(", oldest {}", oldest_words(state, oldest)));
    }
    if counts.cannot_tell > 0 {
        let unknown = count::grouped(counts.cannot_tell, Font::Text);
        rest.push_str(&format!(", {unknown} cannot be told"));
    }
    if counts.total == 0 {
        rest = "nothing holds a lock".to_owned();
    }
    if state.keys.scan.running == Running::First {
        rest.push_str(", so far");
    }
    LocksHead {
        lead: format!("{} stuck", count::grouped(stuck, Font::Text)),
        rest,
        lease,
    }
}

fn oldest_words(state: &State, oldest: crate::domain::Timestamp) -> String {
    span::sentence(oldest.until(state.now()))
}

/// `its own lease, else 10 min`.
fn lease_words(state: &State) -> String {
    let Some(snapshot) = &state.keys.snapshot else {
        return "its own lease".to_owned();
    };
    let mut leases: Vec<Option<Duration>> = snapshot
        .sources()
        .map(|(_, source)| source.lease())
        .collect();
    leases.dedup();
    match leases.as_slice() {
        [Some(lease)] => format!("its own lease, else {}", span::sentence(*lease)),
        [] | [None] => "its own lease".to_owned(),
        _ => "its own lease, else its source’s".to_owned(),
    }
}

/// What stands over the locks of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupHead {
    pub title: Vec<Span>,
    pub note: String,
    pub layout: String,
    pub counts: String,
}

/// Nothing where the groups have no heads.
pub fn group_head(state: &State, locks: &LockList, group: &LockGroup) -> Option<GroupHead> {
    let text = |text: &str| Span::new(escape::shown(text, 80), Text::Section, Tone::Primary);
    let title = match (locks.grouping, &group.method, &group.title) {
        (Grouping::Flat, ..) => return None,
        (_, Some(method), Some(title)) => {
            let method = format!("{} ", escape::shown(method, 10));
            vec![
                Span::new(method, Text::Section, Tone::Secondary),
                text(title),
            ]
        }
        (_, None, Some(title)) => vec![text(title)],
        (_, Some(method), None) => vec![text(method)],
        (Grouping::Operation, None, None) => vec![text("Operation not stored")],
        (_, None, None) => vec![text("Source not known")],
    };
    let note = match group.counts.oldest {
        Some(oldest) => format!("oldest {}", oldest_words(state, oldest)),
        None => "no time is stored".to_owned(),
    };
    Some(GroupHead {
        title,
        note,
        layout: group.layout.clone().unwrap_or_default(),
        counts: counts_words(&group.counts, state),
    })
}

fn counts_words(counts: &LockCounts, state: &State) -> String {
    let stuck = count::grouped(counts.stuck(state.now()), Font::Text);
    format!(
        "{stuck} stuck of {}",
        count::grouped(counts.total, Font::Text)
    )
}

/// The word and the colour of a verdict; with its glyph's name.
pub fn verdict(stuck: Stuck) -> (&'static str, Tone, (&'static str, Tone)) {
    let (tone, icon) = match stuck {
        Stuck::Yes => (Tone::Stuck, ("stuck", Tone::Stuck)),
        Stuck::No => (Tone::Live, ("live", Tone::Live)),
        Stuck::CannotTell => (Tone::Secondary, ("unknown", Tone::Unknown)),
    };
    (verdict_word(stuck), tone, icon)
}

/// The text of a cell.
pub fn cell(row: &LockRow, (column, width): (LockColumn, f32), wording: &Wording) -> Vec<Span> {
    let chars = chars_of(width, wording.advance);
    let record = &row.record;
    match column {
        Mark => Vec::new(),
        Verdict => {
            let (word, tone, _) = verdict(row.stuck);
            vec![Span::body(word, tone)]
        }
        Key => match &record.key {
            Some(key) => stored_middle(key, chars, Text::Mono, Tone::Primary),
            None => stored_middle(&record.address, chars, Text::Mono, Tone::Secondary),
        },
        Operation => data::operation(record, chars),
        LockedFor => data::age(record, wording),
        PastLease => past_lease(row, wording),
        ExpiresIn => data::ttl(record, wording),
        Evidence => stored_end(&row.evidence, 60, Text::Note, Tone::Secondary),
    }
}

fn past_lease(row: &LockRow, wording: &Wording) -> Vec<Span> {
    let Some(end) = row.lease_end else {
        return vec![Span::mono("no deadline", Tone::Tertiary)];
    };
    if end < wording.now {
        return vec![Span::mono(
            span::column(end.until(wording.now)),
            Tone::Primary,
        )];
    }
    let left = span::column(wording.now.until(end));
    vec![Span::mono(format!("in {left}"), Tone::Tertiary)]
}

/// What a screen reader says of a lock.
pub fn row_name(row: &LockRow, wording: &Wording) -> String {
    let (word, ..) = verdict(row.stuck);
    let name = data::named(word, &row.record, wording);
    format!("{name}, {}", row.evidence)
}

/// What fills the room of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocksBody {
    List,
    Waiting,
    NoneStuck,
    CannotBeTold,
}

pub fn body(state: &State) -> LocksBody {
    let Some(locks) = view::locks(state) else {
        return LocksBody::Waiting;
    };
    let counts = &locks.counts;
    let stuck = counts.stuck(state.now());
    if stuck > 0 || (state.locks.shows_held && counts.total > 0) {
        return LocksBody::List;
    }
    if counts.total == 0 && state.keys.scan.running == Running::First {
        return LocksBody::Waiting;
    }
    match counts.cannot_tell {
        0 => LocksBody::NoneStuck,
        _ => LocksBody::CannotBeTold,
    }
}

/// The sentence of the quiet face.
pub fn quiet_words(state: &State) -> String {
    let Some(locks) = view::locks(state) else {
        return String::new();
    };
    let counts = &locks.counts;
    let total = count::grouped(counts.total, Font::Text);
    if counts.cannot_tell > 0 {
        let unknown = count::grouped(counts.cannot_tell, Font::Text);
        let of = if counts.cannot_tell == counts.total {
            format!("None of the {total} locks tells")
        } else {
            format!("{unknown} of {total} locks do not tell")
        };
        return format!(
            "{of} its deadline. Set a lease to judge by the age, where that is known or inferred."
        );
    }
    let read = state.keys.scan.read_at.map(|at| at.until(state.clock.here));
    let looked = match read {
        Some(ago) => format!(
            "Looked at {} ago, by the store’s clock.",
            span::sentence(ago)
        ),
        None => String::new(),
    };
    let running = match (counts.total, counts.oldest) {
        (0, _) => "No request is running.".to_owned(),
        (1, Some(oldest)) => {
            format!("1 request is running, for {}.", oldest_words(state, oldest))
        }
        (1, None) => "1 request is running.".to_owned(),
        (_, Some(oldest)) => format!(
            "{total} requests are running, the oldest for {}.",
            oldest_words(state, oldest)
        ),
        (_, None) => format!("{total} requests are running."),
    };
    format!("{running} {looked}").trim_end().to_owned()
}
