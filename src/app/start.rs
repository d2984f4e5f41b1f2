//! What the window is opened with.

use std::path::PathBuf;

use crate::config::TargetOptions;
use crate::domain::Secret;
use crate::inspect::detect::SourceOptions;
use crate::layouts::Layouts;
use crate::stores::Pace;

/// The usual size of the window.
pub const SIZE: [u32; 2] = [1440, 900];

/// How the store is reached and read; the same for every connection of one run.
#[derive(Clone, Debug)]
pub struct Reading {
    pub target: TargetOptions,
    pub sources: SourceOptions,
    pub layouts: Layouts,
    pub pace: Pace,
    /// Where the demo store lies, if not at its usual place.
    pub demo: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Dark,
    Light,
}

#[derive(Clone, Debug)]
pub struct Start {
    /// What to open; nothing for the variable or the demo store.
    pub target: Option<Secret>,
    pub reading: Reading,
    pub theme: Theme,
    /// Width and height of the window.
    pub size: [u32; 2],
    /// Draw with this first.
    pub renderer: Option<String>,
    /// Lines to be said at once.
    pub warnings: Vec<String>,
}

impl Start {
    /// The usual start with the layouts that come with the program.
    pub fn plain(target: Option<&str>) -> Start {
        Start {
            target: target.map(Secret::new),
            reading: Reading {
                target: TargetOptions::default(),
                sources: SourceOptions::default(),
                layouts: Layouts::built_in(),
                pace: Pace::Gentle,
                demo: None,
            },
            theme: Theme::Dark,
            size: SIZE,
            renderer: None,
            warnings: Vec::new(),
        }
    }
}
