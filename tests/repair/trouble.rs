//! When something is in the way: each has a clear sentence, and nothing is lost.

use std::collections::BTreeSet;

use crate::shell::Operator;
use crate::support::redis as server;

fn locks(server: &server::Server, count: usize) {
    let mut pipe = redis::pipe();
    for n in 0..count {
        pipe.cmd("SET")
            .arg(format!("idempotency:lock-{n}"))
            .arg("processing")
            .arg("EX")
            .arg(80_000)
            .ignore();
    }
    pipe.exec(&mut server.connection()).expect("written");
}

fn left(server: &server::Server) -> u64 {
    redis::cmd("DBSIZE")
        .query(&mut server.connection())
        .expect("read")
}

const STUCK: [&str; 4] = ["--stuck", "--older-than", "1m", "--yes"];

#[test]
fn a_full_disk_for_the_journal_changes_nothing() {
    let (operator, server) = (Operator::new(), server::Server::start());
    locks(&server, 300);
    // The files of this process may hold 1 KiB, which the header fits into.
    let full = "trap '' XFSZ; ulimit -f 1";
    let url = server.url();
    let ran = operator.run_after(full, &[&["release", &url], &STUCK[..]].concat());
    assert_eq!(ran.code, 4, "{} {}", ran.out, ran.err);
    assert_eq!(ran.outcomes(), "not_reached 300");
    assert!(
        ran.err.contains("the journal cannot be written"),
        "{}",
        ran.err
    );
    assert_eq!(left(&server), 300);
}

#[test]
fn a_journal_without_a_place_changes_nothing() {
    let (operator, server) = (Operator::new(), server::Server::start());
    locks(&server, 3);
    operator.home.write("idemscope", "a file in the way");
    let ran = operator.run(&[&["release", &server.url()], &STUCK[..]].concat());
    assert_eq!(ran.code, 4);
    assert!(ran.err.contains("nothing was changed"), "{}", ran.err);
    assert_eq!(left(&server), 3);
}

#[test]
fn a_replica_is_not_written_to() {
    let (operator, primary) = (Operator::new(), server::Server::start());
    locks(&primary, 3);
    let replica = server::Server::options()
        .args(&["--replicaof", "127.0.0.1", &primary.port().to_string()])
        .start();
    crate::support::process::wait_for("the replica", || (left(&replica) == 3).then_some(()));
    let ran = operator.run(&[&["release", &replica.url()], &STUCK[..]].concat());
    assert!(ran.code == 4 || ran.code == 3, "{} {}", ran.out, ran.err);
    assert!(
        ran.err.contains("replica") || ran.out.contains("replica"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert_eq!(left(&primary), 3);
}

#[test]
fn without_rights_each_record_says_what_is_missing() {
    let operator = Operator::new();
    let server = server::Server::options()
        .acl("user looker on >secret ~* +@read +scan +ping +time +info +dbsize +type")
        .start();
    locks(&server, 2);
    let url = format!("redis://looker:secret@127.0.0.1:{}", server.port());
    let ran = operator.run(&[&["release", &url], &STUCK[..]].concat());
    assert!(ran.code == 4 || ran.code == 3, "{} {}", ran.out, ran.err);
    assert_eq!(left(&server), 2);
    assert!(
        !ran.err.contains("secret@") && !ran.out.contains("secret"),
        "{} {}",
        ran.out,
        ran.err
    );
}

#[test]
fn a_run_that_is_interrupted_stops_cleanly_and_says_what_was_done() {
    let (operator, server) = (Operator::new(), server::Server::start());
    locks(&server, 60_000);
    let url = server.url();
    let run = operator.start(&[&["release", &url], &STUCK[..]].concat());
    let pid = run.id();
    crate::support::process::wait_for("the first release", || {
        (left(&server) < 60_000).then_some(())
    });
    crate::support::process::send(pid, crate::support::process::Signal::Interrupt);
    let ran = crate::shell::ran(run.wait_with_output().expect("it ends"));
    let outcomes = ran.json()["outcomes"].clone();
    let released = outcomes["released"].as_u64().expect("a count");
    let not_reached = outcomes["not_reached"].as_u64().expect("a count");
    assert_eq!(released + not_reached, 60_000, "{outcomes}");
    assert_eq!(left(&server), not_reached);
    assert_eq!(ran.code, if not_reached > 0 { 4 } else { 0 });
    let id = ran.journal_id();
    let shown = operator.run(&["journal", &id]).json();
    assert_eq!(shown["outcomes"], outcomes);
    let records = shown["keys"].as_array().expect("a list");
    let addresses: BTreeSet<&str> = records
        .iter()
        .filter_map(|record| record["address"].as_str())
        .collect();
    assert_eq!((records.len(), addresses.len()), (60_000, 60_000));
    let undone = operator.run(&["undo", &url, &ran.journal_id(), "--yes", "--quiet"]);
    assert_eq!(
        undone.json()["outcomes"]["restored"].as_u64(),
        Some(released)
    );
    assert_eq!(left(&server), 60_000);
}
