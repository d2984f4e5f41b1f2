//! What the status line says: what is going on, how much is shown, as of when.

use crate::app::State;
use crate::app::command::Named;
use crate::app::state::{Place, Running};
use crate::present::clock;
use crate::present::count::{self, Font};
use crate::present::span;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    Idle,
    Turning,
    Done,
    Lost,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusData {
    pub work: Work,
    pub lead: String,
    pub parts: Vec<String>,
    pub can_stop: bool,
    /// Keys that matter here, each with its word.
    pub keys: Vec<(String, &'static str)>,
}

pub fn status_data(state: &State) -> StatusData {
    let (work, lead) = lead(state);
    StatusData {
        can_stop: state.keys.scan.running == Running::First,
        parts: parts(state),
        keys: keys(state),
        work,
        lead,
    }
}

fn lead(state: &State) -> (Work, String) {
    let connection = &state.connection;
    let scan = &state.keys.scan;
    if let Some(lost) = &connection.lost {
        let ago = span::sentence(lost.since.until(state.clock.here));
        return (Work::Lost, format!("Lost {ago} ago, try {}", lost.attempt));
    }
    if connection.store.is_loading() || state.opening().is_some() {
        return (Work::Turning, "Connecting…".to_owned());
    }
    if connection.store.value().is_none() {
        return (Work::Idle, "Not connected".to_owned());
    }
    if scan.running == Running::First {
        let found = count::grouped(scan.progress.records, Font::Text);
        let mut text = format!("{found} so far");
        if let Some(share) = scan.progress.share {
            text.push_str(&format!(", about {:.0} %", share.clamp(0.0, 1.0) * 100.0));
        }
        return (Work::Turning, text);
    }
    if let Some(failure) = &scan.failure {
        return (Work::Failed, failure.text.clone());
    }
    match (scan.read_at, scan.progress.done) {
        (None, _) => (Work::Idle, "Nothing to read".to_owned()),
        (Some(_), true) => (Work::Done, "Scan complete".to_owned()),
        (Some(_), false) => (Work::Idle, "Scan stopped".to_owned()),
    }
}

fn parts(state: &State) -> Vec<String> {
    let mut parts = Vec::new();
    let keys = &state.keys;
    if let Some(page) = &keys.page {
        let shown = count::grouped(page.rows.len() as u64, Font::Text);
        let all = count::grouped(page.all.total, Font::Text);
        if shown != all {
            parts.push(format!("{shown} of {all}"));
        } else if keys.scan.running != Running::First {
            parts.push(format!("{all} records"));
        }
        if page.all.counted_only > 0 {
            let only = count::grouped(page.all.counted_only, Font::Text);
            parts.push(format!("{only} counted only"));
        }
    }
    if !state.selection.is_empty() {
        let selected = count::grouped(state.selection.len() as u64, Font::Text);
        parts.push(format!("{selected} selected"));
    }
    if keys.scan.progress.refused > 0 {
        let refused = count::grouped(keys.scan.progress.refused, Font::Text);
        parts.push(format!("{refused} without access"));
    }
    if let Some(read_at) = keys.scan.read_at {
        let at = clock::time_of_day(read_at, state.clock.here, state.clock.offset);
        parts.push(format!("as of {at}"));
    }
    parts
}

fn keys(state: &State) -> Vec<(String, &'static str)> {
    let key = |named: Named, word| (named.shortcut().text(), word);
    match state.view.place {
        Place::Connect => vec![
            ("Ctrl V".to_owned(), "paste anywhere"),
            ("↑↓".to_owned(), "choose"),
            ("Enter".to_owned(), "open"),
            key(Named::TestConnection, "test"),
            key(Named::SaveConnection, "save"),
            (Named::StepBack.shortcut().text(), "back"),
        ],
        Place::Settings => vec![
            ("Tab".to_owned(), "next"),
            ("Space".to_owned(), "choose"),
            (Named::StepBack.shortcut().text(), "back"),
            key(Named::KeysPage, "all keys"),
        ],
        Place::Layouts => vec![
            ("↑↓".to_owned(), "source"),
            ("← →".to_owned(), "sample"),
            key(Named::SwitchSource, "read or not"),
            key(Named::EditLayout, "edit a copy"),
            key(Named::NewLayout, "new"),
            key(Named::DetectAgain, "detect again"),
            key(Named::KeysPage, "all keys"),
        ],
        Place::Editor => vec![
            ("↑↓".to_owned(), "what to describe"),
            ("← →".to_owned(), "example"),
            ("Enter".to_owned(), "type"),
            key(Named::SaveLayout, "save"),
            key(Named::StepBack, "back"),
        ],
        Place::Locks => vec![
            ("↑↓".to_owned(), "move"),
            key(Named::OpenRecord, "open"),
            key(Named::Grouping, "grouping"),
            key(Named::Lease, "lease"),
            key(Named::KeysPage, "all keys"),
        ],
        Place::Keys if state.record.open.is_some() => vec![
            ("↑↓".to_owned(), "move"),
            key(Named::CopyKey, "copy key"),
            key(Named::Filter, "filter"),
            key(Named::StepBack, "close"),
            key(Named::KeysPage, "all keys"),
        ],
        Place::Keys => vec![
            ("↑↓".to_owned(), "move"),
            key(Named::OpenRecord, "open"),
            key(Named::Filter, "filter"),
            key(Named::ReadAgain, "read again"),
            key(Named::KeysPage, "all keys"),
        ],
    }
}
