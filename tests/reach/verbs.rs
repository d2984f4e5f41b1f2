//! Every change that the command line offers, wherever keys stand; and servers that lack a command.

use redis::ConnectionLike;

use crate::ssh::Way;
use crate::support::cluster::Cluster;
use crate::support::redis::Server;
use crate::support::sentinel::Watched;
use crate::{Person, locks};

const ANSWERED: usize = 12;
const OPEN: &str = "idempotency:ord-open";

fn run(connection: &mut impl ConnectionLike, words: &[&str]) {
    let (name, rest) = words.split_first().expect("a command");
    redis::cmd(name).arg(rest).exec(connection).expect("done");
}

/// Answers of which each is one key, and a lock that is a hash.
fn fill(connection: &mut impl ConnectionLike) {
    for number in 0..ANSWERED {
        let key = format!("idempotency:ord-{number}");
        let answer = r#"{"status": 201, "body": {"id": 7}}"#;
        run(connection, &["SET", &key, answer, "EX", "80000"]);
    }
    let lock = ["HSET", OPEN, "status", "processing", "payload_hash", "da4f"];
    run(connection, &lock);
    run(connection, &["EXPIRE", OPEN, "80000"]);
}

fn changes(person: &Person, url: &str, more: &[&str]) {
    let body = person.home.write("body.json", r#"{"id":9}"#);
    let body = body.display().to_string();
    let run = |words: &[&str]| {
        let ran = person.run(&[words, more, &["--format", "json"]].concat());
        assert_eq!(ran.code, 0, "{words:?} {}{}", ran.out, ran.err);
        ran.json()
    };
    let back = |told: &serde_json::Value, count: usize| {
        let journal = told["journal_id"].as_str().expect("an id");
        let undone = run(&["undo", url, journal, "--yes"]);
        assert_eq!(undone["outcomes"]["restored"], count, "{undone}");
    };
    let purged = run(&["purge", url, "--query", "status:completed", "--yes"]);
    assert_eq!(purged["outcomes"]["purged"], ANSWERED, "{purged}");
    assert_eq!(run(&["summary", url])["total"], 1);
    back(&purged, ANSWERED);
    let answer = ["--response-status", "201", "--body", &body, "--yes"];
    let settled = run(&[&["settle", url, OPEN][..], &answer].concat());
    assert_eq!(settled["outcomes"]["settled"], 1, "{settled}");
    assert_eq!(run(&["summary", url])["by_status"]["processing"], 0);
    back(&settled, 1);
    let summary = run(&["summary", url]);
    assert_eq!(summary["by_status"]["processing"], 1, "{summary}");
    assert_eq!(summary["total"], ANSWERED + 1, "{summary}");
}

#[test]
fn records_of_a_cluster_are_purged_settled_and_put_back() {
    let cluster = Cluster::start(0);
    fill(&mut cluster.client());
    changes(&Person::new(), &cluster.url(), &[]);
    // And behind a host, which is really gone through.
    let way = Way::new();
    let there = ["--ssh", "bastion"];
    changes(&way.person, &cluster.url(), &there);
    way.host.kill();
    let words = ["summary", &cluster.url(), "--ssh", "bastion"];
    assert_eq!(way.person.run(&words).code, 3);
}

#[test]
fn records_at_a_primary_that_sentinels_name_are_purged_settled_and_put_back() {
    let watched = Watched::start();
    fill(&mut watched.servers[watched.primary()].connection());
    changes(&Person::new(), &watched.url(), &[]);
    let way = Way::new();
    changes(&way.person, &watched.url(), &["--ssh", "bastion"]);
    way.host.kill();
    let words = ["summary", &watched.url(), "--ssh", "bastion"];
    assert_eq!(way.person.run(&words).code, 3);
}

/// As services do that hide what is dangerous.
#[test]
fn commands_that_are_renamed_are_done_without() {
    let mut options = Server::options();
    for name in [
        "EVAL", "EVALSHA", "CONFIG", "INFO", "TIME", "CLIENT", "UNLINK", "GETRANGE", "MGET",
        "STRLEN", "MEMORY",
    ] {
        options = options.args(&["--rename-command", name, ""]);
    }
    let server = options.start();
    let (person, url) = (Person::new(), server.url());
    locks(&mut server.connection(), 30);
    let words = ["release", &url, "--stuck", "--older-than", "10m", "--yes"];
    let released = person.run(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(
        released.json()["outcomes"]["released"],
        30,
        "{}",
        released.err
    );
    fill(&mut server.connection());
    changes(&person, &url, &[]);
}
