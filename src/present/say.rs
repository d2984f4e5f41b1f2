//! The words of the window, by their names, in the language that this thread speaks.
//!
//! Apart from the places that say them because each sentence exists once a language, in
//! `assets/words/<language>/<area>.ftl` (Fluent: plurals and the order of words are the language's
//! own). The command line never changes the language, so it stays English; so do workers, whose
//! texts go into files and logs.
//! Invariant: a name without words says itself; `tests/tidy` looks that there is none.

use std::cell::Cell;
use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use include_dir::{Dir, include_dir};

use super::count::{self, Font};

static WORDS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/words");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Russian,
}

impl Language {
    pub const ALL: [Language; 2] = [Language::English, Language::Russian];

    /// As a file or a variable has it; also its folder.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Russian => "ru",
        }
    }

    /// In its own words.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Russian => "Русский",
        }
    }

    /// Of `ru`, `ru_RU.UTF-8`, `en-GB`; nothing for one that is not spoken here.
    pub fn of_code(code: &str) -> Option<Language> {
        let code = code.split(['_', '-', '.', '@']).next()?;
        let mut all = Language::ALL.into_iter();
        all.find(|language| language.code().eq_ignore_ascii_case(code))
    }
}

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// What this thread says from now on.
pub fn speak(language: Language) {
    SPOKEN.set(language);
}

pub fn spoken() -> Language {
    SPOKEN.get()
}

/// What is made in English on this thread, whatever it speaks.
pub fn in_english<T>(make: impl FnOnce() -> T) -> T {
    let spoken = SPOKEN.replace(Language::English);
    let made = make();
    SPOKEN.set(spoken);
    made
}

/// What stands in a sentence.
#[derive(Clone, Debug)]
pub enum Arg {
    Text(String),
    /// Decides the plural, and is put in groups of three.
    Count(u64),
}

macro_rules! count_arg {
    ($($kind:ty),+) => { $(
        impl From<$kind> for Arg {
            fn from(count: $kind) -> Arg {
                Arg::Count(count as u64)
            }
        }
    )+ };
}
count_arg!(u8, u32, u64, usize);

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Text(text.to_owned())
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Arg {
        Arg::Text(text)
    }
}

impl From<&String> for Arg {
    fn from(text: &String) -> Arg {
        Arg::Text(text.clone())
    }
}

/// `say!("keys-nothing-matches")`, `say!("keys-so-far", count = 312)`: a sentence as a `String`.
macro_rules! say {
    ($id:literal) => {
        $crate::present::say::text($id, &[])
    };
    ($id:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::present::say::text(
            $id,
            &[$((stringify!($name), $crate::present::say::Arg::from($value))),+],
        )
    };
}
pub(crate) use say;

/// The sentence of a name; English where the language has none. Use [`say!`], which the tests
/// can follow.
pub fn text(id: &str, args: &[(&'static str, Arg)]) -> String {
    let spoken = SPOKEN.get();
    said(spoken, id, args)
        .or_else(|| said(Language::English, id, args))
        .unwrap_or_else(|| id.to_owned())
}

fn said(language: Language, id: &str, args: &[(&'static str, Arg)]) -> Option<String> {
    let bundle = bundle(language);
    let pattern = bundle.get_message(id)?.value()?;
    let mut values = FluentArgs::with_capacity(args.len());
    for (name, arg) in args {
        values.set(
            *name,
            match arg {
                Arg::Text(text) => FluentValue::from(text.as_str()),
                Arg::Count(count) => FluentValue::from(*count),
            },
        );
    }
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&values), &mut errors);
    Some(text.into_owned())
}

fn bundle(language: Language) -> &'static FluentBundle<FluentResource> {
    static ENGLISH: OnceLock<FluentBundle<FluentResource>> = OnceLock::new();
    static RUSSIAN: OnceLock<FluentBundle<FluentResource>> = OnceLock::new();
    let cell = match language {
        Language::English => &ENGLISH,
        Language::Russian => &RUSSIAN,
    };
    cell.get_or_init(|| made(language))
}

fn made(language: Language) -> FluentBundle<FluentResource> {
    let locales = language.code().parse().into_iter().collect();
    let mut bundle = FluentBundle::new_concurrent(locales);
    // Marks of direction around each value would be drawn as boxes by some fonts.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) if number.value >= 0.0 => {
            Some(count::grouped(number.value as u64, Font::Text))
        }
        _ => None,
    }));
    let files = WORDS.get_dir(language.code()).map(Dir::files);
    for file in files.into_iter().flatten() {
        let text = file.contents_utf8().unwrap_or_default().to_owned();
        // What can be read of a file counts; the tests look that all of it can.
        let resource = FluentResource::try_new(text).unwrap_or_else(|(part, _)| part);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read() {
        for language in Language::ALL {
            let files = WORDS.get_dir(language.code()).expect("a folder").files();
            for file in files {
                let text = file.contents_utf8().expect("text").to_owned();
                if let Err((_, errors)) = FluentResource::try_new(text) {
                    panic!("{}: {errors:?}", file.path().display());
                }
            }
        }
    }

    #[test]
    fn counts_take_the_plural_of_the_language() {
        assert_eq!(say!("common-records", count = 1_u64), "1 record");
        assert_eq!(
            say!("common-records", count = 2_000_u64),
            "2\u{202f}000 records"
        );
        speak(Language::Russian);
        assert_eq!(say!("common-records", count = 1_u64), "1 запись");
        assert_eq!(say!("common-records", count = 3_u64), "3 записи");
        assert_eq!(
            say!("common-records", count = 2_000_u64),
            "2\u{202f}000 записей"
        );
        speak(Language::English);
    }

    #[test]
    fn a_name_without_words_says_itself() {
        assert_eq!(text("no-such-name", &[]), "no-such-name");
    }

    #[test]
    fn languages_are_known_by_their_codes() {
        assert_eq!(Language::of_code("ru_RU.UTF-8"), Some(Language::Russian));
        assert_eq!(Language::of_code("en-GB"), Some(Language::English));
        assert_eq!(Language::of_code("C"), None);
        assert_eq!(Language::of_code(""), None);
    }
}
