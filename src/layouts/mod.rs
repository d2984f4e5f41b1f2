//! The registry of layouts: text in, records out.
//!
//! A layout describes how one library stores its records. Built-in ones are the files of
//! `assets/layouts`, users add their own; both are read, checked and run alike.
//! Invariant: no store is touched here, and no code serves a single library.

pub mod codec;
mod compile;
pub mod detect;
mod evaluate;
pub mod field;
pub mod form;
pub mod json;
pub mod keys;
pub mod layout;
pub mod log;
pub mod mistake;
pub mod needs;
mod path;
pub mod pieces;
mod predicate;
pub mod propose;
pub mod reading;
pub mod recipe;
pub mod record;
pub mod redis;
pub mod retry;
pub mod samples;
pub mod search;
pub mod slot;
pub mod source;
pub mod spec;
pub mod spelling;
pub mod template;
mod times;
pub mod trial;
mod vocabulary;

use std::sync::{Arc, OnceLock};

use include_dir::{Dir, include_dir};

use mistake::Mistake;

pub use layout::{Layout, RetryAction, RetryAnswer};
pub use log::LogLayout;
pub use source::{Addressed, KeyPlace, Place, Source, TablePlace};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/layouts");

/// Why a layout file was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {mistake}")]
pub struct LayoutError {
    pub file: String,
    pub mistake: Mistake,
}

/// All layouts known, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Layouts {
    layouts: Vec<Arc<Layout>>,
}

impl Layouts {
    /// The layouts that come with the program.
    pub fn built_in() -> Layouts {
        static LOADED: OnceLock<Layouts> = OnceLock::new();
        LOADED
            .get_or_init(|| {
                let mut layouts = Layouts::default();
                for (name, text) in built_in_files() {
                    // A test checks every built-in file; one that fails is left out here.
                    if let Ok(layout) = parse(&name, text) {
                        layouts.add(layout);
                    }
                }
                layouts
            })
            .clone()
    }

    /// Only this one.
    pub fn of(layout: Arc<Layout>) -> Layouts {
        Layouts {
            layouts: vec![layout],
        }
    }

    /// Adds a layout; one with the same id is replaced.
    pub fn add(&mut self, layout: Layout) {
        self.layouts.retain(|known| known.id != layout.id);
        self.layouts.push(Arc::new(layout));
        self.layouts.sort_by(|a, b| a.id.cmp(&b.id));
    }

    pub fn iter(&self) -> impl Iterator<Item = &Arc<Layout>> {
        self.layouts.iter()
    }

    /// The retry logs that are described.
    pub fn logs(&self) -> impl Iterator<Item = (&Arc<Layout>, &LogLayout)> {
        let layouts = self.layouts.iter();
        layouts.filter_map(|layout| Some((layout, layout.log.as_ref()?)))
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Layout>> {
        self.layouts.iter().find(|layout| &*layout.id == id)
    }

    pub fn ids(&self) -> Vec<String> {
        self.layouts
            .iter()
            .map(|layout| layout.id.to_string())
            .collect()
    }
}

/// The built-in files: name and text.
pub fn built_in_files() -> Vec<(String, &'static str)> {
    BUILT_IN
        .files()
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "toml")
        })
        .filter_map(|file| Some((file.path().display().to_string(), file.contents_utf8()?)))
        .collect()
}

/// Reads and checks one layout file.
///
/// Errors: what is wrong, with its place where that can be told.
pub fn parse(file: &str, text: &str) -> Result<Layout, LayoutError> {
    check(text).map_err(|mistake| LayoutError {
        file: file.to_owned(),
        mistake,
    })
}

/// Reads and checks the text of a layout.
///
/// Errors: what is wrong, with its place where that can be told.
pub fn check(text: &str) -> Result<Layout, Mistake> {
    let spec: spec::LayoutSpec =
        toml::from_str(text).map_err(|error| Mistake::of_toml(text, &error))?;
    Layout::check(spec, text).map_err(|sentence| Mistake::of_check(text, sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_layout_is_good_and_reads_its_own_samples() {
        for (name, text) in built_in_files() {
            let layout = parse(&name, text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(
                format!("{}.toml", layout.id),
                name,
                "the file is named after the id"
            );
            let wrong = samples::run(&Arc::new(layout));
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        }
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let error = parse("mine.toml", "id = \"x\"\ntitle = 3\n").expect_err("a mistake");
        assert!(
            error.to_string().starts_with("mine.toml: line 2: "),
            "{error}"
        );
        let error = parse(
            "mine.toml",
            "id = \"x\"\ntitle = \"t\"\nclass = \"c\"\n[redis]\nkeys = [\"a:{key}\"]\n[redis.string]\nfields.idempotency_key = \"key.nokey\"\n",
        );
        let error = error.expect_err("an unknown capture");
        assert!(error.to_string().contains("captures `nokey`"), "{error}");
    }
}
