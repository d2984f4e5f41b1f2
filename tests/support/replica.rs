//! A streaming replica of a private PostgreSQL.
//!
//! Apart from `postgres` because it begins as a copy of another one. Invariant: it takes no changes but
//! those of its primary.

use std::path::PathBuf;

use super::postgres;
use super::process::{self, Folder, Process, Signal, User, free_port, program, wait_for};

/// What a primary says of who may connect, so that it can be followed.
pub const HBA: &str = "local replication all trust\nhost replication all 127.0.0.1/32 trust\n\
     local all all trust\nhost all all 127.0.0.1/32 trust";

/// A streaming replica of a server.
pub struct Replica {
    process: Option<Process>,
    port: u16,
    folder: Folder,
}

impl Replica {
    pub fn of(primary: &postgres::Server) -> Replica {
        let (folder, port) = (Folder::new(), free_port());
        let user = User::for_postgres();
        user.own(folder.path());
        let data = folder.join("data").display().to_string();
        let socket = primary.socket_dir().display().to_string();
        let tool = tool("pg_basebackup");
        let from = primary.port().to_string();
        process::run(
            &user,
            &[
                &tool,
                "-h",
                &socket,
                "-p",
                &from,
                "-U",
                "postgres",
                "-D",
                &data,
                "-R",
                "-X",
                "stream",
                "-c",
                "fast",
                "--no-sync",
            ],
        );
        let mut replica = Replica {
            process: None,
            port,
            folder,
        };
        replica.launch(&data);
        replica
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    fn launch(&mut self, data: &str) {
        let words = [
            tool("postgres"),
            "-D".to_owned(),
            data.to_owned(),
            "-p".to_owned(),
            self.port.to_string(),
            "-k".to_owned(),
            data.to_owned(),
        ];
        let log = self.folder.join("log");
        let process = Process::start(&words, &User::for_postgres(), Signal::Quit, &log);
        self.process = Some(process);
        wait_for("the replica to answer", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
    }
}

fn tool(name: &str) -> String {
    let mut folders: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    folders.sort();
    folders.reverse();
    let path = program(name, &folders).unwrap_or_else(|| panic!("`{name}` is needed"));
    path.display().to_string()
}
