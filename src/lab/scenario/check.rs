//! What a scenario must be beyond its form: it does something, and expects counters that there are.

use axum::http::Method;

use super::{Scenario, Step, Variant};
use crate::lab::counters::{Counters, FIGURES};

/// Errors: what is wrong, and in which variant; a sentence.
pub fn check(scenario: &Scenario) -> Result<(), String> {
    if scenario.variant.is_empty() {
        return Err(format!("{} has no variant", scenario.id));
    }
    let known: Vec<String> = Counters::default()
        .members()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for variant in &scenario.variant {
        check_variant(scenario, variant, &known)?;
    }
    Ok(())
}

fn check_variant(scenario: &Scenario, variant: &Variant, known: &[String]) -> Result<(), String> {
    let steps = scenario.steps(variant);
    let id = &variant.id;
    let does_something = variant.storm.is_some() || variant.poller.is_some();
    if steps.is_empty() && !does_something {
        return Err(format!("variant `{id}` does nothing"));
    }
    for step in steps {
        check_step(step).map_err(|why| format!("variant `{id}`: {why}"))?;
    }
    let described = u8::try_from(variant.per_instance.len()).unwrap_or(u8::MAX);
    for instance in 1..=variant.instances.max(1).max(described) {
        let switches = variant.switches_of(instance);
        switches.map_err(|why| format!("variant `{id}`, instance {instance}: {why}"))?;
    }
    if described > variant.instances.max(1) {
        return Err(format!(
            "variant `{id}`: `per_instance` speaks of more instances than there are"
        ));
    }
    for (name, wanted) in &variant.expected {
        // A counter at one moment is one of the end's.
        let (_, counter) = name
            .split_once('.')
            .filter(|_| name.starts_with("at_"))
            .unwrap_or(("", name));
        let is_known = known.iter().any(|known| known == counter)
            || FIGURES.contains(&counter)
            || ["view.", "state.", "record."]
                .iter()
                .any(|start| counter.starts_with(start));
        if !is_known {
            return Err(format!("variant `{id}`: no counter is called `{name}`"));
        }
        let is_range = |table: &toml::Table| {
            !table.is_empty() && table.keys().all(|bound| bound == "from" || bound == "to")
        };
        let is_good = match wanted {
            toml::Value::Table(table) => is_range(table),
            toml::Value::Array(_) => false,
            _ => true,
        };
        if !is_good {
            let form = "a value, or a table of `from` and `to`";
            return Err(format!("variant `{id}`: `{name}` must be {form}"));
        }
    }
    Ok(())
}

fn check_step(step: &Step) -> Result<(), String> {
    if Method::from_bytes(step.method.as_bytes()).is_err() {
        return Err(format!("`{}` is no method", step.method));
    }
    let is_path = step.path.starts_with('/') && step.path.parse::<axum::http::Uri>().is_ok();
    if !is_path {
        return Err(format!("`{}` is no path", step.path));
    }
    match step.at_once {
        1..=500 => Ok(()),
        other => Err(format!("{other} clients at once are none, or too many")),
    }
}
