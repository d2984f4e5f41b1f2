//! What a recipe writes, as typed and as checked.
//!
//! A text that begins with `$` stands for something: `$status`, `$body.json`, `$now.ms + 24h`,
//! `$key.key`. Any other text, number, list or table stands for itself. A table with nothing but
//! `set` changes members of what is there.

use std::collections::BTreeMap;

use super::Ground;
use crate::layouts::compile::period;
use crate::layouts::form::Period;

#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Nothing: the member, field or key is taken away.
    Absent,
    Null,
    Text(String),
    Number(i64),
    Bool(bool),
    List(Vec<Expr>),
    Members(Vec<(String, Expr)>),
    /// Members of what is there that become something else.
    Set(Vec<(String, Expr)>),
    /// The status of the answer, a number.
    Status,
    Body(BodyForm),
    /// What the body is, by itself: the answer has no headers.
    ContentType(TextForm),
    /// What a function behind an HTTP gateway returns for this answer.
    Result(BodyForm),
    Now {
        form: TimeForm,
        plus: Option<Period>,
    },
    /// The beginning of 1970: a lock that is over.
    Epoch,
    /// What stands in the record, by its place among the paths.
    Stored(usize),
    /// What stands in another column.
    Column(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// As the column holds such: JSON, bytes or text.
    Own,
    /// A JSON value, which it must be.
    Json,
    /// A text that must be JSON.
    JsonText,
    /// A JSON value where it is one, else a text.
    Value,
    Text,
    Base64,
    Bytes,
    /// A JSON array of its bytes.
    ByteArray,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    Text,
    Base64,
    ByteArray,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// As the column has its times.
    Own,
    Seconds,
    Millis,
    /// Seconds with a fraction.
    Fraction,
    /// `2026-11-29T12:00:00.123Z`
    Iso,
    /// `2026-11-29T12:00:00.123+00:00`
    Offset,
}

/// Reads expressions and gathers the paths in them.
pub struct Reader<'r> {
    params: &'r [String],
    ground: Ground,
    pub paths: Vec<String>,
}

/// No expression goes deeper.
const DEPTH_MAX: usize = 16;

impl<'r> Reader<'r> {
    pub fn new(params: &'r [String], ground: Ground) -> Reader<'r> {
        Reader {
            params,
            ground,
            paths: Vec::new(),
        }
    }

    pub fn named(
        &mut self,
        values: &BTreeMap<String, toml::Value>,
    ) -> Result<Vec<(String, Expr)>, String> {
        values
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.read(value)?)))
            .collect()
    }

    pub fn read(&mut self, value: &toml::Value) -> Result<Expr, String> {
        self.at(value, 0)
    }

    fn at(&mut self, value: &toml::Value, depth: usize) -> Result<Expr, String> {
        if depth > DEPTH_MAX {
            return Err("what is written goes too deep".to_owned());
        }
        match value {
            toml::Value::String(text) => self.text(text),
            toml::Value::Integer(number) => Ok(Expr::Number(*number)),
            toml::Value::Boolean(value) => Ok(Expr::Bool(*value)),
            toml::Value::Array(items) => items
                .iter()
                .map(|item| self.at(item, depth + 1))
                .collect::<Result<Vec<Expr>, String>>()
                .map(Expr::List),
            toml::Value::Table(members) => match members.get("set") {
                Some(toml::Value::Table(set)) if members.len() == 1 => {
                    self.members(set, depth).map(Expr::Set)
                }
                _ => self.members(members, depth).map(Expr::Members),
            },
            other => Err(format!("`{other}` cannot be written: write it as a text")),
        }
    }

    fn members(
        &mut self,
        members: &toml::Table,
        depth: usize,
    ) -> Result<Vec<(String, Expr)>, String> {
        members
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.at(value, depth + 1)?)))
            .collect()
    }

    fn text(&mut self, text: &str) -> Result<Expr, String> {
        let Some(name) = text.strip_prefix('$') else {
            return Ok(Expr::Text(text.to_owned()));
        };
        if name.starts_with('$') {
            return Ok(Expr::Text(name.to_owned()));
        }
        match word(name) {
            Some(Expr::Body(BodyForm::Own)) if self.ground == Ground::Keys => {
                return Err(format!(
                    "`{text}` says no form: json, json-text, value, text, base64, bytes or byte-array"
                ));
            }
            Some(expr) => return Ok(expr),
            None => {}
        }
        if let Some(rest) = name.strip_prefix("now") {
            return self.now(text, rest);
        }
        match (self.ground, name.strip_prefix("col.")) {
            (Ground::Row, Some(role)) => {
                // Checked like any path, and read as the cell that it is.
                self.paths.push(name.to_owned());
                Ok(Expr::Column(role.to_owned()))
            }
            (Ground::Row, None) => Err(format!(
                "`{text}` stands for nothing here: `$status`, `$body.…`, `$now`, `$epoch`, `$null`, \
                 `$col.…`"
            )),
            (Ground::Keys, _) => {
                self.paths.push(name.to_owned());
                Ok(Expr::Stored(self.paths.len() - 1))
            }
        }
    }

    /// `$now`, `$now.ms`, `$now.s + retention`.
    fn now(&self, text: &str, rest: &str) -> Result<Expr, String> {
        let (form, plus) = match rest.split_once(" + ") {
            Some((form, plus)) => (form, Some(period(plus, self.params)?)),
            None => (rest, None),
        };
        let form = match form {
            "" if self.ground == Ground::Row => TimeForm::Own,
            ".s" => TimeForm::Seconds,
            ".ms" => TimeForm::Millis,
            ".fraction" => TimeForm::Fraction,
            ".iso" => TimeForm::Iso,
            ".offset" => TimeForm::Offset,
            _ => {
                return Err(format!(
                    "`{text}` is no form of a time: s, ms, fraction, iso or offset"
                ));
            }
        };
        Ok(Expr::Now { form, plus })
    }
}

/// What needs nothing beside its name.
fn word(name: &str) -> Option<Expr> {
    Some(match name {
        "absent" => Expr::Absent,
        "null" => Expr::Null,
        "status" => Expr::Status,
        "epoch" => Expr::Epoch,
        "body" => Expr::Body(BodyForm::Own),
        "body.json" => Expr::Body(BodyForm::Json),
        "body.json-text" => Expr::Body(BodyForm::JsonText),
        "body.value" => Expr::Body(BodyForm::Value),
        "body.text" => Expr::Body(BodyForm::Text),
        "body.base64" => Expr::Body(BodyForm::Base64),
        "body.bytes" => Expr::Body(BodyForm::Bytes),
        "body.byte-array" => Expr::Body(BodyForm::ByteArray),
        "content-type" => Expr::ContentType(TextForm::Text),
        "content-type.base64" => Expr::ContentType(TextForm::Base64),
        "content-type.byte-array" => Expr::ContentType(TextForm::ByteArray),
        "result.json" => Expr::Result(BodyForm::Json),
        "result.json-text" => Expr::Result(BodyForm::JsonText),
        _ => return None,
    })
}
