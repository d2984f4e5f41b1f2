//! `idemscope undo TARGET JOURNAL_ID`: put back what a run changed, never over a newer record.

use clap::Args;

use super::change::{ChangeOptions, Place, carry_out, written_plan};
use super::error::{CliError, Code};
use super::open::open_store;
use super::options::CommonOptions;
use super::output::Output;
use crate::domain::change::Verb;
use crate::ops::journal::{ChainState, Depth, read, usual_folder};
use crate::ops::undo::{self, UndoError};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The store
    target: String,
    /// The run, as `idemscope journal` lists it
    #[arg(required_unless_present = "apply", conflicts_with = "apply")]
    journal_id: Option<String>,
    #[command(flatten)]
    change: ChangeOptions,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    let mut output = Output::of(&arguments.common);
    let opened = open_store(&arguments.target, &arguments.common, &output).await?;
    let place = Place {
        target: &opened.target,
        connection: &opened.connection,
        store: &opened.session.store,
    };
    let plan = match written_plan(Verb::Undo, &arguments.change, place.target)? {
        Some(plan) => plan,
        None => {
            let id = arguments.journal_id.unwrap_or_default();
            let folder = usual_folder().unwrap_or_default();
            let run = read(&folder, &id, Depth::Changes).map_err(|error| {
                let hint = "`idemscope journal` lists the runs";
                CliError::with_hint(Code::Wrong, error.text, hint)
            })?;
            match &run.chain {
                ChainState::Whole => {}
                ChainState::BrokenTail => output
                    .say("note: the journal of this run breaks off; what stands there is taken"),
                ChainState::Altered(line) => {
                    let text = format!("the journal of `{id}` was altered at line {line}");
                    let hint = "what it says was stored cannot be trusted: nothing was changed";
                    return Err(CliError::with_hint(Code::Bad, text, hint));
                }
                ChainState::BeforeMissing(before) => {
                    output.say(&format!(
                        "note: run `{before}` before it is missing or altered"
                    ));
                }
            }
            let planned = undo::plan(place.store, place.target, &run).await;
            planned.map_err(|error| match error {
                UndoError::Store(store) => CliError::from(store),
                other => CliError::new(Code::Wrong, other.to_string()),
            })?
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
