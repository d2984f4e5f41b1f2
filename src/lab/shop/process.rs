//! A shop, or a part beside it, in a process of its own: the same program, started once more.
//!
//! Invariant: the child ends with its parent: it reads its configuration from a pipe that the parent
//! holds open, and stops when that is closed.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};

use tokio::net::TcpListener;

use super::app::router;
use super::config::ShopConfig;
use super::log;
use super::store::ShopStore;
use crate::lab::parts::{self, PartConfig};

/// The hidden command that the child is started with.
pub const COMMAND: &str = "lab-shop";

/// A running shop. It is killed when this is dropped.
#[derive(Debug)]
pub struct ShopProcess {
    child: Child,
    pub address: SocketAddr,
}

impl ShopProcess {
    /// Starts a part and waits until it says that it is ready. It is ended when this is given up.
    ///
    /// Errors: it could not be started, or said why it cannot serve.
    pub async fn start(
        program: &std::path::Path,
        config: &PartConfig,
    ) -> Result<ShopProcess, String> {
        let what = config.name();
        let mut process = ShopProcess::spawn(program, config)
            .map_err(|error| format!("the {what} could not be started: {error}"))?;
        let pipe = process.child.stdout.take();
        let read = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            // A part that ends without a word has said nothing.
            let _ = pipe.map(|pipe| BufReader::new(pipe).read_line(&mut line));
            line
        });
        let line = read.await.map_err(|error| error.to_string())?;
        match line.trim().strip_prefix("listening ").map(str::parse) {
            Some(Ok(address)) => {
                process.address = address;
                Ok(process)
            }
            _ => Err(format!("the {what} does not serve: {}", line.trim())),
        }
    }

    fn spawn(program: &std::path::Path, config: &PartConfig) -> std::io::Result<ShopProcess> {
        let text = serde_json::to_string(config)?;
        let child = Command::new(program)
            .arg(COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut process = ShopProcess {
            child,
            address: (Ipv4Addr::LOCALHOST, 0).into(),
        };
        if let Some(pipe) = process.child.stdin.as_mut() {
            writeln!(pipe, "{text}")?;
            pipe.flush()?;
        }
        Ok(process)
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Whether it has crashed, or was killed.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for ShopProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The child's side: reads its configuration, listens, says where, and serves until the pipe ends.
///
/// Errors: a sentence for the parent.
pub async fn serve(
    lines: &mut (impl BufRead + Send),
    say: impl FnOnce(SocketAddr),
) -> Result<(), String> {
    let mut text = String::new();
    lines
        .read_line(&mut text)
        .map_err(|error| error.to_string())?;
    let config: PartConfig = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match config {
        PartConfig::Shop(config) => serve_shop(&config, say).await,
        PartConfig::Relay(config) => {
            say(config.outside);
            parts::relay(config).await
        }
        PartConfig::Consumer(config) => {
            say(config.outside);
            parts::consumer(config).await
        }
    }
}

async fn serve_shop(config: &ShopConfig, say: impl FnOnce(SocketAddr)) -> Result<(), String> {
    let opened = ShopStore::open(&config.store, &config.switches, config.lookers).await;
    let store = opened.map_err(|error| error.to_string())?;
    let warmed = store.warm(config.crowd).await;
    warmed.map_err(|error| error.to_string())?;
    let log = log::open(config).await.map_err(|error| error.to_string())?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port))
        .await
        .map_err(|error| format!("port {} cannot be had: {error}", config.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    say(address);
    let router = router(config, store, log);
    axum::serve(listener, router)
        .await
        .map_err(|error| error.to_string())
}
