//! Samples what a layout is written for, tries texts, and writes layout files.
//!
//! Apart from `stores` because a text is tried without any store, and a file is no store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Out;
use super::stores::{Slot, session_and_sources};
use crate::app::effect::SaveJob;
use crate::app::event::{Begun, EditorEvent, Event};
use crate::app::remote::Failure;
use crate::app::start::Reading;
use crate::app::state::{EditedFile, source_name};
use crate::config::layouts::{self, Refused};
use crate::domain::Timestamp;
use crate::inspect::Cancel;
use crate::inspect::describe::{self, Sampled, Subjects};
use crate::layouts::{Layouts, Source, trial};
use crate::stores::StoreError;
use crate::sys::files;

/// What a copy of a built-in layout begins with.
const COPY: &str = "# A copy of a layout that comes with the program. While this file is there, it is taken\n\
                    # instead of that one.\n\n";

pub(super) async fn begin(
    out: Out,
    slot: Slot,
    reading: Arc<Reading>,
    generation: u64,
    source: Option<String>,
) {
    let Some((session, sources)) = session_and_sources(&slot) else {
        return;
    };
    let mut named = sources.iter();
    let source = named.find(|known| Some(source_name(known)) == source);
    let work = async {
        let subjects = Arc::new(describe::subjects(&session, &sources).await?);
        let mut begun = Begun::default();
        if let Some(source) = source {
            let sample = describe::sample_of_source(&session, &subjects, source).await?;
            begun = of_source(&reading, &subjects, source, sample, session.now());
        }
        Ok((subjects, begun))
    };
    let event = match work.await {
        Ok((subjects, begun)) => EditorEvent::Begun {
            generation,
            subjects,
            begun: Box::new(begun),
        },
        Err(error) => failed(generation, error),
    };
    out.send(Event::Editor(event)).await;
}

/// The text of a source's layout; what has no file of its own is proposed anew.
fn of_source(
    reading: &Reading,
    subjects: &Subjects,
    source: &Source,
    sample: Sampled,
    now: Timestamp,
) -> Begun {
    let subject = describe::subject_of(subjects, &sample);
    let layout = &source.layout;
    let is_file = layout.own || Layouts::built_in().get(&layout.id).is_some();
    let mut begun = Begun {
        subject,
        sample: Some(Arc::new(sample)),
        ..Begun::default()
    };
    if layout.generic || !is_file {
        // What reads anything is no example: a text about this store is.
        begun.is_proposal = true;
        let sample = begun.sample.clone();
        let text = subject.zip(sample).and_then(|(at, sample)| {
            describe::proposal(subjects, at, &sample, &taken(reading), now)
        });
        begun.text = text.unwrap_or_default();
        return begun;
    }
    if layout.own {
        begun.text = layout.text.to_string();
        begun.file = own_file(reading, &layout.text);
    } else {
        begun.text = format!("{COPY}{}", layout.text);
    }
    begun
}

/// Where a user's layout was read from.
fn own_file(reading: &Reading, text: &str) -> Option<EditedFile> {
    let folder = reading.own_layouts.as_ref()?;
    let path = files::list(folder, "toml")
        .into_iter()
        .find(|path| layouts::read(path).is_ok_and(|found| found == text))?;
    Some(EditedFile {
        path,
        text: text.to_owned(),
    })
}

/// Ids that are taken.
fn taken(reading: &Reading) -> Vec<String> {
    known(reading).ids()
}

/// The layouts that are there now, those of the user among them.
pub(super) fn known(reading: &Reading) -> Layouts {
    match &reading.own_layouts {
        Some(folder) => layouts::load_from(folder).0,
        None => reading.layouts.clone(),
    }
}

pub(super) async fn open_file(out: Out, slot: Slot, generation: u64, path: PathBuf) {
    let Some((session, sources)) = session_and_sources(&slot) else {
        return;
    };
    let event = match (
        describe::subjects(&session, &sources).await,
        layouts::read(&path),
    ) {
        (Ok(subjects), Ok(text)) => EditorEvent::Begun {
            generation,
            subjects: Arc::new(subjects),
            begun: Box::new(Begun {
                text: text.clone(),
                file: Some(EditedFile { path, text }),
                ..Begun::default()
            }),
        },
        (Err(error), _) => failed(generation, error),
        (_, Err(error)) => EditorEvent::Failed {
            generation,
            failure: Failure {
                text: format!("{}: {error}", path.display()),
                hint: None,
                is_connection: false,
            },
        },
    };
    out.send(Event::Editor(event)).await;
}

pub(super) async fn sample(
    out: Out,
    slot: Slot,
    reading: Arc<Reading>,
    generation: u64,
    subjects: Arc<Subjects>,
    at: usize,
    proposes: bool,
) {
    let Some((session, _)) = session_and_sources(&slot) else {
        return;
    };
    let event = match describe::sample(&session, &subjects, at).await {
        Ok(sample) => {
            let now = session.now();
            let text = match proposes {
                true => describe::proposal(&subjects, at, &sample, &taken(&reading), now),
                false => None,
            };
            EditorEvent::Sampled {
                generation,
                sample: Arc::new(sample),
                text,
            }
        }
        Err(error) => failed(generation, error),
    };
    out.send(Event::Editor(event)).await;
}

fn failed(generation: u64, error: StoreError) -> EditorEvent {
    EditorEvent::Failed {
        generation,
        failure: error.into(),
    }
}

/// A text to try.
pub(super) struct Attempt {
    pub number: u64,
    pub text: Arc<str>,
    pub sample: Option<Arc<Sampled>>,
    pub now: Timestamp,
}

/// Tries a text; where it asks for further keys, they are read, and it is tried again. An answer that
/// nobody waits for any more is not sent.
pub(super) async fn try_text(out: Out, slot: Slot, attempt: Attempt, cancel: Cancel) {
    let mut sample = attempt.sample;
    let mut grown = None;
    loop {
        let (text, tried, stop) = (attempt.text.clone(), sample.clone(), cancel.clone());
        let work = move || {
            let none = trial::Sample::keys(Vec::new());
            let sample = tried.as_ref().map_or(&none, |sampled| &sampled.sample);
            trial::run(&text, sample, attempt.now, &|| !stop.is_cancelled())
        };
        let result = match tokio::task::spawn_blocking(work).await {
            Ok(Ok(Some(trial))) => Ok(trial),
            Ok(Ok(None)) | Err(_) => return,
            Ok(Err(mistake)) => Err(mistake),
        };
        let wanted = result.as_ref().map_or(&[][..], |trial| &trial.beside);
        if grown.is_none() && !wanted.is_empty() {
            let more = with_beside(&slot, sample.as_deref(), wanted.to_vec()).await;
            if let Some(more) = more {
                sample = Some(more.clone());
                grown = Some(more);
                continue;
            }
        }
        if !cancel.is_cancelled() {
            out.send(Event::Editor(EditorEvent::Tried {
                trial: attempt.number,
                result: Arc::new(result),
                sample: grown,
            }))
            .await;
        }
        return;
    }
}

async fn with_beside(
    slot: &Slot,
    sample: Option<&Sampled>,
    names: Vec<Vec<u8>>,
) -> Option<Arc<Sampled>> {
    let (session, _) = session_and_sources(slot)?;
    // What cannot be read now is told as absent.
    let grown = describe::with_beside(&session, sample?, names).await;
    grown.ok().map(Arc::new)
}

pub(super) fn save(out: &Out, reading: &Reading, job: SaveJob) {
    let generation = job.generation;
    let event = match place_of(reading, &job) {
        None => EditorEvent::NotSaved {
            generation,
            why: "No configuration folder is known: set HOME or XDG_CONFIG_HOME".to_owned(),
        },
        Some(path) => match layouts::save(&path, &job.text, &job.over) {
            Ok(()) => EditorEvent::Saved {
                generation,
                id: job.id,
                path,
                text: job.text,
            },
            Err(Refused::Differs) => EditorEvent::Differs { generation, path },
            Err(Refused::Error(error)) => EditorEvent::NotSaved {
                generation,
                why: format!("It cannot be written: {error}: {}", path.display()),
            },
        },
    };
    out.send_blocking(Event::Editor(event));
}

/// The file a text came from, else one named after the layout.
fn place_of(reading: &Reading, job: &SaveJob) -> Option<PathBuf> {
    if let Some(path) = &job.path {
        return Some(path.clone());
    }
    let folder: &Path = reading.own_layouts.as_ref()?;
    Some(folder.join(format!("{}.toml", job.id)))
}
