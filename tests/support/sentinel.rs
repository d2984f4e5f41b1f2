//! A primary, two replicas and three sentinels, for one test.
//!
//! Apart from `redis` because they watch each other. Invariant: handed out when every sentinel knows
//! the primary, both replicas and the other sentinels.

use std::path::{Path, PathBuf};

use redis::{Client, Connection};

use super::cluster::info;
use super::process::{Folder, Process, Signal, User, free_port, program, wait_for};
use super::redis as server;
use super::tls;

pub const MASTER: &str = "mymaster";
/// A silent server is taken for dead after this; machines under load are silent for a while.
const DOWN_MS: u32 = 1500;

pub struct Watched {
    /// The first is the primary in the beginning.
    pub servers: Vec<server::Server>,
    sentinels: Vec<Sentinel>,
    is_encrypted: bool,
}

struct Sentinel {
    _process: Process,
    port: u16,
    folder: Folder,
    password: Option<String>,
}

/// What sentinels and servers are started with.
#[derive(Clone, Default)]
pub struct Options {
    failover_ms: Option<u32>,
    /// Of the sentinels alone.
    password: Option<String>,
    tls: Option<(tls::Identity, PathBuf)>,
}

impl Options {
    /// They may fail over again soon after they did.
    pub fn quick(mut self) -> Options {
        self.failover_ms = Some(1_500);
        self
    }

    /// The sentinels ask for this password, and the servers do not.
    pub fn sentinel_password(mut self, password: &str) -> Options {
        self.password = Some(password.to_owned());
        self
    }

    /// All speak TLS and nothing else.
    pub fn tls(mut self, identity: &tls::Identity, ca: &Path) -> Options {
        self.tls = Some((identity.clone(), ca.to_owned()));
        self
    }

    fn server(&self) -> server::Options {
        let options = server::Server::options().args(&["--repl-diskless-sync", "no"]);
        match &self.tls {
            None => options,
            Some((identity, ca)) => options
                .tls_trusting(identity, ca)
                .args(&["--tls-replication", "yes"]),
        }
    }

    pub fn start(&self) -> Watched {
        let primary = self.server().start();
        let port = primary.port().to_string();
        let follower = || {
            self.server()
                .args(&["--replicaof", "127.0.0.1", &port])
                .start()
        };
        let (first, second) = (follower(), follower());
        let sentinels = (0..3).map(|_| Sentinel::start(&port, self)).collect();
        let watched = Watched {
            servers: vec![primary, first, second],
            sentinels,
            is_encrypted: self.tls.is_some(),
        };
        watched.until_known();
        watched
    }
}

impl Watched {
    pub fn start() -> Watched {
        Options::default().start()
    }

    /// The same, and they may fail over again soon after they did.
    pub fn start_quick() -> Watched {
        Options::default().quick().start()
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
                let told = sentinel.info();
                let is_known = told.contains("slaves=2") && told.contains("sentinels=3");
                is_known && told.contains("status=ok") && sentinel.ready() == 2
            };
            self.sentinels.iter().all(knows).then_some(())
        });
    }

    pub fn url(&self) -> String {
        let ports = self.sentinels.iter().map(|sentinel| sentinel.port);
        let places: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        let scheme = if self.is_encrypted { "rediss" } else { "redis" };
        format!("{scheme}+sentinel://{}/{MASTER}", places.join(","))
    }

    pub fn sentinel_ports(&self) -> Vec<u16> {
        self.sentinels
            .iter()
            .map(|sentinel| sentinel.port)
            .collect()
    }

    /// The server that calls itself the primary, and runs.
    pub fn primary(&self) -> usize {
        wait_for("a primary", || {
            self.servers.iter().position(|server| {
                server.is_running() && info(server, "replication").contains("role:master")
            })
        })
    }

    /// Waits until both replicas have what was written on this connection.
    pub fn until_replicated(&self, connection: &mut Connection) {
        let mut wait = redis::cmd("WAIT");
        let count: i64 = wait.arg(2).arg(20_000).query(connection).expect("replicas");
        assert_eq!(count, 2, "replicas that have it");
    }

    /// Waits until the sentinels name another primary than the one at this port.
    pub fn until_replaced(&self, port: u16) {
        wait_for("another primary", || {
            let now = self.named()?;
            (now != port).then_some(())
        });
    }

    /// The sentinels name another server from now on, as where they are cut off from the primary and
    /// clients are not: to itself it stays the primary, and takes what it is sent.
    pub fn name_another(&self, server: usize) {
        let port = self.servers[server].port().to_string();
        // It must not look like a replica of the one that is left behind.
        let mut free = redis::cmd("REPLICAOF");
        let free = free.arg("NO").arg("ONE");
        free.exec(&mut self.servers[server].connection())
            .expect("a primary");
        for sentinel in &self.sentinels {
            let mut connection = sentinel.connection().expect("a sentinel");
            let mut order = |words: &[&str]| {
                let mut order = redis::cmd("SENTINEL");
                order.arg(words).exec(&mut connection).expect("done");
            };
            order(&["REMOVE", MASTER]);
            order(&["MONITOR", MASTER, "127.0.0.1", &port, "2"]);
        }
    }

    /// All sentinels but one have forgotten the primary.
    pub fn forget_at_most(&self) {
        for sentinel in self.sentinels.iter().skip(1) {
            let mut connection = sentinel.connection().expect("a sentinel");
            let mut order = redis::cmd("SENTINEL");
            let order = order.arg("REMOVE").arg(MASTER);
            order.exec(&mut connection).expect("done");
        }
    }

    /// Asks for a failover without need; the sentinels may be busy with one.
    /// True where they are about to.
    pub fn order_failover(&self) -> bool {
        let asked = self.sentinels.iter().find_map(Sentinel::connection);
        asked.is_some_and(|mut connection| {
            let mut order = redis::cmd("SENTINEL");
            let order = order.arg("FAILOVER").arg(MASTER);
            order.exec(&mut connection).is_ok()
        })
    }

    /// The port of the primary that all sentinels name; none while they do not agree.
    fn named(&self) -> Option<u16> {
        let mut all = self.sentinels.iter().map(|s| s.address());
        let first = all.next()??;
        all.all(|other| other.as_deref() == Some(&first))
            .then(|| first.parse().ok())?
    }

    /// Brings back what was ended, as replicas of whoever is the primary by then.
    pub fn mend(&self) {
        let primary = wait_for("a primary that runs", || {
            let port = self.named()?;
            self.servers.iter().find(|server| {
                server.port() == port
                    && server.is_running()
                    && info(server, "replication").contains("role:master")
            })
        });
        let port = primary.port();
        for server in &self.servers {
            if !server.is_running() {
                server.restart();
            }
            let follows = format!("master_port:{port}");
            if server.port() != port && !info(server, "replication").contains(&follows) {
                let mut follow = redis::cmd("REPLICAOF");
                follow.arg("127.0.0.1").arg(port);
                let _ = follow.exec(&mut server.connection());
            }
        }
        self.until_known();
    }

    /// Ends the primary as a crash would, and waits for another one.
    pub fn fail_over(&self) -> usize {
        let old = self.primary();
        self.servers[old].kill();
        wait_for("the sentinels to agree on another primary", || {
            let new = self.primary();
            let port = self.servers[new].port().to_string();
            let names = |sentinel: &Sentinel| sentinel.address().as_deref() == Some(&port);
            (new != old && self.sentinels.iter().all(names)).then_some(new)
        })
    }
}

impl Sentinel {
    fn start(primary: &str, options: &Options) -> Sentinel {
        let (folder, port) = (Folder::new(), free_port());
        let mut text = format!(
            "bind 127.0.0.1\ndir {0}\nunixsocket {0}/s.sock\n\
             sentinel monitor {MASTER} 127.0.0.1 {primary} 2\n\
             sentinel down-after-milliseconds {MASTER} {DOWN_MS}\n\
             sentinel failover-timeout {MASTER} {1}\n",
            folder.path().display(),
            options.failover_ms.unwrap_or(5_000)
        );
        match &options.tls {
            None => text.push_str(&format!("port {port}\n")),
            Some((identity, ca)) => text.push_str(&format!(
                "port 0\ntls-port {port}\ntls-replication yes\ntls-auth-clients no\n\
                 tls-cert-file {}\ntls-key-file {}\ntls-ca-cert-file {}\n",
                identity.cert.display(),
                identity.key.display(),
                ca.display()
            )),
        }
        if let Some(password) = &options.password {
            text.push_str(&format!(
                "requirepass {password}\nsentinel sentinel-pass {password}\n"
            ));
        }
        let config = folder.write("sentinel.conf", &text).display().to_string();
        let path = program("redis-server", &[]).expect("`redis-server` is needed: see tests/run");
        let words = [path.display().to_string(), config, "--sentinel".to_owned()];
        let log = folder.join("log");
        let process = Process::start(&words, &User::Same, Signal::Terminate, &log);
        let sentinel = Sentinel {
            _process: process,
            port,
            folder,
            password: options.password.clone(),
        };
        wait_for("a sentinel to answer", || sentinel.connection());
        sentinel
    }

    fn connection(&self) -> Option<Connection> {
        let socket = self.folder.join("s.sock");
        let mut url = format!("redis+unix://{}", socket.display());
        if let Some(password) = &self.password {
            url.push_str(&format!("?pass={password}"));
        }
        Client::open(url).ok()?.get_connection().ok()
    }

    fn info(&self) -> String {
        let told = self.connection().map(|mut connection| {
            redis::cmd("INFO")
                .arg("sentinel")
                .query(&mut connection)
                .unwrap_or_default()
        });
        told.unwrap_or_default()
    }

    /// How many replicas it would make a primary.
    fn ready(&self) -> usize {
        let mut ask = redis::cmd("SENTINEL");
        let ask = ask.arg("REPLICAS").arg(MASTER);
        let told = self
            .connection()
            .map(|mut connection| ask.query(&mut connection));
        let all: Vec<Vec<String>> = told.and_then(Result::ok).unwrap_or_default();
        let has = |words: &[String], name: &str, value: &str| {
            let mut pairs = words.chunks(2);
            pairs.any(|pair| pair == [name, value])
        };
        let is_ready = |words: &&Vec<String>| {
            has(words, "flags", "slave") && has(words, "master-link-status", "ok")
        };
        all.iter().filter(is_ready).count()
    }

    /// The port of the primary that it names.
    fn address(&self) -> Option<String> {
        let mut connection = self.connection()?;
        let mut ask = redis::cmd("SENTINEL");
        ask.arg("GET-MASTER-ADDR-BY-NAME").arg(MASTER);
        let told: Vec<String> = ask.query(&mut connection).ok()?;
        told.into_iter().nth(1)
    }
}
