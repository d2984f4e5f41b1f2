//! What a recipe does, in words.

use super::expr::Expr;
use super::{Expiry, Recipe, Recipes, What, Writing};
use crate::domain::change::Verb;
use crate::domain::raw::KeyType;
use crate::layouts::Layout;
use crate::layouts::form::Period;
use crate::layouts::redis::RedisLayout;

impl Layout {
    /// What a verb does to the records of this layout, or why it does nothing; a sentence without
    /// its beginning and without a full stop.
    pub fn recipe_words(&self, verb: Verb) -> String {
        let redis = self.redis.as_ref().map(|redis| keys(redis, verb));
        let sql = self.sql.as_ref().map(|sql| row(&sql.recipes, verb));
        match (redis, sql) {
            (Some(redis), Some(sql)) if redis == sql => redis,
            (Some(redis), Some(sql)) => format!("in Redis {redis}; in a table {sql}"),
            (Some(words), None) | (None, Some(words)) => words,
            (None, None) => String::new(),
        }
    }
}

fn keys(redis: &RedisLayout, verb: Verb) -> String {
    match redis.recipes.of(verb) {
        None => "puts back what a run changed".to_owned(),
        Some(Recipe::Not(why)) => refused(why),
        Some(Recipe::Delete(What::Lock)) => "deletes the lock".to_owned(),
        Some(Recipe::Delete(What::Record)) => {
            let own = match redis.each.as_ref().map(|each| each.kind) {
                Some(KeyType::Hash) => "takes the field out of its hash",
                Some(_) => "takes the member out of its key",
                None => "deletes the key",
            };
            let lock = if redis.locks.is_empty() {
                ""
            } else {
                " and its lock"
            };
            let parts: Vec<&str> = redis.parts.iter().map(|part| part.name.as_str()).collect();
            match parts.is_empty() {
                true => format!("{own}{lock}"),
                false => format!("{own}{lock}, with {}", quoted(parts)),
            }
        }
        Some(Recipe::Write(writing)) => {
            let mut said = written(writing);
            if !redis.locks.is_empty() {
                said.push("deletes the lock".to_owned());
            }
            said.join(", ")
        }
    }
}

fn row(recipes: &Recipes, verb: Verb) -> String {
    match recipes.of(verb) {
        None => "puts back what a run changed".to_owned(),
        Some(Recipe::Not(why)) => refused(why),
        Some(Recipe::Delete(_)) => "deletes the row".to_owned(),
        Some(Recipe::Write(writing)) => written(writing).join(", "),
    }
}

fn refused(why: &str) -> String {
    format!("not from here, because {why}")
}

fn written(writing: &Writing) -> Vec<String> {
    let mut said = Vec::new();
    match &writing.string {
        Some(Expr::Set(members)) => said.push(changed(members, "in its JSON")),
        Some(_) => said.push("writes the value anew".to_owned()),
        None => {}
    }
    let (whole, inner): (Vec<_>, Vec<_>) = writing
        .hash
        .iter()
        .cloned()
        .partition(|(_, expr)| !matches!(expr, Expr::Set(_)));
    if !whole.is_empty() {
        said.push(changed(&whole, "of its hash"));
    }
    for (field, expr) in &inner {
        if let Expr::Set(members) = expr {
            said.push(changed(members, &format!("in the JSON of `{field}`")));
        }
    }
    if !writing.parts.is_empty() {
        let names = writing.parts.iter().map(|(name, _)| name.as_str());
        said.push(format!("writes {}", quoted(names.collect())));
    }
    for (at, (role, expr)) in writing.columns.iter().enumerate() {
        let sets = if at == 0 { "sets " } else { "" };
        said.push(format!("{sets}`{role}` to {}", cell(expr)));
    }
    match &writing.expires {
        Expiry::Keep => {}
        Expiry::Never => said.push("lets it live for ever".to_owned()),
        Expiry::After(Period::Param(name)) => {
            said.push(format!("lets it live for `{name}` from then on"));
        }
        Expiry::After(Period::Fixed(period)) => said.push(format!(
            "lets it live for {} s from then on",
            period.millis() / 1000
        )),
    }
    if let Some([low, high]) = writing.statuses {
        said.push(format!("takes only a status from {low} to {high}"));
    }
    said
}

fn changed(members: &[(String, Expr)], place: &str) -> String {
    let of = |is_gone: fn(&Expr) -> bool| -> Vec<&str> {
        let those = members.iter().filter(|(_, expr)| is_gone(expr));
        those.map(|(name, _)| name.as_str()).collect()
    };
    let gone = of(|expr| *expr == Expr::Absent);
    let set = of(|expr| *expr != Expr::Absent);
    match (set.is_empty(), gone.is_empty()) {
        (true, false) => format!("drops {} {place}", quoted(gone)),
        (_, true) => format!("sets {} {place}", quoted(set)),
        (false, false) => format!("sets {} and drops {} {place}", quoted(set), quoted(gone)),
    }
}

fn cell(expr: &Expr) -> String {
    match expr {
        Expr::Absent | Expr::Null => "nothing".to_owned(),
        Expr::Text(text) if text.is_empty() => "an empty text".to_owned(),
        Expr::Text(text) => format!("`{text}`"),
        Expr::Number(number) => number.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Status => "the status".to_owned(),
        Expr::Body(_) | Expr::Result(_) => "the body".to_owned(),
        Expr::Now { plus: None, .. } => "the time".to_owned(),
        Expr::Now { .. } => "a time to come".to_owned(),
        Expr::Epoch => "the beginning of 1970".to_owned(),
        Expr::Column(other) => format!("what `{other}` holds"),
        _ => "a JSON value".to_owned(),
    }
}

fn quoted(names: Vec<&str>) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.join(""),
    }
}
