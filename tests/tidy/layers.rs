//! Who may know whom.
//!
//! Apart from the other rules because the table of layers is the picture of the whole program.

use crate::source::{Name, Source, sources};
use crate::{Finding, check};

/// From the bottom to the top; modules of one layer do not see each other.
const LAYERS: [&[&str]; 7] = [
    &["domain"],
    &["present", "stats", "layouts", "stores", "sys"],
    &["config", "inspect", "ops", "guard"],
    &["lab", "check"],
    &["app", "cli"],
    &["ui"],
    &["main"],
];

/// Files that may break a rule, by the test's name; each with a word in the file on why.
const EXCEPTIONS: [(&str, &str); 0] = [];

fn excepted(rule: &str, source: &Source) -> bool {
    EXCEPTIONS
        .iter()
        .any(|(name, path)| *name == rule && *path == source.path)
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

/// The module at the top of the crate that a name leads to.
fn target<'a>(source: &Source, name: &'a Name) -> Option<&'a str> {
    let mut segments = name.text.split("::");
    match segments.next()? {
        "crate" | "idemscope" => segments.next(),
        "super" if !name.in_tests => {
            let mut ups = 1;
            let mut next = segments.next()?;
            while next == "super" {
                ups += 1;
                next = segments.next()?;
            }
            (ups == depth(source))
                .then_some(next)
                .filter(|_| segments.next().is_some())
        }
        _ => None,
    }
}

/// How many modules the file is below the root of the crate: 2 for `src/ui/panels.rs`.
fn depth(source: &Source) -> usize {
    let inside = source.path.strip_prefix("src/").unwrap_or(&source.path);
    inside.trim_end_matches("/mod.rs").split('/').count()
}

/// The names in the files of some modules that break a rule.
fn names_that(modules: &[&str], breaks: impl Fn(&Source, &Name) -> bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources("src") {
        if !modules.contains(&source.module()) {
            continue;
        }
        for name in source.names() {
            if breaks(&source, &name) {
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

/// True for a name that leads into a crate: `tokio::spawn`, `use tokio;`.
fn leads_into(name: &Name, krate: &str) -> bool {
    let whole = name.text == krate;
    !name.member && (whole && name.imported || name.text.starts_with(&format!("{krate}::")))
}

#[test]
fn every_module_has_a_layer() {
    let mut findings = Vec::new();
    for source in sources("src") {
        if source.module() != "lib" && layer(source.module()).is_none() {
            let what = format!("`{}` is in no layer", source.module());
            findings.push(Finding::new(&source.path, 1, what));
        }
    }
    check(
        findings,
        "put the file into a module of the table in tests/tidy/layers.rs",
    );
}

#[test]
fn modules_import_from_lower_layers_only() {
    let mut findings = Vec::new();
    for source in sources("src") {
        let Some(own) = layer(source.module()) else {
            continue;
        };
        for name in source.names() {
            let Some(other) = target(&source, &name).filter(|other| *other != source.module())
            else {
                continue;
            };
            if layer(other).is_some_and(|other| other >= own) {
                let what = format!("`{}` is not below `{}`", name.text, source.module());
                findings.push(Finding::new(&source.path, name.line, what));
            }
        }
    }
    check(
        findings,
        "move what both need to a layer below, or let the caller above hand it in",
    );
}

#[test]
fn app_does_not_know_the_window() {
    let window = ["egui", "eframe", "epaint", "ecolor", "winit"];
    let findings = names_that(&["app"], |_, name| {
        window.iter().any(|krate| leads_into(name, krate))
    });
    check(
        findings,
        "keep plain values in `app`; `ui` turns them into egui's",
    );
}

#[test]
fn ui_neither_asks_nor_waits() {
    let crates = ["tokio", "sqlx", "redis"];
    let modules = ["stores", "inspect", "ops"];
    let findings = names_that(&["ui"], |source, name| {
        crates.iter().any(|krate| leads_into(name, krate))
            || target(source, name).is_some_and(|module| modules.contains(&module))
    });
    check(findings, "read it from `app::State` and send a command");
}

#[test]
fn domain_has_no_input_no_clock_and_no_waiting() {
    let findings = names_that(&["domain"], |_, name| {
        let text = name.text.as_str();
        let path = |prefix: &str| text == prefix || text.starts_with(&format!("{prefix}::"));
        path("std::fs")
            || path("std::net")
            || path("std::env")
            || leads_into(name, "tokio")
            || text
                .split("::")
                .any(|part| part == "SystemTime" || part == "Instant")
            || ["async", "await"].contains(&text)
    });
    check(findings, "take the time or the text as an argument");
}

#[test]
fn only_sys_and_config_touch_the_machine() {
    let rule = "only_sys_and_config_touch_the_machine";
    let allowed = ["sys", "config", "stores", "main"];
    let findings: Vec<Finding> = sources("src")
        .iter()
        .filter(|source| !allowed.contains(&source.module()) && !excepted(rule, source))
        .flat_map(|source| {
            let names = source.names();
            let touching = names
                .into_iter()
                .filter(|name| !name.in_tests && touches(&name.text));
            touching
                .map(|name| Finding::new(&source.path, name.line, format!("`{}`", name.text)))
                .collect::<Vec<_>>()
        })
        .collect();
    check(
        findings,
        "take `now` as an argument, ask `sys` for clock and files, `config` for the environment",
    );
}

fn touches(text: &str) -> bool {
    let folders = ["std::env", "std::fs", "tokio::fs"];
    let clocks = ["SystemTime::now", "Instant::now", "Utc::now", "Local::now"];
    !text.starts_with("std::env::consts")
        && (folders
            .iter()
            .any(|folder| text == *folder || text.starts_with(&format!("{folder}::")))
            || clocks
                .iter()
                .any(|clock| text == *clock || text.ends_with(&format!("::{clock}"))))
}
