//! Named sets of switches: what well-known APIs decided, and what is decided in articles.
//!
//! One TOML file each in `assets/presets`; adding one there is all that adding a preset takes.
//! Invariant: a preset that is held here was checked; a mistake is told with its file and line.

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::switches::Switches;
use crate::present::phrase::Phrase;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/presets");

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    pub id: String,
    pub title: Phrase,
    /// What is special about it, in a sentence or two.
    pub about: Phrase,
    pub switches: Switches,
}

/// All presets: the lab's default first, then by title.
///
/// Errors: a file is wrong; its name, and what the reader says of it.
pub fn presets() -> Result<Vec<Preset>, String> {
    let mut presets = Vec::new();
    for file in FILES.files() {
        let name = file.path().display().to_string();
        if !name.ends_with(".toml") {
            continue;
        }
        let text = file.contents_utf8().unwrap_or_default();
        let preset: Preset = toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        presets.push(preset);
    }
    let order = |preset: &Preset| {
        let is_other = preset.switches != Switches::default();
        (is_other, preset.title.english().to_owned())
    };
    presets.sort_by_key(order);
    Ok(presets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::say::Language;

    #[test]
    fn every_preset_is_good_and_the_default_comes_first() {
        let presets = presets().expect("good files");
        assert_eq!(presets.len(), 8);
        assert_eq!(presets.first().map(|p| p.id.as_str()), Some("lab-default"));
        let mut ids: Vec<&str> = presets.iter().map(|p| p.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), presets.len());
    }

    #[test]
    fn every_text_is_there_in_each_language() {
        for preset in presets().expect("good files") {
            for (phrase, language) in [&preset.title, &preset.about]
                .into_iter()
                .flat_map(|phrase| Language::ALL.map(|language| (phrase, language)))
            {
                let text = phrase.of(language).unwrap_or_default();
                assert!(!text.is_empty(), "{phrase:?} in {language:?}");
            }
        }
    }
}
