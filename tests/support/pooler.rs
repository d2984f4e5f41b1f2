//! A private PgBouncer before a PostgreSQL, in transaction mode.
//!
//! Apart from `postgres` because it keeps no rows. Invariant: everybody who comes is let on as `postgres`.

use std::path::PathBuf;
use std::sync::Mutex;

use super::postgres;
use super::process::{Folder, Process, Signal, User, free_port, program, wait_for};

pub struct Pooler {
    process: Mutex<Option<Process>>,
    port: u16,
    folder: Folder,
}

impl Pooler {
    pub fn before(server: &postgres::Server) -> Pooler {
        let (folder, port) = (Folder::new(), free_port());
        let users = folder.write("users.txt", "\"postgres\" \"\"\n");
        let config = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\n\
             listen_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\nauth_file = {}\n\
             pool_mode = transaction\ndefault_pool_size = 3\nunix_socket_dir =\n\
             ignore_startup_parameters = extra_float_digits\nserver_login_retry = 1\n",
            server.port(),
            users.display()
        );
        folder.write("pgbouncer.ini", &config);
        User::for_postgres().own(folder.path());
        let pooler = Pooler {
            process: Mutex::new(None),
            port,
            folder,
        };
        pooler.launch();
        pooler
    }

    fn launch(&self) {
        let path = program("pgbouncer", &[PathBuf::from("/usr/sbin")]);
        let path = path.expect("`pgbouncer` is needed: see tests/run");
        let file = self.folder.join("pgbouncer.ini").display().to_string();
        let (words, log) = ([path.display().to_string(), file], self.folder.join("log"));
        let process = Process::start(&words, &User::for_postgres(), Signal::Terminate, &log);
        *self.process.lock().expect("no panic while starting") = Some(process);
        wait_for("the pooler to listen", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it and every line at once.
    pub fn kill(&self) {
        let taken = self.process.lock().expect("no panic while ending").take();
        if let Some(mut process) = taken {
            process.end_with(Signal::Kill);
        }
    }

    /// Starts it again on the same port.
    pub fn restart(&self) {
        self.kill();
        self.launch();
    }

    pub fn is_running(&self) -> bool {
        self.process.lock().expect("no panic").is_some()
    }

    /// Lines stay open and nothing answers.
    pub fn freeze(&self) {
        self.signal(Signal::Stop);
    }

    pub fn go_on(&self) {
        self.signal(Signal::Continue);
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = &*self.process.lock().expect("no panic") {
            process.signal(signal);
        }
    }
}
