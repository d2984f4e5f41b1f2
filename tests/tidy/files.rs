//! Rules about the repository as a whole: which files, which words, which dependencies.
//!
//! Apart from the rules about Rust because these also read texts, scripts and the lock file.

use std::process::Command;

use crate::{Finding, check, root, walk};

const TOP: [&str; 16] = [
    ".cargo",
    ".ci",
    ".config",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "assets",
    "benches",
    "clippy.toml",
    "docs",
    "kittest.toml",
    "rustfmt.toml",
    "src",
];

/// Words that say something about the place of work, not about the program.
const STRAY: [&str; 9] = [
    "/work/",
    "/root/",
    "issue #",
    "//registry.",
    "//index.crates.io",
    "//pypi.org",
    "//deb.debian.org",
    "//mirror",
    "artifactory",
];

/// Notes to oneself, which nobody finds again.
const NOTES: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// What is under version control; without git, what lies there.
fn tracked() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    if listed.is_empty() {
        let skipped = [".git/", "target/"];
        let mut all = walk(".");
        all.retain(|path| !skipped.iter().any(|folder| path.starts_with(folder)));
        return all;
    }
    listed.split_terminator('\0').map(str::to_owned).collect()
}

/// Tracked files that are text and written here.
fn texts() -> Vec<(String, String)> {
    tracked()
        .into_iter()
        .filter(|path| path != "Cargo.lock")
        .filter(|path| !path.starts_with("tests/corpus/") && path != "tests/tidy/files.rs")
        .filter_map(|path| {
            let text = std::fs::read_to_string(root().join(&path)).ok()?;
            Some((path, text))
        })
        .collect()
}

/// Lines of text that hold one of some words.
fn lines_with(words: &[&str], whole: impl Fn(&str, usize, &str) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in texts() {
        for (index, line) in text.lines().enumerate() {
            for word in words {
                if line
                    .match_indices(word)
                    .any(|(at, _)| whole(line, at, word))
                {
                    findings.push(Finding::new(&path, index + 1, format!("`{word}`")));
                }
            }
        }
    }
    findings
}

#[test]
fn the_top_folder_holds_only_what_belongs_there() {
    let mut findings = Vec::new();
    for path in tracked() {
        let top = path.split('/').next().unwrap_or(&path);
        let known = TOP.contains(&top) || top == "tests" || top.starts_with("rust-toolchain");
        if !known {
            findings.push(Finding::new(&path, 1, format!("`{top}` at the top")));
        }
    }
    check(findings, "put it under assets, docs, src or tests");
}

#[test]
fn texts_speak_of_the_program_only() {
    let findings = lines_with(&STRAY, |_, _, _| true);
    check(findings, "say it without the place where it was written");
}

#[test]
fn nothing_is_left_for_later_in_a_comment() {
    let findings = lines_with(&NOTES, |line, at, word| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    });
    check(findings, "do it, or leave it out");
}

/// The versions of a package in the lock file.
fn locked(package: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join("Cargo.lock")).expect("Cargo.lock");
    let name = format!("name = \"{package}\"");
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .filter(|pair| pair.first() == Some(&name.as_str()))
        .filter_map(|pair| pair.last().map(|version| (*version).to_owned()))
        .collect()
}

#[test]
fn there_is_one_egui() {
    let versions = locked("egui");
    assert_eq!(
        versions.len(),
        1,
        "{versions:?}: take versions that share one egui"
    );
}

#[test]
fn cryptography_needs_no_cmake() {
    let versions = locked("aws-lc-rs");
    assert!(
        versions.is_empty(),
        "{versions:?}: choose the feature that takes `ring`"
    );
}
