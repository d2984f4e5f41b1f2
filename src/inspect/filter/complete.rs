//! What could be typed next into a filter.

use std::ops::Range;

use super::field::Field;
use super::parse::parse;
use crate::inspect::catalogue::Snapshot;

/// Most that is offered at once.
const OFFERED_MAX: usize = 24;
const METHODS_MAX: usize = 16;

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The bytes that it replaces.
    pub replace: Range<usize>,
    pub insert: String,
    pub about: String,
}

/// What of a snapshot can be offered as a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub layouts: Vec<String>,
    pub methods: Vec<String>,
    pub sources: Vec<String>,
}

impl Facts {
    pub fn of(snapshot: &Snapshot) -> Facts {
        let mut facts = Facts::default();
        for (_, source) in snapshot.sources() {
            add(&mut facts.layouts, &source.layout.id);
            add(&mut facts.sources, &source.place_text());
        }
        for number in 1..=snapshot.operation_numbers() as u32 {
            if facts.methods.len() >= METHODS_MAX {
                break;
            }
            if let Some(method) = snapshot.operation_of(number).method {
                add(&mut facts.methods, method);
            }
        }
        facts
    }
}

fn add(list: &mut Vec<String>, text: &str) {
    if let Err(at) = list.binary_search_by(|known| known.as_str().cmp(text)) {
        list.insert(at, text.to_owned());
    }
}

/// The ways to go on at the cursor, a place between two bytes of the text.
pub fn completions(text: &str, cursor: usize, facts: &Facts) -> Vec<Completion> {
    let before = text.get(..cursor).unwrap_or(text);
    let cursor = before.len();
    let term = parse(before)
        .into_iter()
        .next_back()
        .filter(|term| term.span.end == cursor);
    let Some(term) = term else {
        return field_names("", cursor..cursor);
    };
    match (term.name, term.field) {
        (None, _) => field_names(
            before.get(term.value.clone()).unwrap_or_default(),
            term.value,
        ),
        (Some(_), Some(field)) => {
            let typed = before.get(term.value.clone()).unwrap_or_default();
            values(field, typed, term.value, facts)
        }
        (Some(_), None) => Vec::new(),
    }
}

fn field_names(typed: &str, replace: Range<usize>) -> Vec<Completion> {
    let typed = typed.to_ascii_lowercase();
    Field::ALL
        .into_iter()
        .filter(|field| field.name().starts_with(&typed))
        .map(|field| Completion {
            replace: replace.clone(),
            insert: format!("{}{}", field.name(), field.operator()),
            about: field.about().to_owned(),
        })
        .collect()
}

fn values(field: Field, typed: &str, replace: Range<usize>, facts: &Facts) -> Vec<Completion> {
    let known: Vec<&str> = match field {
        Field::Layout => facts.layouts.iter().map(String::as_str).collect(),
        Field::Source => facts.sources.iter().map(String::as_str).collect(),
        Field::Method => facts.methods.iter().map(String::as_str).collect(),
        field => field.values(),
    };
    let typed = typed.trim_start_matches('"').to_ascii_lowercase();
    known
        .into_iter()
        .filter(|value| {
            let value = value.to_ascii_lowercase();
            value != typed && value.starts_with(&typed)
        })
        .take(OFFERED_MAX)
        .map(|value| Completion {
            replace: replace.clone(),
            insert: quoted(value),
            about: String::new(),
        })
        .collect()
}

/// A value as it must be typed.
pub fn quoted(value: &str) -> String {
    let plain = !value.is_empty()
        && !value.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '*' | '?'));
    // Braces, colons and the like need no quotes behind a field's name.
    if plain && !value.starts_with(['>', '<', '=']) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let facts = Facts {
            layouts: vec!["plain-article".to_owned(), "powertools".to_owned()],
            methods: vec!["POST".to_owned()],
            sources: vec!["a b".to_owned()],
        };
        let offered = completions(text, text.len(), &facts);
        let inserts: Vec<&str> = offered.iter().map(|offer| offer.insert.as_str()).collect();
        assert_eq!(inserts, expected, "{text:?}");
    }

    #[test]
    fn names_and_closed_values_are_offered() {
        check("st", &["status:"]);
        check("is:stuck a", &["age>", "attempts>", "address:"]);
        check("status:p", &["processing"]);
        check(
            "-is:",
            &[
                "stuck",
                "expired",
                "inferred",
                "locked",
                "stuck-unknown",
                "partial",
            ],
        );
        check("layout:po", &["powertools"]);
        check("method:", &["POST"]);
        check("source:", &["\"a b\""]);
        check("status:processing", &[]);
        check("nonsense:", &[]);
        assert_eq!(
            completions("is:stuck ", 9, &Facts::default()).len(),
            Field::ALL.len()
        );
    }

    #[test]
    fn the_cursor_may_stand_anywhere() {
        let facts = Facts::default();
        let offered = completions("sta age>1m", 3, &facts);
        assert_eq!(offered[0].replace, 0..3);
        completions("ä", 1, &facts);
        completions("x", 99, &facts);
    }
}
