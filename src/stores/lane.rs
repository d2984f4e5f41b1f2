//! A socket of our own that leads to the server of a target that takes changes, for a program that knows
//! a URL and no more: neither TLS with our rules, nor SSH, nor sentinels, nor a cluster.
//!
//! Apart from the read and the write half because what is sent there is not ours. Invariants: the socket
//! stands in a folder that only its owner can enter, and is gone with this; the login of Redis is made
//! here, so that the URL holds no secret of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::io::copy_bidirectional;
use tokio::net::UnixListener;
use tokio::task::JoinHandle;

use super::postgres::PostgresStore;
use super::redis::lane::FarEnd;
use super::target::{Endpoint, EngineTarget, PostgresTarget, RedisTarget, socket_of};
use super::wire::Wire;
use super::wire::bridge::{Bridge, private_folder};
use super::{StoreError, StoreErrorKind, Target};

/// Open as long as this is held.
pub struct Lane {
    url: String,
    _way: Way,
}

enum Way {
    Keys { _socket: Socket },
    Rows { _bridge: Bridge },
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lane")
    }
}

struct Socket {
    folder: PathBuf,
    listening: JoinHandle<()>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.listening.abort();
        // What is not there any more is gone already.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Lane {
    /// In a cluster it leads to the node that has `key`, and to keys with the same slot.
    ///
    /// Errors: the server is not reached, or the socket cannot be made; a file has no server.
    pub async fn open(target: &Target, key: &str) -> Result<Lane, StoreError> {
        match &target.engine {
            EngineTarget::Redis(redis) => to_keys(target, redis, key).await,
            EngineTarget::Postgres(pg) => to_rows(target, pg).await,
            EngineTarget::Sqlite(_) => Err(StoreError::new(
                StoreErrorKind::Unsupported,
                "a file has no server",
            )),
        }
    }

    /// How the store is opened through it.
    pub fn url(&self) -> &str {
        &self.url
    }
}

fn not_laid(error: &std::io::Error) -> StoreError {
    let text = format!("a way to the store cannot be laid: {error}");
    StoreError::new(StoreErrorKind::Unsupported, text)
}

async fn to_keys(target: &Target, redis: &RedisTarget, key: &str) -> Result<Lane, StoreError> {
    let far = FarEnd::new(redis, target.ssh.as_ref(), target.timeout, key).await?;
    // Whoever cannot be reached is told of here, and not by a line that ends.
    drop(far.line().await?);
    let name = format!("lane-{}-{:08x}", std::process::id(), fastrand::u32(..));
    let folder = target.scratch.join(name);
    private_folder(&folder).map_err(|error| not_laid(&error))?;
    let path = folder.join("redis.sock");
    let listener = UnixListener::bind(&path).map_err(|error| not_laid(&error))?;
    let far = Arc::new(far);
    let listening = tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let far = Arc::clone(&far);
            tokio::spawn(async move {
                // Where there is no way the near end sees its line end.
                if let Ok(mut line) = far.line().await {
                    let _ = copy_bidirectional(&mut near, &mut line).await;
                }
            });
        }
    });
    Ok(Lane {
        url: format!("redis+unix://{}", path.display()),
        _way: Way::Keys {
            _socket: Socket { folder, listening },
        },
    })
}

async fn to_rows(target: &Target, pg: &PostgresTarget) -> Result<Lane, StoreError> {
    let endpoint = takes_changes(target, pg).await?;
    let wire = Wire::new(target.ssh.as_ref(), target.timeout);
    let bridge = Bridge::start(pg, &endpoint, wire, &target.scratch, target.timeout)?;
    let Endpoint::Unix(socket) = bridge.endpoint() else {
        return Err(StoreError::new(
            StoreErrorKind::Unsupported,
            "the way to the store has no socket",
        ));
    };
    Ok(Lane {
        url: socket_url(pg, &socket),
        _way: Way::Rows { _bridge: bridge },
    })
}

/// Of several servers the one that takes changes now.
async fn takes_changes(target: &Target, pg: &PostgresTarget) -> Result<Endpoint, StoreError> {
    let mut first_error = None;
    for endpoint in std::iter::once(&pg.endpoint).chain(&pg.more) {
        let alone = PostgresTarget {
            endpoint: endpoint.clone(),
            more: Vec::new(),
            ..pg.for_changes()
        };
        match PostgresStore::open(target, &alone).await {
            Ok(_) => return Ok(endpoint.clone()),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error
        .unwrap_or_else(|| StoreError::new(StoreErrorKind::Unreachable, "no server is named")))
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// As PostgreSQL's libraries read it, with the login of the target. A socket knows no TLS.
pub fn socket_url(pg: &PostgresTarget, socket: &Path) -> String {
    let (folder, port) = socket_of(socket);
    let folder = encoded(&folder.display().to_string());
    let login = login(&pg.user, pg.password.as_ref().map(|secret| secret.reveal()));
    let database = encoded(&pg.database);
    format!("postgres://{login}{folder}:{port}/{database}?sslmode=disable")
}

/// Name and password before the host.
pub fn login(user: &str, password: Option<&str>) -> String {
    match (user, password) {
        ("", None) => String::new(),
        (user, None) => format!("{}@", encoded(user)),
        (user, Some(password)) => format!("{}:{}@", encoded(user), encoded(password)),
    }
}
