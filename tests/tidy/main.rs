//! House rules that the compiler does not know, checked by reading the sources as text.
//!
//! Apart from clippy because these rules are about files, layers and words, not about types.
//! Invariant: every rule is a test of its own, and its message says where and what to do instead.
#![allow(
    clippy::disallowed_methods,
    reason = "reads the sources from disk, which the program itself leaves to `sys`"
)]

mod files;
mod layers;
mod lines;
mod source;
mod words;

use std::path::PathBuf;

/// Something that breaks a rule.
struct Finding {
    file: String,
    line: usize,
    what: String,
}

impl Finding {
    fn new(file: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding {
            file: file.to_owned(),
            line,
            what: what.into(),
        }
    }
}

/// Fails with every finding and the way out.
#[track_caller]
fn check(findings: Vec<Finding>, instead: &str) {
    let lines: Vec<String> = findings
        .iter()
        .map(|found| format!("  {}:{}: {}", found.file, found.line, found.what))
        .collect();
    assert!(lines.is_empty(), "\n{}\n{instead}\n", lines.join("\n"));
}

/// The folder of the package: as cargo says now, since the build may come from another folder.
fn root() -> PathBuf {
    std::env::var_os("CARGO_MANIFEST_DIR")
        .unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into())
        .into()
}

/// All files below a folder, as paths from the root, sorted.
fn walk(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in root()
            .join(&folder)
            .read_dir()
            .into_iter()
            .flatten()
            .flatten()
        {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ => found.push(path.to_string_lossy().trim_start_matches("./").to_owned()),
            }
        }
    }
    found.sort();
    found
}
