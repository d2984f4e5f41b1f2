//! PostgreSQL that is more than one open server: replicas, several hosts, a pooler, another name.

use std::path::PathBuf;

use crate::Person;
use crate::support::process::{self, Folder, Process, Signal, User, free_port, program, wait_for};
use crate::support::{pooler, postgres, tls};

const TABLE: &str = "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
     locked_at timestamptz, request_path text, response_status int, response_body text); \
     INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', '/p' \
     FROM generate_series(1, 40) n";

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

#[test]
fn of_several_hosts_the_right_one_is_taken() {
    let primary = postgres::Server::options()
        .hba(
            "local replication all trust\nhost replication all 127.0.0.1/32 trust\n\
             host all all 127.0.0.1/32 trust",
        )
        .start();
    primary.execute("postgres", TABLE);
    let replica = Replica::of(&primary);
    let person = Person::new();
    let hosts = |first: u16, second: u16, attrs: &str| {
        format!(
            "postgres://postgres@127.0.0.1:{first},127.0.0.1:{second}/postgres?sslmode=disable{attrs}"
        )
    };
    let (main, other) = (primary.port(), replica.port);
    let place = |url: &str, more: &[&str]| {
        let words = ["connections", "test", url, "--format", "json"];
        let ran = person.run(&[&words, more].concat());
        ran.json()["place"]["replica"].clone()
    };
    wait_for("the replica to follow", || {
        let url = hosts(other, main, "&target_session_attrs=standby");
        let ran = person.run(&["summary", &url, "--format", "json"]);
        (ran.code == 0).then_some(())
    });
    // The first that answers, unless something is wanted of it.
    assert_eq!(place(&hosts(other, main, ""), &[]), true);
    let primary_wanted = hosts(other, main, "&target_session_attrs=read-write");
    assert_eq!(place(&primary_wanted, &[]), serde_json::Value::Null);
    let standby_wanted = hosts(main, other, "&target_session_attrs=prefer-standby");
    assert_eq!(place(&standby_wanted, &[]), true);
    assert_eq!(place(&hosts(main, other, ""), &["--replica"]), true);
    // A host where nobody is does not keep from the other one.
    assert_eq!(place(&hosts(1, other, ""), &[]), true);
    // Looked at on the standby, changed at the primary.
    let url = hosts(other, main, "");
    let release = [
        "release",
        &url,
        "--replica",
        "--stuck",
        "--older-than",
        "10m",
        "--yes",
        "--format",
        "json",
    ];
    let ran = person.run(&release);
    assert_eq!(ran.json()["outcomes"]["released"], 40, "{}", ran.err);
    let left = "SELECT count(*)::text FROM idempotency_keys WHERE locked_at IS NOT NULL";
    assert_eq!(primary.text("postgres", left).as_deref(), Some("0"));
    // A standby alone takes no changes, and says so.
    let alone = format!("postgres://postgres@127.0.0.1:{other}/postgres?sslmode=disable");
    let release = ["release", &alone, "k1", "--lease", "10m", "--yes"];
    assert_ne!(person.run(&release).code, 0);
    person
        .run(&["summary", &hosts(main, main, ""), "--replica"])
        .says(3, "is not a standby");
}

#[test]
fn a_pooler_in_transaction_mode_keeps_nothing_between() {
    let server = postgres::Server::start();
    server.execute("postgres", TABLE);
    let pooler = pooler::Pooler::before(&server);
    let port = pooler.port();
    let person = Person::new();
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
    let ran = person.run(&["summary", &url, "--lease", "10m", "--format", "json"]);
    assert_eq!(ran.json()["total"], 40, "{}", ran.err);
    assert_eq!(ran.json()["stuck"], 40);
    let ran = person.run(&["show", &url, "k7", "--format", "json"]);
    assert_eq!(ran.json()["idempotency_key"], "k7", "{}", ran.err);
    let release = [
        "release",
        &url,
        "--stuck",
        "--older-than",
        "10m",
        "--yes",
        "--format",
        "json",
    ];
    let released = person.run(&release).json();
    assert_eq!(released["outcomes"]["released"], 40);
    let journal = released["journal_id"].as_str().expect("an id");
    let undone = person.run(&["undo", &url, journal, "--yes", "--format", "json"]);
    assert_eq!(undone.json()["outcomes"]["restored"], 40, "{}", undone.err);
    // Whoever comes next finds the session as it was.
    let left = "SELECT current_setting('statement_timeout') || current_setting('search_path')";
    let plain = server.text("postgres", left);
    assert_eq!(plain.as_deref(), Some("0\"$user\", public"));
}

#[test]
fn a_server_is_known_by_the_name_that_is_wanted() {
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let server = postgres::Server::options()
        .tls(&certificates.wrong_name)
        .start();
    server.execute("postgres", TABLE);
    let person = Person::new();
    let url = format!(
        "postgres://postgres@127.0.0.1:{}/postgres?sslmode=verify-full&sslrootcert={ca}",
        server.port()
    );
    person.run(&["summary", &url]).says(3, "another name");
    let words = [
        "connections",
        "test",
        &url,
        "--server-name",
        "elsewhere.example",
    ];
    let told = person.run(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(
        told.json()["encryption"],
        "encrypted, server verified",
        "{}",
        told.err
    );
    let redis = crate::support::redis::Server::options()
        .tls(&certificates.wrong_name)
        .start();
    let url = redis.tls_url();
    person
        .run(&["summary", &url, "--ca", &ca])
        .says(3, "another name");
    let words = [
        "summary",
        &url,
        "--ca",
        &ca,
        "--server-name",
        "elsewhere.example",
    ];
    assert_eq!(person.run(&words).code, 0);
    person
        .run(&["summary", &url, "--ca", &ca, "--server-name", "a b"])
        .says(3, "is no name for a certificate");
}
