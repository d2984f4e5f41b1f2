//! The file of connections on disk.
//!
//! Apart from `format` because only this touches the machine.
//! Invariant: a file that cannot be read is never written over; one that is written is there whole,
//! for its owner only.

use std::borrow::Cow;
use std::path::Path;

use super::format::{parse, print};
use super::merge::merge;
use super::{Book, BookError};
use crate::sys::files;

const FILE_BYTES_MAX: u64 = 1 << 20;

/// What is kept; nothing where there is no file.
///
/// Errors: the file is broken or cannot be read.
pub fn load(path: &Path) -> Result<Option<Book>, BookError> {
    read(path)?.map(|text| parse(&text)).transpose()
}

fn read(path: &Path) -> Result<Option<String>, BookError> {
    match files::read_own_text(path, FILE_BYTES_MAX) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(BookError::plain(format!(
            "{} cannot be read: {error}",
            name_of(path)
        ))),
    }
}

fn name_of(path: &Path) -> Cow<'_, str> {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy()
}

/// Changes what is kept: it is read again first, since another window may have changed it.
///
/// Errors: what `change` says; the file is broken, cannot be read or cannot be written.
pub fn change(
    path: &Path,
    change: impl FnOnce(&mut Book) -> Result<(), BookError>,
) -> Result<Book, BookError> {
    let cannot = |error: std::io::Error| {
        BookError::plain(format!("{} cannot be written: {error}", name_of(path)))
    };
    if let Some(folder) = path.parent() {
        files::private_folder(folder).map_err(cannot)?;
    }
    let _lock = files::lock(&path.with_extension("lock")).map_err(cannot)?;
    let before = read(path)?;
    let mut book = match &before {
        Some(text) => parse(text)?,
        None => Book::default(),
    };
    let old = book.clone();
    change(&mut book)?;
    if book == old && before.is_some() {
        return Ok(book);
    }
    let fresh = print(&book);
    let text = match before {
        // What a person wrote around the values stays, if the values come out right.
        Some(before) => {
            Some(merge(&before, &fresh)).filter(|text| parse(text).as_ref() == Ok(&book))
        }
        None => None,
    };
    files::write_private(path, text.unwrap_or(fresh).as_bytes()).map_err(cannot)?;
    Ok(book)
}

/// The text of the file that would hold these connections.
pub fn text(book: &Book) -> String {
    print(book)
}
