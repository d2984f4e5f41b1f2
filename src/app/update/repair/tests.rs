//! The way from a selection to a report, without a store.

use std::sync::Arc;

use super::*;
use crate::app::command::{AppCommand, ChangesCommand, Command, SaveCommand, SelectCommand};
use crate::app::effect::Effect;
use crate::app::event::Event;
use crate::app::remote::Failure;
use crate::app::state::{Changes, Grouping, SavedForm};
use crate::app::tests::{self as testing, Told};
use crate::app::update;
use crate::domain::{Duration, Timestamp};
use crate::ops::journal::Tally;

const NOW: Timestamp = Timestamp(3_600_000);

fn state() -> State {
    let told = [9, 5, 1].map(|minutes| Told {
        operation: "POST /payments",
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    let mut state = testing::locks(&told, Some(Duration::secs(60)), Grouping::Flat, NOW);
    state.home = "/home/ada".to_owned();
    state
}

fn send(state: &mut State, command: RepairCommand) -> Vec<Effect> {
    update::command(state, Command::Repair(command))
}

fn ask(state: &mut State, verb: Verb) -> Vec<Effect> {
    send(state, RepairCommand::Ask(verb, Meant::Selected))
}

fn tell(state: &mut State, event: RepairEvent) -> Vec<Effect> {
    update::event(state, Event::Repair(event))
}

/// What is asked of the store that the repair is of.
#[track_caller]
fn repair(effects: &[Effect]) -> &RepairEffect {
    let of = effects.iter().find_map(|effect| match effect {
        Effect::Of { effect, .. } => match &**effect {
            Effect::Repair(effect) => Some(effect),
            _ => None,
        },
        _ => None,
    });
    of.unwrap_or_else(|| panic!("nothing is asked: {effects:?}"))
}

fn plan(verb: Verb) -> Arc<crate::ops::Plan> {
    Arc::new(crate::ops::plan::testing::plan(verb, 2))
}

fn planned(state: &mut State, verb: Verb) {
    ask(state, verb);
    let generation = state.repair.generation;
    let answer = Ok(plan(verb));
    tell(state, RepairEvent::Planned { generation, answer });
}

fn report(outcome: crate::domain::change::Outcome) -> Arc<Report> {
    let mut tally = Tally::default();
    tally.add(outcome);
    Arc::new(Report {
        journal_id: Some("20261130-1200-release".to_owned()),
        verb: Verb::Release,
        target: "redis://db".to_owned(),
        planned: 1,
        tally,
        keys: Vec::new(),
        stopped: None,
    })
}

fn is_running(state: &State) -> bool {
    state.repair.job.as_ref().is_some_and(Job::is_running)
}

#[test]
fn what_is_selected_is_planned_else_the_row_under_the_cursor() {
    let mut state = state();
    match repair(&ask(&mut state, Verb::Release)) {
        RepairEffect::Plan(job) => assert_eq!(job.rows.len(), 1),
        other => panic!("{other:?}"),
    }
    assert_eq!(state.view.over, Some(Over::Repair));
    let effects = update::command(&mut state, Command::App(AppCommand::StepBack));
    assert!(matches!(repair_of(&effects), Some(RepairEffect::Cancel)));
    assert!(state.repair.job.is_none() && state.view.over.is_none());
    update::command(&mut state, Command::Select(SelectCommand::All));
    match repair(&ask(&mut state, Verb::Release)) {
        RepairEffect::Plan(job) => assert_eq!(job.rows.len(), 3),
        other => panic!("{other:?}"),
    }
}

fn repair_of(effects: &[Effect]) -> Option<&RepairEffect> {
    effects.iter().find_map(|effect| match effect {
        Effect::Of { effect, .. } => match &**effect {
            Effect::Repair(effect) => Some(effect),
            _ => None,
        },
        _ => None,
    })
}

#[test]
fn a_late_plan_is_not_shown() {
    let mut state = state();
    ask(&mut state, Verb::Release);
    let generation = state.repair.generation;
    update::command(&mut state, Command::App(AppCommand::StepBack));
    ask(&mut state, Verb::Purge);
    let answer = Ok(plan(Verb::Release));
    tell(&mut state, RepairEvent::Planned { generation, answer });
    let job = state.repair.job.as_ref().expect("a job");
    assert!(matches!(job.stage, Stage::Making(_)) && job.verb == Verb::Purge);
}

#[test]
fn nothing_runs_while_the_store_is_read_only() {
    let mut state = state();
    planned(&mut state, Verb::Release);
    assert!(send(&mut state, RepairCommand::Run).is_empty());
    assert!(!is_running(&state), "the first press turns changes on");
    assert!(state.changes.is_on(state.clock.here));
    send(&mut state, RepairCommand::ReasonTyped(" INC-1 ".to_owned()));
    let effects = send(&mut state, RepairCommand::Run);
    match repair(&effects) {
        RepairEffect::Run(job) => {
            assert_eq!(job.reason.as_deref(), Some("INC-1"));
            assert_eq!(job.plan, plan(Verb::Release), "the plan that was shown");
        }
        other => panic!("{other:?}"),
    }
    assert!(is_running(&state));
    assert!(send(&mut state, RepairCommand::Run).is_empty(), "once");
}

#[test]
fn production_runs_after_its_name_and_stays_on_for_a_while() {
    let mut state = state();
    state.connection.kept.is_production = true;
    state.connection.kept.name = Some("prod".to_owned());
    planned(&mut state, Verb::Release);
    send(&mut state, RepairCommand::NameTyped("pro".to_owned()));
    assert!(send(&mut state, RepairCommand::Run).is_empty());
    assert_eq!(state.changes, Changes::ReadOnly);
    send(&mut state, RepairCommand::NameTyped("prod".to_owned()));
    assert!(matches!(
        repair(&send(&mut state, RepairCommand::Run)),
        RepairEffect::Run(_)
    ));
    let left = state.changes.left(state.clock.here);
    assert_eq!(left, Some(Duration::secs(15 * 60)));
    // A new plan wants the name anew.
    let generation = state.repair.generation;
    let answer = Ok(report(crate::domain::change::Outcome::Done));
    tell(&mut state, RepairEvent::Ended { generation, answer });
    planned(&mut state, Verb::Release);
    assert!(send(&mut state, RepairCommand::Run).is_empty());
}

#[test]
fn a_run_goes_on_behind_the_window_and_says_how_it_ended() {
    let mut state = state();
    update::command(&mut state, Command::Changes(ChangesCommand::Toggle));
    planned(&mut state, Verb::Release);
    send(&mut state, RepairCommand::Run);
    update::command(&mut state, Command::App(AppCommand::StepBack));
    assert!(is_running(&state) && state.view.over.is_none());
    // Another one has to wait.
    assert!(repair_of(&ask(&mut state, Verb::Purge)).is_none());
    assert!(is_running(&state));
    update::command(&mut state, Command::App(AppCommand::StepBack));
    let generation = state.repair.generation;
    let answer = Ok(report(crate::domain::change::Outcome::Done));
    let effects = tell(&mut state, RepairEvent::Ended { generation, answer });
    let told = state.notices.list.last().map(|notice| notice.text.as_str());
    assert_eq!(told, Some("1 released"));
    let reads = effects
        .iter()
        .any(|effect| matches!(effect, Effect::Keys(_)));
    assert!(reads, "what was changed is read again: {effects:?}");
}

#[test]
fn quitting_asks_while_a_repair_runs_and_stops_it() {
    let mut state = state();
    update::command(&mut state, Command::Changes(ChangesCommand::Toggle));
    planned(&mut state, Verb::Release);
    send(&mut state, RepairCommand::Run);
    send(&mut state, RepairCommand::Hide);
    let quit = |state: &mut State, command| update::command(state, Command::App(command));
    assert!(quit(&mut state, AppCommand::Quit).is_empty());
    assert_eq!(state.view.over, Some(Over::StopRun));
    assert!(update::asks_before_closing(&state));
    let effects = quit(&mut state, AppCommand::QuitAnyway);
    assert!(matches!(repair(&effects), RepairEffect::Steer(Wish::Stop)));
    assert!(matches!(effects.last(), Some(Effect::Quit)));
    assert!(!update::asks_before_closing(&state));
    assert!(send(&mut state, RepairCommand::GoOn).is_empty(), "for good");
}

#[test]
fn a_settle_asks_for_its_answer_and_release_is_one_key_away() {
    let mut state = state();
    assert!(ask(&mut state, Verb::Settle).is_empty());
    send(&mut state, RepairCommand::StatusTyped("99".to_owned()));
    assert!(send(&mut state, RepairCommand::MakePlan).is_empty());
    send(&mut state, RepairCommand::StatusTyped("201".to_owned()));
    send(&mut state, RepairCommand::BodyTyped("{}".to_owned()));
    match repair(&send(&mut state, RepairCommand::MakePlan)) {
        RepairEffect::Plan(job) => {
            let answer = job.answer.as_ref().expect("an answer");
            assert_eq!((answer.status, answer.body.as_slice()), (201, &b"{}"[..]));
        }
        other => panic!("{other:?}"),
    }
    let generation = state.repair.generation;
    let answer = Ok(plan(Verb::Settle));
    tell(&mut state, RepairEvent::Planned { generation, answer });
    match repair(&send(&mut state, RepairCommand::Instead(Verb::Release))) {
        RepairEffect::Plan(job) => {
            assert_eq!((job.verb, job.answer.clone()), (Verb::Release, None))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plan_is_saved_where_it_was_asked_to() {
    let mut state = state();
    planned(&mut state, Verb::Release);
    let save = |state: &mut State, command| send(state, RepairCommand::Save(command));
    save(&mut state, SaveCommand::Ask(SavedForm::ReportCsv));
    let saving = |state: &State| state.repair.job.as_ref()?.saving.clone();
    assert_eq!(saving(&state), None, "there is no report yet");
    save(&mut state, SaveCommand::Ask(SavedForm::Plan));
    let path = saving(&state).map(|saving| saving.path);
    assert_eq!(
        path.as_deref(),
        Some("/home/ada/idemscope-release-plan.json")
    );
    assert!(matches!(
        repair(&save(&mut state, SaveCommand::Start)),
        RepairEffect::Save { .. }
    ));
    assert!(save(&mut state, SaveCommand::Start).is_empty(), "once");
    let generation = state.repair.generation;
    let answer = Err("A file of that name is there".to_owned());
    tell(&mut state, RepairEvent::Saved { generation, answer });
    assert!(saving(&state).is_some_and(|saving| saving.failure.is_some()));
    // Esc leaves the path, not the plan.
    update::command(&mut state, Command::App(AppCommand::StepBack));
    assert!(saving(&state).is_none() && state.view.over == Some(Over::Repair));
}

#[test]
fn a_plan_that_could_not_be_made_says_why() {
    let mut state = state();
    ask(&mut state, Verb::Release);
    let generation = state.repair.generation;
    let answer = Err(Failure {
        text: "the store refuses".to_owned(),
        hint: None,
        is_connection: false,
    });
    tell(&mut state, RepairEvent::Planned { generation, answer });
    assert!(matches!(
        repair(&send(&mut state, RepairCommand::MakePlan)),
        RepairEffect::Plan(_)
    ));
}
