//! The lab on stores that a library finds by no URL: its shop, its records and its figures are there.

use crate::Person;
use crate::ssh::Way;
use crate::support::cluster::Cluster;
use crate::support::postgres::Server;
use crate::support::process::wait_for;
use crate::support::replica::{HBA, Replica};
use crate::support::sentinel::{Options, Watched};
use crate::support::tls::Certificates;
use crate::support::{pooler, redis};

/// A lost answer and its retry: claims, executes, stores, replays.
const SCENARIO: &str = "S01";

#[track_caller]
fn plays(person: &Person, store: &str, more: &[&str]) {
    let words = ["lab", "run", SCENARIO, "--store", store, "--format", "json"];
    let ran = person.run(&[&words, more].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ran.json()["passed"], true, "{}", ran.out);
    // The way is gone with the program.
    assert_eq!(person.ways(), Vec::<String>::new());
}

fn keys(server: &redis::Server) -> i64 {
    let mut connection = server.connection();
    redis_cmd("DBSIZE").query(&mut connection).expect("a count")
}

fn redis_cmd(name: &str) -> ::redis::Cmd {
    ::redis::cmd(name)
}

#[test]
fn the_lab_plays_in_a_cluster_and_leaves_nothing_there() {
    let cluster = Cluster::start(0);
    plays(&Person::new(), &cluster.url(), &[]);
    // The key that keeps two labs apart ends by itself where the program was quicker.
    wait_for("nothing to be left", || {
        (cluster.nodes.iter().map(keys).sum::<i64>() == 0).then_some(())
    });
}

#[test]
fn the_lab_plays_at_the_primary_that_sentinels_name() {
    let certificates = Certificates::new();
    let watched = Options::default()
        .tls(&certificates.server, &certificates.ca)
        .start();
    let ca = certificates.ca.display().to_string();
    plays(&Person::new(), &watched.url(), &["--ca", &ca]);
    let watched = Watched::start();
    let mut primary = watched.servers[watched.primary()].connection();
    redis_cmd("ACL")
        .arg(&["SETUSER", "app", "on", ">ours", "~*", "&*", "+@all"])
        .exec(&mut primary)
        .expect("a user");
    let url = watched.url().replacen("://", "://app:ours@", 1);
    plays(&Person::new(), &url, &[]);
    let wrong = watched.url().replacen("://", "://app:other-word@", 1);
    let words = ["lab", "run", SCENARIO, "--store", &wrong];
    let ran = Person::new().run(&words);
    ran.says(3, "WRONGPASS");
    assert!(!ran.err.contains("other-word"), "{}", ran.err);
}

#[test]
fn the_lab_plays_behind_an_ssh_host() {
    let way = Way::new();
    let server = redis::Server::start();
    let there = ["--ssh", "bastion"];
    plays(&way.person, &format!("{}/3", server.url()), &there);
    wait_for("nothing to be left", || (keys(&server) == 0).then_some(()));
    let rows = Server::start();
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", rows.port());
    plays(&way.person, &url, &there);
}

#[test]
fn the_lab_plays_where_rows_are_changed() {
    let certificates = Certificates::new();
    let ca = certificates.ca.display().to_string();
    let primary = Server::options().tls(&certificates.server).hba(HBA).start();
    let replica = Replica::of(&primary);
    let (main, other) = (primary.port(), replica.port());
    let hosts = format!("127.0.0.1:{other},127.0.0.1:{main}");
    let url = format!("postgres://postgres@{hosts}/postgres?sslmode=verify-full");
    plays(&Person::new(), &url, &["--ca", &ca]);
    let pooler = pooler::Pooler::before(&primary);
    let url = format!("postgres://postgres@127.0.0.1:{}/postgres", pooler.port());
    plays(&Person::new(), &url, &[]);
}
