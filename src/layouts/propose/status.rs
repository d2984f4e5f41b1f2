//! The cases of a proposed layout: how its status is told, by the values that were seen.
//!
//! A word that is known means what it says. Of any other value it is looked what stands beside it:
//! an answer in all of its records says that they are finished, none in any that they run. What
//! neither tells is proposed as unknown, with the question in a comment.

use super::grid::{Grid, Member};
use super::roles::{Part, Parts};
use super::text::{comment, quoted};
use crate::layouts::vocabulary::Vocabulary;

/// A case, as it will be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    pub comment: Option<String>,
    pub name: String,
    pub status: &'static str,
    pub when: Vec<String>,
}

impl Case {
    pub fn new(name: &str, status: &'static str, when: String) -> Case {
        Case {
            name: name.to_owned(),
            status,
            when: if when.is_empty() {
                Vec::new()
            } else {
                vec![when]
            },
            comment: None,
        }
    }

    pub fn because(mut self, why: impl Into<String>) -> Case {
        self.comment = Some(why.into());
        self
    }

    /// The case as TOML; `locked_at` is what a lock's case has besides.
    pub fn write(&self, form: &str, locked_at: Option<&str>, text: &mut String) {
        text.push('\n');
        if let Some(why) = &self.comment {
            text.push_str(&comment(why));
        }
        text.push_str(&format!(
            "[[{form}.case]]\nname = {}\nstatus = \"{}\"\n",
            quoted(&self.name),
            self.status
        ));
        if !self.when.is_empty() {
            text.push_str(&format!("when = [{}]\n", self.when.join(", ")));
        }
        if let Some(locked_at) = locked_at.filter(|_| self.status == "processing") {
            text.push_str(&format!("fields.locked_at = {locked_at}\n"));
        }
    }
}

/// A word without what people write differently.
pub fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// The status that a word is known for.
pub fn known(words: &Vocabulary, text: &str) -> Option<&'static str> {
    let text = plain(text);
    let lists = [
        ("processing", &words.states.processing),
        ("completed", &words.states.completed),
        ("failed", &words.states.failed),
    ];
    let found = lists
        .into_iter()
        .find(|(_, list)| list.iter().any(|word| plain(word) == text));
    found.map(|(status, _)| status)
}

pub fn cases(words: &Vocabulary, grid: &Grid, parts: &Parts) -> Vec<Case> {
    let mut cases = Vec::new();
    if let Some(state) = parts.get(grid, "state") {
        by_state(words, grid, parts, state, &mut cases);
    }
    by_flags(grid, parts, &mut cases);
    by_what_is_there(grid, parts, &mut cases);
    cases
}

/// Members that only a finished record has something in.
fn answers<'g>(grid: &'g Grid, parts: &Parts) -> Vec<&'g Member> {
    ["response_status", "completed_at", "response_body"]
        .into_iter()
        .filter_map(|role| parts.get(grid, role))
        .collect()
}

/// What stands beside a value of the state in the records that have it.
fn beside(grid: &Grid, parts: &Parts, state: &Member, value: &str) -> Option<&'static str> {
    let answers = answers(grid, parts);
    let is_answered = |record: usize| answers.iter().any(|member| member.is_filled(record));
    let (mut with, mut without) = (0, 0);
    for record in 0..grid.records {
        let here = state.values.get(record).and_then(Option::as_ref);
        if here.and_then(|value| value.text()) == Some(value) {
            match is_answered(record) {
                true => with += 1,
                false => without += 1,
            }
        }
    }
    let any = (0..grid.records).any(is_answered);
    match (with, without) {
        (_, 0) if with > 0 => Some("completed"),
        (0, _) if any => Some("processing"),
        _ => None,
    }
}

fn by_state(words: &Vocabulary, grid: &Grid, parts: &Parts, state: &Member, cases: &mut Vec<Case>) {
    let texts = state.texts();
    let path = quoted(&state.path);
    let mut guessed = Vec::new();
    for (status, name, list) in [
        ("processing", "in progress", &words.states.processing),
        ("completed", "completed", &words.states.completed),
        ("failed", "failed", &words.states.failed),
    ] {
        let seen: Vec<&str> = texts
            .iter()
            .filter(|(text, _)| known(words, text) == Some(status))
            .map(|(text, _)| *text)
            .collect();
        if !seen.is_empty() {
            let list = seen.iter().map(|word| quoted(word)).collect::<Vec<_>>();
            let when = format!("{{ of = {path}, word = [{}] }}", list.join(", "));
            cases.push(Case::new(name, status, when));
        } else if texts.iter().all(|(text, _)| known(words, text).is_some()) {
            let list = list.iter().map(|word| quoted(word)).collect::<Vec<_>>();
            let when = format!("{{ of = {path}, word = [{}] }}", list.join(", "));
            let why = "Not in the sample: the words that are usual. Leave the one that is right.";
            cases.push(Case::new(name, status, when).because(why));
        }
    }
    for (text, count) in texts
        .iter()
        .filter(|(text, _)| known(words, text).is_none())
    {
        let when = format!("{{ of = {path}, equals = {} }}", quoted(text));
        let records = super::text::records(*count);
        let (status, why) = match beside(grid, parts, state, text) {
            Some("completed") => (
                "completed",
                format!("A guess: {records} with it, each with an answer."),
            ),
            Some(status) => (
                status,
                format!("A guess: {records} with it, none with an answer."),
            ),
            None => (
                "unknown",
                format!(
                    "What does `{text}` mean? Write processing, completed or failed. {records} with it."
                ),
            ),
        };
        guessed.push(Case::new(&format!("state {text}"), status, when).because(why));
    }
    cases.extend(guessed);
    let when = format!("{{ of = {path}, present = true }}");
    cases.push(Case::new("another state", "unknown", when));
}

fn by_flags(grid: &Grid, parts: &Parts, cases: &mut Vec<Case>) {
    let asked = |member: &Member, list: &str| {
        format!("{{ of = {}, one_of = [{list}] }}", quoted(&member.path))
    };
    let (yes, no) = ("\"true\", \"1\"", "\"false\", \"0\"");
    if let Some(running) = parts.get(grid, "is_running") {
        cases.push(Case::new("running", "processing", asked(running, yes)));
    }
    if let Some(done) = parts.get(grid, "is_done") {
        cases.push(Case::new("done", "completed", asked(done, yes)));
        if !parts.has("error") {
            cases.push(Case::new("not done", "processing", asked(done, no)));
        }
    }
}

/// What tells where no state does: an answer, the time of one, a lock.
fn by_what_is_there(grid: &Grid, parts: &Parts, cases: &mut Vec<Case>) {
    let has_state = parts.has("state");
    for role in ["response_status", "completed_at", "response_body"] {
        let Some(member) = parts.get(grid, role) else {
            continue;
        };
        // A state that is always there tells it all.
        if has_state && parts.get(grid, "state").is_some_and(Member::is_in_all) {
            break;
        }
        let asked = filled(role, member);
        cases.push(Case::new(
            &format!("it has {}", words_of(role)),
            "completed",
            asked,
        ));
    }
    if has_state {
        return;
    }
    for role in ["lock_until", "locked_at"] {
        if let Some(member) = parts.get(grid, role) {
            let asked = filled(role, member);
            cases.push(Case::new(
                &format!("it has {}", words_of(role)),
                "processing",
                asked,
            ));
        }
    }
}

/// The last case: what is left when nothing tells.
pub fn rest(grid: &Grid, parts: &Parts, asked: Option<String>) -> Option<Case> {
    if parts.has("state") && parts.get(grid, "state").is_some_and(Member::is_in_all) {
        return None;
    }
    let asked = asked.unwrap_or_default();
    let answers = answers(grid, parts);
    let is_answered = |record: usize| answers.iter().any(|member| member.is_filled(record));
    let answered = (0..grid.records)
        .filter(|record| is_answered(*record))
        .count();
    let tells = parts.has("is_done") || parts.has("is_running") || parts.has("state");
    if answered > 0 && answered < grid.records && !tells {
        let why = "A guess: other records have an answer, these have none yet.";
        return Some(Case::new("no answer yet", "processing", asked).because(why));
    }
    let why = "Nothing in these records says whether they run or are finished.";
    Some(Case::new("not told", "unknown", asked).because(why))
}

fn words_of(role: &str) -> &'static str {
    match role {
        "response_status" => "a status",
        "completed_at" => "the time of its end",
        "response_body" => "an answer",
        "lock_until" => "the end of a lock",
        _ => "the time of a lock",
    }
}

/// The question whether something is there; a zero is nothing.
fn filled(role: &str, member: &Member) -> String {
    let is_number = member
        .found()
        .any(|value| matches!(value, super::grid::Value::Number(..)));
    let path = quoted(&member.path);
    match role {
        "response_status" => format!("{{ of = {path}, between = [100, 599] }}"),
        _ if is_number => format!("{{ of = {path}, between = [1, 1e18] }}"),
        _ => format!("{{ of = {path}, present = true }}"),
    }
}

/// What a lock's case says of its start: the time of the lock, else that of the record.
pub fn locked_at(grid: &Grid, parts: &Parts) -> Option<String> {
    let role = ["locked_at", "created_at"]
        .into_iter()
        .find(|role| parts.has(role))?;
    let part = parts.0.iter().find(|part| part.role == role)?;
    field(grid, part)
}

/// The value of a field, as a layout writes it.
pub fn field(grid: &Grid, part: &Part) -> Option<String> {
    let member = grid.members.get(part.member)?;
    let path = quoted(&member.path);
    let role = part.role.as_str();
    let is_time = role.ends_with("_at") || role == "lock_until";
    let unit = if is_time {
        super::roles::unit(member)
    } else {
        None
    };
    let decoding = match role {
        "response_body" | "request_body" => super::roles::decoding(member),
        _ => None,
    };
    Some(match (unit, decoding) {
        (Some(unit), _) => format!("{{ from = {path}, unit = \"{unit}\" }}"),
        (None, Some(decoder)) => format!("{{ from = {path}, decode = [\"{decoder}\"] }}"),
        (None, None) => path,
    })
}
