//! `idemscope connections export`: what is saved, as a file for another machine.
//!
//! Apart from the rest because others read it. Invariant: nothing that may hold a secret is printed,
//! and what is left out for that is named.

use super::list;
use crate::cli::options::CommonOptions;
use crate::cli::output::{FormatChoice, Output};
use crate::config::Book;
use crate::config::connections::{LeftOut, file};

/// As a file; as JSON where that is asked for.
pub fn export(book: &Book, common: &CommonOptions, output: &mut Output) {
    let (book, left_out) = book.portable();
    match common.format {
        Some(FormatChoice::Json | FormatChoice::Jsonl | FormatChoice::Csv) => {
            list(&book, common, output)
        }
        _ => file::text(&book).lines().for_each(|line| output.line(line)),
    }
    for LeftOut {
        connection,
        members,
    } in left_out
    {
        let members = members.join("`, `");
        output.say(&format!(
            "note: `{members}` of `{connection}` may hold a secret and is left out"
        ));
    }
}
