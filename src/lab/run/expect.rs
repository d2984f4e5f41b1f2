//! Whether counters are what a scenario's table has: a value exactly, or a number within bounds.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

use crate::lab::counters::Counters;

/// An expectation that was missed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// Of the counter.
    pub name: String,
    pub found: String,
    pub wanted: Wish,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Exactly(String),
    /// `9..10`, either of which may be left out.
    Within(String),
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, found) = (&self.name, &self.found);
        match &self.wanted {
            Wish::Exactly(wanted) => write!(f, "{name} is {found}, not {wanted}"),
            Wish::Within(wanted) => write!(f, "{name} is {found}, not within {wanted}"),
        }
    }
}

/// All of them in one line.
pub fn sentence(missed: &[Miss]) -> String {
    let words: Vec<String> = missed.iter().map(Miss::to_string).collect();
    words.join("; ")
}

pub fn missed(expected: &BTreeMap<String, toml::Value>, counters: &Counters) -> Vec<Miss> {
    let members: BTreeMap<String, Value> = counters.members().into_iter().collect();
    let miss = |(name, wanted): (&String, &toml::Value)| {
        let found = members.get(name).unwrap_or(&Value::Null);
        let missed = match wanted {
            toml::Value::Table(bounds) => outside(found, bounds),
            exact => differs(found, exact),
        };
        missed.map(|wanted| Miss {
            name: name.clone(),
            found: found.to_string(),
            wanted,
        })
    };
    expected.iter().filter_map(miss).collect()
}

fn differs(found: &Value, wanted: &toml::Value) -> Option<Wish> {
    let wanted = serde_json::to_value(wanted).unwrap_or_default();
    (*found != wanted).then(|| Wish::Exactly(wanted.to_string()))
}

/// Bounds are `from` and `to`, both included, either of which may be left out.
fn outside(found: &Value, bounds: &toml::Table) -> Option<Wish> {
    let bound = |name: &str| {
        let value = bounds.get(name)?;
        value
            .as_float()
            .or_else(|| value.as_integer().map(|n| n as f64))
    };
    let (from, to) = (bound("from"), bound("to"));
    let is_within = found.as_f64().is_some_and(|found| {
        from.is_none_or(|from| found >= from) && to.is_none_or(|to| found <= to)
    });
    let word = |bound: Option<f64>| bound.map(|n| n.to_string()).unwrap_or_default();
    (!is_within).then(|| Wish::Within(format!("{}..{}", word(from), word(to))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: &str, missed_words: &[&str]) {
        let expected: BTreeMap<String, toml::Value> = toml::from_str(expected).expect("TOML");
        let mut counters = Counters {
            charges: 2,
            ..Counters::default()
        };
        counters
            .figures
            .insert("amplification".to_owned(), Value::from(8.5));
        let missed = missed(&expected, &counters);
        let words: Vec<String> = missed.iter().map(Miss::to_string).collect();
        assert_eq!(words, missed_words);
        assert_eq!(sentence(&missed), missed_words.join("; "));
    }

    #[test]
    fn values_are_exact_and_bounds_include_their_ends() {
        check("charges = 2", &[]);
        check("charges = 3", &["charges is 2, not 3"]);
        check("amplification = { from = 8.5, to = 10.5 }", &[]);
        check(
            "amplification = { from = 9, to = 10 }",
            &["amplification is 8.5, not within 9..10"],
        );
        check("charges = { to = 1 }", &["charges is 2, not within ..1"]);
        check("nothing = 1", &["nothing is null, not 1"]);
        check(
            "nothing = { from = 0 }",
            &["nothing is null, not within 0.."],
        );
    }
}
