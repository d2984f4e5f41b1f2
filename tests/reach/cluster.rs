//! A Redis Cluster as people see it: listed, shown, released, measured; and what cannot be done in it.

use std::collections::BTreeSet;

use idemscope::config::{TargetOptions, resolve};
use idemscope::domain::change::{Change, Outcome, Piece, PieceChange, PieceState};
use idemscope::stores::{KeyStep, ReadStore, ScanStep, StoreErrorKind, Target, open, open_writing};

use crate::support::cluster::{Cluster, query};
use crate::support::process::wait_for;
use crate::support::tls::Certificates;
use crate::support::{corpus, redis as server};
use crate::{Person, lock, locks};

pub fn target(url: &str, look: &str) -> Target {
    let mut options = TargetOptions::default();
    if look == "replica" {
        options.look = idemscope::stores::target::Look::Replica;
    }
    resolve(Some(url), &options).expect("a target").target
}

#[test]
fn records_are_listed_shown_released_and_restored() {
    let cluster = Cluster::start(1);
    let person = Person::new();
    locks(&mut cluster.client(), 300);
    let url = cluster.url();
    let ran = person.run(&["summary", &url, "--format", "json"]);
    assert_eq!(ran.json()["total"], 300, "{}", ran.err);
    let told = person
        .run(&["connections", "test", &url, "--format", "json"])
        .json();
    assert_eq!(told["place"]["primaries"], 3);
    let ran = person.run(&["show", &url, &lock(7), "--format", "json"]);
    assert_eq!(ran.json()["address"], lock(7).as_str(), "{}", ran.err);
    // On replicas the same, and nothing is changed there.
    let ran = person.run(&["keys", &url, "--replica", "--format", "json"]);
    assert_eq!(
        ran.json().as_array().map(Vec::len),
        Some(300),
        "{}",
        ran.err
    );
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
    assert_eq!(released["outcomes"]["released"], 300);
    let ran = person.run(&["summary", &url, "--format", "json"]);
    assert_eq!(ran.json()["total"], 0);
    let journal = released["journal_id"].as_str().expect("an id");
    let undone = person.run(&["undo", &url, journal, "--yes", "--format", "json"]);
    assert_eq!(undone.json()["outcomes"]["restored"], 300, "{}", undone.err);
    let ran = person.run(&["rights", &url]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("+cluster|nodes"), "{}", ran.out);
}

#[test]
fn a_record_that_spans_slots_is_refused_with_its_reason() {
    let cluster = Cluster::start(0);
    let person = Person::new();
    let mut client = cluster.client();
    for snapshot in corpus::redis_snapshots("plain-lock-and-result") {
        corpus::load_snapshot(&mut client, &snapshot.lines);
    }
    let url = cluster.url();
    let listed = person.run(&["keys", &url, "--status", "processing", "--format", "json"]);
    let listed = listed.json();
    let key = listed[0]["address"].as_str().expect("a lock").to_owned();
    // The answer goes to another key than the lock, which goes away.
    let body = person.home.write("body.json", r#"{"id":7}"#);
    let body = body.display().to_string();
    let words = [
        "settle",
        &url,
        &key,
        "--response-status",
        "200",
        "--body",
        &body,
    ];
    let ran = person.run(&[&words[..], &["--yes", "--format", "json"]].concat());
    let told = ran.json();
    assert_eq!(told["keys"][0]["outcome"], "refused", "{told}");
    let why = told["keys"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("slots of the cluster"), "{told}");
}

/// Its layout knows locks beside a record, in other slots.
#[test]
fn a_key_that_is_not_there_keeps_no_record_from_its_release() {
    let cluster = Cluster::start(0);
    let person = Person::new();
    let long_ago = idemscope::sys::clock::now().millis() - 3_600_000;
    for number in 0..20 {
        let mut set = redis::cmd("SET");
        let text = format!(r#"{{"status":"processing","created_at":{long_ago}}}"#);
        let set = set.arg(lock(number)).arg(text);
        set.exec(&mut cluster.client()).expect("written");
    }
    let (url, plan) = (cluster.url(), person.home.join("plan.json"));
    let plan = plan.display().to_string();
    let words = [
        "release",
        &url,
        "--stuck",
        "--older-than",
        "10m",
        "--plan",
        &plan,
    ];
    let planned = person.run(&words);
    assert_eq!(planned.code, 0, "{}", planned.err);
    // One of them comes before the plan runs.
    let beside = lock(7).replace("idempotency:", "idempotency:lock:");
    let mut set = redis::cmd("SET");
    let set = set.arg(&beside).arg("processing");
    set.exec(&mut cluster.client()).expect("written");
    let words = [
        "release", &url, "--apply", &plan, "--yes", "--format", "json",
    ];
    let ran = person.run(&words);
    let told = ran.json();
    assert_eq!(told["outcomes"]["released"], 19, "{told}");
    assert_eq!(told["outcomes"]["changed_meanwhile"], 1, "{told}");
    let journal = told["journal_id"].as_str().expect("an id");
    let undone = person.run(&["undo", &url, journal, "--yes", "--format", "json"]);
    assert_eq!(undone.json()["outcomes"]["restored"], 19, "{}", undone.err);
}

#[test]
fn what_is_no_cluster_is_said() {
    let person = Person::new();
    let alone = server::Server::start();
    let url = alone.url().replace("redis://", "redis+cluster://");
    person
        .run(&["summary", &url])
        .says(2, "is no node of a cluster");
    person
        .run(&["summary", "redis+cluster://127.0.0.1:1"])
        .says(3, "cannot be reached");
    // One node of a cluster, as if it were all: keys elsewhere are told, not missed silently.
    let cluster = Cluster::start(0);
    locks(&mut cluster.client(), 30);
    let at_first = |number: &usize| cluster.owner(crc(&lock(*number))) == 0;
    let (here, there): (Vec<usize>, Vec<usize>) = (0..30).partition(at_first);
    let one = cluster.nodes[0].url();
    let ran = person.run(&["summary", &one, "--format", "json"]);
    assert_eq!(ran.json()["total"], here.len(), "{}", ran.err);
    assert!(ran.err.contains("one node of a cluster"), "{}", ran.err);
    let tested = person.run(&["connections", "test", &one, "--format", "json"]);
    assert_eq!(tested.json()["place"]["part"], true, "{}", tested.out);
    for command in ["show", "release"] {
        let ran = person.run(&[command, &one, &lock(there[0])]);
        ran.says(2, "connect to a cluster with `redis+cluster://`");
    }
    // What is there is released there, and nothing else is.
    let words = ["release", &one, &lock(here[0]), "--yes", "--format", "json"];
    let ran = person.run(&words);
    assert_eq!(
        (ran.code, &ran.json()["outcomes"]["released"]),
        (0, &1.into())
    );
    let left = person.run(&["summary", &cluster.url(), "--format", "json"]);
    assert_eq!(left.json()["total"], 29, "{}", left.err);
}

/// The names of a whole walk; `between` is called after each step.
pub async fn walked(store: &ReadStore, mut between: impl FnMut(usize)) -> BTreeSet<Vec<u8>> {
    let mut names = BTreeSet::new();
    let (mut cursor, mut turn) = (0, 0);
    loop {
        let scan = ScanStep {
            cursor,
            glob: None,
            count: 60,
        };
        let step = KeyStep {
            scan: Some(scan),
            fetch: &[],
        };
        let found = store.key_step(step).await.expect("a step");
        names.extend(found.names);
        cursor = found.cursor.expect("a cursor");
        if cursor == 0 {
            return names;
        }
        tokio::task::block_in_place(|| between(turn));
        turn += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slot_that_moves_while_it_is_read_is_not_missed() {
    let cluster = tokio::task::block_in_place(|| Cluster::start(0));
    tokio::task::block_in_place(|| locks(&mut cluster.client(), 1500));
    let store = open(&target(&cluster.url(), "")).await.expect("a cluster");
    // All that the first keys stand in, to and fro.
    let slots: Vec<u16> = (0..8).map(|number| crc(&lock(number))).collect();
    let names = walked(&store, |turn| {
        if let Some(slot) = slots.get(turn) {
            let from = cluster.owner(*slot);
            cluster.move_slot(*slot, (from + 1) % 3);
        }
    })
    .await;
    assert_eq!(names.len(), 1500);
    // Half moved: what is there is answered, what is here is asked for there.
    let slot = crc(&lock(100));
    let (from, to) = tokio::task::block_in_place(|| {
        let from = cluster.owner(slot);
        let to = (from + 1) % 3;
        cluster.open_slot(slot, from, to);
        cluster.move_keys(slot, from, to, 100);
        (from, to)
    });
    let wanted = [(
        lock(100).into_bytes(),
        idemscope::domain::raw::KeyRead::Head { bytes: 100 },
    )];
    let step = KeyStep {
        scan: None,
        fetch: &wanted,
    };
    let found = store.key_step(step).await.expect("read");
    let is_there = matches!(
        found.values[0].value,
        idemscope::domain::raw::KeyValue::String { .. }
    );
    assert!(is_there, "{:?}", found.values);
    tokio::task::block_in_place(|| cluster.close_slot(slot, from, to));
}

/// Certificates have names there, and nodes tell each other's addresses.
#[tokio::test(flavor = "multi_thread")]
async fn in_tls_slots_are_followed_to_where_the_certificate_is_good() {
    let certificates = Certificates::new();
    let (cluster, slot) = tokio::task::block_in_place(|| {
        let cluster = Cluster::encrypted(&certificates.by_name, &certificates.ca, 1);
        for number in 0..60 {
            let owner = cluster.owner(crc(&lock(number)));
            let mut set = redis::cmd("SET");
            let set = set.arg(lock(number)).arg("processing").arg("PX");
            let set = set.arg(82_800_000);
            set.exec(&mut cluster.nodes[owner].connection())
                .expect("written");
        }
        (cluster, crc(&lock(7)))
    });
    let options = TargetOptions {
        ca: Some(certificates.ca.clone()),
        ..TargetOptions::default()
    };
    let target = resolve(Some(&cluster.encrypted_url()), &options);
    let target = target.expect("a target").target;
    let store = open(&target).await.expect("a cluster");
    let writer = open_writing(&target).await.expect("a cluster");
    let piece = [Piece::whole(lock(7))];
    assert_eq!(walked(&store, |_| {}).await.len(), 60);
    // Both believe that the slot is where it was.
    tokio::task::block_in_place(|| {
        let to = (cluster.owner(slot) + 1) % 3;
        cluster.move_slot(slot, to);
    });
    let seen = store.exact_pieces(&piece).await.expect("read").remove(0);
    let seen = seen.expect("a lock");
    assert_ne!(seen, PieceState::Absent);
    let change = PieceChange {
        piece: piece[0].clone(),
        seen,
        then: PieceState::Absent,
    };
    let done = writer.apply(&[&Change::Keys(vec![change])]).await;
    assert_eq!(done.outcomes[0].outcome, Outcome::Done, "{done:?}");
    assert_eq!(walked(&store, |_| {}).await.len(), 59);
    // A replica that takes over is known by its name as well.
    tokio::task::block_in_place(|| {
        let owner = cluster.owner(slot);
        cluster.nodes[owner].kill();
        wait_for("a replica to take over", || {
            (cluster.owner(slot) != owner).then_some(())
        });
        cluster.until_whole();
    });
    assert_eq!(walked(&store, |_| {}).await.len(), 59);
}

/// It may not know what was changed at the dead one just before.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_took_over_is_looked_at_before_it_is_changed() {
    let cluster = tokio::task::block_in_place(|| Cluster::start(1));
    tokio::task::block_in_place(|| {
        locks(&mut cluster.client(), 20);
        wait_for("the replicas to have them", || {
            let held = |node| query(node, &["DBSIZE"]).parse::<usize>().unwrap_or(0);
            (cluster.nodes.iter().map(held).sum::<usize>() == 40).then_some(())
        });
    });
    let target = target(&cluster.url(), "");
    let store = open(&target).await.expect("a cluster");
    let writer = open_writing(&target).await.expect("a cluster");
    let piece = [Piece::whole(lock(7))];
    let seen = store.exact_pieces(&piece).await.expect("read").remove(0);
    let change = Change::Keys(vec![PieceChange {
        piece: piece[0].clone(),
        seen: seen.expect("a lock"),
        then: PieceState::Absent,
    }]);
    tokio::task::block_in_place(|| {
        let owner = cluster.owner(crc(&lock(7)));
        cluster.nodes[owner].kill();
        wait_for("a replica to take over", || {
            (cluster.owner(crc(&lock(7))) != owner).then_some(())
        });
        cluster.until_whole();
    });
    // Not all nodes have heard of it yet.
    let mut done = writer.apply(&[&change]).await;
    while done
        .trouble
        .as_ref()
        .is_some_and(|error| error.kind == StoreErrorKind::Unreachable)
    {
        done = writer.apply(&[&change]).await;
    }
    assert_ne!(done.outcomes[0].outcome, Outcome::Done);
    let kind = done.trouble.as_ref().map(|error| error.kind);
    assert_eq!(kind, Some(StoreErrorKind::Replaced), "{done:?}");
    assert_eq!(walked(&store, |_| {}).await.len(), 20);
    // Who begins now means the node that has it now.
    let writer = open_writing(&target).await.expect("a cluster");
    let done = writer.apply(&[&change]).await;
    assert_eq!(done.outcomes[0].outcome, Outcome::Done, "{done:?}");
    assert_eq!(walked(&store, |_| {}).await.len(), 19);
}

/// A move that somebody began and never ended is no reason to leave keys out, or to give up.
#[tokio::test(flavor = "multi_thread")]
async fn slots_that_stay_half_moved_are_read_whole() {
    let cluster = tokio::task::block_in_place(|| Cluster::start(0));
    tokio::task::block_in_place(|| {
        let mut client = cluster.client();
        locks(&mut client, 300);
        // Many keys of one slot, some of them moved, and a move that nobody takes.
        for number in 0..40 {
            let mut set = redis::cmd("SET");
            set.arg(format!("idempotency:{{half}}:{number}"))
                .arg("processing");
            set.exec(&mut client).expect("written");
        }
        let slot = crc("half");
        let from = cluster.owner(slot);
        let to = (from + 1) % 3;
        cluster.open_slot(slot, from, to);
        assert_eq!(cluster.move_keys(slot, from, to, 15), 15);
        cluster.leave_slot(crc(&lock(7)));
    });
    let store = open(&target(&cluster.url(), "")).await.expect("a cluster");
    assert_eq!(walked(&store, |_| {}).await.len(), 340);
}

/// The slot of a key without braces, as a node reckons it.
pub fn crc(key: &str) -> u16 {
    let crc = key.bytes().fold(0_u16, |crc, byte| {
        let mut crc = crc ^ (u16::from(byte) << 8);
        for _ in 0..8 {
            crc = if crc & 0x8000 == 0 {
                crc << 1
            } else {
                (crc << 1) ^ 0x1021
            };
        }
        crc
    });
    crc % 16_384
}
