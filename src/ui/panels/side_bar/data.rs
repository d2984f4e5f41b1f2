//! What the side bar says: the views that exist, and the sources with their counts.

use crate::app::State;
use crate::app::command::{Command, Named};
use crate::app::state::Place;
use crate::present::count::{self, Font};

#[derive(Clone, Debug, PartialEq)]
pub struct SideBarData {
    pub views: Vec<ViewItem>,
    /// What a source is called and how many records it has.
    pub sources: Vec<(String, String)>,
}

/// A view that can be gone to.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewItem {
    pub word: String,
    /// The name of its glyph.
    pub icon: &'static str,
    pub key: String,
    pub count: String,
    /// The count is of something that matters.
    pub is_news: bool,
    /// Something goes on there, seen or not.
    pub is_at_work: bool,
    pub is_chosen: bool,
    /// A hairline parts it from what is above.
    pub starts_group: bool,
    pub command: Command,
}

const VIEWS: [(Named, Place, &str, bool); 7] = [
    (Named::Keys, Place::Keys, "keys", false),
    (Named::Locks, Place::Locks, "locks", false),
    (Named::Stats, Place::Stats, "stats", false),
    (Named::Lab, Place::Lab, "lab", true),
    (Named::Journal, Place::Journal, "journal", true),
    (Named::Layouts, Place::Layouts, "layouts", false),
    (Named::Settings, Place::Settings, "settings", false),
];

pub fn side_bar_data(state: &State) -> SideBarData {
    let views = VIEWS.map(|(named, place, icon, starts_group)| {
        let info = named.info();
        let (count, is_news) = count_of(state, place);
        ViewItem {
            word: info.label,
            icon,
            key: info.shortcut.text(),
            count,
            is_news,
            is_at_work: place == Place::Lab && is_lab_at_work(state),
            // The editor belongs to the layouts.
            is_chosen: state.view.place == place
                || (place == Place::Layouts && state.view.place == Place::Editor),
            starts_group,
            command: named.command(),
        }
    });
    SideBarData {
        views: views.to_vec(),
        sources: sources(state),
    }
}

fn is_lab_at_work(state: &State) -> bool {
    state.lab.free.is_at_work() || state.lab.is_under_way()
}

fn count_of(state: &State, place: Place) -> (String, bool) {
    let Some(page) = &state.keys.page else {
        return (String::new(), false);
    };
    match place {
        Place::Keys => (count::short(page.all.total, Font::Mono), false),
        Place::Locks => {
            let stuck = page.locks.counts.stuck(state.now());
            let text = match stuck {
                0 => String::new(),
                _ => count::short(stuck, Font::Mono),
            };
            (text, stuck > 0)
        }
        _ => (String::new(), false),
    }
}

fn sources(state: &State) -> Vec<(String, String)> {
    let page = state.keys.page.as_ref();
    let count_of = |layout: &str| {
        let counts = page.map(|page| &page.all.by_layout.counts);
        let found = counts.and_then(|counts| counts.iter().find(|(name, _)| name == layout));
        found.map(|(_, count)| *count)
    };
    let opened = state.connection.store.value();
    let mut sources: Vec<(String, String)> = Vec::new();
    for source in opened.iter().flat_map(|opened| &opened.sources) {
        let is_off = state.connection.overrides.get(&source.name()).is_off;
        if is_off || sources.iter().any(|(name, _)| *name == source.layout) {
            continue;
        }
        let count = count_of(&source.layout);
        let text = count.map_or_else(String::new, |count| count::short(count, Font::Mono));
        sources.push((source.layout.clone(), text));
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_stand_in_order_with_their_keys() {
        let data = side_bar_data(&State::default());
        let lines: Vec<String> = data
            .views
            .iter()
            .map(|view| {
                format!(
                    "{} {}{}",
                    view.key,
                    view.word,
                    if view.is_chosen { " *" } else { "" }
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "1 Keys *",
                "2 Locks",
                "3 Stats",
                "4 Lab",
                "6 Journal",
                "7 Layouts",
                "8 Settings"
            ]
        );
    }
}
