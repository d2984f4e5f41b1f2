//! What to connect with, and errors in our words.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::greeting::Secured;
use crate::domain::Secret;
use crate::stores::target::{Endpoint, PostgresTarget, socket_of};
use crate::stores::{StoreError, StoreErrorKind};

/// What a server is signed in at with, whatever line leads there: it was greeted already, so that the
/// library has nothing to ask.
pub fn options(target: &PostgresTarget, password: Option<&Secret>) -> PgConnectOptions {
    // Everything is resolved already: no variable or file is looked at here.
    let mut options = PgConnectOptions::new_without_pgpass()
        .username(&target.user)
        .database(&target.database)
        .application_name(&target.application)
        .statement_cache_capacity(0)
        // Poolers refuse parameters they do not track.
        .extra_float_digits(None)
        .ssl_mode(PgSslMode::Disable);
    if let Some(password) = password {
        options = options.password(password.reveal());
    }
    if !target.options.is_empty() {
        // What has to be kept from being taken apart is kept so by the crate.
        options = options.options(target.options.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    }
    options
}

/// The same, to be dialled there.
pub fn at(options: PgConnectOptions, endpoint: &Endpoint) -> PgConnectOptions {
    match endpoint {
        Endpoint::Tcp { host, port } => options.host(host).port(*port),
        Endpoint::Unix(path) => {
            // libpq's form: a folder, with the port in the socket's name.
            let (folder, port) = socket_of(path);
            options.socket(folder).port(port)
        }
    }
}

/// When an error came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Connecting,
    Talking,
}

/// Knows enough of the target to name it, and nothing of it that is secret but to cut it out.
pub struct Explainer {
    target: PostgresTarget,
    way: Way,
    timeout: Duration,
    /// The password that took the place of one that had expired.
    pub renewed: Arc<Mutex<Option<Secret>>>,
}

/// What the line leads through.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Straight,
    Ssh,
}

impl Explainer {
    pub fn new(target: &PostgresTarget, way: Way, timeout: Duration) -> Explainer {
        Explainer {
            target: target.clone(),
            way,
            timeout,
            renewed: Arc::default(),
        }
    }

    /// The same for one of several servers.
    pub fn at(&self, endpoint: &Endpoint) -> Explainer {
        let mut target = self.target.clone();
        target.endpoint = endpoint.clone();
        Explainer {
            target,
            way: self.way,
            timeout: self.timeout,
            renewed: Arc::clone(&self.renewed),
        }
    }

    fn label(&self) -> String {
        self.target.endpoint.to_string()
    }

    pub fn silent(&self) -> StoreError {
        let text = format!(
            "{} gave no answer within {} s",
            self.label(),
            self.timeout.as_secs_f32()
        );
        StoreError::new(StoreErrorKind::TimedOut, text)
    }

    /// What a line to this server is, in words.
    pub fn encryption(&self, secured: Secured) -> &'static str {
        match secured {
            Secured::Verified => "encrypted, server verified",
            Secured::Encrypted => "encrypted, server not verified",
            Secured::No if self.way == Way::Ssh => "encrypted up to the SSH host",
            Secured::No if matches!(self.target.endpoint, Endpoint::Unix(_)) => "local socket",
            Secured::No => "not encrypted",
        }
    }

    /// TLS that the server ended after it was greeted.
    pub fn untrusted(&self, reason: &str) -> StoreError {
        StoreError::new(StoreErrorKind::Tls, format!("{} {reason}", self.label()))
    }

    /// What kept a connection from being made.
    pub fn connecting(&self, error: &sqlx::Error) -> StoreError {
        self.explain(error, Phase::Connecting)
    }

    /// What went wrong on a connection that was good.
    pub fn talking(&self, error: &sqlx::Error) -> StoreError {
        self.explain(error, Phase::Talking)
    }

    fn explain(&self, error: &sqlx::Error, phase: Phase) -> StoreError {
        let (kind, what) = match error {
            sqlx::Error::PoolTimedOut => return self.silent(),
            sqlx::Error::Database(database) => self.answered(database.as_ref()),
            sqlx::Error::Io(inner) => match io_reason(inner, phase) {
                Some(reason) => reason,
                None => return self.silent(),
            },
            _ if phase == Phase::Connecting => (
                StoreErrorKind::Protocol,
                "does not answer as PostgreSQL does: it is another kind of server".to_owned(),
            ),
            other => (
                StoreErrorKind::Protocol,
                format!("answered in an unexpected way: {other}"),
            ),
        };
        let text = format!("{} {what}", self.label());
        StoreError::new(kind, self.scrubbed(text))
    }

    /// Without the password, and without the one that took its place.
    fn scrubbed(&self, text: String) -> String {
        let renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        let singly = self.target.singly.iter();
        let singly = singly.filter_map(|one| one.password.as_ref());
        let all = self.target.password.iter().chain(singly);
        let all = all.chain(renewed.as_ref());
        all.fold(text, |text, password| password.scrub(&text))
    }

    /// An error that the server itself sent.
    fn answered(&self, error: &dyn DatabaseError) -> (StoreErrorKind, String) {
        let code = error.code().unwrap_or_default();
        let message = error.message();
        match code.as_ref() {
            "28P01" | "28000" => (
                StoreErrorKind::Login,
                format!(
                    "refuses the login of user `{}`: {message}",
                    self.target.user
                ),
            ),
            "3D000" => (
                StoreErrorKind::Unreachable,
                format!("has no such database: {message}"),
            ),
            "42501" => (
                StoreErrorKind::Denied,
                format!("does not allow it: {message}"),
            ),
            "25006" => (
                StoreErrorKind::Denied,
                format!("was asked for a change by something that was only read: {message}"),
            ),
            "57014" => (
                StoreErrorKind::TimedOut,
                "ended the query at its time-out".to_owned(),
            ),
            "42P01" | "3F000" | "42703" => (
                StoreErrorKind::Vanished,
                format!("does not have what was to be read any more: {message}"),
            ),
            "57P01" | "57P02" | "57P03" | "57P05" | "08006" => (
                StoreErrorKind::Lost,
                format!("is shutting down or starting: {message}"),
            ),
            "53300" => (
                StoreErrorKind::Unreachable,
                format!("takes no more connections: {message}"),
            ),
            _ => (
                StoreErrorKind::Protocol,
                format!("answered {code}: {message}"),
            ),
        }
    }
}

/// Kind and words for a broken or refused line; `None` for one that was only silent.
fn io_reason(error: &std::io::Error, phase: Phase) -> Option<(StoreErrorKind, String)> {
    let text = error.to_string();
    if error.kind() == std::io::ErrorKind::TimedOut {
        return None;
    }
    Some(match (error.kind(), phase) {
        (
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::ConnectionReset,
            Phase::Connecting,
        ) => (
            StoreErrorKind::Unreachable,
            format!("closed the connection before the login: {text}"),
        ),
        (_, Phase::Connecting) => (
            StoreErrorKind::Unreachable,
            format!("cannot be reached: {text}"),
        ),
        (_, Phase::Talking) => (
            StoreErrorKind::Lost,
            format!("closed the connection: {text}"),
        ),
    })
}
