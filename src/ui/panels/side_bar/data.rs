//! What the side bar says: the views that exist, and the sources with their counts.

use crate::app::State;
use crate::app::state::Place;
use crate::present::count::{self, Font};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideBarData {
    pub keys_chosen: bool,
    pub keys_count: String,
    /// What a source is called and how many records it has.
    pub sources: Vec<(String, String)>,
}

pub fn side_bar_data(state: &State) -> SideBarData {
    let page = state.keys.page.as_ref();
    let count_of = |layout: &str| {
        let counts = page.map(|page| &page.all.by_layout.counts);
        let found = counts.and_then(|counts| counts.iter().find(|(name, _)| name == layout));
        found.map(|(_, count)| *count)
    };
    let opened = state.connection.store.value();
    let mut sources: Vec<(String, String)> = Vec::new();
    for source in opened.iter().flat_map(|opened| &opened.sources) {
        if sources.iter().any(|(name, _)| *name == source.layout) {
            continue;
        }
        let count = count_of(&source.layout);
        let text = count.map_or_else(String::new, |count| count::short(count, Font::Mono));
        sources.push((source.layout.clone(), text));
    }
    SideBarData {
        keys_chosen: state.view.place == Place::Keys,
        keys_count: page.map_or_else(String::new, |page| count::short(page.all.total, Font::Mono)),
        sources,
    }
}
