//! The keys that work in this view, each with what it does.

use crate::app::state::Place;
use crate::app::{Named, State};

/// Keys and their words, in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeysGroup {
    pub title: &'static str,
    pub keys: Vec<(String, &'static str)>,
}

pub fn keys_page_data(state: &State) -> Vec<KeysGroup> {
    let named = |list: &[Named]| {
        let available = list.iter().filter(|named| named.is_available(state));
        available
            .map(|named| {
                let info = named.info();
                (info.shortcut.text(), info.hint)
            })
            .collect::<Vec<_>>()
    };
    let mut groups = Vec::new();
    let place = state.view.place;
    if matches!(place, Place::Keys | Place::Locks) {
        let moves = [
            ("↑ ↓", "One row up or down, also `k` and `j`"),
            ("PgUp PgDn", "A page up or down"),
            ("Home End", "The first or the last row"),
        ];
        let mut keys: Vec<(String, &'static str)> = moves
            .into_iter()
            .map(|(key, words)| (key.to_owned(), words))
            .collect();
        keys.extend(named(&[
            Named::OpenRecord,
            Named::Select,
            Named::SelectAll,
            Named::CopyKey,
            Named::CopyAs,
            Named::Export,
            Named::Columns,
            Named::Grouping,
            Named::Lease,
            Named::Filter,
        ]));
        groups.push(KeysGroup {
            title: match place {
                Place::Locks => "Locks",
                _ => "Keys",
            },
            keys,
        });
    }
    if place == Place::Layouts {
        let own = named(&[Named::SwitchSource, Named::DetectAgain]);
        groups.push(layouts(own));
    }
    let keys = named(&[
        Named::Keys,
        Named::Locks,
        Named::Layouts,
        Named::Settings,
        Named::Palette,
        Named::Connect,
        Named::ReadAgain,
        Named::FoldSideBar,
        Named::Density,
        Named::Times,
        Named::ZoomIn,
        Named::ZoomOut,
        Named::ZoomUsual,
        Named::StepBack,
        Named::Quit,
    ]);
    groups.push(KeysGroup {
        title: "Everywhere",
        keys,
    });
    groups
}

fn layouts(own: Vec<(String, &'static str)>) -> KeysGroup {
    let mut keys = vec![
        ("↑ ↓".to_owned(), "Another source"),
        ("← →".to_owned(), "Another sample of it"),
    ];
    keys.extend(own);
    KeysGroup {
        title: "Layouts",
        keys,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_done_now_is_listed() {
        let groups = keys_page_data(&State::default());
        let keys: Vec<&str> = groups
            .iter()
            .flat_map(|group| &group.keys)
            .map(|(key, _)| key.as_str())
            .collect();
        assert_eq!(
            keys.join(", "),
            "↑ ↓, PgUp PgDn, Home End, Shift C, /, 8, Ctrl K, Ctrl O, Ctrl B, Ctrl D, T, Ctrl +, \
             Ctrl −, Ctrl 0, Esc, Ctrl Q"
        );
    }
}
