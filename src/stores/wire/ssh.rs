//! A way through SSH: one session over all hosts of it, and a channel for each line.
//!
//! Apart from `wire` because it is kept while lines come and go. Invariants: a host is only talked to
//! when its key is known, and a changed key is refused; keys and passphrases are in no text.

mod known;
mod login;
mod quick;

use std::sync::Arc;
use std::time::Duration;

use russh::Preferred;
use russh::client::{Config, Handle, Handler, connect_stream};
use russh::keys::PublicKeyOrCertificate;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

use super::{Stream, settle};
use crate::stores::target::{Endpoint, Hop, Ssh};
use crate::stores::{StoreError, StoreErrorKind};
use known::{Host, Known};
use quick::Quick;

/// A host that says nothing is asked whether it is there, and given up after three silences.
const ALIVE: Duration = Duration::from_secs(5);
const SILENCES_MAX: usize = 3;
/// Room of a channel: a scan has much under way.
const WINDOW: u32 = 8 << 20;

pub struct Tunnel {
    way: Ssh,
    timeout: Duration,
    /// Held while hosts are signed in at, so that this is done once for all, and not while a line is
    /// opened: a server that is gone keeps nobody waiting but who wants it.
    session: Mutex<Option<Arc<Session>>>,
}

/// The sessions of all hosts; the last one opens channels, and each needs the one before it.
struct Session {
    handles: Vec<Handle<Guard>>,
}

/// Looks at the key of one host.
struct Guard {
    host: Host,
    /// What was found of it, for the words.
    found: Arc<std::sync::Mutex<Option<Known>>>,
}

impl Handler for Guard {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        let known = match shown {
            PublicKeyOrCertificate::PublicKey { key, .. } => {
                let (host, key) = (self.host.clone(), key.clone());
                // Files may lie on a network; what could not be looked at is not known.
                let look = move || host.look(&key);
                let looked = tokio::task::spawn_blocking(look).await;
                looked.unwrap_or(Known::No)
            }
            PublicKeyOrCertificate::Certificate(_) => Known::No,
        };
        let is_known = known == Known::Yes;
        let mut found = self
            .found
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *found = Some(known);
        Ok(is_known)
    }
}

fn fail(kind: StoreErrorKind, hop: &Hop, what: impl std::fmt::Display) -> StoreError {
    StoreError::new(kind, format!("the SSH host `{}` {what}", hop.name))
}

impl Tunnel {
    pub fn new(way: Ssh, timeout: Duration) -> Tunnel {
        Tunnel {
            way,
            timeout,
            session: Mutex::new(None),
        }
    }

    /// Opens a line from the last host to a server.
    ///
    /// Errors: a host cannot be reached, is not known, refuses the login, or does not reach the server.
    pub async fn dial(&self, endpoint: &Endpoint) -> Result<Box<dyn Stream>, StoreError> {
        // Apart from the futures of all who dial, which would grow by all that signing in keeps.
        let session = Box::pin(self.session()).await?;
        match session.channel(endpoint).await {
            Ok(stream) => Ok(stream),
            Err(error) => {
                // A session that has died meanwhile is not used again; another one may be there.
                if !matches!(error, russh::Error::ChannelOpenFailure(_)) {
                    let mut held = self.session.lock().await;
                    let is_same = |held: &Arc<Session>| Arc::ptr_eq(held, &session);
                    if held.as_ref().is_some_and(is_same) {
                        *held = None;
                    }
                }
                Err(self.explain(endpoint, &error))
            }
        }
    }

    /// The session that is there, else a new one.
    async fn session(&self) -> Result<Arc<Session>, StoreError> {
        let mut held = self.session.lock().await;
        if let Some(session) = held.as_ref().filter(|session| !session.is_closed()) {
            return Ok(Arc::clone(session));
        }
        *held = None;
        let session = Arc::new(self.open().await?);
        *held = Some(Arc::clone(&session));
        Ok(session)
    }

    fn explain(&self, endpoint: &Endpoint, error: &russh::Error) -> StoreError {
        use russh::ChannelOpenFailure::{AdministrativelyProhibited, ConnectFailed};
        let last = self.way.hops.last();
        let name = last.map(|hop| hop.name.as_str()).unwrap_or_default();
        let what = match error {
            russh::Error::ChannelOpenFailure(AdministrativelyProhibited) => {
                "does not allow a line there".to_owned()
            }
            russh::Error::ChannelOpenFailure(ConnectFailed) => "does not reach it".to_owned(),
            other => format!("was lost: {other}"),
        };
        let text = format!("{endpoint} cannot be reached: the SSH host `{name}` {what}");
        StoreError::new(StoreErrorKind::Unreachable, text)
    }

    /// Signs in at each host, through those before it.
    async fn open(&self) -> Result<Session, StoreError> {
        let mut session = Session {
            handles: Vec::new(),
        };
        for hop in &self.way.hops {
            let line = match session.handles.last() {
                None => {
                    let stream = TcpStream::connect((hop.host.as_str(), hop.port)).await;
                    let stream = stream.map_err(|error| {
                        let what = format!("cannot be reached: {error}");
                        fail(StoreErrorKind::Unreachable, hop, what)
                    })?;
                    settle(&stream);
                    Box::new(Quick(stream)) as Box<dyn Stream>
                }
                Some(_) => {
                    let endpoint = Endpoint::Tcp {
                        host: hop.host.clone(),
                        port: hop.port,
                    };
                    let opened = session.channel(&endpoint).await;
                    opened.map_err(|error| {
                        let what = format!("cannot be reached through the one before it: {error}");
                        fail(StoreErrorKind::Unreachable, hop, what)
                    })?
                }
            };
            let handle = self.sign_in(hop, line).await?;
            session.handles.push(handle);
        }
        Ok(session)
    }

    async fn sign_in(&self, hop: &Hop, line: Box<dyn Stream>) -> Result<Handle<Guard>, StoreError> {
        let found = Arc::default();
        let host = Host::of(hop);
        let guard = Guard {
            host: host.clone(),
            found: Arc::clone(&found),
        };
        let kinds = tokio::task::spawn_blocking(move || host.kinds()).await;
        let config = Config {
            preferred: Preferred {
                key: kinds.map_or(Preferred::DEFAULT.key, Into::into),
                ..Preferred::DEFAULT
            },
            keepalive_interval: Some(ALIVE),
            keepalive_max: SILENCES_MAX,
            window_size: WINDOW,
            nodelay: true,
            inactivity_timeout: None,
            ..Config::default()
        };
        let greeted = connect_stream(Arc::new(config), line, guard).await;
        let seen = found.lock().ok().and_then(|found| found.clone());
        let mut handle = greeted.map_err(|error| distrust(hop, seen, &error))?;
        let signing = login::sign_in(&mut handle, hop);
        match tokio::time::timeout(self.timeout, signing).await {
            Ok(Ok(())) => Ok(handle),
            Ok(Err(refusal)) => Err(fail(
                match refusal.wants_passphrase {
                    true => StoreErrorKind::Passphrase,
                    false => StoreErrorKind::Way,
                },
                hop,
                refusal.why,
            )),
            Err(_) => Err(fail(
                StoreErrorKind::TimedOut,
                hop,
                "gave no answer to the login",
            )),
        }
    }
}

/// Why a host was not talked to.
fn distrust(hop: &Hop, seen: Option<Known>, error: &russh::Error) -> StoreError {
    let what = match seen {
        Some(Known::No) => format!(
            "shows a key that is in no file of known hosts: sign in once with `{}`, or add it to \
             `known_hosts`",
            sign_in(hop)
        ),
        Some(Known::Changed(line)) => format!(
            "shows another key than the one that is known ({line}): somebody may be in between, \
             nothing was sent"
        ),
        Some(Known::Revoked(line)) => format!("shows a key that was revoked ({line})"),
        Some(Known::Unsure(path)) => {
            format!("cannot be trusted: the list of revoked keys {path} cannot be read")
        }
        Some(Known::Yes) | None => {
            let what = format!("does not greet as SSH does: {error}");
            return fail(StoreErrorKind::Unreachable, hop, what);
        }
    };
    fail(StoreErrorKind::HostKey, hop, what)
}

/// How a person signs in there.
fn sign_in(hop: &Hop) -> String {
    // A name of the configuration has no port in it.
    match hop.name.contains(':') {
        true => format!("ssh -p {} {}@{}", hop.port, hop.user, hop.host),
        false => format!("ssh {}", hop.name),
    }
}

impl Session {
    fn is_closed(&self) -> bool {
        self.handles.iter().any(Handle::is_closed)
    }

    async fn channel(&self, endpoint: &Endpoint) -> Result<Box<dyn Stream>, russh::Error> {
        let handle = self.handles.last().ok_or(russh::Error::Disconnect)?;
        let channel = match endpoint {
            Endpoint::Tcp { host, port } => {
                let port = u32::from(*port);
                let from = "127.0.0.1";
                handle
                    .channel_open_direct_tcpip(host.as_str(), port, from, 0)
                    .await?
            }
            Endpoint::Unix(path) => {
                let path = path.display().to_string();
                handle.channel_open_direct_streamlocal(path).await?
            }
        };
        Ok(Box::new(channel.into_stream()))
    }
}

#[cfg(test)]
mod tests;
