//! Rules about single files and lines of Rust.
//!
//! Apart from `layers` because these hold for each file by itself.

use crate::source::{Name, Source, sources};
use crate::{Finding, check};

const LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;

fn all() -> Vec<Source> {
    let mut all = sources("src");
    all.extend(sources("tests"));
    all.extend(sources("benches"));
    all
}

/// Names outside of tests in `src` that break a rule.
fn names_in_src(breaks: impl Fn(&Source, &Name) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources("src") {
        for name in source.names() {
            if !name.in_tests && breaks(&source, &name) {
                findings.push(Finding::new(
                    &source.path,
                    name.line,
                    format!("`{}`", name.text),
                ));
            }
        }
    }
    findings
}

#[test]
fn every_file_says_what_it_is_for() {
    let findings = all()
        .iter()
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| Finding::new(&source.path, 1, "no header"))
        .collect();
    check(
        findings,
        "start with `//!`: what the file is for, then why it stands apart",
    );
}

#[test]
fn files_are_short() {
    let findings = all()
        .iter()
        .map(|source| (source, source.lines_above_tests()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(source, lines)| Finding::new(&source.path, 1, format!("{lines} lines")))
        .collect();
    check(
        findings,
        "at most 400 lines besides tests: split by reason to change",
    );
}

#[test]
fn functions_are_short() {
    let mut findings = Vec::new();
    for source in all() {
        for function in source.functions() {
            if function.lines > FUNCTION_LINES_MAX {
                let what = format!("`{}` has {} lines", function.name, function.lines);
                findings.push(Finding::new(&source.path, function.line, what));
            }
        }
    }
    check(findings, "at most 70 lines: give a part a name");
}

#[test]
fn nothing_unwraps_outside_tests() {
    let mut findings = Vec::new();
    for source in sources("src") {
        for pattern in [".unwrap()", ".expect(", ".unwrap_err()", ".expect_err("] {
            for offset in source.find(pattern) {
                if !source.in_tests(offset) {
                    let line = source.line_of(offset);
                    findings.push(Finding::new(&source.path, line, format!("`{pattern}`")));
                }
            }
        }
    }
    check(
        findings,
        "return the error or the unknown value: stored data is hostile",
    );
}

#[test]
fn only_the_command_line_prints() {
    let macros = ["println", "eprintln", "print", "eprint", "dbg"];
    let findings = names_in_src(|source, name| {
        !["cli", "main"].contains(&source.module())
            && name.next == Some('!')
            && macros.contains(&name.text.as_str())
    });
    check(findings, "return it: `cli` prints, the window shows");
}

#[test]
fn only_main_ends_the_process() {
    let findings = names_in_src(|source, name| {
        source.module() != "main"
            && ["process::exit", "process::abort"]
                .iter()
                .any(|end| name.text.ends_with(end))
    });
    check(findings, "return an error or an exit code; `main` exits");
}

#[test]
fn colours_come_from_the_theme() {
    let findings = names_in_src(|source, name| {
        let colour = name.text.rsplit_once("Color32::").map(|(_, what)| what);
        let harmless = ["TRANSPARENT", "PLACEHOLDER"];
        let literal = |what: &str| {
            what.starts_with("from_") || what.chars().all(|c| c.is_uppercase() || c == '_')
        };
        source.path.starts_with("src/ui")
            && !source.path.starts_with("src/ui/theme")
            && (colour.is_some_and(|what| literal(what) && !harmless.contains(&what))
                || name.text.ends_with("hex_color"))
    });
    check(
        findings,
        "take a token named by its role; a new one goes into `ui::theme`",
    );
}

#[test]
fn no_test_is_switched_off() {
    let mut findings = Vec::new();
    for source in all() {
        for offset in source.find("#[ignore") {
            findings.push(Finding::new(
                &source.path,
                source.line_of(offset),
                "`#[ignore]`",
            ));
        }
    }
    check(
        findings,
        "assert what is wrong today and say so, or remove the test",
    );
}
