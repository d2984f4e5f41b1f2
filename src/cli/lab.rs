//! `idemscope lab`: scenarios of retries, with a real shop, real requests and a ledger.

mod place;
mod play;
mod save;
mod serve;

use clap::{Args, Subcommand};
use serde_json::json;

use super::error::{CliError, Code};
use super::options::CommonOptions;
use super::output::{Format, Output, Shape, Table};
use crate::lab::scenario::{Scenario, StoreKind, all};

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// The scenarios
    List {
        #[command(flatten)]
        common: CommonOptions,
    },
    /// Run some and print the counters
    Run(play::Run),
    /// Serve the lab's shop for any HTTP client
    Serve(serve::Serve),
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    match arguments.action {
        Action::List { common } => {
            list(&scenarios()?, &common);
            Ok(Code::Done)
        }
        Action::Run(asked) => play::run(asked).await,
        Action::Serve(asked) => serve::serve(asked).await,
    }
}

fn scenarios() -> Result<Vec<Scenario>, CliError> {
    all().map_err(|error| CliError::new(Code::Wrong, error))
}

/// Where a scenario's records may stand, some of its variants at least.
fn stores(scenario: &Scenario) -> Vec<&'static str> {
    use StoreKind::{Own, Postgres, Redis, Sqlite};
    let is_of = |kind: &StoreKind| {
        let variants = scenario.variant.iter();
        let mut kinds = variants.map(|variant| scenario.stores_of(variant));
        kinds.any(|kinds| kinds.contains(kind))
    };
    let kinds = [Sqlite, Redis, Postgres, Own].into_iter().filter(is_of);
    kinds.map(StoreKind::name).collect()
}

fn list(scenarios: &[Scenario], common: &CommonOptions) {
    let mut output = Output::of(common);
    let value = |scenario: &Scenario| {
        let variants: Vec<&str> = scenario.variant.iter().map(|v| v.id.as_str()).collect();
        json!({
            "id": scenario.id,
            "title": scenario.title.english(),
            "lesson": scenario.lesson.english(),
            "stores": stores(scenario),
            "variants": variants,
        })
    };
    match Format::chosen(common.format, Shape::List) {
        Format::Json => output.json(&scenarios.iter().map(value).collect()),
        Format::Jsonl => scenarios
            .iter()
            .for_each(|scenario| output.line(&value(scenario).to_string())),
        Format::Csv => {
            let rows = scenarios.iter().map(|scenario| {
                let count = scenario.variant.len().to_string();
                let stores = stores(scenario).join(" ");
                let title = scenario.title.english().to_owned();
                vec![scenario.id.clone(), title, count, stores]
            });
            output.csv(&["id", "title", "variants", "stores"], rows);
        }
        Format::Table => {
            let mut table = Table::new(&["id", "title", "variants", "stores", "lesson"], &[2]);
            for scenario in scenarios {
                table.row(vec![
                    scenario.id.clone(),
                    scenario.title.english().to_owned(),
                    scenario.variant.len().to_string(),
                    stores(scenario).join(" "),
                    scenario.lesson.english().to_owned(),
                ]);
            }
            output.table(&table);
        }
    }
}

/// The hidden command: the shop itself, told what to do through a pipe.
pub async fn shop() -> Result<Code, CliError> {
    let say = |address: std::net::SocketAddr| {
        let mut output = Output::new(super::output::Quiet::Silent);
        output.line(&format!("listening {address}"));
        output.flush();
    };
    let (sender, ended) = tokio::sync::oneshot::channel::<()>();
    let (lines, mut first) = tokio::sync::mpsc::channel::<String>(1);
    let reader = std::thread::Builder::new().name("pipe".to_owned());
    let read = move || {
        for line in std::io::stdin().lines() {
            let Ok(line) = line else { break };
            if lines.blocking_send(line).is_err() {
                break;
            }
        }
        // The parent has gone: nobody needs this shop any more.
        drop(sender);
    };
    reader
        .spawn(read)
        .map_err(|error| CliError::new(Code::Wrong, error.to_string()))?;
    let config = first.recv().await.unwrap_or_default();
    let mut config = std::io::Cursor::new(format!("{config}\n"));
    tokio::select! {
        done = crate::lab::shop::process::serve(&mut config, say) => match done {
            Ok(()) => Ok(Code::Done),
            Err(error) => {
                Output::new(super::output::Quiet::Silent).line(&error);
                Ok(Code::Unreachable)
            }
        },
        _ = ended => Ok(Code::Done),
    }
}
