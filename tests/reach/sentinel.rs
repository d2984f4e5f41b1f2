//! A primary that sentinels know: found, followed, and never written to after it was replaced.

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{Change, ExactValue, Outcome, Piece, PieceChange, PieceState};
use idemscope::domain::raw::KeyRead;
use idemscope::stores::{KeyStep, ReadStore, StoreErrorKind, Target, open, open_writing};

use crate::support::sentinel::{Options, Watched};
use crate::support::tls;
use crate::{Person, lock, locks};

fn target(url: &str) -> Target {
    let resolved = resolve(Some(url), &TargetOptions::default());
    resolved.expect("a target").target
}

async fn read(store: &ReadStore, key: &str) -> Option<Vec<u8>> {
    let wanted = [(key.as_bytes().to_vec(), KeyRead::Head { bytes: 100 })];
    let step = KeyStep {
        scan: None,
        fetch: &wanted,
    };
    match store.key_step(step).await {
        Ok(mut result) => match result.values.remove(0).value {
            idemscope::domain::raw::KeyValue::String { bytes, .. } => Some(bytes),
            _ => None,
        },
        Err(_) => None,
    }
}

fn removal(key: &str, expires_at: Option<idemscope::domain::Timestamp>) -> Change {
    Change::Keys(vec![PieceChange {
        piece: Piece::whole(key),
        seen: PieceState::Value {
            value: ExactValue::String(b"processing".to_vec()),
            expires_at,
        },
        then: PieceState::Absent,
    }])
}

#[test]
fn the_primary_is_found_by_its_name() {
    let watched = Watched::start();
    let person = Person::new();
    locks(&mut watched.servers[watched.primary()].connection(), 12);
    let url = watched.url();
    let ran = person.run(&["summary", &url, "--format", "json"]);
    assert_eq!(ran.json()["total"], 12, "{}", ran.err);
    let told = person.run(&["connections", "test", &url, "--format", "json"]);
    let primary = format!("127.0.0.1:{}", watched.servers[0].port());
    assert_eq!(told.json()["place"]["server"], primary.as_str());
    assert_eq!(told.json()["place"]["replica"], false);
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
    assert_eq!(person.run(&release).json()["outcomes"]["released"], 12);
    let other = url.replace("mymaster", "theirs");
    person
        .run(&["summary", &other])
        .says(3, "no sentinel knows a primary named `theirs`");
    // One that is no sentinel.
    let server = format!("redis+sentinel://127.0.0.1:{}/m", watched.servers[0].port());
    person
        .run(&["summary", &server])
        .says(2, "was asked for `m`");
}

#[test]
fn a_replica_is_looked_at_and_never_written_to() {
    let watched = Watched::start();
    let person = Person::new();
    let primary = &watched.servers[0];
    locks(&mut primary.connection(), 5);
    let direct = primary.url();
    for url in [watched.url(), direct] {
        let words = ["connections", "test", &url, "--replica", "--format", "json"];
        let told = person.run(&words).json();
        assert_eq!(told["place"]["replica"], true, "{told}");
        assert_eq!(told["place"]["lag"]["linked"], true, "{told}");
        let server = told["place"]["server"].as_str().expect("a server");
        assert!(!server.ends_with(&primary.port().to_string()), "{server}");
    }
    // Looked at on the replica, changed at the primary.
    let url = watched.url();
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
    assert_eq!(ran.json()["outcomes"]["released"], 5, "{}", ran.err);
    let left: i64 = redis::cmd("DBSIZE")
        .query(&mut primary.connection())
        .expect("a count");
    assert_eq!(left, 0);
    // A replica counts what is done at itself.
    let words = ["stats", &url, "--replica", "--format", "json"];
    let told = person.run(&words);
    assert!(
        told.out.contains("not observable on a replica"),
        "{}{}",
        told.out,
        told.err
    );
    let told = person.run(&["stats", &url, "--format", "json"]);
    assert!(!told.out.contains("on a replica"), "{}", told.out);
    // A server that has none.
    let alone = crate::support::redis::Server::start();
    person
        .run(&["summary", &alone.url(), "--replica"])
        .says(3, "has no replica to look at");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_failover_nothing_is_changed_that_was_not_looked_at_again() {
    let watched = tokio::task::block_in_place(Watched::start);
    tokio::task::block_in_place(|| locks(&mut watched.servers[0].connection(), 3));
    let target = target(&watched.url());
    let reader = open(&target).await.expect("a store");
    let writer = open_writing(&target).await.expect("a store");
    let pieces = [Piece::whole(lock(0)), Piece::whole(lock(1))];
    let seen = reader.exact_pieces(&pieces).await.expect("read");
    let expiry = |at: usize| match &seen[at] {
        Ok(PieceState::Value { expires_at, .. }) => *expires_at,
        other => panic!("{other:?}"),
    };
    let done = writer.apply(&[&removal(&lock(0), expiry(0))]).await;
    assert_eq!(done.outcomes[0].outcome, Outcome::Done);
    // What was acknowledged has to be at the replica before the primary dies.
    tokio::task::block_in_place(|| {
        crate::support::process::wait_for("the replicas to have it", || {
            let gone = watched.servers[1..].iter().all(|server| {
                let mut ask = redis::cmd("EXISTS");
                let there: i64 = ask
                    .arg(lock(0))
                    .query(&mut server.connection())
                    .unwrap_or(1);
                there == 0
            });
            gone.then_some(())
        });
        watched.fail_over();
    });
    let change = removal(&lock(1), expiry(1));
    // The first call may meet the line that broke; what was never sent is tried again.
    let mut last = writer.apply(&[&change]).await;
    for _ in 0..20 {
        if last.trouble.as_ref().map(|error| error.kind) == Some(StoreErrorKind::Replaced) {
            break;
        }
        assert_ne!(last.outcomes[0].outcome, Outcome::Done, "{last:?}");
        last = writer.apply(&[&change]).await;
    }
    let kind = last.trouble.as_ref().map(|error| error.kind);
    assert_eq!(kind, Some(StoreErrorKind::Replaced), "{last:?}");
    assert_eq!(last.outcomes[0].outcome, Outcome::NotReached);
    // Looking goes on, at the new primary, and so do changes that are planned anew.
    let mut found = None;
    for _ in 0..40 {
        found = read(&reader, &lock(1)).await;
        if found.is_some() {
            break;
        }
    }
    assert_eq!(found.as_deref(), Some(b"processing".as_slice()));
    let anew = open_writing(&target).await.expect("a store");
    let done = anew.apply(&[&change]).await;
    assert_eq!(done.outcomes[0].outcome, Outcome::Done, "{done:?}");
}

/// The old primary answers as ever, on a line that never broke.
#[tokio::test(flavor = "multi_thread")]
async fn a_primary_that_sentinels_left_is_not_written_to() {
    let watched = tokio::task::block_in_place(Watched::start);
    tokio::task::block_in_place(|| locks(&mut watched.servers[0].connection(), 2));
    let target = target(&watched.url());
    let reader = open(&target).await.expect("a store");
    let writer = open_writing(&target).await.expect("a store");
    let pieces = [Piece::whole(lock(0)), Piece::whole(lock(1))];
    let seen = reader.exact_pieces(&pieces).await.expect("read");
    let change = |at: usize| match &seen[at] {
        Ok(PieceState::Value { expires_at, .. }) => removal(&lock(at), *expires_at),
        other => panic!("{other:?}"),
    };
    let done = writer.apply(&[&change(0)]).await;
    assert_eq!(done.outcomes[0].outcome, Outcome::Done);
    tokio::task::block_in_place(|| watched.name_another(1));
    // What was confirmed a moment ago counts for that moment.
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    let done = writer.apply(&[&change(1)]).await;
    let kind = done.trouble.as_ref().map(|error| error.kind);
    assert_eq!(kind, Some(StoreErrorKind::Replaced), "{done:?}");
    assert_eq!(done.outcomes[0].outcome, Outcome::NotReached);
    let mut there = redis::cmd("EXISTS");
    let there: i64 = there
        .arg(lock(1))
        .query(&mut watched.servers[0].connection())
        .expect("an answer");
    assert_eq!(there, 1);
}

/// One sentinel that is cut off with the old primary names it as ever.
#[test]
fn the_word_of_one_sentinel_is_enough_to_look_and_too_little_to_change() {
    let watched = Watched::start();
    locks(&mut watched.servers[0].connection(), 3);
    watched.forget_at_most();
    let (person, url) = (Person::new(), watched.url());
    let told = person.run(&["summary", &url, "--format", "json"]);
    assert_eq!(told.json()["total"], 3, "{}", told.err);
    let words = ["release", &url, "--stuck", "--older-than", "10m", "--yes"];
    person
        .run(&words)
        .says(3, "only 1 of 3 sentinels named a primary");
    let told = person.run(&["summary", &url, "--format", "json"]);
    assert_eq!(told.json()["total"], 3, "{}", told.err);
}

#[test]
fn sentinels_have_a_password_of_their_own() {
    let watched = Options::default().sentinel_password("theirs").start();
    let primary = &watched.servers[watched.primary()];
    locks(&mut primary.connection(), 4);
    redis::cmd("ACL")
        .arg(&["SETUSER", "app", "on", ">ours", "~*", "+@all"])
        .exec(&mut primary.connection())
        .expect("a user");
    let url = watched.url().replacen("://", "://app:ours@", 1);
    let person = Person::new();
    let words = ["summary", &url, "--format", "json"];
    let told = person.run(&words);
    // Neither without a login nor with the server's.
    assert_eq!(told.code, 3, "{}", told.out);
    assert!(!told.err.contains("ours"), "{}", told.err);
    let with = |password| person.run_with(&words, &[("IDEMSCOPE_SENTINEL_PASSWORD", password)]);
    let told = with("theirs");
    assert_eq!(told.json()["total"], 4, "{}", told.err);
    let told = with("other-word");
    assert_eq!(told.code, 3, "{}", told.out);
    assert!(!told.err.contains("other-word"), "{}", told.err);
    // In a URL it would be kept with the connection.
    let url = format!("{}?sentinel_password=theirs", watched.url());
    let told = person.run(&["connections", "add", "shop", &url]);
    let list = person.run(&["connections", "list", "--format", "json"]);
    assert!(!list.out.contains("theirs"), "{}{}", list.out, told.err);
}

#[test]
fn sentinels_and_their_servers_are_reached_through_tls() {
    let certificates = tls::Certificates::new();
    let watched = Options::default()
        .tls(&certificates.server, &certificates.ca)
        .start();
    locks(&mut watched.servers[watched.primary()].connection(), 6);
    let (person, url) = (Person::new(), watched.url());
    let ca = certificates.ca.display().to_string();
    let told = person.run(&["summary", &url, "--ca", &ca, "--format", "json"]);
    assert_eq!(told.json()["total"], 6, "{}", told.err);
    let words = ["connections", "test", &url, "--ca", &ca, "--format", "json"];
    let told = person.run(&[&words[..], &["--replica"]].concat()).json();
    assert_eq!(told["encryption"], "encrypted, server verified");
    assert_eq!(told["place"]["replica"], true, "{told}");
    let other = certificates.other_ca.display().to_string();
    person
        .run(&["summary", &url, "--ca", &other])
        .says(3, "unknown CA");
    let words = [
        "release",
        &url,
        "--ca",
        &ca,
        "--stuck",
        "--older-than",
        "10m",
        "--yes",
    ];
    let released = person.run(&[&words[..], &["--format", "json"]].concat());
    assert_eq!(
        released.json()["outcomes"]["released"],
        6,
        "{}",
        released.err
    );
}
