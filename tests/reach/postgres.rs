//! PostgreSQL that is more than one open server: replicas, several hosts, a pooler, another name.

use crate::Person;
use crate::support::process::wait_for;
use crate::support::replica::{HBA, Replica};
use crate::support::{pooler, postgres, tls};

const TABLE: &str = "CREATE TABLE idempotency_keys (key text PRIMARY KEY, created_at timestamptz, \
     locked_at timestamptz, request_path text, response_status int, response_body text); \
     INSERT INTO idempotency_keys SELECT 'k' || n, now(), now() - interval '1 hour', '/p' \
     FROM generate_series(1, 40) n";

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
    let (main, other) = (primary.port(), replica.port());
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

#[test]
fn where_each_setting_comes_from_is_shown_and_no_secret() {
    let person = Person::new();
    let pass = person.home.write(".pgpass", "*:*:*:*:from-the-file\n");
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&pass, private).expect("its mode");
    person
        .home
        .write(".pg_service.conf", "[shop]\nuser=svc\ndbname=shopdb\n");
    person.home.write(
        ".ssh/config",
        "Host bastion\n  HostName 10.0.0.1\n  User ada\n",
    );
    let words = [
        "connections",
        "show",
        "postgres://h/?service=shop",
        "--ssh",
        "bastion",
        "--timeout",
        "5s",
        "--format",
        "json",
    ];
    let ran = person.run_with(&words, &[("PGSSLMODE", "require"), ("PGPORT", "7")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!ran.out.contains("from-the-file"), "{}", ran.out);
    let told = ran.json();
    let of = |name: &str| {
        let all = told["settings"].as_array().expect("settings");
        let one = all.iter().find(|setting| setting["name"] == name);
        let one = one.unwrap_or_else(|| panic!("{name}: {told}"));
        let text = |member: &str| one[member].as_str().unwrap_or("-").to_owned();
        [text("value"), text("from"), text("detail")]
    };
    assert_eq!(of("host"), ["h", "url", "-"]);
    assert_eq!(of("port"), ["7", "environment", "PGPORT"]);
    assert_eq!(of("user"), ["svc", "service_file", "shop"]);
    assert_eq!(of("database"), ["shopdb", "service_file", "shop"]);
    assert_eq!(of("password"), ["-", "password_file", "-"]);
    assert_eq!(of("sslmode"), ["require", "environment", "PGSSLMODE"]);
    assert_eq!(of("timeout"), ["5 s", "option", "--timeout"]);
    assert_eq!(of("ssh"), ["bastion", "option", "--ssh"]);
    assert_eq!(of("ssh host"), ["10.0.0.1", "ssh_config", "-"]);
    assert_eq!(of("ssh user"), ["ada", "ssh_config", "-"]);
    assert_eq!(of("ssh port"), ["22", "default", "-"]);
}

#[test]
fn a_renewed_password_is_in_no_error_either() {
    let person = Person::new();
    let server = postgres::Server::options()
        .hba("host all all 127.0.0.1/32 scram-sha-256")
        .start();
    // The name of the database is the second password: the server says it in its error.
    server.execute("postgres", "CREATE ROLE ada LOGIN PASSWORD 'renewed-word'");
    let file = person.home.write("token", "old-word\n");
    let script = person.home.write(
        "next",
        &format!(
            "#!/bin/sh\ncat {0}; echo renewed-word > {0}\n",
            file.display()
        ),
    );
    let url = format!(
        "postgres://ada@127.0.0.1:{}/renewed-word?sslmode=disable",
        server.port()
    );
    let command = format!("sh {}", script.display());
    let ran = person.run(&["summary", &url, "--password-command", &command]);
    ran.says(3, "has no such database");
    let error = ran.err.lines().find(|line| line.starts_with("error"));
    assert!(
        !error.unwrap_or_default().contains("renewed-word"),
        "{}",
        ran.err
    );
}

#[test]
fn an_address_is_where_a_host_is_and_its_name_is_what_it_has_to_prove() {
    let certificates = tls::Certificates::new();
    let ca = certificates.ca.display().to_string();
    let server = postgres::Server::options()
        .tls(&certificates.wrong_name)
        .hba("host all all 127.0.0.1/32 scram-sha-256")
        .start();
    server.execute("postgres", TABLE);
    server.execute("postgres", "CREATE ROLE ada LOGIN PASSWORD 'right'");
    let person = Person::new();
    let port = server.port();
    // By its name in the password file, too.
    let kept = format!("127.0.0.1:*:*:*:wrong\nelsewhere.example:{port}:*:ada:right\n");
    private(&person, ".pgpass", &kept);
    let url = |more: &str| {
        format!(
            "postgres://ada@elsewhere.example:{port}/postgres?sslmode=verify-full\
             &sslrootcert={ca}{more}"
        )
    };
    let test = |url: &str, variables: &[(&str, &str)]| {
        let words = ["connections", "test", url, "--format", "json"];
        person.run_with(&words, variables)
    };
    let told = test(&url("&hostaddr=127.0.0.1"), &[]);
    let words = "encrypted, server verified";
    assert_eq!(told.json()["encryption"], words, "{}", told.err);
    let told = test(&url(""), &[("PGHOSTADDR", "127.0.0.1")]);
    assert_eq!(told.json()["encryption"], words, "{}", told.err);
    test(&url("&hostaddr=127.0.0.1,127.0.0.1"), &[]).says(2, "as many addresses");
    let shown = ["connections", "show", &url(""), "--format", "json"];
    let shown = person
        .run_with(&shown, &[("PGHOSTADDR", "127.0.0.1")])
        .json();
    let settings = shown["settings"].as_array().expect("settings");
    let address = settings.iter().find(|one| one["name"] == "address");
    let address = address.expect("the address");
    assert_eq!(address["value"], "127.0.0.1");
    assert_eq!(address["detail"], "PGHOSTADDR");
}

fn private(person: &Person, name: &str, text: &str) {
    let file = person.home.write(name, text);
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(file, private).expect("its mode");
}

#[test]
fn each_host_has_its_own_password_in_the_file() {
    let server = |password: &str| {
        let rules = "host all all 127.0.0.1/32 scram-sha-256";
        let server = postgres::Server::options().hba(rules).start();
        let role = format!("CREATE ROLE ada LOGIN PASSWORD '{password}'");
        server.execute("postgres", &role);
        server
    };
    let (first, second) = (server("one"), server("two"));
    let person = Person::new();
    let (a, b) = (first.port(), second.port());
    let kept = format!("127.0.0.1:{a}:*:ada:one\n127.0.0.1:{b}:*:ada:two\n");
    private(&person, ".pgpass", &kept);
    let hosts = format!("127.0.0.1:{a},127.0.0.1:{b}");
    let url = format!("postgres://ada@{hosts}/postgres?sslmode=disable");
    assert_eq!(person.run(&["summary", &url]).code, 0);
    first.kill();
    let ran = person.run(&["summary", &url]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn what_is_said_and_not_used_is_named() {
    let person = Person::new();
    let server = postgres::Server::shared();
    let service = format!(
        "[shop]\nhost=127.0.0.1\nport={}\nuser=postgres\ndbname=postgres\nsslcrl=/x\n",
        server.port()
    );
    person.home.write(".pg_service.conf", &service);
    let words = ["summary", "postgres://?service=shop"];
    let variables = [("PGREQUIREAUTH", "scram-sha-256"), ("PGSSLCRLDIR", "/x")];
    let ran = person.run_with(&words, &variables);
    for words in [
        "the parameter `sslcrl` of the service `shop` is not known and not used",
        "the variable `PGREQUIREAUTH` is not used",
        "the variable `PGSSLCRLDIR` is not used",
    ] {
        ran.says(0, words);
    }
    let words = ["summary", &server.url()];
    let ran = person.run_with(&words, &[("PGCHANNELBINDING", "require")]);
    ran.says(2, "`channel_binding=require` is not served");
}

#[test]
fn own_certificates_are_trusted_instead_of_those_of_the_machine() {
    let certificates = tls::Certificates::new();
    let path = |path: &std::path::Path| path.display().to_string();
    let (ca, other) = (path(&certificates.ca), path(&certificates.other_ca));
    let server = postgres::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .hba("hostssl all all 127.0.0.1/32 trust clientcert=verify-ca")
        .start();
    let person = Person::new();
    let url = |more: &str| format!("{}?{more}", server.url());
    // As if the whole world trusted this server.
    let known = [("SSL_CERT_FILE", ca.as_str())];
    let test = |more: &str| {
        let url = url(more);
        person.run_with(&["connections", "test", &url, "--format", "json"], &known)
    };
    for mode in ["require", "verify-ca", "verify-full"] {
        test(&format!("sslmode={mode}&sslrootcert={other}")).says(3, "unknown CA");
    }
    test("sslrootcert=system&sslmode=require").says(2, "too weak");
    test("sslrootcert=system").says(3, "client certificate");
    // What lies where libpq looks for it is taken by itself.
    let folder = person.home.join(".postgresql");
    std::fs::create_dir(&folder).expect("a folder");
    let put = |name: &str, from: &std::path::Path| {
        std::fs::copy(from, folder.join(name)).expect("a copy");
    };
    put("root.crt", &certificates.ca);
    put("postgresql.crt", &certificates.client.cert);
    test("sslmode=require").says(3, "needs its key");
    put("postgresql.key", &certificates.client.key);
    let key = folder.join("postgresql.key");
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(&key, mode(0o644)).expect("its mode");
    test("sslmode=require").says(2, "open to others");
    std::fs::set_permissions(&key, mode(0o600)).expect("its mode");
    for more in [
        "sslmode=require",
        "sslmode=verify-full",
        "sslrootcert=system",
    ] {
        let told = test(more);
        let words = "encrypted, server verified";
        assert_eq!(told.json()["encryption"], words, "{more}: {}", told.err);
    }
    put("root.crt", &certificates.other_ca);
    test("sslmode=require").says(3, "unknown CA");
    assert_eq!(test("sslrootcert=system").code, 0);
}

#[test]
fn a_standby_tells_a_primary_at_rest_from_one_that_is_gone() {
    let primary = postgres::Server::options().hba(HBA).start();
    primary.execute("postgres", TABLE);
    let replica = Replica::of(&primary);
    let person = Person::new();
    let port = replica.port();
    let lag = |user: &str| {
        let url = format!("postgres://{user}@127.0.0.1:{port}/postgres?sslmode=disable");
        let words = ["connections", "test", &url, "--format", "json"];
        let ran = person.run(&words);
        let told = (ran.code == 0).then(|| ran.json()["place"].clone());
        told.map(|place| (place["lag"].clone(), place["words"].clone()))
    };
    primary.execute(
        "postgres",
        "CREATE ROLE plain LOGIN; CREATE ROLE blind LOGIN; \
         REVOKE ALL ON pg_catalog.pg_stat_wal_receiver, pg_catalog.pg_stat_ssl FROM PUBLIC; \
         GRANT SELECT ON pg_catalog.pg_stat_wal_receiver TO plain",
    );
    for user in ["postgres", "plain"] {
        wait_for("the standby to be level", || {
            let (lag, _) = lag(user)?;
            let is_level = lag["linked"] == true && lag["behind_bytes"] == 0;
            // What it has heard is not as old as the last change that it has.
            let heard = lag["heard_ms"].as_u64();
            (is_level && heard.is_none_or(|heard| heard < 60_000)).then_some(())
        });
    }
    // A question that is refused hides no other.
    let (told, words) = lag("blind").expect("a standby");
    assert_eq!((told, words), (serde_json::Value::Null, "replica".into()));
    primary.kill();
    for user in ["postgres", "plain"] {
        wait_for("the standby to notice", || {
            let (lag, words) = lag(user)?;
            let words = words.as_str()?.contains("does not hear its primary");
            (lag["linked"] == false && words).then_some(())
        });
    }
}
