//! Where figures are written to, and as what.

use std::sync::Arc;

use crate::app::command::{StatsExportCommand, StatsForm};
use crate::app::effect::{Effect, StatsEffect, StatsFile};
use crate::app::state::{Over, State, StatsSaving};
use crate::app::view::told_whole;
use crate::present::escape;
use crate::present::say::say;

pub fn command(state: &mut State, command: StatsExportCommand) -> Vec<Effect> {
    match command {
        StatsExportCommand::Ask(form) => {
            if state.stats.told.value().is_none() {
                return Vec::new();
            }
            let folder = state.home.trim_end_matches('/');
            state.stats.saving = Some(StatsSaving {
                path: format!("{folder}/retries.{}", form.extension()),
                form,
                ..StatsSaving::default()
            });
            state.view.over = Some(Over::StatsSave);
        }
        StatsExportCommand::Form(form) => {
            if let Some(saving) = &mut state.stats.saving {
                let ending = format!(".{}", saving.form.extension());
                if let Some(stem) = saving.path.strip_suffix(&ending) {
                    saving.path = format!("{stem}.{}", form.extension());
                }
                saving.form = form;
            }
        }
        StatsExportCommand::PathTyped(text) => {
            if let Some(saving) = &mut state.stats.saving {
                saving.path = text;
                saving.failure = None;
                saving.hint = None;
            }
        }
        StatsExportCommand::Browse => {
            if let Some(saving) = &mut state.stats.saving {
                saving.hint = None;
                let path = saving.path.clone();
                return vec![Effect::Stats(StatsEffect::Browse(path))];
            }
        }
        StatsExportCommand::Start => return start(state),
        StatsExportCommand::Drawn(picture) => return drawn(state, picture),
    }
    Vec::new()
}

fn start(state: &mut State) -> Vec<Effect> {
    let told = told_whole(state).map(Arc::new);
    let Some(saving) = &mut state.stats.saving else {
        return Vec::new();
    };
    let path = saving.path.trim().to_owned();
    if saving.is_running || path.is_empty() {
        return Vec::new();
    }
    saving.is_running = true;
    saving.failure = None;
    let what = match (saving.form, told) {
        (StatsForm::Csv, Some(told)) => StatsFile::Csv(told),
        (StatsForm::Json, Some(told)) => StatsFile::Json(told),
        // The window draws it, then it is written.
        (StatsForm::Picture, _) | (_, None) => {
            state.stats.draws += 1;
            return Vec::new();
        }
    };
    vec![Effect::Stats(StatsEffect::Export { what, path })]
}

fn drawn(state: &mut State, picture: Result<Arc<[u8]>, String>) -> Vec<Effect> {
    let Some(saving) = &state.stats.saving else {
        return Vec::new();
    };
    match picture {
        Ok(picture) => vec![Effect::Stats(StatsEffect::Export {
            what: StatsFile::Picture(picture),
            path: saving.path.trim().to_owned(),
        })],
        Err(why) => written(state, Err(why)),
    }
}

pub fn browsed(state: &mut State, path: Option<String>) {
    if let Some(saving) = &mut state.stats.saving {
        match path {
            Some(path) => saving.path = path,
            None => saving.hint = Some(say!("export-not-chosen")),
        }
    }
}

pub fn written(state: &mut State, answer: Result<String, String>) -> Vec<Effect> {
    match answer {
        Ok(path) => {
            state.stats.saving = None;
            if state.view.over == Some(Over::StatsSave) {
                state.view.over = None;
            }
            let path = escape::shown(&path, 120);
            vec![crate::app::update::notice(
                state,
                say!("stats-exported", path = path),
            )]
        }
        Err(why) => {
            if let Some(saving) = &mut state.stats.saving {
                saving.is_running = false;
                saving.failure = Some(why);
            }
            Vec::new()
        }
    }
}
