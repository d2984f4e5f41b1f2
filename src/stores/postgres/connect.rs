//! Opens the pool and puts errors into our words.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgSslMode};

use super::super::target::{Endpoint, PostgresTarget, SslMode};
use super::super::{StoreError, StoreErrorKind};

/// One for a scan, one for questions, one to spare: small limits on roles are common.
const CONNECTIONS_MAX: u32 = 3;

pub fn pool(target: &PostgresTarget, timeout: Duration) -> Result<PgPool, StoreError> {
    // Everything is resolved already: no variable or file is looked at here.
    let mut options = PgConnectOptions::new_without_pgpass()
        .username(&target.user)
        .database(&target.database)
        .application_name(&target.application)
        .statement_cache_capacity(0)
        // Poolers refuse parameters they do not track.
        .extra_float_digits(None)
        .ssl_mode(match target.ssl {
            SslMode::Disable => PgSslMode::Disable,
            SslMode::Allow => PgSslMode::Allow,
            SslMode::Prefer => PgSslMode::Prefer,
            SslMode::Require => PgSslMode::Require,
            SslMode::VerifyCa => PgSslMode::VerifyCa,
            SslMode::VerifyFull => PgSslMode::VerifyFull,
        });
    options = match &target.endpoint {
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
    Ok(PgPoolOptions::new()
        .max_connections(CONNECTIONS_MAX)
        .min_connections(0)
        .acquire_timeout(timeout)
        .connect_lazy_with(options))
}

fn socket_of(path: &std::path::Path) -> (std::path::PathBuf, u16) {
    let port = path
        .file_name()
        .and_then(|name| name.to_str()?.strip_prefix(".s.PGSQL.")?.parse().ok());
    match (port, path.parent()) {
        (Some(port), Some(folder)) => (folder.to_owned(), port),
        _ => (path.to_owned(), 5432),
    }
}

/// Knows enough of the target to name it, and nothing of it that is secret but to cut it out.
pub struct Explainer {
    target: PostgresTarget,
    timeout: Duration,
}

impl Explainer {
    pub fn new(target: &PostgresTarget, timeout: Duration) -> Explainer {
        Explainer {
            target: target.clone(),
            timeout,
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
            (false, _) if matches!(self.target.endpoint, Endpoint::Unix(_)) => "local socket",
            (false, _) => "not encrypted",
            (true, SslMode::VerifyCa | SslMode::VerifyFull) => "encrypted, server verified",
            (true, _) => "encrypted, server not verified",
        }
    }

    pub fn explain(&self, error: &sqlx::Error) -> StoreError {
        let label = self.label();
        let scrub = |text: String| match &self.target.password {
            Some(password) => password.scrub(&text),
            None => text,
        };
        let (kind, text) = match error {
            sqlx::Error::PoolTimedOut => return self.silent(),
            sqlx::Error::Database(database) => {
                let code = database.code().unwrap_or_default().into_owned();
                let message = database.message();
                match code.as_str() {
                    "28P01" | "28000" => (
                        StoreErrorKind::Login,
                        format!(
                            "{label} refuses the login of user `{}`: {message}",
                            self.target.user
                        ),
                    ),
                    "3D000" => (
                        StoreErrorKind::Unreachable,
                        format!("{label} has no such database: {message}"),
                    ),
                    "42501" => (
                        StoreErrorKind::Denied,
                        format!("{label} does not allow it: {message}"),
                    ),
                    "57014" => (
                        StoreErrorKind::TimedOut,
                        format!("{label} ended the query at its time-out"),
                    ),
                    "42P01" | "3F000" | "42703" => (
                        StoreErrorKind::Vanished,
                        format!("what was to be read is not there any more: {message}"),
                    ),
                    "57P01" | "57P02" | "57P03" | "08006" => (
                        StoreErrorKind::Lost,
                        format!("{label} is shutting down or starting: {message}"),
                    ),
                    "53300" => (
                        StoreErrorKind::Unreachable,
                        format!("{label} takes no more connections: {message}"),
                    ),
                    _ => (
                        StoreErrorKind::Protocol,
                        format!("{label} answered {code}: {message}"),
                    ),
                }
            }
            sqlx::Error::Tls(inner) => (
                StoreErrorKind::Tls,
                format!("{label} could not be connected to through TLS: {inner}"),
            ),
            sqlx::Error::Io(inner) if inner.kind() == std::io::ErrorKind::TimedOut => {
                return self.silent();
            }
            sqlx::Error::Io(inner) => match inner.kind() {
                std::io::ErrorKind::ConnectionRefused
                | std::io::ErrorKind::NotFound
                | std::io::ErrorKind::HostUnreachable
                | std::io::ErrorKind::AddrNotAvailable => (
                    StoreErrorKind::Unreachable,
                    format!("{label} cannot be reached: {inner}"),
                ),
                _ if looks_like_tls(&inner.to_string()) => (
                    StoreErrorKind::Tls,
                    format!("{label} {}", tls_reason(&inner.to_string())),
                ),
                _ if inner.to_string().contains("lookup") => (
                    StoreErrorKind::Unreachable,
                    format!("{label} cannot be reached: {inner}"),
                ),
                _ => (
                    StoreErrorKind::Lost,
                    format!("{label} closed the connection: {inner}"),
                ),
            },
            other => (
                StoreErrorKind::Protocol,
                format!("{label} answered in an unexpected way: {other}"),
            ),
        };
        StoreError::new(kind, scrub(text))
    }
}

fn looks_like_tls(text: &str) -> bool {
    let text = text.to_lowercase();
    text.contains("certificate") || text.contains("tls") || text.contains("handshake")
}

fn tls_reason(text: &str) -> String {
    let lower = text.to_lowercase();
    let reason = if lower.contains("expired") {
        "shows a certificate that has expired"
    } else if lower.contains("notvalidforname") || lower.contains("not valid for name") {
        "shows a certificate for another name"
    } else if lower.contains("unknownissuer") || lower.contains("unknown issuer") {
        "shows a certificate of an unknown CA"
    } else {
        return format!("could not be connected to through TLS: {text}");
    };
    reason.to_owned()
}
