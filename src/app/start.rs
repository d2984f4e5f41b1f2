//! What the window is opened with.

use std::path::PathBuf;

use crate::config::TargetOptions;
use crate::config::settings::Settings;
use crate::domain::Secret;
use crate::inspect::detect::SourceOptions;
use crate::layouts::Layouts;
use crate::present::say::Language;
use crate::stores::Pace;
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
    pub pace: Pace,
    /// Where the demo store lies, if not at its usual place.
    pub demo: Option<PathBuf>,
    pub kept: Kept,
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
                kept: Kept::default(),
            },
            theme: Some(Theme::Dark),
            zoom: None,
            settings: Ok(Settings::default()),
            language: Language::English,
            follows_desktop: false,
            size: SIZE,
            renderer: None,
            warnings: Vec::new(),
        }
    }
}
