//! Redis URLs: one server, a cluster, or a primary that sentinels know.

use std::path::PathBuf;

use super::origins::{self, Setting};
use super::target::TargetError;
use super::uri::{self, Uri};
use crate::domain::Secret;
use crate::stores::target::{Endpoint, Look, RedisTarget, SentinelLogin, Shape, Tls};
use crate::sys::env;

const PORT: u16 = 6379;
const SENTINEL_PORT: u16 = 26379;
/// Nodes that one URL may name.
const SEEDS_MAX: usize = 100;

/// Every scheme, and what it means: the kind, and whether the line is encrypted.
const SCHEMES: [(&str, Kind, Line); 12] = [
    ("redis", Kind::Single, Line::Plain),
    ("valkey", Kind::Single, Line::Plain),
    ("rediss", Kind::Single, Line::Encrypted),
    ("valkeys", Kind::Single, Line::Encrypted),
    ("redis+tls", Kind::Single, Line::Encrypted),
    ("redis+unix", Kind::Socket, Line::Plain),
    ("redis+cluster", Kind::Cluster, Line::Plain),
    ("rediss+cluster", Kind::Cluster, Line::Encrypted),
    ("valkey+cluster", Kind::Cluster, Line::Plain),
    ("redis+sentinel", Kind::Sentinel, Line::Plain),
    ("rediss+sentinel", Kind::Sentinel, Line::Encrypted),
    ("valkey+sentinel", Kind::Sentinel, Line::Plain),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Single,
    Socket,
    Cluster,
    Sentinel,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Plain,
    Encrypted,
}

/// Whether it is a scheme of Redis.
pub fn is_scheme(scheme: &str) -> bool {
    SCHEMES.iter().any(|(known, ..)| *known == scheme)
}

/// `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, `rediss://` alike, `redis+unix:///PATH`,
/// `redis+cluster://HOST:PORT,HOST:PORT`, `redis+sentinel://HOST:PORT,HOST:PORT/MASTER[/DATABASE]`.
///
/// Errors: a scheme of no Redis, or a part that is missing or cannot be read.
pub fn parse(
    scheme: &str,
    rest: &str,
    tls: Tls,
) -> Result<(RedisTarget, Vec<Setting>), TargetError> {
    let (_, kind, line) = SCHEMES
        .into_iter()
        .find(|(known, ..)| *known == scheme)
        .ok_or_else(|| TargetError::new(format!("`{scheme}` is no scheme of Redis")))?;
    let uri = uri::parse(rest).map_err(TargetError::new)?;
    let (endpoint, shape, database) = match kind {
        Kind::Single => single(scheme, &uri)?,
        Kind::Socket => {
            let path = PathBuf::from(format!("/{}", uri.path));
            (Endpoint::Unix(path), Shape::Single, database(&uri, "")?)
        }
        Kind::Cluster => cluster(scheme, &uri)?,
        Kind::Sentinel => sentinel(scheme, &uri)?,
    };
    let target = RedisTarget {
        endpoint,
        shape,
        look: Look::Primary,
        tls: (line == Line::Encrypted).then_some(tls),
        database,
        user: uri.user.clone(),
        password: uri.password.clone().map(Secret::new),
        renewal: None,
        sentinel_login: match kind {
            Kind::Sentinel => sentinel_login(&uri),
            _ => None,
        },
    };
    let settings = origins::of_redis(&uri, &target);
    Ok((target, settings))
}

/// From the path, else from the parameter `db`, else 0.
fn database(uri: &Uri, path: &str) -> Result<i64, TargetError> {
    let text = match path.trim_end_matches('/') {
        "" => uri.param("db").unwrap_or("0"),
        path => path,
    };
    let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
    number.ok_or_else(|| TargetError::new(format!("`{text}` is no database number")))
}

fn single(scheme: &str, uri: &Uri) -> Result<(Endpoint, Shape, i64), TargetError> {
    let (host, port) = match uri.hosts.as_slice() {
        [] => ("127.0.0.1".to_owned(), None),
        [(host, port)] => (host.clone(), *port),
        _ => {
            return Err(TargetError::with_hint(
                format!("`{scheme}://` names several hosts"),
                "several nodes go with `redis+cluster://` or `redis+sentinel://`",
            ));
        }
    };
    let port = port.unwrap_or(PORT);
    let endpoint = Endpoint::Tcp { host, port };
    Ok((endpoint, Shape::Single, database(uri, &uri.path)?))
}

fn cluster(scheme: &str, uri: &Uri) -> Result<(Endpoint, Shape, i64), TargetError> {
    let (first, more) = seeds(scheme, uri, PORT)?;
    Ok((first, Shape::Cluster { more }, database(uri, &uri.path)?))
}

fn sentinel(scheme: &str, uri: &Uri) -> Result<(Endpoint, Shape, i64), TargetError> {
    let (first, more) = seeds(scheme, uri, SENTINEL_PORT)?;
    let (master, path) = uri.path.split_once('/').unwrap_or((&uri.path, ""));
    if master.is_empty() {
        return Err(TargetError::with_hint(
            "the name of the master is missing",
            "write `redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE`",
        ));
    }
    let master = master.to_owned();
    let shape = Shape::Sentinel { more, master };
    Ok((first, shape, database(uri, path)?))
}

/// The variable that sentinels' own password is taken from: a URL keeps the server's.
pub const SENTINEL_PASSWORD: &str = "IDEMSCOPE_SENTINEL_PASSWORD";

fn sentinel_login(uri: &Uri) -> Option<SentinelLogin> {
    let password = env::var(SENTINEL_PASSWORD).map(Secret::new)?;
    let user = uri.param("sentinel_user").map(str::to_owned);
    Some(SentinelLogin { user, password })
}

fn seeds(scheme: &str, uri: &Uri, port: u16) -> Result<(Endpoint, Vec<Endpoint>), TargetError> {
    if uri.hosts.len() > SEEDS_MAX {
        let text = format!("`{scheme}://` names more than {SEEDS_MAX} nodes");
        return Err(TargetError::new(text));
    }
    let mut all = uri.hosts.iter().map(|(host, own)| Endpoint::Tcp {
        host: host.clone(),
        port: own.unwrap_or(port),
    });
    match all.next() {
        Some(first) => Ok((first, all.collect())),
        None => Err(TargetError::new(format!("`{scheme}://` names no node"))),
    }
}
