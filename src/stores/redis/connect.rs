//! Opens the connection and puts a library's errors into our words.

use std::time::Duration;

use ::redis::aio::{AsyncPushSender, MultiplexedConnection, PubSub};
use ::redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ErrorKind, IntoConnectionInfo,
    ProtocolVersion, RedisConnectionInfo, RedisError, TlsCertificates,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::super::target::{Endpoint, RedisTarget, Tls};
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
        Connector::speaking(target, timeout, ProtocolVersion::RESP2)
    }

    fn speaking(
        target: &RedisTarget,
        timeout: Duration,
        protocol: ProtocolVersion,
    ) -> Result<Connector, StoreError> {
        if let Some(problem) = target.tls.as_ref().and_then(Tls::problem) {
            let text = format!("{} cannot be connected to: {problem}", target.endpoint);
            return Err(StoreError::new(StoreErrorKind::Tls, text));
        }
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
        let login = login(target, protocol);
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

    /// A line for subscriptions.
    pub async fn events(&self) -> Result<PubSub, StoreError> {
        match tokio::time::timeout(self.timeout, self.client.get_async_pubsub()).await {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(self.explain(&error, Phase::Connecting)),
            Err(_) => Err(self.silent()),
        }
    }

    /// A line on which the server may speak unasked, in the protocol that has a place for it.
    pub async fn pushes(
        &self,
        take: impl AsyncPushSender,
    ) -> Result<MultiplexedConnection, StoreError> {
        let other = Connector::speaking(&self.target, self.timeout, ProtocolVersion::RESP3)?;
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout))
            .set_push_sender(take);
        let connecting = other
            .client
            .get_multiplexed_async_connection_with_config(&config);
        match tokio::time::timeout(self.timeout, connecting).await {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(self.explain(&error, Phase::Connecting)),
            Err(_) => Err(self.silent()),
        }
    }

    pub fn explain_talking(&self, error: &RedisError) -> StoreError {
        self.explain(error, Phase::Talking)
    }

    pub fn target(&self) -> &RedisTarget {
        &self.target
    }

    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    pub fn database(&self) -> i64 {
        self.target.database
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

    /// Why nothing was understood on a new connection, by one look without the library: it says
    /// only that the line broke.
    pub async fn diagnose(&self, error: StoreError) -> StoreError {
        let Endpoint::Tcp { host, port } = &self.target.endpoint else {
            return error;
        };
        if self.target.tls.is_some() && error.kind == StoreErrorKind::Lost {
            let what =
                "closed the connection after the handshake: it may want a client certificate";
            return StoreError::new(StoreErrorKind::Tls, format!("{} {what}", self.label()));
        }
        let looked = tokio::time::timeout(self.timeout / 4, first_byte(host, *port)).await;
        let (kind, what) = match (looked, &self.target.tls) {
            (Ok(Ok(Some(b'+' | b'-'))), Some(_)) => (
                StoreErrorKind::Tls,
                "does not speak TLS, but answers without",
            ),
            (Err(_) | Ok(Ok(Some(b'+' | b'-'))), _) | (_, Some(_)) => return error,
            // A TLS server answers with an alert, or with nothing.
            (Ok(Ok(Some(21) | None) | Err(Look::Talking)), None) => (
                StoreErrorKind::Unreachable,
                "closes the connection at once: it may want TLS (`rediss://`)",
            ),
            (Ok(Err(Look::Connecting)), None) => return error,
            (Ok(Ok(Some(_))), None) => (
                StoreErrorKind::Protocol,
                "does not answer as Redis does: it is another kind of server",
            ),
        };
        StoreError::new(kind, format!("{} {what}", self.label()))
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
                (StoreErrorKind::Tls, tls_reason(&text.to_lowercase()))
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

fn login(target: &RedisTarget, protocol: ProtocolVersion) -> RedisConnectionInfo {
    let mut login = RedisConnectionInfo::default()
        .set_db(target.database)
        .set_protocol(protocol)
        // Least rights: CLIENT SETINFO may be forbidden, and an old server logs it.
        .set_skip_set_lib_name();
    if let Some(user) = &target.user {
        login = login.set_username(user);
    }
    match (&target.password, target.user.as_deref()) {
        (Some(password), _) => login = login.set_password(password.reveal()),
        // Without a password the client would not sign in at all, and look as somebody else.
        (None, Some(user)) if user != "default" => login = login.set_password(""),
        _ => {}
    }
    login
}

/// Where a look broke off.
enum Look {
    Connecting,
    Talking,
}

/// The first byte of what is said to a `PING`; `None` if the line is closed without a word.
async fn first_byte(host: &str, port: u16) -> Result<Option<u8>, Look> {
    let stream = TcpStream::connect((host, port)).await;
    let mut stream = stream.map_err(|_| Look::Connecting)?;
    let talk = async {
        stream.write_all(b"PING\r\n").await?;
        let mut byte = [0];
        let count = stream.read(&mut byte).await?;
        Ok(byte.first().copied().filter(|_| count > 0))
    };
    talk.await.map_err(|_: std::io::Error| Look::Talking)
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
