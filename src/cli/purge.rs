//! `idemscope purge TARGET`: remove finished records, never a processing one.

use clap::Args;

use super::change::{ChangeOptions, Place, carry_out, choose, written_plan};
use super::error::{CliError, Code};
use super::open::open;
use super::options::CommonOptions;
use super::output::Output;
use crate::domain::change::Verb;
use crate::ops::plan::{Ask, Selection};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store
    target: String,
    /// Records whose time has passed
    #[arg(long, required_unless_present_any = ["query", "apply"], conflicts_with = "apply")]
    expired: bool,
    /// Finished records that fit: the filter language of the window
    #[arg(
        long,
        value_name = "Q",
        allow_hyphen_values = true,
        conflicts_with = "apply"
    )]
    query: Option<String>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let opened = open(Some(&arguments.target), &arguments.common, &output).await?;
    let place = Place::of(&opened);
    let plan = match written_plan(Verb::Purge, &arguments.change, place.target)? {
        Some(plan) => plan,
        None => {
            let mut ask = Ask::new(Verb::Purge, Selection::Rule);
            ask.expired_only = arguments.expired;
            let rule = choose::Rule::finished(arguments.query.as_deref(), arguments.expired)?;
            let chosen = choose::by_rule(&opened, &rule, &arguments.common, &output).await?;
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
