//! The columns of the table of keys: which there are, and which a person has chosen, in what order.
//!
//! Apart from the panel because the choice is kept in the settings, as names.
//! Invariant: every column is listed once, whatever the settings hold; the key is always shown.

use crate::config::settings::{COLUMN_MAX, COLUMN_MIN, ColumnSetting, Settings};
use crate::inspect::SortField;
use crate::present::say::say;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnName {
    /// The check box; always first.
    Mark,
    Status,
    Key,
    Scope,
    Operation,
    Age,
    Ttl,
    Hash,
    Tries,
    Response,
    Replays,
    Created,
    Ended,
    Layout,
    Address,
}

use ColumnName::{
    Address, Age, Created, Ended, Hash, Key, Layout, Mark, Operation, Replays, Response, Scope,
    Status, Tries, Ttl,
};

impl ColumnName {
    /// Those that can be chosen, in their usual order.
    pub const CHOICE: [ColumnName; 14] = [
        Status, Key, Scope, Operation, Age, Ttl, Hash, Tries, Response, Replays, Created, Ended,
        Layout, Address,
    ];

    /// As the settings have it.
    pub fn name(self) -> &'static str {
        match self {
            Mark => "mark",
            Status => "status",
            Key => "key",
            Scope => "scope",
            Operation => "operation",
            Age => "age",
            Ttl => "ttl",
            Hash => "hash",
            Tries => "tries",
            Response => "response",
            Replays => "replays",
            Created => "created",
            Ended => "ended",
            Layout => "layout",
            Address => "address",
        }
    }

    pub fn named(name: &str) -> Option<ColumnName> {
        let mut all = ColumnName::CHOICE.into_iter();
        all.find(|column| column.name() == name)
    }

    pub fn title(self) -> String {
        match self {
            Mark => String::new(),
            Status => say!("column-status"),
            Key => say!("column-key"),
            Scope => say!("column-scope"),
            Operation => say!("column-operation"),
            Age => say!("column-age"),
            Ttl => say!("column-ttl"),
            Hash => say!("column-hash"),
            Tries => say!("column-tries"),
            Response => say!("column-response"),
            Replays => say!("column-replays"),
            Created => say!("column-created"),
            Ended => say!("column-ended"),
            Layout => say!("column-layout"),
            Address => say!("column-address"),
        }
    }

    /// Right-aligned.
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Age | Ttl | Tries | Response | Replays | Created | Ended
        )
    }

    /// Shown where nobody has chosen.
    pub fn is_usual(self) -> bool {
        !matches!(
            self,
            Response | Replays | Created | Ended | Layout | Address
        )
    }

    /// Without it a row could not be told from another.
    pub fn is_kept(self) -> bool {
        self == Key
    }

    /// Nothing where rows cannot be sorted by it.
    pub fn sort_field(self) -> Option<SortField> {
        Some(match self {
            Mark => SortField::Usual,
            Status => SortField::Status,
            Key => SortField::Key,
            Scope => SortField::Scope,
            Operation => SortField::Operation,
            Age => SortField::Age,
            Ttl => SortField::Ttl,
            Hash => SortField::Hash,
            Tries => SortField::Attempts,
            Response => SortField::Response,
            Layout => SortField::Layout,
            Replays | Created | Ended | Address => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChosenColumn {
    pub name: ColumnName,
    pub is_shown: bool,
    /// In points, where a person has set it.
    pub width: Option<f32>,
}

/// Every column in its order.
pub fn chosen_columns(settings: &Settings) -> Vec<ChosenColumn> {
    let mut list: Vec<ChosenColumn> = Vec::new();
    for setting in &settings.columns {
        let Some(name) = ColumnName::named(&setting.name) else {
            continue;
        };
        if list.iter().any(|known| known.name == name) {
            continue;
        }
        list.push(ChosenColumn {
            name,
            is_shown: setting.shown || name.is_kept(),
            width: setting.width,
        });
    }
    for (at, name) in ColumnName::CHOICE.into_iter().enumerate() {
        if !list.iter().any(|known| known.name == name) {
            let usual = ChosenColumn {
                name,
                is_shown: name.is_usual(),
                width: None,
            };
            // Behind what it usually follows.
            let mut before = ColumnName::CHOICE.iter().take(at).rev();
            let place = before.find_map(|before| {
                let known = list.iter().position(|column| column.name == *before);
                known.map(|known| known + 1)
            });
            list.insert(place.unwrap_or(0), usual);
        }
    }
    list
}

/// Keeps a choice; the usual one is kept as nothing, so that later versions may better it.
pub fn keep_columns(settings: &mut Settings, list: &[ChosenColumn]) {
    let setting = |column: &ChosenColumn| ColumnSetting {
        name: column.name.name().to_owned(),
        shown: column.is_shown,
        width: column
            .width
            .map(|width| width.clamp(COLUMN_MIN, COLUMN_MAX)),
    };
    settings.columns = list.iter().map(setting).collect();
    let plain = Settings::default();
    if chosen_columns(settings) == chosen_columns(&plain) {
        settings.columns.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(settings: &Settings) -> String {
        let list = chosen_columns(settings);
        let shown = list.iter().filter(|column| column.is_shown);
        let names: Vec<&str> = shown.map(|column| column.name.name()).collect();
        names.join(" ")
    }

    fn setting(name: &str, shown: bool) -> ColumnSetting {
        ColumnSetting {
            name: name.to_owned(),
            shown,
            width: None,
        }
    }

    #[test]
    fn every_column_is_there_once_whatever_the_file_says() {
        let mut settings = Settings::default();
        let usual = "status key scope operation age ttl hash tries";
        assert_eq!(names(&settings), usual);
        settings.columns = vec![
            setting("nonsense", true),
            setting("hash", true),
            setting("hash", false),
            setting("key", false),
            setting("age", false),
        ];
        // The key cannot be left out; what the file does not name stands behind what it follows.
        assert_eq!(
            names(&settings),
            "status hash tries key scope operation ttl"
        );
        assert_eq!(chosen_columns(&settings).len(), ColumnName::CHOICE.len());
    }

    #[test]
    fn the_usual_choice_is_kept_as_nothing() {
        let mut settings = Settings::default();
        let mut list = chosen_columns(&settings);
        list.swap(0, 1);
        keep_columns(&mut settings, &list);
        assert!(names(&settings).starts_with("key status scope"));
        list.swap(0, 1);
        keep_columns(&mut settings, &list);
        assert_eq!(settings.columns, Vec::new());
    }
}
