//! A store of somebody's as a place for the lab: its own key prefix or schema, nothing else in it.
//!
//! Apart from `place` because it turns a target into the URL that a shop in another process needs, and
//! lays a way where that process could not find it.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::lab::shop::StoreChoice;
use crate::stores::Target;
use crate::stores::lane::{Lane, login, socket_url};
use crate::stores::target::{Endpoint, EngineTarget, PostgresTarget, RedisTarget, Shape, SslMode};

/// What keys of the lab begin with.
const PREFIX: &str = "lab-shop";
/// The same where all of them have to be at one node.
const PREFIX_OF_A_SLOT: &str = "{lab-shop}";

/// Where a shop keeps its records.
#[derive(Clone, Debug)]
pub struct Ground {
    pub store: StoreChoice,
    /// The way there, open as long as this is held.
    pub lane: Option<Arc<Lane>>,
}

impl Ground {
    /// Errors: the server is not reached, or a file is meant; a sentence.
    pub async fn at(target: &Target) -> Result<Ground, String> {
        match &target.engine {
            EngineTarget::Redis(redis) => at_keys(target, redis).await,
            EngineTarget::Postgres(pg) => at_rows(target, pg).await,
            EngineTarget::Sqlite(_) => Err("the lab has a file of its own".to_owned()),
        }
    }
}

async fn at_keys(target: &Target, redis: &RedisTarget) -> Result<Ground, String> {
    let prefix = match redis.shape {
        Shape::Cluster { .. } => PREFIX_OF_A_SLOT,
        Shape::Single | Shape::Sentinel { .. } => PREFIX,
    };
    let of = |url: String, lane| Ground {
        store: StoreChoice::Redis {
            url,
            prefix: prefix.to_owned(),
        },
        lane,
    };
    if let Some(url) = plain_redis(redis).filter(|_| target.ssh.is_none()) {
        return Ok(of(url, None));
    }
    let lane = Lane::open(target, prefix).await;
    let lane = lane.map_err(|error| error.text)?;
    Ok(of(lane.url().to_owned(), Some(Arc::new(lane))))
}

async fn at_rows(target: &Target, pg: &PostgresTarget) -> Result<Ground, String> {
    let of = |url: String, lane| Ground {
        store: StoreChoice::Postgres {
            url,
            schema: "idemscope_lab".to_owned(),
        },
        lane,
    };
    if let Some(url) = plain_postgres(pg).filter(|_| target.ssh.is_none()) {
        return Ok(of(url, None));
    }
    let lane = Lane::open(target, "").await.map_err(|error| error.text)?;
    Ok(of(lane.url().to_owned(), Some(Arc::new(lane))))
}

/// The server's own URL, where any library finds it.
fn plain_redis(redis: &RedisTarget) -> Option<String> {
    let is_plain = redis.tls.is_none() && redis.shape == Shape::Single;
    let password = redis.password.as_ref().map(|password| password.reveal());
    let login = login(redis.user.as_deref().unwrap_or_default(), password);
    match &redis.endpoint {
        Endpoint::Tcp { .. } if is_plain => Some(format!(
            "redis://{login}{}/{}",
            redis.endpoint, redis.database
        )),
        _ => None,
    }
}

fn plain_postgres(pg: &PostgresTarget) -> Option<String> {
    let is_plain = matches!(pg.ssl, SslMode::Disable | SslMode::Allow | SslMode::Prefer);
    match &pg.endpoint {
        _ if !pg.more.is_empty() || pg.address_of(0).is_some() => None,
        Endpoint::Unix(socket) => Some(socket_url(pg, socket)),
        Endpoint::Tcp { .. } if is_plain => {
            let password = pg.password_of(0).map(|password| password.reveal());
            let login = login(&pg.user, password);
            let database = utf8_percent_encode(&pg.database, NON_ALPHANUMERIC);
            Some(format!("postgres://{login}{}/{database}", pg.endpoint))
        }
        Endpoint::Tcp { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Secret;
    use crate::stores::target::{SessionAttrs, Tls};

    #[test]
    fn a_socket_is_a_folder_and_a_port() {
        let target = PostgresTarget {
            endpoint: Endpoint::Unix("/run/pg/.s.PGSQL.5433".into()),
            user: "app".to_owned(),
            password: Some(Secret::new("p w/1".to_owned())),
            more: Vec::new(),
            singly: Vec::new(),
            attrs: SessionAttrs::Any,
            renewal: None,
            database: "lab".to_owned(),
            ssl: SslMode::Prefer,
            tls: Tls::default(),
            application: String::new(),
            options: Vec::new(),
        };
        assert_eq!(
            plain_postgres(&target).as_deref(),
            Some("postgres://app:p%20w%2F1@%2Frun%2Fpg:5433/lab?sslmode=disable")
        );
    }
}
