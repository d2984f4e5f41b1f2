//! What Redis stores say when the server, the login or the line is not what it should be.

use std::sync::Arc;

use idemscope::domain::Secret;
use idemscope::domain::raw::{KeyRead, KeyValue, Ttl};
use idemscope::stores::target::Endpoint;
use idemscope::stores::{KeyStep, ReadStore, ScanStep, StoreError, StoreErrorKind, Target};

use crate::fixture::{
    PASSWORD, check, impatient, loopback, opened, redis_of, redis_target, refused, unhung,
};
use crate::key_data::run;
use crate::support::process::{Folder, free_port};
use crate::support::redis::Server;
use crate::support::wire::{End, Plan, Proxy, answering_server, silent_server};

fn login(port: u16, user: Option<&str>, password: Option<&str>) -> Target {
    let mut target = impatient(redis_target(port));
    redis_of(&mut target).user = user.map(str::to_owned);
    redis_of(&mut target).password = password.map(Secret::new);
    target
}

async fn names(store: &ReadStore, cursor: u64) -> Result<(u64, Vec<Vec<u8>>), StoreError> {
    let scan = Some(ScanStep {
        cursor,
        glob: None,
        count: 10,
    });
    let step = unhung(store.key_step(KeyStep { scan, fetch: &[] })).await?;
    Ok((step.cursor.expect("a cursor"), step.names))
}

async fn values(store: &ReadStore, names: &[&str], how: KeyRead) -> Vec<(Ttl, KeyValue)> {
    let fetch: Vec<_> = names
        .iter()
        .map(|name| (name.as_bytes().to_vec(), how.clone()))
        .collect();
    let step = KeyStep {
        scan: None,
        fetch: &fetch,
    };
    let step = unhung(store.key_step(step)).await.expect("values");
    step.values
        .into_iter()
        .map(|key| (key.ttl, key.value))
        .collect()
}

fn filled() -> Server {
    let server = Server::start();
    fill(&server);
    server
}

fn fill(server: &Server) {
    let mut connection = server.connection();
    for number in 0..100 {
        let name = format!("idem:{number}");
        run(&mut connection, "SET", &[name.as_bytes(), b"v"]);
    }
}

#[tokio::test]
async fn a_port_where_nobody_listens() {
    let target = login(free_port(), None, Some(PASSWORD));
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Unreachable, "cannot be reached");
}

#[tokio::test]
async fn a_socket_that_is_not_there() {
    let folder = Folder::new();
    let mut target = impatient(redis_target(0));
    redis_of(&mut target).endpoint = Endpoint::Unix(folder.join("no.sock"));
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Unreachable, "no.sock");
}

#[tokio::test]
async fn a_host_that_nobody_knows() {
    let mut target = impatient(redis_target(1));
    redis_of(&mut target).endpoint = Endpoint::Tcp {
        host: "no-such-host.invalid".to_owned(),
        port: 1,
    };
    let error = refused(&target).await;
    // Without a network the question for the name may only end with the time-out.
    let kinds = [StoreErrorKind::Unreachable, StoreErrorKind::TimedOut];
    assert!(kinds.contains(&error.kind), "{error}");
    assert!(error.text.contains("no-such-host.invalid"), "{error}");
}

#[tokio::test]
async fn a_login_that_is_refused() {
    let server = Server::options()
        .acl("user default on >an-0ther ~* +@all\nuser viewer on >an-0ther ~* +@read")
        .start();
    let wrong = refused(&login(server.port(), None, Some(PASSWORD))).await;
    check(&wrong, StoreErrorKind::Login, "user `default`");
    let wrong = refused(&login(server.port(), Some("viewer"), Some(PASSWORD))).await;
    check(&wrong, StoreErrorKind::Login, "user `viewer`");
    let nobody = refused(&login(server.port(), Some("nobody"), Some(PASSWORD))).await;
    check(&nobody, StoreErrorKind::Login, "user `nobody`");
    let none = refused(&login(server.port(), None, None)).await;
    check(&none, StoreErrorKind::Login, "asks for a password");
}

#[tokio::test]
async fn a_password_that_nobody_asked_for() {
    let server = Server::start();
    let mut target = login(server.port(), None, Some(PASSWORD));
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Login, "user `default`");
    redis_of(&mut target).password = None;
    redis_of(&mut target).database = 99;
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Unreachable, "no database 99");
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers() {
    let silent = silent_server();
    for password in [None, Some(PASSWORD)] {
        let error = refused(&login(silent.port, None, password)).await;
        check(&error, StoreErrorKind::TimedOut, "no answer within 1 s");
    }
}

#[tokio::test]
async fn a_server_of_another_kind() {
    let http = answering_server(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    for password in [None, Some(PASSWORD)] {
        let error = refused(&login(http.port, None, password)).await;
        check(
            &error,
            StoreErrorKind::Protocol,
            "does not answer as Redis does",
        );
    }
}

#[tokio::test]
async fn the_least_rights_read_strings() {
    let rights = "+scan +get +pttl +type +ping";
    let server = Server::options()
        .acl(&format!(
            "user default on nopass ~* &* +@all\nuser viewer on >{PASSWORD} ~* {rights}"
        ))
        .start();
    let mut connection = server.connection();
    run(&mut connection, "SET", &[b"a", b"0123456789"]);
    run(&mut connection, "HSET", &[b"h", b"f", b"v"]);
    let store = opened(&login(server.port(), Some("viewer"), Some(PASSWORD))).await;
    let string = |bytes: &[u8]| KeyValue::String {
        bytes: bytes.to_vec(),
        len: 10,
    };
    let head = values(&store, &["a"], KeyRead::Head { bytes: 4 }).await;
    assert_eq!(head, [(Ttl::Never, string(b"0123"))]);
    let whole = values(&store, &["a"], KeyRead::Whole { bytes_max: 100 }).await;
    assert_eq!(whole, [(Ttl::Never, string(b"0123456789"))]);
    for how in [
        KeyRead::Fields(Arc::new([b"f".to_vec()])),
        KeyRead::Whole { bytes_max: 100 },
    ] {
        let refused = values(&store, &["h"], how).await;
        assert!(
            matches!(refused.as_slice(), [(Ttl::Never, KeyValue::Refused(_))]),
            "{refused:?}"
        );
    }
    let mut seen = names(&store, 0).await.expect("names").1;
    seen.sort();
    assert_eq!(seen, [b"a", b"h"]);
    let facts = store.facts().await.expect("facts");
    assert!(!facts.missing_rights.is_empty());
    assert_eq!(facts.total, None);
    assert_eq!(store.clock().await, Ok(None));
}

#[tokio::test]
async fn a_key_outside_the_pattern_is_refused_alone() {
    let server = Server::options()
        .acl(&format!(
            "user default on nopass ~* &* +@all\nuser viewer on >{PASSWORD} %R~idem:* +@all"
        ))
        .start();
    let mut connection = server.connection();
    for name in ["idem:1", "other:1", "idem:2"] {
        run(&mut connection, "SET", &[name.as_bytes(), b"v"]);
    }
    let store = opened(&login(server.port(), Some("viewer"), Some(PASSWORD))).await;
    for how in [
        KeyRead::Head { bytes: 10 },
        KeyRead::Whole { bytes_max: 10 },
    ] {
        let seen = values(&store, &["idem:1", "other:1", "idem:2"], how).await;
        let [(_, first), (ttl, middle), (_, last)] = seen.as_slice() else {
            panic!("{seen:?}");
        };
        assert!(matches!(first, KeyValue::String { .. }), "{first:?}");
        assert!(matches!(middle, KeyValue::Refused(_)), "{middle:?}");
        assert!(matches!(last, KeyValue::String { .. }), "{last:?}");
        assert_eq!(*ttl, Ttl::Unknown);
    }
}

#[tokio::test]
async fn a_frozen_server_times_out_and_goes_on() {
    let server = filled();
    let store = opened(&impatient(redis_target(server.port()))).await;
    let (cursor, _) = names(&store, 0).await.expect("a first page");
    server.stop();
    for _ in 0..2 {
        let error = names(&store, cursor)
            .await
            .expect_err("the server is frozen");
        check(&error, StoreErrorKind::TimedOut, "no answer within 1 s");
    }
    server.cont();
    assert!(names(&store, cursor).await.is_ok());
}

#[tokio::test]
async fn a_killed_server_is_lost_and_found_again() {
    let server = filled();
    let store = opened(&impatient(redis_target(server.port()))).await;
    let (cursor, _) = names(&store, 0).await.expect("a first page");
    server.kill();
    for _ in 0..2 {
        let error = names(&store, cursor).await.expect_err("the server is gone");
        let kinds = [StoreErrorKind::Lost, StoreErrorKind::Unreachable];
        assert!(kinds.contains(&error.kind), "{error}");
    }
    server.restart();
    fill(&server);
    assert!(names(&store, cursor).await.is_ok());
    // One that went and came while nobody looked.
    server.restart();
    fill(&server);
    assert!(names(&store, 0).await.is_ok());
}

#[tokio::test]
async fn a_line_that_is_cut_anywhere() {
    let server = filled();
    let proxy = Proxy::before(server.port());
    let target = impatient(redis_target(proxy.port()));
    let store = opened(&target).await;
    for after in [0, 1, 3, 7, 20, 50, 100] {
        for end in [End::Close, End::Reset] {
            for plan in [Plan::CutDown { after, end }, Plan::CutUp { after, end }] {
                proxy.set(plan);
                let result = names(&store, 0).await;
                let lost = [StoreErrorKind::Lost, StoreErrorKind::Unreachable];
                let fits = result
                    .as_ref()
                    .map_or_else(|e| lost.contains(&e.kind), |_| true);
                assert!(fits, "{plan:?}: {result:?}");
                proxy.set(plan);
                if let Err(error) = unhung(idemscope::stores::open(&target)).await {
                    assert!(lost.contains(&error.kind), "{plan:?}: {error}");
                }
                proxy.set(Plan::Pass);
                let (_, seen) = names(&store, 0).await.expect("the line is whole again");
                assert!(!seen.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn a_line_that_stalls() {
    let server = filled();
    let proxy = Proxy::before(server.port());
    let mut target = impatient(redis_target(0));
    redis_of(&mut target).endpoint = loopback(proxy.port());
    let store = opened(&target).await;
    proxy.set(Plan::Stall);
    let error = names(&store, 0).await.expect_err("nothing passes");
    check(&error, StoreErrorKind::TimedOut, "no answer");
    proxy.set(Plan::Pass);
    assert!(names(&store, 0).await.is_ok());
}
