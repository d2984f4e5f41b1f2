//! `idemscope settle TARGET KEY`: write the outcome, so that retries replay it.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;

use super::change::{ChangeOptions, Place, carry_out, choose, written_plan};
use super::error::{CliError, Code};
use super::open::open;
use super::options::CommonOptions;
use super::output::Output;
use crate::domain::change::{Answer, Verb};
use crate::ops::plan::{Ask, Selection};
use crate::sys::files;

/// A larger answer than this is no outcome that somebody types.
const BODY_BYTES_MAX: u64 = 8 << 20;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store
    target: String,
    /// The idempotency key, a digest, or the address in the store
    #[arg(required_unless_present = "apply", conflicts_with = "apply")]
    key: Option<String>,
    /// The HTTP status that retries are to get
    #[arg(long, value_name = "N", required_unless_present = "apply", conflicts_with = "apply",
          value_parser = clap::value_parser!(u16).range(100..=599))]
    response_status: Option<u16>,
    /// The body that retries are to get; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    body: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let body = match &arguments.body {
        Some(path) => read_body(path)?,
        None => Vec::new(),
    };
    let opened = open(Some(&arguments.target), &arguments.common, &output).await?;
    let place = Place::of(&opened);
    let plan = match written_plan(Verb::Settle, &arguments.change, place.target)? {
        Some(plan) => plan,
        None => {
            let mut ask = Ask::new(Verb::Settle, Selection::Named);
            ask.answer = arguments
                .response_status
                .map(|status| Answer { status, body });
            let keys: Vec<String> = arguments.key.into_iter().collect();
            let chosen = choose::by_name(&opened, &keys, &output).await?;
            choose::plan(&opened, &ask, chosen, &output).await?
        }
    };
    carry_out(
        &place,
        plan,
        &arguments.change,
        &arguments.common,
        &mut output,
    )
    .await
}

fn read_body(path: &Path) -> Result<Vec<u8>, CliError> {
    let read = match path.as_os_str() == "-" {
        true => {
            let mut body = Vec::new();
            let read = std::io::stdin().lock().take(BODY_BYTES_MAX + 1);
            let mut read = read;
            read.read_to_end(&mut body).map(|_| body)
        }
        false => files::read_bytes(path, BODY_BYTES_MAX),
    };
    let body = read
        .map_err(|error| CliError::new(Code::Wrong, format!("the body cannot be read: {error}")))?;
    match body.len() as u64 > BODY_BYTES_MAX {
        true => Err(CliError::new(Code::Wrong, "the body is larger than 8 MiB")),
        false => Ok(body),
    }
}
