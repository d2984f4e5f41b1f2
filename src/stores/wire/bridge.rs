//! A socket of our own that leads to a PostgreSQL server through the wire.
//!
//! Apart from `wire` because the library for PostgreSQL dials by itself: it knows no tunnel, and no
//! name for a certificate but the host's. What greets through TLS here is plain on the socket, which
//! stands in a folder that only its owner can enter.
//! Invariants: the socket is gone with this; nothing of a login is looked at.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use super::tls::{Proof, TlsClient};
use super::{Stream, Wire};
use crate::stores::target::{Endpoint, PostgresTarget, Ssh, SslMode, Tls};
use crate::stores::{StoreError, StoreErrorKind};

/// What asks a server for TLS. Source: PostgreSQL manual, "Message Formats", `SSLRequest`.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// The port in the socket's name, which is no port.
const PORT: u16 = 5432;

/// Leads to one server.
pub struct Bridge {
    folder: PathBuf,
    listening: JoinHandle<()>,
    trouble: Arc<Mutex<Option<StoreError>>>,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.listening.abort();
        // The socket and its folder; what is not there any more is gone already.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What each line goes through.
#[derive(Clone)]
struct Way {
    wire: Wire,
    endpoint: Endpoint,
    mode: SslMode,
    tls: Tls,
    timeout: Duration,
}

/// Whether the library can dial by itself.
pub fn is_needed(target: &PostgresTarget, ssh: Option<&Ssh>) -> bool {
    ssh.is_some() || target.tls.server_name.is_some() && target.ssl != SslMode::Disable
}

impl Bridge {
    /// Listens in a new folder inside `scratch`.
    ///
    /// Errors: the socket cannot be made.
    pub fn start(
        target: &PostgresTarget,
        endpoint: &Endpoint,
        wire: Wire,
        scratch: &Path,
        timeout: Duration,
    ) -> Result<Bridge, StoreError> {
        let fail = |error: std::io::Error| {
            let text = format!("the way to {endpoint} cannot be laid: {error}");
            StoreError::new(StoreErrorKind::Unsupported, text)
        };
        let name = format!("way-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let folder = scratch.join(name);
        private_folder(&folder).map_err(fail)?;
        let listener = UnixListener::bind(folder.join(format!(".s.PGSQL.{PORT}")));
        let listener = listener.map_err(fail)?;
        let trouble = Arc::default();
        let way = Way {
            wire,
            endpoint: endpoint.clone(),
            mode: target.ssl,
            tls: target.tls.clone(),
            timeout,
        };
        let told = Arc::clone(&trouble);
        let listening = tokio::spawn(async move {
            while let Ok((line, _)) = listener.accept().await {
                tokio::spawn(lead(way.clone(), line, Arc::clone(&told)));
            }
        });
        Ok(Bridge {
            folder,
            listening,
            trouble,
        })
    }

    /// Where the library is to dial.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::Unix(self.folder.join(format!(".s.PGSQL.{PORT}")))
    }

    /// Why the last line was not led on; told once.
    pub fn trouble(&self) -> Option<StoreError> {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.take()
    }
}

/// A new folder that only its owner can enter.
pub fn private_folder(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

async fn lead(way: Way, mut line: UnixStream, trouble: Arc<Mutex<Option<StoreError>>>) {
    match far_end(&way).await {
        Ok(mut far) => {
            // Whoever closes first ends both.
            let _ = copy_bidirectional(&mut line, &mut far).await;
        }
        Err(error) => {
            // Before the line is dropped, which is all that the library sees.
            *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    }
}

async fn far_end(way: &Way) -> Result<Box<dyn Stream>, StoreError> {
    let line = way.wire.dial(&way.endpoint).await?;
    let greeting = greeted(way, line);
    match tokio::time::timeout(way.timeout, greeting).await {
        Ok(done) => done,
        Err(_) => {
            let secs = way.timeout.as_secs_f32();
            let text = format!("{} gave no answer within {secs} s", way.endpoint);
            Err(StoreError::new(StoreErrorKind::TimedOut, text))
        }
    }
}

async fn greeted(way: &Way, mut line: Box<dyn Stream>) -> Result<Box<dyn Stream>, StoreError> {
    let proof = match (way.mode, &way.tls.ca) {
        (SslMode::Disable | SslMode::Allow, _) => return Ok(line),
        (SslMode::Prefer, _) | (SslMode::Require, None) => Proof::None,
        // As libpq has it: with a CA at hand it is looked at.
        (SslMode::Require, Some(_)) | (SslMode::VerifyCa, _) => Proof::Ca,
        (SslMode::VerifyFull, _) => Proof::Full,
    };
    let endpoint = &way.endpoint;
    let lost = |error: std::io::Error| {
        let text = format!("{endpoint} closed the connection before the login: {error}");
        StoreError::new(StoreErrorKind::Unreachable, text)
    };
    line.write_all(&SSL_REQUEST).await.map_err(lost)?;
    match line.read_u8().await.map_err(lost)? {
        b'S' => {}
        b'N' if way.mode == SslMode::Prefer => return Ok(line),
        b'N' => {
            let text = format!("{endpoint} does not speak TLS, and `sslmode` wants it");
            return Err(StoreError::new(StoreErrorKind::Tls, text));
        }
        _ => {
            let text = format!("{endpoint} does not answer as PostgreSQL does");
            return Err(StoreError::new(StoreErrorKind::Protocol, text));
        }
    }
    let client = TlsClient::new(&way.tls, proof).map_err(|problem| {
        let text = format!("{endpoint} cannot be connected to: {problem}");
        StoreError::new(StoreErrorKind::Tls, text)
    })?;
    let host = match endpoint {
        Endpoint::Tcp { host, .. } => host.clone(),
        Endpoint::Unix(_) => "localhost".to_owned(),
    };
    let line = client.greet(line, &host, &endpoint.to_string()).await?;
    Ok(Box::new(line))
}
