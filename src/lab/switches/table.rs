//! All switches with their positions by name, for whoever shows or sets one.
//!
//! Apart from `switches` because there a position is a type, and here it is a name.
//! Invariant: a position that is listed can be set.

use serde::Serialize;
use serde_json::Value;

use super::{
    BankKey, BusinessReference, Claim, ClientError, ConsumerDedup, DeleteAbsent, Events,
    Fingerprint, InProgress, KeyCarrier, KeyRequired, KeySyntax, Lease, Marker, Mismatch, Order,
    Records, RelativePatch, Replay, Retention, Scope, ServerError, Stale, Switches, Tombstone,
    Unavailable,
};

/// One switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// As a scenario names it.
    pub id: &'static str,
    pub positions: Vec<String>,
}

/// Every switch: first whether keys are looked at, then in the order of the specification.
pub fn all() -> Vec<Switch> {
    let of = |id, positions| Switch { id, positions };
    vec![
        of("unprotected", vec!["false".to_owned(), "true".to_owned()]),
        of("k1", names(KeyCarrier::ALL)),
        of("k2", names(KeyRequired::ALL)),
        of("k3", names(KeySyntax::ALL)),
        of("s1", names(Scope::ALL)),
        of("f1", names(Fingerprint::ALL)),
        of("c1", names(Claim::ALL)),
        of("c2", names(Order::ALL)),
        of("a1", names(InProgress::ALL)),
        of("a2", names(Mismatch::ALL)),
        of("e5", names(ServerError::ALL)),
        of("e4", names(ClientError::ALL)),
        of("l1", names(Lease::ALL)),
        of("l2", names(Stale::ALL)),
        of("t1", names(Retention::ALL)),
        of("r1", names(Replay::ALL)),
        of("r2", names(Marker::ALL)),
        of("d2", names(Unavailable::ALL)),
        of("b1", names(BankKey::ALL)),
        of("o1", names(Events::ALL)),
        of("o2", names(ConsumerDedup::ALL)),
        of("reference", names(BusinessReference::ALL)),
        of("tombstone", names(Tombstone::ALL)),
        of("x1", names(DeleteAbsent::ALL)),
        of("p1", names(RelativePatch::ALL)),
        of("records", names(Records::ALL)),
    ]
}

fn names<T: Serialize>(positions: &[T]) -> Vec<String> {
    let values = positions
        .iter()
        .filter_map(|one| serde_json::to_value(one).ok());
    values.map(|value| name(&value)).collect()
}

fn name(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        other => other.to_string(),
    }
}

impl Switches {
    /// The position of a switch.
    pub fn position(&self, switch: &str) -> Option<String> {
        let all = serde_json::to_value(self).ok()?;
        all.get(switch).map(name)
    }

    /// The same with one switch in another position; nothing where there is no such position.
    pub fn with(&self, switch: &str, position: &str) -> Option<Switches> {
        let mut all = serde_json::to_value(self).ok()?;
        let slot = all.get_mut(switch)?;
        *slot = match slot {
            Value::Bool(_) => Value::Bool(position == "true"),
            _ => Value::from(position),
        };
        serde_json::from_value(all).ok()
    }

    /// Switches that stand otherwise than in another set.
    pub fn differing(&self, other: &Switches) -> Vec<&'static str> {
        let ids = all().into_iter().map(|switch| switch.id);
        ids.filter(|id| self.position(id) != other.position(id))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_position_can_be_set_and_every_switch_is_listed() {
        let usual = Switches::default();
        for switch in all() {
            for position in &switch.positions {
                let set = usual.with(switch.id, position).expect("a position");
                assert_eq!(
                    set.position(switch.id).as_ref(),
                    Some(position),
                    "{}",
                    switch.id
                );
            }
            assert_eq!(
                usual.with(switch.id, "nonsense").is_some(),
                switch.id == "unprotected"
            );
        }
        let values = serde_json::to_value(&usual).expect("JSON");
        let ids = all();
        for (name, value) in values.as_object().expect("an object") {
            let is_time = value.is_number();
            let is_listed = ids.iter().any(|switch| switch.id == name);
            assert!(is_time || is_listed, "{name} is not in the table");
        }
    }
}
