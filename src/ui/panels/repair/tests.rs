//! What the dialog says, as text.

use std::sync::Arc;

use super::data;
use crate::app::state::{AnswerForm, Asked, Changes, Job, Stage, State};
use crate::app::tests::plan as made_up;
use crate::domain::Timestamp;
use crate::domain::change::Verb;
use crate::present::say::{Language, speak};

fn job(verb: Verb, count: usize) -> Job {
    Job {
        store: 1,
        name: "payments-prod".to_owned(),
        is_production: true,
        verb,
        asked: Asked::Run(String::new()),
        answer: AnswerForm::default(),
        stage: Stage::Planned(Arc::new(made_up(verb, count))),
        reason: String::new(),
        typed: String::new(),
        saving: None,
        shown: None,
    }
}

/// The dialog of a plan, a line for each part.
fn text(state: &State, job: &Job) -> String {
    let Stage::Planned(plan) = &job.stage else {
        panic!("no plan");
    };
    let mut lines = vec![data::title(job), data::lead(job)];
    for card in data::cards(job) {
        lines.push(format!("[{}] {}", card.title, card.text));
    }
    lines.push(data::plan_head(plan));
    for at in 0..data::plan_lines(plan) {
        let line = data::plan_line(plan, at).expect("a line");
        let seen = data::seen(plan, Timestamp(3_600_000));
        lines.push(format!(
            "- {} | {} | {} | {seen}",
            line.key, line.does, line.note
        ));
    }
    lines.extend(
        data::warnings(plan)
            .iter()
            .map(|warning| format!("! {warning}")),
    );
    let (label, why) = data::act(state, job, plan);
    lines.push(format!("({label}) {}", why.unwrap_or_default()));
    lines.join("\n")
}

#[test]
fn a_release_says_what_it_does_and_what_may_go_wrong() {
    let state = State::default();
    let mut job = job(Verb::Release, 2);
    let expected = "\
Release 2 locks in payments-prod
The next retry of each key executes again. 1 of those asked for is left alone.
[Was it already done?] The oldest is held for 3 h 12 min. The last recovery point is charge_started. \
If it was, a release does it again: a payment is charged twice. Look these keys up first.
[If it was, settle instead] Settle writes the outcome into the record, so that retries replay it \
and nothing is executed.
Plan: 2 changes, 1 left alone
- key-0 | DEL 36 B | only if unchanged | seen 3s ago
- key-1 | DEL 36 B | may still run | seen 3s ago
- idem:alive | left alone | its lease grew since it was listed: its request is alive | seen 3s ago
! 1 lock: nothing tells whether it is stuck, its request may still be running
(Release 2 in payments-prod) Type the name of the target first";
    assert_eq!(text(&state, &job), expected);
    job.typed = "payments-prod".to_owned();
    assert!(text(&state, &job).ends_with("(Release 2 in payments-prod) "));
}

#[test]
fn elsewhere_changes_are_turned_on_first() {
    let mut state = State::default();
    let mut job = job(Verb::Purge, 1);
    job.is_production = false;
    assert!(text(&state, &job).ends_with("(Turn changes on) "));
    state.changes = Changes::On { until: None };
    assert!(text(&state, &job).ends_with("(Purge 1 in payments-prod) "));
    let empty = Job {
        stage: Stage::Planned(Arc::new(made_up(Verb::Purge, 0))),
        ..job
    };
    let (_, why) = data::act(&state, &empty, &made_up(Verb::Purge, 0));
    assert_eq!(why.as_deref(), Some("There is nothing to be done"));
}

#[test]
fn it_speaks_russian() {
    speak(Language::Russian);
    let said = text(&State::default(), &job(Verb::Release, 5));
    speak(Language::English);
    assert!(
        said.starts_with("Освободить 5 блокировок в payments-prod\n"),
        "{said}"
    );
    assert!(said.contains("План: 5 изменений, 1 не трогается"), "{said}");
}
