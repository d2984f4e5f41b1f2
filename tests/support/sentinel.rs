//! A primary, two replicas and three sentinels, for one test.
//!
//! Apart from `redis` because they watch each other. Invariant: handed out when every sentinel knows
//! the primary, both replicas and the other sentinels.

use redis::{Client, Connection};

use super::cluster::info;
use super::process::{Folder, Process, Signal, User, free_port, program, wait_for};
use super::redis as server;

pub const MASTER: &str = "mymaster";
/// A silent server is taken for dead after this; machines under load are silent for a while.
const DOWN_MS: u32 = 1500;

pub struct Watched {
    /// The first is the primary in the beginning.
    pub servers: Vec<server::Server>,
    sentinels: Vec<Sentinel>,
}

struct Sentinel {
    _process: Process,
    port: u16,
    _folder: Folder,
}

impl Watched {
    pub fn start() -> Watched {
        let primary = server::Server::options()
            .args(&["--repl-diskless-sync", "no"])
            .start();
        let port = primary.port().to_string();
        let follower = || {
            server::Server::options()
                .args(&["--replicaof", "127.0.0.1", &port])
                .args(&["--repl-diskless-sync", "no"])
                .start()
        };
        let (first, second) = (follower(), follower());
        let sentinels = (0..3).map(|_| Sentinel::start(&port)).collect();
        let watched = Watched {
            servers: vec![primary, first, second],
            sentinels,
        };
        watched.until_known();
        watched
    }

    fn until_known(&self) {
        wait_for("the replicas to follow", || {
            let linked = self.servers.iter().filter(|server| {
                let told = info(server, "replication");
                told.contains("role:slave") && told.contains("master_link_status:up")
            });
            (linked.count() == 2).then_some(())
        });
        wait_for("the sentinels to know each other", || {
            let knows = |sentinel: &Sentinel| {
                let told = info_at(sentinel.port);
                told.contains("slaves=2") && told.contains("sentinels=3")
            };
            self.sentinels.iter().all(knows).then_some(())
        });
    }

    pub fn url(&self) -> String {
        let ports = self.sentinels.iter().map(|sentinel| sentinel.port);
        let places: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        format!("redis+sentinel://{}/{MASTER}", places.join(","))
    }

    /// The server that calls itself the primary, and runs.
    pub fn primary(&self) -> usize {
        wait_for("a primary", || {
            self.servers.iter().position(|server| {
                server.is_running() && info(server, "replication").contains("role:master")
            })
        })
    }

    /// Ends the primary as a crash would, and waits for another one.
    pub fn fail_over(&self) -> usize {
        let old = self.primary();
        self.servers[old].kill();
        wait_for("the sentinels to agree on another primary", || {
            let new = self.primary();
            let port = self.servers[new].port().to_string();
            let names = |sentinel: &Sentinel| address_at(sentinel.port).as_deref() == Some(&port);
            (new != old && self.sentinels.iter().all(names)).then_some(new)
        })
    }
}

impl Sentinel {
    fn start(primary: &str) -> Sentinel {
        let (folder, port) = (Folder::new(), free_port());
        let text = format!(
            "port {port}\nbind 127.0.0.1\ndir {}\nsentinel monitor {MASTER} 127.0.0.1 {primary} 2\n\
             sentinel down-after-milliseconds {MASTER} {DOWN_MS}\n\
             sentinel failover-timeout {MASTER} 5000\n",
            folder.path().display()
        );
        let config = folder.write("sentinel.conf", &text).display().to_string();
        let path = program("redis-server", &[]).expect("`redis-server` is needed: see tests/run");
        let words = [path.display().to_string(), config, "--sentinel".to_owned()];
        let log = folder.join("log");
        let process = Process::start(&words, &User::Same, Signal::Terminate, &log);
        wait_for("a sentinel to answer", || connection(port));
        Sentinel {
            _process: process,
            port,
            _folder: folder,
        }
    }
}

fn connection(port: u16) -> Option<Connection> {
    let client = Client::open(format!("redis://127.0.0.1:{port}")).ok()?;
    client.get_connection().ok()
}

fn info_at(port: u16) -> String {
    let told = connection(port).map(|mut connection| {
        redis::cmd("INFO")
            .arg("sentinel")
            .query(&mut connection)
            .unwrap_or_default()
    });
    told.unwrap_or_default()
}

/// The port of the primary that a sentinel names.
fn address_at(port: u16) -> Option<String> {
    let mut connection = connection(port)?;
    let mut ask = redis::cmd("SENTINEL");
    ask.arg("GET-MASTER-ADDR-BY-NAME").arg(MASTER);
    let told: Vec<String> = ask.query(&mut connection).ok()?;
    told.into_iter().nth(1)
}
