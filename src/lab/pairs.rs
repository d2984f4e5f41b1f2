//! Which two variants are shown beside each other: one "without" and one "with".
//!
//! Apart from `scenario` because a pair may reach into another scenario.

use super::scenario::{Scenario, Variant};

/// A variant by the places of its scenario and of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    pub scenario: usize,
    pub variant: usize,
}

impl Pick {
    pub fn of(self, all: &[Scenario]) -> Option<(&Scenario, &Variant)> {
        let scenario = all.get(self.scenario)?;
        Some((scenario, scenario.variant.get(self.variant)?))
    }
}

/// The pair of a scenario at first; one alone where it has no other.
pub fn usual(all: &[Scenario], scenario: usize) -> Vec<Pick> {
    let Some(own) = all.get(scenario) else {
        return Vec::new();
    };
    let named: Vec<Pick> = own
        .side_by_side
        .iter()
        .filter_map(|name| find(all, scenario, name))
        .collect();
    if !named.is_empty() {
        return named;
    }
    let last = own.variant.len().saturating_sub(1);
    let pick = |variant| Pick { scenario, variant };
    match last {
        0 => vec![pick(0)],
        last => vec![pick(0), pick(last)],
    }
}

/// What can be chosen for a side: all of the scenario, and what its usual pair takes from others.
pub fn choices(all: &[Scenario], scenario: usize) -> Vec<Pick> {
    let own = all.get(scenario).map_or(0, |own| own.variant.len());
    let mut picks: Vec<Pick> = (0..own).map(|variant| Pick { scenario, variant }).collect();
    let others = usual(all, scenario).into_iter();
    picks.extend(others.filter(|pick| pick.scenario != scenario));
    picks
}

fn find(all: &[Scenario], own: usize, name: &str) -> Option<Pick> {
    let (scenario, variant) = match name.split_once('/') {
        Some((id, variant)) => (all.iter().position(|other| other.id == id)?, variant),
        None => (own, name),
    };
    let variants = &all.get(scenario)?.variant;
    let variant = variants.iter().position(|other| other.id == variant)?;
    Some(Pick { scenario, variant })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::scenario::all;

    #[test]
    fn every_name_of_a_pair_is_there() {
        let all = all().expect("good files");
        for (at, scenario) in all.iter().enumerate() {
            let pair = usual(&all, at);
            assert!((1..=2).contains(&pair.len()), "{}", scenario.id);
            let named = scenario.side_by_side.len();
            assert!(named == 0 || named == pair.len(), "{}", scenario.id);
            assert!(pair.iter().all(|pick| choices(&all, at).contains(pick)));
        }
    }
}
