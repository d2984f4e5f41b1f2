//! Opens the connection and puts a library's errors into our words.

use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ErrorKind, IntoConnectionInfo,
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
        let text = match &self.target.password {
            Some(password) => password.scrub(&error.to_string()),
            None => error.to_string(),
        };
        if error.is_timeout() || text.to_lowercase().contains("timed out") {
            return self.silent();
        }
        let (kind, what) = match error.kind() {
            ErrorKind::AuthenticationFailed => self.refused(&text),
            ErrorKind::Server(_) | ErrorKind::Extension => self.answered(error, text),
            ErrorKind::Parse | ErrorKind::UnexpectedReturnType => (
                StoreErrorKind::Protocol,
                "does not answer as Redis does: another kind of server, or one that wants TLS"
                    .to_owned(),
            ),
            _ if self.target.tls.is_some() && looks_like_tls(&text) => {
                (StoreErrorKind::Tls, tls_reason(&text))
            }
            _ if phase == Phase::Talking => (
                StoreErrorKind::Lost,
                format!("closed the connection: {text}"),
            ),
            _ => (
                StoreErrorKind::Unreachable,
                format!("cannot be reached: {text}"),
            ),
        };
        StoreError::new(kind, format!("{} {what}", self.label()))
    }

    fn refused(&self, text: &str) -> (StoreErrorKind, String) {
        let user = self.target.user.as_deref().unwrap_or("default");
        (
            StoreErrorKind::Login,
            format!("refuses the login of user `{user}`: {text}"),
        )
    }

    /// An error that the server itself sent.
    fn answered(&self, error: &RedisError, text: String) -> (StoreErrorKind, String) {
        let said = error.detail().map_or(text.clone(), str::to_owned);
        let said = match &self.target.password {
            Some(password) => password.scrub(&said),
            None => said,
        };
        match error.code().unwrap_or_default() {
            "WRONGPASS" | "NOAUTH" => self.refused(&said),
            "NOPERM" => (StoreErrorKind::Denied, format!("does not allow it: {said}")),
            "LOADING" => (
                StoreErrorKind::Unreachable,
                "is still loading its data".to_owned(),
            ),
            _ if said.contains("DB index") => (
                StoreErrorKind::Unreachable,
                format!("has no database {}: {said}", self.target.database),
            ),
            code => (
                StoreErrorKind::Protocol,
                format!("answered with an error: {code} {said}"),
            ),
        }
    }
}

fn looks_like_tls(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "certificate",
        "tls",
        "handshake",
        "alert",
        "corrupt message",
    ]
    .iter()
    .any(|word| lower.contains(word))
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
