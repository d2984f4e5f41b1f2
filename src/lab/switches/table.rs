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

/// A time among the switches, and how long it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// As a scenario names it.
    pub id: &'static str,
    /// The switch that it belongs to.
    pub beside: &'static str,
    pub from_ms: u64,
    pub to_ms: u64,
}

/// Every time. Bound: a run may last as long as they make it.
pub const TIMES: [Time; 4] = [
    time("window_ms", "k1", 1_000, 3_600_000),
    time("wait_ms", "a1", 100, 30_000),
    time("lease_ms", "l2", 200, 60_000),
    time("retention_ms", "t1", 500, 600_000),
];

const fn time(id: &'static str, beside: &'static str, from_ms: u64, to_ms: u64) -> Time {
    Time {
        id,
        beside,
        from_ms,
        to_ms,
    }
}

impl Time {
    /// The next longer or shorter one that is easily read, within the bounds.
    pub fn step(&self, ms: u64, by: i64) -> u64 {
        // Downwards the step is that of what is below.
        let at = ms.saturating_sub(u64::from(by < 0));
        let step = match at {
            0..1_000 => 100,
            1_000..5_000 => 500,
            5_000..20_000 => 1_000,
            20_000..60_000 => 5_000,
            60_000..300_000 => 10_000,
            _ => 60_000,
        };
        let to = match by < 0 {
            true => at / step * step,
            false => (ms / step).saturating_add(1).saturating_mul(step),
        };
        to.clamp(self.from_ms, self.to_ms)
    }
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

    pub fn millis(&self, time: &str) -> Option<u64> {
        serde_json::to_value(self).ok()?.get(time)?.as_u64()
    }

    /// The same with another time; nothing where it is out of its bounds.
    pub fn with_millis(&self, time: &Time, ms: u64) -> Option<Switches> {
        if !(time.from_ms..=time.to_ms).contains(&ms) {
            return None;
        }
        let mut all = serde_json::to_value(self).ok()?;
        *all.get_mut(time.id)? = Value::from(ms);
        serde_json::from_value(all).ok()
    }

    /// Switches and times that stand otherwise than in another set.
    pub fn differing(&self, other: &Switches) -> Vec<&'static str> {
        let switches = all().into_iter().map(|switch| switch.id);
        let ids = switches.chain(TIMES.iter().map(|time| time.id));
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
            let is_time = TIMES.iter().any(|time| time.id == name);
            assert_eq!(is_time, value.is_number(), "{name}");
            let is_listed = ids.iter().any(|switch| switch.id == name);
            assert!(is_time || is_listed, "{name} is not in the table");
        }
    }

    #[test]
    fn times_keep_their_bounds_and_step_over_round_ones() {
        let usual = Switches::default();
        for time in &TIMES {
            let stands = usual.millis(time.id).expect("a time");
            assert!((time.from_ms..=time.to_ms).contains(&stands), "{time:?}");
            assert!(usual.with_millis(time, time.to_ms + 1).is_none());
            assert!(usual.with_millis(time, time.from_ms - 1).is_none());
            assert!(all().iter().any(|switch| switch.id == time.beside));
        }
        let lease = TIMES[2];
        let longer = usual.with_millis(&lease, 4_500).expect("within");
        assert_eq!(longer.differing(&usual), ["lease_ms"]);
        let mut up = vec![lease.from_ms];
        while up.last() != Some(&lease.to_ms) {
            up.push(lease.step(up[up.len() - 1], 1));
        }
        assert_eq!(
            up[..10],
            [200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_500]
        );
        let mut down = vec![lease.to_ms];
        while down.last() != Some(&lease.from_ms) {
            down.push(lease.step(down[down.len() - 1], -1));
        }
        down.reverse();
        assert_eq!(up, down);
        assert_eq!(
            (lease.step(4_321, 1), lease.step(4_321, -1)),
            (4_500, 4_000)
        );
    }
}
