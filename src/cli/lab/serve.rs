//! `idemscope lab serve`: the lab's shop for curl or anybody's client, told line by line.

use std::time::Duration;

use clap::Args;
use serde_json::{Map, Value, json};

use super::place::place;
use crate::cli::error::{CliError, Code};
use crate::cli::options::CommonOptions;
use crate::cli::output::{Format, Output, Shape};
use crate::cli::stop::asked_to_stop;
use crate::lab::presets::presets;
use crate::lab::run::clear;
use crate::lab::service::{Ground, INSTANCES_MAX, Service, Wanted, unscripted};
use crate::lab::shop::StoreChoice;
use crate::lab::switches::Switches;
use crate::lab::world::{Event, Happening};
use crate::present::escape;
use crate::sys::env;

/// How often what happened is printed.
const LOOK: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
pub struct Serve {
    /// Where the records stand: redis://, postgres:// or sqlite:; the lab's own file without it
    #[arg(long, value_name = "TARGET")]
    store: Option<String>,
    /// A named set of switches, such as `ietf-draft`; `lab-default` without it
    #[arg(long, value_name = "ID")]
    preset: Option<String>,
    /// The port on 127.0.0.1; any without it
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
    /// Instances of the shop, each in a process of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=i64::from(INSTANCES_MAX)))]
    instances: u8,
    /// How long an execution takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    execution: u64,
    #[command(flatten)]
    common: CommonOptions,
}

pub async fn serve(asked: Serve) -> Result<Code, CliError> {
    let mut output = Output::of(&asked.common);
    let place = place(asked.store.as_deref(), &asked.common, &output).await?;
    let program = env::program().ok_or_else(|| {
        CliError::new(
            Code::Wrong,
            "this program cannot be started again by its own path",
        )
    })?;
    let wanted = Wanted {
        program,
        store: place.store.clone(),
        ground: Ground::Emptied,
        switches: switches(asked.preset.as_deref())?,
        port: asked.port,
        instances: asked.instances,
        execution_ms: asked.execution,
    };
    // One for the whole time, and before anybody is told that it listens.
    let mut stopped = std::pin::pin!(asked_to_stop());
    let service = Service::start(&wanted).await;
    let service = service.map_err(|error| CliError::new(Code::Unreachable, error))?;
    let format = Format::chosen(asked.common.format, Shape::List);
    greet(&service, &wanted.store, format, &mut output);
    output.flush();
    let mut told = 0;
    loop {
        tokio::select! {
            () = &mut stopped => break,
            () = tokio::time::sleep(LOOK) => told = tell(&service, told, format, &mut output),
        }
    }
    tell(&service, told, format, &mut output);
    farewell(service, &wanted.store, format, &mut output).await;
    Ok(Code::Done)
}

fn switches(preset: Option<&str>) -> Result<Switches, CliError> {
    let Some(id) = preset else {
        return Ok(Switches::default());
    };
    let known = presets().map_err(|error| CliError::new(Code::Wrong, error))?;
    let found = known.iter().find(|preset| preset.id == id);
    found.map(|preset| preset.switches.clone()).ok_or_else(|| {
        let ids: Vec<&str> = known.iter().map(|preset| preset.id.as_str()).collect();
        CliError::with_hint(
            Code::Wrong,
            format!("no preset is called `{id}`"),
            format!("there are {}", ids.join(", ")),
        )
    })
}

/// How the same store is opened for looking.
fn target(store: &StoreChoice) -> Option<String> {
    match store {
        StoreChoice::Sqlite { path } => Some(format!("sqlite:{}", path.display())),
        // With its password it stays where the user typed it.
        _ => None,
    }
}

fn greet(service: &Service, store: &StoreChoice, format: Format, output: &mut Output) {
    let urls: Vec<String> = service
        .addresses
        .iter()
        .map(|address| format!("http://{address}"))
        .collect();
    if format != Format::Table {
        let line = json!({"listening": urls, "store": target(store)});
        return output.line(&line.to_string());
    }
    let first = urls.first().map(String::as_str).unwrap_or_default();
    output.line(&format!("The lab's shop listens on {}", urls.join(", ")));
    output.line("");
    output.line(&format!(
        "  curl -i {first}/payments -H 'Idempotency-Key: k1' -d '{{\"amount\": 1500}}'"
    ));
    output
        .line("  The same again is replayed. With -H 'x-lab-fault: after_execute_before_save' the");
    output.line("  shop crashes between the charge and the save, and is back a second later.");
    output.line(&format!("  {first}/openapi.json describes it."));
    if let Some(target) = target(store) {
        output.line(&format!(
            "  idemscope '{target}' shows its records in the window."
        ));
    }
    output.line("");
    output.line("Stop it with Ctrl C.");
    output.line("");
}

/// Prints what has happened since; how much was printed by now.
fn tell(service: &Service, told: usize, format: Format, output: &mut Output) -> usize {
    let events = service.world.events_since(told);
    for event in &events {
        match format {
            Format::Table => {
                if let Some(line) = sentence(event) {
                    output.line(&line);
                }
            }
            _ => output.line(&serde_json::to_string(event).unwrap_or_default()),
        }
    }
    output.flush();
    told + events.len()
}

/// What matters to somebody who watches.
fn sentence(event: &Event) -> Option<String> {
    let what = match &event.what {
        Happening::Seen => format!("request  {}", escape::shown(&event.text, 120)),
        Happening::Execution => "         executes".to_owned(),
        Happening::Charged {
            id,
            deduplicated: false,
            ..
        } => format!("         bank charges, {id}"),
        Happening::Charged { id, .. } => format!("         bank knows the key: {id} again"),
        Happening::Refunded { id, .. } => format!("         bank refunds, {id}"),
        Happening::LookedUp { found: true } => "         bank has the charge".to_owned(),
        Happening::LookedUp { found: false } => "         bank has no such charge".to_owned(),
        Happening::Mailed => "         mail is sent".to_owned(),
        Happening::Answered { outcome, status } => format!("answer   {status} {outcome}"),
        Happening::Crashed => "CRASH    the process is gone".to_owned(),
        Happening::Restarted => "back     the shop listens again".to_owned(),
        Happening::StoreFailed => "         the store does not answer".to_owned(),
        _ => return None,
    };
    let secs = event.at_ms / 1000;
    Some(format!("{secs:>5}.{:03} s  {what}", event.at_ms % 1000))
}

async fn farewell(service: Service, store: &StoreChoice, format: Format, output: &mut Output) {
    let counters = service.counters().await;
    drop(service);
    // The lab's own file is of this call only; other stores keep what they hold for a look.
    if let StoreChoice::Sqlite { .. } = store {
        let _ = clear(store).await;
    }
    let Ok(counters) = counters else { return };
    let counters: Map<String, Value> = unscripted(&counters).into_iter().collect();
    match format {
        Format::Table => {
            let number = |name: &str| counters.get(name).cloned().unwrap_or_default();
            output.line(&format!(
                "{} requests, {} executions, {} charges, {} replays",
                number("requests_seen"),
                number("executions"),
                number("charges"),
                number("replays"),
            ));
        }
        _ => output.line(&json!({"counters": counters}).to_string()),
    }
    output.flush();
}
