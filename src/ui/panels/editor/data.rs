//! What the editor of layouts says: what there is to describe, what is wrong with the text, and what
//! the text makes of an example.

use std::sync::Arc;

use crate::app::State;
use crate::app::state::Editor;
use crate::app::view::{Decoded, Example, NotRead, Outcome, Sampled, Stored, Trial};
use crate::domain::raw::Ttl;
use crate::domain::stuck::judge;
use crate::domain::{Duration, Stuck};
use crate::present::count::{self, Font};
use crate::present::say::say;
use crate::present::words::Standing;
use crate::present::{escape, span};
use crate::ui::panels::record::facts::{self, Fact};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorData {
    pub subjects: Vec<SubjectItem>,
    pub looked_at: String,
    /// What stands in place of the subjects.
    pub quiet: Option<String>,
    pub title: String,
    pub file: String,
    pub is_unsaved: bool,
    /// What is wrong with the text, by its line.
    pub marks: Vec<Mark>,
    pub verdict: Verdict,
    pub can_propose: bool,
    pub example: Option<ExampleData>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectItem {
    pub at: usize,
    pub place: String,
    pub count: String,
    /// The layout that reads it, or why it is not read.
    pub note: String,
    pub is_chosen: bool,
}

/// A sentence about a line; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    pub line: usize,
    pub text: String,
}

/// What the foot says of the whole text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub text: String,
    pub mood: Mood,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    #[default]
    Quiet,
    Good,
    Doubtful,
    Wrong,
}

/// One key or row: as it is stored, and what it is read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleData {
    pub title: String,
    pub address: String,
    /// Its place in the sample, for what is stored.
    pub at: usize,
    pub about: String,
    pub standing: Option<(Standing, String)>,
    /// Why it is not read.
    pub words: Option<String>,
    pub facts: Vec<Fact>,
}

pub fn editor_data(state: &State) -> EditorData {
    let editor = &state.editor;
    let trial = editor.tried();
    EditorData {
        subjects: subjects(state),
        looked_at: looked_at(state),
        quiet: quiet(editor),
        title: match trial {
            Some(trial) => trial.layout.id.to_string(),
            None => say!("editor-title"),
        },
        file: match &editor.file {
            Some(file) => escape::shown(&file.path.display().to_string(), 200),
            None => say!("editor-new-file"),
        },
        is_unsaved: editor.is_unsaved(),
        marks: marks(editor),
        verdict: verdict(editor),
        can_propose: editor.chosen.is_some() && !editor.is_proposal,
        example: example(state),
    }
}

fn subjects(state: &State) -> Vec<SubjectItem> {
    let editor = &state.editor;
    let Some(subjects) = editor.subjects.value() else {
        return Vec::new();
    };
    let items = subjects
        .list
        .iter()
        .enumerate()
        .map(|(at, subject)| SubjectItem {
            at,
            place: escape::shown(&subject.place, 160),
            count: subject
                .count
                .map_or_else(String::new, |count| count::short(count, Font::Mono)),
            note: match (subject.readable, &subject.reader) {
                (false, _) => say!("editor-no-right"),
                (true, Some(layout)) => layout.clone(),
                (true, None) => refusal(state, &subject.place),
            },
            is_chosen: editor.chosen == Some(at),
        });
    items.collect()
}

/// Why detection does not take a place.
fn refusal(state: &State, place: &str) -> String {
    let opened = state.connection.store.value();
    let mut refused = opened.iter().flat_map(|opened| &opened.refused);
    let refused = refused.find(|refused| refused.place == place);
    refused.map_or_else(String::new, |refused| escape::shown(&refused.why, 120))
}

fn looked_at(state: &State) -> String {
    let subjects = state.editor.subjects.value();
    let opened = state.connection.store.value();
    match (subjects, opened) {
        (Some(subjects), Some(opened)) if opened.sampled_word == "tables" => {
            say!("editor-of-tables", count = subjects.sampled)
        }
        (Some(subjects), _) => say!("editor-of-keys", count = subjects.sampled),
        _ => String::new(),
    }
}

fn quiet(editor: &Editor) -> Option<String> {
    if let Some(failure) = editor.subjects.failure() {
        return Some(failure.text.clone());
    }
    match editor.subjects.value() {
        None => Some(say!("editor-looking")),
        Some(subjects) if subjects.list.is_empty() => Some(say!("editor-nothing-here")),
        Some(_) => None,
    }
}

fn marks(editor: &Editor) -> Vec<Mark> {
    let faults = editor.tried().into_iter().flat_map(|trial| &trial.faults);
    editor
        .mistake()
        .into_iter()
        .chain(faults)
        .filter_map(|mistake| {
            Some(Mark {
                line: mistake.line?,
                text: escape::shown(&mistake.text, 300),
            })
        })
        .collect()
}

fn verdict(editor: &Editor) -> Verdict {
    let told = |text, mood| Verdict { text, mood };
    if let Some(failure) = &editor.failure {
        return told(failure.clone(), Mood::Wrong);
    }
    if let Some(failure) = editor.sample.failure() {
        return told(failure.text.clone(), Mood::Wrong);
    }
    if let Some(mistake) = editor.mistake() {
        let text = escape::shown(&mistake.text, 300);
        let text = match mistake.line {
            Some(line) => say!("editor-at-line", line = line.to_string(), text = text),
            None => text,
        };
        return told(text, Mood::Wrong);
    }
    match editor.tried() {
        None => Verdict::default(),
        Some(trial) => match trial.faults.first() {
            Some(fault) => told(escape::shown(&fault.text, 300), Mood::Doubtful),
            None => summary(trial),
        },
    }
}

/// How many examples are read, and what keeps the first of the others from it.
fn summary(trial: &Trial) -> Verdict {
    let all = trial.examples.len();
    let missed: Vec<NotRead> = trial
        .examples
        .iter()
        .filter_map(|example| match example.outcome {
            Outcome::Not(why) => Some(why),
            Outcome::Read(_) => None,
        })
        .collect();
    let read = all - missed.len();
    match (all, missed.first()) {
        (0, _) => Verdict {
            text: say!("editor-no-examples"),
            mood: Mood::Quiet,
        },
        (_, None) => Verdict {
            text: say!("editor-all-read", count = all),
            mood: Mood::Good,
        },
        (_, Some(why)) => Verdict {
            text: say!(
                "editor-some-read",
                read = read,
                count = all,
                why = why_words(*why)
            ),
            mood: Mood::Doubtful,
        },
    }
}

fn why_words(why: NotRead) -> String {
    match why {
        NotRead::Name => say!("editor-not-name"),
        NotRead::Side => say!("editor-not-side"),
        NotRead::Type => say!("editor-not-type"),
        NotRead::Missing => say!("editor-not-missing"),
        NotRead::Form => say!("editor-not-form"),
        NotRead::NoRecord => say!("editor-not-record"),
        NotRead::Table => say!("editor-not-table"),
    }
}

fn example(state: &State) -> Option<ExampleData> {
    let editor = &state.editor;
    let sampled: &Arc<Sampled> = editor.sample.value()?;
    let tried = editor
        .tried()
        .and_then(|trial| trial.examples.get(editor.example));
    let at = tried.map_or(editor.example, |example| example.at);
    let stored = sampled.stored.get(at)?;
    let title = say!(
        "editor-example",
        number = editor.example + 1,
        count = editor.examples()
    );
    let mut data = ExampleData {
        title,
        address: String::new(),
        at,
        about: about(stored),
        standing: None,
        words: Some(say!("editor-mend-to-read")),
        facts: Vec::new(),
    };
    if let Some(example) = tried {
        fill(state, example, &mut data);
    }
    Some(data)
}

fn fill(state: &State, example: &Example, data: &mut ExampleData) {
    data.address = escape::shown(&example.address, 300);
    match &example.outcome {
        Outcome::Not(why) => data.words = Some(why_words(*why)),
        Outcome::Read(decoded) => {
            data.words = None;
            data.standing = Some(standing(state, decoded));
            data.facts = decoded_facts(state, decoded);
        }
    }
}

fn standing(state: &State, decoded: &Decoded) -> (Standing, String) {
    let now = state.now();
    let record = &decoded.record;
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let stuck = verdict.map_or(Stuck::CannotTell, |verdict| verdict.stuck);
    let standing = Standing::of(record.status, stuck, record.expired(now));
    let case = decoded.case.as_deref().unwrap_or_default();
    (standing, escape::shown(case, 80))
}

/// What tells whose key it is, then the facts, then what only an opened record has.
fn decoded_facts(state: &State, decoded: &Decoded) -> Vec<Fact> {
    let record = &decoded.record;
    let now = state.now();
    let scope = record.scope_text();
    let operation = match (&record.method, &record.path) {
        (Some(method), Some(path)) => Some(format!("{method} {path}")),
        (method, path) => method.clone().or(path.clone()).or(record.operation.clone()),
    };
    let named = [
        (say!("editor-key"), &record.idempotency_key),
        (say!("editor-key-digest"), &record.key_digest),
        (say!("editor-scope"), &scope),
        (say!("editor-operation"), &operation),
    ];
    let mut list: Vec<Fact> = named
        .into_iter()
        .filter_map(|(label, value)| Some(plain(label, value.as_deref()?)))
        .collect();
    let verdict = record.lock.as_ref().map(|lock| judge(lock, now));
    let mut facts = facts::facts(record, None, verdict, now, state.clock.offset);
    // Status first, address and problems last: two of them stand above already.
    let problems = facts.split_off(facts.len().saturating_sub(record.problems.len()));
    facts.pop();
    list.extend(facts.into_iter().skip(1));
    for (name, value) in &decoded.extra {
        list.push(plain(extra_label(name), value));
    }
    list.extend(problems);
    list
}

fn extra_label(name: &str) -> String {
    match name {
        "response_body" => say!("editor-body"),
        "response_headers" => say!("editor-headers"),
        "request_body" => say!("editor-request"),
        "error" => say!("editor-error"),
        "owner" => say!("editor-owner"),
        "recovery_point" => say!("editor-recovery"),
        other => other.to_owned(),
    }
}

fn plain(label: String, value: &str) -> Fact {
    Fact {
        label,
        value: escape::shown(value, 300),
        note: String::new(),
        source: String::new(),
    }
}

/// `string, 171 B, TTL 23h 59m`.
fn about(stored: &Stored) -> String {
    let mut parts = vec![stored.kind.to_owned()];
    parts.extend(stored.bytes.map(count::bytes));
    match stored.ttl {
        Ttl::Left(left) => parts.push(format!("TTL {}", span::column(Duration(left)))),
        Ttl::Never => parts.push(say!("editor-no-ttl")),
        Ttl::Unknown => {}
    }
    parts.join(", ")
}
