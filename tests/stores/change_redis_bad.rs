//! What changes of keys come to when the server, the login or the line is not what it should be:
//! never a wrong word, and never twice.

use std::sync::Mutex;

use idemscope::domain::Timestamp;
use idemscope::domain::change::{
    Applied, Change, ExactValue, Outcome, Piece, PieceChange, PieceState,
};
use idemscope::stores::{Batch, StoreErrorKind, WriteStore, open_writing};

use crate::change_data::string;
use crate::change_fixture::{App, RedisApp, SCRIPT, TYPES, WATCH, as_user, redis_with, writing};
use crate::fixture::{check, impatient, redis_target, unhung};
use crate::key_data::run;
use crate::support::redis::Server;
use crate::support::wire::{End, Plan, Proxy};
use crate::support::{long, process::wait_for, seed};

const LATER: i64 = 4_000_000_000_123;

fn held() -> PieceState {
    string("processing", Some(LATER))
}

fn one(name: &str, seen: &PieceState, then: &PieceState) -> Change {
    Change::Keys(vec![PieceChange {
        piece: Piece::whole(name),
        seen: seen.clone(),
        then: then.clone(),
    }])
}

fn release(name: &str) -> Change {
    one(name, &held(), &PieceState::Absent)
}

fn app(server: &Server) -> RedisApp<::redis::Connection> {
    RedisApp(Mutex::new(server.connection()))
}

fn exists(server: &Server, name: &str) -> bool {
    let mut connection = server.connection();
    redis::cmd("EXISTS")
        .arg(name)
        .query(&mut connection)
        .expect("an answer")
}

async fn apply(writer: &WriteStore, changes: &[Change]) -> Batch {
    let all: Vec<&Change> = changes.iter().collect();
    let batch = unhung(writer.apply(&all)).await;
    assert_eq!(batch.outcomes.len(), changes.len());
    for applied in &batch.outcomes {
        assert_eq!(
            applied.why.is_some(),
            applied.outcome != Outcome::Done,
            "{applied:?}"
        );
    }
    batch
}

#[track_caller]
fn refused(applied: &Applied, words: &str) {
    assert_eq!(applied.outcome, Outcome::Refused, "{applied:?}");
    let why = applied.why.as_deref().unwrap_or_default();
    assert!(why.contains(words), "`{words}` is not in: {why}");
}

#[tokio::test]
async fn a_replica_is_not_opened_and_one_that_becomes_one_is_said() {
    let primary = Server::start();
    let replica = Server::start();
    let writer = writing(&redis_target(replica.port())).await;
    let port = primary.port().to_string();
    app(&primary).put(&Piece::whole("a"), &held());
    run(
        &mut replica.connection(),
        "REPLICAOF",
        &[b"127.0.0.1", port.as_bytes()],
    );
    wait_for("the replica to have it", || {
        exists(&replica, "a").then_some(())
    });
    let batch = apply(&writer, &[release("a"), release("b")]).await;
    refused(&batch.outcomes[0], "READONLY");
    check(
        &batch.trouble.expect("trouble"),
        StoreErrorKind::Denied,
        "READONLY",
    );
    assert!(exists(&primary, "a"));
    let error = open_writing(&redis_target(replica.port()))
        .await
        .expect_err("a replica");
    check(&error, StoreErrorKind::Denied, "replica");
    // Cut from its primary, and told not to answer then.
    run(
        &mut replica.connection(),
        "CONFIG",
        &[b"SET", b"replica-serve-stale-data", b"no"],
    );
    primary.kill();
    let down = || {
        let mut connection = replica.connection();
        let answer = redis::cmd("GET")
            .arg("a")
            .query::<Option<String>>(&mut connection);
        answer.err().map(|_| ())
    };
    wait_for("the replica to miss its primary", down);
    let batch = apply(&writer, &[release("a")]).await;
    refused(&batch.outcomes[0], "MASTERDOWN");
    check(
        &batch.trouble.expect("trouble"),
        StoreErrorKind::Unreachable,
        "MASTERDOWN",
    );
}

#[tokio::test]
async fn a_server_without_memory_releases_and_does_not_settle() {
    let server = Server::start();
    let watched = redis_with("", &format!("{TYPES} {WATCH}"));
    for (server, target) in [
        (&server, redis_target(server.port())),
        (&watched, as_user(watched.port(), "operator")),
    ] {
        let writer = writing(&target).await;
        for name in ["a", "b", "c"] {
            app(server).put(&Piece::whole(name), &held());
        }
        run(
            &mut server.connection(),
            "CONFIG",
            &[b"SET", b"maxmemory", b"1"],
        );
        let done = string("done", Some(LATER));
        let settle = one("a", &held(), &done);
        // Two keys at once: neither is changed when one cannot be.
        let Change::Keys(mut both) = one("b", &held(), &done) else {
            unreachable!()
        };
        both.push(PieceChange {
            piece: Piece::whole("b:lock"),
            seen: PieceState::Absent,
            then: held(),
        });
        let changes = [settle, Change::Keys(both), release("c")];
        let batch = apply(&writer, &changes).await;
        refused(&batch.outcomes[0], "OOM");
        refused(&batch.outcomes[1], "OOM");
        assert!(!exists(server, "b:lock"));
        // Such a server refuses whatever is queued, even what frees memory.
        match target.user() {
            None => assert_eq!(batch.outcomes[2].outcome, Outcome::Done),
            Some(_) => refused(&batch.outcomes[2], "OOM"),
        }
        assert_eq!(exists(server, "c"), target.user().is_some());
    }
}

#[tokio::test]
async fn a_server_that_forgot_the_script_is_told_it_again() {
    let server = Server::start();
    let writer = writing(&redis_target(server.port())).await;
    app(&server).put(&Piece::whole("a"), &held());
    run(&mut server.connection(), "SCRIPT", &[b"FLUSH"]);
    let batch = apply(&writer, &[release("a")]).await;
    assert_eq!(batch.outcomes[0].outcome, Outcome::Done);
}

#[tokio::test]
async fn a_server_that_runs_another_script_is_busy() {
    let server = Server::options()
        .args(&["--busy-reply-threshold", "1"])
        .start();
    let target = redis_target(server.port());
    let writer = writing(&target).await;
    app(&server).put(&Piece::whole("a"), &held());
    let mut connection = server.connection();
    let endless = tokio::task::spawn_blocking(move || {
        let script = redis::cmd("EVAL")
            .arg("while true do end")
            .arg(0)
            .query::<()>(&mut connection);
        script.expect_err("it was killed")
    });
    let busy = || {
        let mut connection = server.connection();
        let pinged = redis::cmd("GET").arg("a").query::<String>(&mut connection);
        pinged
            .err()
            .filter(|error| error.code() == Some("BUSY"))
            .map(|_| ())
    };
    wait_for("the server to be busy", busy);
    let batch = apply(&writer, &[release("a"), release("b")]).await;
    refused(&batch.outcomes[0], "BUSY");
    check(
        &batch.trouble.expect("trouble"),
        StoreErrorKind::TimedOut,
        "BUSY",
    );
    let error = open_writing(&target).await.expect_err("busy");
    assert!(error.text.contains("BUSY"), "{error}");
    run(&mut server.connection(), "SCRIPT", &[b"KILL"]);
    endless.await.expect("the thread of a script");
    let batch = apply(&writer, &[release("a")]).await;
    assert_eq!(batch.outcomes[0].outcome, Outcome::Done);
}

#[tokio::test]
async fn a_right_that_is_missing_leaves_every_piece_as_it_was() {
    for more in [SCRIPT, WATCH] {
        let server = redis_with("", &format!("+get +set +hlen +hmget +strlen {more}"));
        let writer = writing(&as_user(server.port(), "operator")).await;
        for name in ["a", "b"] {
            app(&server).put(&Piece::whole(name), &held());
        }
        let batch = apply(&writer, &[release("a")]).await;
        refused(&batch.outcomes[0], "may not");
        // The first piece could be changed, and the second may not be removed.
        let Change::Keys(mut both) = one("a", &held(), &string("done", None)) else {
            unreachable!()
        };
        let Change::Keys(removed) = release("b") else {
            unreachable!()
        };
        both.extend(removed);
        let batch = apply(&writer, &[Change::Keys(both)]).await;
        refused(&batch.outcomes[0], "may not");
        let mut connection = server.connection();
        for name in ["a", "b"] {
            let value: String = redis::cmd("GET")
                .arg(name)
                .query(&mut connection)
                .expect("a value");
            assert_eq!(value, "processing");
        }
    }
}

#[tokio::test]
async fn an_expiry_that_has_passed_is_not_put_back() {
    let server = Server::start();
    let writer = writing(&redis_target(server.port())).await;
    let past = string("processing", Some(1_000_000_000_000));
    let batch = apply(&writer, &[one("a", &PieceState::Absent, &past)]).await;
    refused(&batch.outcomes[0], "has passed");
    app(&server).put(&Piece::whole("a"), &held());
    let batch = apply(&writer, &[one("a", &held(), &past)]).await;
    refused(&batch.outcomes[0], "has passed");
    assert!(exists(&server, "a"));
}

#[tokio::test]
async fn what_does_not_fit_is_refused_before_it_is_sent() {
    let server = Server::start();
    let writer = writing(&redis_target(server.port())).await;
    let there = PieceState::There(Vec::new());
    let empty = PieceState::Value {
        value: ExactValue::Set(Vec::new()),
        expires_at: Some(Timestamp(LATER)),
    };
    let changes = [
        one("a", &PieceState::Absent, &there),
        one("a", &PieceState::Absent, &empty),
        Change::Keys(Vec::new()),
    ];
    for applied in apply(&writer, &changes).await.outcomes {
        assert_eq!(applied.outcome, Outcome::Refused);
    }
    assert!(!exists(&server, "a"));
}

#[tokio::test]
async fn a_cluster_takes_records_of_different_places_one_by_one() {
    let server = Server::options()
        .args(&["--cluster-enabled", "yes"])
        .start();
    let mut connection = server.connection();
    let target = redis_target(server.port());
    let early = writing(&target).await;
    let batch = apply(&early, &[release("a")]).await;
    refused(&batch.outcomes[0], "CLUSTERDOWN");
    assert!(batch.trouble.is_some());
    run(
        &mut connection,
        "CLUSTER",
        &[b"ADDSLOTSRANGE", b"0", b"16383"],
    );
    let put = || {
        let mut connection = server.connection();
        redis::cmd("SET")
            .arg("probe")
            .arg("1")
            .exec(&mut connection)
            .ok()
    };
    wait_for("the cluster to be up", put);
    let names: Vec<String> = (0..30).map(|number| format!("k{number}")).collect();
    for name in &names {
        app(&server).put(&Piece::whole(name.as_str()), &held());
    }
    let changes: Vec<Change> = names.iter().map(|name| release(name)).collect();
    let batch = apply(&early, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::Done)
    );
}

/// The line is cut after every number of bytes, in both directions, by both ways of changing.
#[tokio::test]
async fn a_line_that_is_cut_anywhere_never_brings_a_wrong_word() {
    let server = redis_with("", &format!("{TYPES} {WATCH}"));
    for user in ["default", "operator"] {
        let proxy = Proxy::before(server.port());
        // More than two calls of the script; without it, each record has calls of its own.
        let (target, count) = match user {
            "default" => (redis_target(proxy.port()), 50),
            user => (as_user(proxy.port(), user), 3),
        };
        cut_everywhere(&server, &proxy, &writing(&impatient(target)).await, count).await;
    }
}

async fn cut_everywhere(server: &Server, proxy: &Proxy, writer: &WriteStore, count: usize) {
    let mut connection = server.connection();
    let names: Vec<String> = (0..count).map(|number| format!("k{number}")).collect();
    let changes: Vec<Change> = names.iter().map(|name| release(name)).collect();
    let app = app(server);
    let fill = || {
        names
            .iter()
            .for_each(|name| app.put(&Piece::whole(name.as_str()), &held()))
    };
    fill();
    proxy.set(Plan::Pass);
    let whole = apply(writer, &changes).await;
    assert_eq!(whole.trouble, None);
    let seen = proxy.seen();
    let mut random = fastrand::Rng::with_seed(seed());
    let step = if long() { 1 } else { 97 };
    let mut places = Vec::new();
    for after in (random.u64(0..step)..seen.up).step_by(step as usize) {
        places.push(Plan::CutUp {
            after,
            end: End::Close,
        });
    }
    let step = if long() { 1 } else { 29 };
    for after in (random.u64(0..step)..seen.down).step_by(step as usize) {
        places.push(Plan::CutDown {
            after,
            end: End::Reset,
        });
    }
    for plan in places {
        fill();
        proxy.set(plan);
        let batch = apply(writer, &changes).await;
        proxy.set(Plan::Pass);
        for (name, applied) in names.iter().zip(&batch.outcomes) {
            let there: bool = redis::cmd("EXISTS")
                .arg(name)
                .query(&mut connection)
                .expect("an answer");
            let fits = match applied.outcome {
                Outcome::Done => !there,
                Outcome::NotReached => there,
                Outcome::Unknown => true,
                _ => false,
            };
            assert!(
                fits,
                "{plan:?}, seed {}: {name} {there} {applied:?}",
                seed()
            );
        }
        let unknown = batch
            .outcomes
            .iter()
            .filter(|one| one.outcome == Outcome::Unknown);
        assert!(unknown.count() <= 120, "{plan:?}");
    }
    fill();
    let batch = apply(writer, &changes).await;
    assert!(
        batch
            .outcomes
            .iter()
            .all(|applied| applied.outcome == Outcome::Done),
        "{batch:?}"
    );
}
