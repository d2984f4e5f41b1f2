//! The editor without a window: what is asked of the outside, and what is never lost.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::command::{AppCommand, Command, EditorCommand};
use crate::app::effect::{EditorEffect, Effect};
use crate::app::event::{Begun, EditorEvent, Event};
use crate::app::state::{Grouping, Over, Place, State};
use crate::app::tests::locks;
use crate::app::update;
use crate::config::layouts;
use crate::domain::Timestamp;
use crate::inspect::describe::Subjects;
use crate::layouts::trial::{self, Sample};

const GOOD: &str = "id = \"mine\"\ntitle = \"t\"\nclass = \"c\"\n[redis]\nkeys = [\"a:{key}\"]\n";

/// A state with an open store whose editor has begun with a text.
fn editing(text: &str) -> State {
    let mut state = locks(&[], None, Grouping::Flat, Timestamp(0));
    state.view.place = Place::Layouts;
    let effects = send(&mut state, EditorCommand::New);
    let [
        Effect::Editor(EditorEffect::Begin {
            generation,
            source: None,
        }),
    ] = effects.as_slice()
    else {
        panic!("{effects:?}");
    };
    let begun = Begun {
        text: text.to_owned(),
        ..Begun::default()
    };
    let event = EditorEvent::Begun {
        generation: *generation,
        subjects: Arc::new(Subjects::default()),
        begun: Box::new(begun),
    };
    update::event(&mut state, Event::Editor(event));
    state
}

fn send(state: &mut State, command: EditorCommand) -> Vec<Effect> {
    update::command(state, Command::Editor(command))
}

/// Answers the newest trial as the worker would.
fn answer(state: &mut State) -> Vec<Effect> {
    let result = trial::run(
        &state.editor.text,
        &Sample::keys(Vec::new()),
        Timestamp(0),
        &|| true,
    );
    let result = Arc::new(result.map(|trial| trial.expect("nobody stops it")));
    let trial = state.editor.trial;
    update::event(
        state,
        Event::Editor(EditorEvent::Tried {
            trial,
            result,
            sample: None,
        }),
    )
}

fn type_text(state: &mut State, text: &str) -> Vec<Effect> {
    send(state, EditorCommand::Typed(text.to_owned()))
}

#[test]
fn the_newest_text_is_tried_and_late_answers_are_dropped() {
    let mut state = editing("");
    let first = type_text(&mut state, "id = ");
    let [Effect::Editor(EditorEffect::Try { trial: first, .. })] = first.as_slice() else {
        panic!("{first:?}");
    };
    type_text(&mut state, GOOD);
    answer(&mut state);
    assert!(state.editor.tried().is_some() && !state.editor.is_trying);
    let late = EditorEvent::Tried {
        trial: *first,
        result: Arc::new(Err(crate::layouts::mistake::Mistake::default())),
        sample: None,
    };
    update::event(&mut state, Event::Editor(late));
    assert!(
        state.editor.tried().is_some(),
        "a late answer changes nothing"
    );
}

#[test]
fn a_text_with_a_mistake_is_not_saved() {
    let mut state = editing("");
    type_text(&mut state, "id = 3");
    answer(&mut state);
    assert_eq!(
        state.editor.mistake().and_then(|mistake| mistake.line),
        Some(1)
    );
    let effects = send(&mut state, EditorCommand::Save);
    assert!(effects.is_empty(), "{effects:?}");
    assert!(state.editor.failure.is_some());
}

#[test]
fn what_was_just_typed_is_saved_once_it_has_been_tried() {
    let mut state = editing("");
    type_text(&mut state, GOOD);
    assert!(send(&mut state, EditorCommand::Save).is_empty());
    let effects = answer(&mut state);
    let [Effect::Editor(EditorEffect::Save(job))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!((job.id.as_str(), job.text.as_str()), ("mine", GOOD));
    assert_eq!((&job.path, &job.over), (&None, &layouts::Over::Only(None)));
}

#[test]
fn another_file_is_asked_about_and_then_written_over() {
    let mut state = editing("");
    type_text(&mut state, GOOD);
    answer(&mut state);
    send(&mut state, EditorCommand::Save);
    let differs = EditorEvent::Differs {
        generation: state.editor.generation,
        path: PathBuf::from("mine.toml"),
    };
    update::event(&mut state, Event::Editor(differs));
    assert_eq!(state.view.over, Some(Over::OverwriteLayout));
    let effects = send(&mut state, EditorCommand::SaveOver);
    let [Effect::Editor(EditorEffect::Save(job))] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!((&job.over, state.view.over), (&layouts::Over::Any, None));
}

#[test]
fn a_saved_layout_is_looked_for_and_shown() {
    let mut state = editing(GOOD);
    let saved = EditorEvent::Saved {
        generation: state.editor.generation,
        id: "mine".to_owned(),
        path: PathBuf::from("mine.toml"),
        text: GOOD.to_owned(),
    };
    let effects = update::event(&mut state, Event::Editor(saved));
    assert!(
        effects
            .iter()
            .any(|effect| matches!(effect, Effect::Connect(_))),
        "{effects:?}"
    );
    assert_eq!(state.view.place, Place::Layouts);
    assert_eq!(state.layouts.wanted.as_deref(), Some("mine"));
}

#[test]
fn a_typed_text_is_lost_only_after_a_yes() {
    let mut state = editing("");
    type_text(&mut state, GOOD);
    let back = Command::App(AppCommand::StepBack);
    update::command(&mut state, back.clone());
    assert_eq!(
        (state.view.place, state.view.over),
        (Place::Editor, Some(Over::LeaveEditor))
    );
    update::command(&mut state, back.clone());
    assert_eq!((state.view.over, state.editor.text.as_str()), (None, GOOD));
    let effects = update::command(&mut state, Command::App(AppCommand::Quit));
    assert!(effects.is_empty(), "{effects:?}");
    update::command(&mut state, back.clone());
    // Another wish to describe something brings the text back.
    state.view.place = Place::Layouts;
    send(&mut state, EditorCommand::New);
    assert_eq!(
        (state.view.place, state.editor.text.as_str()),
        (Place::Editor, GOOD)
    );
    update::command(&mut state, back);
    let effects = send(&mut state, EditorCommand::Discard);
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(
        (state.view.place, state.editor.is_unsaved()),
        (Place::Layouts, false)
    );
}

#[test]
fn another_store_takes_the_examples_and_not_the_text() {
    let mut state = editing("");
    type_text(&mut state, GOOD);
    super::leave_store(&mut state.editor);
    assert_eq!(state.editor.text, GOOD);
    assert!(state.editor.subjects.value().is_none());
    state.view.place = Place::Layouts;
    let effects = send(&mut state, EditorCommand::New);
    let begins = effects
        .iter()
        .any(|effect| matches!(effect, Effect::Editor(EditorEffect::Begin { .. })));
    assert!(begins, "{effects:?}");
    let event = EditorEvent::Begun {
        generation: state.editor.generation,
        subjects: Arc::new(Subjects::default()),
        begun: Box::default(),
    };
    update::event(&mut state, Event::Editor(event));
    assert_eq!(state.editor.text, GOOD, "what was typed stays");
}

#[test]
fn closing_the_store_or_the_program_asks_for_the_text() {
    use crate::app::command::StoresCommand;
    let mut state = editing("");
    type_text(&mut state, GOOD);
    let close = Command::Stores(StoresCommand::CloseCurrent);
    let effects = update::command(&mut state, close);
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(state.view.over, Some(Over::LeaveEditor));
    update::command(&mut state, Command::App(AppCommand::StepBack));
    assert_eq!(state.editor.text, GOOD);
    // The text waits in a store that is not shown.
    let mut areas = crate::app::state::Areas::default();
    state.swap(&mut areas);
    state.stores.parked.push(crate::app::state::Parked {
        id: 7,
        areas,
        shown: 0,
        place: Place::Keys,
    });
    let effects = update::command(&mut state, Command::App(AppCommand::Quit));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Quit)));
    assert_eq!(
        (state.stores.current, state.editor.text.as_str()),
        (7, GOOD)
    );
    assert_eq!(state.view.over, Some(Over::LeaveEditor));
    let effects = send(&mut state, EditorCommand::Discard);
    assert!(matches!(effects.as_slice(), [Effect::Quit]), "{effects:?}");
}
