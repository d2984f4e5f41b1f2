//! A private `redis-server` for one test.
//!
//! Apart from `process` because it knows Redis: its options, its addresses, when it is ready.
//! Invariant: nothing is persisted, so a restarted server is empty.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use redis::{Client, Connection, ErrorKind, RedisError, ServerErrorKind};

use super::process::{Folder, Process, Signal, User, free_port, program, wait_for};
use super::tls;

/// What a server is started with.
#[derive(Default)]
pub struct Options {
    args: Vec<String>,
    acl: Option<String>,
    tls: Option<Tls>,
    program: Option<PathBuf>,
    is_node: bool,
}

struct Tls {
    identity: tls::Identity,
    client_ca: Option<PathBuf>,
    /// Whose servers it trusts itself.
    trusts: Option<PathBuf>,
}

/// A running server, ended and forgotten when this is dropped.
pub struct Server {
    // Before the folder: the process ends first.
    process: Mutex<Option<Process>>,
    options: Options,
    port: Mutex<u16>,
    /// Where the nodes of a cluster talk to each other.
    bus: Mutex<u16>,
    folder: Folder,
}

impl Options {
    /// Adds arguments as on the command line: `["--maxmemory", "8mb"]`.
    pub fn args(mut self, args: &[&str]) -> Options {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    /// A node of a cluster.
    pub fn node(mut self) -> Options {
        self.is_node = true;
        self
    }

    /// Another server than the system's.
    pub fn program(mut self, path: &Path) -> Options {
        self.program = Some(path.to_owned());
        self
    }

    /// Lines of an ACL file, such as `user viewer on >secret ~idem:* +@read`.
    pub fn acl(mut self, text: &str) -> Options {
        self.acl = Some(text.to_owned());
        self
    }

    /// Speaks TLS on the port, and nothing else there.
    pub fn tls(mut self, identity: &tls::Identity) -> Options {
        self.tls = Some(Tls {
            identity: identity.clone(),
            client_ca: None,
            trusts: None,
        });
        self
    }

    /// The same, and signs in at servers with certificates of `ca`, as a replica does.
    pub fn tls_trusting(mut self, identity: &tls::Identity, ca: &Path) -> Options {
        self.tls = Some(Tls {
            identity: identity.clone(),
            client_ca: None,
            trusts: Some(ca.to_owned()),
        });
        self
    }

    /// Speaks TLS and wants a client certificate signed by `ca`.
    pub fn mutual_tls(mut self, identity: &tls::Identity, ca: &Path) -> Options {
        self.tls = Some(Tls {
            identity: identity.clone(),
            client_ca: Some(ca.to_owned()),
            trusts: None,
        });
        self
    }

    /// Allows `DEBUG`, for instance `DEBUG SLEEP`.
    pub fn debug_command(self) -> Options {
        self.args(&["--enable-debug-command", "local"])
    }

    pub fn start(self) -> Server {
        let server = Server {
            process: Mutex::new(None),
            options: self,
            port: Mutex::new(0),
            bus: Mutex::new(0),
            folder: Folder::new(),
        };
        for _ in 0..5 {
            *server.port.lock().expect("no panic while starting") = free_port();
            *server.bus.lock().expect("no panic while starting") = free_port();
            if server.launch() {
                return server;
            }
        }
        panic!("redis-server did not start: {}", server.log());
    }
}

impl Server {
    /// A plain server with nothing in it.
    pub fn start() -> Server {
        Options::default().start()
    }

    pub fn options() -> Options {
        Options::default()
    }

    pub fn port(&self) -> u16 {
        *self.port.lock().expect("no panic while starting")
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port())
    }

    pub fn tls_url(&self) -> String {
        format!("rediss://127.0.0.1:{}", self.port())
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.join("r.sock")
    }

    pub fn socket_url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// A connection over the socket, as the default user.
    pub fn connection(&self) -> Connection {
        self.try_connection()
            .unwrap_or_else(|error| panic!("connecting to the test's redis-server: {error}"))
    }

    /// Errors: it does not run, or wants a user.
    pub fn try_connection(&self) -> redis::RedisResult<Connection> {
        Client::open(self.socket_url())?.get_connection()
    }

    pub fn pid(&self) -> u32 {
        self.with_process(|process| process.pid())
    }

    pub fn is_running(&self) -> bool {
        let process = self.process.lock().expect("no panic while asking");
        process.is_some()
    }

    /// Freezes the server: connections stay open and nothing answers.
    pub fn stop(&self) {
        self.with_process(|process| process.signal(Signal::Stop));
    }

    pub fn cont(&self) {
        self.with_process(|process| process.signal(Signal::Continue));
    }

    /// Ends the server at once, as a crash would.
    pub fn kill(&self) {
        self.end_with(Signal::Kill);
    }

    /// Starts it again, empty, on the same port and socket.
    pub fn restart(&self) {
        self.end_with(Signal::Terminate);
        wait_for("redis-server to come back on its port", || {
            self.launch().then_some(())
        });
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn end_with(&self, signal: Signal) {
        let taken = self.process.lock().expect("no panic while ending").take();
        if let Some(mut process) = taken {
            process.end_with(signal);
        }
    }

    fn with_process<T>(&self, ask: impl FnOnce(&Process) -> T) -> T {
        let process = self.process.lock().expect("no panic while asking");
        ask(process.as_ref().expect("the server was ended"))
    }

    /// Starts the process; false when it ended instead of answering.
    fn launch(&self) -> bool {
        let mut process = Process::start(
            &self.command(),
            &User::Same,
            Signal::Terminate,
            &self.folder.join("log"),
        );
        let ready = wait_for("redis-server to answer", || {
            if process.ended() {
                return Some(false);
            }
            self.answers().then_some(true)
        });
        if ready {
            *self.process.lock().expect("no panic while starting") = Some(process);
        }
        ready
    }

    fn answers(&self) -> bool {
        match self
            .try_connection()
            .and_then(|mut connection| redis::cmd("PING").query::<String>(&mut connection))
        {
            Ok(answer) => answer == "PONG",
            Err(error) => asks_for_a_user(&error),
        }
    }

    fn command(&self) -> Vec<String> {
        let other = self.options.program.clone();
        let path = other.or_else(|| program("redis-server", &[]));
        let path = path.expect("`redis-server` is needed: see tests/run");
        let folder = self.folder.path().display().to_string();
        let socket = self.socket().display().to_string();
        let port = self.port().to_string();
        let mut words = vec![path.display().to_string()];
        let mut add = |args: &[&str]| words.extend(args.iter().map(|arg| (*arg).to_owned()));
        add(&["--bind", "127.0.0.1", "--dir", &folder]);
        add(&["--unixsocket", &socket, "--unixsocketperm", "700"]);
        add(&["--save", "", "--appendonly", "no"]);
        match &self.options.tls {
            None => add(&["--port", &port]),
            Some(tls) => {
                let cert = tls.identity.cert.display().to_string();
                let key = tls.identity.key.display().to_string();
                // The server wants some CA even when it asks no client for a certificate.
                let given = tls.client_ca.as_ref().or(tls.trusts.as_ref());
                let ca = given.unwrap_or(&tls.identity.cert);
                let asks = if tls.client_ca.is_some() { "yes" } else { "no" };
                add(&["--port", "0", "--tls-port", &port]);
                add(&["--tls-cert-file", &cert, "--tls-key-file", &key]);
                add(&["--tls-ca-cert-file", &ca.display().to_string()]);
                add(&["--tls-auth-clients", asks]);
            }
        }
        if let Some(text) = &self.options.acl {
            let file = self
                .folder
                .write("users.acl", &format!("{}\n", text.trim_end()));
            add(&["--aclfile", &file.display().to_string()]);
        }
        if self.options.is_node {
            let bus = self
                .bus
                .lock()
                .expect("no panic while starting")
                .to_string();
            add(&["--cluster-enabled", "yes", "--cluster-port", &bus]);
        }
        words.extend(self.options.args.iter().cloned());
        words
    }
}

/// True for a server that is up but lets nobody in without a name; loading is not ready.
fn asks_for_a_user(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::AuthenticationFailed | ErrorKind::Server(ServerErrorKind::NoPerm)
    ) || error.code() == Some("NOAUTH")
}
