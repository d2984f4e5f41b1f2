//! Opens the connection and puts a library's errors into our words.

use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, IntoConnectionInfo,
    RedisConnectionInfo, RedisError, TlsCertificates,
};

use super::super::target::{Endpoint, RedisTarget};
use super::super::{StoreError, StoreErrorKind};

pub struct Connector {
    client: Client,
    target: RedisTarget,
    timeout: Duration,
}

/// When an error came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connecting,
    Talking,
}

impl Connector {
    pub fn new(target: &RedisTarget, timeout: Duration) -> Result<Connector, StoreError> {
        let addr = match (&target.endpoint, &target.tls) {
            (Endpoint::Unix(path), _) => ConnectionAddr::Unix(path.clone()),
            (Endpoint::Tcp { host, port }, None) => ConnectionAddr::Tcp(host.clone(), *port),
            (Endpoint::Tcp { host, port }, Some(_)) => ConnectionAddr::TcpTls {
                host: host.clone(),
                port: *port,
                insecure: false,
                tls_params: None,
            },
        };
        let mut login = RedisConnectionInfo::default()
            .set_db(target.database)
            // Least rights: CLIENT SETINFO may be forbidden, and an old server logs it.
            .set_skip_set_lib_name();
        if let Some(user) = &target.user {
            login = login.set_username(user);
        }
        if let Some(password) = &target.password {
            login = login.set_password(password.reveal());
        }
        let refuse = |error: RedisError| {
            let kind = if target.tls.is_some() {
                StoreErrorKind::Tls
            } else {
                StoreErrorKind::Unreachable
            };
            StoreError::new(
                kind,
                format!("{} cannot be connected to: {error}", target.endpoint),
            )
        };
        let info = addr
            .into_connection_info()
            .map_err(refuse)?
            .set_redis_settings(login);
        let client = match &target.tls {
            None => Client::open(info),
            Some(tls) => {
                let client_tls = match (&tls.certificate, &tls.key) {
                    (Some(certificate), Some(key)) => Some(ClientTlsConfig {
                        client_cert: certificate.clone(),
                        client_key: key.reveal().as_bytes().to_vec(),
                    }),
                    _ => None,
                };
                let certificates = TlsCertificates {
                    client_tls,
                    root_cert: tls.ca.clone(),
                };
                Client::build_with_tls(info, certificates)
            }
        };
        Ok(Connector {
            client: client.map_err(refuse)?,
            target: target.clone(),
            timeout,
        })
    }

    pub async fn connect(&self) -> Result<MultiplexedConnection, StoreError> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        // The library's own time-out does not cover a server that accepts and then says nothing.
        match tokio::time::timeout(self.timeout, connecting).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(self.explain(&error, Phase::Connecting)),
            Err(_) => Err(self.silent()),
        }
    }

    pub fn label(&self) -> String {
        self.target.endpoint.to_string()
    }

    pub fn encryption(&self) -> &'static str {
        match (&self.target.tls, &self.target.endpoint) {
            (Some(_), _) => "encrypted, server verified",
            (None, Endpoint::Unix(_)) => "local socket",
            (None, Endpoint::Tcp { .. }) => "not encrypted",
        }
    }

    fn silent(&self) -> StoreError {
        let text = format!(
            "{} gave no answer within {} s",
            self.label(),
            self.timeout.as_secs_f32()
        );
        StoreError::new(StoreErrorKind::TimedOut, text)
    }

    pub fn explain(&self, error: &RedisError, phase: Phase) -> StoreError {
        let label = self.label();
        let code = error.code().unwrap_or_default();
        let text = match &self.target.password {
            Some(password) => password.scrub(&error.to_string()),
            None => error.to_string(),
        };
        let lower = text.to_lowercase();
        if error.is_timeout() || lower.contains("timed out") {
            return self.silent();
        }
        if matches!(code, "WRONGPASS" | "NOAUTH")
            || lower.contains("authentication")
            || lower.contains("password")
        {
            let user = self.target.user.as_deref().unwrap_or("default");
            return StoreError::new(
                StoreErrorKind::Login,
                format!(
                    "{label} refuses the login of user `{user}` ({})",
                    if code.is_empty() { "AUTH" } else { code }
                ),
            );
        }
        if self.target.tls.is_some() && phase == Phase::Connecting && !error.is_connection_refusal()
        {
            return StoreError::new(
                StoreErrorKind::Tls,
                format!("{label} {}", tls_reason(&lower)),
            );
        }
        if code == "NOPERM" {
            return StoreError::new(
                StoreErrorKind::Denied,
                format!("{label} does not allow it: {text}"),
            );
        }
        let kind = match phase {
            Phase::Connecting => StoreErrorKind::Unreachable,
            Phase::Talking if error.is_io_error() || error.is_connection_dropped() => {
                StoreErrorKind::Lost
            }
            Phase::Talking => StoreErrorKind::Protocol,
        };
        let what = match kind {
            StoreErrorKind::Unreachable => "cannot be reached",
            StoreErrorKind::Lost => "closed the connection",
            _ => "answered with an error",
        };
        StoreError::new(kind, format!("{label} {what}: {text}"))
    }
}

fn tls_reason(text: &str) -> String {
    let reason = if text.contains("expired") {
        "shows a certificate that has expired"
    } else if text.contains("notvalidforname") || text.contains("not valid for name") {
        "shows a certificate for another name"
    } else if text.contains("unknownissuer") || text.contains("unknown issuer") {
        "shows a certificate of an unknown CA"
    } else if text.contains("protocol version") || text.contains("protocolversion") {
        "speaks a TLS version that is too old"
    } else {
        return format!("could not be connected to through TLS: {text}");
    };
    reason.to_owned()
}
