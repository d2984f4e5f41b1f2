//! Repair area: from what is selected to a plan, from the plan to a run, from the run to a report.
//!
//! Invariants: only the plan that is shown is run; nothing runs while changes are off, and on a
//! production store only after its name was typed.

mod save;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::app::command::{Meant, RepairCommand};
use crate::app::effect::{Effect, PlanJob, RepairEffect, RunJob};
use crate::app::event::RepairEvent;
use crate::app::state::{
    AnswerForm, Asked, BODY_MAX, Job, Over, REASON_MAX, RunningPlan, Stage, State, Wish,
};
use crate::app::view::{self, connection_name};
use crate::domain::change::Verb;
use crate::inspect::catalogue::RowId;
use crate::ops::plan::Progress;
use crate::ops::run::{Report, RunProgress};
use crate::present::say::say;

pub fn command(state: &mut State, command: RepairCommand) -> Vec<Effect> {
    match command {
        RepairCommand::Ask(verb, meant) => ask(state, verb, meant),
        RepairCommand::Undo(run) => undo(state, run),
        RepairCommand::Instead(verb) => instead(state, verb),
        RepairCommand::StatusTyped(text) => typed(state, |job| job.answer.status = text),
        RepairCommand::BodyTyped(text) if text.len() <= BODY_MAX => {
            typed(state, |job| job.answer.body = text)
        }
        RepairCommand::BodyTyped(_) => Vec::new(),
        RepairCommand::MakePlan => make_plan(state),
        RepairCommand::ReasonTyped(text) => typed(state, |job| {
            job.reason = text.chars().take(REASON_MAX).collect()
        }),
        RepairCommand::NameTyped(text) => typed(state, |job| job.typed = text),
        RepairCommand::Run => run(state),
        RepairCommand::Pause => steer(state, Wish::Pause),
        RepairCommand::GoOn => steer(state, Wish::Go),
        RepairCommand::Stop => steer(state, Wish::Stop),
        RepairCommand::Hide => leave(state),
        RepairCommand::Show => {
            if state.repair.job.is_some() {
                state.view.over = Some(Over::Repair);
            }
            Vec::new()
        }
        RepairCommand::ShowOutcome(outcome) => typed(state, |job| job.shown = outcome),
        RepairCommand::Save(command) => save::command(state, command),
    }
}

fn typed(state: &mut State, change: impl FnOnce(&mut Job)) -> Vec<Effect> {
    if let Some(job) = &mut state.repair.job {
        change(job);
    }
    Vec::new()
}

fn ask(state: &mut State, verb: Verb, meant: Meant) -> Vec<Effect> {
    let rows: Option<Arc<[RowId]>> = match meant {
        Meant::Selected => super::select::meant(state).map(|(_, rows)| rows.into()),
        Meant::Open => view::open_row(state).map(|row| Arc::from([row])),
    };
    let (Some(rows), Some(page)) = (rows, &state.keys.page) else {
        return Vec::new();
    };
    let snapshot = page.snapshot.clone();
    begin(state, verb, Asked::Rows { snapshot, rows })
}

/// A run that has just been reported is undone on its own store, whichever is shown.
fn undo(state: &mut State, run: String) -> Vec<Effect> {
    if let Some(job) = &mut state.repair.job
        && let Stage::Ended(report) = &job.stage
        && report.journal_id.as_ref() == Some(&run)
    {
        job.verb = Verb::Undo;
        job.asked = Asked::Run(run);
        job.stage = Stage::Answering;
        job.typed.clear();
        job.shown = None;
        job.saving = None;
        return make_plan(state);
    }
    begin(state, Verb::Undo, Asked::Run(run))
}

fn begin(state: &mut State, verb: Verb, asked: Asked) -> Vec<Effect> {
    if state.repair.job.as_ref().is_some_and(Job::is_running) {
        state.view.over = Some(Over::Repair);
        return vec![super::notice(state, say!("repair-runs-already"))];
    }
    if state.connection.store.value().is_none() {
        return Vec::new();
    }
    state.repair.job = Some(Job {
        store: state.stores.current,
        name: connection_name(&state.connection),
        is_production: state.connection.kept.is_production,
        verb,
        asked,
        answer: AnswerForm::default(),
        stage: Stage::Answering,
        reason: String::new(),
        typed: String::new(),
        saving: None,
        shown: None,
    });
    state.view.over = Some(Over::Repair);
    match verb {
        Verb::Settle => Vec::new(),
        _ => make_plan(state),
    }
}

/// The same records, and the reason that was typed, with the other verb.
fn instead(state: &mut State, verb: Verb) -> Vec<Effect> {
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    if job.is_running() || matches!(job.asked, Asked::Run(_)) {
        return Vec::new();
    }
    job.verb = verb;
    job.typed.clear();
    job.saving = None;
    job.stage = Stage::Answering;
    match verb {
        Verb::Settle => Vec::new(),
        _ => make_plan(state),
    }
}

fn make_plan(state: &mut State) -> Vec<Effect> {
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    let answer = match job.verb {
        Verb::Settle => match job.answer.answer() {
            Some(answer) => Some(answer),
            None => return Vec::new(),
        },
        _ => None,
    };
    if !matches!(
        job.stage,
        Stage::Answering | Stage::Failed(_) | Stage::Planned(_)
    ) {
        return Vec::new();
    }
    state.repair.generation += 1;
    let generation = state.repair.generation;
    job.stage = Stage::Making(Progress {
        looked_at: 0,
        of: job.asked.count(),
    });
    let effect = match &job.asked {
        Asked::Rows { snapshot, rows } => RepairEffect::Plan(Box::new(PlanJob {
            generation,
            verb: job.verb,
            answer,
            snapshot: snapshot.clone(),
            rows: rows.clone(),
        })),
        Asked::Run(run) => RepairEffect::PlanUndo {
            generation,
            run: run.clone(),
        },
    };
    of_job(state, effect)
}

/// An effect of the store that the repair is of.
fn of_job(state: &State, effect: RepairEffect) -> Vec<Effect> {
    match &state.repair.job {
        Some(job) => super::stores::of(job.store, vec![Effect::Repair(effect)]),
        None => Vec::new(),
    }
}

fn run(state: &mut State) -> Vec<Effect> {
    let Some(job) = &state.repair.job else {
        return Vec::new();
    };
    let Stage::Planned(plan) = &job.stage else {
        return Vec::new();
    };
    let (store, plan) = (job.store, plan.clone());
    if plan.is_empty() || !job.is_confirmed() || job.saving.is_some() {
        return Vec::new();
    }
    if !super::changes::is_on(state, store) {
        let is_production = job.is_production;
        super::changes::turn_on(state, store);
        // Elsewhere nobody typed a name: the same key once more runs it.
        if !is_production {
            return Vec::new();
        }
    }
    let connection = kept_name(state, store);
    let began_at = state.clock.here;
    let generation = state.repair.generation;
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    let of = plan.items().len();
    job.stage = Stage::Running(Box::new(RunningPlan {
        plan: plan.clone(),
        progress: RunProgress {
            of,
            ..RunProgress::default()
        },
        began_at,
        wish: Wish::Go,
    }));
    let reason = job.reason.trim();
    let effect = RepairEffect::Run(Box::new(RunJob {
        generation,
        plan,
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
        connection,
        is_production: job.is_production,
    }));
    of_job(state, effect)
}

/// The name under which the connection of an open store is kept.
fn kept_name(state: &State, store: u64) -> Option<String> {
    let all = state.open_stores();
    let found = all.iter().find(|(id, _)| *id == store);
    found.and_then(|(_, connection)| connection.kept.name.clone())
}

pub fn steer(state: &mut State, wish: Wish) -> Vec<Effect> {
    let job = state.repair.job.as_mut();
    let Some(Stage::Running(running)) = job.map(|job| &mut job.stage) else {
        return Vec::new();
    };
    // A stop is for good.
    if running.wish == Wish::Stop || running.wish == wish {
        return Vec::new();
    }
    running.wish = wish;
    of_job(state, RepairEffect::Steer(wish))
}

/// Closes the dialog: a run goes on behind it, anything else is let go.
pub fn leave(state: &mut State) -> Vec<Effect> {
    if let Some(job) = &mut state.repair.job
        && job.saving.take().is_some()
    {
        state.view.over = Some(Over::Repair);
        return Vec::new();
    }
    state.view.over = None;
    let Some(job) = &state.repair.job else {
        return Vec::new();
    };
    match job.stage {
        Stage::Running(_) => Vec::new(),
        Stage::Making(_) => {
            let effects = of_job(state, RepairEffect::Cancel);
            state.repair.generation += 1;
            state.repair.job = None;
            effects
        }
        _ => {
            state.repair.job = None;
            Vec::new()
        }
    }
}

pub fn event(state: &mut State, event: RepairEvent) -> Vec<Effect> {
    let current = state.repair.generation;
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    match event {
        RepairEvent::Making {
            generation,
            progress,
        } if generation == current => {
            if let Stage::Making(known) = &mut job.stage {
                *known = progress;
            }
        }
        RepairEvent::Planned { generation, answer } if generation == current => {
            job.stage = match answer {
                Ok(plan) => Stage::Planned(plan),
                Err(failure) => Stage::Failed(failure),
            };
        }
        RepairEvent::Progress {
            generation,
            progress,
        } if generation == current => {
            if let Stage::Running(running) = &mut job.stage {
                running.progress = *progress;
            }
        }
        RepairEvent::Ended { generation, answer } if generation == current => {
            return ended(state, answer);
        }
        RepairEvent::Saved { generation, answer } if generation == current => {
            return save::saved(state, answer);
        }
        RepairEvent::Browsed { path } => save::browsed(state, path),
        // Of a plan that nobody waits for any more.
        _ => {}
    }
    Vec::new()
}

fn ended(state: &mut State, answer: Result<Arc<Report>, String>) -> Vec<Effect> {
    let Some(job) = &mut state.repair.job else {
        return Vec::new();
    };
    let store = job.store;
    let said = match answer {
        Ok(report) => {
            let said = view::outcome_words(&report.tally, report.verb);
            job.stage = Stage::Ended(report);
            said
        }
        Err(text) => {
            let said = text.clone();
            job.stage = Stage::Failed(crate::app::Failure {
                text,
                hint: None,
                is_connection: false,
            });
            said
        }
    };
    let mut effects = Vec::new();
    if state.view.over != Some(Over::Repair) {
        effects.push(super::notice(state, said));
    }
    // What was changed is read again; a store that waits does so when it is shown.
    if store == state.stores.current {
        effects.extend(super::keys::read_after_change(state));
        effects.extend(super::record::look_again(state));
    } else if let Some(parked) = state.stores.parked.iter_mut().find(|one| one.id == store) {
        parked.areas.keys.scan.is_owed = true;
    }
    effects.extend(super::journal::look_again(state));
    effects
}

/// A repair that is still to be stopped before the window may close.
pub fn is_under_way(state: &State) -> bool {
    let job = state.repair.job.as_ref();
    job.is_some_and(|job| match &job.stage {
        Stage::Running(running) => running.wish != Wish::Stop,
        _ => false,
    })
}
