//! Redis URLs.

use std::path::PathBuf;

use super::target::TargetError;
use super::uri;
use crate::domain::Secret;
use crate::stores::target::{Endpoint, RedisTarget, Tls};

/// `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`, `rediss://` alike, `redis+unix:///PATH`.
pub fn parse(scheme: &str, rest: &str, tls: Tls) -> Result<RedisTarget, TargetError> {
    let uri = uri::parse(rest).map_err(TargetError::new)?;
    let number = |text: &str| {
        text.parse::<i64>()
            .ok()
            .filter(|number| *number >= 0)
            .ok_or_else(|| TargetError::new(format!("`{text}` is no database number")))
    };
    let param = |name: &str| uri.param(name).map(number).transpose();
    let (endpoint, database) = if scheme == "redis+unix" {
        let path = PathBuf::from(format!("/{}", uri.path));
        (Endpoint::Unix(path), param("db")?.unwrap_or(0))
    } else {
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
        let database = match uri.path.as_str() {
            "" => param("db")?.unwrap_or(0),
            path => number(path.trim_end_matches('/'))?,
        };
        (
            Endpoint::Tcp {
                host,
                port: port.unwrap_or(6379),
            },
            database,
        )
    };
    let encrypted = matches!(scheme, "rediss" | "valkeys" | "redis+tls");
    Ok(RedisTarget {
        endpoint,
        tls: encrypted.then_some(tls),
        database,
        user: uri.user.clone(),
        password: uri.password.clone().map(Secret::new),
    })
}

/// Checks the address of a cluster or of sentinels.
pub fn check_nodes(scheme: &str, rest: &str) -> Result<(), TargetError> {
    let uri = uri::parse(rest).map_err(TargetError::new)?;
    if uri.hosts.is_empty() {
        return Err(TargetError::new(format!("`{scheme}://` names no node")));
    }
    if scheme == "redis+sentinel" && uri.path.is_empty() {
        return Err(TargetError::with_hint(
            "the name of the master is missing",
            "write `redis+sentinel://HOST:PORT,HOST:PORT/MASTER/DATABASE`",
        ));
    }
    Ok(())
}
