//! What to connect with, and errors in our words.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::super::target::{Endpoint, PostgresTarget, SslMode, socket_of};
use super::super::wire::tls::{other, reason_in};
use super::super::{StoreError, StoreErrorKind};
use crate::domain::Secret;

/// What one server is connected to with; in plain where a bridge greets it.
pub fn options(target: &PostgresTarget, endpoint: &Endpoint, by: By) -> PgConnectOptions {
    // Everything is resolved already: no variable or file is looked at here.
    let mut options = PgConnectOptions::new_without_pgpass()
        .username(&target.user)
        .database(&target.database)
        .application_name(&target.application)
        .statement_cache_capacity(0)
        // Poolers refuse parameters they do not track.
        .extra_float_digits(None)
        .ssl_mode(match target.ssl {
            _ if by == By::Bridge => PgSslMode::Disable,
            SslMode::Disable => PgSslMode::Disable,
            SslMode::Allow => PgSslMode::Allow,
            SslMode::Prefer => PgSslMode::Prefer,
            SslMode::Require => PgSslMode::Require,
            SslMode::VerifyCa => PgSslMode::VerifyCa,
            SslMode::VerifyFull => PgSslMode::VerifyFull,
        });
    options = match endpoint {
        Endpoint::Tcp { host, port } => options.host(host).port(*port),
        Endpoint::Unix(path) => {
            // libpq's form: a folder, with the port in the socket's name.
            let (folder, port) = socket_of(path);
            options.socket(folder).port(port)
        }
    };
    if let Some(password) = &target.password {
        options = options.password(password.reveal());
    }
    if let Some(ca) = &target.tls.ca {
        options = options.ssl_root_cert_from_pem(ca.clone());
    }
    if let (Some(certificate), Some(key)) = (&target.tls.certificate, &target.tls.key) {
        options = options
            .ssl_client_cert_from_pem(certificate)
            .ssl_client_key_from_pem(key.reveal().as_bytes());
    }
    if !target.options.is_empty() {
        options = options.options(target.options.iter().map(|(k, v)| (k.as_str(), v.as_str())));
    }
    options
}

/// Who dials.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Library,
    Bridge,
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

    pub fn encryption(&self, encrypted: bool) -> &'static str {
        match (encrypted, self.target.ssl) {
            (false, _) if self.way == Way::Ssh => "encrypted up to the SSH host",
            (false, _) if matches!(self.target.endpoint, Endpoint::Unix(_)) => "local socket",
            (false, _) => "not encrypted",
            (true, SslMode::VerifyCa | SslMode::VerifyFull) => "encrypted, server verified",
            (true, _) => "encrypted, server not verified",
        }
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
            sqlx::Error::Tls(inner) => (StoreErrorKind::Tls, tls_reason(inner.as_ref())),
            sqlx::Error::Io(inner) => match io_reason(inner, phase) {
                Some(reason) => reason,
                None => return self.silent(),
            },
            // The library reads no byte as a zero.
            sqlx::Error::Protocol(text) if text.contains("SSLRequest: 0x00") => (
                StoreErrorKind::Unreachable,
                "closed the connection before the login".to_owned(),
            ),
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
        let all = self.target.password.iter().chain(renewed.as_ref());
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

fn tls_reason(error: &(dyn std::error::Error + 'static)) -> String {
    let text = error.to_string();
    reason_in(&text).unwrap_or_else(|| other(&text))
}

/// Kind and words for a broken or refused line; `None` for one that was only silent.
fn io_reason(error: &std::io::Error, phase: Phase) -> Option<(StoreErrorKind, String)> {
    let text = error.to_string();
    if error.kind() == std::io::ErrorKind::TimedOut {
        return None;
    }
    if let Some(reason) = reason_in(&text) {
        return Some((StoreErrorKind::Tls, reason));
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
