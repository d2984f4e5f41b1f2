//! The repair that is being planned, run or reported: one at a time, of one of the open stores.
//!
//! Apart from the areas of a store because it goes on while another store is shown.
//! Invariant: the plan that is shown is the plan that runs.

use std::sync::Arc;

use super::StoreId;
use crate::app::remote::Failure;
use crate::domain::Timestamp;
use crate::domain::change::{Answer, Outcome, Verb};
use crate::inspect::Snapshot;
use crate::inspect::catalogue::RowId;
use crate::ops::plan::{Plan, Progress};
use crate::ops::run::{Report, RunProgress};

/// Bytes of an answer that is typed.
pub const BODY_MAX: usize = 256 << 10;
/// Characters of a reason.
pub const REASON_MAX: usize = 500;

#[derive(Debug, Default)]
pub struct Repair {
    /// Of the newest plan that was asked for.
    pub generation: u64,
    pub job: Option<Job>,
    /// What is typed to turn changes on where the store is production.
    pub typed_to_turn_on: String,
}

/// One repair from the wish to the report.
#[derive(Clone, Debug)]
pub struct Job {
    pub store: StoreId,
    /// What a person calls the store.
    pub name: String,
    pub is_production: bool,
    pub verb: Verb,
    pub asked: Asked,
    pub answer: AnswerForm,
    pub stage: Stage,
    pub reason: String,
    /// The name of the store, typed.
    pub typed: String,
    pub saving: Option<Saving>,
    /// Only these lines of the report.
    pub shown: Option<Outcome>,
}

/// What the plan is made of.
#[derive(Clone, Debug)]
pub enum Asked {
    Rows {
        snapshot: Snapshot,
        rows: Arc<[RowId]>,
    },
    /// A run of the journal.
    Run(String),
}

impl Asked {
    /// How many records are meant; nought where only the journal knows.
    pub fn count(&self) -> usize {
        match self {
            Asked::Rows { rows, .. } => rows.len(),
            Asked::Run(_) => 0,
        }
    }
}

/// How far it is.
#[derive(Clone, Debug)]
pub enum Stage {
    /// What retries are to get is asked first.
    Answering,
    Making(Progress),
    Failed(Failure),
    Planned(Arc<Plan>),
    Running(Box<RunningPlan>),
    Ended(Arc<Report>),
}

#[derive(Clone, Debug)]
pub struct RunningPlan {
    pub plan: Arc<Plan>,
    pub progress: RunProgress,
    pub began_at: Timestamp,
    pub wish: Wish,
}

/// What was asked of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    #[default]
    Go,
    Pause,
    Stop,
}

/// The answer of a settle, as it is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerForm {
    pub status: String,
    pub body: String,
}

impl Default for AnswerForm {
    fn default() -> AnswerForm {
        AnswerForm {
            status: "200".to_owned(),
            body: String::new(),
        }
    }
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    Empty,
    Json,
    /// It is meant to be JSON and is not, from this line on.
    BrokenJson(usize),
    Text,
}

impl AnswerForm {
    pub fn status(&self) -> Option<u16> {
        let status: u16 = self.status.trim().parse().ok()?;
        (100..=599).contains(&status).then_some(status)
    }

    pub fn answer(&self) -> Option<Answer> {
        Some(Answer {
            status: self.status()?,
            body: self.body.clone().into_bytes(),
        })
    }

    pub fn body(&self) -> Body {
        let text = self.body.trim();
        if text.is_empty() {
            return Body::Empty;
        }
        match serde_json::from_str::<serde::de::IgnoredAny>(text) {
            Ok(_) => Body::Json,
            // Where it looks like JSON it is meant to be.
            Err(error) if text.starts_with(['{', '[', '"']) => Body::BrokenJson(error.line()),
            Err(_) => Body::Text,
        }
    }
}

/// Where a plan or a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saving {
    pub path: String,
    pub form: SavedForm,
    pub is_running: bool,
    pub failure: Option<String>,
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedForm {
    Plan,
    ReportJson,
    ReportCsv,
}

impl SavedForm {
    pub fn extension(self) -> &'static str {
        match self {
            SavedForm::Plan | SavedForm::ReportJson => "json",
            SavedForm::ReportCsv => "csv",
        }
    }
}

impl Job {
    pub fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(_))
    }

    pub fn plan(&self) -> Option<&Arc<Plan>> {
        match &self.stage {
            Stage::Planned(plan) => Some(plan),
            Stage::Running(running) => Some(&running.plan),
            _ => None,
        }
    }

    /// The name that was typed is the store's.
    pub fn is_confirmed(&self) -> bool {
        !self.is_production || self.typed.trim() == self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: Body) {
        let form = AnswerForm {
            status: "200".to_owned(),
            body: body.to_owned(),
        };
        assert_eq!(form.body(), expected, "{body}");
    }

    #[test]
    fn a_body_that_looks_like_json_has_to_be_json() {
        check(" ", Body::Empty);
        check("{\"ok\": true}", Body::Json);
        check("{\"ok\":\n true", Body::BrokenJson(2));
        check("charged", Body::Text);
        check("12", Body::Json);
    }

    #[test]
    fn a_status_is_one_of_http() {
        let form = |status: &str| AnswerForm {
            status: status.to_owned(),
            body: String::new(),
        };
        assert_eq!(form(" 201 ").status(), Some(201));
        for status in ["", "99", "600", "ok", "200.5", "99999999999"] {
            assert_eq!(form(status).status(), None, "{status}");
        }
    }
}
