//! What one line does to the others, against a host that answers some of them never.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::{PrivateKey, PublicKey};
use russh::server::{self, Auth, ChannelOpenHandle};
use russh::{Channel, SshId};
use tokio::net::TcpListener;

use super::*;
use crate::domain::Secret;
use crate::stores::target::{HostKeys, KeyOrigin, SshKey};

/// A port that nothing answers at, and one that is reached.
const DEAD: u16 = 1;
const ALIVE: u16 = 2;

/// A host that takes any key.
#[derive(Clone, Default)]
struct Host {
    sessions: Arc<AtomicUsize>,
    /// Questions that are never answered.
    kept: Arc<std::sync::Mutex<Vec<ChannelOpenHandle>>>,
}

impl server::Handler for Host {
    type Error = russh::Error;

    async fn auth_publickey(&mut self, _: &str, _: &PublicKey) -> Result<Auth, russh::Error> {
        self.sessions.fetch_add(1, Ordering::SeqCst);
        Ok(Auth::Accept)
    }

    async fn channel_open_direct_tcpip(
        &mut self,
        _: Channel<server::Msg>,
        _: &str,
        port: u32,
        _: &str,
        _: u32,
        reply: ChannelOpenHandle,
        _: &mut server::Session,
    ) -> Result<(), russh::Error> {
        match port == u32::from(DEAD) {
            true => self.kept.lock().expect("no panic").push(reply),
            false => reply.accept().await,
        }
        Ok(())
    }
}

fn key_of(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

/// A host, and the way to it.
async fn way(folder: &std::path::Path, host: Host) -> Tunnel {
    let key = key_of(1);
    let known = key.public_key().to_openssh().expect("a line");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("a port").port();
    std::fs::write(
        folder.join("known_hosts"),
        format!("[127.0.0.1]:{port} {known}\n"),
    )
    .expect("a file");
    let config = Arc::new(server::Config {
        keys: vec![key],
        server_id: SshId::Standard("SSH-2.0-test".into()),
        ..server::Config::default()
    });
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (config, host) = (Arc::clone(&config), host.clone());
            tokio::spawn(async move {
                if let Ok(session) = server::run_stream(config, stream, host).await {
                    let _ = session.await;
                }
            });
        }
    });
    let text = key_of(2).to_openssh(LineEnding::LF).expect("a text");
    let hop = Hop {
        name: "host".to_owned(),
        host: "127.0.0.1".to_owned(),
        port,
        user: "ada".to_owned(),
        agent: None,
        host_keys: HostKeys {
            files: vec![folder.join("known_hosts")],
            ..HostKeys::default()
        },
        keys: vec![SshKey {
            path: PathBuf::from("id"),
            origin: KeyOrigin::Named,
            text: Secret::new(text.as_str()),
            public: None,
            passphrase: None,
        }],
        only_these_keys: true,
    };
    Tunnel::new(Ssh { hops: vec![hop] }, Duration::from_secs(20))
}

fn endpoint(port: u16) -> Endpoint {
    Endpoint::Tcp {
        host: "db".to_owned(),
        port,
    }
}

#[tokio::test]
async fn a_server_that_is_gone_keeps_nobody_else_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let host = Host::default();
    let tunnel = Arc::new(way(folder.path(), host.clone()).await);
    // Whoever comes first signs in for all.
    let (first, second) = (endpoint(ALIVE), endpoint(ALIVE));
    let (first, second) = tokio::join!(tunnel.dial(&first), tunnel.dial(&second));
    assert!(first.is_ok() && second.is_ok());
    let waiting = {
        let tunnel = Arc::clone(&tunnel);
        tokio::spawn(async move { tunnel.dial(&endpoint(DEAD)).await.is_ok() })
    };
    while host.kept.lock().expect("no panic").is_empty() {
        tokio::task::yield_now().await;
    }
    let other = tokio::time::timeout(Duration::from_secs(10), tunnel.dial(&endpoint(ALIVE))).await;
    assert!(other.expect("it is not kept waiting").is_ok());
    assert!(!waiting.is_finished());
    assert_eq!(host.sessions.load(Ordering::SeqCst), 1);
    // Refused in the end; the session stays for the others.
    host.kept.lock().expect("no panic").clear();
    assert!(!waiting.await.expect("an answer"));
    assert!(tunnel.dial(&endpoint(ALIVE)).await.is_ok());
    assert_eq!(host.sessions.load(Ordering::SeqCst), 1);
}
