//! A private SSH server, and the keys of somebody who may sign in there.
//!
//! Apart from the other servers because it is a way and no store. Invariant: it takes one key, of this
//! test only, and forwards to loopback.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use super::process::{Folder, Process, Signal, User, children, free_port, program, send, wait_for};

pub struct Server {
    process: Mutex<Option<Process>>,
    port: u16,
    folder: Folder,
}

/// A key pair in files.
pub fn key(folder: &Folder, name: &str, passphrase: &str) -> PathBuf {
    key_of("ed25519", folder, name, passphrase)
}

fn key_of(kind: &str, folder: &Folder, name: &str, passphrase: &str) -> PathBuf {
    let path = folder.join(name);
    let tool = program("ssh-keygen", &[]).expect("`ssh-keygen` is needed: see tests/run");
    let made = Command::new(tool)
        .args(["-q", "-t", kind, "-N", passphrase, "-C", "test", "-f"])
        .arg(&path)
        .output()
        .expect("ssh-keygen");
    assert!(made.status.success(), "{made:?}");
    path
}

pub fn public(key: &std::path::Path) -> String {
    let path = key.with_extension("pub");
    std::fs::read_to_string(path).expect("a public key")
}

/// Who runs the tests: a private SSH server lets nobody else in.
pub fn user() -> String {
    let output = Command::new("id").arg("-un").output().expect("id");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

impl Server {
    /// A server that takes the public half of `key`.
    pub fn start(key: &std::path::Path) -> Server {
        Server::with(key, "")
    }

    /// The same with more lines in its configuration.
    pub fn with(authorized: &std::path::Path, more: &str) -> Server {
        let folder = Folder::new();
        let host_key = key(&folder, "host_key", "");
        let other_key = key_of("ecdsa", &folder, "other_key", "");
        let keys = folder.write("authorized_keys", &public(authorized));
        let server = Server {
            process: Mutex::new(None),
            port: free_port(),
            folder,
        };
        // As root it wants a folder that an installed service would have made.
        let _ = std::fs::create_dir_all("/run/sshd");
        let text = format!(
            "{more}\nPort {}\nListenAddress 127.0.0.1\nHostKey {}\nHostKey {}\nPidFile none\nAuthorizedKeysFile {}\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             PermitRootLogin prohibit-password\nAllowTcpForwarding local\n\
             AllowStreamLocalForwarding local\nPermitTTY no\nMaxStartups 100\n",
            server.port,
            host_key.display(),
            other_key.display(),
            keys.display()
        );
        server.folder.write("config", &text);
        server.launch();
        server
    }

    fn launch(&self) {
        let path = program("sshd", &[PathBuf::from("/usr/sbin")]);
        let path = path.expect("`sshd` is needed: see tests/run");
        let config = self.folder.join("config").display().to_string();
        let words = [
            path.display().to_string(),
            "-f".to_owned(),
            config,
            "-D".to_owned(),
            "-e".to_owned(),
        ];
        let log = self.folder.join("log");
        let process = Process::start(&words, &User::Same, Signal::Terminate, &log);
        *self.process.lock().expect("no panic while starting") = Some(process);
        wait_for("sshd to listen", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// A line of `known_hosts` with its key.
    pub fn known(&self) -> String {
        let key = public(&self.folder.join("host_key"));
        format!("[127.0.0.1]:{} {key}", self.port)
    }

    /// The same with its key of another kind, which is not the best it has.
    pub fn known_otherwise(&self) -> String {
        let key = public(&self.folder.join("other_key"));
        format!("[127.0.0.1]:{} {key}", self.port)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Ends every session, as a host that restarts would.
    pub fn cut(&self) {
        for pid in self.sessions() {
            send(pid, Signal::Kill);
        }
    }

    /// Ends the host and every session at once.
    pub fn kill(&self) {
        let sessions = self.sessions();
        if let Some(mut process) = self.process.lock().expect("no panic while ending").take() {
            process.end_with(Signal::Kill);
        }
        for pid in sessions {
            send(pid, Signal::Kill);
        }
    }

    /// Starts it again on the same port, with the same key.
    pub fn restart(&self) {
        self.kill();
        self.launch();
    }

    /// Lines stay open and nothing answers.
    pub fn freeze(&self) {
        for pid in self.all() {
            send(pid, Signal::Stop);
        }
    }

    pub fn go_on(&self) {
        for pid in self.all() {
            send(pid, Signal::Continue);
        }
    }

    pub fn is_running(&self) -> bool {
        let process = self.process.lock().expect("no panic while asking");
        process.is_some()
    }

    fn pid(&self) -> Option<u32> {
        let process = self.process.lock().expect("no panic while asking");
        process.as_ref().map(Process::pid)
    }

    /// Processes of the sessions; each has another one for what it may not do as root.
    fn sessions(&self) -> Vec<u32> {
        let mut all = Vec::new();
        let mut next: Vec<u32> = self.pid().into_iter().collect();
        while let Some(pid) = next.pop() {
            let own = children(pid);
            next.extend(&own);
            all.extend(own);
        }
        all
    }

    fn all(&self) -> Vec<u32> {
        let sessions = self.sessions();
        self.pid().into_iter().chain(sessions).collect()
    }
}
