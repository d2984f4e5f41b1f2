//! A private Redis Cluster for one test, or one that the tests of a program share.
//!
//! Apart from `redis` because it is many servers, and because a key has to be looked for. Invariant: a
//! cluster is handed out when all its nodes agree that it is whole.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use redis::{
    Client, Connection, ConnectionLike, ErrorKind, RedisError, RedisResult, ServerErrorKind, Value,
};

use super::process::{program, wait_for};
use super::redis as server;
use super::tls;

/// A silent node is taken for dead after this. Less, and a busy machine makes nodes look dead.
const NODE_TIMEOUT_MS: &str = "1000";
const SLOTS: u16 = 16_384;

pub struct Cluster {
    pub nodes: Vec<server::Server>,
    /// The slot that moved last.
    moved: Mutex<Option<u16>>,
    /// Who signed the certificates of the nodes, where they speak TLS and nothing else.
    ca: Option<PathBuf>,
}

impl Cluster {
    /// Three primaries with this many replicas each.
    pub fn start(replicas: usize) -> Cluster {
        Cluster::with(replicas, server::Server::options)
    }

    /// The same with other options of each node.
    pub fn with(replicas: usize, options: impl Fn() -> server::Options) -> Cluster {
        Cluster::of(replicas, None, options)
    }

    /// The same in TLS, with clients and with each other, and they call themselves `localhost`.
    pub fn encrypted(identity: &tls::Identity, ca: &Path, replicas: usize) -> Cluster {
        Cluster::of(replicas, Some(ca.to_owned()), || {
            server::Server::options()
                .tls_trusting(identity, ca)
                .args(&["--tls-cluster", "yes", "--tls-replication", "yes"])
                .args(&["--cluster-announce-hostname", "localhost"])
        })
    }

    fn of(replicas: usize, ca: Option<PathBuf>, options: impl Fn() -> server::Options) -> Cluster {
        let node = |_| {
            options()
                .node()
                .args(&["--cluster-config-file", "nodes.conf"])
                .args(&["--cluster-node-timeout", NODE_TIMEOUT_MS])
                // On a busy machine the first election may fail: they are held until one does not.
                .args(&["--cluster-replica-validity-factor", "0"])
                .args(&["--repl-diskless-sync-delay", "0"])
                .start()
        };
        let nodes: Vec<server::Server> = (0..3 * (1 + replicas)).map(node).collect();
        let cluster = Cluster {
            nodes,
            moved: Mutex::default(),
            ca,
        };
        cluster.create(replicas);
        cluster
    }

    fn create(&self, replicas: usize) {
        let mut arguments = vec!["--cluster".to_owned(), "create".to_owned()];
        arguments.extend(self.nodes.iter().map(place));
        arguments.extend(["--cluster-replicas".to_owned(), replicas.to_string()]);
        arguments.push("--cluster-yes".to_owned());
        if let Some(ca) = &self.ca {
            arguments.extend(["--tls".to_owned(), "--cacert".to_owned()]);
            arguments.push(ca.display().to_string());
        }
        self.tool(&arguments);
        self.until_whole();
        let followers = self.nodes.len() - 3;
        wait_for("the replicas to follow", || {
            let linked = self.nodes.iter().filter(|node| {
                let info = info(node, "replication");
                info.contains("role:slave") && info.contains("master_link_status:up")
            });
            (linked.count() == followers).then_some(())
        });
    }

    fn tool(&self, arguments: &[String]) {
        let tool = program("redis-cli", &[]).expect("`redis-cli` is needed: see tests/run");
        let output = Command::new(tool).args(arguments).output();
        let output = output.expect("redis-cli");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
    }

    /// Waits until every node that runs sees a whole cluster.
    pub fn until_whole(&self) {
        wait_for("the cluster to be whole", || {
            let mut running = self.nodes.iter().filter(|node| node.is_running());
            running
                .all(|node| query(node, &["CLUSTER", "INFO"]).contains("cluster_state:ok"))
                .then_some(())
        });
    }

    pub fn url(&self) -> String {
        let nodes: Vec<String> = self.nodes.iter().map(place).collect();
        format!("redis+cluster://{}", nodes.join(","))
    }

    /// By the names of the nodes, in TLS.
    pub fn encrypted_url(&self) -> String {
        let nodes = self.nodes.iter().map(server::Server::port);
        let nodes: Vec<String> = nodes.map(|port| format!("localhost:{port}")).collect();
        format!("rediss+cluster://{}", nodes.join(","))
    }

    /// A client that looks for each key where it is.
    pub fn client(&self) -> ClusterClient {
        ClusterClient {
            seeds: self.nodes.iter().map(server::Server::port).collect(),
            held: None,
        }
    }

    /// The place in `nodes` of whoever has the slot now, by its own word: others hear of a move later.
    pub fn owner(&self, slot: u16) -> usize {
        wait_for("a node that has the slot", || {
            let asked = self.nodes.iter().find(|node| node.is_running())?;
            let owner = self.owner_by(asked, slot)?;
            let node = self.nodes.get(owner).filter(|node| node.is_running())?;
            (self.owner_by(node, slot) == Some(owner)).then_some(owner)
        })
    }

    /// The same as one node sees it.
    fn owner_by(&self, asked: &server::Server, slot: u16) -> Option<usize> {
        let text = query(asked, &["CLUSTER", "NODES"]);
        let has = |line: &&str| {
            line.split(' ').skip(8).any(|range| {
                let (from, to) = range.split_once('-').unwrap_or((range, range));
                let both = from.parse::<u16>().ok().zip(to.parse::<u16>().ok());
                both.is_some_and(|(from, to)| (from..=to).contains(&slot))
            })
        };
        let line = text.lines().find(has)?;
        let port = line.split(['@', ' ']).nth(1)?.rsplit(':').next()?;
        let port: u16 = port.parse().ok()?;
        self.nodes.iter().position(|node| node.port() == port)
    }

    fn id(&self, node: usize) -> String {
        query(&self.nodes[node], &["CLUSTER", "MYID"])
    }

    /// Begins to move a slot: from here on keys may be at either node.
    pub fn open_slot(&self, slot: u16, from: usize, to: usize) {
        self.until_heard();
        let slot = slot.to_string();
        let (source, target) = (self.id(from), self.id(to));
        let importing = ["CLUSTER", "SETSLOT", &slot, "IMPORTING", &source];
        query(&self.nodes[to], &importing);
        let migrating = ["CLUSTER", "SETSLOT", &slot, "MIGRATING", &target];
        query(&self.nodes[from], &migrating);
    }

    /// Marks a slot as leaving, to a node that does not take it.
    pub fn leave_slot(&self, slot: u16) {
        let from = self.owner(slot);
        let target = self.id((from + 1) % 3);
        let migrating = [
            "CLUSTER",
            "SETSLOT",
            &slot.to_string(),
            "MIGRATING",
            &target,
        ];
        query(&self.nodes[from], &migrating);
    }

    /// Moves up to so many keys of an open slot; how many. Waits while the node holds the cluster for down,
    /// which one that was just frozen or replaced does for a moment.
    pub fn move_keys(&self, slot: u16, from: usize, to: usize, count: usize) -> usize {
        let moved = self.try_to_move_keys(slot, from, to, count);
        moved.expect("the keys to be moved")
    }

    fn try_to_move_keys(
        &self,
        slot: u16,
        from: usize,
        to: usize,
        count: usize,
    ) -> RedisResult<usize> {
        let mut connection = self.nodes[from].try_connection()?;
        let keys: Vec<Vec<u8>> = redis::cmd("CLUSTER")
            .arg("GETKEYSINSLOT")
            .arg(slot)
            .arg(count)
            .query(&mut connection)?;
        if keys.is_empty() {
            return Ok(0);
        }
        let mut migrate = redis::cmd("MIGRATE");
        migrate.arg("127.0.0.1").arg(self.nodes[to].port()).arg("");
        migrate.arg(0).arg(5000).arg("KEYS").arg(&keys);
        wait_for("a node that moves keys", || {
            match migrate.exec(&mut connection) {
                Err(error) if error.kind() == ErrorKind::Server(ServerErrorKind::ClusterDown) => {
                    None
                }
                moved => Some(moved),
            }
        })?;
        Ok(keys.len())
    }

    /// Ends a move: the slot is the other node's. Others hear of it a moment later.
    pub fn close_slot(&self, slot: u16, from: usize, to: usize) {
        let (number, target) = (slot.to_string(), self.id(to));
        for node in [to, from] {
            query(
                &self.nodes[node],
                &["CLUSTER", "SETSLOT", &number, "NODE", &target],
            );
        }
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        *moved = Some(slot);
    }

    /// Waits until all have heard of the last move: with two on end, one that has not heard of the first
    /// would take it back. `redis-cli` tells all of them for that reason.
    fn until_heard(&self) {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(slot) = moved.take() else {
            return;
        };
        wait_for("all nodes to agree on who has the slot", || {
            let running = self.nodes.iter().filter(|node| node.is_running());
            let mut owners = running.map(|node| self.owner_by(node, slot));
            let first = owners.next()?;
            owners.all(|owner| owner == first).then_some(())
        });
    }

    /// Moves a whole slot.
    pub fn move_slot(&self, slot: u16, to: usize) {
        self.try_to_move_slot(slot, to).expect("a slot that moved");
    }

    /// The same where nodes may lose their part in it meanwhile.
    ///
    /// Errors: it stays half moved, as by an operator's tool that gives up.
    pub fn try_to_move_slot(&self, slot: u16, to: usize) -> RedisResult<()> {
        let from = self.owner(slot);
        if from == to {
            return Ok(());
        }
        self.open_slot(slot, from, to);
        while self.try_to_move_keys(slot, from, to, 100)? > 0 {}
        self.close_slot(slot, from, to);
        Ok(())
    }

    /// Takes every key away, from all nodes.
    pub fn empty(&self) {
        for node in self.nodes.iter().filter(|node| node.is_running()) {
            if info(node, "replication").contains("role:master") {
                query(node, &["FLUSHALL"]);
            }
        }
    }

    pub fn slots() -> std::ops::Range<u16> {
        0..SLOTS
    }
}

fn place(node: &server::Server) -> String {
    format!("127.0.0.1:{}", node.port())
}

pub fn info(node: &server::Server, section: &str) -> String {
    query(node, &["INFO", section])
}

/// One command at one node, its answer as text; empty where it fails.
pub fn query(node: &server::Server, words: &[&str]) -> String {
    let Some((name, arguments)) = words.split_first() else {
        return String::new();
    };
    let mut command = redis::cmd(name);
    command.arg(arguments);
    match node.try_connection() {
        Ok(mut connection) => command.query(&mut connection).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

/// Follows `MOVED` and `ASK`, one command at a time.
pub struct ClusterClient {
    seeds: Vec<u16>,
    held: Option<Connection>,
}

impl ClusterClient {
    fn at(port: u16) -> RedisResult<Connection> {
        Client::open(format!("redis://127.0.0.1:{port}"))?.get_connection()
    }

    fn any(&mut self) -> RedisResult<&mut Connection> {
        if self.held.is_none() {
            let mut open = self.seeds.iter().filter_map(|port| Self::at(*port).ok());
            self.held = open.next();
        }
        self.held
            .as_mut()
            .ok_or_else(|| RedisError::from(std::io::Error::other("no node answers")))
    }
}

impl ConnectionLike for ClusterClient {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        let mut answer = self.any()?.req_packed_command(command);
        for _ in 0..20 {
            let Ok(Value::ServerError(error)) = &answer else {
                break;
            };
            let asks = error.code() == "ASK";
            if !asks && error.code() != "MOVED" {
                break;
            }
            let to = error.details().and_then(|text| text.rsplit(':').next());
            let port = to.and_then(|port| port.parse().ok());
            let mut connection = Self::at(port.expect("a port"))?;
            if asks {
                redis::cmd("ASKING").exec(&mut connection)?;
            }
            answer = connection.req_packed_command(command);
            self.held = Some(connection);
        }
        answer
    }

    fn req_packed_commands(
        &mut self,
        _commands: &[u8],
        _offset: usize,
        _count: usize,
    ) -> RedisResult<Vec<Value>> {
        unimplemented!("the keys of a pipeline are at many nodes")
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}
