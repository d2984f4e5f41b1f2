//! Users' own layouts: files in the configuration folder, beside the built-in ones.
//!
//! A broken file is reported and hurts nothing else.

use crate::layouts::mistake::Mistake;
use crate::layouts::{LayoutError, Layouts, parse};
use crate::sys::{files, folders};

/// A layout file is a page of text, not a data set.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The built-in layouts and the user's, with what is wrong with the user's.
pub fn load() -> (Layouts, Vec<LayoutError>) {
    let mut layouts = Layouts::built_in();
    let mut errors = Vec::new();
    let Some(folder) = folders::config().map(|folder| folder.join("layouts")) else {
        return (layouts, errors);
    };
    for path in files::list(&folder, "toml") {
        let name = path.display().to_string();
        match read(&path, &name) {
            Ok(layout) => layouts.add(layout),
            Err(error) => errors.push(error),
        }
    }
    (layouts, errors)
}

/// One file by its path.
pub fn load_file(path: &std::path::Path) -> Result<crate::layouts::Layout, LayoutError> {
    read(path, &path.display().to_string())
}

fn read(path: &std::path::Path, name: &str) -> Result<crate::layouts::Layout, LayoutError> {
    let text = files::read_text(path, FILE_BYTES_MAX).map_err(|error| LayoutError {
        file: name.to_owned(),
        mistake: Mistake {
            text: error.to_string(),
            ..Mistake::default()
        },
    })?;
    parse(name, &text)
}
