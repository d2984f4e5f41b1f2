//! Judging rows by what a person has set for their sources.
//!
//! Apart from `config::overrides` because rows that were read are known here only.

use crate::config::overrides::{Override, Overrides, source_name};
use crate::domain::Duration;
use crate::inspect::Snapshot;

/// The same rows, judged by what counts now.
pub fn judge(overrides: &Overrides, snapshot: &mut Snapshot, told: &[SourceTerms]) {
    let ids: Vec<_> = snapshot
        .sources()
        .map(|(id, source)| (id, source_name(source)))
        .collect();
    for (id, name) in ids {
        let told = told.iter().find(|told| told.name == name);
        let Override {
            lease, retention, ..
        } = overrides.get(&name);
        let (told_lease, told_lifetime) =
            told.map_or((None, None), |told| (told.lease, told.lifetime));
        snapshot.set_lease(id, lease.or(told_lease));
        snapshot.set_lifetime(id, retention.or(told_lifetime));
    }
}

/// What the command line said of a source before anything was set here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTerms {
    pub name: String,
    pub lease: Option<Duration>,
    pub lifetime: Option<Duration>,
}
