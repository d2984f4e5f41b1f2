//! What the locks view says: the answer in one sentence, groups, and each lock's cells.

use crate::app::State;
use crate::app::state::{Grouping, LockCounts, LockGroup, LockList, Running};
use crate::app::view::{self, LockRow};
use crate::domain::{Duration, Stuck};
use crate::present::say::say;
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
    pub fn title(self) -> String {
        match self {
            Mark => String::new(),
            Verdict => say!("locks-verdict"),
            Key => say!("column-key"),
            Operation => say!("column-operation"),
            LockedFor => say!("locks-locked-for"),
            PastLease => say!("locks-past-lease"),
            ExpiresIn => say!("locks-expires-in"),
            Evidence => say!("locks-evidence"),
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
            lead: say!("command-locks"),
            rest: String::new(),
            lease,
        };
    };
    let counts = &locks.counts;
    let stuck = counts.stuck(state.now());
    let mut parts = vec![match counts.total {
        0 => say!("locks-nothing-holds"),
        total => say!("locks-of", count = total + locks.not_listed),
    }];
    if let Some(oldest) = counts.oldest {
        parts.push(say!("locks-oldest", age = oldest_words(state, oldest)));
    }
    if counts.cannot_tell > 0 {
        parts.push(say!("locks-not-told", count = counts.cannot_tell));
    }
    if state.keys.scan.running == Running::First {
        parts.push(say!("locks-so-far"));
    }
    let rest = parts.join(", ");
    LocksHead {
        lead: say!("locks-stuck", count = stuck),
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
        return say!("locks-own-lease");
    };
    let mut leases: Vec<Option<Duration>> = snapshot
        .sources()
        .map(|(_, source)| source.lease())
        .collect();
    leases.dedup();
    match leases.as_slice() {
        [Some(lease)] => say!("locks-lease-else", lease = span::sentence(*lease)),
        [] | [None] => say!("locks-own-lease"),
        _ => say!("locks-lease-of-source"),
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
        (Grouping::Operation, None, None) => vec![text(&say!("locks-no-operation"))],
        (_, None, None) => vec![text(&say!("locks-no-source"))],
    };
    let note = match group.counts.oldest {
        Some(oldest) => say!("locks-oldest", age = oldest_words(state, oldest)),
        None => say!("locks-no-time"),
    };
    Some(GroupHead {
        title,
        note,
        layout: group.layout.clone().unwrap_or_default(),
        counts: counts_words(&group.counts, state),
    })
}

fn counts_words(counts: &LockCounts, state: &State) -> String {
    let stuck = counts.stuck(state.now());
    say!("locks-stuck-of", stuck = stuck, count = counts.total)
}

/// The word and the colour of a verdict; with its glyph's name.
pub fn verdict(stuck: Stuck) -> (String, Tone, (&'static str, Tone)) {
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
        return vec![Span::mono(say!("locks-no-deadline"), Tone::Tertiary)];
    };
    if end < wording.now {
        return vec![Span::mono(
            span::column(end.until(wording.now)),
            Tone::Primary,
        )];
    }
    let left = span::column(wording.now.until(end));
    vec![Span::mono(say!("locks-in", left = left), Tone::Tertiary)]
}

/// What a screen reader says of a lock.
pub fn row_name(row: &LockRow, wording: &Wording) -> String {
    let (word, ..) = verdict(row.stuck);
    let name = data::named(&word, &row.record, wording);
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
    if view::lists_locks(state) {
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
    let total = counts.total;
    if counts.cannot_tell > 0 {
        let unknown = counts.cannot_tell;
        return if unknown == total {
            say!("locks-none-tells", count = total)
        } else {
            say!("locks-some-tell-not", unknown = unknown, count = total)
        };
    }
    let read = state.keys.scan.read_at.map(|at| at.until(state.clock.here));
    let looked = match read {
        Some(ago) => say!("locks-looked-at", ago = span::sentence(ago)),
        None => String::new(),
    };
    let running = match (counts.total, counts.oldest) {
        (0, _) => say!("locks-none-runs"),
        (_, Some(oldest)) => {
            let age = oldest_words(state, oldest);
            say!("locks-running-for", count = total, age = age)
        }
        (_, None) => say!("locks-running", count = total),
    };
    format!("{running} {looked}").trim_end().to_owned()
}
