//! Opens the connection and puts a library's errors into our words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::redis::aio::MultiplexedConnection;
use ::redis::io::tcp::TcpSettings;
use ::redis::io::tcp::socket2::TcpKeepalive;
use ::redis::{
    AsyncConnectionConfig, Client, ClientTlsConfig, ConnectionAddr, ErrorKind, IntoConnectionInfo,
    Pipeline, RedisConnectionInfo, RedisError, TlsCertificates, Value,
};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::super::target::{Endpoint, Look, RedisTarget, Shape, Tls};
use super::super::{StoreError, StoreErrorKind};
use super::{push, sentinel};

pub struct Connector {
    client: Client,
    target: RedisTarget,
    timeout: Duration,
    /// Where the way led last, where it is not told by the target alone.
    found: Mutex<Option<Endpoint>>,
    /// Whether it was refused to leave the time of use of what is read alone.
    touches: Arc<AtomicBool>,
}

/// A line that is dead without a word is noticed after about half a minute, even where nobody asks.
const IDLE: Duration = Duration::from_secs(10);
const PROBE: Duration = Duration::from_secs(5);

/// Whom a sentinel is told we are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Login {
    None,
    Same,
}

/// When an error came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connecting,
    Talking,
}

impl Connector {
    pub fn new(target: &RedisTarget, timeout: Duration) -> Result<Connector, StoreError> {
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
        let mut login = RedisConnectionInfo::default()
            .set_db(target.database)
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
        let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(PROBE);
        let info = addr
            .into_connection_info()
            .map_err(refuse)?
            .set_redis_settings(login)
            .set_tcp_settings(
                TcpSettings::default()
                    .set_nodelay(true)
                    .set_keepalive(keepalive),
            );
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
            found: Mutex::new(None),
            touches: Arc::default(),
        })
    }

    /// The same login at one server.
    ///
    /// Errors: what was given for TLS is of no use.
    pub fn at(&self, endpoint: &Endpoint, look: Look) -> Result<Connector, StoreError> {
        let mut target = self.target.clone();
        target.endpoint = endpoint.clone();
        (target.shape, target.look) = (Shape::Single, look);
        let mut node = Connector::new(&target, self.timeout)?;
        node.touches = Arc::clone(&self.touches);
        Ok(node)
    }

    /// A sentinel: without a login, or with the same one where it asks for one.
    pub fn at_sentinel(&self, endpoint: &Endpoint, login: Login) -> Result<Connector, StoreError> {
        let mut target = self.target.clone();
        target.endpoint = endpoint.clone();
        (target.shape, target.look, target.database) = (Shape::Single, Look::Primary, 0);
        if login == Login::None {
            (target.user, target.password) = (None, None);
        }
        Connector::new(&target, self.timeout)
    }

    pub fn has_login(&self) -> bool {
        self.target.password.is_some()
    }

    /// Connects to the server, or to the one that the way leads to.
    pub async fn connect(&self) -> Result<MultiplexedConnection, StoreError> {
        let endpoint = match (&self.target.shape, self.target.look) {
            (Shape::Sentinel { master, .. }, look) => {
                let sentinels: Vec<Endpoint> = self.target.seeds().cloned().collect();
                sentinel::find(self, &sentinels, master, look).await?
            }
            (Shape::Single, Look::Replica) => sentinel::replica_of(self).await?,
            (Shape::Single, Look::Primary) | (Shape::Cluster { .. }, _) => {
                return self.connect_here().await;
            }
        };
        let node = self.at(&endpoint, self.target.look)?;
        let connection = node.connect_here().await?;
        sentinel::confirm(&node, connection.clone(), self.target.look).await?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = Some(endpoint);
        drop(found);
        Ok(connection)
    }

    pub fn look(&self) -> Look {
        self.target.look
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.target.endpoint
    }

    /// Where the way led last; `None` where the target names the server itself.
    pub fn found(&self) -> Option<Endpoint> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.clone()
    }

    /// Connects to this server, whatever the way is.
    pub async fn connect_here(&self) -> Result<MultiplexedConnection, StoreError> {
        let connection = self.dial().await?;
        self.settle(connection.clone()).await;
        Ok(connection)
    }

    /// What is said on a new connection, where the server knows it: that keys which are only looked at
    /// shall not look used, and that a replica of a cluster may be read.
    async fn settle(&self, mut connection: MultiplexedConnection) {
        let mut pipeline = Pipeline::new();
        let asks = !self.touches.load(Ordering::Relaxed);
        if asks {
            push(&mut pipeline, "CLIENT", &[b"NO-TOUCH", b"ON"]);
        }
        if self.target.look == Look::Replica {
            push(&mut pipeline, "READONLY", &[]);
        }
        if pipeline.is_empty() {
            return;
        }
        let count = pipeline.len();
        // A line that breaks here breaks again at the first question, which tells it.
        let answers = connection.send_packed_commands(&pipeline, 0, count).await;
        if asks && matches!(answers.as_deref(), Ok([Value::ServerError(_), ..])) {
            // Once is enough: a server keeps a list of what it refused.
            self.touches.store(true, Ordering::Relaxed);
        }
    }

    async fn dial(&self) -> Result<MultiplexedConnection, StoreError> {
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
        match (&self.target.shape, self.found()) {
            (Shape::Sentinel { master, .. }, Some(endpoint)) => format!("`{master}` at {endpoint}"),
            (Shape::Sentinel { master, .. }, None) => format!("`{master}`"),
            (_, Some(endpoint)) => endpoint.to_string(),
            (_, None) => self.target.endpoint.to_string(),
        }
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
            (Ok(Ok(Some(21) | None) | Err(BrokenOff::Talking)), None) => (
                StoreErrorKind::Unreachable,
                "closes the connection at once: it may want TLS (`rediss://`)",
            ),
            (Ok(Err(BrokenOff::Connecting)), None) => return error,
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

/// Where a look broke off.
enum BrokenOff {
    Connecting,
    Talking,
}

/// The first byte of what is said to a `PING`; `None` if the line is closed without a word.
async fn first_byte(host: &str, port: u16) -> Result<Option<u8>, BrokenOff> {
    let stream = TcpStream::connect((host, port)).await;
    let mut stream = stream.map_err(|_| BrokenOff::Connecting)?;
    let talk = async {
        stream.write_all(b"PING\r\n").await?;
        let mut byte = [0];
        let count = stream.read(&mut byte).await?;
        Ok(byte.first().copied().filter(|_| count > 0))
    };
    talk.await.map_err(|_: std::io::Error| BrokenOff::Talking)
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
