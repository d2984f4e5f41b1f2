//! Editor area: what a layout is written for, its text, saving it.
//!
//! Invariant: a text that a person typed is lost only after they said so.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::command::{AppCommand, EditorCommand, Move, StoresCommand};
use crate::app::effect::{EditorEffect, Effect, SaveJob};
use crate::app::event::EditorEvent;
use crate::app::state::{EditedFile, Editor, Over, Place, State, StoreId, Then, Tried};
use crate::config::layouts::Over as WriteOver;
use crate::inspect::describe::{Sampled, Subjects};
use crate::present::say::say;

/// No layout is longer.
pub const TEXT_BYTES_MAX: usize = 256 << 10;

pub fn command(state: &mut State, command: EditorCommand) -> Vec<Effect> {
    match command {
        EditorCommand::New => begin(state, |generation| EditorEffect::Begin {
            generation,
            source: None,
        }),
        EditorCommand::EditChosen => edit_chosen(state),
        EditorCommand::EditFile(path) => begin(state, move |generation| EditorEffect::OpenFile {
            generation,
            path,
        }),
        EditorCommand::PointAt(at) => point_at(state, at),
        EditorCommand::Move(step) => {
            let editor = &state.editor;
            let count = editor
                .subjects
                .value()
                .map_or(0, |subjects| subjects.list.len());
            let place = editor.chosen.map(|at| at as u64);
            match step.from(place, count as u64) {
                Some(to) => point_at(state, usize::try_from(to).unwrap_or_default()),
                None => Vec::new(),
            }
        }
        EditorCommand::Typed(text) => {
            if text.len() > TEXT_BYTES_MAX {
                return vec![super::notice(state, say!("editor-too-long"))];
            }
            state.editor.text = text;
            state.editor.is_proposal = false;
            state.editor.failure = None;
            try_it(state)
        }
        EditorCommand::Propose => {
            state.editor.is_proposal = true;
            match state.editor.chosen {
                Some(at) => point_at(state, at),
                None => Vec::new(),
            }
        }
        EditorCommand::Example(by) => {
            let editor = &mut state.editor;
            let place = Some(editor.example as u64);
            if let Some(to) = Move::By(by).from(place, editor.examples()) {
                editor.example = usize::try_from(to).unwrap_or_default();
            }
            Vec::new()
        }
        EditorCommand::FocusText => {
            state.editor.focus_text += 1;
            Vec::new()
        }
        EditorCommand::Save => save(state, false),
        EditorCommand::SaveOver => {
            state.view.over = None;
            save(state, true)
        }
        EditorCommand::Discard => {
            state.view.over = None;
            state.editor.text = state.editor.kept.clone();
            leave(state)
        }
    }
}

/// Opens the editor; a text that is not saved yet comes back instead of a new one.
fn begin(state: &mut State, effect: impl FnOnce(u64) -> EditorEffect) -> Vec<Effect> {
    if state.connection.store.value().is_none() {
        return Vec::new();
    }
    state.view.place = Place::Editor;
    if state.editor.is_unsaved() {
        let mut effects = vec![super::notice(state, say!("editor-unsaved-first"))];
        let editor = &mut state.editor;
        // Another store was opened since.
        if editor.subjects.value().is_none() {
            editor.subjects.loading();
            editor.generation += 1;
            let generation = editor.generation;
            let source = None;
            effects.push(Effect::Editor(EditorEffect::Begin { generation, source }));
        }
        return effects;
    }
    let old = std::mem::take(&mut state.editor);
    let editor = &mut state.editor;
    *editor = Editor {
        generation: old.generation + 1,
        trial: old.trial + 1,
        revision: old.revision + 1,
        focus_text: old.focus_text,
        ..Editor::default()
    };
    editor.subjects.loading();
    vec![Effect::Editor(effect(editor.generation))]
}

fn edit_chosen(state: &mut State) -> Vec<Effect> {
    if state.view.place == Place::Editor {
        state.editor.focus_text += 1;
        return Vec::new();
    }
    let Some(source) = super::layouts::chosen(state).map(|source| source.name()) else {
        return Vec::new();
    };
    begin(state, |generation| EditorEffect::Begin {
        generation,
        source: Some(source),
    })
}

/// Takes a sample of another subject; a text that was typed stays.
fn point_at(state: &mut State, at: usize) -> Vec<Effect> {
    let editor = &mut state.editor;
    let Some(subjects) = editor.subjects.value().cloned() else {
        return Vec::new();
    };
    if at >= subjects.list.len() {
        return Vec::new();
    }
    editor.chosen = Some(at);
    editor.generation += 1;
    editor.sample.loading();
    let proposes = editor.is_proposal || editor.text.is_empty();
    vec![Effect::Editor(EditorEffect::Sample {
        generation: editor.generation,
        subjects,
        at,
        proposes,
    })]
}

/// Asks what the text makes of the sample; the newest question counts.
fn try_it(state: &mut State) -> Vec<Effect> {
    let now = state.now();
    let editor = &mut state.editor;
    editor.trial += 1;
    editor.is_trying = true;
    vec![Effect::Editor(EditorEffect::Try {
        trial: editor.trial,
        text: Arc::from(editor.text.as_str()),
        sample: editor.sample.value().cloned(),
        now,
    })]
}

fn save(state: &mut State, is_over: bool) -> Vec<Effect> {
    let editor = &mut state.editor;
    if editor.is_saving || state.view.place != Place::Editor {
        return Vec::new();
    }
    if editor.is_trying {
        editor.wants_save = true;
        return Vec::new();
    }
    let id = match editor.tried() {
        Some(trial) => trial.layout.id.to_string(),
        None => {
            editor.failure = Some(say!("editor-mend-first"));
            return Vec::new();
        }
    };
    let known = editor.file.as_ref().map(|file| file.text.clone());
    editor.is_saving = true;
    editor.failure = None;
    vec![Effect::Editor(EditorEffect::Save(Box::new(SaveJob {
        generation: editor.generation,
        id,
        text: editor.text.clone(),
        path: editor.file.as_ref().map(|file| file.path.clone()),
        over: match is_over {
            true => WriteOver::Any,
            false => WriteOver::Only(known),
        },
    })))]
}

/// Another store was opened: its records are no examples of what is written, and a text that is not
/// saved stays.
pub fn leave_store(editor: &mut Editor) {
    let old = std::mem::take(editor);
    *editor = Editor {
        generation: old.generation + 1,
        trial: old.trial + 1,
        revision: old.revision,
        focus_text: old.focus_text,
        ..Editor::default()
    };
    if old.is_unsaved() {
        editor.text = old.text;
        editor.kept = old.kept;
        editor.file = old.file;
    }
}

/// The store, of all that are open, with a text that is not saved; the one that is shown first.
pub fn unsaved(state: &State) -> Option<StoreId> {
    if state.editor.is_unsaved() {
        return Some(state.stores.current);
    }
    let mut parked = state.stores.parked.iter();
    let found = parked.find(|parked| parked.areas.editor.is_unsaved());
    found.map(|parked| parked.id)
}

/// Shows the text that would be lost, and asks.
pub fn ask_before(state: &mut State, then: Then) -> Vec<Effect> {
    let Some(store) = unsaved(state) else {
        return Vec::new();
    };
    let effects = match store == state.stores.current {
        true => Vec::new(),
        false => super::stores::show(state, store),
    };
    state.view.place = Place::Editor;
    state.view.over = Some(Over::LeaveEditor);
    state.editor.then = then;
    effects
}

/// One step back: a text that would be lost is asked about.
pub fn step_back(state: &mut State) -> Vec<Effect> {
    if state.editor.is_unsaved() {
        state.view.over = Some(Over::LeaveEditor);
        return Vec::new();
    }
    leave(state)
}

fn leave(state: &mut State) -> Vec<Effect> {
    match std::mem::take(&mut state.editor.then) {
        Then::Leave => {}
        Then::CloseStore => {
            return super::stores::command(state, StoresCommand::CloseCurrent);
        }
        // Another store may have a text, too.
        Then::Quit => return super::app::command(state, AppCommand::Quit),
    }
    state.view.place = Place::Layouts;
    Vec::new()
}

pub fn event(state: &mut State, event: EditorEvent) -> Vec<Effect> {
    let here = state.clock.here;
    let editor = &mut state.editor;
    match event {
        EditorEvent::Begun {
            generation,
            subjects,
            begun,
        } if generation == editor.generation => {
            editor.subjects.ready(subjects.clone(), here);
            editor.chosen = begun.subject;
            // A text that came from another store stays.
            if !editor.is_unsaved() {
                editor.file = begun.file;
                take_text(editor, begun.text, begun.is_proposal);
            }
            match (begun.sample, begun.subject) {
                (Some(sample), _) => sampled(state, sample, None),
                (None, None) if !editor.text.is_empty() => try_it(state),
                (None, at) => begin_at(state, &subjects, at),
            }
        }
        EditorEvent::Sampled {
            generation,
            sample,
            text,
        } if generation == editor.generation => sampled(state, sample, text),
        EditorEvent::Failed {
            generation,
            failure,
        } if generation == editor.generation => {
            match editor.subjects.value() {
                Some(_) => editor.sample.failed(failure),
                None => editor.subjects.failed(failure),
            }
            Vec::new()
        }
        EditorEvent::Tried {
            trial,
            result,
            sample,
        } if trial == editor.trial => {
            if let Some(sample) = sample {
                editor.sample.ready(sample, here);
            }
            tried(state, result)
        }
        EditorEvent::Saved {
            generation,
            id,
            path,
            text,
        } if generation == editor.generation => saved(state, id, path, text),
        EditorEvent::Differs { generation, path } if generation == editor.generation => {
            editor.is_saving = false;
            editor.differs = Some(path);
            state.view.over = Some(Over::OverwriteLayout);
            Vec::new()
        }
        EditorEvent::NotSaved { generation, why } if generation == editor.generation => {
            editor.is_saving = false;
            editor.failure = Some(why);
            Vec::new()
        }
        // Of a wish that is over.
        _ => Vec::new(),
    }
}

fn tried(state: &mut State, result: Arc<Tried>) -> Vec<Effect> {
    let editor = &mut state.editor;
    editor.is_trying = false;
    editor.result = Some(result);
    let last = editor.examples().saturating_sub(1);
    editor.example = editor
        .example
        .min(usize::try_from(last).unwrap_or_default());
    if editor.failure.is_some() && editor.tried().is_some() {
        editor.failure = None;
    }
    match std::mem::take(&mut editor.wants_save) {
        true => save(state, false),
        false => Vec::new(),
    }
}

/// The first sample of an editor that was opened without one.
fn begin_at(state: &mut State, subjects: &Arc<Subjects>, at: Option<usize>) -> Vec<Effect> {
    match at.or((!subjects.list.is_empty()).then_some(0)) {
        Some(at) => point_at(state, at),
        None => Vec::new(),
    }
}

fn sampled(state: &mut State, sample: Arc<Sampled>, text: Option<String>) -> Vec<Effect> {
    let here = state.clock.here;
    let editor = &mut state.editor;
    editor.sample.ready(sample, here);
    editor.example = 0;
    if let Some(text) = text {
        take_text(editor, text, true);
    }
    try_it(state)
}

/// A text from elsewhere than the keyboard: nothing of it can be lost.
fn take_text(editor: &mut Editor, text: String, is_proposal: bool) {
    editor.kept = text.clone();
    editor.text = text;
    editor.is_proposal = is_proposal;
    editor.revision += 1;
    editor.failure = None;
}

/// The store is looked at again with the layout, and its source is shown.
fn saved(state: &mut State, id: String, path: PathBuf, text: String) -> Vec<Effect> {
    let editor = &mut state.editor;
    editor.is_saving = false;
    editor.kept = text.clone();
    let file = path.display().to_string();
    editor.file = Some(EditedFile { path, text });
    let mut effects = vec![super::notice(state, say!("editor-saved", file = file))];
    // What was typed meanwhile is not saved: it stays in sight.
    if state.editor.is_unsaved() {
        return effects;
    }
    state.view.place = Place::Layouts;
    effects.extend(super::connect::look_again_for(state, id));
    effects
}

#[cfg(test)]
mod tests;
