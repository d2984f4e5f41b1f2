//! The proposal as a layout's text.
//!
//! Invariant: what is written is TOML whatever the columns are called.

use std::fmt::Write as _;

use super::{ID, scope_of};
use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};
use crate::layouts::vocabulary::{Roles, Vocabulary};

pub fn text(words: &Vocabulary, table: &Table, roles: &Roles<'_>) -> String {
    let mut text = format!(
        "id = \"{ID}\"\ntitle = \"Table that holds idempotency records, read by its column names\"\n\
         class = \"http-idempotency\"\n\n[sql]\ntables = [{}]\n\n[sql.columns]\n",
        quoted(&table.name)
    );
    let key = roles
        .get("idempotency_key")
        .or_else(|| roles.get("key_digest"));
    let scope = key
        .and_then(|key| scope_of(table, key, roles))
        .unwrap_or_default();
    let mut described: Vec<(String, &str)> = Vec::new();
    for (role, column) in roles.0.iter().filter(|(role, _)| *role != "scope") {
        described.push(((*role).to_owned(), &column.name));
    }
    for (at, column) in scope.iter().enumerate() {
        described.push((format!("scope_{at}"), &column.name));
    }
    for (role, name) in &described {
        let _ = writeln!(text, "{role} = {{ names = [{}] }}", quoted(name));
    }
    text.push_str("\n[sql.row]\n");
    let paths: Vec<String> = (0..scope.len())
        .map(|at| format!("\"col.scope_{at}\""))
        .collect();
    let _ = writeln!(text, "scope = [{}]", paths.join(", "));
    text.push_str("\n[sql.row.fields]\n");
    for (role, _) in &roles.0 {
        let _ = match *role {
            "scope" | "state" | "is_done" | "is_running" => continue,
            time if time.ends_with("_at") || time == "lock_until" => {
                writeln!(
                    text,
                    "{time} = {{ from = \"col.{time}\", unit = \"auto\" }}"
                )
            }
            role => writeln!(text, "{role} = \"col.{role}\""),
        };
    }
    cases(words, roles, &mut text);
    recipes(roles, &mut text);
    text
}

/// A lock that is nothing but its own columns can be taken away; where a state or a mark says that a
/// request runs too, only the application knows what to write there.
fn recipes(roles: &Roles<'_>, text: &mut String) {
    let locks: Vec<&str> = ["locked_at", "lock_until"]
        .into_iter()
        .filter(|role| roles.has(role))
        .collect();
    let says_more = ["state", "is_done", "is_running"]
        .iter()
        .any(|role| roles.has(role));
    if locks.is_empty() || says_more {
        let why = "the layout of this table is not known: describe it first";
        let _ = writeln!(text, "\n[sql.release]\nnot = {why:?}");
    } else {
        let _ = writeln!(text, "\n[sql.release.columns]");
        for role in locks {
            let _ = writeln!(text, "{role} = \"$null\"");
        }
    }
    for verb in ["settle", "purge"] {
        let why = "the layout of this table is not known: describe it first";
        let _ = writeln!(text, "\n[sql.{verb}]\nnot = {why:?}");
    }
}

/// Status by the words of a state, else by what is there; what neither tells is unknown.
fn cases(words: &Vocabulary, roles: &Roles<'_>, text: &mut String) {
    let mut case = |name: &str, status: &str, when: &str| {
        let _ = writeln!(
            text,
            "\n[[sql.row.case]]\nname = {name:?}\nstatus = {status:?}"
        );
        if !when.is_empty() {
            let _ = writeln!(text, "when = [{when}]");
        }
    };
    if let Some(state) = roles.get("state") {
        let states = &words.states;
        for (status, list) in [
            ("processing", &states.processing),
            ("completed", &states.completed),
            ("failed", &states.failed),
        ] {
            let when = format!("{{ of = \"col.state\", word = {list:?} }}");
            case(status, status, &when);
        }
        // A word that is not known says something; what a number says is not known at all.
        if state.kind != ColumnKind::Int {
            let when = "{ of = \"col.state\", present = true }";
            case("another state", "unknown", when);
        }
    }
    let yes = "one_of = [\"true\", \"1\"]";
    if roles.has("is_running") {
        let when = format!("{{ of = \"col.is_running\", {yes} }}");
        case("running", "processing", &when);
    }
    if roles.has("is_done") {
        let when = format!("{{ of = \"col.is_done\", {yes} }}");
        case("done", "completed", &when);
    }
    for role in ["response_status", "completed_at", "response_body"] {
        if let Some(column) = roles.get(role) {
            case("answered", "completed", &filled(role, column));
        }
    }
    // Nothing says how a failure is written: only a store without errors has no other way.
    if roles.has("is_done") && !roles.has("error") {
        let when = "{ of = \"col.is_done\", one_of = [\"false\", \"0\"] }";
        case("not done", "processing", when);
    }
    for role in ["locked_at", "lock_until"] {
        if let Some(column) = roles.get(role) {
            case("locked", "processing", &filled(role, column));
        }
    }
    case("not told", "unknown", "");
}

/// The question whether something is there; a zero is nothing.
fn filled(role: &str, column: &Column) -> String {
    let asked = match (role, column.kind) {
        ("response_status", _) => "between = [100, 599]",
        (_, ColumnKind::Int | ColumnKind::Float) => "between = [1, 1e18]",
        _ => "present = true",
    };
    format!("{{ of = \"col.{role}\", {asked} }}")
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
