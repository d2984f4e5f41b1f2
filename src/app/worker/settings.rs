//! Writes the settings once they have been left alone for a moment, and before the worker ends.
//!
//! Apart from `stores` because no store is concerned.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Out;
use crate::app::event::{AppEvent, Event};
use crate::config::settings::{self, Settings};

/// Dragging an edge makes many changes: only the last one counts.
const REST: Duration = Duration::from_millis(400);

/// What has to be written yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsaved(Arc<Mutex<Option<Box<Settings>>>>);

impl Unsaved {
    pub(super) fn put(&self, settings: Box<Settings>) {
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(settings);
        }
    }

    /// Writes now. Errors: a sentence.
    fn write(&self, path: &Path) -> Result<(), String> {
        let taken = self.0.lock().ok().and_then(|mut slot| slot.take());
        let Some(settings) = taken else { return Ok(()) };
        settings::save(path, &settings)
            .map_err(|error| format!("The settings could not be written: {error}"))
    }

    /// Nobody is there any more who could be told of an error.
    pub(super) fn write_at_the_end(&self, path: &Path) {
        let _ = self.write(path);
    }
}

pub(super) async fn save(out: Out, unsaved: Unsaved, path: PathBuf) {
    tokio::time::sleep(REST).await;
    let written = tokio::task::spawn_blocking(move || unsaved.write(&path)).await;
    if let Ok(Err(text)) = written {
        out.send(Event::App(AppEvent::Say { text })).await;
    }
}
