//! Where a run is written to.

use crate::app::command::LabSaveCommand;
use crate::app::effect::{Effect, LabEffect, LabSaveJob};
use crate::app::state::{HOUSE, Lab, LabForm, LabSaving, Over, State};
use crate::app::view;
use crate::lab::report::{RunReport, SideReport};
use crate::present::escape;
use crate::present::say::{in_english, say};

pub fn command(state: &mut State, command: LabSaveCommand) -> Vec<Effect> {
    match command {
        LabSaveCommand::Ask => {
            let folder = state.home.trim_end_matches('/');
            let Some(scenario) = state.lab.scenario().filter(|_| state.lab.has_outcome()) else {
                return Vec::new();
            };
            let name = scenario.id.to_lowercase();
            let form = LabForm::default();
            state.lab.saving = Some(LabSaving {
                path: format!("{folder}/idemscope-{name}.{}", form.extension()),
                form,
                is_running: false,
                failure: None,
                hint: None,
            });
            state.view.over = Some(Over::LabSave);
        }
        LabSaveCommand::Form(form) => {
            if let Some(saving) = &mut state.lab.saving {
                let ending = format!(".{}", saving.form.extension());
                if let Some(stem) = saving.path.strip_suffix(&ending) {
                    saving.path = format!("{stem}.{}", form.extension());
                }
                saving.form = form;
            }
        }
        LabSaveCommand::PathTyped(text) => {
            if let Some(saving) = &mut state.lab.saving {
                saving.path = text;
                saving.failure = None;
                saving.hint = None;
            }
        }
        LabSaveCommand::Browse => {
            if let Some(saving) = &mut state.lab.saving {
                saving.hint = None;
                return vec![super::of(HOUSE, LabEffect::Browse(saving.path.clone()))];
            }
        }
        LabSaveCommand::Start => return start(state),
    }
    Vec::new()
}

fn start(state: &mut State) -> Vec<Effect> {
    let Some(report) = report(state) else {
        return Vec::new();
    };
    let Some(saving) = state
        .lab
        .saving
        .as_mut()
        .filter(|saving| !saving.is_running)
    else {
        return Vec::new();
    };
    let path = saving.path.trim().to_owned();
    if path.is_empty() {
        return Vec::new();
    }
    saving.is_running = true;
    saving.failure = None;
    let job = LabSaveJob {
        report,
        form: saving.form,
        path,
    };
    vec![super::of(HOUSE, LabEffect::Save(Box::new(job)))]
}

/// What was run, as it is saved.
fn report(state: &State) -> Option<RunReport> {
    let lab: &Lab = &state.lab;
    let scenario = lab.scenario()?;
    // What could not be run is left out.
    let sides = lab.sides.iter().filter_map(|side| {
        Some(SideReport {
            variant: side.variant.clone(),
            is_changed: super::is_changed(lab, side),
            outcome: side.outcome()?.clone(),
            trace: side.trace.clone(),
        })
    });
    Some(RunReport {
        id: scenario.id.clone(),
        title: scenario.title.english().to_owned(),
        lesson: scenario.lesson.english().to_owned(),
        // Files are in English, whatever the window speaks.
        store: in_english(|| view::lab::lab_store_place(state)),
        sides: sides.collect(),
    })
}

pub fn saved(state: &mut State, answer: Result<String, String>) -> Vec<Effect> {
    match answer {
        Ok(path) => {
            state.lab.saving = None;
            if state.view.over == Some(Over::LabSave) {
                state.view.over = None;
            }
            let file = escape::shown(&path, 120);
            vec![crate::app::update::notice(
                state,
                say!("lab-saved", file = file),
            )]
        }
        Err(why) => {
            if let Some(saving) = &mut state.lab.saving {
                saving.is_running = false;
                saving.failure = Some(why);
            }
            Vec::new()
        }
    }
}

pub fn browsed(state: &mut State, path: Option<String>) {
    if let Some(saving) = &mut state.lab.saving {
        match path {
            Some(path) => saving.path = path,
            None => saving.hint = Some(say!("export-not-chosen")),
        }
    }
}
