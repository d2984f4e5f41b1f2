//! Users' own layouts: files in the configuration folder, beside the built-in ones.
//!
//! A broken file is reported and hurts nothing else. What is written is there whole or not at all,
//! and no other file is written over unless that was asked for.

use std::io;
use std::path::{Path, PathBuf};

use crate::layouts::mistake::Mistake;
use crate::layouts::{Layout, LayoutError, Layouts, parse};
use crate::sys::{files, folders};

/// A layout file is a page of text, not a data set.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// The built-in layouts and the user's, with what is wrong with the user's.
pub fn load() -> (Layouts, Vec<LayoutError>) {
    match folder() {
        Some(folder) => load_from(&folder),
        None => (Layouts::built_in(), Vec::new()),
    }
}

/// Where a user's layouts are kept.
pub fn folder() -> Option<PathBuf> {
    folders::config().map(|folder| folder.join("layouts"))
}

/// The built-in layouts and those in a folder.
pub fn load_from(folder: &Path) -> (Layouts, Vec<LayoutError>) {
    let mut layouts = Layouts::built_in();
    let mut errors = Vec::new();
    for path in files::list(folder, "toml") {
        match load_file(&path) {
            Ok(layout) => layouts.add(layout.owned()),
            Err(error) => errors.push(error),
        }
    }
    (layouts, errors)
}

/// One file by its path.
pub fn load_file(path: &Path) -> Result<Layout, LayoutError> {
    let name = path.display().to_string();
    let text = read(path).map_err(|error| LayoutError {
        file: name.clone(),
        mistake: Mistake {
            text: error.to_string(),
            ..Mistake::default()
        },
    })?;
    parse(&name, &text)
}

/// The text of a file, whatever is wrong with it.
pub fn read(path: &Path) -> io::Result<String> {
    files::read_text(path, FILE_BYTES_MAX)
}

/// What stands in the way of writing.
#[derive(Debug)]
pub enum Refused {
    /// A file is there that says something else than what was read.
    Differs,
    Error(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Refused {
        Refused::Error(error)
    }
}

/// Whether a file that says something else may be written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// Only one that says this.
    Only(Option<String>),
    Any,
}

/// Writes a layout's file.
///
/// Errors: another file is there, or it cannot be written.
pub fn save(path: &Path, text: &str, over: &Over) -> Result<(), Refused> {
    if files::exists(path)
        && let Over::Only(known) = over
    {
        let found = read(path)?;
        if found != text && known.as_ref() != Some(&found) {
            return Err(Refused::Differs);
        }
    }
    if let Some(folder) = path.parent() {
        files::private_folder(folder)?;
    }
    Ok(files::write_whole(path, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_file_is_written_over_only_when_that_is_asked_for() {
        let folder = std::env::temp_dir().join(format!("idem-layouts-{}", std::process::id()));
        let path = folder.join("mine.toml");
        save(&path, "one", &Over::Only(None)).expect("a new file");
        save(&path, "one", &Over::Only(None)).expect("the same again");
        let refused = save(&path, "two", &Over::Only(None));
        assert!(matches!(refused, Err(Refused::Differs)), "{refused:?}");
        save(&path, "two", &Over::Only(Some("one".to_owned()))).expect("known");
        save(&path, "three", &Over::Any).expect("asked for");
        assert_eq!(read(&path).expect("a file"), "three");
        let (_, errors) = load_from(&folder);
        assert!(
            errors[0].to_string().contains("mine.toml: line 1: "),
            "{errors:?}"
        );
        let _ = std::fs::remove_dir_all(&folder);
    }
}
