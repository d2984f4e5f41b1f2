//! `idemscope release TARGET KEY…` or `--stuck`: take locks away, so that the next retry executes.

use clap::Args;

use super::change::{ChangeOptions, Place, carry_out, choose, written_plan};
use super::error::{CliError, Code};
use super::open::open;
use super::options::CommonOptions;
use super::output::Output;
use crate::domain::Duration;
use crate::domain::change::Verb;
use crate::ops::plan::{Ask, Selection};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store
    target: String,
    /// Idempotency keys, digests, or addresses in the store
    #[arg(required_unless_present_any = ["stuck", "apply"], conflicts_with_all = ["stuck", "apply"])]
    key: Vec<String>,
    /// All locks that are stuck
    #[arg(long, conflicts_with = "apply")]
    stuck: bool,
    /// Only locks held longer than this, which is the lease where none is known
    #[arg(long, value_name = "DURATION", conflicts_with = "apply")]
    older_than: Option<String>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let older_than = arguments.older_than.as_deref().map(limit).transpose()?;
    let opened = open(Some(&arguments.target), &arguments.common, &output).await?;
    let place = Place::of(&opened);
    let plan = match written_plan(Verb::Release, &arguments.change, place.target)? {
        Some(plan) => plan,
        None => {
            let selection = match arguments.stuck {
                true => Selection::Rule,
                false => Selection::Named,
            };
            let mut ask = Ask::new(Verb::Release, selection);
            ask.older_than = older_than;
            let chosen = match arguments.stuck {
                true => {
                    let rule = choose::Rule::stuck(older_than);
                    choose::by_rule(&opened, &rule, &arguments.common, &output).await?
                }
                false => choose::by_name(&opened, &arguments.key, &output).await?,
            };
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

fn limit(text: &str) -> Result<Duration, CliError> {
    Duration::parse(text).ok_or_else(|| {
        CliError::with_hint(
            Code::Wrong,
            format!("`{text}` is no span of time (--older-than)"),
            "for example `90s`, `10m`, `24h`",
        )
    })
}
