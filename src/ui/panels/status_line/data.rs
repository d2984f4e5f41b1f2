//! What the status line says: what is going on, how much is shown, as of when.

use crate::app::State;
use crate::app::command::Named;
use crate::app::state::{Place, Running};
use crate::present::clock;
use crate::present::say::say;
use crate::present::span;
use crate::ui::panels::repair;

pub use super::lab::LabWork;

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
    /// A repair runs behind the window.
    pub has_repair: bool,
    /// What the lab does while another view is shown.
    pub lab: Option<LabWork>,
    /// Nothing turns.
    pub is_calm: bool,
    /// Keys that matter here, each with its word.
    pub keys: Vec<(String, String)>,
}

pub fn status_data(state: &State) -> StatusData {
    let (work, lead) = lead(state);
    StatusData {
        can_stop: state.keys.scan.running == Running::First,
        has_repair: repair::data::status(state).is_some(),
        lab: super::lab::unseen(state),
        is_calm: state.is_calm(),
        parts: parts(state),
        keys: keys(state),
        work,
        lead,
    }
}

fn lead(state: &State) -> (Work, String) {
    if let Some(words) = repair::data::status(state) {
        return (Work::Turning, words);
    }
    if state.view.place == Place::Lab {
        return super::lab::lead(state);
    }
    if state.view.place == Place::Stats {
        return super::stats::lead(state);
    }
    let connection = &state.connection;
    let scan = &state.keys.scan;
    if let Some(lost) = &connection.lost {
        let ago = span::sentence(lost.since.until(state.clock.here));
        return (
            Work::Lost,
            say!("status-lost", ago = ago, attempt = lost.attempt),
        );
    }
    if connection.store.is_loading() || state.opening().is_some() {
        return (Work::Turning, say!("status-connecting"));
    }
    if connection.store.value().is_none() {
        return (Work::Idle, say!("status-not-connected"));
    }
    if scan.running == Running::First {
        let records = scan.progress.records;
        let text = match scan.progress.share {
            Some(share) => {
                let percent = format!("{:.0} %", share.clamp(0.0, 1.0) * 100.0);
                say!("status-so-far-about", count = records, share = percent)
            }
            None => say!("status-so-far", count = records),
        };
        return (Work::Turning, text);
    }
    if let Some(failure) = &scan.failure {
        return (Work::Failed, failure.text.clone());
    }
    match (scan.read_at, scan.progress.done) {
        (None, _) => (Work::Idle, say!("status-nothing")),
        (Some(_), true) => (Work::Done, say!("status-complete")),
        (Some(_), false) => (Work::Idle, say!("status-stopped")),
    }
}

fn parts(state: &State) -> Vec<String> {
    if state.view.place == Place::Lab {
        return super::lab::parts(state);
    }
    if state.view.place == Place::Stats {
        return super::stats::parts(state);
    }
    let mut parts = Vec::new();
    let keys = &state.keys;
    if let Some(page) = &keys.page {
        let (shown, all) = (page.rows.len() as u64, page.all.total);
        if shown != all {
            parts.push(say!("status-of", shown = shown, count = all));
        } else if keys.scan.running != Running::First {
            parts.push(say!("common-records", count = all));
        }
        if page.all.counted_only > 0 {
            parts.push(say!("status-counted-only", count = page.all.counted_only));
        }
    }
    if !state.selection.is_empty() {
        parts.push(say!("status-selected", count = state.selection.len()));
    }
    if keys.scan.progress.refused > 0 {
        let refused = keys.scan.progress.refused;
        parts.push(say!("status-without-access", count = refused));
    }
    if let Some(read_at) = keys.scan.read_at {
        let at = clock::time_of_day(read_at, state.clock.here, state.clock.offset);
        parts.push(say!("status-as-of", time = at));
    }
    parts
}

fn keys(state: &State) -> Vec<(String, String)> {
    let key = |named: Named, word| (named.shortcut().text(), word);
    match state.view.place {
        Place::Connect => vec![
            ("Ctrl V".to_owned(), say!("status-key-paste")),
            ("↑↓".to_owned(), say!("status-key-choose")),
            ("Enter".to_owned(), say!("status-key-open")),
            key(Named::TestConnection, say!("status-key-test")),
            key(Named::SaveConnection, say!("status-key-save")),
            (Named::StepBack.shortcut().text(), say!("status-key-back")),
        ],
        Place::Settings => vec![
            ("Tab".to_owned(), say!("status-key-next")),
            ("Space".to_owned(), say!("status-key-choose")),
            (Named::StepBack.shortcut().text(), say!("status-key-back")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
        Place::Layouts => vec![
            ("↑↓".to_owned(), say!("status-key-source")),
            ("← →".to_owned(), say!("status-key-sample")),
            key(Named::SwitchSource, say!("status-key-read-or-not")),
            key(Named::EditLayout, say!("status-key-edit")),
            key(Named::NewLayout, say!("status-key-new")),
            key(Named::DetectAgain, say!("status-key-detect")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
        Place::Editor => vec![
            ("↑↓".to_owned(), say!("status-key-subject")),
            ("← →".to_owned(), say!("status-key-example")),
            ("Enter".to_owned(), say!("status-key-type")),
            key(Named::SaveLayout, say!("status-key-save")),
            key(Named::StepBack, say!("status-key-back")),
        ],
        Place::Lab => super::lab::keys(state),
        Place::Stats => super::stats::keys(),
        Place::Journal => vec![
            ("↑↓".to_owned(), say!("status-key-run")),
            key(Named::Undo, say!("status-key-undo")),
            key(Named::StepBack, say!("status-key-back")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
        Place::Locks => vec![
            ("↑↓".to_owned(), say!("status-key-move")),
            key(Named::Select, say!("status-key-select")),
            key(Named::AllStuck, say!("status-key-all-stuck")),
            key(Named::Release, say!("status-key-release")),
            key(Named::Settle, say!("status-key-settle")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
        Place::Keys if state.record.open.is_some() => vec![
            ("↑↓".to_owned(), say!("status-key-move")),
            key(Named::Select, say!("status-key-select")),
            key(Named::Release, say!("status-key-release")),
            key(Named::Filter, say!("status-key-filter")),
            key(Named::StepBack, say!("status-key-close")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
        Place::Keys => vec![
            ("↑↓".to_owned(), say!("status-key-move")),
            key(Named::OpenRecord, say!("status-key-open")),
            key(Named::Filter, say!("status-key-filter")),
            key(Named::ReadAgain, say!("status-key-read-again")),
            key(Named::KeysPage, say!("status-key-all-keys")),
        ],
    }
}
