//! A reading for tables that plainly hold idempotency records and fit no layout.
//!
//! Columns are known by their usual names, from `assets/vocabulary/table.toml`; what they make is a
//! layout in its ordinary text, so that it can be shown, kept and corrected like any other.
//! Invariant: what the columns do not tell stays untold; a table that says it is something else is
//! never taken.

use std::fmt::Write as _;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::domain::raw::ColumnKind;
use crate::domain::survey::{Column, Table};

/// What the proposed layout is called.
pub const ID: &str = "generic-table";

#[derive(Debug, Deserialize)]
struct Vocabulary {
    names: Vec<String>,
    dedup_names: Vec<String>,
    other_names: Vec<String>,
    other_columns: Vec<String>,
    role: Vec<Role>,
    states: States,
}

#[derive(Debug, Deserialize)]
struct Role {
    name: String,
    columns: Vec<String>,
    #[serde(default)]
    kinds: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct States {
    processing: Vec<String>,
    completed: Vec<String>,
    failed: Vec<String>,
}

fn vocabulary() -> Option<&'static Vocabulary> {
    static LOADED: OnceLock<Option<Vocabulary>> = OnceLock::new();
    let text = include_str!("../../../assets/vocabulary/table.toml");
    LOADED.get_or_init(|| toml::from_str(text).ok()).as_ref()
}

/// A layout for one table, in its own text.
#[derive(Debug)]
pub struct Proposal {
    pub text: String,
    pub score: f32,
    pub reasons: Vec<String>,
}

/// A table's columns by what they are for.
struct Roles<'t>(Vec<(&'static str, &'t Column)>);

impl<'t> Roles<'t> {
    fn of(words: &'static Vocabulary, table: &'t Table) -> Roles<'t> {
        let mut roles = Vec::new();
        for role in &words.role {
            let found = role.columns.iter().find_map(|name| {
                table.columns.iter().find(|column| {
                    snake(&column.name) == *name
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

    fn get(&self, role: &str) -> Option<&'t Column> {
        self.0
            .iter()
            .find(|(known, _)| *known == role)
            .map(|(_, column)| *column)
    }

    fn has(&self, role: &str) -> bool {
        self.get(role).is_some()
    }
}

/// The layout that a table's columns propose, or in words why they propose none.
pub fn propose(table: &Table) -> Result<Proposal, Vec<String>> {
    let words = vocabulary().ok_or_else(Vec::new)?;
    let roles = Roles::of(words, table);
    let name = snake(&table.name);
    let vetoes = vetoes(words, table, &name);
    if !vetoes.is_empty() {
        return Err(vetoes);
    }
    let key = roles
        .get("idempotency_key")
        .or_else(|| roles.get("key_digest"));
    let key = key.ok_or_else(|| vec!["no column holds a key".to_owned()])?;
    if scope_of(table, key, &roles).is_none() {
        return Err(vec![format!("nothing makes `{}` unique", key.name)]);
    }
    let says = |list: &[String]| list.iter().any(|word| name.contains(word.as_str()));
    let named = says(&words.names) || says(&words.dedup_names);
    let speaks = table
        .columns
        .iter()
        .any(|column| snake(&column.name).contains("idempot"));
    let tells = [
        "response_status",
        "response_body",
        "payload_hash",
        "locked_at",
        "lock_until",
    ];
    if !named && !speaks {
        return Err(vec![
            "neither its name nor a column speaks of idempotency".to_owned(),
        ]);
    }
    if !named && !tells.iter().any(|role| roles.has(role)) {
        return Err(vec!["a key, but nothing of a lock or an answer".to_owned()]);
    }
    let by_name = match (says(&words.names), named) {
        (true, _) => 0.3,
        (false, true) => 0.25,
        (false, false) => 0.0,
    };
    let (score, reasons) = evidence(table, key, &roles, by_name);
    Ok(Proposal {
        text: text(words, table, &roles),
        score: score.min(0.75),
        reasons,
    })
}

/// Adds up what speaks for a table, `by_name` for its name, with a sentence for each piece.
fn evidence(table: &Table, key: &Column, roles: &Roles<'_>, by_name: f32) -> (f32, Vec<String>) {
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
        ("completed_at", 0.1, "the time it was done"),
        ("expires_at", 0.05, "an expiry"),
    ] {
        if let Some(column) = roles.get(role) {
            score += points;
            reasons.push(format!("`{}` holds {what}", column.name));
        }
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
    for column in &table.columns {
        if words.other_columns.contains(&snake(&column.name)) {
            vetoes.push(format!("a column is called `{}`", column.name));
        }
    }
    vetoes
}

/// The columns that make the key unique together with it; `None` where nothing does.
fn scope_of<'t>(table: &'t Table, key: &Column, roles: &Roles<'t>) -> Option<Vec<&'t Column>> {
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

fn text(words: &Vocabulary, table: &Table, roles: &Roles<'_>) -> String {
    let mut text = format!(
        "id = \"{ID}\"\ntitle = \"Table that holds idempotency records, read by its column names\"\n\
         class = \"http-idempotency\"\n\n[sql]\ntables = [{:?}]\n\n[sql.columns]\n",
        table.name
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
        let _ = writeln!(text, "{role} = {{ names = [{name:?}] }}");
    }
    text.push_str("\n[sql.row]\n");
    let paths: Vec<String> = (0..scope.len())
        .map(|at| format!("\"col.scope_{at}\""))
        .collect();
    let _ = writeln!(text, "scope = [{}]", paths.join(", "));
    text.push_str("\n[sql.row.fields]\n");
    for (role, _) in roles
        .0
        .iter()
        .filter(|(role, _)| !matches!(*role, "scope" | "state"))
    {
        let _ = writeln!(text, "{role} = \"col.{role}\"");
    }
    cases(words, roles, &mut text);
    text
}

/// Status by the words of a state, else by what is there; what neither tells is unknown.
fn cases(words: &Vocabulary, roles: &Roles<'_>, text: &mut String) {
    let mut case = |name: &str, status: &str, when: String| {
        let _ = writeln!(
            text,
            "\n[[sql.row.case]]\nname = {name:?}\nstatus = {status:?}"
        );
        if !when.is_empty() {
            let _ = writeln!(text, "when = [{when}]");
        }
    };
    if roles.has("state") {
        for (status, list) in [
            ("processing", &words.states.processing),
            ("completed", &words.states.completed),
            ("failed", &words.states.failed),
        ] {
            let spellings = spellings(list);
            case(
                status,
                status,
                format!("{{ of = \"col.state\", one_of = {spellings:?} }}"),
            );
        }
        return case("another state", "unknown", String::new());
    }
    for role in ["response_status", "completed_at", "response_body"] {
        if roles.has(role) {
            case(
                "answered",
                "completed",
                format!("{{ of = \"col.{role}\", present = true }}"),
            );
        }
    }
    for role in ["locked_at", "lock_until"] {
        if roles.has(role) {
            case(
                "locked",
                "processing",
                format!("{{ of = \"col.{role}\", present = true }}"),
            );
        }
    }
    case("not told", "unknown", String::new());
}

/// A word as it may be written: lower, upper and title case.
fn spellings(words: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for word in words {
        all.push(word.clone());
        all.push(word.to_ascii_uppercase());
        let mut chars = word.chars();
        if let Some(first) = chars.next() {
            all.push(first.to_ascii_uppercase().to_string() + chars.as_str());
        }
    }
    all
}

/// `RequestHash` and `request hash` as `request_hash`.
fn snake(name: &str) -> String {
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

fn kind_name(kind: ColumnKind) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, columns: &[(&str, ColumnKind)], unique: &[&str]) -> Table {
        Table {
            schema: "public".to_owned(),
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|(name, kind)| Column {
                    name: (*name).to_owned(),
                    declared: String::new(),
                    kind: *kind,
                    nullable: true,
                })
                .collect(),
            unique: vec![unique.iter().map(|name| (*name).to_owned()).collect()],
            readable: true,
            ..Table::default()
        }
    }

    #[track_caller]
    fn check(table: &Table, taken: bool) {
        match propose(table) {
            Ok(proposal) => {
                let layout = crate::layouts::parse("proposal", &proposal.text);
                assert!(layout.is_ok(), "{layout:?}: {}", proposal.text);
                assert_eq!(proposal.score >= super::super::SURE, taken, "{proposal:?}");
            }
            Err(why) => assert!(!taken, "{why:?}"),
        }
    }

    use ColumnKind::{Int, Json, Text, Time, Uuid};

    #[test]
    fn a_table_by_any_other_name_is_read() {
        let columns = [
            ("id", Int),
            ("TenantId", Uuid),
            ("IdempotencyKey", Text),
            ("RequestHash", Text),
            ("Status", Text),
            ("ResponseBody", Json),
            ("LockedAt", Time),
        ];
        check(
            &table("ApiIdempotency", &columns, &["TenantId", "IdempotencyKey"]),
            true,
        );
        let processed = [
            ("message_id", Text),
            ("consumer", Text),
            ("processed_at", Time),
        ];
        check(
            &table(
                "processed_messages",
                &processed,
                &["message_id", "consumer"],
            ),
            false,
        );
    }

    #[test]
    fn what_says_it_is_something_else_is_not_taken() {
        let outbox = [
            ("idempotency_key", Text),
            ("topic", Text),
            ("locked_until", Time),
        ];
        check(
            &table("outbox_messages", &outbox, &["idempotency_key"]),
            false,
        );
        let payments = [
            ("idempotency_key", Text),
            ("amount", Int),
            ("response_body", Json),
        ];
        check(&table("charges", &payments, &["idempotency_key"]), false);
        let without_index = [("idempotency_key", Text), ("response_status", Int)];
        check(
            &table("idempotency_records", &without_index, &["response_status"]),
            false,
        );
    }
}
