//! What PostgreSQL stores say when the server, the login or the line is not what it should be.

use idemscope::domain::Secret;
use idemscope::domain::change::{Change, ExactCell, Outcome, RowChange, RowState, TableShape};
use idemscope::stores::target::Endpoint;
use idemscope::stores::{
    ExactQuery, ReadStore, RowFilter, StoreError, StoreErrorKind, Target, open,
};
use tokio::sync::mpsc;

use crate::change_fixture::writing;
use crate::fixture::{
    PASSWORD, check, impatient, opened, postgres_of, postgres_target, redis_target, refused, unhung,
};
use crate::support::postgres::Server;
use crate::support::process::free_port;
use crate::support::wire::{End, Plan, Proxy, answering_server, silent_server};
use crate::table_contract::{query, scan_of, scanned, table, text_of};

fn login(port: u16, user: &str, password: Option<&str>) -> Target {
    let mut target = impatient(postgres_target(port, "postgres"));
    postgres_of(&mut target).user = user.to_owned();
    postgres_of(&mut target).password = password.map(Secret::new);
    target
}

/// More than the buffers on the way hold, so that a scan is still going on when it is disturbed.
const WIDE: &str = "CREATE TABLE wide (id int PRIMARY KEY, t text);
    INSERT INTO wide SELECT i, repeat(md5(i::text), 60) FROM generate_series(1, 40000) AS i";

/// Begins a scan, disturbs the server after the first page, and gives how it ended.
async fn disturbed(
    store: &ReadStore,
    name: &str,
    disturb: impl FnOnce() + Send + 'static,
) -> Result<(), StoreError> {
    let scan = scan_of(&table(store, name).await);
    let (sender, mut pages) = mpsc::channel(1);
    let look = async {
        let first = pages.recv().await;
        assert!(first.is_some(), "no first page");
        let work = tokio::task::spawn_blocking(disturb);
        work.await.expect("the disturbance");
        while pages.recv().await.is_some() {}
    };
    let (result, ()) = unhung(async { tokio::join!(store.scan_rows(&scan, sender), look) }).await;
    result
}

#[tokio::test]
async fn a_port_where_nobody_listens() {
    let error = refused(&login(free_port(), "postgres", Some(PASSWORD))).await;
    check(&error, StoreErrorKind::Unreachable, "cannot be reached");
}

#[tokio::test]
async fn a_host_or_socket_that_nobody_knows() {
    let mut target = impatient(postgres_target(1, "postgres"));
    postgres_of(&mut target).endpoint = Endpoint::Tcp {
        host: "no-such-host.invalid".to_owned(),
        port: 1,
    };
    let error = refused(&target).await;
    // Without a network the question for the name may only end with the time-out.
    let kinds = [StoreErrorKind::Unreachable, StoreErrorKind::TimedOut];
    assert!(kinds.contains(&error.kind), "{error}");
    postgres_of(&mut target).endpoint = Endpoint::Unix("/nowhere/.s.PGSQL.5432".into());
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Unreachable, "/nowhere/");
}

#[tokio::test]
async fn a_login_that_is_refused() {
    let server = Server::options()
        .hba("host all nobody 127.0.0.1/32 reject\nhost all all 127.0.0.1/32 scram-sha-256")
        .start();
    server.execute(
        "postgres",
        "CREATE ROLE viewer LOGIN PASSWORD 'another'; CREATE ROLE nobody LOGIN",
    );
    let wrong = refused(&login(server.port(), "viewer", Some(PASSWORD))).await;
    check(&wrong, StoreErrorKind::Login, "user `viewer`");
    let none = refused(&login(server.port(), "viewer", None)).await;
    check(&none, StoreErrorKind::Login, "user `viewer`");
    let unknown = refused(&login(server.port(), "stranger", Some(PASSWORD))).await;
    check(&unknown, StoreErrorKind::Login, "user `stranger`");
    let rejected = refused(&login(server.port(), "nobody", None)).await;
    check(&rejected, StoreErrorKind::Login, "user `nobody`");
    let good = login(server.port(), "viewer", Some("another"));
    assert!(open(&good).await.is_ok());
}

#[tokio::test]
async fn a_database_that_is_not_there() {
    let server = Server::shared();
    let target = impatient(postgres_target(server.port(), "no_such_database"));
    let error = refused(&target).await;
    check(&error, StoreErrorKind::Unreachable, "no such database");
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers() {
    let silent = silent_server();
    let error = refused(&login(silent.port, "postgres", Some(PASSWORD))).await;
    check(&error, StoreErrorKind::TimedOut, "no answer within 1 s");
}

#[tokio::test]
async fn a_server_of_another_kind() {
    let http = answering_server(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    let error = refused(&login(http.port, "postgres", Some(PASSWORD))).await;
    check(
        &error,
        StoreErrorKind::Protocol,
        "does not answer as PostgreSQL does",
    );
    let error = refused(&impatient(redis_target(Server::shared().port()))).await;
    assert_ne!(error.kind, StoreErrorKind::TimedOut, "{error}");
}

#[tokio::test]
async fn a_table_that_this_login_may_not_read() {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE TABLE open (id int PRIMARY KEY); CREATE TABLE closed (id int PRIMARY KEY);
         CREATE SCHEMA hidden; CREATE TABLE hidden.inside (id int);
         INSERT INTO open VALUES (1); DROP ROLE IF EXISTS narrow; CREATE ROLE narrow LOGIN;
         GRANT SELECT ON open, hidden.inside TO narrow",
    );
    let mut target = impatient(postgres_target(server.port(), &database));
    postgres_of(&mut target).user = "narrow".to_owned();
    let store = opened(&target).await;
    let open = table(&store, "open").await;
    let closed = table(&store, "closed").await;
    let inside = table(&store, "inside").await;
    assert_eq!(
        (open.readable, closed.readable, inside.readable),
        (true, false, false)
    );
    for unreadable in [&closed, &inside] {
        let error = store.rows(&query(unreadable, RowFilter::All, 1)).await;
        check(
            &error.expect_err("no right"),
            StoreErrorKind::Denied,
            "does not allow it",
        );
        let (sender, _pages) = mpsc::channel(1);
        let error = store.scan_rows(&scan_of(unreadable), sender).await;
        check(
            &error.expect_err("no right"),
            StoreErrorKind::Denied,
            "does not allow it",
        );
    }
    assert_eq!(scanned(&store, &scan_of(&open)).await.len(), 1);
}

#[tokio::test]
async fn a_query_that_takes_too_long() {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(
        &database,
        "CREATE VIEW slow AS SELECT 1 AS id, pg_sleep(60)::text AS t",
    );
    let store = opened(&impatient(postgres_target(server.port(), &database))).await;
    let slow = table(&store, "slow").await;
    // More often than there are connections.
    for _ in 0..4 {
        let error = unhung(store.rows(&query(&slow, RowFilter::All, 1))).await;
        check(
            &error.expect_err("too long"),
            StoreErrorKind::TimedOut,
            "time-out",
        );
    }
    let (sender, _pages) = mpsc::channel(1);
    let error = unhung(store.scan_rows(&scan_of(&slow), sender)).await;
    check(
        &error.expect_err("too long"),
        StoreErrorKind::TimedOut,
        "no answer",
    );
    assert!(store.tables().await.is_ok());
}

#[tokio::test]
async fn a_table_that_is_dropped_meanwhile() {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(&database, "CREATE TABLE k (id int PRIMARY KEY, t text)");
    let store = opened(&impatient(postgres_target(server.port(), &database))).await;
    let mut scan = scan_of(&table(&store, "k").await);
    let ask = query(&table(&store, "k").await, RowFilter::All, 1);
    for change in ["ALTER TABLE k DROP COLUMN t", "DROP TABLE k"] {
        server.execute(&database, change);
        let error = store.rows(&ask).await.expect_err("it is gone");
        check(&error, StoreErrorKind::Vanished, "any more");
        for estimate in [None, Some(3_000_000)] {
            scan.estimate = estimate;
            let (sender, _pages) = mpsc::channel(1);
            let error = store
                .scan_rows(&scan, sender)
                .await
                .expect_err("it is gone");
            check(&error, StoreErrorKind::Vanished, "any more");
        }
    }
}

#[tokio::test]
async fn a_server_that_freezes_or_dies_in_the_middle() {
    let server = std::sync::Arc::new(Server::start());
    server.execute("postgres", WIDE);
    let store = opened(&login(server.port(), "postgres", None)).await;
    let disturber = std::sync::Arc::clone(&server);
    let error = disturbed(&store, "wide", move || disturber.stop()).await;
    check(
        &error.expect_err("frozen"),
        StoreErrorKind::TimedOut,
        "no answer within 1 s",
    );
    // More often than there are connections.
    for _ in 0..4 {
        let error = unhung(store.clock()).await.expect_err("frozen");
        check(&error, StoreErrorKind::TimedOut, "no answer within 1 s");
    }
    server.cont();
    assert!(store.clock().await.is_ok());
    let disturber = std::sync::Arc::clone(&server);
    let error = disturbed(&store, "wide", move || disturber.kill()).await;
    check(
        &error.expect_err("killed"),
        StoreErrorKind::Lost,
        "connection",
    );
    let error = unhung(store.clock()).await.expect_err("killed");
    check(&error, StoreErrorKind::Unreachable, "cannot be reached");
    server.restart();
    let wide = table(&store, "wide").await;
    assert_eq!(
        text_of(&scanned(&store, &scan_of(&wide)).await).len(),
        40_000
    );
    // One that went and came while nobody looked.
    server.restart();
    assert!(store.clock().await.is_ok());
}

#[tokio::test]
async fn a_line_that_is_cut_anywhere() {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(&database, WIDE);
    let proxy = Proxy::before(server.port());
    let target = impatient(postgres_target(proxy.port(), &database));
    let store = opened(&target).await;
    let scan = scan_of(&table(&store, "wide").await);
    let lost = [StoreErrorKind::Lost, StoreErrorKind::Unreachable];
    for after in [0, 1, 5, 30, 200, 1000, 100_000, 1_000_000] {
        for end in [End::Close, End::Reset] {
            for plan in [Plan::CutDown { after, end }, Plan::CutUp { after, end }] {
                proxy.set(plan);
                let (sender, mut pages) = mpsc::channel(1);
                let drain = async { while pages.recv().await.is_some() {} };
                let work = async { tokio::join!(store.scan_rows(&scan, sender), drain) };
                let (result, ()) = unhung(work).await;
                if let Err(error) = result {
                    assert!(lost.contains(&error.kind), "{plan:?}: {error}");
                }
                proxy.set(plan);
                if let Err(error) = unhung(open(&target)).await {
                    assert!(lost.contains(&error.kind), "{plan:?}: {error}");
                }
                proxy.set(Plan::Pass);
                assert!(store.clock().await.is_ok(), "{plan:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_idle_line_that_something_between_has_forgotten() {
    let server = Server::shared();
    let database = server.create_database();
    server.execute(&database, "CREATE TABLE k (id int PRIMARY KEY)");
    let proxy = Proxy::before(server.port());
    let target = impatient(postgres_target(proxy.port(), &database));
    let store = opened(&target).await;
    let writer = writing(&target).await;
    assert!(store.clock().await.is_ok());
    let connections = proxy.seen().connections;
    proxy.set(Plan::Forget { connections });
    assert!(unhung(store.clock()).await.is_ok());
    let row = Change::Row(RowChange {
        shape: read_shape(&store).await,
        key: vec!["7".to_owned()],
        seen: RowState::Row {
            version: None,
            cells: vec![ExactCell::Text("7".to_owned())],
        },
        then: RowState::Absent,
    });
    let batch = unhung(writer.apply(&[&row])).await;
    assert_eq!(batch.outcomes[0].outcome, Outcome::Gone, "{batch:?}");
    // A new line that is as silent is no retry.
    proxy.set(Plan::Stall);
    let error = unhung(store.clock()).await.expect_err("silence");
    check(&error, StoreErrorKind::TimedOut, "no answer within 1 s");
}

async fn read_shape(store: &ReadStore) -> std::sync::Arc<TableShape> {
    let query = ExactQuery {
        schema: "public".into(),
        table: "k".into(),
        keys: vec![vec!["7".to_owned()]],
        wants: Vec::new(),
    };
    store.exact_rows(&query).await.expect("rows").shape
}

#[tokio::test]
async fn a_silent_line_is_probed() {
    let server = Server::shared();
    let _store = opened(&postgres_target(server.port(), "postgres")).await;
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("the system's lines");
    // Source: `proc(5)` and the kernel's `networking/proc_net_tcp`: `02` is the timer of probes.
    let ours = format!(":{:04X}", server.port());
    let timers = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_open = words.get(3) == Some(&"01");
        (is_open && words.get(2)?.ends_with(&ours)).then(|| words.get(5).copied())?
    });
    let timers: Vec<&str> = timers.collect();
    assert!(
        timers.iter().any(|timer| timer.starts_with("02")),
        "{timers:?}"
    );
}
