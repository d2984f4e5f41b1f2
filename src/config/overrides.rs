//! What a person has set for single sources of a connection.
//!
//! Apart from `connections` because the command line and the window read a store by it as well.

use std::collections::BTreeMap;

use crate::domain::Duration;
use crate::layouts::Source;

/// By the source's name, which is its layout and its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides(BTreeMap<String, Override>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Override {
    pub lease: Option<Duration>,
    pub retention: Option<Duration>,
    /// Its records are not read.
    pub is_off: bool,
}

/// What a source is known by, from one connection to the next.
pub fn source_name(source: &Source) -> String {
    name_of(&source.layout.id, &source.place_text())
}

pub fn name_of(layout: &str, place: &str) -> String {
    format!("{layout} {place}")
}

impl Overrides {
    pub fn get(&self, source: &str) -> Override {
        self.0.get(source).copied().unwrap_or_default()
    }

    pub fn set(&mut self, source: &str, value: Override) {
        if value == Override::default() {
            self.0.remove(source);
        } else {
            self.0.insert(source.to_owned(), value);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Override)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn apply(&self, source: &mut Source) {
        let Override {
            lease, retention, ..
        } = self.get(&source_name(source));
        source.lease = lease.or(source.lease);
        if let Some(retention) = retention {
            source.lifetime = Some(retention);
            source.params.set("retention", retention);
        }
    }

    /// The sources that are read, as they were set.
    pub fn read_of(&self, sources: &[Source]) -> Vec<Source> {
        let on = |source: &&Source| !self.get(&source_name(source)).is_off;
        let mut sources: Vec<Source> = sources.iter().filter(on).cloned().collect();
        for source in &mut sources {
            self.apply(source);
        }
        sources
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_set_is_nothing_kept() {
        let mut overrides = Overrides::default();
        let set = Override {
            lease: Some(Duration::secs(5)),
            ..Override::default()
        };
        overrides.set("a", set);
        assert_eq!(overrides.get("a"), set);
        assert_eq!(overrides.get("b"), Override::default());
        overrides.set("a", Override::default());
        assert!(overrides.is_empty());
    }
}
