//! What to connect to, with everything resolved: no file, variable or clock is looked at any more.
//!
//! `config` makes these from URLs and settings. Invariant: `Display` shows no secret.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::domain::Secret;

#[derive(Clone, Debug)]
pub struct Target {
    pub engine: EngineTarget,
    /// How long to wait for a connection, and for one answer.
    pub timeout: Duration,
}

impl Target {
    /// Who signs in, where that is said.
    pub fn user(&self) -> Option<&str> {
        match &self.engine {
            EngineTarget::Redis(redis) => redis.user.as_deref(),
            EngineTarget::Postgres(pg) => Some(&pg.user),
            EngineTarget::Sqlite(_) => None,
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
    pub endpoint: Endpoint,
    pub tls: Option<Tls>,
    pub database: i64,
    pub user: Option<String>,
    pub password: Option<Secret>,
}

#[derive(Clone, Debug, PartialEq)]
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
    pub user: String,
    pub password: Option<Secret>,
    pub database: String,
    pub ssl: SslMode,
    pub tls: Tls,
    pub application: String,
    /// Parameters of the session that a user gave (`options`), name and value.
    pub options: Vec<(String, String)>,
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

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Endpoint::Tcp { host, port } => write!(f, "{host}:{port}"),
            Endpoint::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.engine {
            EngineTarget::Redis(redis) => {
                let scheme = match (&redis.endpoint, &redis.tls) {
                    (Endpoint::Unix(_), _) => "redis+unix",
                    (_, Some(_)) => "rediss",
                    (_, None) => "redis",
                };
                write!(f, "{scheme}://{}", redis.endpoint)?;
                if redis.database != 0 {
                    write!(f, "/{}", redis.database)?;
                }
                Ok(())
            }
            EngineTarget::Postgres(pg) => {
                write!(f, "postgres://{}/{}", pg.endpoint, pg.database)
            }
            EngineTarget::Sqlite(sqlite) => match &sqlite.name {
                Some(name) => f.write_str(name),
                None => write!(f, "sqlite:{}", sqlite.path.display()),
            },
        }
    }
}
