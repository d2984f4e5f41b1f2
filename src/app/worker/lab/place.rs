//! The open store as a place for the lab: its own key prefix or schema, nothing else in it.
//!
//! Apart from `lab` because it turns a target into the URL that a shop in another process needs.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::worker::stores::{self, Slot};
use crate::lab::shop::StoreChoice;
use crate::stores::target::{
    Endpoint, EngineTarget, PostgresTarget, RedisTarget, Shape, SslMode, socket_of,
};

/// Errors: the store is not open, or a shop could not reach it as this window does; a sentence.
pub fn place(slot: &Slot) -> Result<StoreChoice, String> {
    let (_, target, _) = stores::place(slot).ok_or("the store is not open any more")?;
    if target.ssh.is_some() {
        return Err("the lab's shop does not reach a store through SSH".to_owned());
    }
    match &target.engine {
        EngineTarget::Redis(redis) => Ok(StoreChoice::Redis {
            url: redis_url(redis)?,
            prefix: "lab-shop".to_owned(),
        }),
        EngineTarget::Postgres(postgres) => Ok(StoreChoice::Postgres {
            url: postgres_url(postgres)?,
            schema: "idemscope_lab".to_owned(),
        }),
        EngineTarget::Sqlite(_) => Err("the lab has a file of its own".to_owned()),
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn login(user: &str, password: Option<&str>) -> String {
    match (user, password) {
        ("", None) => String::new(),
        (user, None) => format!("{}@", encoded(user)),
        (user, Some(password)) => format!("{}:{}@", encoded(user), encoded(password)),
    }
}

fn redis_url(redis: &RedisTarget) -> Result<String, String> {
    let user = redis.user.as_deref().unwrap_or_default();
    let login = login(
        user,
        redis.password.as_ref().map(|password| password.reveal()),
    );
    if redis.shape != Shape::Single {
        return Err("the lab works on one server, not on a cluster or behind sentinels".to_owned());
    }
    match (&redis.endpoint, &redis.tls) {
        (Endpoint::Tcp { .. }, None) => {
            let (endpoint, database) = (&redis.endpoint, redis.database);
            Ok(format!("redis://{login}{endpoint}/{database}"))
        }
        _ => Err("the lab reaches Redis over plain TCP only".to_owned()),
    }
}

fn postgres_url(postgres: &PostgresTarget) -> Result<String, String> {
    let password = postgres.password_of(0).map(|password| password.reveal());
    let login = login(&postgres.user, password);
    let database = encoded(&postgres.database);
    let is_plain = matches!(
        postgres.ssl,
        SslMode::Disable | SslMode::Allow | SslMode::Prefer
    );
    if !postgres.more.is_empty() {
        return Err("the lab works on one server, not on the first of several".to_owned());
    }
    match &postgres.endpoint {
        Endpoint::Tcp { port, .. } if is_plain => {
            let address = postgres.address_of(0).map(|address| Endpoint::Tcp {
                host: address.to_string(),
                port: *port,
            });
            let place = address.as_ref().unwrap_or(&postgres.endpoint);
            Ok(format!("postgres://{login}{place}/{database}"))
        }
        Endpoint::Unix(socket) => {
            let (folder, port) = socket_of(socket);
            let folder = encoded(&folder.display().to_string());
            Ok(format!(
                "postgres://{login}localhost:{port}/{database}?host={folder}"
            ))
        }
        Endpoint::Tcp { .. } => Err("the lab reaches PostgreSQL without TLS only".to_owned()),
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
            postgres_url(&target).as_deref(),
            Ok("postgres://app:p%20w%2F1@localhost:5433/lab?host=%2Frun%2Fpg")
        );
    }
}
