//! Scenarios as data: what clients do, what goes wrong, and the counters that must come of it.
//!
//! One TOML file each in `assets/scenarios`; adding one there is all that adding a scenario takes.
//! Invariant: a scenario that is held here was checked; a mistake is told with its file and line.

mod acts;
mod check;

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::shop::{Door, Fault, StoreChoice};
use super::switches::Switches;
use super::trace::{About, Behind};

pub use acts::{
    Act, Befalls, Delay, Memory, OperatorAct, OwnServer, Patience, Persistence, Poller, Repair,
    Storm,
};

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
    /// Where its records may stand.
    #[serde(default = "all_kinds")]
    pub stores: Vec<StoreKind>,
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

/// A kind of store that the lab can keep its records in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreKind {
    Sqlite,
    Redis,
    Postgres,
    /// Servers that the lab starts for it.
    Own,
}

impl StoreKind {
    pub fn name(self) -> &'static str {
        match self {
            StoreKind::Sqlite => "sqlite",
            StoreKind::Redis => "redis",
            StoreKind::Postgres => "postgres",
            StoreKind::Own => "own",
        }
    }

    pub fn of(choice: &StoreChoice) -> Option<StoreKind> {
        match choice {
            StoreChoice::Memory => None,
            StoreChoice::Sqlite { .. } => Some(StoreKind::Sqlite),
            StoreChoice::Redis { .. } => Some(StoreKind::Redis),
            StoreChoice::Postgres { .. } => Some(StoreKind::Postgres),
            StoreChoice::Both(_) => Some(StoreKind::Own),
        }
    }
}

fn all_kinds() -> Vec<StoreKind> {
    vec![StoreKind::Sqlite, StoreKind::Redis, StoreKind::Postgres]
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
    /// The request is lost on its way.
    #[serde(default)]
    pub loses_request: bool,
    /// It comes so much later.
    #[serde(default)]
    pub delay_ms: u64,
    /// It is delivered once more, so long after it came.
    pub again_after_ms: Option<u64>,
    /// Makes ready what the scenario is about: no client of it.
    #[serde(default)]
    pub is_setup: bool,
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
    /// Whether it is run by itself, if not as the scenario says.
    pub is_alone: Option<bool>,
    /// Where its records may stand, if not wherever the scenario's may.
    pub stores: Option<Vec<StoreKind>>,
    /// Positions that one instance has otherwise, by instance.
    #[serde(default)]
    pub per_instance: Vec<toml::Table>,
    pub door: Option<Door>,
    #[serde(default)]
    pub has_saga: bool,
    pub storm: Option<Storm>,
    pub poller: Option<Poller>,
    /// Servers that the lab starts for this variant.
    pub server: Option<OwnServer>,
    /// What befalls the store.
    #[serde(default)]
    pub befalls: Vec<Befalls>,
    #[serde(default)]
    pub operator: Vec<OperatorAct>,
    /// Counts at these times too: `at_2500.charges`.
    #[serde(default)]
    pub looks_ms: Vec<u64>,
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
        let is_of_events =
            |name: &String| name.starts_with("outbox") || name.starts_with("consumer");
        let mut counted = self.variant.iter().flat_map(|one| one.expected.keys());
        let is_about_them = variant.has_saga || counted.any(is_of_events);
        About {
            wanted: variant.intents.unwrap_or(self.intents),
            behind: match is_about_them {
                true => Behind::Shown,
                false => Behind::Hidden,
            },
        }
    }

    /// Where the records of a variant may stand.
    pub fn stores_of<'s>(&'s self, variant: &'s Variant) -> &'s [StoreKind] {
        variant.stores.as_deref().unwrap_or(&self.stores)
    }

    /// A scenario from its text.
    ///
    /// Errors: where the text is wrong, and what was expected there.
    pub fn read(text: &str) -> Result<Scenario, String> {
        let scenario: Scenario = toml::from_str(text).map_err(|error| of_toml(text, &error))?;
        check::check(&scenario)?;
        Ok(scenario)
    }
}

impl Variant {
    /// The switches of one instance.
    ///
    /// Errors: a position that there is not; a sentence.
    pub fn switches_of(&self, instance: u8) -> Result<Switches, String> {
        let at = usize::from(instance).checked_sub(1);
        let Some(own) = at.and_then(|at| self.per_instance.get(at)) else {
            return Ok(self.switches.clone());
        };
        let mut whole = toml::Table::try_from(&self.switches).map_err(|e| e.to_string())?;
        whole.extend(own.clone());
        whole.try_into().map_err(|e: toml::de::Error| e.to_string())
    }
}

/// A mistake in one line: the reader's own words draw a picture of the file.
fn of_toml(text: &str, error: &toml::de::Error) -> String {
    let said = error.message().trim().replace('\n', ", ");
    let before = error.span().and_then(|span| text.get(..span.start));
    match before {
        Some(before) => format!("line {}: {said}", before.matches('\n').count() + 1),
        None => said,
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
        let scenario = Scenario::read(text).map_err(|error| format!("{name}: {error}"))?;
        scenarios.push(scenario);
    }
    scenarios.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(scenarios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_is_good() {
        let scenarios = all().expect("good files");
        let ids: Vec<&str> = scenarios.iter().map(|s| s.id.as_str()).collect();
        let expected: Vec<String> = (1..=18).map(|n| format!("S{n:02}")).collect();
        assert_eq!(ids, expected);
    }

    const START: &str = "id = 'S99'\ntitle = 'T'\nlesson = 'L'\n";

    #[track_caller]
    fn check(rest: &str, expected: &str) {
        let error = Scenario::read(&format!("{START}{rest}")).expect_err("wrong");
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        check(
            "[[variant]]\nid = 'a'\ntitel = 'A'",
            "unknown field `titel`",
        );
        check("[[variant]]\nid = 'a'\ntitel = 'A'", "line 6");
        check("variant = []", "no variant");
        check(
            "[[variant]]\nid = 'a'\ntitle = 'A'\nexpected = {}",
            "`a` does nothing",
        );
        let step = "[[step]]\nat_ms = 0\nattempt = 1\n";
        let variant = "[[variant]]\nid = 'a'\ntitle = 'A'\nexpected = ";
        check(
            &format!("{step}{variant}{{ chages = 1 }}"),
            "no counter is called `chages`",
        );
        check(
            &format!("{step}path = 'x'\n{variant}{{}}"),
            "`x` is no path",
        );
        check(
            &format!("{step}method = 'A B'\n{variant}{{}}"),
            "`A B` is no method",
        );
        check(&format!("{step}{variant}{{ charges = [1] }}"), "`charges`");
        check(
            &format!(
                "{step}{variant}{{}}\ninstances = 2\nper_instance = [{{ f1 = 'none' }}, {{ f9 = 1 }}]"
            ),
            "f9",
        );
        check(
            &format!("{step}{variant}{{}}\nper_instance = [{{}}, {{}}]"),
            "more instances than there are",
        );
    }
}
