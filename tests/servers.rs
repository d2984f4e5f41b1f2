//! Proves that the tests' own servers, certificates, wires and corpus work.
//!
//! Apart from the tests that use them: when this fails, the others say nothing about the program.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use redis::{Client, ClientTlsConfig, TlsCertificates};
use support::wire::{End, Plan, Proxy, silent_server};
use support::{corpus, postgres, redis as server, tls};

#[track_caller]
fn ping(url: &str) -> String {
    let client = Client::open(url).expect("URL of a server");
    let mut connection = client.get_connection().expect("a connection");
    redis::cmd("PING")
        .query(&mut connection)
        .expect("an answer")
}

#[test]
fn redis_answers_over_tcp_and_socket() {
    let server = server::Server::start();
    assert_eq!(ping(&server.url()), "PONG");
    assert_eq!(ping(&server.socket_url()), "PONG");
}

#[test]
fn redis_comes_back_empty_on_the_same_port() {
    let server = server::Server::start();
    let url = server.url();
    let set = redis::cmd("SET")
        .arg("a")
        .arg("b")
        .query::<()>(&mut server.connection());
    assert_eq!(set, Ok(()));
    server.kill();
    server.restart();
    assert_eq!(server.url(), url);
    let keys = redis::cmd("DBSIZE").query::<i64>(&mut server.connection());
    assert_eq!(keys, Ok(0));
}

#[test]
fn redis_knows_the_users_of_a_test() {
    let server = server::Server::options()
        .acl("user default off\nuser viewer on >s3cret ~idem:* +@read +ping")
        .start();
    let url = format!("redis://viewer:s3cret@127.0.0.1:{}", server.port());
    assert_eq!(ping(&url), "PONG");
    assert!(
        Client::open(server.url())
            .expect("URL")
            .get_connection()
            .is_ok_and(|mut connection| redis::cmd("PING")
                .query::<String>(&mut connection)
                .is_err())
    );
}

#[track_caller]
fn tls_ping(url: &str, certificates: TlsCertificates) -> bool {
    Client::build_with_tls(url, certificates)
        .and_then(|client| client.get_connection())
        .and_then(|mut connection| redis::cmd("PING").query::<String>(&mut connection))
        .is_ok_and(|answer| answer == "PONG")
}

fn trusting(ca: &std::path::Path) -> TlsCertificates {
    TlsCertificates {
        client_tls: None,
        root_cert: Some(std::fs::read(ca).expect("CA of the test")),
    }
}

#[test]
fn redis_speaks_tls_to_those_who_trust_its_authority() {
    let certificates = tls::Certificates::new();
    let good = server::Server::options().tls(&certificates.server).start();
    assert!(tls_ping(&good.tls_url(), trusting(&certificates.ca)));
    assert!(!tls_ping(&good.tls_url(), trusting(&certificates.other_ca)));
    let expired = server::Server::options().tls(&certificates.expired).start();
    assert!(!tls_ping(&expired.tls_url(), trusting(&certificates.ca)));
    let elsewhere = server::Server::options()
        .tls(&certificates.wrong_name)
        .start();
    assert!(!tls_ping(&elsewhere.tls_url(), trusting(&certificates.ca)));
}

#[test]
fn redis_asks_for_a_client_certificate_when_told() {
    let certificates = tls::Certificates::new();
    let server = server::Server::options()
        .mutual_tls(&certificates.server, &certificates.ca)
        .start();
    let mut with = trusting(&certificates.ca);
    assert!(!tls_ping(&server.tls_url(), with.clone()));
    with.client_tls = Some(ClientTlsConfig {
        client_cert: certificates.client.cert_pem().into_bytes(),
        client_key: certificates.client.key_pem().into_bytes(),
    });
    assert!(tls_ping(&server.tls_url(), with));
}

#[test]
fn postgres_is_shared_and_each_test_has_its_database() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)",
    );
    assert_eq!(
        server.text(&database, "SELECT sum(a) FROM t").as_deref(),
        Some("3")
    );
    assert_ne!(database, server.create_database());
}

#[test]
fn postgres_speaks_tls_and_comes_back_after_a_crash() {
    let certificates = tls::Certificates::new();
    let server = postgres::Server::options()
        .tls(&certificates.server)
        .start();
    server.execute("postgres", "CREATE TABLE kept (a int)");
    server.kill();
    server.restart();
    assert_eq!(
        server
            .text("postgres", "SELECT count(*) FROM kept")
            .as_deref(),
        Some("0")
    );
    let url = format!(
        "{}?sslmode=verify-full&sslrootcert={}",
        server.url(),
        certificates.ca.display()
    );
    assert_eq!(select_1(&url).ok(), Some(1));
}

fn select_1(url: &str) -> Result<i32, sqlx::Error> {
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(async {
        let connect = <sqlx::PgConnection as sqlx::Connection>::connect(url);
        let connected = tokio::time::timeout(Duration::from_millis(500), connect).await;
        let mut connection = connected.map_err(|_| sqlx::Error::PoolTimedOut)??;
        sqlx::query_scalar("SELECT 1")
            .fetch_one(&mut connection)
            .await
    })
}

#[test]
fn postgres_keeps_the_host_rules_of_a_test() {
    let server = postgres::Server::options()
        .hba("host all viewer 127.0.0.1/32 scram-sha-256")
        .start();
    server.execute("postgres", "CREATE ROLE viewer LOGIN PASSWORD 'p@ss/word'");
    assert_eq!(
        select_1(&server.role_url("viewer", "p@ss/word", "postgres")).ok(),
        Some(1)
    );
    assert!(select_1(&server.role_url("viewer", "wrong", "postgres")).is_err());
    assert!(select_1(&server.url()).is_err());
}

#[test]
fn postgres_can_be_frozen() {
    let server = postgres::Server::start();
    server.stop();
    assert!(select_1(&server.url()).is_err());
    server.cont();
    assert_eq!(select_1(&server.url()).ok(), Some(1));
}

#[test]
fn a_frozen_server_answers_again_when_it_goes_on() {
    let server = server::Server::start();
    let mut connection = server.connection();
    let patience = connection.set_read_timeout(Some(Duration::from_millis(200)));
    assert_eq!(patience, Ok(()));
    server.stop();
    assert!(redis::cmd("PING").query::<String>(&mut connection).is_err());
    server.cont();
    assert_eq!(ping(&server.socket_url()), "PONG");
}

#[test]
fn every_snapshot_of_the_redis_corpus_loads() {
    let server = server::Server::start();
    let mut connection = server.connection();
    let mut lines = 0;
    for snapshot in corpus::all_redis_snapshots() {
        assert_eq!(redis::cmd("FLUSHALL").query::<()>(&mut connection), Ok(()));
        corpus::load_snapshot(&mut connection, &snapshot.lines);
        let keys = redis::cmd("DBSIZE").query::<usize>(&mut connection);
        assert_eq!(keys, Ok(snapshot.lines.len()), "{snapshot:?}");
        lines += snapshot.lines.len();
    }
    assert!(lines > 100, "only {lines} lines in the corpus");
}

#[test]
fn every_layout_of_the_postgres_corpus_loads() {
    let server = postgres::Server::shared();
    let database = server.create_database();
    for name in corpus::postgres_layouts() {
        let schema = corpus::load_layout(server, &database, &name);
        let layout = corpus::postgres_layout(&name);
        let Some(table) = layout.expect.get("table").and_then(|table| table.as_str()) else {
            continue;
        };
        let count = server.text(
            &database,
            &format!("SELECT count(*) FROM {schema}.\"{table}\""),
        );
        assert_ne!(count.as_deref(), Some("0"), "{name}");
    }
}

#[track_caller]
fn exchange(port: u16, message: &[u8]) -> (Vec<u8>, bool) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let _ = stream.write_all(message);
    let mut answer = Vec::new();
    let clean = stream.read_to_end(&mut answer).is_ok();
    (answer, clean)
}

#[test]
fn the_wire_cuts_where_it_is_told() {
    let server = server::Server::start();
    let proxy = Proxy::before(server.port());
    proxy.set(Plan::CutDown {
        after: 3,
        end: End::Close,
    });
    assert_eq!(exchange(proxy.port(), b"PING\r\n"), (b"+PO".to_vec(), true));
    proxy.set(Plan::CutDown {
        after: 3,
        end: End::Reset,
    });
    assert!(!exchange(proxy.port(), b"PING\r\n").1);
    proxy.set(Plan::CutUp {
        after: 8,
        end: End::Close,
    });
    assert_eq!(exchange(proxy.port(), b"SET a b\r\n"), (Vec::new(), true));
    let keys = redis::cmd("DBSIZE").query::<i64>(&mut server.connection());
    assert_eq!(keys, Ok(0), "the server never saw the end of the line");
    proxy.set(Plan::Stall);
    assert_eq!(exchange(proxy.port(), b"PING\r\n"), (Vec::new(), false));
    assert_eq!(proxy.seen().connections, 4);
}

#[test]
fn the_wire_refuses_and_comes_back() {
    let server = server::Server::start();
    let proxy = Proxy::before(server.port());
    let url = format!("redis://127.0.0.1:{}", proxy.port());
    assert_eq!(ping(&url), "PONG");
    proxy.set(Plan::Refuse);
    support::process::wait_for("the wire to refuse", || {
        TcpStream::connect(("127.0.0.1", proxy.port()))
            .is_err()
            .then_some(())
    });
    proxy.set(Plan::Pass);
    support::process::wait_for("the wire to come back", || {
        TcpStream::connect(("127.0.0.1", proxy.port())).ok()
    });
    assert_eq!(ping(&url), "PONG");
}

#[test]
fn a_silent_server_accepts_and_says_nothing() {
    let silent = silent_server();
    assert_eq!(exchange(silent.port, b"PING\r\n"), (Vec::new(), false));
}
