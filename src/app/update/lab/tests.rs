//! What the lab's reducers make of commands, events and time.

use std::sync::Arc;

use crate::app::Named;
use crate::app::command::{
    Command, FreeCommand, LabCommand, LabSaveCommand, Move, SwitchesCommand,
};
use crate::app::effect::{Effect, LabEffect};
use crate::app::event::{AppEvent, Event, LabEvent};
use crate::app::state::{HOUSE, LabStore, Place, Room, ShownSides, Side, SidePhase, State, Theme};
use crate::app::update;
use crate::domain::Timestamp;
use crate::lab::switches::table::TIMES;
use crate::present::clock::Offset;
use crate::present::say::{Language, speak};

fn ask(state: &mut State, command: LabCommand) -> Vec<Effect> {
    update::command(state, Command::Lab(command))
}

fn tick(state: &mut State, ms: i64) {
    let event = AppEvent::Tick {
        here: Timestamp(ms),
        offset: Offset::UTC,
    };
    update::event(state, Event::App(event));
}

fn shown() -> State {
    let mut state = State::default();
    ask(&mut state, LabCommand::Show);
    state
}

/// Both sides have run, and nothing has been shown of it yet.
fn ran() -> State {
    let mut state = crate::app::tests::lab(Some(0.0));
    ask(&mut state, LabCommand::PlayPause);
    state
}

#[test]
fn it_begins_with_a_pair_that_can_be_compared() {
    let state = shown();
    assert_eq!(state.view.place, Place::Lab);
    let scenario = state.lab.scenario().expect("a scenario");
    assert_eq!((scenario.id.as_str(), state.lab.sides.len()), ("S02", 2));
    assert!(state.lab.sides[0].variant.switches.unprotected);
}

#[test]
fn a_run_asks_the_worker_and_late_news_are_dropped() {
    let mut state = shown();
    let effects = ask(&mut state, LabCommand::PlayPause);
    let [Effect::Of { store, effect }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(*store, HOUSE);
    let Effect::Lab(LabEffect::Run(job)) = effect.as_ref() else {
        panic!("{effect:?}");
    };
    assert_eq!((job.sides.len(), job.place), (2, LabStore::Own));
    let late = LabEvent::Ended {
        generation: job.generation - 1,
        side: 0,
        answer: Err("gone".to_owned().into()),
        trace: Arc::default(),
    };
    update::event(&mut state, Event::Lab(late));
    assert!(matches!(state.lab.sides[0].phase, SidePhase::Starting));
    // Another scenario ends what runs.
    let effects = ask(&mut state, LabCommand::ShowId("s03".to_owned()));
    assert!(format!("{effects:?}").contains("Stop"), "{effects:?}");
}

#[test]
fn time_passes_only_while_it_plays_and_ends_at_the_end() {
    let mut state = ran();
    tick(&mut state, 1_000);
    tick(&mut state, 1_100);
    assert!(state.lab.cursor.at > 0.0 && state.lab.cursor.is_playing);
    ask(&mut state, LabCommand::PlayPause);
    let stood = state.lab.cursor.at;
    tick(&mut state, 1_200);
    assert_eq!(state.lab.cursor.at, stood);
    ask(&mut state, LabCommand::SpeedBy(1));
    ask(&mut state, LabCommand::PlayPause);
    for n in 0..40 {
        tick(&mut state, 1_300 + n * 200);
    }
    assert!(!state.lab.cursor.is_playing);
    assert_eq!(state.lab.cursor.at, state.lab.axis.end());
    let charges: Vec<u64> = state
        .lab
        .sides
        .iter()
        .map(|side| side.moment.charges)
        .collect();
    assert_eq!(charges, [3, 1]);
    assert_eq!(state.lab.results.get("S02"), Some(&true));
    // Once more from the beginning.
    ask(&mut state, LabCommand::PlayPause);
    assert_eq!(
        (state.lab.cursor.at, state.lab.sides[0].moment.charges),
        (0.0, 0)
    );
}

#[test]
fn steps_go_from_message_to_message_and_back() {
    let mut state = ran();
    ask(&mut state, LabCommand::Start);
    let mut stops = vec![0.0];
    for _ in 0..6 {
        ask(&mut state, LabCommand::Step(1));
        stops.push(state.lab.cursor.at);
    }
    assert!(stops.windows(2).all(|pair| pair[0] < pair[1]), "{stops:?}");
    ask(&mut state, LabCommand::Step(-1));
    assert_eq!(state.lab.cursor.at, stops[5]);
    ask(&mut state, LabCommand::Seek(f64::INFINITY));
    let end = state.lab.cursor.at;
    ask(&mut state, LabCommand::Step(1));
    assert_eq!(state.lab.cursor.at, end);
}

#[test]
fn v_goes_round_by_the_room_there_is() {
    let mut state = shown();
    let mut seen = Vec::new();
    for _ in 0..3 {
        ask(&mut state, LabCommand::NextSides);
        seen.push(state.lab.shown_sides());
    }
    assert_eq!(seen, [vec![1], vec![0], vec![0, 1]]);
    ask(&mut state, LabCommand::Room(Room::One));
    assert_eq!(state.lab.shown_sides(), [0]);
    ask(&mut state, LabCommand::NextSides);
    assert_eq!(state.lab.shown, ShownSides::One(1));
    ask(&mut state, LabCommand::NextSides);
    assert_eq!(state.lab.shown_sides(), [0]);
}

#[test]
fn switches_are_changed_for_a_run_and_that_is_said() {
    let mut state = shown();
    ask(&mut state, LabCommand::Switches(SwitchesCommand::Open(1)));
    let set = SwitchesCommand::Set {
        switch: "b1",
        position: "derived".to_owned(),
    };
    ask(&mut state, LabCommand::Switches(set));
    let effects = ask(&mut state, LabCommand::Switches(SwitchesCommand::Run));
    assert!(format!("{effects:?}").contains("Derived"), "{effects:?}");
    assert!(update::is_changed(&state.lab, &state.lab.sides[1]));
    assert!(!update::is_changed(&state.lab, &state.lab.sides[0]));
    assert!(state.lab.sides[1].variant.expected.is_empty());
    assert_eq!(state.view.over, None);
    // A preset, and back to the scenario.
    ask(&mut state, LabCommand::Switches(SwitchesCommand::Open(1)));
    ask(&mut state, LabCommand::Switches(SwitchesCommand::Preset(1)));
    ask(&mut state, LabCommand::Switches(SwitchesCommand::Reset));
    ask(&mut state, LabCommand::Switches(SwitchesCommand::Run));
    assert!(!update::is_changed(&state.lab, &state.lab.sides[1]));
}

#[test]
fn a_production_store_is_no_place_for_the_lab() {
    let mut state = shown();
    assert!(update::why_not_open(&state).is_some());
    let opened = crate::app::state::Opened {
        product: "Redis 7.2".to_owned(),
        ..crate::app::state::Opened::default()
    };
    state.connection.store.ready(Arc::new(opened), Timestamp(0));
    ask(&mut state, LabCommand::Store(LabStore::Open));
    assert_eq!(state.lab.place, LabStore::Open);
    state.connection.kept.is_production = true;
    let effects = ask(&mut state, LabCommand::Run);
    assert_eq!(state.lab.place, LabStore::Own, "{effects:?}");
}

#[test]
fn the_projector_is_light_and_escape_leaves_it() {
    let mut state = shown();
    ask(&mut state, LabCommand::Projector);
    assert_eq!(state.theme(), Theme::Light);
    update::command(&mut state, Named::StepBack.command());
    assert_eq!((state.theme(), state.view.place), (Theme::Dark, Place::Lab));
}

fn press(state: &mut State, named: Named) -> Vec<Effect> {
    update::command(state, named.command())
}

#[test]
fn nothing_of_free_play_is_reached_under_the_projector() {
    let mut state = shown();
    ask(&mut state, LabCommand::Projector);
    assert!(!Named::LabFree.is_available(&state));
    ask(&mut state, LabCommand::Free(FreeCommand::Show));
    assert!(!state.lab.free.is_shown);
    // Nor by going on behind the last scenario.
    ask(&mut state, LabCommand::Move(Move::Last));
    let last = state.lab.scenarios.len() - 1;
    assert_eq!((state.lab.chosen, state.lab.free.is_shown), (last, false));
    ask(&mut state, LabCommand::Projector);
    ask(&mut state, LabCommand::Move(Move::By(1)));
    assert!(state.lab.free.is_shown);
}

#[test]
fn a_scenario_that_free_play_covers_is_not_played() {
    let mut state = ran();
    press(&mut state, Named::LabFree);
    for named in [
        Named::LabRun,
        Named::LabStart,
        Named::LabSides,
        Named::LabProjector,
        Named::LabSwitches,
        Named::LabSave,
    ] {
        assert!(!named.is_available(&state), "{named:?}");
        assert!(press(&mut state, named).is_empty(), "{named:?}");
    }
    let stood = state.lab.cursor.at;
    ask(&mut state, LabCommand::Step(1));
    assert_eq!((state.lab.cursor.at, state.view.over), (stood, None));
}

#[test]
fn escape_leaves_one_thing_after_the_other_and_then_the_lab() {
    let mut state = shown();
    press(&mut state, Named::LabFree);
    press(&mut state, Named::LabPlay);
    assert!(state.lab.free.is_at_work());
    let effects = press(&mut state, Named::StepBack);
    assert!(format!("{effects:?}").contains("StopFree"), "{effects:?}");
    assert!(state.lab.free.is_shown && !state.lab.free.is_at_work());
    press(&mut state, Named::StepBack);
    assert!(!state.lab.free.is_shown);
    press(&mut state, Named::LabPlay);
    assert!(state.lab.is_under_way());
    let effects = press(&mut state, Named::StepBack);
    assert!(format!("{effects:?}").contains("Stop"), "{effects:?}");
    let is_idle = |side: &Side| matches!(side.phase, SidePhase::Idle);
    assert!(state.lab.sides.iter().all(is_idle));
    press(&mut state, Named::LabSides);
    press(&mut state, Named::StepBack);
    assert_eq!(
        (state.lab.shown, state.view.place),
        (ShownSides::Both, Place::Lab)
    );
    press(&mut state, Named::StepBack);
    assert_ne!(state.view.place, Place::Lab);
}

#[test]
fn free_play_can_be_stopped_from_anywhere() {
    let mut state = shown();
    assert!(!Named::LabFreeStop.is_available(&state));
    press(&mut state, Named::LabFree);
    press(&mut state, Named::LabPlay);
    update::command(&mut state, Named::Settings.command());
    assert!(Named::LabFreeStop.is_available(&state));
    let effects = press(&mut state, Named::LabFreeStop);
    assert!(format!("{effects:?}").contains("StopFree"), "{effects:?}");
    assert!(!state.lab.free.is_at_work() && state.view.place == Place::Settings);
}

#[test]
fn a_time_is_typed_with_its_unit_and_keeps_its_bounds() {
    let mut state = shown();
    let switches = |state: &mut State, command| ask(state, LabCommand::Switches(command));
    switches(&mut state, SwitchesCommand::Open(1));
    let time = *TIMES
        .iter()
        .find(|time| time.id == "lease_ms")
        .expect("a time");
    let typed = |state: &mut State, text: &str| {
        let text = text.to_owned();
        switches(state, SwitchesCommand::TimeTyped { time, text });
        let form = state.lab.form.as_ref().expect("a form");
        (form.is_good(), form.switches.lease_ms)
    };
    assert_eq!(typed(&mut state, "1.5s"), (true, 1_500));
    assert_eq!(typed(&mut state, "soon"), (false, 1_500));
    assert_eq!(typed(&mut state, "5m"), (false, 1_500));
    let switches = |state: &mut State, command| ask(state, LabCommand::Switches(command));
    // What cannot be run is not run, and stays to be mended.
    assert!(switches(&mut state, SwitchesCommand::Run).is_empty());
    assert!(state.lab.form.is_some());
    switches(&mut state, SwitchesCommand::TimeBy { time, by: 1 });
    let form = state.lab.form.as_ref().expect("a form");
    assert_eq!((form.text(&time), form.is_good()), ("2s".to_owned(), true));
    let effects = switches(&mut state, SwitchesCommand::Run);
    let effects = format!("{effects:?}");
    assert!(effects.contains("lease_ms: 2000"), "{effects}");
    assert!(super::is_changed(&state.lab, &state.lab.sides[1]));
}

#[test]
fn a_run_is_saved_in_english_whatever_the_window_speaks() {
    let mut state = crate::app::tests::lab(None);
    ask(&mut state, LabCommand::Save(LabSaveCommand::Ask));
    speak(Language::Russian);
    let effects = ask(&mut state, LabCommand::Save(LabSaveCommand::Start));
    speak(Language::English);
    let effects = format!("{effects:?}");
    assert!(effects.contains("Three taps, one charge"), "{effects}");
    assert!(effects.contains("the lab’s own file"), "{effects}");
}
