//! Stores that this machine's settings name: variables and service files.
//!
//! Apart from `wanted` because nothing of this is opened until somebody chooses it.

use super::address::{fields, without_secret};
use super::pgpass;
use crate::domain::Secret;
use crate::sys::env;

/// A store that was found, not opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The variable's or the service's name.
    pub name: String,
    /// Without secrets.
    pub url: String,
    pub password: Option<Secret>,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Variable,
    /// A service of `pg_service.conf`.
    Service,
}

const VARIABLES: [&str; 4] = ["IDEMSCOPE_URL", "REDIS_URL", "DATABASE_URL", "POSTGRES_URL"];
/// Any of these says that `psql` alone would reach a database.
const POSTGRES: [&str; 4] = ["PGHOST", "PGHOSTADDR", "PGDATABASE", "PGSERVICE"];
const SERVICES_MAX: usize = 20;

pub fn found() -> Vec<Found> {
    let variable = |name: &&str| of_text(name, &env::var(name)?, Place::Variable);
    let mut found: Vec<Found> = VARIABLES.iter().filter_map(variable).collect();
    if let Some(name) = POSTGRES.iter().find(|name| env::var(name).is_some()) {
        found.push(Found {
            name: format!("{name} …"),
            url: "postgres://".to_owned(),
            password: None,
            place: Place::Variable,
        });
    }
    let services = pgpass::services().into_iter().take(SERVICES_MAX);
    found.extend(services.map(|name| Found {
        url: service_url(&name),
        name: format!("service={name}"),
        password: None,
        place: Place::Service,
    }));
    found
}

fn service_url(name: &str) -> String {
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("postgres://?service={name}")
}

/// A text that is the URL of a store we can open; variables of other databases are not.
pub fn of_text(name: &str, text: &str, place: Place) -> Option<Found> {
    let is_one = fields(text).is_some() || text.starts_with("redis+");
    let (url, password) = without_secret(text).ok().filter(|_| is_one)?;
    Some(Found {
        name: name.to_owned(),
        url,
        password,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_other_databases_are_not_found() {
        let found = |text| of_text("X_URL", text, Place::Variable);
        let redis = found("redis://u:hunter22@h/1").expect("a store");
        assert_eq!(redis.url, "redis://u@h/1");
        assert!(!format!("{redis:?}").contains("hunter22"));
        assert!(found("mysql://h/db").is_none());
        assert!(found("redis://u:12/34@h").is_none());
        assert!(found("hello").is_none());
    }
}
