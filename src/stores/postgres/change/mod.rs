//! Changes of rows: locked, compared and written in short transactions.
//!
//! Apart from the read half: its own connections, and transactions that may write. No session
//! state is assumed, so that a pooler in transaction mode may stand between.
//!
//! What a login needs: `SELECT` on the table (for the rows' versions; on the columns alone every
//! one of them is compared), `UPDATE` on the columns that a release or a settle sets, and on any
//! one to lock a row that is deleted, `DELETE` where a layout deletes, `INSERT` to put a row back.
//!
//! Invariants: a row that a transaction holds is not waited for; a row is written only under a lock
//! and as it was seen; an answer that was lost is asked for by the transaction's number, and
//! nothing is sent again.

mod answers;
mod groups;
mod key;
mod places;
mod sql;

use std::collections::HashMap;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Row};

use super::session::{Session, Sessions};
use crate::domain::change::{Applied, Change, Outcome};
use crate::stores::target::{PostgresTarget, Target};
use crate::stores::{Batch, StoreError, StoreErrorKind};
use answers::Failure;
use groups::groups;
use sql::{Group, Prepared, new_version};

/// Rows in one transaction: few enough that nobody waits long for one of them.
const ROWS: usize = 1000;
/// Between two questions for what became of a transaction.
const ASK_AGAIN: Duration = Duration::from_millis(50);
/// Bytes in one transaction.
const BYTES: usize = 8 << 20;

pub struct PostgresWriter {
    sessions: Sessions,
}

impl std::fmt::Debug for PostgresWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresWriter").finish_non_exhaustive()
    }
}

/// What the statements said, before anything is committed.
#[derive(Default)]
struct Said {
    outcomes: Vec<(usize, Applied)>,
    changed: usize,
    transaction: Option<String>,
    started: Option<String>,
}

/// How rows are found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Where they were seen, and by key what is not found there.
    ByPlaces,
    ByKey,
}

impl PostgresWriter {
    pub async fn open(
        whole: &Target,
        target: &PostgresTarget,
    ) -> Result<PostgresWriter, StoreError> {
        if let Some(problem) = target.tls.problem() {
            let text = format!("{} cannot be connected to: {problem}", target.endpoint);
            return Err(StoreError::new(StoreErrorKind::Tls, text));
        }
        let writer = PostgresWriter {
            sessions: Sessions::new(whole, &target.for_changes()).at_one(),
        };
        let mut session = writer.begin().await?;
        let look = sqlx::query_scalar(
            "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN 'is a replica' \
             WHEN pg_catalog.current_setting('transaction_read_only') = 'on' \
             THEN 'lets this login read only (default_transaction_read_only)' END",
        );
        let look = look.persistent(false).fetch_one(&mut session.connection);
        let problem: Option<String> = writer.sessions.within(look).await?;
        session.end().await;
        match problem {
            Some(problem) => {
                let text = format!("{} {problem}: it takes no changes", target.endpoint);
                Err(StoreError::new(StoreErrorKind::Denied, text))
            }
            None => Ok(writer),
        }
    }

    pub fn batch_max(&self) -> usize {
        ROWS
    }

    async fn begin(&self) -> Result<Session<'_>, StoreError> {
        let limit = self.sessions.timeout.as_millis();
        // What is waited for is a row put there by somebody who has not committed, or the table.
        let wait = (limit / 4).clamp(100, 2_000);
        let begin = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = {limit}; \
             SET LOCAL lock_timeout = {wait}; \
             SET LOCAL idle_in_transaction_session_timeout = {}",
            limit * 2
        );
        self.sessions.begin_as(&begin).await
    }

    pub async fn apply(&self, changes: &[&Change]) -> Batch {
        let mut outcomes: Vec<Option<Applied>> = vec![None; changes.len()];
        let mut trouble = None;
        for group in groups(changes, &mut outcomes) {
            if trouble.is_some() {
                break;
            }
            let (done, met) = self.group(group).await;
            trouble = met;
            for (at, applied) in done {
                if let Some(outcome) = outcomes.get_mut(at) {
                    *outcome = Some(applied);
                }
            }
        }
        Batch {
            outcomes: outcomes
                .into_iter()
                .map(|outcome| outcome.unwrap_or_else(answers::not_reached))
                .collect(),
            trouble,
        }
    }

    /// One transaction; where the server refused it as a whole, its halves apart.
    async fn group(&self, group: Group<'_>) -> (Vec<(usize, Applied)>, Option<StoreError>) {
        let failure = match self.transaction(&group).await {
            Ok(outcomes) => return (outcomes, None),
            Err(failure) => failure,
        };
        if failure.of_one && group.rows.len() > 1 {
            let (first, second) = group.halves();
            let (mut outcomes, trouble) = Box::pin(self.group(first)).await;
            if trouble.is_some() {
                return (outcomes, trouble);
            }
            let (rest, trouble) = Box::pin(self.group(second)).await;
            outcomes.extend(rest);
            return (outcomes, trouble);
        }
        let all = group
            .rows
            .iter()
            .map(|(at, _)| (*at, failure.applied.clone()));
        (all.collect(), failure.trouble)
    }

    async fn transaction(&self, group: &Group<'_>) -> Result<Vec<(usize, Applied)>, Failure> {
        if let Some(outcomes) = self.attempt(group, Way::ByPlaces).await? {
            return Ok(outcomes);
        }
        // The table kept some rows as they were: the other way tells which. Nothing was committed.
        let outcomes = self.attempt(group, Way::ByKey).await?;
        Ok(outcomes.unwrap_or_default())
    }

    /// One transaction; `None` where nothing is said and nothing stays.
    async fn attempt(
        &self,
        group: &Group<'_>,
        way: Way,
    ) -> Result<Option<Vec<(usize, Applied)>>, Failure> {
        let mut session = match self.begin().await {
            Ok(session) => session,
            Err(error) => return Err(Failure::not_begun(error)),
        };
        let mut said = Said::default();
        let spoken = match way {
            Way::ByPlaces => self.say_by_places(&mut session, group, &mut said).await,
            Way::ByKey => self.say_by_key(&mut session, group, &mut said).await,
        };
        match spoken {
            Ok(true) => {}
            Ok(false) => {
                session.end().await;
                return Ok(None);
            }
            Err(failure) => {
                // The error comes before the locks are let go, and they would look like somebody
                // else's; what comes next is answered after.
                if failure.applied.outcome != Outcome::NotReached {
                    session.end().await;
                }
                return Err(failure);
            }
        }
        if said.changed == 0 {
            session.end().await;
            return Ok(Some(said.outcomes));
        }
        let error = match session.commit().await {
            Ok(()) => return Ok(Some(said.outcomes)),
            Err(error) => error,
        };
        if let Some(failure) = Failure::answered(self, &error, group) {
            return Err(failure);
        }
        // The answer was lost: the transaction may have been committed.
        let trouble = answers::explain(self, &error);
        match self.committed(&said).await {
            Some(Committed::Yes) => Ok(Some(said.outcomes)),
            Some(Committed::No) => Err(Failure::rolled_back(trouble)),
            None => Err(Failure::unanswered(trouble)),
        }
    }

    /// Changes what stands where it was seen, and goes by key for the rest. False where the table
    /// kept a row as it was.
    async fn say_by_places(
        &self,
        session: &mut Session<'_>,
        group: &Group<'_>,
        said: &mut Said,
    ) -> Result<bool, Failure> {
        let Some(prepared) = group.by_places() else {
            return self.say_by_key(session, group, said).await;
        };
        let answer = self.ask(session, &prepared).await;
        let lines = answer.map_err(|error| self.failed(&error, group))?;
        let (mut places, mut locked) = (vec![None; group.rows.len()], None);
        for line in &lines {
            let number: i64 = line.try_get(0).unwrap_or_default();
            let text: Option<String> = line.try_get(1).unwrap_or_default();
            if number == 0 {
                locked = text.and_then(|text| text.parse::<usize>().ok());
                said.transaction = line.try_get(2).ok();
                said.started = line.try_get(3).ok();
            } else if let Some(slot) = place_of(number).and_then(|at| places.get_mut(at)) {
                *slot = Some(text);
                said.changed += 1;
            }
        }
        if locked != Some(said.changed) {
            return Ok(false);
        }
        let mut rest = Vec::new();
        for ((at, row), place) in group.rows.iter().zip(places) {
            let Some(place) = place else {
                rest.push((*at, *row));
                continue;
            };
            let mut applied = Applied::done();
            let number = said.transaction.as_deref();
            applied.version = new_version(&group.deed, row, number, place);
            said.outcomes.push((*at, applied));
        }
        match rest.is_empty() {
            true => Ok(true),
            false => self.say_by_key(session, &group.of(rest), said).await,
        }
    }

    /// Sends the statement, and looks again at what was skipped.
    async fn say_by_key(
        &self,
        session: &mut Session<'_>,
        group: &Group<'_>,
        said: &mut Said,
    ) -> Result<bool, Failure> {
        let answer = self.ask(session, &group.statement()).await;
        let lines = answer.map_err(|error| self.failed(&error, group))?;
        let mut skipped: HashMap<i64, usize> = HashMap::new();
        for line in &lines {
            let number: i64 = line.try_get(0).unwrap_or_default();
            let at = place_of(number).and_then(|at| group.rows.get(at));
            let Some((at, row)) = at else { continue };
            said.transaction = line.try_get(3).ok();
            said.started = line.try_get(4).ok();
            let letter: String = line.try_get(1).unwrap_or_default();
            if letter == "s" {
                skipped.insert(number, said.outcomes.len());
            }
            let mut applied = answers::of_letter(&letter);
            if applied.outcome == Outcome::Done {
                said.changed += 1;
                let place: Option<String> = line.try_get(2).unwrap_or_default();
                let number = said.transaction.as_deref();
                applied.version = new_version(&group.deed, row, number, place);
            }
            said.outcomes.push((*at, applied));
        }
        if !skipped.is_empty() {
            // Held by somebody, or deleted between the look and the lock.
            let answer = self.ask(session, &group.still_there()).await;
            let there = answer.map_err(|error| self.failed(&error, group))?;
            let policy = |row: &sqlx::postgres::PgRow| row.try_get::<String, _>(1).ok();
            let there: HashMap<i64, Option<String>> = there
                .iter()
                .filter_map(|row| Some((row.try_get(0).ok()?, policy(row))))
                .collect();
            for (number, place) in skipped {
                let found = there.get(&number).map(|policy| policy.as_deref());
                if let Some((_, applied)) = said.outcomes.get_mut(place) {
                    *applied = answers::of_skipped(found);
                }
            }
        }
        Ok(true)
    }

    /// A statement that failed: nothing of its transaction stays.
    fn failed(&self, error: &Option<sqlx::Error>, group: &Group<'_>) -> Failure {
        Failure::answered(self, error, group)
            .unwrap_or_else(|| Failure::rolled_back(answers::explain(self, error)))
    }

    async fn ask(
        &self,
        session: &mut Session<'_>,
        prepared: &Prepared,
    ) -> Result<Vec<sqlx::postgres::PgRow>, Option<sqlx::Error>> {
        let sql = AssertSqlSafe(prepared.sql.clone());
        let mut statement = sqlx::query(sql).persistent(false);
        for bind in &prepared.binds {
            statement = statement.bind(bind);
        }
        let rows = statement.fetch_all(&mut session.connection);
        self.sessions.raw(rows).await
    }

    /// What became of a transaction whose end nobody told; `None` where it cannot be known.
    async fn committed(&self, said: &Said) -> Option<Committed> {
        let asking = async {
            loop {
                match self.status(said).await {
                    Ok(Some("committed")) => return Some(Committed::Yes),
                    Ok(Some("aborted")) => return Some(Committed::No),
                    // The line may come back, and the server may be about to notice that its
                    // client is gone.
                    Ok(Some(_)) | Err(_) => tokio::time::sleep(ASK_AGAIN).await,
                    Ok(None) => return None,
                }
            }
        };
        let asked = tokio::time::timeout(self.sessions.timeout * 2, asking).await;
        asked.ok().flatten()
    }

    async fn status(&self, said: &Said) -> Result<Option<&'static str>, StoreError> {
        let mut session = self.begin().await?;
        let question = sqlx::query(
            "SELECT pg_catalog.txid_status($1::text::bigint), \
             pg_catalog.pg_postmaster_start_time()::text = $2, pg_catalog.pg_is_in_recovery()",
        );
        let question = question
            .persistent(false)
            .bind(&said.transaction)
            .bind(&said.started);
        let row = question.fetch_one(&mut session.connection);
        let row = self.sessions.within(row).await?;
        session.end().await;
        // Another server counts its transactions by itself.
        let same = row.try_get(1).unwrap_or(false) && !row.try_get(2).unwrap_or(true);
        let status: Option<String> = row.try_get(0).unwrap_or_default();
        let known = ["committed", "aborted", "in progress"];
        let status = known
            .into_iter()
            .find(|known| status.as_deref() == Some(known));
        Ok(status.filter(|_| same))
    }
}

enum Committed {
    Yes,
    No,
}

/// The place in a group of a row with this number.
fn place_of(number: i64) -> Option<usize> {
    usize::try_from(number.checked_sub(1)?).ok()
}
