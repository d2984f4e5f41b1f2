//! Logins as managed services give them: commands, views and functions that are forbidden, one by one
//! and all together. Every feature works, or says in one sentence what it lacks.

use crate::support::cluster::{self, Cluster};
use crate::support::fetched::{self, REDIS_6_2, REDIS_8_2, VALKEY_8_1, VALKEY_9_1};
use crate::support::sentinel::Watched;
use crate::support::{long, postgres, redis as server};
use crate::{Person, lock, locks};

const COUNT: usize = 40;

/// What is taken from a login that may do all else.
const FORBIDDEN: [&str; 6] = [
    "-config",
    "-info",
    "-client",
    "-eval -evalsha -script",
    "-role -time -dbsize -object",
    "-config -info -client -eval -evalsha -script -time -dbsize -object -memory -monitor",
];

/// The URL with this login in it.
fn signed_in(url: &str, user: &str) -> String {
    url.replacen("://", &format!("://{user}:pass@"), 1)
}

/// Runs every feature; each does its work.
#[track_caller]
fn every_feature(person: &Person, url: &str, key: &str, label: &str) {
    let run = |words: &[&str]| {
        let ran = person.run(&[words, &["--lease", "10m", "--format", "json"]].concat());
        let said = format!("{label}, {words:?}: {} {}{}", ran.code, ran.out, ran.err);
        assert_eq!(ran.code, 0, "{said}");
        // A password is never said, nor a panic.
        assert!(!said.contains("panicked"), "{said}");
        ran.json()
    };
    let ran = person.run(&["summary", url, "--format", "json"]);
    assert_eq!(
        ran.json()["total"],
        COUNT,
        "{label}: {}{}",
        ran.out,
        ran.err
    );
    let listed = run(&["keys", url]);
    assert_eq!(listed.as_array().map(Vec::len), Some(COUNT), "{label}");
    assert_eq!(run(&["show", url, key])["stuck"], true, "{label}");
    run(&["detect", url]);
    run(&["stats", url]);
    run(&["rights", url]);
    run(&["connections", "test", url]);
    let released = run(&["release", url, "--stuck", "--yes"]);
    assert_eq!(released["outcomes"]["released"], COUNT, "{label}");
    let journal = released["journal_id"].as_str().expect("an id");
    let undone = run(&["undo", url, journal, "--yes"]);
    assert_eq!(undone["outcomes"]["restored"], COUNT, "{label}");
}

fn forbid(node: &server::Server, taken: &str) {
    let mut command = redis::cmd("ACL");
    command.arg("SETUSER").arg("limited");
    for word in "reset on >pass ~* &* +@all"
        .split(' ')
        .chain(taken.split(' '))
    {
        command.arg(word);
    }
    command.exec(&mut node.connection()).expect("a user");
}

#[test]
fn one_redis_without_what_managed_services_forbid() {
    let (person, server) = (Person::new(), server::Server::start());
    locks(&mut server.connection(), COUNT);
    for taken in FORBIDDEN {
        forbid(&server, taken);
        every_feature(
            &person,
            &signed_in(&server.url(), "limited"),
            &lock(3),
            taken,
        );
    }
}

#[test]
fn a_cluster_without_what_managed_services_forbid() {
    let (person, cluster) = (Person::new(), Cluster::start(0));
    locks(&mut cluster.client(), COUNT);
    for taken in FORBIDDEN {
        cluster.nodes.iter().for_each(|node| forbid(node, taken));
        every_feature(
            &person,
            &signed_in(&cluster.url(), "limited"),
            &lock(3),
            taken,
        );
    }
    // Without its map nobody knows where the keys are.
    for node in &cluster.nodes {
        forbid(node, "-cluster");
    }
    person
        .run(&["summary", &signed_in(&cluster.url(), "limited")])
        .says(
            3,
            "does not allow CLUSTER NODES, which tells where the keys are",
        );
}

#[test]
fn sentinels_without_what_managed_services_forbid() {
    let (person, watched) = (Person::new(), Watched::start());
    let primary = &watched.servers[watched.primary()];
    locks(&mut primary.connection(), COUNT);
    let url = signed_in(&watched.url(), "limited");
    for taken in FORBIDDEN {
        forbid(primary, taken);
        if !taken.contains("-role") {
            every_feature(&person, &url, &lock(3), taken);
        } else {
            // What a sentinel says is not believed unless the server says it too.
            person
                .run(&["summary", &url])
                .says(3, "does not say whether it is the primary");
        }
    }
}

/// What `idemscope rights` prints, carried out on these servers.
fn grant(person: &Person, url: &str, nodes: &[&server::Server]) {
    let ran = person.run(&["rights", url, "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let rights = ran.json();
    for name in ["looking", "repairing"] {
        for line in rights[name].as_array().expect("lines") {
            let line = line.as_str().expect("text").replace("PASSWORD", "pass");
            let mut words = line.split(' ');
            let mut command = redis::cmd(words.next().expect("a command"));
            words.for_each(|word| {
                command.arg(word);
            });
            for node in nodes {
                command.exec(&mut node.connection()).expect("an ACL");
            }
        }
    }
}

#[test]
fn what_is_printed_is_enough_everywhere() {
    let person = Person::new();
    let cluster = Cluster::start(0);
    locks(&mut cluster.client(), COUNT);
    let nodes: Vec<&server::Server> = cluster.nodes.iter().collect();
    grant(&person, &cluster.url(), &nodes);
    let watched = Watched::start();
    let primary = &watched.servers[watched.primary()];
    locks(&mut primary.connection(), COUNT);
    grant(&person, &watched.url(), &[primary]);
    for url in [cluster.url(), watched.url()] {
        let url = signed_in(&url, "idemscope_operator");
        every_feature(&person, &url, &lock(3), "as printed");
    }
    drop((cluster, watched));
    if !fetched::is_possible() {
        return println!("other servers are built for Linux on x86-64 only");
    }
    let mut packages = vec![REDIS_6_2, VALKEY_9_1];
    if long() {
        packages.extend([REDIS_8_2, VALKEY_8_1]);
    }
    for package in packages {
        let server = server::Server::options().program(&package.path()).start();
        locks(&mut server.connection(), COUNT);
        grant(&person, &server.url(), &[&server]);
        let url = signed_in(&server.url(), "idemscope_operator");
        every_feature(&person, &url, &lock(3), package.title);
        // Before 7.0 an expiry is reckoned from the server's clock.
        let is_old = package.title == REDIS_6_2.title;
        for taken in FORBIDDEN {
            let taken = match is_old {
                true => taken.replace(" -time", ""),
                false => taken.to_owned(),
            };
            forbid(&server, &taken);
            let label = format!("{}, {taken}", package.title);
            every_feature(
                &person,
                &signed_in(&server.url(), "limited"),
                &lock(3),
                &label,
            );
        }
    }
}

#[test]
fn a_replica_is_looked_at_with_what_is_printed() {
    let (person, watched) = (Person::new(), Watched::start());
    let primary = &watched.servers[watched.primary()];
    locks(&mut primary.connection(), COUNT);
    watched.until_replicated(&mut primary.connection());
    let url = primary.url();
    let ran = person.run(&["rights", &url, "--replica", "--format", "json"]);
    let rights = ran.json();
    let line = rights["looking"][0].as_str().expect("a line");
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    words
        .iter_mut()
        .for_each(|word| *word = word.replace("PASSWORD", "pass"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for node in &watched.servers {
        assert_eq!(cluster::query(node, &words), "OK");
    }
    let url = signed_in(&url, "idemscope_looker");
    let ran = person.run(&["summary", &url, "--replica", "--format", "json"]);
    assert_eq!(ran.json()["total"], COUNT, "{}", ran.err);
}

const TABLE: &str = "CREATE TABLE idempotency_keys (key text PRIMARY KEY, tenant text NOT NULL, \
     created_at timestamptz, locked_at timestamptz, request_path text, response_status int, \
     response_body text); \
     INSERT INTO idempotency_keys SELECT 'k' || n, 'acme', now(), now() - interval '1 hour', '/p' \
     FROM generate_series(1, 40) n; \
     CREATE ROLE limited LOGIN PASSWORD 'pass'; \
     GRANT SELECT, UPDATE ON idempotency_keys TO limited;";

#[test]
fn postgres_without_the_views_of_a_superuser() {
    let (person, server) = (Person::new(), postgres::Server::start());
    server.execute("postgres", TABLE);
    let url = server.role_url("limited", "pass", "postgres");
    every_feature(&person, &url, "k3", "a role");
    for taken in [
        "REVOKE ALL ON pg_catalog.pg_locks FROM PUBLIC",
        "REVOKE ALL ON pg_catalog.pg_stat_activity, pg_catalog.pg_settings FROM PUBLIC",
        "REVOKE ALL ON pg_catalog.pg_stat_user_tables, pg_catalog.pg_stat_all_tables, \
         pg_catalog.pg_stats FROM PUBLIC",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO limited",
    ] {
        // All that was taken before is still missing.
        server.execute("postgres", taken);
        every_feature(&person, &url, "k3", taken);
    }
}

#[test]
fn rows_that_a_policy_hides_are_neither_seen_nor_changed() {
    let (person, server) = (Person::new(), postgres::Server::start());
    server.execute("postgres", TABLE);
    server.execute(
        "postgres",
        "INSERT INTO idempotency_keys SELECT 'h' || n, 'other', now(), now() - interval '1 hour', '/p' \
         FROM generate_series(1, 7) n; \
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY own ON idempotency_keys FOR ALL TO limited USING (tenant = 'acme')",
    );
    let url = server.role_url("limited", "pass", "postgres");
    every_feature(&person, &url, "k3", "row-level security");
    let hidden = person.run(&["release", &url, "h1", "--yes", "--lease", "10m"]);
    assert!(hidden.out.contains("\"gone\": 1"), "{}", hidden.out);
    // A row that is really held is alive, policy or not.
    let hold = server.hold(
        "postgres",
        "UPDATE idempotency_keys SET locked_at = now() WHERE key = 'k2'",
    );
    let held = person.run(&["release", &url, "k2", "--yes", "--lease", "10m"]);
    assert!(held.out.contains("\"alive\": 1"), "{}", held.out);
    drop(hold);
    // Seen and not to be changed.
    server.execute(
        "postgres",
        "DROP POLICY own ON idempotency_keys; \
         CREATE POLICY seen ON idempotency_keys FOR SELECT TO limited USING (true); \
         CREATE POLICY own ON idempotency_keys FOR UPDATE TO limited USING (tenant = 'acme')",
    );
    let words = [
        "release", &url, "h1", "k1", "--yes", "--lease", "10m", "--format", "json",
    ];
    let ran = person.run(&words);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    let told = ran.json();
    for key in told["keys"].as_array().expect("keys") {
        let is_own = key["address"] == "public.idempotency_keys/k1";
        let wanted = if is_own { "released" } else { "refused" };
        assert_eq!(key["outcome"], wanted, "{told}");
    }
    let held = "SELECT locked_at IS NOT NULL FROM idempotency_keys WHERE key = 'h1'";
    assert_eq!(server.text("postgres", held).as_deref(), Some("true"));
}
