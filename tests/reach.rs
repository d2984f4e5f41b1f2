//! Stores that are not one open server: a cluster, Sentinel, replicas, a pooler, and ways through SSH
//! and TLS; whole servers, and what happens when they fail.

#![allow(clippy::print_stdout, reason = "a test says what it has seen")]

mod support;

#[path = "reach/addresses.rs"]
mod addresses;
#[path = "reach/asked.rs"]
mod asked;
#[path = "reach/behind.rs"]
mod behind;
#[path = "reach/chaos.rs"]
mod chaos;
#[path = "reach/cluster.rs"]
mod cluster;
#[path = "reach/chaos/keys.rs"]
mod keys;
#[path = "reach/lab.rs"]
mod lab;
#[path = "reach/chaos/laws.rs"]
mod laws;
#[path = "reach/matrix.rs"]
mod matrix;
#[path = "reach/postgres.rs"]
mod postgres;
#[path = "reach/rights.rs"]
mod rights;
#[path = "reach/chaos/rows.rs"]
mod rows;
#[path = "reach/sentinel.rs"]
mod sentinel;
#[path = "reach/ssh.rs"]
mod ssh;
#[path = "reach/verbs.rs"]
mod verbs;
#[path = "reach/chaos/ways.rs"]
mod ways;

use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use support::process::Folder;

/// Somebody with a home folder of their own.
struct Person {
    pub home: Folder,
}

struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.err))
    }

    /// How it ended, and a word of what was said.
    #[track_caller]
    pub fn says(&self, code: i32, word: &str) {
        let text = format!("{}{}", self.out, self.err);
        assert_eq!((self.code, text.contains(word)), (code, true), "{text}");
    }
}

impl Person {
    fn new() -> Person {
        let home = Folder::new();
        std::fs::create_dir(home.join(".ssh")).expect("a folder");
        Person { home }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemscope"));
        command.args(arguments).env_clear().stdin(Stdio::null());
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "HOME",
            "TMPDIR",
        ] {
            command.env(name, self.home.path());
        }
        command
            .env("USER", support::ssh::user())
            .env("PATH", "/usr/bin:/bin");
        command
    }

    /// Sockets of ours that stand where they have to be gone again.
    pub fn ways(&self) -> Vec<String> {
        let folder = self.home.join("idemscope");
        let all = std::fs::read_dir(folder).expect("the folder that they stood in");
        let names = all.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("way-")).collect()
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    pub fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(arguments);
        let output = command.envs(variables.iter().copied()).output();
        ran(output.expect("the binary runs"))
    }
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Stuck locks of `plain-article`: a word and an hour to live, some of it gone.
pub fn locks(connection: &mut impl redis::ConnectionLike, count: usize) {
    for number in 0..count {
        redis::cmd("SET")
            .arg(lock(number))
            .arg("processing")
            .arg("PX")
            .arg(82_800_000)
            .exec(connection)
            .expect("a lock");
    }
}

pub fn lock(number: usize) -> String {
    format!("idempotency:00000000-0000-4000-8000-{number:012}")
}

/// A table of locks that are an hour old.
pub fn table_of_locks(rows: usize) -> String {
    format!(
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
         locked_at timestamptz, request_path text, response_status int, response_body text); \
         INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', '/p' \
         FROM generate_series(1, {rows}) n"
    )
}
