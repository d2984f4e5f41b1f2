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

use super::postgres::lane as rows;
use super::redis::lane as keys;
use super::target::{EngineTarget, PostgresTarget, socket_of};
use super::wire::Stream;
use super::wire::bridge::{Folder, folder};
use super::{StoreError, StoreErrorKind, Target};

/// Open as long as this is held.
pub struct Lane {
    url: String,
    _socket: Socket,
}

impl std::fmt::Debug for Lane {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lane")
    }
}

/// Where lines of the socket end.
enum FarEnd {
    Keys(keys::FarEnd),
    Rows(rows::FarEnd),
}

impl FarEnd {
    async fn line(&self) -> Result<Box<dyn Stream>, StoreError> {
        match self {
            FarEnd::Keys(keys) => keys.line().await,
            FarEnd::Rows(rows) => rows.line().await,
        }
    }
}

impl Lane {
    /// In a cluster it leads to the node that has `key`, and to keys with the same slot.
    ///
    /// Errors: the server is not reached, or the socket cannot be made; a file has no server.
    pub async fn open(target: &Target, key: &str) -> Result<Lane, StoreError> {
        match &target.engine {
            EngineTarget::Redis(redis) => {
                let ssh = target.ssh.as_ref();
                let far = keys::FarEnd::new(redis, ssh, target.timeout, key).await?;
                // Whoever cannot be reached is told of here, and not by a line that ends.
                drop(far.line().await?);
                let socket = Socket::open(FarEnd::Keys(far), &target.scratch, "redis.sock");
                let socket = socket.map_err(|error| not_laid(&error))?;
                Ok(Lane {
                    url: format!("redis+unix://{}", socket.path.display()),
                    _socket: socket,
                })
            }
            EngineTarget::Postgres(pg) => {
                let far = rows::FarEnd::new(target, pg).await?;
                let own = far.target().clone();
                let socket = Socket::open(FarEnd::Rows(far), &target.scratch, ".s.PGSQL.5432");
                let socket = socket.map_err(|error| not_laid(&error))?;
                Ok(Lane {
                    url: socket_url(&own, &socket.path),
                    _socket: socket,
                })
            }
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

struct Socket {
    path: PathBuf,
    _folder: Folder,
    listening: JoinHandle<()>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Socket {
    fn open(far: FarEnd, scratch: &Path, name: &str) -> std::io::Result<Socket> {
        let folder = folder(scratch)?;
        let path = folder.0.join(name);
        let listener = UnixListener::bind(&path)?;
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
        Ok(Socket {
            path,
            _folder: folder,
            listening,
        })
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// As PostgreSQL's libraries read it, with the login of the target. A socket knows no TLS.
pub fn socket_url(pg: &PostgresTarget, socket: &Path) -> String {
    let (folder, port) = socket_of(socket);
    let folder = encoded(&folder.display().to_string());
    let login = login(&pg.user, pg.password_of(0).map(|secret| secret.reveal()));
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
