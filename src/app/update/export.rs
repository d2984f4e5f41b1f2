//! Export area: where to, in which form, how far it has come.

use crate::app::command::ExportCommand;
use crate::app::effect::{Effect, ExportEffect, ExportJob};
use crate::app::event::ExportEvent;
use crate::app::state::{ExportForm, Over, State};
use crate::app::view;
use crate::present::say::say;

pub fn command(state: &mut State, command: ExportCommand) -> Vec<Effect> {
    match command {
        ExportCommand::Ask => {
            if state.export.path.is_empty() {
                let extension = state.export.form.extension();
                let folder = state.home.trim_end_matches('/');
                state.export.path = format!("{folder}/idempotency-keys.{extension}");
            }
            state.export.failure = None;
            state.export.hint = None;
            state.view.over = Some(Over::Export);
        }
        ExportCommand::PathTyped(text) => {
            state.export.path = text;
            state.export.hint = None;
        }
        ExportCommand::Browse => {
            state.export.hint = None;
            let path = state.export.path.clone();
            return vec![Effect::Export(ExportEffect::Browse(path))];
        }
        ExportCommand::Form(form) => change_form(state, form),
        ExportCommand::Start => return start(state),
        ExportCommand::Cancel => {
            state.export.generation += 1;
            if state.export.running.take().is_some() {
                return vec![Effect::Export(ExportEffect::Cancel)];
            }
        }
    }
    Vec::new()
}

/// The name keeps up with the form.
fn change_form(state: &mut State, form: ExportForm) {
    let export = &mut state.export;
    let ending = format!(".{}", export.form.extension());
    if let Some(stem) = export.path.strip_suffix(&ending) {
        export.path = format!("{stem}.{}", form.extension());
    }
    export.form = form;
}

fn start(state: &mut State) -> Vec<Effect> {
    let Some(page) = state.keys.page.as_ref() else {
        return Vec::new();
    };
    let path = state.export.path.trim().to_owned();
    if path.is_empty() || state.export.running.is_some() {
        return Vec::new();
    }
    let (snapshot, now) = (page.snapshot.clone(), state.now());
    let rows = view::rows_of(page, state.view.place);
    let export = &mut state.export;
    export.generation += 1;
    export.running = Some(0);
    export.failure = None;
    vec![Effect::Export(ExportEffect::Start(Box::new(ExportJob {
        generation: export.generation,
        snapshot,
        rows,
        form: export.form,
        path,
        now,
    })))]
}

pub fn event(state: &mut State, event: ExportEvent) -> Vec<Effect> {
    let current = state.export.generation;
    match event {
        ExportEvent::Browsed { path: Some(path) } => state.export.path = path,
        ExportEvent::Browsed { path: None } => state.export.hint = Some(say!("export-not-chosen")),
        ExportEvent::Written {
            generation,
            records,
        } if generation == current => {
            state.export.running = Some(records);
        }
        ExportEvent::Ended { generation, answer } if generation == current => {
            state.export.running = None;
            match answer {
                Ok(records) => {
                    state.view.over = None;
                    let path = std::mem::take(&mut state.export.path);
                    let shown = crate::present::escape::shown(&path, 120);
                    return vec![super::notice(
                        state,
                        say!("export-done", count = records, file = shown),
                    )];
                }
                Err(failure) => state.export.failure = Some(failure),
            }
        }
        _ => {}
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::Grouping;
    use crate::app::tests as testing;
    use crate::domain::Timestamp;

    #[test]
    fn it_asks_writes_and_says_where() {
        let mut state = testing::locks(&[], None, Grouping::Flat, Timestamp(0));
        state.home = "/home/ada/".to_owned();
        command(&mut state, ExportCommand::Ask);
        assert_eq!(state.export.path, "/home/ada/idempotency-keys.csv");
        command(&mut state, ExportCommand::Form(ExportForm::JsonLines));
        assert_eq!(state.export.path, "/home/ada/idempotency-keys.jsonl");
        let effects = command(&mut state, ExportCommand::Start);
        assert!(matches!(
            effects.as_slice(),
            [Effect::Export(ExportEffect::Start(_))]
        ));
        assert!(
            command(&mut state, ExportCommand::Start).is_empty(),
            "one at a time"
        );
        let failed = ExportEvent::Ended {
            generation: 1,
            answer: Err("A file of that name is there".to_owned()),
        };
        event(&mut state, failed);
        assert!(state.export.failure.is_some() && state.view.over.is_some());
        let asked = command(&mut state, ExportCommand::Browse);
        assert!(matches!(
            asked.as_slice(),
            [Effect::Export(ExportEffect::Browse(_))]
        ));
        event(&mut state, ExportEvent::Browsed { path: None });
        assert!(state.export.hint.is_some());
        let path = Some("/tmp/a.jsonl".to_owned());
        event(&mut state, ExportEvent::Browsed { path });
        assert_eq!(state.export.path, "/tmp/a.jsonl");
        command(&mut state, ExportCommand::Start);
        command(&mut state, ExportCommand::Cancel);
        let late = ExportEvent::Ended {
            generation: 2,
            answer: Ok(5),
        };
        assert!(event(&mut state, late).is_empty());
    }
}
