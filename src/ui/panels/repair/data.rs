//! What the dialog of a repair says: title, consequence, the question that matters, each line of
//! the plan and of the report.

use super::does;
use crate::app::State;
use crate::app::state::{Asked, Job, Stage};
use crate::app::view::{
    Item, KeyReport, Plan, Refusal, Report, Warning, outcome_words, plan_words,
};
use crate::domain::address::address_text;
use crate::domain::change::{Outcome, Verb};
use crate::domain::{Duration, Timestamp};
use crate::present::count::{Font, grouped};
use crate::present::say::say;
use crate::present::words::outcome_word;
use crate::present::{escape, span};
use crate::ui::theme::Tone;

/// Characters of a key, and of what is done to it, that are laid out.
const KEY_CHARS: usize = 200;
const NAME_CHARS: usize = 40;

/// A block of text with its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub title: String,
    pub text: String,
    /// The other way: its words, and what it asks for.
    pub link: Option<(String, Verb)>,
}

/// One record of a plan or a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The group and the name of its glyph.
    pub icon: (&'static str, &'static str),
    pub icon_tone: Tone,
    pub key: String,
    pub is_quiet: bool,
    /// What is done to it.
    pub does: String,
    pub note: String,
    pub note_tone: Tone,
    /// What the tooltip says whole.
    pub hint: String,
}

pub fn title(job: &Job) -> String {
    let name = escape::shown(&job.name, 60);
    let count = match &job.stage {
        Stage::Planned(plan) => plan.items().len(),
        Stage::Running(running) => running.plan.items().len(),
        Stage::Ended(report) => return outcome_words(&report.tally, report.verb),
        Stage::Answering | Stage::Making(_) | Stage::Failed(_) => match &job.asked {
            Asked::Run(_) => return say!("repair-undo-in", name = name),
            Asked::Rows { rows, .. } => rows.len(),
        },
    };
    match job.verb {
        Verb::Release => say!("repair-release-title", count = count, name = name),
        Verb::Settle => say!("repair-settle-title", count = count, name = name),
        Verb::Purge => say!("repair-purge-title", count = count, name = name),
        Verb::Undo => say!("repair-undo-title", count = count, name = name),
    }
}

/// The consequence, and what is left alone.
pub fn lead(job: &Job) -> String {
    let does = match job.verb {
        Verb::Release => say!("repair-release-lead"),
        Verb::Settle => say!("repair-settle-lead"),
        Verb::Purge => say!("repair-purge-lead"),
        Verb::Undo => say!("repair-undo-lead"),
    };
    match &job.stage {
        Stage::Planned(plan) if !plan.refused().is_empty() => {
            let left = say!("repair-left-alone", count = plan.refused().len());
            format!("{does} {left}")
        }
        Stage::Ended(report) => match &report.journal_id {
            Some(id) => say!("repair-journalled", run = id.as_str()),
            None => say!("repair-nothing-written"),
        },
        _ => does,
    }
}

/// The question that matters, and the other way.
pub fn cards(job: &Job) -> Vec<Card> {
    let other =
        |title: String, text: String, link: Option<(String, Verb)>| Card { title, text, link };
    let is_rows = matches!(job.asked, Asked::Rows { .. });
    match job.verb {
        Verb::Release => {
            let known = job.plan().map(|plan| known(plan)).unwrap_or_default();
            let text = format!("{known} {}", say!("repair-release-danger"));
            let link = is_rows.then(|| (say!("repair-settle-these"), Verb::Settle));
            vec![
                other(
                    say!("repair-release-question"),
                    text.trim().to_owned(),
                    None,
                ),
                other(
                    say!("repair-release-other"),
                    say!("repair-release-other-text"),
                    link,
                ),
            ]
        }
        Verb::Settle => {
            let link = is_rows.then(|| (say!("repair-release-these"), Verb::Release));
            vec![
                other(
                    say!("repair-settle-question"),
                    say!("repair-settle-danger"),
                    None,
                ),
                other(
                    say!("repair-settle-other"),
                    say!("repair-settle-other-text"),
                    link,
                ),
            ]
        }
        Verb::Purge => vec![
            other(
                say!("repair-purge-question"),
                say!("repair-purge-danger"),
                None,
            ),
            other(
                say!("repair-purge-other"),
                say!("repair-purge-other-text"),
                None,
            ),
        ],
        Verb::Undo => vec![
            other(
                say!("repair-undo-question"),
                say!("repair-undo-danger"),
                None,
            ),
            other(
                say!("repair-undo-other"),
                say!("repair-undo-other-text"),
                None,
            ),
        ],
    }
}

/// What the records tell of how far their requests got.
fn known(plan: &Plan) -> String {
    let items = plan.items();
    let mut said = Vec::new();
    let oldest = items.iter().filter_map(|item| item.age).max();
    if let Some(age) = oldest {
        said.push(say!(
            "repair-held-for",
            count = items.len(),
            age = span::sentence(age)
        ));
    }
    let point = items.iter().find_map(|item| item.recovery_point.as_ref());
    match point {
        Some(point) => {
            let point = escape::shown(point, NAME_CHARS);
            said.push(say!("repair-recovery-point", point = point));
        }
        None => said.push(say!("repair-not-told")),
    }
    let answered = items.iter().filter(|item| item.response_status.is_some());
    let answered = answered.count();
    if answered > 0 {
        said.push(say!("repair-has-response", count = answered));
    }
    said.join(" ")
}

pub fn warnings(plan: &Plan) -> Vec<String> {
    let warnings = plan.warnings().into_iter();
    warnings
        .map(|(warning, count)| match warning {
            Warning::MayStillRun => say!("repair-may-still-run", count = count),
            Warning::MayBeHeld => say!("repair-may-be-held", count = count),
            Warning::ErrorWithEffects => say!("repair-error-with-effects", count = count),
            Warning::LockComesBack => say!("repair-lock-comes-back", count = count),
            Warning::MayBeOfOthers => say!("repair-may-be-of-others", count = count),
        })
        .chain((plan.beyond() > 0).then(|| say!("repair-beyond", count = plan.beyond())))
        .collect()
}

pub fn plan_head(plan: &Plan) -> String {
    let changes = say!("repair-changes", count = plan.items().len());
    match plan.refused().len() {
        0 => changes,
        count => format!("{changes}, {}", say!("repair-left", count = count)),
    }
}

/// Lines of a plan: what is changed, then what is left alone.
pub fn plan_lines(plan: &Plan) -> usize {
    plan.items().len() + plan.refused().len()
}

pub fn plan_line(plan: &Plan, at: usize) -> Option<Line> {
    match plan.items().get(at) {
        Some(item) => Some(item_line(item)),
        None => {
            let refusal = plan.refused().get(at - plan.items().len())?;
            Some(refusal_line(refusal, plan.verb()))
        }
    }
}

fn item_line(item: &Item) -> Line {
    let (note, note_tone) = match item.warning {
        Some(Warning::MayStillRun) => (say!("repair-note-may-run"), Tone::Stuck),
        Some(Warning::ErrorWithEffects) => (say!("repair-note-error"), Tone::Stuck),
        Some(Warning::MayBeOfOthers) => (say!("repair-note-of-others"), Tone::Stuck),
        Some(Warning::MayBeHeld | Warning::LockComesBack) | None => {
            (say!("repair-note-guard"), Tone::Tertiary)
        }
    };
    let words = plan_words::lines(&item.change);
    let address = address_text(&item.address);
    Line {
        icon: ("act", "change"),
        icon_tone: Tone::Secondary,
        key: escape::shown(item.idempotency_key.as_ref().unwrap_or(&address), KEY_CHARS),
        is_quiet: false,
        does: does::words(&item.change),
        note,
        note_tone,
        hint: format!("{}\n{}", escape::shown(&address, 1000), words.join("\n")),
    }
}

fn refusal_line(refusal: &Refusal, verb: Verb) -> Line {
    let address = address_text(&refusal.address);
    let (icon, icon_tone) = outcome_glyph(refusal.outcome);
    Line {
        icon,
        icon_tone,
        key: escape::shown(&address, KEY_CHARS),
        is_quiet: true,
        does: say!("repair-left-as-it-is"),
        note: escape::shown(&refusal.why, KEY_CHARS),
        note_tone: match refusal.outcome {
            Outcome::Alive => Tone::Live,
            _ => Tone::Secondary,
        },
        hint: format!("{}: {}", outcome_word(refusal.outcome, verb), refusal.why),
    }
}

pub fn report_line(report: &Report, key: &KeyReport) -> Line {
    let (icon, icon_tone) = outcome_glyph(key.outcome);
    let why = key.why.as_deref().unwrap_or_default();
    Line {
        icon,
        icon_tone,
        key: escape::shown(
            key.idempotency_key.as_ref().unwrap_or(&key.address),
            KEY_CHARS,
        ),
        is_quiet: false,
        does: outcome_word(key.outcome, report.verb),
        note: escape::shown(why, KEY_CHARS),
        note_tone: Tone::Secondary,
        hint: format!(
            "{}\n{}",
            escape::shown(&key.address, 1000),
            escape::shown(why, 1000)
        ),
    }
}

/// The glyph of an outcome, and its colour.
pub fn outcome_glyph(outcome: Outcome) -> ((&'static str, &'static str), Tone) {
    match outcome {
        Outcome::Done => (("verdict", "pass"), Tone::Completed),
        Outcome::ChangedMeanwhile => (("act", "again"), Tone::Stuck),
        Outcome::Gone => (("verdict", "skipped"), Tone::Tertiary),
        Outcome::Alive => (("mark", "alive"), Tone::Live),
        Outcome::Refused => (("act", "not_allowed"), Tone::Secondary),
        Outcome::Unknown => (("verdict", "not_known"), Tone::Failed),
        Outcome::NotReached => (("verdict", "skipped"), Tone::Secondary),
    }
}

/// How long ago the records were read.
pub fn seen(plan: &Plan, now: Timestamp) -> String {
    let ago = plan.made_at().until(now).millis().max(0);
    say!("repair-seen", ago = span::column(Duration(ago)))
}

/// The label of the button that acts, and why it does not yet.
pub fn act(state: &State, job: &Job, plan: &Plan) -> (String, Option<String>) {
    let name = escape::shown(&job.name, 40);
    let count = plan.items().len();
    let is_on = crate::app::view::changes_on(state, job.store);
    if !is_on && !job.is_production && count > 0 {
        return (say!("repair-turn-on"), None);
    }
    let label = match job.verb {
        Verb::Release => say!("repair-do-release", count = count, name = name),
        Verb::Settle => say!("repair-do-settle", count = count, name = name),
        Verb::Purge => say!("repair-do-purge", count = count, name = name),
        Verb::Undo => say!("repair-do-undo", count = count, name = name),
    };
    let why = match (count, job.is_confirmed()) {
        (0, _) => Some(say!("repair-nothing-to-do")),
        (_, false) => Some(say!("repair-type-first")),
        _ => None,
    };
    (label, why)
}

/// How far a run is: counts, rate, and what it waits for.
pub fn progress(state: &State, job: &Job) -> Option<(f32, String)> {
    let Stage::Running(running) = &job.stage else {
        return None;
    };
    let progress = &running.progress;
    let done = progress.tally.total();
    let share = done as f32 / progress.of.max(1) as f32;
    let ms = running.began_at.until(state.clock.here).millis().max(1);
    let mut words = say!("repair-done-of", done = done, count = progress.of);
    if ms > 1000 {
        let rate = done.saturating_mul(1000) / ms as u64;
        words = format!("{words} · {}", say!("repair-rate", rate = rate));
    }
    if let Some(waiting) = &progress.waiting {
        words = format!("{words} · {}", escape::shown(waiting, 160));
    }
    Some((share.clamp(0.0, 1.0), words))
}

/// What the status line says of a repair that goes on behind the window.
pub fn status(state: &State) -> Option<String> {
    let job = state.repair.job.as_ref()?;
    let Stage::Running(running) = &job.stage else {
        return None;
    };
    let done = grouped(running.progress.tally.total(), Font::Text);
    let of = grouped(running.progress.of as u64, Font::Text);
    let verb = verb_word(job.verb);
    Some(say!("repair-status", verb = verb, done = done, total = of))
}

pub fn verb_word(verb: Verb) -> String {
    match verb {
        Verb::Release => say!("verb-release"),
        Verb::Settle => say!("verb-settle"),
        Verb::Purge => say!("verb-purge"),
        Verb::Undo => say!("verb-undo"),
    }
}
