//! `idemscope lab run`: plays scenarios and tells what came of them.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::{Map, Value, json};

use super::place::place;
use super::save;
use super::scenarios;
use crate::cli::error::{CliError, Code};
use crate::cli::options::CommonOptions;
use crate::cli::output::{Format, Output, Shape};
use crate::cli::stop::asked_to_stop;
use crate::lab::run::{
    Bench, NotRun, Outcome, clear, hold, missed_sentence, reach, run as run_variant,
};
use crate::lab::scenario::{Scenario, Variant};
use crate::lab::shop::StoreChoice;
use crate::sys::clock::Stopwatch;
use crate::sys::{env, files};

/// Variants that run at once.
const SIDE_BY_SIDE: usize = 6;
/// A scenario's file.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct Run {
    /// S01, S02, …, `all`, or a file of your own
    #[arg(required = true, value_delimiter = ',')]
    scenario: Vec<String>,
    /// Where the records stand: redis://, postgres://, sqlite: or a saved connection; the lab's own
    /// file without it
    #[arg(long, value_name = "TARGET")]
    store: Option<String>,
    /// Seed of what is random
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the run of one scenario into a file that ends with .json, or into a page (.html)
    #[arg(long, value_name = "FILE")]
    save: Vec<PathBuf>,
    #[command(flatten)]
    common: CommonOptions,
}

type Ended = Result<Outcome, NotRun>;

/// One variant of the many, by the places of its scenario and in it.
struct Turn {
    scenario: usize,
    variant: usize,
    ended: Option<Ended>,
}

pub async fn run(asked: Run) -> Result<Code, CliError> {
    let mut output = Output::of(&asked.common);
    let chosen = chosen(&asked.scenario)?;
    save::check(&asked.save, chosen.len())?;
    let place = place(asked.store.as_deref(), &asked.common, &output).await?;
    let program = env::program().ok_or_else(|| {
        let text = "this program cannot be started again by its own path";
        CliError::new(Code::Wrong, text)
    })?;
    let mut bench = Bench::new(program, place.store.clone(), place.scratch.0.clone());
    bench.lane = place.lane.clone();
    bench.seed = asked.seed.unwrap_or(1);
    let reached = reach(&place.store).await;
    reached.map_err(|error| CliError::new(Code::Unreachable, error))?;
    let watch = Stopwatch::start();
    let turns = tokio::select! {
        turns = play_all(&bench, &chosen, &output) => turns,
        () = asked_to_stop() => {
            // What was playing is dropped with all its processes; its records are not.
            clear_all(&bench, &chosen).await;
            output.progress("");
            output.say("interrupted: what the lab wrote was removed");
            return Ok(Code::Partly);
        }
    };
    output.progress("");
    let told: Vec<Value> = chosen
        .iter()
        .enumerate()
        .map(|(at, scenario)| scenario_json(scenario, &of(&turns, at), place.kind, bench.seed))
        .collect();
    if let [scenario] = chosen.as_slice() {
        let sides = turns.iter().filter_map(|turn| {
            let outcome = turn.ended.as_ref()?.as_ref().ok()?;
            Some((scenario.variant.get(turn.variant)?, outcome))
        });
        save::save(&asked.save, (scenario, place.kind), sides)?;
    }
    let passed = told.iter().all(|told| told["passed"] == true);
    match (
        Format::chosen(asked.common.format, Shape::Single),
        told.as_slice(),
    ) {
        (Format::Json, [one]) => output.json(one),
        (Format::Json, many) => output.json(&Value::from(many.to_vec())),
        (Format::Jsonl, many) => many.iter().for_each(|one| output.line(&one.to_string())),
        (Format::Csv, told) => csv(told, &mut output),
        (Format::Table, _) => {
            for (at, scenario) in chosen.iter().enumerate() {
                table(scenario, &of(&turns, at), &mut output);
            }
        }
    }
    if chosen.len() > 1 {
        let secs = watch.elapsed().as_secs_f64();
        let (count, scenarios) = (turns.len(), chosen.len());
        output.say(&format!(
            "{count} variants of {scenarios} scenarios in {secs:.0} s"
        ));
    }
    Ok(match passed {
        true => Code::Done,
        false => Code::Bad,
    })
}

/// Removes what was being written; twice, since a statement that was under way goes on a moment.
async fn clear_all(bench: &Bench, chosen: &[Scenario]) {
    let mut places: Vec<StoreChoice> = Vec::new();
    for scenario in chosen {
        for variant in &scenario.variant {
            let store = own_place(bench, scenario, variant).store;
            if !places.contains(&store) {
                places.push(store);
            }
        }
    }
    for _ in 0..2 {
        for store in &places {
            // Where another lab is at work, this one has written nothing.
            if let Ok(_tenure) = hold(store).await {
                let _ = clear(store).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// The scenarios that are meant, each once, in their order.
fn chosen(names: &[String]) -> Result<Vec<Scenario>, CliError> {
    let known = scenarios()?;
    let mut chosen: Vec<Scenario> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        let found: Vec<Scenario> = match name {
            "all" => known.clone(),
            file if file.ends_with(".toml") => vec![read(file)?],
            id => {
                let is_meant = |scenario: &&Scenario| scenario.id.eq_ignore_ascii_case(id);
                known.iter().filter(is_meant).cloned().collect()
            }
        };
        if found.is_empty() {
            return Err(CliError::with_hint(
                Code::Wrong,
                format!("no scenario is called `{name}`"),
                "`idemscope lab list` lists them",
            ));
        }
        for scenario in found {
            if chosen.iter().all(|known| known.id != scenario.id) {
                chosen.push(scenario);
            }
        }
    }
    Ok(chosen)
}

fn read(file: &str) -> Result<Scenario, CliError> {
    let wrong = |error: String| CliError::new(Code::Wrong, format!("{file}: {error}"));
    let text = files::read_own_text(file.as_ref(), FILE_BYTES_MAX);
    let text = text.map_err(|error| wrong(error.to_string()))?;
    Scenario::read(&text).map_err(wrong)
}

fn of(turns: &[Turn], scenario: usize) -> Vec<&Turn> {
    turns
        .iter()
        .filter(|turn| turn.scenario == scenario)
        .collect()
}

/// Side by side where each variant has a place of its own and timing allows; the others one by one,
/// behind them.
async fn play_all(bench: &Bench, chosen: &[Scenario], output: &Output) -> Vec<Turn> {
    let mut turns = Vec::new();
    let (mut many, mut single) = (VecDeque::new(), VecDeque::new());
    for (at, scenario) in chosen.iter().enumerate() {
        for (number, variant) in scenario.variant.iter().enumerate() {
            let is_alone = variant.is_alone.unwrap_or(scenario.is_alone);
            let queue = match is_alone || shares_a_place(bench, variant) {
                true => &mut single,
                false => &mut many,
            };
            queue.push_back(turns.len());
            turns.push(Turn {
                scenario: at,
                variant: number,
                ended: None,
            });
        }
    }
    for (mut queue, at_once) in [(many, SIDE_BY_SIDE), (single, 1)] {
        let mut playing = FuturesUnordered::new();
        loop {
            while playing.len() < at_once
                && let Some(next) = queue.pop_front()
            {
                let turn = turns.get(next).map(|turn| (turn.scenario, turn.variant));
                let Some(scenario) = turn.and_then(|(at, _)| chosen.get(at)) else {
                    continue;
                };
                let Some(variant) = turn.and_then(|(_, at)| scenario.variant.get(at)) else {
                    continue;
                };
                output.progress(&format!("{} {}", scenario.id, variant.title.english()));
                let bench = own_place(bench, scenario, variant);
                playing.push(async move { (next, run_variant(&bench, scenario, variant).await) });
            }
            let Some((at, ended)) = playing.next().await else {
                break;
            };
            if let Some(turn) = turns.get_mut(at) {
                turn.ended = Some(ended);
            }
        }
    }
    turns
}

/// Whether a variant writes where another one of the same bench would.
fn shares_a_place(bench: &Bench, variant: &Variant) -> bool {
    match (&bench.store, &variant.server) {
        (StoreChoice::Sqlite { .. } | StoreChoice::Postgres { .. }, _) => false,
        (_, Some(_)) => false,
        (_, None) => true,
    }
}

/// The same bench with a file or a schema for this variant only.
fn own_place(bench: &Bench, scenario: &Scenario, variant: &Variant) -> Bench {
    let store = match &bench.store {
        StoreChoice::Sqlite { path } => {
            let path = path.with_extension(format!("{}-{}.sqlite", scenario.id, variant.id));
            StoreChoice::Sqlite { path }
        }
        StoreChoice::Postgres { url, schema } => {
            let schema = format!("{schema}_{}_{}", scenario.id, variant.id);
            StoreChoice::Postgres {
                url: url.clone(),
                schema: schema.to_lowercase().replace('-', "_"),
            }
        }
        other => other.clone(),
    };
    Bench {
        store,
        servers: Arc::clone(&bench.servers),
        ..bench.clone()
    }
}

/// Whether a variant is what its table has; nothing where it could not be tried.
fn passed(turn: &Turn) -> Option<bool> {
    match &turn.ended {
        Some(Ok(done)) => Some(done.missed.is_empty()),
        Some(Err(NotRun::Missing(_) | NotRun::OtherStore(_))) => None,
        Some(Err(NotRun::Failed(_))) | None => Some(false),
    }
}

fn scenario_json(scenario: &Scenario, turns: &[&Turn], store: &str, seed: u64) -> Value {
    let variants: Vec<Value> = turns
        .iter()
        .filter_map(|turn| Some(variant_json(scenario.variant.get(turn.variant)?, turn)))
        .collect();
    json!({
        "scenario": scenario.id,
        "store": store,
        "seed": seed,
        "variants": variants,
        "passed": turns.iter().all(|turn| passed(turn) != Some(false)),
    })
}

fn variant_json(variant: &Variant, turn: &Turn) -> Value {
    let expected = serde_json::to_value(&variant.expected).unwrap_or_default();
    let (counters, why) = match &turn.ended {
        Some(Ok(done)) => {
            let counters: Map<String, Value> = done.counters.members().into_iter().collect();
            let why = (!done.missed.is_empty()).then(|| missed_sentence(&done.missed));
            (Value::Object(counters), why)
        }
        Some(Err(error)) => (Value::Null, Some(error.to_string())),
        None => (Value::Null, Some("it was not played".to_owned())),
    };
    json!({
        "id": variant.id,
        "switches": variant.switches,
        "expected": expected,
        "counters": counters,
        "passed": passed(turn),
        "why": why,
    })
}

/// One row a counter, since scenarios have different ones; a variant that was not run has one row.
fn csv(told: &[Value], output: &mut Output) {
    let header = [
        "scenario", "store", "seed", "variant", "passed", "why", "counter", "value", "expected",
    ];
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut rows = Vec::new();
    for scenario in told {
        let whole = ["scenario", "store", "seed"].map(|name| cell(&scenario[name]));
        for variant in scenario["variants"].as_array().into_iter().flatten() {
            let own = ["id", "passed", "why"].map(|name| cell(&variant[name]));
            let row = |counter: [String; 3]| [&whole[..], &own, &counter].concat();
            match variant["counters"].as_object() {
                Some(counters) => rows.extend(counters.iter().map(|(name, value)| {
                    row([name.clone(), cell(value), cell(&variant["expected"][name])])
                })),
                None => rows.push(row(Default::default())),
            }
        }
    }
    output.csv(&header, rows.into_iter());
}

fn table(scenario: &Scenario, turns: &[&Turn], output: &mut Output) {
    output.line(&format!("{} {}", scenario.id, scenario.title.english()));
    output.line(scenario.lesson.english());
    for turn in turns {
        let Some(variant) = scenario.variant.get(turn.variant) else {
            continue;
        };
        output.line("");
        match &turn.ended {
            Some(Ok(done)) => {
                let mark = match done.missed.is_empty() {
                    true => "as expected",
                    false => "MISSED",
                };
                let sentence = done.counters.conclusion();
                output.line(&format!("{}: {sentence} ({mark})", variant.title.english()));
                done.missed
                    .iter()
                    .for_each(|miss| output.line(&format!("  {miss}")));
            }
            Some(Err(error)) => output.line(&format!("{}: {error}", variant.title.english())),
            None => {}
        }
    }
    output.line("");
}
