//! A phrase of a data file: in English, and in the other languages that the window speaks.
//!
//! Apart from `say`, whose sentences are the program's own, because these stand in the files of
//! scenarios and presets, where a person may add more: `title.en = "…"` and `title.ru = "…"`, or
//! one `title = "…"` for all languages.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::say::{Language, spoken};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    english: String,
    russian: Option<String>,
}

impl Phrase {
    /// For files and scripts.
    pub fn english(&self) -> &str {
        &self.english
    }

    /// In the language of this thread; English where the phrase has no other.
    pub fn spoken(&self) -> &str {
        self.of(spoken()).unwrap_or(&self.english)
    }

    /// As a language has it.
    pub fn of(&self, language: Language) -> Option<&str> {
        match language {
            Language::English => Some(&self.english),
            Language::Russian => self.russian.as_deref(),
        }
    }
}

impl From<&str> for Phrase {
    fn from(text: &str) -> Phrase {
        Phrase {
            english: text.to_owned(),
            russian: None,
        }
    }
}

/// A phrase that tells its languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    en: String,
    ru: Option<String>,
}

impl<'de> Deserialize<'de> for Phrase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Phrase, D::Error> {
        deserializer.deserialize_any(PhraseVisitor)
    }
}

struct PhraseVisitor;

impl<'de> Visitor<'de> for PhraseVisitor {
    type Value = Phrase;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or one for each language: `en`, `ru`")
    }

    fn visit_str<E>(self, text: &str) -> Result<Phrase, E> {
        Ok(Phrase::from(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Phrase, A::Error> {
        let each = Each::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Phrase {
            english: each.en,
            russian: each.ru,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::say::speak;

    #[derive(Deserialize)]
    struct File {
        title: Phrase,
    }

    fn read(text: &str) -> Result<Phrase, String> {
        let file: Result<File, _> = toml::from_str(text);
        file.map(|file| file.title)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_phrase_is_one_text_or_one_a_language() {
        let plain = read("title = 'Three taps'").expect("a phrase");
        let both = read("title.en = 'Three taps'\ntitle.ru = 'Три нажатия'").expect("a phrase");
        assert_eq!(
            (plain.spoken(), both.spoken()),
            ("Three taps", "Three taps")
        );
        speak(Language::Russian);
        assert_eq!(
            (plain.spoken(), both.spoken()),
            ("Three taps", "Три нажатия")
        );
        assert_eq!(both.english(), "Three taps");
        speak(Language::English);
    }

    #[test]
    fn a_mistake_is_named() {
        let check = |text, expected: &str| {
            let error = read(text).expect_err("wrong");
            assert!(error.contains(expected), "{error}");
        };
        check("title.ru = 'Три'", "missing field `en`");
        check("title.en = 'A'\ntitle.fr = 'B'", "unknown field `fr`");
        check("title = 3", "a text, or one for each language");
    }
}
