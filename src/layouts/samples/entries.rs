//! Samples of entries of a log.

use std::collections::BTreeMap;

use super::cell;
use crate::domain::raw::Cell;
use crate::layouts::Layout;
use crate::layouts::spec::SampleSpec;

/// What differs from what an entry should be told as.
///
/// Errors: the layout describes no log.
pub fn compare(
    layout: &Layout,
    entry: &BTreeMap<String, toml::Value>,
    sample: &SampleSpec,
) -> Result<Vec<String>, String> {
    let log = layout.log.as_ref().ok_or("no `log` is described")?;
    let cells: BTreeMap<String, Cell<'_>> = entry
        .iter()
        .map(|(name, value)| (name.clone(), cell(Some(value))))
        .collect();
    let told = log.wording.told(&cells);
    let differs = |(name, expected): (&String, &toml::Value)| {
        let expected = super::text_of(expected);
        let found = told.get(name.as_str());
        (found != Some(&expected)).then(|| super::is_not(name, found.cloned(), &expected))
    };
    Ok(sample.expect.iter().filter_map(differs).collect())
}
