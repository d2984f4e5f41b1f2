//! What a server's errors mean for changes of rows: an outcome, a sentence, and whether all the
//! others will meet the same.
//!
//! Codes: PostgreSQL's appendix of error codes.

use super::PostgresWriter;
use super::sql::{Deed, Group};
use crate::domain::change::{Applied, Outcome};
use crate::stores::StoreError;

/// Why a transaction did not end as it was meant to.
pub struct Failure {
    /// Of each of its rows, unless they are tried apart.
    pub applied: Applied,
    pub trouble: Option<StoreError>,
    /// The server rolled it back for something that may lie in one row.
    pub of_one: bool,
}

impl Failure {
    pub fn not_begun(error: StoreError) -> Failure {
        Failure {
            applied: not_reached(),
            trouble: Some(error),
            of_one: false,
        }
    }

    /// The line broke before the end was asked for, so that the server lets everything go.
    pub fn rolled_back(error: StoreError) -> Failure {
        let why = "the line broke before it was committed: nothing was changed";
        Failure {
            applied: Applied::not(Outcome::NotReached, why),
            trouble: Some(error),
            of_one: false,
        }
    }

    pub fn unanswered(error: StoreError) -> Failure {
        let why = "it was sent and no answer came: look whether it was done";
        Failure {
            applied: Applied::not(Outcome::Unknown, why),
            trouble: Some(error),
            of_one: false,
        }
    }

    /// An error that the server answered with, so that it has rolled back; `None` for silence, a
    /// broken line, and a server that goes down in the middle.
    pub fn answered(
        writer: &PostgresWriter,
        error: &Option<sqlx::Error>,
        group: &Group<'_>,
    ) -> Option<Failure> {
        let Some(sqlx::Error::Database(database)) = error else {
            return None;
        };
        let code = database.code().unwrap_or_default().into_owned();
        if code.starts_with("57P") || code.starts_with("08") {
            return None;
        }
        let said = database.message().replace(['\r', '\n'], " ");
        let said = said.trim_end_matches('.');
        let (outcome, why, of_one, all) = meaning(&code, said, group);
        Some(Failure {
            applied: Applied::not(outcome, why),
            trouble: all.then(|| explain(writer, error)),
            of_one,
        })
    }
}

/// Outcome, sentence, whether one row may be to blame, whether the store as a whole is.
fn meaning(code: &str, said: &str, group: &Group<'_>) -> (Outcome, String, bool, bool) {
    let refused = |why: String| (Outcome::Refused, why, true, false);
    let place = group.shape.place();
    match code {
        // Of a function the server's own words name the right that is missing.
        "42501" if said.contains(" function ") => {
            let why = format!("the login may not do it: {said}");
            (Outcome::Refused, why, false, false)
        }
        "42501" => {
            let needs = match &group.deed {
                Deed::Update(_) => "SELECT and UPDATE",
                Deed::Delete => "SELECT and DELETE, and UPDATE on a column to lock the row,",
                Deed::Insert => "SELECT and INSERT",
            };
            let why = format!("the login may not do it: it needs {needs} on {place} ({said})");
            (Outcome::Refused, why, false, false)
        }
        "25006" => {
            let why = format!("the server lets this login read only: {said}");
            (Outcome::Refused, why, false, true)
        }
        "53100" => {
            let why = "the server's disk is full: nothing was changed".to_owned();
            (Outcome::Refused, why, false, true)
        }
        "57014" => {
            let why = "the server ended it at its time-out: nothing was changed".to_owned();
            (Outcome::Refused, why, false, true)
        }
        "55P03" => {
            let why = "a running transaction holds it, or the table".to_owned();
            (Outcome::Alive, why, true, false)
        }
        "40P01" => refused("it and another transaction waited for each other (deadlock)".into()),
        "40001" => refused("another transaction came between (serialization failure)".into()),
        "42P01" | "42703" | "3F000" | "42704" => {
            let why = format!("the table {place} is not as it was seen: {said}");
            (Outcome::Refused, why, false, false)
        }
        _ if code.starts_with("23") => refused(format!("a rule of the table forbids it: {said}")),
        "P0001" => refused(format!("a trigger of the table forbids it: {said}")),
        _ if code.starts_with("53") => {
            let why = format!("the server has no resources left for it: {said}");
            (Outcome::Refused, why, false, true)
        }
        _ => refused(format!("the server answered {code}: {said}")),
    }
}

pub fn explain(writer: &PostgresWriter, error: &Option<sqlx::Error>) -> StoreError {
    match error {
        Some(error) => writer.sessions.explainer.talking(error),
        None => writer.sessions.explainer.silent(),
    }
}

pub fn of_letter(letter: &str) -> Applied {
    match letter {
        "d" => Applied::done(),
        "c" => Applied::not(Outcome::ChangedMeanwhile, "it is not as it was seen"),
        "g" => Applied::not(Outcome::Gone, "it was gone already"),
        "s" => Applied::not(Outcome::Alive, "a running transaction holds it"),
        _ => {
            let why = "the table kept it as it was: a trigger, a rule or a policy of it";
            Applied::not(Outcome::Refused, why)
        }
    }
}

/// A row that could not be locked: what was found of it when it was looked at without a lock, and what
/// a policy of the table may have to do with it.
pub fn of_skipped(found: Option<Option<&str>>) -> Applied {
    match found {
        None => of_letter("g"),
        Some(Some("f")) => {
            let why = "a policy of the table lets this login see it, and not change it";
            Applied::not(Outcome::Refused, why)
        }
        Some(Some("m")) => {
            let why = "a running transaction holds it, or a policy of the table keeps it";
            Applied::not(Outcome::Alive, why)
        }
        Some(_) => of_letter("s"),
    }
}

pub fn not_reached() -> Applied {
    Applied::not(Outcome::NotReached, "it was not sent any more")
}
