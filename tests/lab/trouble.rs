//! What goes wrong around the lab: a wrong file, somebody else's records, a port in use, a store that
//! goes away, and the lab's own end. Each has a clear word, and nothing is left behind.

use std::net::TcpListener;
use std::process::Stdio;

use serde_json::Value as Json;

use super::{Trainer, check, shared};
use crate::support::process::{Signal, send, wait_for};
use crate::support::{postgres, redis as server};

/// The lab's schemas in a database.
pub fn schemas(server: &postgres::Server, database: &str) -> Vec<String> {
    let sql = "SELECT string_agg(nspname, ' ') FROM pg_namespace \
               WHERE nspname LIKE 'idemscope_lab%'";
    let names = server.text(database, sql).unwrap_or_default();
    names.split_whitespace().map(str::to_owned).collect()
}

/// Processes whose home is the trainer's.
fn processes(trainer: &Trainer) -> Vec<String> {
    let home = format!("HOME={}", trainer.home.path().display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("processes").flatten() {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut variables = environ.split(|byte| *byte == 0);
        let is_ended = || {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(')')
                .is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
        };
        if variables.any(|variable| variable == home.as_bytes()) && !is_ended() {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

#[track_caller]
fn nothing_is_left(trainer: &Trainer) {
    wait_for("the lab's processes to end", || {
        processes(trainer).is_empty().then_some(())
    });
    wait_for("the lab's folders to go", || {
        trainer.left_behind().is_empty().then_some(())
    });
}

#[track_caller]
fn refused(trainer: &Trainer, arguments: &[&str], word: &str) {
    let (code, out, err) = trainer.run(arguments);
    assert_eq!((code, err.contains(word)), (2, true), "{out}{err}");
    assert_eq!(trainer.left_behind(), [""; 0]);
}

#[test]
fn a_wrong_call_says_what_is_wrong() {
    let trainer = Trainer::new();
    refused(&trainer, &["run", "S99"], "lab list");
    refused(
        &trainer,
        &["run", "S02", "--store", "https://example.org"],
        "no kind of target is called `https`",
    );
    refused(&trainer, &["run", "missing.toml"], "missing.toml");
    let text = "id = 'S99'\ntitle = 'T'\nlesson = 'L'\n[[variant]]\nid = 'a'\nwrong = 1\n";
    let file = trainer.home.write("own.toml", text);
    let file = file.display().to_string();
    refused(&trainer, &["run", &file], "line 6");
    let text = "id = 'S99'\ntitle = 'T'\nlesson = 'L'\n[[step]]\nat_ms = 0\nattempt = 1\nkey = 'k'\n\
                [[variant]]\nid = 'a'\ntitle = 'A'\nexpected = { charges = 1 }\n";
    trainer.home.write("own.toml", text);
    assert_eq!(check(&trainer, &file, &[]).len(), 1);
}

/// Faults of the way and of the store that no scenario of the table has.
const OWN: &str = r#"
id = "S99"
title = "Lost, late and not saved"
lesson = "A scenario of one's own."

[[step]]
at_ms = 0
attempt = 1
intent = "lost"
key = "k1"
loses_request = true

[[step]]
at_ms = 300
attempt = 2
intent = "lost"
key = "k1"
delay_ms = 200

[[step]]
at_ms = 0
attempt = 1
intent = "unsaved"
key = "k2"

[[step]]
at_ms = 600
attempt = 2
intent = "unsaved"
key = "k2"

[[step]]
at_ms = 0
attempt = 1
intent = "down"
key = "k3"

[[step]]
at_ms = 0
attempt = 1
intent = "twice"
key = "k4"
again_after_ms = 400

[[variant]]
id = "a"
title = "One of each"
intents = 3
faults = [
    { at = "save_times_out", intent = "unsaved", attempt = 1 },
    { at = "store_down", intent = "down" },
]
looks_ms = [450]

[variant.expected]
client_attempts = 6
requests_seen = 6
executions = 3
charges = 3
replays = 1
in_progress_answers = 1
store_errors = 1
rows_completed = 2
rows_in_progress = 1
"at_450.charges" = 2
"view.lost" = "success"
"view.unsaved" = "unknown"
"view.down" = "failure"
"#;

#[test]
fn requests_are_lost_and_late_and_answers_not_saved() {
    let trainer = Trainer::new();
    let file = trainer.home.write("own.toml", OWN).display().to_string();
    assert_eq!(check(&trainer, &file, &[]).len(), 1);
}

#[test]
fn a_store_that_is_not_the_labs_is_left_alone() {
    let trainer = Trainer::new();
    // A file that is there.
    let file = trainer.home.write("theirs.sqlite", "theirs");
    let target = format!("sqlite:{}", file.display());
    refused(
        &trainer,
        &["run", "S02", "--store", &target],
        "is there already",
    );
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "theirs");
    // A store that is marked as production, by its name and by its address.
    let book = "[connection.payments]\nurl = 'redis://127.0.0.1:1/'\nproduction = true\n";
    std::fs::create_dir_all(trainer.home.join("idemscope")).expect("a folder");
    trainer.home.write("idemscope/connections.toml", book);
    for target in ["payments", "redis://127.0.0.1:1/"] {
        refused(&trainer, &["run", "S02", "--store", target], "production");
    }
    // Keys of somebody else that begin like the lab's.
    let server = server::Server::start();
    let mut connection = server.connection();
    let theirs = "lab-shop:user:k1";
    redis::cmd("SET")
        .arg(theirs)
        .arg(1)
        .exec(&mut connection)
        .expect("a key");
    let failed = trainer.json(&["run", "S02", "--store", &server.url()]);
    let why = failed["variants"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("not the lab's"), "{why}");
    let value: i64 = redis::cmd("GET")
        .arg(theirs)
        .query(&mut connection)
        .expect("the key");
    assert_eq!(value, 1);
    // A schema of somebody else.
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, "CREATE SCHEMA idemscope_lab_s02_with_key");
    let failed = trainer.json(&["run", "S02", "--store", &server.database_url(&database)]);
    let why = failed["variants"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("not the lab's"), "{why}");
    assert_eq!(schemas(server, &database).len(), 1);
}

#[test]
fn a_port_in_use_and_a_store_that_is_not_there() {
    let trainer = Trainer::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("a port").port().to_string();
    let (code, _, err) = trainer.run(&["serve", "--port", &port]);
    assert_eq!((code, err.contains(&port)), (3, true), "{err}");
    for target in ["redis://127.0.0.1:1", "postgres://127.0.0.1:1/none"] {
        let (code, out, err) = trainer.run(&["run", "S02", "--store", target]);
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        assert!(err.starts_with("error: "), "{err}");
    }
    nothing_is_left(&trainer);
}

#[test]
fn servers_that_are_not_installed_are_named() {
    let trainer = Trainer::new();
    let tools = trainer.home.join("tools");
    std::fs::create_dir(&tools).expect("a folder");
    let mut command = trainer.command(&["run", "S12"]);
    let output = command
        .env("PATH", &tools)
        .output()
        .expect("the binary runs");
    let played: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    let first = &played["variants"][0];
    assert_eq!(first["passed"], Json::Null);
    assert_eq!(first["why"], "`redis-server` is not installed here");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_store_that_goes_away_in_the_middle() {
    let _beside = shared();
    let trainer = Trainer::new();
    let server = server::Server::start();
    let running = trainer
        .command(&["run", "S03", "--store", &server.url()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    let mut connection = server.connection();
    wait_for("the first record", || {
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg("lab-shop:*")
            .query(&mut connection)
            .ok()?;
        (!keys.is_empty()).then_some(())
    });
    server.kill();
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let played: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    for variant in played["variants"].as_array().expect("variants") {
        // One needs an SQL store.
        assert_ne!(variant["passed"], true);
        assert!(variant["why"].is_string(), "{variant}");
    }
    nothing_is_left(&trainer);
}

#[test]
fn an_interrupt_removes_what_was_written() {
    let trainer = Trainer::new();
    let server = postgres::Server::shared();
    let database = server.create_database();
    let running = trainer
        .command(&["run", "S03", "--store", &server.database_url(&database)])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    wait_for("a schema", || {
        (!schemas(server, &database).is_empty()).then_some(())
    });
    send(running.id(), Signal::Interrupt);
    let output = running.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), said.contains("removed")),
        (Some(4), true),
        "{said}"
    );
    assert_eq!(schemas(server, &database), [""; 0]);
    nothing_is_left(&trainer);
}

#[test]
fn a_lab_that_is_killed_takes_its_servers_along() {
    let trainer = Trainer::new();
    let mut running = trainer
        .command(&["run", "S12"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    wait_for("servers and shops", || {
        let lines = processes(&trainer);
        let has = |word: &str| lines.iter().any(|line| line.contains(word));
        (has("redis-server") && has("lab-shop")).then_some(())
    });
    running.kill().expect("it was running");
    running.wait().expect("it has ended");
    wait_for("all its processes to end", || {
        processes(&trainer).is_empty().then_some(())
    });
    // What was being made at that moment is removed by the next one.
    check(&trainer, "S02", &[]);
}
