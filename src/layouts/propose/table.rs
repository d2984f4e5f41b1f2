//! The proposal for a table.

use serde_json::Value as Json;

use super::form::{Ingredients, Node};
use super::grid::{Grid, Value, written};
use super::roles::Parts;
use super::text::{comment, id, key, list, quoted};
use super::{Ground, head, untold};
use crate::domain::raw::{Cell, ColumnKind, RawRows};
use crate::domain::survey::{Column, Table};
use crate::layouts::vocabulary::{Vocabulary, kind_name, vocabulary};

const UNREAD_MAX: usize = 40;

/// A layout for a table, in its own text; the cells of `rows` stand in the order of its columns.
pub fn table(table: &Table, rows: &RawRows, ground: Ground<'_>) -> String {
    let Some(words) = vocabulary() else {
        return String::new();
    };
    let form = ingredients(table, rows);
    let mut parts = form.parts(words, &ground);
    key_by_index(table, &form, &mut parts);
    let (key_column, scope) = unique(table, &form, &parts);
    let form = Ingredients { scope, ..form };
    let looked_at = match ground.of {
        _ if rows.is_empty() => format!("the columns of {}, which has no rows", table.place()),
        Some(of) => format!("{} of about {of} rows of {}", rows.len(), table.place()),
        None => format!("{} rows of {}", rows.len(), table.place()),
    };
    let answers = [
        "response_status",
        "response_body",
        "payload_hash",
        "locked_at",
    ];
    let is_http = answers.iter().any(|role| parts.has(role));
    let class = if is_http {
        "http-idempotency"
    } else {
        "deduplication"
    };
    let mut text = head(
        &table.place(),
        &id(&table.name, ground.taken),
        class,
        &looked_at,
    );
    if !parts.has("expires_at") {
        text.push_str(&comment(
            "No column says how long a row is kept. With a parameter, expires_at can be \
             { from = \"col.…\", plus = \"retention\" }.",
        ));
        text.push_str(&super::text::offered(&[
            "[params.retention]",
            "default = \"24h\"",
        ]));
        text.push('\n');
    }
    untold("sql", parts.has("lock_until"), &mut text);
    text.push_str(&format!(
        "[sql]\ntables = {}\n",
        list([table.name.as_str()])
    ));
    let unique: Vec<String> = key_column
        .into_iter()
        .chain(
            form.scope
                .iter()
                .filter_map(|path| path.strip_prefix("col.").map(str::to_owned)),
        )
        .collect();
    if !unique.is_empty() {
        text.push_str(&format!(
            "unique = {}\n",
            list(unique.iter().map(String::as_str))
        ));
    }
    columns(words, table, &form, &parts, &mut text);
    text.push('\n');
    text.push_str(&form.write(words, &parts));
    text
}

/// What a path calls a column.
fn role_of(column: &Column) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match column.name.chars().all(plain) && !column.name.is_empty() {
        true => column.name.clone(),
        false => column
            .name
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .collect(),
    }
}

fn path_of(column: &Column) -> String {
    written(&["col".to_owned(), role_of(column)]).unwrap_or_default()
}

fn ingredients(table: &Table, rows: &RawRows) -> Ingredients {
    let mut form = Ingredients {
        form: "sql.row",
        ..Ingredients::default()
    };
    form.grid = Grid::of(rows.len());
    for (at, column) in table.columns.iter().enumerate() {
        let path = ["col".to_owned(), role_of(column)];
        // The name of a column counts as it is, whatever a path calls it.
        form.grid.put(usize::MAX, &path, 1, None);
        for row in 0..rows.len() {
            form.grid
                .put(row, &path, 1, Value::of_cell(rows.cell(row, at)));
        }
        let written = path_of(column);
        let member = form
            .grid
            .members
            .iter_mut()
            .find(|member| member.path == written);
        if let Some(member) = member {
            member.kind = Some(column.kind);
        }
    }
    form.open_members();
    for (at, column) in table.columns.iter().enumerate() {
        if column.kind == ColumnKind::Json {
            open_json(&mut form, column, rows, at);
        }
    }
    form
}

/// Opens a column that holds JSON objects.
fn open_json(form: &mut Ingredients, column: &Column, rows: &RawRows, at: usize) {
    let mut any = false;
    let name = format!("{}_json", role_of(column).replace('-', "_"));
    let before = form.grid.members.len();
    for row in 0..rows.len() {
        let Cell::Json(text) = rows.cell(row, at) else {
            continue;
        };
        if let Ok(json @ Json::Object(_)) = serde_json::from_str::<Json>(text) {
            any = true;
            form.grid.put_json(row, &mut vec![name.clone()], 1, &json);
        }
    }
    if any {
        form.nodes.push(Node {
            name,
            of: path_of(column),
            way: vec!["json"],
        });
        let around = crate::layouts::vocabulary::snake(&column.name);
        for member in form.grid.members.iter_mut().skip(before) {
            member.full = format!("{around}_{}", member.full);
            member.depth += 1;
        }
    }
}

/// Where no column is called like a key, the unique text is one.
fn key_by_index(table: &Table, form: &Ingredients, parts: &mut Parts) {
    if parts.has("idempotency_key") || parts.has("key_digest") {
        return;
    }
    let indexes = table
        .unique
        .iter()
        .chain(std::iter::once(&table.primary_key));
    for name in indexes.flatten() {
        let Some(column) = table.column(name) else {
            continue;
        };
        if !matches!(column.kind, ColumnKind::Text | ColumnKind::Uuid) {
            continue;
        }
        let path = path_of(column);
        let at = form
            .grid
            .members
            .iter()
            .position(|member| member.path == path);
        if let Some(at) = at.filter(|at| !parts.0.iter().any(|part| part.member == *at)) {
            parts.0.push(super::roles::Part {
                role: "idempotency_key".to_owned(),
                member: at,
                guess: Some("a unique index holds it".to_owned()),
            });
            return;
        }
    }
}

/// The key's column, by what paths call it, and the columns that are unique together with it.
fn unique(table: &Table, form: &Ingredients, parts: &Parts) -> (Option<String>, Vec<String>) {
    let member = ["idempotency_key", "key_digest"]
        .into_iter()
        .find_map(|role| parts.get(&form.grid, role));
    let column = member.and_then(|member| {
        table
            .columns
            .iter()
            .find(|column| path_of(column) == member.path)
    });
    let Some(column) = column else {
        return (None, Vec::new());
    };
    let index = std::iter::once(&table.primary_key)
        .chain(&table.unique)
        .filter(|index| index.contains(&column.name))
        .min_by_key(|index| index.len());
    let Some(index) = index else {
        return (None, Vec::new());
    };
    let others = index.iter().filter(|name| **name != column.name);
    let scope = others
        .filter_map(|name| table.column(name))
        .map(path_of)
        .collect();
    (Some(role_of(column)), scope)
}

/// The columns that paths name, then those that nothing reads.
fn columns(
    words: &Vocabulary,
    table: &Table,
    form: &Ingredients,
    parts: &Parts,
    text: &mut String,
) {
    text.push_str("\n[sql.columns]\n");
    let written = form.write(words, parts);
    let is_read = |column: &Column| written.contains(&quoted(&path_of(column)));
    for column in table.columns.iter().filter(|column| is_read(column)) {
        let role = role_of(column);
        let is_key = ["idempotency_key", "key_digest"].iter().any(|name| {
            let member = parts.get(&form.grid, name);
            member.is_some_and(|member| member.path == path_of(column))
        });
        let mut detail = Vec::new();
        if role != column.name {
            detail.push(format!("names = {}", list([column.name.as_str()])));
        }
        if is_key {
            detail.push(format!("kinds = {}", list([kind_name(column.kind)])));
        }
        let detail = match detail.is_empty() {
            true => "{}".to_owned(),
            false => format!("{{ {} }}", detail.join(", ")),
        };
        text.push_str(&format!("{} = {detail}\n", key(&role)));
    }
    let unread: Vec<&Column> = table
        .columns
        .iter()
        .filter(|column| !is_read(column))
        .collect();
    if !unread.is_empty() {
        text.push_str("# Nothing reads these:\n");
        for column in unread.iter().take(UNREAD_MAX) {
            let line = format!("{} = {{}}  ({})", key(&role_of(column)), column.declared);
            text.push_str(&comment(&line));
        }
    }
}
