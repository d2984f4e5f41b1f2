//! Through SSH: who is trusted, who gets in, and that everything works behind it.

use std::path::Path;

use crate::support::cluster::Cluster;
use crate::support::process::Folder;
use crate::support::ssh::{Server, key, user};
use crate::support::{postgres, redis, tls};
use crate::{Person, locks};

/// A person with a key, a host that takes it and is known, and a name for it.
pub struct Way {
    pub person: Person,
    pub host: Server,
}

impl Way {
    pub fn new() -> Way {
        let person = Person::new();
        let own = key(&person.home, ".ssh/id_ed25519", "");
        let host = Server::start(&own);
        let way = Way { person, host };
        way.configure("");
        way.know(&way.host.known());
        way
    }

    /// `bastion` in the configuration, and what else is wanted.
    fn configure(&self, more: &str) {
        let port = self.host.port();
        let user = user();
        let text =
            format!("Host bastion\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n{more}\n");
        self.person.home.write(".ssh/config", &text);
    }

    fn know(&self, lines: &str) {
        self.person.home.write(".ssh/known_hosts", lines);
    }

    fn count(&self, target: &str, more: &[&str]) -> u64 {
        let words = ["summary", target, "--ssh", "bastion", "--format", "json"];
        let ran = self.person.run(&[&words, more].concat());
        ran.json()["total"].as_u64().expect("a count")
    }
}

fn article(count: usize) -> redis::Server {
    let server = redis::Server::start();
    locks(&mut server.connection(), count);
    server
}

#[test]
fn redis_and_postgres_are_read_and_changed_behind_a_host() {
    let way = Way::new();
    let server = article(20);
    let url = server.url();
    assert_eq!(way.count(&url, &[]), 20);
    let release = [
        "release",
        &url,
        "--ssh",
        "bastion",
        "--stuck",
        "--older-than",
        "10m",
        "--yes",
        "--format",
        "json",
    ];
    let ran = way.person.run(&release);
    assert_eq!(ran.json()["outcomes"]["released"], 20, "{}", ran.err);
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(&database, &crate::table_of_locks(30));
    let url = server.database_url(&database);
    assert_eq!(way.count(&url, &["--lease", "10m"]), 30);
    // The socket of the way is gone with the program.
    assert_eq!(way.person.ways(), Vec::<String>::new());
}

#[test]
fn a_cluster_is_read_behind_a_host() {
    let way = Way::new();
    let cluster = Cluster::start(0);
    locks(&mut cluster.client(), 60);
    assert_eq!(way.count(&cluster.url(), &[]), 60);
}

#[test]
fn certificates_are_looked_at_through_ssh() {
    let way = Way::new();
    let certificates = tls::Certificates::new();
    let server = redis::Server::options().tls(&certificates.server).start();
    locks(&mut server.connection(), 5);
    let ca = certificates.ca.display().to_string();
    assert_eq!(way.count(&server.tls_url(), &["--ca", &ca]), 5);
    let other = certificates.other_ca.display().to_string();
    let words = [
        "summary",
        &server.tls_url(),
        "--ssh",
        "bastion",
        "--ca",
        &other,
    ];
    way.person.run(&words).says(3, "unknown CA");
    // PostgreSQL's library dials nothing here: who the server is is looked at all the same.
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .start();
    server.execute(
        "postgres",
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, locked_at timestamptz)",
    );
    let url = format!(
        "postgres://{}@127.0.0.1:{}/postgres?sslmode=verify-full&sslrootcert={ca}",
        "postgres",
        server.port()
    );
    let words = [
        "connections",
        "test",
        &url,
        "--ssh",
        "bastion",
        "--format",
        "json",
    ];
    let told = way.person.run(&words).json();
    assert_eq!(told["encryption"], "encrypted, server verified");
    let url = url.replace(&ca, &other);
    let words = ["summary", &url, "--ssh", "bastion"];
    way.person.run(&words).says(3, "unknown CA");
}

#[test]
fn a_certificate_of_our_own_is_shown_through_ssh() {
    let way = Way::new();
    let certificates = tls::Certificates::new();
    let path = |path: &Path| path.display().to_string();
    let (ca, client) = (path(&certificates.ca), &certificates.client);
    let shown = [
        "--cert",
        &path(&client.cert),
        "--cert-key",
        &path(&client.key),
    ];
    let server = redis::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .start();
    locks(&mut server.connection(), 5);
    let url = server.tls_url();
    let more = ["--ca", &ca];
    assert_eq!(way.count(&url, &[&more[..], &shown].concat()), 5);
    let words = ["summary", &url, "--ssh", "bastion", "--ca", &ca];
    way.person.run(&words).says(3, "client certificate");
    let server = postgres::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .hba("hostssl all all 127.0.0.1/32 trust clientcert=verify-ca")
        .start();
    server.execute(
        "postgres",
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
         locked_at timestamptz, request_path text, response_status int, response_body text); \
         INSERT INTO idempotency_keys SELECT 'k' || n, now(), now(), '/p' \
         FROM generate_series(1, 8) n",
    );
    let url = format!(
        "postgres://postgres@127.0.0.1:{}/postgres?sslmode=verify-full&sslrootcert={ca}",
        server.port()
    );
    assert_eq!(way.count(&url, &shown), 8);
    let ran = way.person.run(&["summary", &url, "--ssh", "bastion"]);
    ran.says(3, "certificate");
}

#[test]
fn a_host_is_trusted_by_its_key_alone() {
    let way = Way::new();
    let server = article(1);
    let words = ["summary", &server.url(), "--ssh", "bastion"];
    way.know("");
    way.person.run(&words).says(3, "in no file of known hosts");
    // Another key under the same name: somebody may be in between.
    let folder = Folder::new();
    let other = key(&folder, "other", "");
    let public = crate::support::ssh::public(&other);
    way.know(&format!("[127.0.0.1]:{} {public}", way.host.port()));
    way.person
        .run(&words)
        .says(3, "another key than the one that is known");
    way.know(&way.host.known());
    assert_eq!(way.person.run(&words).code, 0);
    // Known by a key of another kind, and under another name.
    way.know(&way.host.known_otherwise());
    assert_eq!(way.person.run(&words).code, 0);
    let port = way.host.port();
    let renamed = way
        .host
        .known()
        .replace(&format!("[127.0.0.1]:{port}"), "shop");
    way.know(&renamed);
    way.person.run(&words).says(3, "in no file of known hosts");
    way.configure("  HostKeyAlias Shop\n");
    assert_eq!(way.person.run(&words).code, 0);
    // What was revoked is refused, and so is a list that cannot be read.
    way.configure("  RevokedHostKeys ~/.ssh/revoked\n");
    way.know(&way.host.known());
    way.person.run(&words).says(3, "the list of revoked keys");
    let key = way.host.known();
    let (_, key) = key.split_once(' ').expect("a line");
    way.person.home.write(".ssh/revoked", key);
    way.person.run(&words).says(3, "a key that was revoked");
}

#[test]
fn who_does_not_get_in_is_told_why() {
    let way = Way::new();
    let server = article(1);
    let url = server.url();
    let words = ["summary", &url, "--ssh", "bastion"];
    let folder = Folder::new();
    let other = key(&folder, "other", "");
    way.configure(&format!("  IdentityFile {}\n", other.display()));
    way.person.run(&words).says(3, "was refused");
    way.configure("  IdentityFile /nowhere\n");
    way.person.run(&words).says(3, "there is no key to show");
    // A locked key, without its passphrase, with another one, and with it.
    let locked = key(&folder, "locked", "hunter2 hunter2");
    let host = Server::start(&locked);
    let way = Way { host, ..way };
    way.configure(&format!("  IdentityFile {}\n", locked.display()));
    way.know(&way.host.known());
    way.person.run(&words).says(3, "is locked");
    let with = |passphrase| {
        way.person
            .run_with(&words, &[("IDEMSCOPE_SSH_PASSPHRASE", passphrase)])
    };
    with("wrong").says(3, "does not open with this passphrase");
    let ran = with("hunter2 hunter2");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.err.contains("hunter2"));
}

#[test]
fn an_agent_shows_its_keys() {
    let way = Way::new();
    let server = article(1);
    let folder = Folder::new();
    let socket = folder.join("agent.sock");
    let mut agent = std::process::Command::new("ssh-agent");
    agent.arg("-D").arg("-a").arg(&socket);
    let mut agent = crate::support::process::spawn(agent).expect("an agent");
    crate::support::process::wait_for("the agent", || socket.exists().then_some(()));
    let own = way.person.home.join(".ssh/id_ed25519");
    let add = |path: &Path| {
        let mut add = std::process::Command::new("ssh-add");
        add.arg(path).env("SSH_AUTH_SOCK", &socket);
        assert!(add.output().expect("ssh-add").status.success());
    };
    add(&own);
    std::fs::remove_file(&own).expect("the key is with the agent only");
    let at = socket.display().to_string();
    let url = server.url();
    let words = ["summary", &url, "--ssh", "bastion"];
    let ran = way.person.run_with(&words, &[("SSH_AUTH_SOCK", &at)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    way.person.run(&words).says(3, "there is no key to show");
    // Among many, the one that is named comes first: its public half is enough for that.
    let remove = |path: &Path| {
        let mut remove = std::process::Command::new("ssh-add");
        remove.arg("-d").arg(path).env("SSH_AUTH_SOCK", &socket);
        assert!(remove.output().expect("ssh-add").status.success());
    };
    let moved = key(&folder, "moved", "");
    let many: Vec<_> = (0..8)
        .map(|at| key(&folder, &format!("many{at}"), ""))
        .collect();
    many.iter().for_each(|path| add(path));
    add(&moved);
    let host = Server::start(&moved);
    let way = Way { host, ..way };
    way.know(&way.host.known());
    way.configure("");
    let asked = [("SSH_AUTH_SOCK", at.as_str())];
    way.person
        .run_with(&words, &asked)
        .says(3, "the agent's keys were refused");
    let named = format!("  IdentityFile {}\n", moved.display());
    way.configure(&named);
    assert_eq!(way.person.run_with(&words, &asked).code, 0);
    std::fs::remove_file(&moved).expect("the agent has it");
    assert_eq!(way.person.run_with(&words, &asked).code, 0);
    way.configure(&format!("{named}  IdentitiesOnly yes\n"));
    assert_eq!(way.person.run_with(&words, &asked).code, 0);
    // An agent that does not sign any more is no reason to stop.
    remove(&moved.with_extension("pub"));
    let ran = way.person.run_with(&words, &asked);
    ran.says(3, "is not there, and no agent holds it");
    let _ = agent.kill();
    let _ = agent.wait();
}

#[test]
fn a_key_that_an_agent_will_not_sign_with_is_passed_over() {
    let way = Way::new();
    let server = article(1);
    let folder = Folder::new();
    let socket = folder.join("agent.sock");
    let mut agent = std::process::Command::new("ssh-agent");
    agent.arg("-D").arg("-a").arg(&socket);
    let mut agent = crate::support::process::spawn(agent).expect("an agent");
    crate::support::process::wait_for("the agent", || socket.exists().then_some(()));
    let at = socket.display().to_string();
    let own = way.person.home.join(".ssh/id_ed25519");
    // Two keys are taken; the first one wants somebody to confirm, and nobody is there.
    let asking = key(&folder, "asking", "");
    let both = [
        crate::support::ssh::public(&asking),
        crate::support::ssh::public(&own),
    ]
    .concat();
    std::fs::write(asking.with_extension("pub"), &both).expect("a file");
    let host = Server::start(&asking);
    std::fs::write(
        asking.with_extension("pub"),
        both.lines().next().unwrap_or_default(),
    )
    .expect("a file");
    let way = Way { host, ..way };
    way.know(&way.host.known());
    let asking_path = asking.display();
    way.configure(&format!(
        "  IdentityFile {asking_path}\n  IdentityFile {}\n",
        own.display()
    ));
    let mut add = std::process::Command::new("ssh-add");
    add.arg("-c").arg(&asking).env("SSH_AUTH_SOCK", &socket);
    assert!(add.output().expect("ssh-add").status.success());
    let url = server.url();
    let words = ["summary", &url, "--ssh", "bastion"];
    let ran = way.person.run_with(&words, &[("SSH_AUTH_SOCK", &at)]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    way.configure(&format!(
        "  IdentityFile {asking_path}\n  IdentitiesOnly yes\n"
    ));
    let ran = way.person.run_with(&words, &[("SSH_AUTH_SOCK", &at)]);
    ran.says(3, "the agent does not sign");
    let _ = agent.kill();
    let _ = agent.wait();
}

#[test]
fn a_match_block_leads_nobody_astray() {
    let way = Way::new();
    let server = article(1);
    let config = way.person.home.join(".ssh/config");
    let usual = std::fs::read_to_string(&config).expect("a configuration");
    let url = server.url();
    let words = ["summary", &url, "--ssh", "bastion"];
    let other = "Match originalhost prod\n  HostName 192.0.2.1\n";
    way.person
        .home
        .write(".ssh/config", &format!("{other}{usual}"));
    assert_eq!(way.person.run(&words).code, 0);
    let mark = way.person.home.join("was-run");
    let runs = format!("Match exec \"touch {}\"\n  User eve\n", mark.display());
    way.person
        .home
        .write(".ssh/config", &format!("{runs}{usual}"));
    way.person.run(&words).says(2, "`Match exec`");
    assert!(!mark.exists());
}

#[test]
fn jumps_are_followed_and_what_a_host_forbids_is_told() {
    let way = Way::new();
    let own = way.person.home.join(".ssh/id_ed25519");
    let inner = Server::start(&own);
    let forbids = Server::with(&own, "AllowTcpForwarding no");
    let user = user();
    way.configure(&format!(
        "Host inner\n  HostName 127.0.0.1\n  Port {}\n  User {user}\n  ProxyJump bastion\n\
         Host forbids\n  HostName 127.0.0.1\n  Port {}\n  User {user}\n",
        inner.port(),
        forbids.port()
    ));
    let known = [way.host.known(), inner.known(), forbids.known()].concat();
    way.know(&known);
    let server = article(3);
    let url = server.url();
    let ran = way
        .person
        .run(&["summary", &url, "--ssh", "inner", "--format", "json"]);
    assert_eq!(ran.json()["total"], 3, "{}", ran.err);
    let ran = way.person.run(&["summary", &url, "--ssh", "forbids"]);
    ran.says(3, "does not allow a line there");
    let ran = way
        .person
        .run(&["summary", "redis://127.0.0.1:1", "--ssh", "bastion"]);
    ran.says(3, "does not reach it");
    let ran = way
        .person
        .run(&["summary", &url, "--ssh", "nobody@127.0.0.1:1"]);
    ran.says(3, "cannot be reached");
}
