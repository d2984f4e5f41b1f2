//! Writes a run into a file: JSON or one HTML page, by the ending of its name.
//!
//! Apart from `lab` because what is printed and what is saved change for different reasons.
//! Invariant: no file that is there is written over.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::error::{CliError, Code};
use crate::lab::report::{RunReport, SideReport};
use crate::lab::run::Outcome;
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::trace;
use crate::sys::files;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    Html,
}

/// Before anything is run: whether every name ends as one of the forms.
///
/// Errors: one does not, such a file is there, or more than one scenario is to be run.
pub fn check(paths: &[PathBuf], scenarios: usize) -> Result<(), CliError> {
    if !paths.is_empty() && scenarios > 1 {
        let text = "a file holds the run of one scenario";
        return Err(CliError::new(Code::Wrong, text));
    }
    for path in paths {
        form(path)?;
        if files::exists(path) {
            let text = format!("a file of that name is there: {}", path.display());
            return Err(CliError::new(Code::Wrong, text));
        }
    }
    Ok(())
}

fn form(path: &Path) -> Result<Form, CliError> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json") => Ok(Form::Json),
        Some("html") => Ok(Form::Html),
        _ => Err(CliError::with_hint(
            Code::Wrong,
            format!("no form is known for {}", path.display()),
            "the name ends with .json or .html",
        )),
    }
}

/// Writes what was run; variants that could not run are left out.
///
/// Errors: a file cannot be written.
pub fn save<'v>(
    paths: &[PathBuf],
    (scenario, store): (&Scenario, &str),
    outcomes: impl Iterator<Item = (&'v Variant, &'v Outcome)>,
) -> Result<(), CliError> {
    if paths.is_empty() {
        return Ok(());
    }
    let side = |(variant, outcome): (&Variant, &Outcome)| SideReport {
        variant: variant.clone(),
        is_changed: false,
        trace: Arc::new(trace::build(scenario.about(variant), &outcome.events)),
        outcome: Arc::new(outcome.clone()),
    };
    let report = RunReport {
        id: scenario.id.clone(),
        title: scenario.title.english().to_owned(),
        lesson: scenario.lesson.english().to_owned(),
        store: store.to_owned(),
        sides: outcomes.map(side).collect(),
    };
    for path in paths {
        let text = match form(path)? {
            Form::Json => report.json(),
            Form::Html => report.html(),
        };
        let written = files::create_private(path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
        written.map_err(|error| {
            let text = format!("the run cannot be saved: {error}: {}", path.display());
            CliError::new(Code::Wrong, text)
        })?;
    }
    Ok(())
}
