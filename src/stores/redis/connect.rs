//! Opens the connection and puts a library's errors into our words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::redis::aio::{AsyncPushSender, MultiplexedConnection, PubSub};
use ::redis::{AsyncConnectionConfig, Pipeline, ProtocolVersion, RedisConnectionInfo, Value};

use super::super::target::{Endpoint, Look, RedisTarget, Shape, Ssh, Tls};
use super::super::wire::tls::{Proof, TlsClient};
use super::super::wire::{Stream, Wire};
use super::super::{StoreError, StoreErrorKind};
use super::sentinel::Word;
use super::{push, sentinel};
use crate::domain::Secret;

pub struct Connector {
    pub(super) wire: Wire,
    login: RedisConnectionInfo,
    tls: Option<TlsClient>,
    pub(super) target: RedisTarget,
    pub(super) timeout: Duration,
    /// Where the way led last, where it is not told by the target alone.
    found: Mutex<Option<Endpoint>>,
    /// Whether it was refused to leave the time of use of what is read alone.
    touches: Arc<AtomicBool>,
    /// The password that took the place of one that had expired.
    pub(super) renewed: Arc<Mutex<Option<Secret>>>,
}

/// Whom a sentinel is told we are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Login {
    None,
    Same,
    /// The sentinels' own.
    Own,
}

/// When an error came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Connecting,
    Talking,
}

impl Connector {
    /// Errors: what was given for TLS is of no use.
    pub fn new(
        target: &RedisTarget,
        ssh: Option<&Ssh>,
        timeout: Duration,
    ) -> Result<Connector, StoreError> {
        let refuse = |problem: &str| {
            let text = format!("{} cannot be connected to: {problem}", target.endpoint);
            StoreError::new(StoreErrorKind::Tls, text)
        };
        if let Some(problem) = target.tls.as_ref().and_then(Tls::problem) {
            return Err(refuse(problem));
        }
        let tls = target
            .tls
            .as_ref()
            .map(|tls| TlsClient::new(tls, Proof::Full));
        let tls = tls.transpose().map_err(|problem| refuse(&problem))?;
        Ok(Connector {
            wire: Wire::new(ssh, timeout),
            login: login(target),
            tls,
            target: target.clone(),
            timeout,
            found: Mutex::new(None),
            touches: Arc::default(),
            renewed: Arc::default(),
        })
    }

    /// The same wire and certificates for another target.
    fn with(&self, target: RedisTarget) -> Connector {
        Connector {
            wire: self.wire.clone(),
            login: login(&target),
            tls: self.tls.clone(),
            target,
            timeout: self.timeout,
            found: Mutex::new(None),
            touches: Arc::clone(&self.touches),
            renewed: Arc::clone(&self.renewed),
        }
    }

    /// The same login at one server.
    pub fn at(&self, endpoint: &Endpoint, look: Look) -> Connector {
        let mut target = self.target.clone();
        target.endpoint = endpoint.clone();
        (target.shape, target.look) = (Shape::Single, look);
        self.with(target)
    }

    /// The server that the way led to last, by itself.
    pub fn here(&self) -> Connector {
        let found = self.found();
        let endpoint = found.as_ref().unwrap_or(&self.target.endpoint);
        self.at(endpoint, self.target.look)
    }

    /// A sentinel: without a login, or with the same one where it asks for one.
    pub fn at_sentinel(&self, endpoint: &Endpoint, login: Login) -> Connector {
        let mut target = self.target.clone();
        target.endpoint = endpoint.clone();
        (target.shape, target.look, target.database) = (Shape::Single, Look::Primary, 0);
        (target.user, target.password) = match (login, target.sentinel_login.take()) {
            (Login::Same, _) => (target.user, target.password),
            (Login::Own, Some(own)) => (own.user, Some(own.password)),
            (Login::Own | Login::None, _) => (None, None),
        };
        // A password that is renewed is the server's.
        target.renewal = target.renewal.filter(|_| login == Login::Same);
        self.with(target)
    }

    /// The logins that a sentinel is told, in their order; the next where one is asked for.
    pub fn sentinel_logins(&self) -> Vec<Login> {
        match (&self.target.sentinel_login, &self.target.password) {
            (Some(_), _) => vec![Login::Own],
            (None, Some(_)) => vec![Login::None, Login::Same],
            (None, None) => vec![Login::None],
        }
    }

    /// Connects to the server, or to the one that the way leads to.
    pub async fn connect(&self) -> Result<MultiplexedConnection, StoreError> {
        let endpoint = match (&self.target.shape, self.target.look) {
            (Shape::Sentinel { master, .. }, _) => {
                self.named(master, Word::OfThoseThatAnswer).await?
            }
            (Shape::Single, Look::Replica) => sentinel::replica_of(self).await?,
            (Shape::Single, Look::Primary) | (Shape::Cluster { .. }, _) => {
                return self.connect_here().await;
            }
        };
        let node = self.at(&endpoint, self.target.look);
        let connection = node.connect_here().await?;
        sentinel::confirm(&node, connection.clone(), self.target.look).await?;
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = Some(endpoint);
        drop(found);
        Ok(connection)
    }

    async fn named(&self, master: &str, word: Word) -> Result<Endpoint, StoreError> {
        let sentinels: Vec<Endpoint> = self.target.seeds().cloned().collect();
        sentinel::find(self, &sentinels, master, self.target.look, word).await
    }

    /// The server that most sentinels name now; `None` where none are asked.
    pub async fn named_now(&self) -> Result<Option<Endpoint>, StoreError> {
        match &self.target.shape {
            Shape::Sentinel { master, .. } => self.named(master, Word::OfMost).await.map(Some),
            Shape::Single | Shape::Cluster { .. } => Ok(None),
        }
    }

    pub fn look(&self) -> Look {
        self.target.look
    }

    /// Whether another server may take the place of the one that is talked to.
    pub fn follows(&self) -> bool {
        matches!(self.target.shape, Shape::Sentinel { .. }) || self.look() == Look::Replica
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

    /// A password that has expired is asked for anew, once.
    async fn dial(&self) -> Result<MultiplexedConnection, StoreError> {
        let login = self.newest_login();
        let refused = match self.signed_in(&login, self.config()).await {
            Err(error) if error.kind == StoreErrorKind::Login => error,
            other => return other,
        };
        let Some(renewal) = &self.target.renewal else {
            return Err(refused);
        };
        let password = renewal.password().await.map_err(|why| {
            let text = format!("{refused}; asked again for the password: {why}");
            StoreError::new(StoreErrorKind::Login, text)
        })?;
        *self.renewed.lock().unwrap_or_else(PoisonError::into_inner) = Some(password);
        self.signed_in(&self.newest_login(), self.config()).await
    }

    /// With the password that took the place of one that had expired.
    pub fn newest_login(&self) -> RedisConnectionInfo {
        let renewed = self.renewed.lock().unwrap_or_else(PoisonError::into_inner);
        match renewed.as_ref() {
            Some(password) => self.login.clone().set_password(password.reveal()),
            None => self.login.clone(),
        }
    }

    fn config(&self) -> AsyncConnectionConfig {
        AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout))
    }

    async fn signed_in(
        &self,
        login: &RedisConnectionInfo,
        config: AsyncConnectionConfig,
    ) -> Result<MultiplexedConnection, StoreError> {
        self.within(async {
            let line = self.line().await?;
            let made = MultiplexedConnection::new_with_config(login, line, config).await;
            let (connection, driver) =
                made.map_err(|error| self.explain(&error, Phase::Connecting))?;
            tokio::spawn(driver);
            Ok(connection)
        })
        .await
    }

    /// A library's own time-out does not cover a server that accepts and then says nothing.
    async fn within<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match tokio::time::timeout(self.timeout, work).await {
            Ok(done) => done,
            Err(_) => Err(self.silent()),
        }
    }

    /// An open line on which nothing was said yet, in TLS where that is wanted.
    pub async fn line(&self) -> Result<Box<dyn Stream>, StoreError> {
        let line = self.wire.dial(&self.target.endpoint).await?;
        match &self.tls {
            None => Ok(line),
            Some(tls) => {
                let line = tls.greet(line, &self.host(), &self.label()).await?;
                Ok(Box::new(line))
            }
        }
    }

    /// A line for subscriptions.
    pub async fn events(&self) -> Result<PubSub, StoreError> {
        self.within(async {
            let made = PubSub::new(&self.newest_login(), self.line().await?).await;
            made.map_err(|error| self.explain(&error, Phase::Connecting))
        })
        .await
    }

    /// A line on which the server may speak unasked, in the protocol that has a place for it.
    pub async fn pushes(
        &self,
        take: impl AsyncPushSender,
    ) -> Result<MultiplexedConnection, StoreError> {
        let login = self.newest_login().set_protocol(ProtocolVersion::RESP3);
        let config = self.config().set_push_sender(take);
        self.signed_in(&login, config).await
    }

    fn host(&self) -> String {
        match &self.target.endpoint {
            Endpoint::Tcp { host, .. } => host.clone(),
            Endpoint::Unix(_) => "localhost".to_owned(),
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
            (None, _) if self.wire.is_tunnelled() => "encrypted up to the SSH host",
            (None, Endpoint::Unix(_)) => "local socket",
            (None, Endpoint::Tcp { .. }) => "not encrypted",
        }
    }
}

fn login(target: &RedisTarget) -> RedisConnectionInfo {
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
    login
}
