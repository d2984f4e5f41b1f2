//! What a layout says a release, a settle and a purge are, in checked form.
//!
//! Apart from the forms, which only read, because this is the one part of a layout by which stored
//! bytes are changed.
//! Invariants: a verb that a layout does not describe is refused with a reason; a recipe either
//! deletes or writes, never both.

mod cell;
mod expr;
mod json;
mod make;
mod words;

pub use cell::CellForm;
pub use expr::Expr;
pub use make::Facts;

use super::compile::{Vocabulary, compile, period};
use super::form::{Extent, Form, Period};
use super::spec::{FormSpec, NodeSpec, RecipeSpec};
use crate::domain::change::Verb;

/// Said of a verb that a layout does not speak of.
const UNSAID: &str = "this layout does not say how";

/// The three recipes of a place: keys or a table.
#[derive(Debug)]
pub struct Recipes {
    release: Recipe,
    settle: Recipe,
    purge: Recipe,
}

#[derive(Debug)]
pub enum Recipe {
    /// Why it is not done from here.
    Not(String),
    Delete(What),
    Write(Box<Writing>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Every key of the record, or its row.
    Record,
    /// Only the keys of its lock.
    Lock,
}

/// What is written where.
#[derive(Debug)]
pub struct Writing {
    pub string: Option<Expr>,
    pub hash: Vec<(String, Expr)>,
    pub parts: Vec<(String, Expr)>,
    pub columns: Vec<(String, Expr)>,
    pub expires: Expiry,
    pub statuses: Option<[u16; 2]>,
    /// Reads what the expressions name; `required` has their slots in order.
    pub form: Form,
}

/// When the keys that are written expire.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Expiry {
    /// When they would have without the change; what takes a lock's place, when the lock would have.
    #[default]
    Keep,
    Never,
    After(Period),
}

/// What may be written at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Keys,
    Row,
}

impl Recipes {
    /// `section` is what the sentences of mistakes begin with: `redis` or `sql`.
    pub fn check(
        section: &str,
        specs: [Option<&RecipeSpec>; 3],
        decode: &[NodeSpec],
        words: &Vocabulary<'_>,
        ground: Ground,
    ) -> Result<Recipes, String> {
        let [release, settle, purge] = specs;
        let one = |verb: Verb, spec: Option<&RecipeSpec>| {
            Recipe::check(verb, spec, decode, words, ground)
                .map_err(|error| format!("{section}.{}: {error}", verb.name()))
        };
        Ok(Recipes {
            release: one(Verb::Release, release)?,
            settle: one(Verb::Settle, settle)?,
            purge: one(Verb::Purge, purge)?,
        })
    }

    /// The recipe of a verb; `None` for an undo, which no layout describes.
    pub fn of(&self, verb: Verb) -> Option<&Recipe> {
        match verb {
            Verb::Release => Some(&self.release),
            Verb::Settle => Some(&self.settle),
            Verb::Purge => Some(&self.purge),
            Verb::Undo => None,
        }
    }
}

impl Recipe {
    /// Whether the layout speaks of the verb at all, be it to refuse it.
    pub fn is_said(&self) -> bool {
        !matches!(self, Recipe::Not(why) if why == UNSAID)
    }

    fn check(
        verb: Verb,
        spec: Option<&RecipeSpec>,
        decode: &[NodeSpec],
        words: &Vocabulary<'_>,
        ground: Ground,
    ) -> Result<Recipe, String> {
        let Some(spec) = spec else {
            return Ok(Recipe::Not(UNSAID.to_owned()));
        };
        let writes = spec.string.is_some()
            || !(spec.hash.is_empty() && spec.parts.is_empty() && spec.columns.is_empty());
        let said = [spec.not.is_some(), spec.delete.is_some(), writes];
        if said.iter().filter(|said| **said).count() != 1 {
            return Err("one of `not`, `delete` and something to write is said here".to_owned());
        }
        if !writes && (spec.expires.is_some() || spec.statuses.is_some()) {
            return Err("`expires` and `statuses` are for what is written".to_owned());
        }
        if let Some(why) = &spec.not {
            if why.is_empty() || why.ends_with('.') {
                return Err("`not` is the end of a sentence, without a full stop".to_owned());
            }
            return Ok(Recipe::Not(why.clone()));
        }
        match spec.delete.as_deref() {
            Some(_) if verb == Verb::Settle => {
                Err("a settle writes the answer: `delete` is no way to".to_owned())
            }
            Some("record") => Ok(Recipe::Delete(What::Record)),
            Some("lock") if ground == Ground::Keys => Ok(Recipe::Delete(What::Lock)),
            Some(other) => Err(format!(
                "`{other}` is nothing to delete: `record` or `lock`"
            )),
            None => writing(spec, decode, words, ground).map(|w| Recipe::Write(Box::new(w))),
        }
    }
}

fn writing(
    spec: &RecipeSpec,
    decode: &[NodeSpec],
    words: &Vocabulary<'_>,
    ground: Ground,
) -> Result<Writing, String> {
    let has_keys = spec.string.is_some() || !spec.hash.is_empty() || !spec.parts.is_empty();
    match ground {
        Ground::Keys if !spec.columns.is_empty() => {
            return Err("`columns` are for a table".to_owned());
        }
        Ground::Row if has_keys || spec.expires.is_some() => {
            return Err("a row has `columns`, and nothing else to write".to_owned());
        }
        _ => {}
    }
    let columns = words.columns.unwrap_or_default();
    if let Some(unknown) = spec.columns.keys().find(|role| !columns.contains(role)) {
        return Err(format!("`{unknown}` is no described column"));
    }
    if let Some(unknown) = spec.parts.keys().find(|part| !words.parts.contains(part)) {
        return Err(format!("no part is called `{unknown}`"));
    }
    let mut reader = expr::Reader::new(words.params, ground);
    let string = spec.string.as_ref().map(|value| reader.read(value));
    let string = string.transpose()?;
    let hash = reader.named(&spec.hash)?;
    let parts = reader.named(&spec.parts)?;
    let columns = reader.named(&spec.columns)?;
    let paths = reader.paths.clone();
    // As it is written in the file: with a dollar in front.
    let as_typed = |error: String| {
        paths.iter().fold(error, |error, path| {
            error.replace(&format!("`{path}`"), &format!("`${path}`"))
        })
    };
    let form = FormSpec {
        decode: decode.to_vec(),
        requires: reader.paths,
        ..FormSpec::default()
    };
    Ok(Writing {
        string,
        hash,
        parts,
        columns,
        expires: match spec.expires.as_deref() {
            None => Expiry::Keep,
            Some("never") => Expiry::Never,
            Some(text) => Expiry::After(period(text, words.params)?),
        },
        statuses: spec.statuses,
        form: compile(&form, words, Extent::Whole).map_err(as_typed)?,
    })
}

#[cfg(test)]
mod tests;
