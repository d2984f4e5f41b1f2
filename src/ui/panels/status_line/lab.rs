//! What the status line says of the lab: in its own view, and while it goes on unseen.
//!
//! Apart from `data` because the lab has no scan and no list.

use super::Work;
use crate::app::State;
use crate::app::command::Named;
use crate::app::state::{Place, Side, SidePhase};
use crate::app::view;
use crate::present::say::say;

/// Something of the lab that goes on behind another view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabWork {
    pub words: String,
    pub stop: String,
    pub command: Named,
}

pub fn unseen(state: &State) -> Option<LabWork> {
    let lab = &state.lab;
    if state.view.place == Place::Lab {
        return None;
    }
    if lab.free.is_at_work() {
        return Some(LabWork {
            words: say!("status-lab-free-runs"),
            stop: say!("status-lab-free-stop"),
            command: Named::LabFreeStop,
        });
    }
    lab.is_under_way().then(|| LabWork {
        words: say!("status-lab-running", id = scenario_id(state)),
        stop: say!("status-lab-stop"),
        command: Named::LabStop,
    })
}

fn scenario_id(state: &State) -> String {
    let id = state.lab.scenario().map(|scenario| scenario.id.clone());
    id.unwrap_or_default()
}

pub fn lead(state: &State) -> (Work, String) {
    let lab = &state.lab;
    if lab.free.is_shown {
        return match lab.free.is_at_work() {
            true => (Work::Turning, say!("status-lab-free-runs")),
            false => (Work::Idle, say!("status-lab-free")),
        };
    }
    let id = scenario_id(state);
    let has_failed = |side: &Side| matches!(side.phase, SidePhase::Failed(_));
    match (lab.is_under_way(), lab.has_ended()) {
        (true, _) => (Work::Turning, say!("status-lab-running", id = id)),
        (_, true) if lab.sides.iter().all(has_failed) => {
            (Work::Failed, say!("status-lab-failed", id = id))
        }
        (_, true) => (Work::Done, say!("status-lab-ran", id = id)),
        _ => (Work::Idle, say!("status-lab-not-run", id = id)),
    }
}

pub fn parts(state: &State) -> Vec<String> {
    let place = match state.lab.free.is_shown {
        true => say!("lab-store-own-file"),
        false => view::lab::lab_store_place(state),
    };
    vec![
        say!("status-lab-loopback"),
        say!("status-lab-store", store = place),
    ]
}

/// Only what does something now.
pub fn keys(state: &State) -> Vec<(String, String)> {
    let key = |named: Named, word| (named.shortcut().text(), word);
    let lab = &state.lab;
    let scenarios = ("↑↓".to_owned(), say!("status-key-scenario"));
    let all = key(Named::KeysPage, say!("status-key-all-keys"));
    if lab.free.is_shown {
        let word = match lab.free.is_at_work() {
            true => say!("status-key-free-stop"),
            false => say!("status-key-free-start"),
        };
        return vec![key(Named::LabPlay, word), scenarios, all];
    }
    let is_new = !lab.is_under_way() && !lab.has_ended();
    let word = match (is_new, lab.cursor.is_playing) {
        (true, _) => say!("status-key-lab-run"),
        (false, true) => say!("status-key-pause"),
        (false, false) => say!("status-key-play"),
    };
    let mut keys = vec![key(Named::LabPlay, word)];
    if is_new {
        keys.push(scenarios);
    }
    if lab.has_story() {
        keys.push(("← →".to_owned(), say!("status-key-step")));
    }
    if Named::LabSides.is_available(state) {
        keys.push(key(Named::LabSides, say!("status-key-sides")));
    }
    if Named::LabProjector.is_available(state) {
        keys.push(key(Named::LabProjector, say!("status-key-projector")));
    }
    keys.push(all);
    keys
}
