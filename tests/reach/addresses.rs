//! Addresses in IPv6, by every way; what a URL means to PostgreSQL's own clients; and whom the system
//! itself trusts.

use crate::ssh::Way;
use crate::support::cluster::Cluster;
use crate::support::ssh::{self, key, user};
use crate::support::{postgres, redis, tls};
use crate::{Person, locks};

const BOTH: [&str; 3] = ["--bind", "127.0.0.1", "::1"];

fn count(person: &Person, target: &str, more: &[&str]) -> u64 {
    let words = ["summary", target, "--format", "json"];
    let ran = person.run(&[&words, more].concat());
    ran.json()["total"].as_u64().expect("a count")
}

/// A host that is reached by `[::1]` alone, and is known so.
fn bastion() -> Way {
    let person = Person::new();
    let own = key(&person.home, ".ssh/id_ed25519", "");
    let host = ssh::Server::with(&own, "ListenAddress ::1");
    let known = host.known().replace("127.0.0.1", "::1");
    person.home.write(".ssh/known_hosts", &known);
    let text = format!(
        "Host bastion\n  HostName ::1\n  Port {}\n  User {}\n",
        host.port(),
        user()
    );
    person.home.write(".ssh/config", &text);
    Way { person, host }
}

#[test]
fn one_server_is_reached_in_ipv6_with_and_without_ssh() {
    let way = bastion();
    let server = redis::Server::options().args(&BOTH).start();
    locks(&mut server.connection(), 20);
    let url = format!("redis://[::1]:{}/0", server.port());
    assert_eq!(count(&way.person, &url, &[]), 20);
    assert_eq!(count(&way.person, &url, &["--ssh", "bastion"]), 20);
    let port = way.host.port();
    let host = format!("{}@[::1]:{port}", user());
    let release = ["release", &url, "--ssh", &host, "--stuck", "--lease", "1m"];
    let ran = way
        .person
        .run(&[&release[..], &["--yes", "--format", "json"]].concat());
    assert_eq!(ran.json()["outcomes"]["released"], 20, "{}", ran.err);
    let journal = way.person.run(&["journal", "--format", "json"]);
    journal.says(0, &format!("through {host}"));

    let server = postgres::Server::options()
        .setting("listen_addresses", "127.0.0.1,::1")
        .start();
    server.execute("postgres", &crate::table_of_locks(30));
    let url = server.url().replace("127.0.0.1", "[::1]");
    assert_eq!(count(&way.person, &url, &["--lease", "10m"]), 30);
    let through = ["--lease", "10m", "--ssh", "bastion"];
    assert_eq!(count(&way.person, &url, &through), 30);
}

#[test]
fn nodes_that_call_themselves_by_ipv6_are_followed() {
    let cluster = Cluster::with(0, || {
        let announced = ["--cluster-announce-ip", "::1"];
        redis::Server::options().args(&BOTH).args(&announced)
    });
    let way = bastion();
    let nodes = cluster.nodes.iter().map(redis::Server::port);
    let nodes: Vec<String> = nodes.map(|port| format!("[::1]:{port}")).collect();
    for number in 0..60 {
        let owner = cluster.owner(crate::cluster::crc(&crate::lock(number)));
        let mut set = ::redis::cmd("SET");
        set.arg(crate::lock(number)).arg("processing");
        set.arg("PX").arg(82_800_000);
        set.exec(&mut cluster.nodes[owner].connection())
            .expect("written");
    }
    let url = format!("redis+cluster://{}", nodes[0]);
    assert_eq!(count(&way.person, &url, &[]), 60);
    assert_eq!(count(&way.person, &url, &["--ssh", "bastion"]), 60);
    let release = ["release", &url, "--stuck", "--lease", "1m", "--yes"];
    let ran = way
        .person
        .run(&[&release[..], &["--format", "json"]].concat());
    assert_eq!(ran.json()["outcomes"]["released"], 60, "{}", ran.err);
}

#[test]
fn redis_is_believed_whom_the_system_believes() {
    let certificates = tls::Certificates::new();
    let server = redis::Server::options().tls(&certificates.by_name).start();
    locks(&mut server.connection(), 5);
    let url = format!("rediss://localhost:{}/0", server.port());
    let person = Person::new();
    let words = ["summary", &url, "--format", "json"];
    person.run(&words).says(3, "unknown");
    let ca = certificates.ca.display().to_string();
    let ran = person.run_with(&words, &[("SSL_CERT_FILE", &ca)]);
    assert_eq!(ran.json()["total"], 5, "{}", ran.err);
}

#[test]
fn parameters_lead_where_they_lead_other_clients() {
    let servers = [3, 5].map(|rows| {
        let server = postgres::Server::start();
        let table = format!(
            "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
             locked_at timestamptz, tenant text, request_path text, response_status int, \
             response_body text); \
             INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', \
             CASE WHEN n < 3 THEN 'acme corp' ELSE 'other' END, '/p' \
             FROM generate_series(1, {rows}) n"
        );
        server.execute("postgres", &table);
        server
    });
    let person = Person::new();
    let lease = ["--lease", "10m"];
    let (straight, other) = (servers[0].url(), servers[1].port());
    assert_eq!(count(&person, &straight, &lease), 3);
    let url = format!("{straight}?host=127.0.0.1&port={other}");
    assert_eq!(count(&person, &url, &lease), 5);
    let folder = servers[1].socket_dir();
    let url = format!("{straight}?host={}&port={other}", folder.display());
    assert_eq!(count(&person, &url, &lease), 5);
    servers[1].execute(
        "postgres",
        "CREATE ROLE app LOGIN; GRANT SELECT ON idempotency_keys TO app; \
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY own ON idempotency_keys USING (tenant = current_setting('app.tenant', true))",
    );
    let options = "options=-c%20app.tenant%3Dacme%5C%20corp";
    let url = format!("postgres://nobody@127.0.0.1:{other}/postgres?user=app&{options}");
    assert_eq!(count(&person, &url, &lease), 2);
}
