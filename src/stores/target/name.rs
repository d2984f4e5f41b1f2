//! What a store is called: where it is and by which way, without a secret and without options.
//!
//! Apart from the targets because journals and plans hold these names: [`is_same_store`] reads them.
//!
//! [`is_same_store`]: super::is_same_store

use std::fmt;

use super::{Endpoint, EngineTarget, Shape, Target};

/// An address of IPv6 stands in brackets beside a port.
struct HostPort<'a>(&'a str, u16);

impl fmt::Display for HostPort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HostPort(host, port) = self;
        match host.contains(':') {
            true => write!(f, "[{host}]:{port}"),
            false => write!(f, "{host}:{port}"),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Tcp { host, port } => write!(f, "{}", HostPort(host, *port)),
            Endpoint::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// With the hosts that the way leads through: the same address behind another host is another server.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.engine)?;
        for (at, hop) in self.ssh.iter().flat_map(|ssh| &ssh.hops).enumerate() {
            let sign = if at == 0 { " through " } else { ", " };
            write!(f, "{sign}{}@{}", hop.user, HostPort(&hop.host, hop.port))?;
        }
        Ok(())
    }
}

impl fmt::Display for EngineTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineTarget::Redis(redis) => {
                let seeds: Vec<String> = redis.seeds().map(Endpoint::to_string).collect();
                write!(f, "{}://{}", redis.scheme(), seeds.join(","))?;
                if let Shape::Sentinel { master, .. } = &redis.shape {
                    write!(f, "/{master}")?;
                }
                if redis.database != 0 {
                    write!(f, "/{}", redis.database)?;
                }
                Ok(())
            }
            EngineTarget::Postgres(pg) => {
                let hosts = std::iter::once(&pg.endpoint).chain(&pg.more);
                let hosts: Vec<String> = hosts.map(Endpoint::to_string).collect();
                write!(f, "postgres://{}/{}", hosts.join(","), pg.database)
            }
            EngineTarget::Sqlite(sqlite) => match &sqlite.name {
                Some(name) => f.write_str(name),
                None => write!(f, "sqlite:{}", sqlite.path.display()),
            },
        }
    }
}
