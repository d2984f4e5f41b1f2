//! What all changing commands share: show the plan, ask, run, report.
//!
//! Invariant: nothing is changed unless `--yes` is given or the question is answered on a terminal;
//! on a target marked as production its name must be typed or given as well.

mod ask;
pub mod choose;
mod print;

use std::path::PathBuf;

use clap::Args;

use super::error::{CliError, Code};
use super::open::Opened;
use super::options::CommonOptions;
use super::output::Output;
use crate::config::Connection;
use crate::domain::change::Verb;
use crate::ops::journal::usual_folder;
use crate::ops::plan::{self, Plan};
use crate::ops::run::{RunError, RunProgress};
use crate::ops::{Report, RunOptions, control, run};
use crate::present::count::{Font, grouped};
use crate::present::words::plural;
use crate::stores::{ReadStore, Target};

#[derive(Debug, Args)]
pub struct ChangeOptions {
    /// Change without asking
    #[arg(long)]
    pub yes: bool,
    /// Write the plan to a file and change nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["yes", "apply"])]
    pub plan: Option<PathBuf>,
    /// Run a plan that was written, as it is: what to take cannot be given beside it
    #[arg(long, value_name = "FILE")]
    pub apply: Option<PathBuf>,
    /// Why; kept in the journal
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// The name of a target that is marked as production
    #[arg(long, value_name = "NAME")]
    pub confirm: Option<String>,
}

/// Where a plan is to run.
pub struct Place<'p> {
    pub target: &'p Target,
    pub connection: &'p Connection,
    pub store: &'p ReadStore,
}

impl Place<'_> {
    pub fn of(opened: &Opened) -> Place<'_> {
        Place {
            target: &opened.target,
            connection: &opened.connection,
            store: &opened.session.store,
        }
    }

    /// What a person calls it.
    fn name(&self) -> String {
        let kept = self.connection.name.clone();
        kept.unwrap_or_else(|| self.target.to_string())
    }
}

/// Reads the plan that was written.
///
/// Errors: it is none, was altered, is of another store or of another command.
pub fn written_plan(
    verb: Verb,
    options: &ChangeOptions,
    target: &Target,
) -> Result<Option<Plan>, CliError> {
    let Some(path) = &options.apply else {
        return Ok(None);
    };
    let plan = plan::file::read(path, &target.to_string())
        .map_err(|error| CliError::new(Code::Wrong, format!("{}: {error}", path.display())))?;
    if plan.verb() != verb {
        let theirs = plan.verb().name();
        let text = format!("{} is the plan of a {theirs}", path.display());
        return Err(CliError::with_hint(
            Code::Wrong,
            text,
            format!("`idemscope {theirs} TARGET --apply FILE` runs it"),
        ));
    }
    Ok(Some(plan))
}

/// From a plan to an exit code.
pub async fn carry_out(
    place: &Place<'_>,
    plan: Plan,
    options: &ChangeOptions,
    common: &CommonOptions,
    output: &mut Output,
) -> Result<Code, CliError> {
    if plan.beyond() > 0 {
        let beyond = plural(plan.beyond(), "more record", "more records");
        output.say(&format!(
            "note: {beyond} did not fit into one plan: run it again"
        ));
    }
    if let Some(path) = &options.plan {
        plan::file::write(&plan, path)
            .map_err(|error| CliError::new(Code::Wrong, format!("{}: {error}", path.display())))?;
        print::plan(&plan, common, output);
        output.say(&format!(
            "the plan is in {}; nothing was changed",
            path.display()
        ));
        return Ok(Code::Done);
    }
    if plan.is_empty() && plan.refused().is_empty() {
        output.say("there is nothing to do");
    }
    if plan.is_empty() && !options.yes {
        print::plan(&plan, common, output);
        // A plan that is only shown is done, whatever it leaves out.
        return Ok(Code::Done);
    }
    if plan.is_empty() {
        let report = run_plan(place, &plan, options, common, output).await?;
        print::report(&report, common, output);
        return Ok(code(&report));
    }
    match ask::permission(place, &plan, options, output)? {
        ask::Answer::Yes => {}
        ask::Answer::No => {
            output.say("nothing was changed");
            return Ok(Code::Partly);
        }
        ask::Answer::NotAsked => {
            print::plan(&plan, common, output);
            output.say("nothing was changed: `--yes` runs this plan");
            return Ok(Code::Done);
        }
    }
    let report = run_plan(place, &plan, options, common, output).await?;
    print::report(&report, common, output);
    Ok(code(&report))
}

async fn run_plan(
    place: &Place<'_>,
    plan: &Plan,
    options: &ChangeOptions,
    common: &CommonOptions,
    output: &Output,
) -> Result<Report, CliError> {
    let folder = usual_folder()
        .ok_or_else(|| CliError::new(Code::Wrong, "there is no home folder for the journal"))?;
    let how = RunOptions {
        folder,
        reason: options.reason.clone(),
        connection: place.connection.name.clone(),
        production: place.connection.is_production,
        pace: common.pace.into(),
    };
    let (control, steering) = control();
    let show = |progress: &RunProgress| output.progress(&words(progress));
    let mut work = std::pin::pin!(run(place.target, place.store, plan, &how, steering, show));
    let outcome = loop {
        tokio::select! {
            done = &mut work => break done,
            _ = tokio::signal::ctrl_c() => control.stop(),
        }
    };
    output.progress("");
    outcome.map_err(|error| match error {
        RunError::Store(store) => {
            let text = RunError::Store(store.clone()).to_string();
            CliError {
                text,
                ..CliError::from(store)
            }
        }
        other => CliError::new(Code::Partly, other.to_string()),
    })
}

fn words(progress: &RunProgress) -> String {
    let done = grouped(progress.tally.total(), Font::Text);
    let of = grouped(progress.of as u64, Font::Text);
    match &progress.waiting {
        Some(waiting) => format!("{done} of {of}; {waiting}"),
        None => format!("{done} of {of}"),
    }
}

/// Done where every record was changed, or was gone already.
fn code(report: &Report) -> Code {
    match report.stopped.is_none() && report.tally.is_clean() {
        true => Code::Done,
        false => Code::Partly,
    }
}
