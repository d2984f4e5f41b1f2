//! Pictures of a repair: the plan for production, the answer of a settle, the report, the journal.

use std::sync::Arc;

use super::{NOW, check, state};
use crate::app::state::{
    AnswerForm, Asked, Changes, Job, Over, Place, RunFace, RunList, Stage, State,
};
use crate::app::tests::plan;
use crate::app::view::{ChainState, Header, KeyReport, Report, RunEnd, Tally};
use crate::domain::Duration;
use crate::domain::change::{Outcome, Verb};
use crate::ui::commands::Commands;
use crate::ui::panels::journal::{JournalMemory, journal_ui};
use crate::ui::panels::repair::{RepairMemory, repair_ui};

fn with_job(verb: Verb, stage: Stage) -> State {
    let mut state = state(Place::Locks);
    let page = state.keys.page.clone().expect("a page");
    state.clock.here = crate::domain::Timestamp(3_600_000);
    state.view.over = Some(Over::Repair);
    state.repair.job = Some(Job {
        store: state.stores.current,
        name: "payments-prod".to_owned(),
        is_production: true,
        verb,
        asked: Asked::Rows {
            snapshot: page.snapshot.clone(),
            rows: page.rows.clone(),
        },
        answer: AnswerForm {
            status: "201".to_owned(),
            body: "{\"status\": \"charged\",\n \"id\": 7".to_owned(),
        },
        stage,
        reason: "INC-2291: worker-7f9c killed, the ledger shows no charge".to_owned(),
        typed: "payments-prod".to_owned(),
        saving: None,
        shown: None,
    });
    state
}

#[track_caller]
fn check_dialog(name: &str, size: [u32; 2], state: &State) {
    let mut memory = RepairMemory::default();
    check(name, size, |ui, theme, _| {
        repair_ui(ui, theme, state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_plan_for_production() {
    let stage = Stage::Planned(Arc::new(plan(Verb::Release, 4)));
    let state = with_job(Verb::Release, stage);
    check_dialog("plan", [860, 580], &state);
}

#[test]
fn the_answer_of_a_settle() {
    let state = with_job(Verb::Settle, Stage::Answering);
    check_dialog("settle", [860, 520], &state);
}

#[test]
fn the_report() {
    let outcomes = [
        (Outcome::Done, None),
        (Outcome::ChangedMeanwhile, Some("its lease was extended")),
        (
            Outcome::Unknown,
            Some("no answer came; looked at again it is as it was to become"),
        ),
    ];
    let mut tally = Tally::default();
    let mut keys = Vec::new();
    for (at, (outcome, why)) in outcomes.into_iter().enumerate() {
        tally.add(outcome);
        keys.push(KeyReport {
            address: format!("idem:key-{at}"),
            idempotency_key: Some(format!("key-{at}")),
            outcome,
            why: why.map(str::to_owned),
        });
    }
    let report = Report {
        journal_id: Some("20261130-095400-release".to_owned()),
        verb: Verb::Release,
        target: "redis://db".to_owned(),
        planned: 3,
        tally,
        keys,
        stopped: Some("the connection was lost".to_owned()),
    };
    let state = with_job(Verb::Release, Stage::Ended(Arc::new(report)));
    check_dialog("report", [860, 360], &state);
}

#[test]
fn the_journal() {
    let mut state = State::default();
    state.clock.here = NOW;
    let verbs = [Verb::Undo, Verb::Release, Verb::Settle, Verb::Purge];
    let runs = verbs.into_iter().enumerate().map(|(at, verb)| {
        let mut tally = Tally::default();
        for outcome in [
            Outcome::Done,
            Outcome::Done,
            Outcome::Refused,
            Outcome::Unknown,
        ] {
            tally.add(outcome);
        }
        let started_at = NOW.minus(Duration::secs(3_600 * (at as i64 + 1)));
        RunFace {
            header: Header {
                id: format!("20261130-09540{at}-{}", verb.name()),
                verb,
                target: "redis://db".to_owned(),
                connection: Some("payments-prod".to_owned()),
                production: at < 2,
                login: None,
                by: Some("ada".to_owned()),
                host: Some("desk".to_owned()),
                reason: Some("INC-2291: worker-7f9c killed at 09:54".to_owned()),
                started_at,
                planned: 4,
                undoes: None,
                after: None,
            },
            end: (at != 2).then(|| RunEnd {
                at: started_at,
                tally: tally.clone(),
                stopped: None,
            }),
            tally,
            chain: match at {
                3 => ChainState::Altered(4),
                _ => ChainState::Whole,
            },
        }
    });
    let list = RunList {
        runs: runs.collect(),
        wrong: Vec::new(),
    };
    state.journal.list.ready(Arc::new(list), NOW);
    state.journal.cursor = 2;
    state.changes = Changes::ReadOnly;
    let mut memory = JournalMemory::default();
    check("journal", [960, 420], |ui, theme, rect| {
        journal_ui(ui, theme, rect, &state, &mut memory, &Commands::default());
    });
}

#[test]
fn the_dialogs_stand_any_size() {
    let stages = [
        Stage::Answering,
        Stage::Planned(Arc::new(plan(Verb::Settle, 300))),
        Stage::Making(crate::app::view::PlanProgress::default()),
    ];
    for stage in stages {
        let state = with_job(Verb::Settle, stage);
        for size in [[1, 1], [90, 60], [320, 200], [480, 300], [2000, 160]] {
            let mut memory = RepairMemory::default();
            let mut journal = JournalMemory::default();
            let mut draw = |ui: &mut egui::Ui, theme: &crate::ui::theme::Theme, rect| {
                let send = Commands::default();
                journal_ui(ui, theme, rect, &state, &mut journal, &send);
                repair_ui(ui, theme, &state, &mut memory, &send);
            };
            let pixels = super::drawn(crate::app::start::Theme::Dark, size, &mut draw);
            assert_eq!(pixels.len() as u32, size[0] * size[1]);
        }
    }
}
