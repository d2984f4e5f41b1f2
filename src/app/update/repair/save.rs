//! Where a plan or a report is written to.

use crate::app::command::SaveCommand;
use crate::app::effect::{Effect, RepairEffect, SaveWhat};
use crate::app::state::{Job, SavedForm, Saving, Stage, State};
use crate::present::escape;
use crate::present::say::say;

pub fn command(state: &mut State, command: SaveCommand) -> Vec<Effect> {
    let folder = state.home.trim_end_matches('/').to_owned();
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    match command {
        SaveCommand::Ask(form) if what(job, form).is_some() => {
            let path = format!("{folder}/{}.{}", name(job, form), form.extension());
            job.saving = Some(Saving {
                path,
                form,
                is_running: false,
                failure: None,
                hint: None,
            });
        }
        SaveCommand::Ask(_) => {}
        SaveCommand::Form(form) => {
            if let Some(saving) = &mut job.saving {
                let ending = format!(".{}", saving.form.extension());
                if let Some(stem) = saving.path.strip_suffix(&ending) {
                    saving.path = format!("{stem}.{}", form.extension());
                }
                saving.form = form;
            }
        }
        SaveCommand::PathTyped(text) => {
            if let Some(saving) = &mut job.saving {
                saving.path = text;
                saving.failure = None;
                saving.hint = None;
            }
        }
        SaveCommand::Browse => {
            if let Some(saving) = &mut job.saving {
                saving.hint = None;
                let path = saving.path.clone();
                return super::of_job(state, RepairEffect::Browse(path));
            }
        }
        SaveCommand::Start => return start(state),
        SaveCommand::Leave => job.saving = None,
    }
    Vec::new()
}

fn name(job: &Job, form: SavedForm) -> String {
    let what = match form {
        SavedForm::Plan => "plan",
        SavedForm::ReportJson | SavedForm::ReportCsv => "report",
    };
    format!("idemscope-{}-{what}", job.verb.name())
}

/// What would be written now.
fn what(job: &Job, form: SavedForm) -> Option<SaveWhat> {
    match (&job.stage, form) {
        (Stage::Planned(plan), SavedForm::Plan) => Some(SaveWhat::Plan(plan.clone())),
        (Stage::Ended(report), SavedForm::ReportJson | SavedForm::ReportCsv) => {
            Some(SaveWhat::Report(report.clone(), form))
        }
        _ => None,
    }
}

fn start(state: &mut State) -> Vec<Effect> {
    let generation = state.repair.generation;
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    let Some(form) = job.saving.as_ref().map(|saving| saving.form) else {
        return Vec::new();
    };
    let what = what(job, form);
    let saving = job.saving.as_mut();
    let (Some(saving), Some(what)) = (saving.filter(|saving| !saving.is_running), what) else {
        return Vec::new();
    };
    let path = saving.path.trim().to_owned();
    if path.is_empty() {
        return Vec::new();
    }
    saving.is_running = true;
    saving.failure = None;
    let effect = RepairEffect::Save {
        generation,
        what,
        path,
    };
    super::of_job(state, effect)
}

pub fn saved(state: &mut State, answer: Result<String, String>) -> Vec<Effect> {
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    match answer {
        Ok(path) => {
            job.saving = None;
            let path = escape::shown(&path, 120);
            vec![crate::app::update::notice(
                state,
                say!("repair-saved", file = path),
            )]
        }
        Err(why) => {
            if let Some(saving) = &mut job.saving {
                saving.is_running = false;
                saving.failure = Some(why);
            }
            Vec::new()
        }
    }
}

pub fn browsed(state: &mut State, path: Option<String>) {
    let job = state.repair.job.as_mut();
    if let Some(saving) = job.and_then(|job| job.saving.as_mut()) {
        match path {
            Some(path) => saving.path = path,
            None => saving.hint = Some(say!("export-not-chosen")),
        }
    }
}
