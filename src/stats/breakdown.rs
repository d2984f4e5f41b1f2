//! Attempts by operation, client, scope, instance, status class, and operation with client.
//!
//! Bounded by the names that have numbers; all others are one row.

use std::collections::HashMap;

use super::names::{Names, REST, Renumbered};
use crate::domain::attempt::{Family, Outcome};

const OPERATIONS_MAX: usize = 2_000;
const CLIENTS_MAX: usize = 2_000;
const SCOPES_MAX: usize = 20_000;
const INSTANCES_MAX: usize = 2_000;
const PAIRS_MAX: usize = 20_000;

/// What attempts are told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Operation,
    Client,
    Scope,
    Instance,
    StatusClass,
}

impl Dimension {
    pub const ALL: [Dimension; 5] = [
        Dimension::Operation,
        Dimension::Client,
        Dimension::Scope,
        Dimension::Instance,
        Dimension::StatusClass,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Dimension::Operation => "operation",
            Dimension::Client => "client",
            Dimension::Scope => "scope",
            Dimension::Instance => "instance",
            Dimension::StatusClass => "status_class",
        }
    }
}

/// What is counted of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub attempts: u64,
    /// Those of which it is known whether they are retries.
    pub told: u64,
    pub retries: u64,
    /// In the order of `Family::ALL`, and words that are none.
    pub families: [u64; 7],
}

impl Row {
    pub fn of_family(&self, family: Family) -> u64 {
        self.families.get(family as usize).copied().unwrap_or(0)
    }

    fn add(&mut self, outcome: Option<Outcome>, is_retry: Option<bool>) {
        self.attempts += 1;
        self.told += u64::from(is_retry.is_some());
        self.retries += u64::from(is_retry == Some(true));
        let family = outcome.map_or(6, |outcome| outcome.family() as usize);
        if let Some(count) = self.families.get_mut(family) {
            *count += 1;
        }
    }

    pub fn merge(&mut self, other: &Row) {
        self.attempts += other.attempts;
        self.told += other.told;
        self.retries += other.retries;
        for (count, more) in self.families.iter_mut().zip(other.families) {
            *count += more;
        }
    }
}

/// The names of one attempt as numbers.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    pub operation: u16,
    pub client: u16,
    pub scope: u16,
    pub instance: u16,
    /// 2 for 201; 0 where there is none.
    pub status_class: u16,
}

#[derive(Clone, Debug)]
pub struct Tables {
    pub operations: Names,
    pub clients: Names,
    pub scopes: Names,
    pub instances: Names,
    /// In the order of [`Dimension::ALL`], by number.
    rows: [Vec<Row>; 5],
    /// Of names without a number.
    rests: [Row; 5],
    pub pairs: HashMap<(u16, u16), Row>,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables {
            operations: Names::new(OPERATIONS_MAX),
            clients: Names::new(CLIENTS_MAX),
            scopes: Names::new(SCOPES_MAX),
            instances: Names::new(INSTANCES_MAX),
            rows: Default::default(),
            rests: Default::default(),
            pairs: HashMap::new(),
        }
    }
}

impl Tables {
    pub fn add(&mut self, named: &Named, outcome: Option<Outcome>, is_retry: Option<bool>) {
        let numbers = [
            named.operation,
            named.client,
            named.scope,
            named.instance,
            named.status_class,
        ];
        for (dimension, number) in Dimension::ALL.into_iter().zip(numbers) {
            self.row(dimension, number).add(outcome, is_retry);
        }
        pair(&mut self.pairs, (named.operation, named.client)).add(outcome, is_retry);
    }

    fn row(&mut self, dimension: Dimension, number: u16) -> &mut Row {
        let at = dimension as usize % 5;
        let (rows, rest) = (&mut self.rows[at], &mut self.rests[at]);
        if number == REST {
            return rest;
        }
        let number = usize::from(number);
        if rows.len() <= number {
            rows.resize(number + 1, Row::default());
        }
        rows.get_mut(number).unwrap_or(rest)
    }

    /// The rows that have a number, each with it, and that of all others.
    pub fn rows(&self, dimension: Dimension) -> (impl Iterator<Item = (u16, &Row)>, &Row) {
        let at = dimension as usize % 5;
        (
            (0..)
                .zip(self.rows[at].iter())
                .filter(|(_, row)| row.attempts > 0),
            &self.rests[at],
        )
    }

    /// Takes in the other's rows; what its numbers of operations and clients are here.
    pub fn merge(&mut self, other: &Tables) -> (Renumbered, Renumbered) {
        let operations = self.operations.take_in(&other.operations);
        let clients = self.clients.take_in(&other.clients);
        let scopes = self.scopes.take_in(&other.scopes);
        let instances = self.instances.take_in(&other.instances);
        for dimension in Dimension::ALL {
            let (rows, rest) = other.rows(dimension);
            for (number, row) in rows {
                let number = match dimension {
                    Dimension::Operation => operations.of(number),
                    Dimension::Client => clients.of(number),
                    Dimension::Scope => scopes.of(number),
                    Dimension::Instance => instances.of(number),
                    Dimension::StatusClass => number,
                };
                self.row(dimension, number).merge(row);
            }
            self.row(dimension, REST).merge(rest);
        }
        for ((operation, client), row) in &other.pairs {
            let numbers = (operations.of(*operation), clients.of(*client));
            pair(&mut self.pairs, numbers).merge(row);
        }
        (operations, clients)
    }

    pub fn is_full(&self) -> bool {
        let names = [
            &self.operations,
            &self.clients,
            &self.scopes,
            &self.instances,
        ];
        names.iter().any(|names| names.is_full) || self.pairs.len() >= PAIRS_MAX
    }
}

/// The row of a pair, or of all pairs past the bound.
fn pair(pairs: &mut HashMap<(u16, u16), Row>, numbers: (u16, u16)) -> &mut Row {
    let numbers = match pairs.len() < PAIRS_MAX || pairs.contains_key(&numbers) {
        true => numbers,
        false => (REST, REST),
    };
    pairs.entry(numbers).or_default()
}
