//! One form of a proposed layout: how one kind of value is read.
//!
//! Apart from `keys` and `table` because strings, hashes, members and rows are read alike.

use serde_json::Value as Json;

use super::Ground;
use super::decoder::decoded;
use super::grid::{Grid, Value};
use super::roles::{Part, Parts, assign};
use super::status::{self, Case};
use super::text::{comment, list, quoted};
use crate::layouts::vocabulary::Vocabulary;

/// Something decoded with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub name: String,
    pub of: String,
    pub way: Vec<&'static str>,
}

/// What a form is made of.
#[derive(Clone, Debug, Default)]
pub struct Ingredients {
    /// `redis.string`, `sql.row`.
    pub form: &'static str,
    pub nodes: Vec<Node>,
    pub grid: Grid,
    /// Paths of the scope that the name or the indexes tell.
    pub scope: Vec<String>,
    /// Fields that the name tells, by their paths; a member's value comes first.
    pub by_name: Vec<(&'static str, String)>,
    /// Cases of values that have no members.
    pub bare: Vec<Case>,
    /// Fields that the whole value is.
    pub whole: Vec<(&'static str, String)>,
    /// The question that the last case asks, where not every value is meant.
    pub rest: Option<String>,
}

/// Members that must be there for the form to be meant.
const REQUIRED_MAX: usize = 3;
/// Records from which on a member that all have is taken for one that they must have.
const REQUIRED_RECORDS: usize = 3;
const UNREAD_MAX: usize = 12;

impl Ingredients {
    /// Opens members that hold JSON as text: they get a name, and paths into them.
    pub fn open_members(&mut self) {
        for at in 0..self.grid.members.len() {
            let Some(member) = self.grid.members.get(at).filter(|member| member.depth < 2) else {
                continue;
            };
            for way in [&["json"][..], &["base64", "json"][..]] {
                let texts = member.values.iter().map(|value| match value {
                    Some(Value::Text(text)) => decoded(way, text.as_bytes()),
                    _ => None,
                });
                let values: Vec<Option<Json>> = texts.collect();
                let opened = values.iter().flatten().count();
                if opened == 0 || opened * 2 < member.found().count() {
                    continue;
                }
                let name = free_name(&member.last, &self.nodes);
                let (of, around) = (member.path.clone(), member.last.clone());
                self.nodes.push(Node {
                    name: name.clone(),
                    of,
                    way: way.to_vec(),
                });
                self.put(&name, &around, &values);
                break;
            }
        }
    }

    /// Puts what a node holds, under names that tell what it is a part of.
    fn put(&mut self, name: &str, around: &str, values: &[Option<Json>]) {
        let before = self.grid.members.len();
        for (record, json) in values.iter().enumerate() {
            if let Some(json) = json {
                self.grid
                    .put_json(record, &mut vec![name.to_owned()], 1, json);
            }
        }
        for member in self.grid.members.iter_mut().skip(before) {
            member.full = format!("{around}_{}", member.full);
            member.depth += 1;
        }
    }

    pub fn parts(&self, words: &Vocabulary, ground: &Ground<'_>) -> Parts {
        assign(words, &self.grid, ground.now)
    }

    /// The form as TOML.
    pub fn write(&self, words: &Vocabulary, parts: &Parts) -> String {
        let form = self.form;
        let mut text = format!("[{form}]\n");
        self.write_nodes(parts, &mut text);
        let scope = self.scope(parts);
        if !scope.is_empty() {
            text.push_str(&format!(
                "scope = {}\n",
                list(scope.iter().map(String::as_str))
            ));
        }
        let required = self.required(parts);
        if !required.is_empty() {
            text.push_str(&format!("requires = {}\n", list(required)));
        }
        text.push_str(&format!("\n[{form}.fields]\n"));
        self.write_fields(parts, &mut text);
        self.write_unread(parts, &mut text);
        let locked_at = status::locked_at(&self.grid, parts);
        let mut cases = self.bare.clone();
        cases.extend(status::cases(words, &self.grid, parts));
        // Where no value has members there is nothing left to ask.
        if self.grid.records > 0 || form == "sql.row" {
            cases.extend(status::rest(&self.grid, parts, self.rest.clone()));
        }
        for case in cases {
            case.write(form, locked_at.as_deref(), &mut text);
        }
        text
    }

    fn write_nodes(&self, parts: &Parts, text: &mut String) {
        let used = |node: &&Node| {
            let inside = format!("{}.", node.name);
            let paths = parts
                .0
                .iter()
                .filter_map(|part| self.grid.members.get(part.member));
            let mut paths = paths.map(|member| member.path.as_str());
            // The first one is what the values are.
            self.nodes.first() == Some(*node) && node.of == "raw"
                || paths.any(|path| path.starts_with(&inside))
        };
        let nodes: Vec<String> = self
            .nodes
            .iter()
            .filter(used)
            .map(|node| {
                let way = list(node.way.iter().copied());
                format!(
                    "    {{ name = {}, of = {}, as = {way} }},\n",
                    quoted(&node.name),
                    quoted(&node.of)
                )
            })
            .collect();
        if !nodes.is_empty() {
            text.push_str(&format!("decode = [\n{}]\n", nodes.concat()));
        }
    }

    fn scope(&self, parts: &Parts) -> Vec<String> {
        match parts.get(&self.grid, "scope") {
            Some(member) if self.scope.is_empty() => vec![member.path.clone()],
            _ => self.scope.clone(),
        }
    }

    /// Members that every record has and that say something.
    fn required(&self, parts: &Parts) -> Vec<&str> {
        if !self.bare.is_empty() || self.grid.records < REQUIRED_RECORDS || self.form == "sql.row" {
            return Vec::new();
        }
        let telling = [
            "state",
            "payload_hash",
            "created_at",
            "expires_at",
            "is_done",
            "idempotency_key",
        ];
        telling
            .iter()
            .filter_map(|role| parts.get(&self.grid, role))
            .filter(|member| member.is_in_all())
            .map(|member| member.path.as_str())
            .take(REQUIRED_MAX)
            .collect()
    }

    fn write_fields(&self, parts: &Parts, text: &mut String) {
        let mut written: Vec<&str> = Vec::new();
        for part in &parts.0 {
            let role = part.role.as_str();
            let by_name = self.by_name.iter().find(|(name, _)| *name == role);
            // A lock's start belongs to the cases that mean a lock; the others are no fields.
            if matches!(
                role,
                "scope" | "state" | "is_done" | "is_running" | "locked_at"
            ) {
                continue;
            }
            let Some(value) = status::field(&self.grid, part) else {
                continue;
            };
            let value = match by_name {
                Some((_, path)) => format!("[{value}, {}]", quoted(path)),
                None => value,
            };
            text.push_str(&line(part, &value));
            written.push(role);
        }
        for (role, path) in &self.by_name {
            if !written.contains(role) {
                text.push_str(&format!("{role} = {}\n", quoted(path)));
            }
        }
        for (role, value) in &self.whole {
            if !written.contains(role) {
                text.push_str(&format!("{role} = {value}\n"));
            }
        }
        let has_key = ["idempotency_key", "key_digest"]
            .iter()
            .any(|role| parts.has(role) || self.by_name.iter().any(|(name, _)| name == role));
        if !has_key {
            text.push_str(&comment(
                "Nothing looks like the client's key: name what holds it, as `idempotency_key` or, \
                 where it is a hash of the key, as `key_digest`.",
            ));
        }
    }

    /// What is there and nothing reads, so that it is not overlooked.
    fn write_unread(&self, parts: &Parts, text: &mut String) {
        if self.form == "sql.row" {
            return;
        }
        let is_read = |at: usize| parts.0.iter().any(|part| part.member == at);
        let holds = |path: &str, other: &str| {
            let opened = self.nodes.iter().find(|node| node.of == path);
            let names = [Some(path), opened.map(|node| node.name.as_str())];
            let mut names = names.into_iter().flatten();
            names.any(|name| {
                other
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
            })
        };
        // A member is read with what is in it, and what is in it is told of instead of itself.
        let is_told = |at: usize, path: &str| {
            let mut others = self.grid.members.iter().enumerate();
            is_read(at)
                || others.any(|(other, member)| {
                    holds(path, &member.path) || (is_read(other) && holds(&member.path, path))
                })
        };
        let unread: Vec<&str> = self
            .grid
            .members
            .iter()
            .enumerate()
            .filter(|(at, member)| !is_told(*at, &member.path))
            .map(|(_, member)| member.path.as_str())
            .take(UNREAD_MAX)
            .collect();
        if !unread.is_empty() {
            text.push_str(&comment(&format!("Nothing reads {}.", unread.join(", "))));
        }
    }
}

/// A field's line, with the reason of a guess behind it.
fn line(part: &Part, value: &str) -> String {
    match &part.guess {
        Some(why) => format!("{} = {value}  # a guess, {why}\n", part.role),
        None => format!("{} = {value}\n", part.role),
    }
}

/// A name for something decoded that nothing else has.
fn free_name(wanted: &str, nodes: &[Node]) -> String {
    let heads = [
        "raw", "hash", "col", "key", "member", "score", "with", "value",
    ];
    let mut name: String = wanted
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    if name.is_empty() {
        name.push_str("inner");
    }
    let mut free = name.clone();
    let mut number = 2;
    while heads.contains(&free.as_str()) || nodes.iter().any(|node| node.name == free) {
        free = format!("{name}_{number}");
        number += 1;
    }
    free
}
