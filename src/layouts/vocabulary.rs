//! What columns and members are for, by what they are usually called.
//!
//! Apart from detection and from proposals, which both read it, because it is a table of words, from
//! `assets/vocabulary/table.toml`, and how names are compared.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};

#[derive(Debug, Deserialize)]
pub struct Vocabulary {
    pub names: Vec<String>,
    pub name_words: Vec<String>,
    pub dedup_names: Vec<String>,
    pub other_names: Vec<String>,
    pub other_words: Vec<String>,
    pub other_columns: Vec<String>,
    pub plain_columns: Vec<String>,
    pub role: Vec<Role>,
    pub states: States,
}

#[derive(Debug, Deserialize)]
pub struct Role {
    pub name: String,
    pub columns: Vec<String>,
    /// Names that say it less surely: enough for a proposal that a person reads.
    #[serde(default)]
    pub guesses: Vec<String>,
    #[serde(default)]
    pub kinds: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct States {
    pub processing: Vec<String>,
    pub completed: Vec<String>,
    pub failed: Vec<String>,
}

pub fn vocabulary() -> Option<&'static Vocabulary> {
    static LOADED: OnceLock<Option<Vocabulary>> = OnceLock::new();
    let text = include_str!("../../assets/vocabulary/table.toml");
    LOADED.get_or_init(|| toml::from_str(text).ok()).as_ref()
}

/// A table's columns by what they are for.
pub struct Roles<'t>(pub Vec<(&'static str, &'t Column)>);

impl<'t> Roles<'t> {
    pub fn of(words: &'static Vocabulary, table: &'t Table) -> Roles<'t> {
        let mut roles = Vec::new();
        for role in &words.role {
            let found = role.columns.iter().find_map(|name| {
                table.columns.iter().find(|column| {
                    is_called(&column.name, name)
                        && (role.kinds.is_empty()
                            || role.kinds.iter().any(|kind| kind == kind_name(column.kind)))
                        && !roles
                            .iter()
                            .any(|(_, taken): &(_, &Column)| taken.name == column.name)
                })
            });
            if let Some(column) = found {
                roles.push((role.name.as_str(), column));
            }
        }
        Roles(roles)
    }

    pub fn get(&self, role: &str) -> Option<&'t Column> {
        self.0
            .iter()
            .find(|(known, _)| *known == role)
            .map(|(_, column)| *column)
    }

    pub fn has(&self, role: &str) -> bool {
        self.get(role).is_some()
    }

    pub fn explains(&self, column: &Column) -> bool {
        self.0.iter().any(|(_, known)| known.name == column.name)
    }
}

/// Whether a column has this name, also where it tells its unit or zone behind it.
pub fn is_called(column: &str, name: &str) -> bool {
    let column = snake(column);
    if column == name {
        return true;
    }
    let endings = [
        "_utc",
        "_ms",
        "_ts",
        "_epoch",
        "_unix",
        "_timestamp",
        "_sha256",
        "_json",
    ];
    let bare = endings.iter().find_map(|end| column.strip_suffix(end));
    let bare = bare.unwrap_or(&column);
    let stem = bare.strip_suffix("_on").or(bare.strip_suffix("_time"));
    bare == name || stem.is_some_and(|stem| name.strip_suffix("_at") == Some(stem))
}

/// `RequestHash` and `request hash` as `request_hash`.
pub fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut before = '_';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            snake.push('_');
        }
        snake.push(if c == ' ' || c == '-' {
            '_'
        } else {
            c.to_ascii_lowercase()
        });
        before = c;
    }
    snake
}

pub fn kind_name(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Bool => "bool",
        ColumnKind::Int => "int",
        ColumnKind::Float => "float",
        ColumnKind::Text => "text",
        ColumnKind::Uuid => "uuid",
        ColumnKind::Bytes => "bytes",
        ColumnKind::Time => "time",
        ColumnKind::NaiveTime => "naive-time",
        ColumnKind::Json => "json",
        ColumnKind::Other => "other",
    }
}
