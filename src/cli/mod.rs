//! The command line: the window's twin, for scripts, runbooks and machines without a display.
//!
//! Standard output carries results only; what is said about them goes to standard error.
//! Invariant: every way out is an exit code of the contract; nothing here ends the process.

mod change;
mod connections;
mod detect;
mod error;
mod journal;
mod keys;
mod lab;
mod layouts;
mod open;
mod options;
mod output;
mod purge;
mod release;
mod rights;
mod scan;
mod secrets;
mod settle;
mod show;
mod stats;
mod stop;
mod summary;
mod undo;

use clap::{Parser, Subcommand};

pub use error::{CliError, Code};
pub use options::{ColorChoice, CommonOptions, ThemeChoice, WindowOptions};
use output::Output;

/// Inspect the idempotency keys of APIs, in Redis, PostgreSQL or SQLite.
#[derive(Debug, Parser)]
#[command(
    name = "idemscope",
    version,
    about,
    args_conflicts_with_subcommands = true
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    window: WindowOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List records
    Keys(keys::Arguments),
    /// Print one record, whole
    Show(show::Arguments),
    /// Count records by status, layout, scope and operation
    Summary(summary::Arguments),
    /// Retry statistics: rates, delays, storms, suspects, each figure with its source
    Stats(stats::Arguments),
    /// Say which layouts are here, how sure that is, and why
    Detect(detect::Arguments),
    /// Release locks, so that the next retry executes again
    Release(release::Arguments),
    /// Write the outcome of a request, so that retries replay it
    Settle(settle::Arguments),
    /// Remove records that are expired or finished, never a processing one
    Purge(purge::Arguments),
    /// Put back what a run changed, never over a newer record
    Undo(undo::Arguments),
    /// Past runs: who, when, where, why, and what came of each key
    Journal(journal::Arguments),
    /// The smallest ACL rule and GRANTs for looking and for repairing here
    Rights(rights::Arguments),
    /// Scenarios of retries: list them, run one and print the counters
    Lab(lab::Arguments),
    /// The lab's shop, started by the lab itself
    #[command(name = "lab-shop", hide = true)]
    LabShop,
    /// Saved connections: list, add, remove, test, export
    Connections(connections::Arguments),
    /// List the layouts that are known, show one, or test a file
    Layouts(layouts::Arguments),
}

/// What is to be done after the command line has been read.
pub enum Todo {
    /// Open the window.
    Window(Box<WindowOptions>),
    /// It is done; this is the exit code.
    Done(Code),
}

/// Reads the arguments and does what they say, unless that is the window.
pub fn run(arguments: impl Iterator<Item = std::ffi::OsString>) -> Todo {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() {
                Code::Wrong
            } else {
                Code::Done
            };
            // Nothing can be done about a closed pipe.
            let _ = error.print();
            return Todo::Done(code);
        }
    };
    match cli.command {
        None => Todo::Window(Box::new(cli.window)),
        Some(command) => Todo::Done(finish(execute(command))),
    }
}

fn execute(command: Command) -> Result<Code, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| CliError::new(Code::Unreachable, format!("cannot start: {error}")))?;
    let result = runtime.block_on(async {
        match command {
            Command::Keys(arguments) => keys::run(arguments).await,
            Command::Show(arguments) => show::run(arguments).await,
            Command::Summary(arguments) => summary::run(arguments).await,
            Command::Stats(arguments) => stats::run(arguments).await,
            Command::Detect(arguments) => detect::run(arguments).await,
            Command::Release(arguments) => release::run(arguments).await,
            Command::Settle(arguments) => settle::run(arguments).await,
            Command::Purge(arguments) => purge::run(arguments).await,
            Command::Undo(arguments) => undo::run(arguments).await,
            Command::Journal(arguments) => journal::run(arguments),
            Command::Rights(arguments) => rights::run(arguments).await,
            Command::Lab(arguments) => lab::run(arguments).await,
            Command::LabShop => lab::shop().await,
            Command::Connections(arguments) => connections::run(arguments).await,
            Command::Layouts(arguments) => layouts::run(arguments),
        }
    });
    // A server that does not answer must not keep us.
    runtime.shutdown_background();
    result
}

fn finish(result: Result<Code, CliError>) -> Code {
    match result {
        Ok(code) => code,
        Err(error) => {
            Output::complain(&error);
            error.code
        }
    }
}

/// Says why the window could not be opened.
pub fn complain(error: &CliError) {
    Output::complain(error);
}
