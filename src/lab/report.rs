//! A run as a file: JSON for machines, and one HTML page with the diagrams for people.
//!
//! Apart from the command line and the window because both save the same.

mod page;
mod svg;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::run::{Outcome, missed_sentence};
use super::scenario::Variant;
use super::trace::Trace;

/// A run of a scenario, as far as it is saved.
#[derive(Clone, Debug)]
pub struct RunReport {
    pub id: String,
    pub title: String,
    pub lesson: String,
    /// What the records stood in.
    pub store: String,
    /// In the order in which they are shown.
    pub sides: Vec<SideReport>,
}

#[derive(Clone, Debug)]
pub struct SideReport {
    pub variant: Variant,
    /// Its switches are others than the scenario's.
    pub is_changed: bool,
    pub outcome: Arc<Outcome>,
    pub trace: Arc<Trace>,
}

impl RunReport {
    /// As `lab run` prints it, with every event.
    pub fn json(&self) -> String {
        let sides = self.sides.iter().map(|side| {
            let counters: Map<String, Value> =
                side.outcome.counters.members().into_iter().collect();
            let missed = &side.outcome.missed;
            json!({
                "id": side.variant.id,
                "title": side.variant.title.english(),
                "switches": side.variant.switches,
                "is_changed": side.is_changed,
                "expected": serde_json::to_value(&side.variant.expected).unwrap_or_default(),
                "counters": counters,
                "passed": (!side.is_changed).then_some(missed.is_empty()),
                "why": (!missed.is_empty()).then(|| missed_sentence(missed)),
                "events": side.outcome.events,
            })
        });
        let value = json!({
            "scenario": self.id,
            "title": self.title,
            "lesson": self.lesson,
            "store": self.store,
            "variants": sides.collect::<Vec<_>>(),
        });
        let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.push('\n');
        text
    }

    /// One page that needs nothing beside it.
    pub fn html(&self) -> String {
        page::page(self)
    }
}
