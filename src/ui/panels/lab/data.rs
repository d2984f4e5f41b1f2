//! What the lab says: the list of scenarios, and for each column its sentence, counters, ledger,
//! rows, what everybody believes, and the verdict.

mod end;
pub mod fleet;
mod told;

use self::end::{beliefs, verdict_line};
use self::told::When;
use crate::app::State;
use crate::app::state::{Side, SidePhase};
use crate::app::view::lab::{
    Also, Entry, Mail, Moment, NotRun, Row, RowState, STANDS_FOR, is_at_end, is_changed,
    not_run_words,
};
use crate::domain::Duration;
use crate::present::count::{self, Font, grouped};
use crate::present::escape;
use crate::present::say::say;
use crate::present::span;
use crate::ui::theme::Tone;
use crate::ui::widgets::Span;

/// Lines of a list in a column.
const LINES_MAX: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioItem {
    pub id: String,
    pub title: String,
    /// Whether it came out as expected, where it was run.
    pub passed: Option<bool>,
    pub is_chosen: bool,
}

pub fn scenario_items(state: &State) -> Vec<ScenarioItem> {
    let lab = &state.lab;
    let items = lab.scenarios.iter().enumerate();
    let item = |(at, scenario): (usize, &crate::app::view::lab::Scenario)| ScenarioItem {
        id: scenario.id.clone(),
        title: scenario.title.spoken().to_owned(),
        passed: lab.results.get(&scenario.id).copied(),
        is_chosen: at == lab.chosen && !lab.free.is_shown,
    };
    items.map(item).collect()
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnData {
    pub title: String,
    pub about: String,
    /// Its switches are others than the scenario's.
    pub changed: Option<String>,
    /// Why there is no diagram.
    pub quiet: Option<(String, Tone)>,
    pub sentence: Vec<Span>,
    pub verdict: Option<VerdictLine>,
    pub counters: Vec<Figure>,
    pub ledger_title: String,
    pub ledger: Vec<LedgerLine>,
    /// Lines that are not listed.
    pub ledger_more: usize,
    /// What the mailer sent, where the story is about it.
    pub mails: Vec<LedgerLine>,
    pub rows: Vec<RowLine>,
    pub rows_more: usize,
    pub rows_title: String,
    /// Instead of rows.
    pub no_rows: String,
    /// Who, and what they take for true.
    pub beliefs: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictLine {
    /// The name of its glyph.
    pub icon: &'static str,
    pub tone: Tone,
    pub word: String,
    pub whole: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    pub value: String,
    pub word: String,
    pub tone: Tone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLine {
    pub id: String,
    pub amount: String,
    pub who: String,
    pub key: String,
    pub is_wanted: bool,
    pub word: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowLine {
    /// The name of its glyph, and its colour.
    pub icon: &'static str,
    pub tone: Tone,
    pub word_tone: Tone,
    pub word: String,
    pub key: String,
    pub hash: String,
    pub answer: String,
    pub ttl: String,
    pub stands_for: String,
}

pub fn column_data(state: &State, at: usize) -> Option<ColumnData> {
    let side = state.lab.sides.get(at)?;
    let moment = &side.moment;
    let is_end = is_at_end(state);
    let when = match is_end {
        true => When::End,
        false => When::SoFar,
    };
    let now = state.lab.cursor.at;
    let ledger = side.trace.ledger.iter().take(moment.entries);
    let count = ledger.len();
    let skipped = count.saturating_sub(LINES_MAX);
    let rows: Vec<RowLine> = moment.rows.values().map(|row| row_line(row, now)).collect();
    Some(ColumnData {
        title: title(state, at),
        about: side.variant.title.spoken().to_owned(),
        changed: is_changed(&state.lab, side).then(|| say!("lab-changed")),
        quiet: quiet(state, side),
        sentence: told::sentence(side, moment, when),
        verdict: is_end.then(|| verdict_line(state, side)).flatten(),
        counters: told::counters(side, moment, when),
        ledger_title: match side.trace.about.also {
            Also::Mails => say!("lab-ledger-and-mails"),
            Also::Nothing | Also::Refunds => say!("lab-ledger"),
        },
        ledger: ledger.skip(skipped).map(ledger_line).collect(),
        mails: mail_lines(side, moment),
        ledger_more: skipped,
        rows_more: rows.len().saturating_sub(LINES_MAX),
        rows: rows.into_iter().take(LINES_MAX).collect(),
        rows_title: match moment.is_store_unsure {
            true => say!("lab-rows-last-seen"),
            false => say!("lab-rows"),
        },
        no_rows: match side.variant.switches.unprotected {
            true => say!("lab-no-rows-unprotected"),
            false => say!("lab-no-rows"),
        },
        beliefs: beliefs(side, moment),
    })
}

fn title(state: &State, at: usize) -> String {
    match (state.lab.sides.len(), at) {
        (1, _) => say!("lab-alone"),
        (_, 0) => say!("lab-without"),
        _ => say!("lab-with"),
    }
}

fn quiet(state: &State, side: &Side) -> Option<(String, Tone)> {
    match &side.phase {
        SidePhase::Idle => Some((say!("lab-not-run"), Tone::Tertiary)),
        // What is not here is no fault.
        SidePhase::Failed(why @ (NotRun::Missing(_) | NotRun::OtherStore(_))) => {
            Some((not_run_words(why), Tone::Secondary))
        }
        SidePhase::Failed(why) => Some((not_run_words(why), Tone::Danger)),
        SidePhase::Starting => {
            let waits = state.lab.sides.iter().any(|other| other.began_at.is_some());
            let words = match waits {
                true => say!("lab-waits"),
                false => say!("lab-starting"),
            };
            Some((words, Tone::Tertiary))
        }
        SidePhase::Running | SidePhase::Ended(_) => None,
    }
}

fn ledger_line(entry: &Entry) -> LedgerLine {
    let amount = grouped(entry.amount.unsigned_abs(), Font::Mono);
    let sign = if entry.is_refund { "−" } else { "" };
    LedgerLine {
        id: escape::shown(&entry.id, 20),
        amount: format!("{sign}{amount} RUB"),
        who: escape::shown(&entry.who, 24),
        key: match &entry.key {
            Some(key) => say!("lab-key", key = escape::shown(own_part(key), 24)),
            None => say!("lab-no-key"),
        },
        is_wanted: entry.is_wanted,
        word: wanted_word(entry.is_wanted),
    }
}

fn wanted_word(is_wanted: bool) -> String {
    match is_wanted {
        true => say!("lab-wanted"),
        false => say!("lab-not-wanted"),
    }
}

fn mail_lines(side: &Side, moment: &Moment) -> Vec<LedgerLine> {
    if side.trace.about.also != Also::Mails {
        return Vec::new();
    }
    let sent = usize::try_from(moment.mails).unwrap_or(usize::MAX);
    let mails = side.trace.mails.iter().take(sent.min(LINES_MAX));
    let line = |(at, mail): (usize, &Mail)| LedgerLine {
        id: say!("lab-mail-number", number = (at + 1).to_string()),
        amount: String::new(),
        who: escape::shown(&mail.of, 24),
        key: String::new(),
        is_wanted: mail.is_wanted,
        word: wanted_word(mail.is_wanted),
    };
    mails.enumerate().map(line).collect()
}

fn row_line(row: &Row, now: f64) -> RowLine {
    let now = now.max(0.0) as u64;
    let left = row.expires_at_ms.saturating_sub(now);
    let is_expired = left == 0;
    let is_overdue = row.state == RowState::InProgress && row.lease_until_ms < now;
    let (icon, tone, word_tone, word) = match (row.state, is_expired, is_overdue) {
        (_, true, _) => (
            "expired",
            Tone::Expired,
            Tone::Secondary,
            say!("lab-row-expired"),
        ),
        (RowState::InProgress, _, true) => {
            ("stuck", Tone::Stuck, Tone::Stuck, say!("lab-row-overdue"))
        }
        (RowState::InProgress, ..) => ("live", Tone::Live, Tone::Live, say!("lab-row-processing")),
        (RowState::Completed, ..) => (
            "completed",
            Tone::Completed,
            Tone::Secondary,
            say!("lab-row-completed"),
        ),
        (RowState::Released, ..) => (
            "unknown",
            Tone::Unknown,
            Tone::Secondary,
            say!("lab-row-released"),
        ),
    };
    let answer = match row.status {
        Some(status) => format!("{status}, {}", count::bytes(row.bytes)),
        None => "–".to_owned(),
    };
    RowLine {
        icon,
        tone,
        word_tone,
        word,
        key: escape::shown(&row.key, 24),
        hash: row.fingerprint.chars().take(8).collect(),
        answer,
        ttl: match is_expired {
            true => say!("lab-passed"),
            false => span::column(millis(left)),
        },
        stands_for: match is_expired {
            true => String::new(),
            false => {
                let real = millis(left.saturating_mul(STANDS_FOR));
                say!("lab-stands-for", time = span::sentence(real))
            }
        },
    }
}

/// Of a key that was made of scope and key, the key.
fn own_part(key: &str) -> &str {
    let words: Vec<&str> = key.split(' ').collect();
    match words.as_slice() {
        // Of a saga the step as well.
        ["saga", .., "POST", _, own, step] => {
            let length = own.len() + 1 + step.len();
            key.get(key.len() - length..).unwrap_or(key)
        }
        [.., "POST", _, own] => own,
        _ => key,
    }
}

/// `2.33`, of shown milliseconds.
pub fn seconds(ms: f64) -> String {
    format!("{:.2}", ms.max(0.0) / 1000.0)
}

fn millis(ms: u64) -> Duration {
    Duration(i64::try_from(ms).unwrap_or(i64::MAX))
}
