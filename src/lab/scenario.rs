//! Scenarios as data: what clients do, what goes wrong, and the counters that must come of it.
//!
//! One TOML file each in `assets/scenarios`; adding one there is all that adding a scenario takes.
//! Invariant: a scenario that is held here was checked; a mistake is told with its file and line.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::shop::Fault;
use super::switches::Switches;
use super::trace::{About, Mails};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/scenarios");

/// One scenario with its variants, in reading order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub id: String,
    pub title: String,
    /// What it teaches, in one sentence.
    pub lesson: String,
    /// Operations that the scripted users wanted, and that should be charged.
    #[serde(default = "one")]
    pub intents: u64,
    /// Its variants are run one after the other, since their timing would disturb each other.
    #[serde(default)]
    pub is_alone: bool,
    /// The two variants that are shown beside each other at first: `variant`, or `SCENARIO/variant`
    /// where another one holds it. The first and the last without it.
    #[serde(default)]
    pub side_by_side: Vec<String>,
    /// What every variant does, unless it has steps of its own.
    #[serde(default)]
    pub step: Vec<Step>,
    pub variant: Vec<Variant>,
}

fn one() -> u64 {
    1
}

/// One request, or several at once.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Milliseconds of lab time from the start.
    pub at_ms: u64,
    #[serde(default = "first_intent")]
    pub intent: String,
    pub attempt: u32,
    #[serde(default = "post")]
    pub method: String,
    #[serde(default = "payments")]
    pub path: String,
    #[serde(default = "customer")]
    pub user: String,
    pub key: Option<String>,
    #[serde(default = "amount")]
    pub body: String,
    #[serde(default)]
    pub if_match: Option<u64>,
    /// The instance that it reaches, from 1 on; several at once go round.
    #[serde(default)]
    pub instance: u8,
    /// So many clients, released together.
    #[serde(default = "one")]
    pub at_once: u64,
    /// The answer is lost on its way.
    #[serde(default)]
    pub loses_answer: bool,
    /// Only where the intent has no success yet.
    #[serde(default)]
    pub unless_done: bool,
}

fn first_intent() -> String {
    "i1".to_owned()
}

fn post() -> String {
    "POST".to_owned()
}

fn payments() -> String {
    "/payments".to_owned()
}

fn customer() -> String {
    "user_42".to_owned()
}

fn amount() -> String {
    r#"{"amount": 1500}"#.to_owned()
}

/// One cell of a scenario's table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    pub id: String,
    pub title: String,
    #[serde(default)]
    pub switches: Switches,
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Steps of its own, in the place of the scenario's.
    #[serde(default)]
    pub step: Vec<Step>,
    #[serde(default = "one_instance")]
    pub instances: u8,
    #[serde(default = "brief")]
    pub execution_ms: u64,
    /// Requests that look before any of them writes.
    #[serde(default)]
    pub lookers: usize,
    pub intents: Option<u64>,
    /// Counters by name, and `view.INTENT`.
    pub expected: BTreeMap<String, toml::Value>,
}

fn one_instance() -> u8 {
    1
}

fn brief() -> u64 {
    10
}

impl Scenario {
    /// The steps of a variant.
    pub fn steps<'s>(&'s self, variant: &'s Variant) -> &'s [Step] {
        match variant.step.is_empty() {
            true => &self.step,
            false => &variant.step,
        }
    }

    /// What a story of a variant needs to know of it.
    pub fn about(&self, variant: &Variant) -> About {
        let is_of_mails =
            |name: &String| name.starts_with("outbox") || name.starts_with("consumer");
        let counted = self
            .variant
            .iter()
            .flat_map(|variant| variant.expected.keys());
        About {
            wanted: variant.intents.unwrap_or(self.intents),
            mails: match counted.into_iter().any(is_of_mails) {
                true => Mails::Shown,
                false => Mails::Counted,
            },
        }
    }
}

/// All scenarios, in the order of their ids.
///
/// Errors: a file is wrong; its name, and what the reader says of it.
pub fn all() -> Result<Vec<Scenario>, String> {
    let mut scenarios = Vec::new();
    for file in FILES.files() {
        let name = file.path().display().to_string();
        if !name.ends_with(".toml") {
            continue;
        }
        let text = file.contents_utf8().unwrap_or_default();
        let scenario: Scenario =
            toml::from_str(text).map_err(|error| format!("{name}: {error}"))?;
        scenarios.push(scenario);
    }
    scenarios.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(scenarios)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::counters::Counters;

    #[test]
    fn every_scenario_is_good_and_expects_counters_that_there_are() {
        let scenarios = all().expect("good files");
        assert!(!scenarios.is_empty());
        let known = Counters::default().members();
        for scenario in scenarios {
            assert!(!scenario.variant.is_empty(), "{}", scenario.id);
            for variant in &scenario.variant {
                assert!(
                    !scenario.steps(variant).is_empty(),
                    "{} {}",
                    scenario.id,
                    variant.id
                );
                for name in variant.expected.keys() {
                    let is_known = known.iter().any(|(known, _)| known == name)
                        || ["view.", "state."]
                            .iter()
                            .any(|start| name.starts_with(start));
                    assert!(is_known, "{} {}: {name}", scenario.id, variant.id);
                }
            }
        }
    }
}
