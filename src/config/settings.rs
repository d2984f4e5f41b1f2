//! How a person likes the window: the file `settings.toml` in the configuration folder.
//!
//! Apart from saved connections because this file says nothing about any store. Members that are
//! not known here are kept as they are: another version of the program may know them.
//! Invariant: numbers that come out are within their bounds, whatever the file says; a file that
//! cannot be read is never written over.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::present::say::Language;
use crate::sys::{env, files, folders};

const FILE: &str = "settings.toml";
const FILE_BYTES_MAX: u64 = 256 << 10;

pub const ZOOM_MIN: f32 = 0.5;
pub const ZOOM_MAX: f32 = 3.0;
/// Widths of the record panel, in points.
pub const PANEL_MIN: f32 = 340.0;
pub const PANEL_MAX: f32 = 640.0;
pub const PANEL_USUAL: f32 = 392.0;
/// Widths of a column that a person has set, in points.
pub const COLUMN_MIN: f32 = 40.0;
pub const COLUMN_MAX: f32 = 1200.0;
const COLUMNS_MAX: usize = 64;
/// How often a store is read again by itself, in seconds.
pub const LIVE_SECS: [u32; 5] = [0, 5, 10, 30, 60];
/// How long a store that is production may be changed, in minutes.
pub const CHANGES_MINUTES: [u32; 4] = [5, 15, 30, 60];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeChoice {
    /// As the desktop has it.
    #[default]
    System,
    Dark,
    Light,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanguageChoice {
    #[default]
    System,
    English,
    Russian,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Density {
    Compact,
    #[default]
    Normal,
    Roomy,
}

/// How points in time are shown in columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    #[default]
    Ages,
    Local,
    Utc,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    #[default]
    System,
    Full,
    Reduced,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideBar {
    /// Folded where there is little room.
    #[default]
    ByRoom,
    Folded,
    Open,
}

/// A column of the table of keys, in the order of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnSetting {
    pub name: String,
    #[serde(default = "yes")]
    pub shown: bool,
    /// In points; the usual width where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f32>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Settings {
    pub theme: ThemeChoice,
    pub language: LanguageChoice,
    pub density: Density,
    pub times: Times,
    pub motion: Motion,
    pub side_bar: SideBar,
    /// Nought: only by hand.
    pub live_secs: u32,
    /// How long a store that is production may be changed before it is read-only again.
    pub changes_minutes: u32,
    pub zoom: f32,
    pub panel_width: f32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnSetting>,
    /// What this version does not know.
    #[serde(flatten)]
    pub other: toml::Table,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            theme: ThemeChoice::default(),
            language: LanguageChoice::default(),
            density: Density::default(),
            times: Times::default(),
            motion: Motion::default(),
            side_bar: SideBar::default(),
            live_secs: 5,
            changes_minutes: 15,
            zoom: 1.0,
            panel_width: PANEL_USUAL,
            columns: Vec::new(),
            other: toml::Table::new(),
        }
    }
}

impl Settings {
    /// Errors: a sentence with the line.
    pub fn parse(text: &str) -> Result<Settings, String> {
        let mut settings: Settings = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_of(text, span.start));
            match line {
                Some(line) => format!("line {line}: {}", error.message()),
                None => error.message().to_owned(),
            }
        })?;
        settings.bound();
        Ok(settings)
    }

    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    fn bound(&mut self) {
        let within = |value: f32, least: f32, most: f32, usual: f32| {
            if value.is_finite() {
                value.clamp(least, most)
            } else {
                usual
            }
        };
        self.zoom = within(self.zoom, ZOOM_MIN, ZOOM_MAX, 1.0);
        self.panel_width = within(self.panel_width, PANEL_MIN, PANEL_MAX, PANEL_USUAL);
        self.live_secs = self.live_secs.min(3600);
        self.changes_minutes = self.changes_minutes.clamp(1, 240);
        self.columns.truncate(COLUMNS_MAX);
        for column in &mut self.columns {
            let width = column.width.filter(|width| width.is_finite());
            column.width = width.map(|width| width.clamp(COLUMN_MIN, COLUMN_MAX));
        }
    }

    /// The language of the window.
    pub fn language(&self, system: Language) -> Language {
        match self.language {
            LanguageChoice::System => system,
            LanguageChoice::English => Language::English,
            LanguageChoice::Russian => Language::Russian,
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// What the variables of the system say; English where that is not spoken here.
pub fn system_language() -> Language {
    let listed = env::var("LANGUAGE").unwrap_or_default();
    let first = listed.split(':').next().and_then(Language::of_code);
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"];
    // The first of them that is set counts, as in POSIX.
    let named = || names.iter().find_map(|name| env::var(name));
    first
        .or_else(|| Language::of_code(&named()?))
        .unwrap_or_default()
}

/// Where the settings stand.
pub fn path() -> Option<PathBuf> {
    folders::config().map(|folder| folder.join(FILE))
}

/// The settings, the usual ones where there are none.
///
/// Errors: the file is there and cannot be read; one sentence that names it. It must not be
/// written over.
pub fn load() -> Result<Settings, String> {
    let Some(path) = path().filter(|path| files::exists(path)) else {
        return Ok(Settings::default());
    };
    let text = files::read_own_text(&path, FILE_BYTES_MAX).map_err(|error| error.to_string());
    text.and_then(|text| Settings::parse(&text))
        .map_err(|why| format!("{}: {why}", path.display()))
}

/// Errors: the folder or the file cannot be written.
pub fn save(path: &Path, settings: &Settings) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        files::private_folder(folder)?;
    }
    files::write_whole(path, settings.to_text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let settings = Settings {
            theme: ThemeChoice::Light,
            language: LanguageChoice::Russian,
            times: Times::Utc,
            live_secs: 30,
            zoom: 1.4,
            columns: vec![
                ColumnSetting {
                    name: "key".to_owned(),
                    shown: true,
                    width: Some(300.0),
                },
                ColumnSetting {
                    name: "hash".to_owned(),
                    shown: false,
                    width: None,
                },
            ],
            ..Settings::default()
        };
        assert_eq!(Settings::parse(&settings.to_text()), Ok(settings));
        let usual = Settings::default();
        assert_eq!(Settings::parse(""), Ok(usual));
    }

    #[test]
    fn members_of_another_version_stay() {
        let settings = Settings::parse("theme = \"dark\"\nfoo = [1, 2]\n").expect("settings");
        assert!(settings.to_text().contains("foo = [1, 2]"));
    }

    #[test]
    fn strange_numbers_come_within_bounds() {
        let text = "zoom = 1e30\npanel-width = nan\nlive-secs = 4000000000\n\
                    [[columns]]\nname = \"key\"\nwidth = -inf\n\
                    [[columns]]\nname = \"key\"\nwidth = 1e9\n";
        let settings = Settings::parse(text).expect("settings");
        assert_eq!(settings.zoom, ZOOM_MAX);
        assert_eq!(settings.panel_width, PANEL_USUAL);
        assert_eq!(settings.live_secs, 3600);
        assert_eq!(settings.columns[0].width, None);
        assert_eq!(settings.columns[1].width, Some(COLUMN_MAX));
    }

    #[test]
    fn a_broken_file_is_named_by_its_line() {
        let error = Settings::parse("zoom = 1.0\ntheme = \"pink\"\n").expect_err("no theme");
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(Settings::parse("zoom = ").is_err());
    }
}
