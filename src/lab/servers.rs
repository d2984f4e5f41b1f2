//! Private servers that the lab starts for scenarios whose point is the server itself.
//!
//! They listen on loopback, keep their data in a folder of their own, and end with this process,
//! however it ends: a small shell holds each and ends it when the pipe from here is closed.
//! Nothing is installed: where a program is not here, that is said.

mod held;
mod postgres;
mod redis;

use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::TcpListener;
use tokio::sync::OnceCell;

use super::run::NotRun;
use super::scenario::OwnServer;
use postgres::PrivatePostgres;

pub use redis::PrivateRedis;

/// Starts servers; those that are shared end when this is dropped.
#[derive(Debug)]
pub struct Servers {
    postgres: OnceCell<Result<PrivatePostgres, NotRun>>,
}

impl Default for Servers {
    fn default() -> Servers {
        Servers::new()
    }
}

impl Servers {
    pub fn new() -> Servers {
        held::sweep();
        Servers {
            postgres: OnceCell::new(),
        }
    }

    /// A Redis of a variant's own.
    ///
    /// Errors: it is not installed, or does not start.
    pub async fn redis(&self, server: &OwnServer) -> Result<PrivateRedis, NotRun> {
        PrivateRedis::start(redis::arguments(server)).await
    }

    /// A Redis that follows another.
    ///
    /// Errors: as [`Servers::redis`].
    pub async fn replica(
        &self,
        server: &OwnServer,
        of: SocketAddr,
    ) -> Result<PrivateRedis, NotRun> {
        let mut arguments = redis::arguments(server);
        let port = of.port().to_string();
        arguments.extend(["--replicaof".to_owned(), of.ip().to_string(), port]);
        PrivateRedis::start(arguments).await
    }

    /// The URL of a PostgreSQL that all variants share, started when it is first asked for.
    ///
    /// Errors: it is not installed, or does not start.
    pub async fn postgres(&self) -> Result<String, NotRun> {
        let started = self.postgres.get_or_init(PrivatePostgres::start).await;
        started
            .as_ref()
            .map(PrivatePostgres::url)
            .map_err(Clone::clone)
    }
}

/// A port that was free a moment ago. Another process may take it: try again then.
async fn free_port() -> Result<u16, NotRun> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let address = listener.and_then(|listener| listener.local_addr());
    let address = address.map_err(|error| NotRun::Failed(format!("no port is free: {error}")))?;
    Ok(address.port())
}

fn missing(program: &str) -> NotRun {
    NotRun::Missing(format!("`{program}` is not installed here"))
}
