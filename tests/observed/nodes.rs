//! What is seen of servers that are many, or that are reached by a way of their own: clusters, sentinels,
//! TLS, and passwords that have expired.

use std::process::Stdio;

use redis::ConnectionLike;
use serde_json::Value as Json;

use crate::support::cluster::{self, Cluster};
use crate::support::process::{Folder, spawn, wait_for};
use crate::support::redis::Server;
use crate::support::sentinel::Watched;
use crate::support::tls;
use crate::{Watch, claim, command, filled, finish, uuid};

fn fill(client: &mut impl ConnectionLike) {
    for number in 0..30 {
        assert!(claim(client, &uuid(number)));
        finish(client, &uuid(number));
    }
}

#[test]
fn a_cluster_tells_the_events_of_all_its_nodes() {
    let cluster = Cluster::with(0, || {
        Server::options().args(&["--notify-keyspace-events", "KEA"])
    });
    let mut client = cluster.client();
    fill(&mut client);
    let mut watch = Watch::start(&cluster.url());
    watch.next();
    for number in 100..130 {
        assert!(claim(&mut client, &uuid(number)));
    }
    let told = watch.until(|figures| {
        figures["events"]["value"]["written"] == 30 && figures["invalidations"]["value"] == 30
    });
    assert_eq!(told["events"]["source"], "keyspace_events");
    watch.end();
}

#[test]
fn one_node_without_events_is_not_passed_over() {
    let cluster = Cluster::start(0);
    for node in &cluster.nodes[1..] {
        let set = ["CONFIG", "SET", "notify-keyspace-events", "KEA"];
        assert_eq!(cluster::query(node, &set), "OK");
    }
    let mut client = cluster.client();
    fill(&mut client);
    let mut watch = Watch::start(&cluster.url());
    watch.next();
    for number in 100..130 {
        assert!(claim(&mut client, &uuid(number)));
    }
    let told = watch.until(|figures| figures["invalidations"]["value"] == 30);
    let why = told["events"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("not enabled"), "{}", told["events"]);
    watch.end();
}

#[test]
fn a_primary_behind_sentinels_tells_its_events() {
    let watched = Watched::start();
    let primary = &watched.servers[watched.primary()];
    let set = ["CONFIG", "SET", "notify-keyspace-events", "KEA"];
    assert_eq!(cluster::query(primary, &set), "OK");
    let mut connection = filled(primary);
    let mut watch = Watch::start(&watched.url());
    watch.next();
    assert!(claim(&mut connection, &uuid(70)));
    watch.until(|figures| {
        figures["events"]["value"]["written"] == 1 && figures["invalidations"]["value"] == 1
    });
    watch.end();
}

/// What commands are told of while this is done; it begins when every server is watched.
fn monitored(target: &[&str], servers: &[&Server], deed: impl FnOnce()) -> Json {
    let home = Folder::new();
    let base = ["stats", "--format", "json", "--monitor", "3s"];
    let mut command = command(&[&base, target].concat(), &home);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = spawn(command).expect("it starts");
    wait_for("a monitor", || {
        let mut servers = servers.iter();
        servers
            .all(|server| cluster::query(server, &["CLIENT", "LIST"]).contains("flags=O"))
            .then_some(())
    });
    deed();
    let output = child.wait_with_output().expect("an end");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    let told: Json = serde_json::from_slice(&output.stdout).expect("JSON");
    told["figures"]["monitor"].clone()
}

#[test]
fn commands_of_all_nodes_of_a_cluster_are_counted() {
    let cluster = Cluster::start(0);
    let mut client = cluster.client();
    fill(&mut client);
    let servers: Vec<&Server> = cluster.nodes.iter().collect();
    let told = monitored(&[&cluster.url()], &servers, || {
        for number in 100..130 {
            assert!(claim(&mut client, &uuid(number)));
        }
        assert!(!claim(&mut client, &uuid(100)));
    });
    assert_eq!(told["value"]["claims"], 31, "{told}");
    assert_eq!(told["value"]["keys"], 30);
    assert_eq!(told["value"]["claimed_again"], 1);
}

#[test]
fn commands_are_counted_through_tls_and_with_a_renewed_password() {
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let server = Server::options()
        .acl("user default on nopass ~* &* +@all\nuser looker on >first ~* &* +@all")
        .tls(&certificates.server)
        .start();
    let mut connection = filled(&server);
    let home = Folder::new();
    let file = home.write("token", "wrong\n");
    let script = home.write(
        "next",
        &format!("#!/bin/sh\ncat {0}; echo first > {0}\n", file.display()),
    );
    let ask = format!("sh {}", script.display());
    let url = server.tls_url().replace("rediss://", "rediss://looker@");
    let target = [&url, "--ca", &ca, "--password-command", &ask];
    let told = monitored(&target, &[&server], || {
        assert!(claim(&mut connection, &uuid(90)));
        assert!(!claim(&mut connection, &uuid(90)));
    });
    assert_eq!(told["value"]["claims"], 2, "{told}");
    assert_eq!(told["value"]["claimed_again"], 1);
}
