//! What the window is opened with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::config::TargetOptions;
use crate::config::settings::Settings;
use crate::domain::Secret;
use crate::inspect::detect::SourceOptions;
use crate::layouts::Layouts;
use crate::present::say::Language;
use crate::stores::Pace;
use crate::sys::instance::Calls;
use crate::sys::keyring::Keyring;

/// The usual size of the window.
pub const SIZE: [u32; 2] = [1440, 900];

/// How stores are reached and read. What `target` says of certificates and passwords is of the
/// first one only.
#[derive(Clone, Debug)]
pub struct Reading {
    pub target: TargetOptions,
    pub sources: SourceOptions,
    pub layouts: Layouts,
    /// The folder of the user's layouts, which are read again whenever a store is looked at.
    pub own_layouts: Option<PathBuf>,
    pub pace: Pace,
    /// Where the settings are kept; nothing where they are not.
    pub settings_file: Option<PathBuf>,
    /// Where the demo store lies, if not at its usual place.
    pub demo: Option<PathBuf>,
    pub kept: Kept,
    /// Where the journal of changes is kept; without it nothing is changed.
    pub journal: Option<PathBuf>,
    /// The program that the lab's shops are started from; nothing for this one.
    pub program: Option<PathBuf>,
}

/// What is kept between runs, and where.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The file of connections; nothing where none are kept.
    pub connections: Option<PathBuf>,
    pub writing: Writing,
    pub keyring: Keyring,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writing {
    /// What is there is read, and nothing is written.
    #[default]
    Off,
    On,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    Dark,
    Light,
}

/// A thing that one of several attempts to open the window takes.
#[derive(Debug)]
pub struct TakenOnce<T>(Arc<Mutex<Option<T>>>);

impl<T> Clone for TakenOnce<T> {
    fn clone(&self) -> TakenOnce<T> {
        TakenOnce(self.0.clone())
    }
}

impl<T> TakenOnce<T> {
    pub fn new(thing: T) -> TakenOnce<T> {
        TakenOnce(Arc::new(Mutex::new(Some(thing))))
    }

    pub fn take(&self) -> Option<T> {
        self.0.lock().ok()?.take()
    }
}

#[derive(Clone, Debug)]
pub struct Start {
    /// What to open; nothing for the variable or the demo store.
    pub target: Option<Secret>,
    pub reading: Reading,
    /// Of this run; nothing for what the settings say.
    pub theme: Option<Theme>,
    /// Of this run; nothing for what the settings say.
    pub zoom: Option<f32>,
    /// What a person likes, or why that could not be read.
    pub settings: Result<Settings, String>,
    /// Of the desktop.
    pub language: Language,
    /// The theme follows the desktop.
    pub follows_desktop: bool,
    /// What others ask of this window.
    pub calls: Option<TakenOnce<Calls>>,
    /// Width and height of the window.
    pub size: [u32; 2],
    /// Where the place of the window is remembered; nothing where it is not.
    pub window_file: Option<PathBuf>,
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
                own_layouts: None,
                pace: Pace::Gentle,
                settings_file: None,
                demo: None,
                kept: Kept::default(),
                journal: None,
                program: None,
            },
            theme: Some(Theme::Dark),
            zoom: None,
            settings: Ok(Settings::default()),
            language: Language::English,
            follows_desktop: false,
            calls: None,
            size: SIZE,
            window_file: None,
            renderer: None,
            warnings: Vec::new(),
        }
    }
}
