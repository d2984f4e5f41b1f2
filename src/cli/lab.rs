//! `idemscope lab`: scenarios of retries, with a real shop, real requests and a ledger.

mod save;
mod serve;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::error::{CliError, Code};
use super::options::CommonOptions;
use super::output::{Format, Output, Shape, Table};
use crate::lab::run::{Bench, Outcome, run as run_variant};
use crate::lab::scenario::{Scenario, all};
use crate::lab::shop::StoreChoice;
use crate::sys::{clock, env, files, folders};

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
    /// Run one and print the counters
    Run(Run),
    /// Serve the lab's shop for any HTTP client
    Serve(serve::Serve),
}

#[derive(Debug, Args)]
struct Run {
    /// S01, S02, …
    scenario: String,
    /// Where the records stand: redis://, postgres:// or sqlite:; the lab's own file without it
    #[arg(long, value_name = "TARGET")]
    store: Option<String>,
    /// Seed of what is random
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the run into a file that ends with .json, or into a page that ends with .html
    #[arg(long, value_name = "FILE")]
    save: Vec<PathBuf>,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn run(arguments: Arguments) -> Result<Code, CliError> {
    match arguments.action {
        Action::List { common } => {
            list(&scenarios()?, &common);
            Ok(Code::Done)
        }
        Action::Run(asked) => play(asked).await,
        Action::Serve(asked) => serve::serve(asked).await,
    }
}

fn scenarios() -> Result<Vec<Scenario>, CliError> {
    all().map_err(|error| CliError::new(Code::Wrong, error))
}

fn list(scenarios: &[Scenario], common: &CommonOptions) {
    let mut output = Output::of(common);
    let value = |scenario: &Scenario| {
        let variants: Vec<&str> = scenario.variant.iter().map(|v| v.id.as_str()).collect();
        json!({
            "id": scenario.id,
            "title": scenario.title,
            "lesson": scenario.lesson,
            "stores": ["sqlite", "redis", "postgres"],
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
                vec![scenario.id.clone(), scenario.title.clone(), count]
            });
            output.csv(&["id", "title", "variants"], rows);
        }
        Format::Table => {
            let mut table = Table::new(&["id", "title", "variants", "lesson"], &[2]);
            for scenario in scenarios {
                table.row(vec![
                    scenario.id.clone(),
                    scenario.title.clone(),
                    scenario.variant.len().to_string(),
                    scenario.lesson.clone(),
                ]);
            }
            output.table(&table);
        }
    }
}

async fn play(asked: Run) -> Result<Code, CliError> {
    let mut output = Output::of(&asked.common);
    let scenarios = scenarios()?;
    let wanted = |scenario: &&Scenario| scenario.id.eq_ignore_ascii_case(&asked.scenario);
    let Some(scenario) = scenarios.iter().find(wanted) else {
        return Err(CliError::with_hint(
            Code::Wrong,
            format!("no scenario is called `{}`", asked.scenario),
            "`idemscope lab list` lists them",
        ));
    };
    save::check(&asked.save)?;
    let (store, name) = place(asked.store.as_deref())?;
    let program = env::program().ok_or_else(|| {
        CliError::new(
            Code::Wrong,
            "this program cannot be started again by its own path",
        )
    })?;
    let bench = Bench { program, store };
    let seed = asked.seed.unwrap_or(1);
    let outcomes = play_all(&bench, scenario, &output).await;
    output.progress("");
    save::save(&asked.save, (scenario, &name), &outcomes)?;
    let passed = outcomes
        .iter()
        .all(|(_, outcome)| outcome.as_ref().is_ok_and(|done| done.missed.is_empty()));
    let value = json!({
        "scenario": scenario.id,
        "store": name,
        "seed": seed,
        "variants": outcomes.iter().map(|(variant, outcome)| {
            variant_json(variant, outcome)
        }).collect::<Vec<_>>(),
        "passed": passed,
    });
    match Format::chosen(asked.common.format, Shape::Single) {
        Format::Json => output.json(&value),
        Format::Jsonl => output.line(&value.to_string()),
        Format::Csv | Format::Table => table(scenario, &outcomes, &mut output),
    }
    Ok(match passed {
        true => Code::Done,
        false => Code::Bad,
    })
}

/// Variants side by side where each has a file of its own and timing allows; else one by one.
async fn play_all<'s>(bench: &Bench, scenario: &'s Scenario, output: &Output) -> Vec<Played<'s>> {
    let mut outcomes = Vec::new();
    let StoreChoice::Sqlite { path } = &bench.store else {
        for variant in &scenario.variant {
            output.progress(&format!("{} {}", scenario.id, variant.title));
            outcomes.push((variant, run_variant(bench, scenario, variant).await));
        }
        return outcomes;
    };
    let side_by_side = if scenario.is_alone { 1 } else { SIDE_BY_SIDE };
    for variants in scenario.variant.chunks(side_by_side) {
        output.progress(&format!("{} {}", scenario.id, scenario.title));
        let runs = variants.iter().map(|variant| {
            let path = path.with_extension(format!("{}.sqlite", variant.id));
            let store = StoreChoice::Sqlite { path };
            let bench = Bench {
                store,
                ..bench.clone()
            };
            async move { run_variant(&bench, scenario, variant).await }
        });
        let done = futures_util::future::join_all(runs).await;
        outcomes.extend(variants.iter().zip(done));
    }
    outcomes
}

/// Variants that run at once.
const SIDE_BY_SIDE: usize = 6;

type Played<'v> = (&'v crate::lab::scenario::Variant, Result<Outcome, String>);

fn variant_json(
    variant: &crate::lab::scenario::Variant,
    outcome: &Result<Outcome, String>,
) -> Value {
    let expected = serde_json::to_value(&variant.expected).unwrap_or_default();
    let (counters, passed, why) = match outcome {
        Ok(done) => {
            let counters: Map<String, Value> = done.counters.members().into_iter().collect();
            let why = (!done.missed.is_empty()).then(|| done.missed.join("; "));
            (Value::Object(counters), done.missed.is_empty(), why)
        }
        Err(error) => (Value::Null, false, Some(error.clone())),
    };
    json!({
        "id": variant.id,
        "switches": variant.switches,
        "expected": expected,
        "counters": counters,
        "passed": passed,
        "why": why,
    })
}

fn table(scenario: &Scenario, outcomes: &[Played<'_>], output: &mut Output) {
    output.line(&format!("{} {}", scenario.id, scenario.title));
    output.line(&scenario.lesson);
    for (variant, outcome) in outcomes {
        output.line("");
        match outcome {
            Ok(done) => {
                let mark = if done.missed.is_empty() {
                    "as expected"
                } else {
                    "MISSED"
                };
                let sentence = done.counters.conclusion();
                output.line(&format!("{}: {sentence} ({mark})", variant.title));
                done.missed
                    .iter()
                    .for_each(|miss| output.line(&format!("  {miss}")));
            }
            Err(error) => output.line(&format!("{}: {error}", variant.title)),
        }
    }
}

/// The lab's own place in a store: never somebody's records.
///
/// Errors: it is no store for the lab, or one that is marked as production.
fn place(target: Option<&str>) -> Result<(StoreChoice, String), CliError> {
    let Some(target) = target else {
        let folder = folders::data()
            .ok_or_else(|| CliError::new(Code::Wrong, "there is no home folder for the lab"))?;
        files::private_folder(&folder).map_err(|error| {
            CliError::new(Code::Wrong, format!("{}: {error}", folder.display()))
        })?;
        let name = format!(
            "lab-{}-{}.sqlite",
            std::process::id(),
            clock::now().millis()
        );
        let path = folder.join(name);
        return Ok((StoreChoice::Sqlite { path }, "sqlite".to_owned()));
    };
    own_place(target)
}

fn own_place(target: &str) -> Result<(StoreChoice, String), CliError> {
    let url = target.to_owned();
    if let Some(path) = target.strip_prefix("sqlite:") {
        let path = path.into();
        return Ok((StoreChoice::Sqlite { path }, "sqlite".to_owned()));
    }
    if target.starts_with("redis") {
        let prefix = "lab-shop".to_owned();
        return Ok((StoreChoice::Redis { url, prefix }, "redis".to_owned()));
    }
    if target.starts_with("postgres") {
        let schema = "idemscope_lab".to_owned();
        return Ok((StoreChoice::Postgres { url, schema }, "postgres".to_owned()));
    }
    Err(CliError::with_hint(
        Code::Wrong,
        format!("`{target}` is no store for the lab"),
        "for example redis://127.0.0.1:6379/9, postgres://localhost/lab or sqlite:lab.sqlite",
    ))
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
