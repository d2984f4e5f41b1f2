//! The stats area: windows, keys behind figures, what changed between looks, files.

use std::sync::Arc;

use super::event;
use crate::app::command::{AppCommand, Command, StatsCommand, StatsExportCommand, StatsForm};
use crate::app::effect::{Effect, KeysEffect, StatsEffect, StatsFile, StatsJob, StatsSpan};
use crate::app::event::StatsEvent;
use crate::app::state::{Grouping, Over, Place, State};
use crate::app::tests as testing;
use crate::app::update;
use crate::domain::{Duration, Timestamp};
use crate::inspect::retries::looks::Looks;
use crate::stats::{Behind, Mark};

const NOW: Timestamp = Timestamp(3_600_000);

fn state() -> State {
    let told = [9, 5].map(|minutes| testing::Told {
        operation: "POST /payments",
        locked_at: Some(NOW.minus(Duration::secs(minutes * 60))),
    });
    let mut state = testing::locks(&told, None, Grouping::Flat, NOW);
    update::command(&mut state, Command::Stats(StatsCommand::Show));
    state.stats.told.ready(Arc::new(testing::retries(40)), NOW);
    state
}

fn ask(state: &mut State, command: StatsCommand) -> Vec<Effect> {
    update::command(state, Command::Stats(command))
}

fn job(effects: &[Effect]) -> StatsJob {
    let job = effects.iter().find_map(|effect| match effect {
        Effect::Stats(StatsEffect::Read(job)) => Some(*job),
        _ => None,
    });
    job.expect("a question")
}

#[test]
fn a_part_of_time_is_not_live_and_leads_back_to_the_whole() {
    let mut state = state();
    assert!(ask(&mut state, StatsCommand::Pick(5, 900)).is_empty());
    let part = job(&ask(&mut state, StatsCommand::Pick(0, 60_000)));
    assert!(matches!(part.span, StatsSpan::Between(0, 60_000)));
    assert_eq!(part.every_ms, None);
    let late = StatsEvent::Told {
        generation: part.generation - 1,
        told: Arc::new(testing::retries(3)),
    };
    event(&mut state, late);
    let shown = state.stats.told.value().expect("figures").report.entries;
    assert_eq!(shown, 40, "what nobody asks any more is not shown");
    let whole = job(&ask(&mut state, StatsCommand::Unpick));
    assert!(matches!(whole.span, StatsSpan::Last(_)));
    assert!(whole.every_ms.is_some());
}

#[test]
fn keys_behind_a_figure_become_a_filter_that_goes_away_again() {
    let mut state = state();
    state.keys.filter = "is:stuck".to_owned();
    let effects = ask(&mut state, StatsCommand::OpenKeys(Mark::Abandoned));
    let [Effect::Stats(StatsEffect::Behind { generation, mark })] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let behind = |keys: &[u64], counted| StatsEvent::Behind {
        generation: *generation,
        mark: mark.clone(),
        behind: Behind {
            keys: keys.into(),
            counted,
            factor: 1,
        },
    };
    event(&mut state, behind(&[], 0));
    assert_eq!(state.view.place, Place::Stats, "no key: the figures stay");
    let effects = event(&mut state, behind(&[3, 9], 7));
    assert_eq!(state.view.place, Place::Keys);
    assert!(state.keys.filter.is_empty());
    let list = state.keys.list.clone().expect("a list");
    assert_eq!(list.words, "7 keys left without a final answer");
    assert!(list.is_cut());
    let asks = |effect: &Effect| match effect {
        Effect::Keys(KeysEffect::Look(question)) => question.list.as_ref() == Some(&list),
        _ => false,
    };
    assert!(effects.iter().any(asks));
    let back = Command::App(AppCommand::StepBack);
    update::command(&mut state, back);
    assert_eq!(state.keys.list, None);
    update::command(&mut state, Command::App(AppCommand::GoBack));
    assert_eq!(state.view.place, Place::Stats);
}

#[test]
fn what_changed_is_kept_in_numbers_however_long_it_is_watched() {
    let mut looks = Looks::default();
    for at in 0..10_000 {
        looks.add(&Looks {
            pairs: 1,
            from: at,
            to: at + 1,
            records: 5,
            appeared: 2,
            ..Looks::default()
        });
    }
    assert_eq!((looks.pairs, looks.appeared), (10_000, 20_000));
    assert_eq!((looks.from, looks.to, looks.records), (0, 10_000, 5));
    let mut trend = crate::app::state::LockTrend::default();
    for at in 0..10_000 {
        trend.add(Timestamp(at), Duration(at));
    }
    assert_eq!(trend.ages().count(), 120);
    assert_eq!(trend.ages().last(), Some(Duration(9_999)));
}

#[test]
fn figures_are_written_where_a_person_says() {
    let mut state = state();
    state.home = "/home/ada/".to_owned();
    let export = |state: &mut State, command| ask(state, StatsCommand::Export(command));
    export(&mut state, StatsExportCommand::Ask(StatsForm::Csv));
    assert_eq!(state.view.over, Some(Over::StatsSave));
    let path = |state: &State| {
        state
            .stats
            .saving
            .as_ref()
            .map(|saving| saving.path.clone())
    };
    assert_eq!(path(&state).as_deref(), Some("/home/ada/retries.csv"));
    export(&mut state, StatsExportCommand::Form(StatsForm::Json));
    assert_eq!(path(&state).as_deref(), Some("/home/ada/retries.json"));
    let effects = export(&mut state, StatsExportCommand::Start);
    let [Effect::Stats(StatsEffect::Export { what, .. })] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert!(matches!(what, StatsFile::Json(_)));
    assert!(export(&mut state, StatsExportCommand::Start).is_empty());
    let answer = Err("A file of that name is there".to_owned());
    event(&mut state, StatsEvent::Exported { answer });
    assert!(state.view.over.is_some());
    export(&mut state, StatsExportCommand::Form(StatsForm::Picture));
    let before = state.stats.draws;
    assert!(export(&mut state, StatsExportCommand::Start).is_empty());
    assert_eq!(state.stats.draws, before + 1);
    let picture: Arc<[u8]> = Arc::from([1, 2, 3]);
    let effects = export(&mut state, StatsExportCommand::Drawn(Ok(picture)));
    assert_eq!(effects.len(), 1);
    event(&mut state, StatsEvent::Browsed { path: None });
    let hint = state
        .stats
        .saving
        .as_ref()
        .and_then(|saving| saving.hint.clone());
    assert!(hint.is_some());
    let answer = Ok("/tmp/x.png".to_owned());
    assert_eq!(event(&mut state, StatsEvent::Exported { answer }).len(), 1);
    assert_eq!(state.view.over, None);
}
