//! A reading for tables that plainly hold idempotency records and fit no layout.
//!
//! Columns are known by their usual names; what they make is a layout in its ordinary text, so that
//! it can be shown, kept and corrected like any other.
//! Invariant: what the columns do not tell stays untold; a table that says it is something else, or
//! whose rows are things that merely have a key, is never taken.

#[cfg(test)]
mod tests;
mod text;

use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};
use crate::layouts::vocabulary::{Roles, Vocabulary, snake, vocabulary};

/// What the proposed layout is called.
pub const ID: &str = "generic-table";

/// Columns with no part in idempotency that a table without a telling name may have.
const UNEXPLAINED_MAX: usize = 2;

/// A layout for one table, in its own text.
#[derive(Debug)]
pub struct Proposal {
    pub text: String,
    pub score: f32,
    pub reasons: Vec<String>,
}

/// The layout that a table's columns propose, or in words why they propose none.
pub fn propose(table: &Table) -> Result<Proposal, Vec<String>> {
    let words = vocabulary().ok_or_else(Vec::new)?;
    let mut roles = Roles::of(words, table);
    let name = snake(&table.name);
    let vetoes = vetoes(words, table, &name);
    if !vetoes.is_empty() {
        return Err(vetoes);
    }
    let named = Named::of(words, &name);
    let key = key_of(table, &mut roles, named);
    let key = key.ok_or_else(|| vec!["no column holds a key".to_owned()])?;
    if scope_of(table, key, &roles).is_none() {
        return Err(vec![format!("nothing makes `{}` unique", key.name)]);
    }
    let mut columns = table.columns.iter();
    let speaks = columns.any(|column| snake(&column.name).contains("idempot"));
    match named {
        Named::Idempotency => {}
        Named::Deduplication => others_are_few(words, table, &roles)?,
        Named::Otherwise if !speaks => {
            return Err(vec![
                "neither its name nor a column speaks of idempotency".to_owned(),
            ]);
        }
        Named::Otherwise => is_only_a_record(words, table, &roles)?,
    }
    let (score, reasons) = evidence(words, table, key, &roles, named);
    Ok(Proposal {
        text: text::text(words, table, &roles),
        score: score.min(match named {
            Named::Otherwise => 0.6,
            _ => 0.75,
        }),
        reasons,
    })
}

/// What the name of a table says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Named {
    Idempotency,
    Deduplication,
    Otherwise,
}

impl Named {
    fn of(words: &Vocabulary, name: &str) -> Named {
        let says = |list: &[String]| list.iter().any(|word| name.contains(word.as_str()));
        let is_word = |part: &str| words.name_words.iter().any(|word| word == part);
        if says(&words.names) || name.split('_').any(is_word) {
            Named::Idempotency
        } else if says(&words.dedup_names) {
            Named::Deduplication
        } else {
            Named::Otherwise
        }
    }
}

/// The column of the key. Where none is called like one and the table says what it is for, the text
/// that alone makes a row unique is the key.
fn key_of<'t>(table: &'t Table, roles: &mut Roles<'t>, named: Named) -> Option<&'t Column> {
    let called = roles
        .get("idempotency_key")
        .or_else(|| roles.get("key_digest"));
    if called.is_some() {
        return called;
    }
    let says_keys = snake(&table.name).contains("dedup");
    if named == Named::Otherwise || (named == Named::Deduplication && !says_keys) {
        return None;
    }
    let indexes = table
        .unique
        .iter()
        .chain(std::iter::once(&table.primary_key));
    let found = indexes.filter_map(|index| match index.as_slice() {
        [only] => table.column(only),
        _ => None,
    });
    let mut texts =
        found.filter(|column| matches!(column.kind, ColumnKind::Text | ColumnKind::Uuid));
    let key = texts.next()?;
    roles.0.retain(|(_, column)| column.name != key.name);
    roles.0.push(("idempotency_key", key));
    Some(key)
}

/// A payment, a task or an upload has a key too, and perhaps one thing that a record has: a table
/// that is not named for it must have two, and next to nothing besides.
fn is_only_a_record(
    words: &Vocabulary,
    table: &Table,
    roles: &Roles<'_>,
) -> Result<(), Vec<String>> {
    let is_called = |role: &str, parts: &[&str]| {
        roles.get(role).is_some_and(|column| {
            let name = snake(&column.name);
            parts.iter().any(|part| name.contains(part))
        })
    };
    let answer = ["response", "http", "status_code"];
    let lock = ["lock", "lease", "claim"];
    let pieces = [
        is_called(
            "payload_hash",
            &["request", "payload", "fingerprint", "body", "params"],
        ),
        is_called("response_status", &answer) || is_called("response_body", &answer),
        is_called("locked_at", &lock) || is_called("lock_until", &lock),
    ];
    match pieces.iter().filter(|piece| **piece).count() {
        0 => return Err(vec!["a key, but nothing of a lock or an answer".to_owned()]),
        1 => {
            return Err(vec![
                "a key, and little more of what a record has".to_owned(),
            ]);
        }
        _ => {}
    }
    others_are_few(words, table, roles)
}

/// Columns with no part in idempotency.
fn others<'t>(words: &Vocabulary, table: &'t Table, roles: &Roles<'_>) -> Vec<&'t str> {
    let others = table
        .columns
        .iter()
        .filter(|column| !roles.explains(column) && !table.primary_key.contains(&column.name))
        .filter(|column| !words.plain_columns.contains(&snake(&column.name)));
    others.map(|column| column.name.as_str()).collect()
}

fn others_are_few(words: &Vocabulary, table: &Table, roles: &Roles<'_>) -> Result<(), Vec<String>> {
    let others = others(words, table, roles);
    if others.len() > UNEXPLAINED_MAX {
        return Err(vec![format!(
            "its rows are more than records: `{}`",
            others.join("`, `")
        )]);
    }
    Ok(())
}

/// Adds up what speaks for a table, with a sentence for each piece.
fn evidence(
    words: &Vocabulary,
    table: &Table,
    key: &Column,
    roles: &Roles<'_>,
    named: Named,
) -> (f32, Vec<String>) {
    let by_name = match named {
        Named::Idempotency => 0.4,
        Named::Deduplication => 0.3,
        Named::Otherwise => 0.0,
    };
    let mut score = by_name;
    let mut reasons = Vec::new();
    if by_name > 0.0 {
        reasons.push(format!("the table is called `{}`", table.name));
    }
    if snake(&key.name).contains("idem") {
        score += 0.25;
        reasons.push(format!("`{}` is an idempotency key", key.name));
    }
    score += 0.2;
    reasons.push(format!("`{}` is unique, alone or within a scope", key.name));
    for (role, points, what) in [
        ("response_status", 0.15, "an answer's status"),
        ("response_body", 0.1, "an answer"),
        ("payload_hash", 0.15, "a payload hash"),
        ("locked_at", 0.1, "the time of a lock"),
        ("lock_until", 0.1, "the end of a lease"),
        ("state", 0.05, "a state"),
        ("is_done", 0.05, "whether it is done"),
        ("is_running", 0.05, "whether it runs"),
        ("completed_at", 0.1, "the time it was done"),
        ("expires_at", 0.05, "an expiry"),
    ] {
        if let Some(column) = roles.get(role) {
            score += points;
            reasons.push(format!("`{}` holds {what}", column.name));
        }
    }
    if named == Named::Deduplication && others(words, table, roles).is_empty() {
        score += 0.1;
        reasons.push("no column is there for anything else".to_owned());
    }
    reasons.push("it fits no layout that is known: read by what its columns are called".to_owned());
    (score, reasons)
}

/// What says that a table is something else.
fn vetoes(words: &Vocabulary, table: &Table, name: &str) -> Vec<String> {
    let mut vetoes = Vec::new();
    let speaks = words.names.iter().any(|word| name.contains(word.as_str()));
    if let Some(word) = words
        .other_names
        .iter()
        .find(|word| name.contains(word.as_str()))
        && !speaks
    {
        vetoes.push(format!("its name says `{word}`"));
    }
    let says = |word: &str| words.other_words.iter().any(|other| other == word);
    if let Some(word) = name.split('_').find(|word| says(word)) {
        vetoes.push(format!("its name says `{word}`"));
    }
    for column in &table.columns {
        if words.other_columns.contains(&snake(&column.name)) {
            vetoes.push(format!("a column is called `{}`", column.name));
        }
    }
    vetoes
}

/// The columns that make the key unique together with it; `None` where nothing does.
pub fn scope_of<'t>(table: &'t Table, key: &Column, roles: &Roles<'t>) -> Option<Vec<&'t Column>> {
    let indexes = std::iter::once(&table.primary_key).chain(&table.unique);
    let best = indexes
        .filter(|index| index.contains(&key.name))
        .min_by_key(|index| index.len())?;
    let mut scope: Vec<&Column> = best
        .iter()
        .filter(|name| **name != key.name)
        .filter_map(|name| table.column(name))
        .collect();
    if scope.is_empty() {
        scope.extend(roles.get("scope"));
    }
    Some(scope)
}
