//! The line to a server: TCP, a socket, or a way through SSH; in TLS or not.
//!
//! Apart from the engines because all of them need the same line, and because a library that dials by
//! itself knows neither tunnels nor the name that a certificate must have.
//! Invariants: nothing waits longer than the time-out; a line that is dead without a word is noticed
//! by probes.

pub mod bridge;
pub mod ssh;
pub mod tls;

use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::target::{Endpoint, Ssh};
use super::{StoreError, StoreErrorKind};
use ssh::Tunnel;

/// A line that lay idle so long is probed.
const IDLE: Duration = Duration::from_secs(10);
const PROBE: Duration = Duration::from_secs(5);
/// So many probes without an answer, and it is dead.
const PROBES: u32 = 3;

/// Bytes in both directions.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// How servers are reached.
#[derive(Clone)]
pub struct Wire {
    tunnel: Option<Arc<Tunnel>>,
    timeout: Duration,
}

impl Wire {
    pub fn new(ssh: Option<&Ssh>, timeout: Duration) -> Wire {
        Wire {
            tunnel: ssh.map(|ssh| Arc::new(Tunnel::new(ssh.clone(), timeout))),
            timeout,
        }
    }

    pub fn is_tunnelled(&self) -> bool {
        self.tunnel.is_some()
    }

    /// Opens a line to a server, which has not said anything yet.
    ///
    /// Errors: nobody answers there, or the way is not to be trusted; never longer than the time-out.
    pub async fn dial(&self, endpoint: &Endpoint) -> Result<Box<dyn Stream>, StoreError> {
        let dialling = self.dial_now(endpoint);
        match tokio::time::timeout(self.timeout, dialling).await {
            Ok(done) => done,
            Err(_) => {
                let secs = self.timeout.as_secs_f32();
                let text = format!("{endpoint} gave no answer within {secs} s");
                Err(StoreError::new(StoreErrorKind::TimedOut, text))
            }
        }
    }

    async fn dial_now(&self, endpoint: &Endpoint) -> Result<Box<dyn Stream>, StoreError> {
        if let Some(tunnel) = &self.tunnel {
            return tunnel.dial(endpoint).await;
        }
        let unreachable = |error: std::io::Error| {
            let text = format!("{endpoint} cannot be reached: {error}");
            StoreError::new(StoreErrorKind::Unreachable, text)
        };
        match endpoint {
            Endpoint::Tcp { host, port } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await;
                let stream = stream.map_err(unreachable)?;
                settle(&stream);
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Endpoint::Unix(path) => {
                let stream = tokio::net::UnixStream::connect(path).await;
                Ok(Box::new(stream.map_err(unreachable)?))
            }
            #[cfg(not(unix))]
            Endpoint::Unix(_) => {
                let text = format!("{endpoint} is a socket, which this system does not have");
                Err(StoreError::new(StoreErrorKind::Unsupported, text))
            }
        }
    }
}

/// Sends small questions at once, and probes a silent line. What cannot be set is done without.
pub fn settle(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let probes = TcpKeepalive::new()
        .with_time(IDLE)
        .with_interval(PROBE)
        .with_retries(PROBES);
    let _ = SockRef::from(stream).set_tcp_keepalive(&probes);
}
