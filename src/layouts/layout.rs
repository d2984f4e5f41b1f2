//! A layout in checked form.
//!
//! Invariant: there is no way to make one but [`Layout::check`]; whoever holds a `Layout` need not
//! ask whether its paths, templates, words and periods are good.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::compile::{Vocabulary, compile};
use super::form::{Extent, Form};
use super::log::LogLayout;
use super::reading::Params;
use super::recipe::{Ground, Recipes};
use super::redis::RedisLayout;
use super::spec::{AnswerSpec, ColumnSpec, FormSpec, LayoutSpec, LookupSpec};
use crate::domain::Duration;
use crate::domain::raw::ColumnKind;

#[derive(Debug)]
pub struct Layout {
    pub id: Arc<str>,
    pub title: String,
    pub class: String,
    pub about: String,
    /// No library's own: taken only where no other layout reads as well.
    pub generic: bool,
    /// A user's own: it was written for what it fits, and goes before those that come with the
    /// program.
    pub own: bool,
    /// The text that it was read from.
    pub text: Arc<str>,
    pub lock: LockRule,
    pub retry: RetryRules,
    pub redis: Option<RedisLayout>,
    pub sql: Option<SqlLayout>,
    pub log: Option<LogLayout>,
    /// Default values of the parameters.
    pub params: Params,
    pub param_names: Vec<String>,
    spec: LayoutSpec,
}

#[derive(Debug, Default)]
pub struct LockRule {
    pub lease: Option<Duration>,
    /// Periods that a locked record may live, ascending.
    pub lifetimes: Vec<Duration>,
    pub source: Option<String>,
}

/// What the library does with a retry.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryAnswer {
    pub action: RetryAction,
    pub status: Option<u16>,
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAction {
    Execute,
    Replay,
    RefuseInProgress,
    RefuseMismatch,
    Unknown,
}

impl RetryAction {
    pub fn name(self) -> &'static str {
        match self {
            RetryAction::Execute => "execute",
            RetryAction::Replay => "replay",
            RetryAction::RefuseInProgress => "refuse_in_progress",
            RetryAction::RefuseMismatch => "refuse_mismatch",
            RetryAction::Unknown => "unknown",
        }
    }

    fn named(name: &str) -> Option<RetryAction> {
        [
            RetryAction::Execute,
            RetryAction::Replay,
            RetryAction::RefuseInProgress,
            RetryAction::RefuseMismatch,
            RetryAction::Unknown,
        ]
        .into_iter()
        .find(|action| action.name() == name)
    }
}

#[derive(Debug, Default)]
pub struct RetryRules {
    pub processing: Option<RetryAnswer>,
    pub stuck: Option<RetryAnswer>,
    pub completed: Option<RetryAnswer>,
    pub failed: Option<RetryAnswer>,
    pub expired: Option<RetryAnswer>,
}

#[derive(Debug)]
pub struct SqlLayout {
    pub tables: Vec<String>,
    pub columns: Vec<ColumnRule>,
    pub unique: Vec<String>,
    pub lookups: BTreeMap<String, LookupSpec>,
    pub row: FormPair,
    pub recipes: Recipes,
}

#[derive(Debug)]
pub struct ColumnRule {
    /// The layout's name for it.
    pub role: String,
    /// What a table may call it, best first.
    pub names: Vec<String>,
    /// Empty for any.
    pub kinds: Vec<ColumnKind>,
    pub optional: bool,
}

/// A form in both extents.
#[derive(Debug)]
pub struct FormPair {
    pub list: Form,
    pub whole: Form,
}

impl FormPair {
    pub fn of(&self, extent: Extent) -> &Form {
        match extent {
            Extent::List => &self.list,
            Extent::Whole => &self.whole,
        }
    }
}

impl Layout {
    /// Checks a layout as typed.
    ///
    /// Errors: the first thing that is wrong, in the words of the file.
    pub fn check(spec: LayoutSpec, text: &str) -> Result<Layout, String> {
        if spec.id.is_empty()
            || !spec
                .id
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
        {
            return Err(format!(
                "`{}` is no id: letters, digits, `-`, `_` and `.`",
                spec.id
            ));
        }
        let param_names: Vec<String> = spec.params.keys().cloned().collect();
        let mut params = Params::default();
        for (name, param) in &spec.params {
            if let Some(default) = &param.default {
                params.set(name, period(default)?);
            }
        }
        let mut lifetimes = spec
            .lock
            .lifetimes
            .iter()
            .map(|p| period(p))
            .collect::<Result<Vec<_>, _>>()?;
        lifetimes.sort_unstable();
        let lock = LockRule {
            lease: spec.lock.lease.as_deref().map(period).transpose()?,
            lifetimes,
            source: spec.lock.source.clone(),
        };
        let redis = RedisLayout::check(spec.redis.as_ref(), &param_names, spec.generic)?;
        let sql = sql_layout(&spec, &param_names)?;
        let log = LogLayout::check(spec.log.as_ref())?;
        if redis.is_none() && sql.is_none() && log.is_none() {
            return Err("none of `redis`, `sql` and `log` is described".to_owned());
        }
        Ok(Layout {
            id: Arc::from(spec.id.as_str()),
            title: spec.title.clone(),
            class: spec.class.clone(),
            about: spec.about.clone(),
            generic: spec.generic,
            own: false,
            text: Arc::from(text),
            lock,
            retry: retry_rules(&spec)?,
            redis,
            sql,
            log,
            params,
            param_names,
            spec,
        })
    }

    /// The same layout as a user's own.
    pub fn owned(self) -> Layout {
        Layout { own: true, ..self }
    }

    /// The layout as it was typed.
    pub fn spec(&self) -> &LayoutSpec {
        &self.spec
    }
}

fn period(text: &str) -> Result<Duration, String> {
    Duration::parse(text).ok_or_else(|| format!("`{text}` is no period such as `90s` or `24h`"))
}

fn sql_layout(spec: &LayoutSpec, params: &[String]) -> Result<Option<SqlLayout>, String> {
    let Some(sql) = &spec.sql else {
        return Ok(None);
    };
    let columns = sql
        .columns
        .iter()
        .map(|(role, column)| column_rule(role, column))
        .collect::<Result<Vec<ColumnRule>, String>>()?;
    let roles: Vec<String> = columns.iter().map(|column| column.role.clone()).collect();
    if let Some(unknown) = sql.unique.iter().find(|role| !roles.contains(role)) {
        return Err(format!(
            "`unique` names `{unknown}`, which is no described column"
        ));
    }
    let mut reached = roles.clone();
    for (name, lookup) in &sql.lookups {
        if let Some(unknown) = lookup.on.values().find(|role| !roles.contains(role)) {
            return Err(format!(
                "`lookups.{name}` names `{unknown}`, which is no described column"
            ));
        }
        reached.push(name.clone());
    }
    let words = Vocabulary {
        columns: Some(&reached),
        params,
        ..Vocabulary::default()
    };
    let row = form_pair(&sql.row, &words).map_err(|error| format!("sql.row: {error}"))?;
    // A value of another table can be read, and not written.
    let own = Vocabulary {
        columns: Some(&roles),
        ..words
    };
    let specs = [&sql.release, &sql.settle, &sql.purge].map(Option::as_ref);
    let recipes = Recipes::check("sql", specs, &[], &own, Ground::Row)?;
    Ok(Some(SqlLayout {
        tables: sql.tables.clone(),
        columns,
        unique: sql.unique.clone(),
        lookups: sql.lookups.clone(),
        row,
        recipes,
    }))
}

fn column_rule(role: &str, spec: &ColumnSpec) -> Result<ColumnRule, String> {
    let detail = match spec {
        ColumnSpec::Name(name) => super::spec::ColumnDetail {
            names: vec![name.clone()],
            ..Default::default()
        },
        ColumnSpec::Detailed(detail) => detail.clone(),
    };
    let names = if detail.names.is_empty() {
        vec![role.to_owned()]
    } else {
        detail.names
    };
    let kinds: Option<Vec<ColumnKind>> = detail.kinds.iter().map(|kind| kind_named(kind)).collect();
    let kinds = kinds.ok_or_else(|| {
        let known = "bool, int, float, text, uuid, bytes, time, naive-time, json, other";
        format!("column `{role}` has an unknown kind: there are {known}")
    })?;
    Ok(ColumnRule {
        role: role.to_owned(),
        names,
        kinds,
        optional: detail.optional,
    })
}

fn kind_named(name: &str) -> Option<ColumnKind> {
    Some(match name {
        "bool" => ColumnKind::Bool,
        "int" => ColumnKind::Int,
        "float" => ColumnKind::Float,
        "text" => ColumnKind::Text,
        "uuid" => ColumnKind::Uuid,
        "bytes" => ColumnKind::Bytes,
        "time" => ColumnKind::Time,
        "naive-time" => ColumnKind::NaiveTime,
        "json" => ColumnKind::Json,
        "other" => ColumnKind::Other,
        _ => return None,
    })
}

pub(super) fn form_pair(spec: &FormSpec, words: &Vocabulary<'_>) -> Result<FormPair, String> {
    Ok(FormPair {
        list: compile(spec, words, Extent::List)?,
        whole: compile(spec, words, Extent::Whole)?,
    })
}

fn retry_rules(spec: &LayoutSpec) -> Result<RetryRules, String> {
    let answer = |answer: &Option<AnswerSpec>| -> Result<Option<RetryAnswer>, String> {
        let Some(answer) = answer else {
            return Ok(None);
        };
        let action = RetryAction::named(&answer.action).ok_or_else(|| {
            let known = "execute, replay, refuse_in_progress, refuse_mismatch or unknown";
            format!("`{}` is no answer to a retry: {known}", answer.action)
        })?;
        Ok(Some(RetryAnswer {
            action,
            status: answer.status,
            why: answer.why.clone(),
        }))
    };
    Ok(RetryRules {
        processing: answer(&spec.retry.processing)?,
        stuck: answer(&spec.retry.stuck)?,
        completed: answer(&spec.retry.completed)?,
        failed: answer(&spec.retry.failed)?,
        expired: answer(&spec.retry.expired)?,
    })
}
