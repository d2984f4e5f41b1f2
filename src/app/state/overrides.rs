//! What a person has set for single sources of the connection.

use std::collections::BTreeMap;

use crate::domain::Duration;
use crate::inspect::Snapshot;
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

    /// The same rows, judged by what counts now.
    pub fn judge(&self, snapshot: &mut Snapshot, told: &[SourceTerms]) {
        let ids: Vec<_> = snapshot
            .sources()
            .map(|(id, source)| (id, source_name(source)))
            .collect();
        for (id, name) in ids {
            let told = told.iter().find(|told| told.name == name);
            let Override {
                lease, retention, ..
            } = self.get(&name);
            let (told_lease, told_lifetime) =
                told.map_or((None, None), |told| (told.lease, told.lifetime));
            snapshot.set_lease(id, lease.or(told_lease));
            snapshot.set_lifetime(id, retention.or(told_lifetime));
        }
    }
}

/// What the command line said of a source before anything was set here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTerms {
    pub name: String,
    pub lease: Option<Duration>,
    pub lifetime: Option<Duration>,
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
        assert_eq!(overrides.iter().count(), 0);
    }
}
