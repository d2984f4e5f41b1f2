//! The keys that work in this view, each with what it does.

use crate::app::state::Place;
use crate::app::{Named, State};
use crate::present::say::say;

/// Keys and their words, in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeysGroup {
    pub title: String,
    pub keys: Vec<(String, String)>,
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
            ("↑ ↓", say!("keys-page-row")),
            ("PgUp PgDn", say!("keys-page-page")),
            ("Home End", say!("keys-page-ends")),
        ];
        let mut keys: Vec<(String, String)> = moves
            .into_iter()
            .map(|(key, words)| (key.to_owned(), words))
            .collect();
        keys.extend(named(&[
            Named::OpenRecord,
            Named::Select,
            Named::SelectAll,
            Named::AllStuck,
            Named::Release,
            Named::Settle,
            Named::Purge,
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
                Place::Locks => Named::Locks.info().label,
                _ => Named::Keys.info().label,
            },
            keys,
        });
    }
    match place {
        Place::Layouts => groups.push(layouts(named(&LAYOUTS))),
        Place::Lab => groups.push(lab(named(&LAB))),
        Place::Stats => groups.push(stats(named(&STATS))),
        Place::Journal => groups.push(journal(named(&[Named::Undo]))),
        Place::Editor => groups.push(editor(named(&[Named::SaveLayout]))),
        Place::Connect => groups.push(connect(named(&CONNECT))),
        _ => {}
    }
    let mut keys = named(EVERYWHERE);
    keys.push(("F6".to_owned(), say!("keys-page-area")));
    groups.push(KeysGroup {
        title: say!("keys-page-everywhere"),
        keys,
    });
    groups
}

const EVERYWHERE: &[Named] = &[
    Named::Keys,
    Named::Locks,
    Named::Stats,
    Named::Lab,
    Named::Journal,
    Named::Layouts,
    Named::Settings,
    Named::Palette,
    Named::Connect,
    Named::Stores,
    Named::CloseStore,
    Named::Changes,
    Named::ShowRepair,
    Named::ReadAgain,
    Named::FoldSideBar,
    Named::Density,
    Named::Times,
    Named::ZoomIn,
    Named::ZoomOut,
    Named::ZoomUsual,
    Named::StepBack,
    Named::GoBack,
    Named::GoForward,
    Named::Quit,
];

const LAYOUTS: [Named; 4] = [
    Named::SwitchSource,
    Named::DetectAgain,
    Named::EditLayout,
    Named::NewLayout,
];

const LAB: [Named; 11] = [
    Named::LabPlay,
    Named::LabStart,
    Named::LabRun,
    Named::LabSides,
    Named::LabSlower,
    Named::LabFaster,
    Named::LabSwitches,
    Named::LabOtherSwitches,
    Named::LabSave,
    Named::LabFree,
    Named::LabProjector,
];

const STATS: [Named; 5] = [
    Named::StatsKeys,
    Named::StatsBy,
    Named::StatsExport,
    Named::StatsExportCsv,
    Named::StatsExportJson,
];

fn stats(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![
        ("← →".to_owned(), say!("keys-page-window")),
        ("Tab".to_owned(), say!("keys-page-figure")),
        ("Enter".to_owned(), say!("keys-page-behind")),
        ("Shift ← →".to_owned(), say!("keys-page-part")),
    ];
    keys.extend(own);
    KeysGroup {
        title: Named::Stats.info().label,
        keys,
    }
}

const CONNECT: [Named; 3] = [
    Named::OpenConnection,
    Named::TestConnection,
    Named::SaveConnection,
];

fn connect(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![
        ("↑ ↓".to_owned(), say!("keys-page-connection")),
        ("Enter".to_owned(), say!("keys-page-open-it")),
        ("Ctrl V".to_owned(), say!("keys-page-paste")),
        ("Delete".to_owned(), say!("keys-page-remove")),
    ];
    keys.extend(own);
    KeysGroup {
        title: Named::Connect.info().label,
        keys,
    }
}

fn editor(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![
        ("↑ ↓".to_owned(), say!("keys-page-family")),
        ("← →".to_owned(), say!("keys-page-example")),
        ("Enter".to_owned(), say!("keys-page-type")),
    ];
    keys.extend(own);
    KeysGroup {
        title: say!("keys-page-editor"),
        keys,
    }
}

fn lab(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![
        ("↑ ↓".to_owned(), say!("keys-page-scenario")),
        ("← →".to_owned(), say!("keys-page-message")),
    ];
    keys.extend(own);
    KeysGroup {
        title: Named::Lab.info().label,
        keys,
    }
}

fn journal(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![("↑ ↓".to_owned(), say!("keys-page-run"))];
    keys.extend(own);
    KeysGroup {
        title: Named::Journal.info().label,
        keys,
    }
}

fn layouts(own: Vec<(String, String)>) -> KeysGroup {
    let mut keys = vec![
        ("↑ ↓".to_owned(), say!("keys-page-source")),
        ("← →".to_owned(), say!("keys-page-sample")),
    ];
    keys.extend(own);
    KeysGroup {
        title: Named::Layouts.info().label,
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
            "↑ ↓, PgUp PgDn, Home End, Shift C, /, 4, 6, 8, Ctrl K, Ctrl O, Ctrl L, Ctrl B, Ctrl D, T, Ctrl +, \
             Ctrl −, Ctrl 0, Esc, Alt ←, Alt →, Ctrl Q, F6"
        );
    }
}
