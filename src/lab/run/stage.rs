//! Where a variant plays: the store that the bench has, or servers that are started for it.
//!
//! Servers of a variant's own stand behind gates, so that they can be down, late or replaced for the
//! shop alone.

use std::net::SocketAddr;

use super::{Bench, NotRun};
use crate::lab::proxy::gate::Gate;
use crate::lab::scenario::{OwnServer, Scenario, StoreKind, Variant};
use crate::lab::servers::PrivateRedis;
use crate::lab::shop::{Both, Decides, StoreChoice};

/// The store of one run, and what of it can be moved.
pub struct Stage {
    pub store: StoreChoice,
    pub own: Option<Own>,
}

/// Servers of this run only, ended with it.
pub struct Own {
    pub redis: PrivateRedis,
    pub replica: Option<Replica>,
    /// In front of Redis.
    pub gate: Gate,
    /// In front of PostgreSQL, where it is in use.
    pub postgres_gate: Option<Gate>,
    pub decides: Option<Decides>,
}

/// A replica, and the late way to it.
pub struct Replica {
    pub redis: PrivateRedis,
    pub way: Gate,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Stage {
    /// Errors: the records may not stand where the bench has them, or a server is not installed or
    /// does not start.
    pub async fn set(
        bench: &Bench,
        scenario: &Scenario,
        variant: &Variant,
    ) -> Result<Stage, NotRun> {
        if let Some(server) = &variant.server {
            return Stage::own(bench, server).await;
        }
        let allowed = scenario.stores_of(variant);
        let fits = StoreKind::of(&bench.store).is_some_and(|kind| allowed.contains(&kind));
        match fits {
            true => Ok(Stage {
                store: bench.store.clone(),
                own: None,
            }),
            false => {
                let names: Vec<&str> = allowed.iter().map(|kind| kind.name()).collect();
                Err(NotRun::OtherStore(names.join(" or ")))
            }
        }
    }

    /// Whatever was shut lets everything through again.
    pub fn open(&self) {
        if let Some(own) = &self.own {
            own.gate.open();
            own.postgres_gate.iter().for_each(Gate::open);
        }
    }

    async fn own(bench: &Bench, server: &OwnServer) -> Result<Stage, NotRun> {
        // What is missing is said before anything is started.
        let postgres = match server.with_postgres {
            true => Some(postgres(bench).await?),
            false => None,
        };
        let redis = bench.servers.redis(server).await?;
        let gate = Gate::to(redis.address()).await.map_err(text)?;
        let replica = match server.has_replica {
            true => Some(replica(bench, server, &redis).await?),
            false => None,
        };
        let redis_url = format!("redis://{}", gate.address);
        let prefix = "lab-shop".to_owned();
        let (store, postgres_gate) = match postgres {
            None => {
                let url = redis_url;
                (StoreChoice::Redis { url, prefix }, None)
            }
            Some((url, schema)) => {
                let (url, gate) = gated(&url).await?;
                let both = Both {
                    redis_url,
                    prefix,
                    postgres_url: url,
                    schema,
                    decides: server.decides,
                };
                (StoreChoice::Both(Box::new(both)), Some(gate))
            }
        };
        Ok(Stage {
            store,
            own: Some(Own {
                redis,
                replica,
                gate,
                postgres_gate,
                decides: server.with_postgres.then_some(server.decides),
            }),
        })
    }
}

impl Own {
    /// The gate in front of the store that decides.
    pub fn deciding(&self) -> &Gate {
        match (&self.postgres_gate, self.decides) {
            (Some(gate), Some(Decides::Postgres)) => gate,
            _ => &self.gate,
        }
    }
}

/// The bench's PostgreSQL, or a private one, with a schema of this run.
async fn postgres(bench: &Bench) -> Result<(String, String), NotRun> {
    if let StoreChoice::Postgres { url, schema } = &bench.store
        && !is_socket(url)
    {
        return Ok((url.clone(), schema.clone()));
    }
    let url = bench.servers.postgres().await?;
    Ok((url, format!("idemscope_lab_{:08x}", fastrand::u32(..))))
}

/// There is no gate in front of a socket.
fn is_socket(url: &str) -> bool {
    let parsed = url::Url::parse(url);
    parsed.is_ok_and(|url| {
        let mut pairs = url.query_pairs();
        pairs.any(|(name, value)| name == "host" && value.starts_with('/'))
    })
}

/// The same URL through a gate.
async fn gated(url: &str) -> Result<(String, Gate), NotRun> {
    let mut through = url::Url::parse(url).map_err(text)?;
    let host = through.host_str().unwrap_or("localhost").to_owned();
    let port = through.port().unwrap_or(5432);
    let mut found = tokio::net::lookup_host((host.as_str(), port))
        .await
        .map_err(text)?;
    let to: SocketAddr = found
        .next()
        .ok_or_else(|| format!("{host} has no address"))?;
    let gate = Gate::to(to).await.map_err(text)?;
    let local = gate.address.ip().to_string();
    through.set_host(Some(&local)).map_err(text)?;
    let is_set = through.set_port(Some(gate.address.port()));
    is_set.map_err(|()| format!("{host}: no port can be named in this URL"))?;
    Ok((through.into(), gate))
}

async fn replica(
    bench: &Bench,
    server: &OwnServer,
    primary: &PrivateRedis,
) -> Result<Replica, NotRun> {
    let way = Gate::to(primary.address()).await.map_err(text)?;
    let redis = bench.servers.replica(server, way.address).await?;
    redis.follows(primary).await?;
    Ok(Replica { redis, way })
}
