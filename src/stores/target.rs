//! What to connect to, with everything resolved: no file, variable or clock is looked at any more.
//!
//! `config` makes these from URLs and settings. Invariant: `Display` shows no secret.

mod name;
mod same;
mod ssh;

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::Secret;

pub use same::is_same_store;
pub use ssh::{Hop, HostKeys, KeyOrigin, Ssh, SshKey};

#[derive(Clone, Debug)]
pub struct Target {
    pub engine: EngineTarget,
    /// How long to wait for a connection, and for one answer.
    pub timeout: Duration,
    /// The way there, where it leads through other hosts.
    pub ssh: Option<Ssh>,
    /// Where sockets of our own may stand for as long as the store is open.
    pub scratch: PathBuf,
}

impl Target {
    /// The server that takes changes, where looks may go to another one: what a replica tells of a change
    /// may be older than the change.
    pub fn where_changes_go(&self) -> Option<Target> {
        let engine = match &self.engine {
            EngineTarget::Redis(redis) if redis.look == Look::Replica => {
                EngineTarget::Redis(redis.for_changes())
            }
            EngineTarget::Postgres(pg) if pg.for_changes().attrs != pg.attrs => {
                EngineTarget::Postgres(pg.for_changes())
            }
            _ => return None,
        };
        Some(Target {
            engine,
            ..self.clone()
        })
    }

    /// Who signs in, where that is said.
    pub fn user(&self) -> Option<&str> {
        match &self.engine {
            EngineTarget::Redis(redis) => redis.user.as_deref(),
            EngineTarget::Postgres(pg) => Some(&pg.user),
            EngineTarget::Sqlite(_) => None,
        }
    }

    /// Where the password stands, in a store that has logins.
    pub fn password(&mut self) -> Option<&mut Option<Secret>> {
        match &mut self.engine {
            EngineTarget::Redis(redis) => Some(&mut redis.password),
            EngineTarget::Postgres(pg) => Some(&mut pg.password),
            EngineTarget::Sqlite(_) => None,
        }
    }

    /// Opens the locked keys for the way.
    pub fn give_passphrase(&mut self, passphrase: &Secret) {
        let hops = self.ssh.iter_mut().flat_map(|way| &mut way.hops);
        for key in hops.flat_map(|hop| &mut hop.keys) {
            key.passphrase = Some(passphrase.clone());
        }
    }
}

#[derive(Clone, Debug)]
pub enum EngineTarget {
    Redis(RedisTarget),
    Postgres(PostgresTarget),
    Sqlite(SqliteTarget),
}

#[derive(Clone, Debug)]
pub struct RedisTarget {
    /// The server, or the first of those that are asked for the way to it.
    pub endpoint: Endpoint,
    pub shape: Shape,
    pub look: Look,
    pub tls: Option<Tls>,
    pub database: i64,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub renewal: Option<Renewal>,
    /// At the sentinels, where they have a login of their own.
    pub sentinel_login: Option<SentinelLogin>,
}

#[derive(Clone, Debug)]
pub struct SentinelLogin {
    pub user: Option<String>,
    pub password: Secret,
}

/// Gives the password anew, where it is one that expires: a command is run again. It may take long,
/// and is called away from what must not wait.
#[derive(Clone)]
pub struct Renewal(pub Arc<dyn Fn() -> Result<Secret, String> + Send + Sync>);

impl Renewal {
    /// Errors: the command failed; a sentence.
    pub async fn password(&self) -> Result<Secret, String> {
        let ask = Arc::clone(&self.0);
        let asked = tokio::task::spawn_blocking(move || ask()).await;
        asked.map_err(|_| "the password could not be asked for".to_owned())?
    }
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Renewal")
    }
}

/// How the servers are found that hold the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Single,
    /// Any node of a cluster tells all others.
    Cluster { more: Vec<Endpoint> },
    /// Sentinels tell which server is the primary of this name.
    Sentinel { more: Vec<Endpoint>, master: String },
}

/// Where is looked; changes always go to the primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Look {
    #[default]
    Primary,
    /// On a replica, which may be behind.
    Replica,
}

impl Look {
    pub fn on_replica(is_wanted: bool) -> Look {
        match is_wanted {
            true => Look::Replica,
            false => Look::Primary,
        }
    }
}

impl RedisTarget {
    /// Wherever it is looked, changes go to the primary.
    pub fn for_changes(&self) -> RedisTarget {
        RedisTarget {
            look: Look::Primary,
            ..self.clone()
        }
    }

    /// Everybody who may be asked for the way.
    pub fn seeds(&self) -> impl Iterator<Item = &Endpoint> {
        let more = match &self.shape {
            Shape::Single => &[][..],
            Shape::Cluster { more } | Shape::Sentinel { more, .. } => more,
        };
        std::iter::once(&self.endpoint).chain(more)
    }

    fn scheme(&self) -> String {
        let plain = match (&self.shape, &self.endpoint, &self.tls) {
            (Shape::Single, Endpoint::Unix(_), _) => return "redis+unix".to_owned(),
            (_, _, Some(_)) => "rediss",
            (_, _, None) => "redis",
        };
        match &self.shape {
            Shape::Single => plain.to_owned(),
            Shape::Cluster { .. } => format!("{plain}+cluster"),
            Shape::Sentinel { .. } => format!("{plain}+sentinel"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Endpoint {
    Tcp { host: String, port: u16 },
    Unix(PathBuf),
}

/// Certificates, as PEM text that `config` has read.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    pub ca: Option<Vec<u8>>,
    pub certificate: Option<Vec<u8>>,
    pub key: Option<Secret>,
    /// The name that the server's certificate must have, where it is not the host's.
    pub server_name: Option<String>,
}

impl Tls {
    /// What is wrong with what was given, before anybody is asked.
    pub fn problem(&self) -> Option<&'static str> {
        let holds = |pem: &[u8], what: &[u8]| pem.windows(what.len()).any(|part| part == what);
        let lacks = |pem: &[u8]| !holds(pem, b"-----BEGIN CERTIFICATE-----");
        if self.ca.as_deref().is_some_and(lacks) {
            return Some("the CA file holds no certificate in PEM form");
        }
        if self.certificate.as_deref().is_some_and(lacks) {
            return Some("the client certificate is not in PEM form");
        }
        match (&self.certificate, &self.key) {
            (Some(_), None) => Some("the client certificate needs its key"),
            (None, Some(_)) => Some("the client key needs its certificate"),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct PostgresTarget {
    pub endpoint: Endpoint,
    /// Tried in their order after the first.
    pub more: Vec<Endpoint>,
    /// What is known of single servers, in the same order; of those that are missing it is nothing.
    pub singly: Vec<OneServer>,
    /// What a server has to be, to be taken.
    pub attrs: SessionAttrs,
    pub user: String,
    /// For all servers, where it was given for the connection.
    pub password: Option<Secret>,
    pub renewal: Option<Renewal>,
    pub database: String,
    pub ssl: SslMode,
    pub tls: Tls,
    pub application: String,
    /// Parameters of the session that a user gave (`options`), name and value.
    pub options: Vec<(String, String)>,
}

/// What belongs to one of several servers alone.
#[derive(Clone, Debug, Default)]
pub struct OneServer {
    /// Where it is (`hostaddr`), so that its name is not looked up; it has to prove the name all the same.
    pub address: Option<IpAddr>,
    /// From the password file.
    pub password: Option<Secret>,
}

impl PostgresTarget {
    /// Counted from zero, as all of this.
    pub fn address_of(&self, server: usize) -> Option<IpAddr> {
        self.singly.get(server).and_then(|one| one.address)
    }

    pub fn password_of(&self, server: usize) -> Option<&Secret> {
        let own = self.singly.get(server);
        let own = own.and_then(|one| one.password.as_ref());
        self.password.as_ref().or(own)
    }

    /// Of several servers, changes go to the one that takes them, wherever it is looked.
    pub fn for_changes(&self) -> PostgresTarget {
        let attrs = match self.attrs {
            SessionAttrs::Any if self.more.is_empty() => SessionAttrs::Any,
            SessionAttrs::Primary => SessionAttrs::Primary,
            _ => SessionAttrs::ReadWrite,
        };
        PostgresTarget {
            attrs,
            ..self.clone()
        }
    }
}

/// `target_session_attrs`, as libpq has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SessionAttrs {
    #[default]
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl SessionAttrs {
    pub fn named(name: &str) -> Option<SessionAttrs> {
        Some(match name {
            "any" => SessionAttrs::Any,
            "read-write" => SessionAttrs::ReadWrite,
            "read-only" => SessionAttrs::ReadOnly,
            "primary" => SessionAttrs::Primary,
            "standby" => SessionAttrs::Standby,
            "prefer-standby" => SessionAttrs::PreferStandby,
            _ => return None,
        })
    }
}

/// The folder of PostgreSQL's socket, and the port in its name.
pub fn socket_of(path: &std::path::Path) -> (PathBuf, u16) {
    let port = path
        .file_name()
        .and_then(|name| name.to_str()?.strip_prefix(".s.PGSQL.")?.parse().ok());
    match (port, path.parent()) {
        (Some(port), Some(folder)) => (folder.to_owned(), port),
        _ => (path.to_owned(), 5432),
    }
}

/// As libpq has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SslMode {
    Disable,
    Allow,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl SslMode {
    pub fn named(name: &str) -> Option<SslMode> {
        Some(match name {
            "disable" => SslMode::Disable,
            "allow" => SslMode::Allow,
            "prefer" => SslMode::Prefer,
            "require" => SslMode::Require,
            "verify-ca" => SslMode::VerifyCa,
            "verify-full" => SslMode::VerifyFull,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SqliteTarget {
    pub path: PathBuf,
    /// What to call it: `demo:` for the demo store.
    pub name: Option<String>,
}
