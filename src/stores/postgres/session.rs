//! Connections to lend: a few, each in a read-only transaction while it is out.
//!
//! Our own, since sqlx's pool hides why a connection cannot be made (it tries a refused one again
//! until its time is over) and keeps a place for a connection whose server has fallen silent.
//! Invariants: a connection that was not given back whole is closed; nothing is left idle in a
//! transaction.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::{AssertSqlSafe, PgConnection};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::connect::{Explainer, Way};
use super::dial::{Dialler, Line, Server};
use crate::stores::target::{Endpoint, PostgresTarget, SessionAttrs, Target};
use crate::stores::{StoreError, StoreErrorKind};

/// One for a scan, one for questions, one to spare: small limits on roles are common.
const CONNECTIONS_MAX: usize = 3;
/// Left to the server to answer its own time-out before ours ends the wait.
const GRACE: Duration = Duration::from_millis(500);

pub struct Sessions {
    dialler: Dialler,
    servers: Vec<Server>,
    attrs: SessionAttrs,
    pub explainer: Explainer,
    pub timeout: Duration,
    permits: Semaphore,
    idle: Mutex<Vec<Line>>,
    loyalty: Loyalty,
}

/// Whether another server may take the place of the first one that was talked to.
#[derive(Default)]
enum Loyalty {
    #[default]
    ToNobody,
    /// To the one that this is known of; to whoever comes first, at the beginning.
    ToOne(Mutex<Option<Known>>),
}

/// What tells a server from others of the same store.
#[derive(Clone, PartialEq, Eq)]
struct Known {
    endpoint: Endpoint,
    /// When it was started: the same through two poolers.
    started: String,
}

/// How long one statement may take by the server's clock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Statement {
    Short,
    /// A full read may last: our time-out is then on each piece that comes.
    Long,
}

/// A connection inside a read-only transaction.
pub struct Session<'s> {
    pub connection: PgConnection,
    /// What the line is, in words.
    pub encryption: &'static str,
    home: &'s Sessions,
    _permit: SemaphorePermit<'s>,
}

impl Sessions {
    pub fn new(whole: &Target, target: &PostgresTarget) -> Sessions {
        let timeout = whole.timeout;
        let (dialler, servers) = Dialler::new(whole, target);
        let way = match whole.ssh {
            Some(_) => Way::Ssh,
            None => Way::Straight,
        };
        Sessions {
            dialler,
            servers,
            attrs: target.attrs,
            explainer: Explainer::new(target, way, timeout),
            timeout,
            permits: Semaphore::new(CONNECTIONS_MAX),
            idle: Mutex::new(Vec::new()),
            loyalty: Loyalty::default(),
        }
    }

    /// The same, and never with another server than the first: what a standby holds that was promoted
    /// meanwhile has to be looked at again before anything is changed there.
    pub fn at_one(self) -> Sessions {
        Sessions {
            loyalty: Loyalty::ToOne(Mutex::default()),
            ..self
        }
    }

    /// Begins a transaction that can only read.
    ///
    /// Errors: nobody answers, the login is refused, all connections are in use for too long.
    pub async fn begin(&self, statement: Statement) -> Result<Session<'_>, StoreError> {
        let limit = match statement {
            Statement::Short => self.timeout.as_millis(),
            Statement::Long => 0,
        };
        self.begin_as(&format!(
            "BEGIN READ ONLY; SET LOCAL statement_timeout = {limit}"
        ))
        .await
    }

    /// Begins a transaction in these words.
    pub async fn begin_as(&self, begin: &str) -> Result<Session<'_>, StoreError> {
        let permit = tokio::time::timeout(self.timeout, self.permits.acquire())
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or_else(|| self.explainer.silent())?;
        if let Some(line) = self.take_idle() {
            match self.started(line, begin).await {
                Ok(line) => return Ok(self.session(line, permit)),
                // It was cut while it lay here, or something between has forgotten it without a word;
                // and so it is with the others. Nothing was asked on it yet.
                Err(error)
                    if matches!(error.kind, StoreErrorKind::Lost | StoreErrorKind::TimedOut) =>
                {
                    self.forget_idle();
                }
                Err(error) => {
                    self.forget_idle();
                    return Err(error);
                }
            }
        }
        let line = self.connect().await?;
        let line = self.started(line, begin).await?;
        Ok(self.session(line, permit))
    }

    /// The first server that answers and is what it has to be; with *prefer-standby* any, if there is
    /// no standby.
    async fn connect(&self) -> Result<Line, StoreError> {
        let mut first_error = None;
        let rounds: &[SessionAttrs] = match self.attrs {
            SessionAttrs::PreferStandby => &[SessionAttrs::Standby, SessionAttrs::Any],
            _ => std::slice::from_ref(&self.attrs),
        };
        for attrs in rounds {
            for server in &self.servers {
                match self.connect_to(server, *attrs).await {
                    Ok(line) => return Ok(line),
                    // A login that is refused here is refused there, as libpq has it.
                    Err(error)
                        if matches!(
                            error.kind,
                            StoreErrorKind::Login
                                | StoreErrorKind::Replaced
                                | StoreErrorKind::Way
                                | StoreErrorKind::HostKey
                                | StoreErrorKind::Passphrase
                        ) =>
                    {
                        return Err(error);
                    }
                    Err(error) => first_error = first_error.or(Some(error)),
                }
            }
        }
        Err(first_error.unwrap_or_else(|| self.explainer.silent()))
    }

    async fn connect_to(&self, server: &Server, attrs: SessionAttrs) -> Result<Line, StoreError> {
        let mut line = self.dialler.signed_in(server, &self.explainer).await?;
        if attrs == SessionAttrs::Any {
            return Ok(line);
        }
        let sql = "SELECT pg_catalog.pg_is_in_recovery(), \
                   pg_catalog.current_setting('default_transaction_read_only') = 'on', \
                   pg_catalog.pg_postmaster_start_time()::text";
        let asked = sqlx::query_as(sql).persistent(false);
        let told: (bool, bool, String) = self.within(asked.fetch_one(&mut line.connection)).await?;
        let (is_standby, is_read_only, started) = told;
        let (fits, wanted) = match attrs {
            SessionAttrs::ReadWrite => (!is_standby && !is_read_only, "read-write"),
            SessionAttrs::ReadOnly => (is_standby || is_read_only, "read-only"),
            SessionAttrs::Primary => (!is_standby, "a primary"),
            SessionAttrs::Standby => (is_standby, "a standby"),
            SessionAttrs::Any | SessionAttrs::PreferStandby => (true, ""),
        };
        match fits {
            true => {
                self.stay(server, started)?;
                Ok(line)
            }
            false => {
                let text = format!("{} is not {wanted}", server.endpoint);
                Err(StoreError::new(StoreErrorKind::Unreachable, text))
            }
        }
    }

    /// Errors: it is another server than the one that this began with.
    fn stay(&self, server: &Server, started: String) -> Result<(), StoreError> {
        let Loyalty::ToOne(first) = &self.loyalty else {
            return Ok(());
        };
        let now = Known {
            endpoint: server.endpoint.clone(),
            started,
        };
        let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
        match first.as_ref() {
            // Started anew it is still itself; through another pooler it is, too.
            Some(first) if first.endpoint != now.endpoint && first.started != now.started => {
                let text = format!(
                    "the server that takes changes is {} now and was {} when this began: what it \
                     holds has to be looked at again before anything is changed there",
                    now.endpoint, first.endpoint
                );
                Err(StoreError::new(StoreErrorKind::Replaced, text))
            }
            _ => {
                *first = Some(now);
                Ok(())
            }
        }
    }

    async fn started(&self, mut line: Line, begin: &str) -> Result<Line, StoreError> {
        // A database without an encoding gives its bytes as they are; asked for UTF-8 it gives an
        // error for a whole table with one row that is none.
        let sql = format!(
            "{begin}; \
             SELECT pg_catalog.set_config('client_encoding', 'SQL_ASCII', true) \
             WHERE pg_catalog.current_setting('server_encoding') = 'SQL_ASCII'"
        );
        let begin = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut line.connection);
        self.within(begin).await?;
        Ok(line)
    }

    fn session<'s>(&'s self, line: Line, permit: SemaphorePermit<'s>) -> Session<'s> {
        Session {
            connection: line.connection,
            encryption: line.encryption,
            home: self,
            _permit: permit,
        }
    }

    /// Waits for one answer, at most the time-out and a little more.
    pub async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        match self.raw(work).await {
            Ok(value) => Ok(value),
            Err(Some(error)) => Err(self.explainer.talking(&error)),
            Err(None) => Err(self.explainer.silent()),
        }
    }

    /// As [`Sessions::within`], with the error as it came; `None` for silence.
    pub async fn raw<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, Option<sqlx::Error>> {
        match tokio::time::timeout(self.timeout + GRACE, work).await {
            Ok(answer) => answer.map_err(Some),
            Err(_) => Err(None),
        }
    }

    fn take_idle(&self) -> Option<Line> {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
    }

    fn forget_idle(&self) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl Session<'_> {
    /// Ends the transaction so that what was changed stays.
    ///
    /// Errors: what the server answered, or that it is not known.
    pub async fn commit(mut self) -> Result<(), Option<sqlx::Error>> {
        let commit = sqlx::raw_sql("COMMIT").execute(&mut self.connection);
        let answer = self.home.raw(commit).await;
        match &answer {
            Ok(_) => self.give_back(),
            // The error comes before the locks are let go; what comes next is answered after.
            Err(Some(sqlx::Error::Database(_))) => self.end().await,
            Err(_) => {}
        }
        answer.map(drop)
    }

    fn give_back(self) {
        let mut idle = self
            .home
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        idle.push(Line {
            connection: self.connection,
            encryption: self.encryption,
        });
    }

    /// Ends the transaction and gives the connection back. What was read stays read, so a line
    /// that is lost here is no error.
    pub async fn end(mut self) {
        let rollback = sqlx::raw_sql("ROLLBACK").execute(&mut self.connection);
        if self.home.within(rollback).await.is_ok() {
            self.give_back();
        }
    }
}
