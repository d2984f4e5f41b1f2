//! The editor of layouts: what one is written for, its text, and what the text makes of a sample.

use std::path::PathBuf;
use std::sync::Arc;

use crate::app::remote::Remote;
use crate::inspect::describe::{Sampled, Subjects};
use crate::layouts::mistake::Mistake;
use crate::layouts::trial::Trial;

#[derive(Debug, Default)]
pub struct Editor {
    /// Of the newest wish to write about something.
    pub generation: u64,
    pub subjects: Remote<Arc<Subjects>>,
    /// A place among the subjects.
    pub chosen: Option<usize>,
    pub sample: Remote<Arc<Sampled>>,
    pub text: String,
    /// What the text was when nothing of it could be lost.
    pub kept: String,
    /// The text is as it was proposed: another subject brings another one.
    pub is_proposal: bool,
    /// Counts the texts that came from elsewhere than the keyboard.
    pub revision: u64,
    /// The file that the text was read from or written to.
    pub file: Option<EditedFile>,
    /// Number of the newest trial.
    pub trial: u64,
    pub is_trying: bool,
    /// The newest answer: it stays until the next one.
    pub result: Option<Arc<Tried>>,
    /// A place among the examples.
    pub example: usize,
    pub is_saving: bool,
    /// It is saved as soon as it has been tried.
    pub wants_save: bool,
    /// What is done once the text may be let go.
    pub then: Then,
    /// Another file that would be written over.
    pub differs: Option<PathBuf>,
    /// Why it was not saved.
    pub failure: Option<String>,
    /// Counts the wishes to type into the text.
    pub focus_text: u64,
}

/// What a person wanted when a text stood in the way that is not saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    #[default]
    Leave,
    CloseStore,
    Quit,
}

/// What became of a text.
pub type Tried = Result<Trial, Mistake>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedFile {
    pub path: PathBuf,
    /// What it said when it was read or written.
    pub text: String,
}

impl Editor {
    pub fn is_unsaved(&self) -> bool {
        self.text != self.kept
    }

    pub fn tried(&self) -> Option<&Trial> {
        self.result.as_ref()?.as_ref().as_ref().ok()
    }

    pub fn mistake(&self) -> Option<&Mistake> {
        self.result.as_ref()?.as_ref().as_ref().err()
    }

    pub fn examples(&self) -> u64 {
        match self.tried() {
            Some(trial) => trial.examples.len() as u64,
            None => self
                .sample
                .value()
                .map_or(0, |sampled| sampled.stored.len() as u64),
        }
    }
}
