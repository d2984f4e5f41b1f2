//! What the layer promises, each as a story over one store.

use std::time::Duration;

use idemscope::guard::{InProgress, Lease, Outbox, OutboxCount, Policy, Stale};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::fixture::{Answer, Fixture, Shop};

const A: &str = r#"{"amount": 1500}"#;
const B: &str = r#"{"amount": 2500}"#;

/// Asks again until an answer is as wanted, as a patient client does.
async fn until(
    what: &str,
    ask: impl AsyncFn() -> Answer,
    fits: impl Fn(&Answer) -> bool,
) -> Answer {
    for _ in 0..600 {
        let answer = ask().await;
        if fits(&answer) {
            return answer;
        }
        tokio::task::yield_now().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{what} never came");
}

fn lease(lease: Lease) -> Policy {
    Policy {
        lease,
        ..Policy::default()
    }
}

pub async fn one_key_is_executed_once_and_replayed(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    let first = shop.pay("u1", "k1", A, &[]).await;
    assert_eq!(
        (first.status, first.replayed.as_deref()),
        (201, Some("false"))
    );
    let again = shop.pay("u1", "k1", A, &[]).await;
    assert_eq!(again.replayed.as_deref(), Some("true"));
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(again.location, first.location);
    // A cookie is of one answer only.
    assert_eq!((first.cookie.is_some(), again.cookie), (true, None));
    let quoted = shop.pay("u1", "\"k1\"", A, &[]).await;
    assert_eq!(quoted.body, first.body);
    assert_eq!(shop.till.charges(), 1);
    let other = shop.pay("u1", "k2", A, &[]).await;
    assert_ne!(other.body, first.body);
    assert_eq!(shop.till.charges(), 2);
}

pub async fn another_payload_is_refused_and_changes_nothing(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    let first = shop.pay("u1", "k1", A, &[]).await;
    assert_eq!(shop.pay("u1", "k1", B, &[]).await.status, 422);
    let again = shop.pay("u1", "k1", r#"{ "amount": 1500.0 }"#, &[]).await;
    assert_eq!(again.body, first.body, "the same by its value");
    assert_eq!(shop.pay("u1", "k4", B, &[]).await.status, 201);
    assert_eq!(shop.till.charges(), 2);
}

pub async fn a_key_belongs_to_its_scope(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    let alice = shop.pay("alice", "k1", A, &[]).await;
    let bob = shop.pay("bob", "k1", B, &[]).await;
    assert_eq!((alice.status, bob.status), (201, 201));
    let refund = shop.send("alice", "/refunds", Some("k1"), A, &[]).await;
    assert_eq!(refund.status, 201);
    assert_eq!(shop.till.charges(), 3);
    assert_eq!(shop.pay("alice", "k1", A, &[]).await.body, alice.body);
}

pub async fn after_its_retention_a_key_is_new(fixture: &Fixture) {
    let policy = Policy {
        retention: Duration::from_millis(400),
        lease: Lease::Own(Duration::from_millis(200)),
        ..Policy::default()
    };
    let shop = Shop::new(fixture, policy, "one");
    let first = shop.pay("u1", "k1", A, &[]).await;
    let ask = async || shop.pay("u1", "k1", B, &[]).await;
    let second = until("a new execution", ask, |answer| answer.status != 422).await;
    assert_eq!(second.status, 201);
    assert_ne!(second.body, first.body);
    assert_eq!(shop.till.charges(), 2);
}

pub async fn a_replay_may_extend_the_retention(fixture: &Fixture) {
    let policy = Policy {
        retention: Duration::from_millis(1500),
        is_extended_by_replay: true,
        ..Policy::default()
    };
    let shop = Shop::new(fixture, policy, "one");
    let first = shop.pay("u1", "k1", A, &[]).await;
    // Three times the retention, never asking later than it.
    for _ in 0..45 {
        assert_eq!(shop.pay("u1", "k1", A, &[]).await.body, first.body);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(shop.till.charges(), 1);
}

async fn at_once(shops: &[Shop], count: usize) -> Vec<Answer> {
    let barrier = std::sync::Arc::new(Barrier::new(count));
    let mut tasks = JoinSet::new();
    for n in 0..count {
        let (shop, barrier) = (shops[n % shops.len()].clone(), barrier.clone());
        tasks.spawn(async move {
            barrier.wait().await;
            shop.pay("u1", "k1", A, &["x-wait"]).await
        });
    }
    // Once the others have their answers, the one that executes may end.
    let mut answers = Vec::new();
    let till = shops[0].till.clone();
    while answers.len() < count {
        if answers.len() + 1 >= count {
            till.gate.notify_one();
        }
        tokio::select! {
            done = tasks.join_next() => match done {
                Some(answer) => answers.push(answer.expect("no panic")),
                None => break,
            },
            () = tokio::time::sleep(Duration::from_secs(3)) => till.gate.notify_one(),
        }
    }
    answers
}

pub async fn of_many_at_once_one_executes(fixture: &Fixture) {
    let one = Shop::new(fixture, Policy::default(), "one");
    let two = one.sister(fixture, Policy::default(), "two");
    let answers = at_once(&[one.clone(), two], 24).await;
    let of = |status: u16| {
        answers
            .iter()
            .filter(|answer| answer.status == status)
            .count()
    };
    assert_eq!((of(201), of(409)), (1, 23));
    let busy = answers.iter().find(|answer| answer.status == 409);
    assert_eq!(
        busy.and_then(|busy| busy.retry_after.clone()).as_deref(),
        Some("1")
    );
    assert_eq!(one.till.charges(), 1);
    let first = answers
        .iter()
        .find(|answer| answer.status == 201)
        .expect("one");
    assert_eq!(one.pay("u1", "k1", A, &[]).await.body, first.body);
}

pub async fn waiting_requests_get_the_answer_of_the_first(fixture: &Fixture) {
    let policy = Policy {
        in_progress: InProgress::Wait(Duration::from_secs(60)),
        ..Policy::default()
    };
    let shop = Shop::new(fixture, policy, "one");
    let answers = at_once(std::slice::from_ref(&shop), 12).await;
    assert_eq!(answers.len(), 12);
    assert!(answers.iter().all(|answer| answer.body == answers[0].body));
    let replayed = |answer: &&Answer| answer.replayed.as_deref() == Some("true");
    assert_eq!(answers.iter().filter(replayed).count(), 11);
    assert_eq!(shop.till.charges(), 1);
}

pub async fn an_error_releases_and_keeps_the_fingerprint(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    assert_eq!(shop.pay("u1", "k1", A, &["x-fail"]).await.status, 500);
    assert_eq!(shop.pay("u1", "k1", B, &[]).await.status, 422);
    assert_eq!(shop.pay("u1", "k1", A, &[]).await.status, 201);
    assert_eq!(shop.till.charges(), 2);
    // Refused before anything was done: the corrected request may use the same key.
    assert_eq!(shop.pay("u1", "k2", A, &["x-reject"]).await.status, 400);
    assert_eq!(shop.pay("u1", "k2", B, &[]).await.status, 201);
}

pub async fn a_stale_lock_is_taken_over_and_its_owner_fenced(fixture: &Fixture) {
    let policy = lease(Lease::Own(Duration::from_millis(200)));
    let one = Shop::new(fixture, policy.clone(), "one");
    let two = one.sister(fixture, policy, "two");
    let slow = one.clone();
    let slow = tokio::spawn(async move { slow.pay("u1", "k1", A, &["x-wait"]).await });
    let began = async || Answer {
        status: u16::try_from(one.till.charges()).unwrap_or(9),
        ..two.send("u1", "/nothing", None, "", &[]).await
    };
    until("the first to begin", began, |answer| answer.status == 1).await;
    let ask = async || two.pay("u1", "k1", A, &[]).await;
    let second = until("the lease to end", ask, |answer| answer.status != 409).await;
    assert_eq!(
        (second.status, second.replayed.as_deref()),
        (201, Some("false"))
    );
    one.till.gate.notify_one();
    let late = slow.await.expect("no panic");
    assert_eq!(late.status, 409, "a former owner saves nothing");
    assert_eq!(two.pay("u1", "k1", A, &[]).await.body, second.body);
    assert_eq!(one.till.charges(), 2);
}

pub async fn a_stale_lock_is_left_where_the_policy_says_so(fixture: &Fixture) {
    let policy = Policy {
        stale: Stale::Never,
        ..lease(Lease::Own(Duration::from_millis(1)))
    };
    let shop = Shop::new(fixture, policy, "one");
    let slow = shop.clone();
    let slow = tokio::spawn(async move { slow.pay("u1", "k1", A, &["x-wait"]).await });
    while shop.till.charges() == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(shop.pay("u1", "k1", A, &[]).await.status, 409);
    shop.till.gate.notify_one();
    assert_eq!(
        slow.await.expect("no panic").status,
        201,
        "an overdue owner may save"
    );
    assert_eq!(shop.till.charges(), 1);
}

pub async fn a_lock_that_is_renewed_is_never_stale(fixture: &Fixture) {
    let shop = Shop::new(
        fixture,
        lease(Lease::Renewed(Duration::from_millis(1500))),
        "one",
    );
    let slow = shop.clone();
    let slow = tokio::spawn(async move { slow.pay("u1", "k1", A, &["x-wait"]).await });
    while shop.till.charges() == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..40 {
        assert_eq!(shop.pay("u1", "k1", A, &[]).await.status, 409);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    shop.till.gate.notify_one();
    assert_eq!(slow.await.expect("no panic").status, 201);
    assert_eq!(shop.till.charges(), 1);
}

pub async fn what_is_stored_comes_back_byte_for_byte(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    let key = "k/1:with%20all{the}[odd]*?signs";
    let first = shop.pay("user: a/b é", key, A, &["x-binary"]).await;
    let again = shop.pay("user: a/b é", key, A, &["x-binary"]).await;
    assert_eq!(again.body, [0, 0xff, b'\\', b'\n', 0xfe]);
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(shop.till.charges(), 1);
}

pub async fn a_client_that_gives_up_does_not_end_its_request(fixture: &Fixture) {
    let shop = Shop::new(fixture, Policy::default(), "one");
    let hasty = shop.clone();
    let hasty = tokio::spawn(async move { hasty.pay("u1", "k1", A, &["x-wait"]).await });
    while shop.till.charges() == 0 {
        tokio::task::yield_now().await;
    }
    hasty.abort();
    shop.till.gate.notify_one();
    let ask = async || shop.pay("u1", "k1", A, &[]).await;
    let answer = until("the answer", ask, |answer| answer.status != 409).await;
    assert_eq!(
        (answer.status, answer.replayed.as_deref()),
        (201, Some("true"))
    );
    assert_eq!(shop.till.charges(), 1);
}

pub async fn an_execution_goes_on_where_the_last_one_stopped(fixture: &Fixture) {
    let short = Policy {
        retention: Duration::from_millis(900),
        lease: Lease::Own(Duration::from_millis(200)),
        ..Policy::default()
    };
    let shop = Shop::new(fixture, short, "one");
    // After an error.
    let failed = shop.pay("u1", "k1", A, &["x-point", "x-fail"]).await;
    assert_eq!((failed.status, shop.till.charges()), (500, 1));
    let again = shop.pay("u1", "k1", A, &[]).await;
    assert_eq!((again.status, shop.till.charges()), (201, 1));
    // After a claim that nobody ended.
    let slow = {
        let shop = shop.clone();
        tokio::spawn(async move { shop.pay("u1", "k2", A, &["x-point", "x-wait"]).await })
    };
    let retry = async || shop.pay("u1", "k2", A, &[]).await;
    let taken = until("a take-over", retry, |answer| answer.status == 201).await;
    assert_eq!((taken.status, shop.till.charges()), (201, 2));
    slow.abort();
    // Another key begins at the beginning, and so does an expired one.
    shop.pay("u1", "k3", A, &["x-point", "x-fail"]).await;
    assert_eq!(shop.till.charges(), 3);
    tokio::time::sleep(Duration::from_millis(1000)).await;
    assert_eq!(shop.pay("u1", "k3", A, &[]).await.status, 201);
    assert_eq!(shop.till.charges(), 4);
}

pub async fn a_note_is_saved_with_its_answer_or_not_at_all(fixture: &Fixture) {
    let outbox = &fixture.store;
    outbox.prepare_outbox().await.expect("an outbox");
    let policy = Policy {
        stale: Stale::Fenced,
        ..lease(Lease::Own(Duration::from_millis(300)))
    };
    let shop = Shop::new(fixture, policy.clone(), "one");
    shop.pay("u1", "k1", A, &["x-note"]).await;
    let replay = shop.pay("u1", "k1", A, &["x-note"]).await;
    assert_eq!(replay.replayed.as_deref(), Some("true"));
    let notes = outbox.unsent(10).await.expect("notes");
    assert_eq!(notes.len(), 1, "a replay notes nothing");
    assert_eq!(notes[0].id, "paid 1");
    // A former owner saves no answer, and no note either.
    let (slow, gate) = (shop.clone(), shop.till.gate.clone());
    let slow = tokio::spawn(async move { slow.pay("u1", "k2", A, &["x-note", "x-wait"]).await });
    let sister = shop.sister(fixture, policy, "two");
    while shop.till.charges() < 2 {
        tokio::task::yield_now().await;
    }
    let taken = until(
        "the stale lock to be taken over",
        async || sister.pay("u1", "k2", A, &["x-note"]).await,
        |answer| answer.status == 201 && shop.till.charges() == 3,
    )
    .await;
    assert_eq!(taken.replayed.as_deref(), Some("false"));
    gate.notify_one();
    assert_eq!(slow.await.expect("an answer").status, 409);
    let notes = outbox.unsent(10).await.expect("notes");
    let ids: Vec<&str> = notes.iter().map(|note| note.id.as_str()).collect();
    assert_eq!(ids, ["paid 1", "paid 3"]);
    for note in &notes {
        outbox.mark_sent(note).await.expect("marked");
    }
    outbox.mark_sent(&notes[0]).await.expect("marked twice");
    let count = outbox.outbox_count().await.expect("a count");
    let expected = OutboxCount {
        pending: 0,
        sent: 2,
    };
    assert_eq!(
        count, expected,
        "a note is sent once, however often that is said"
    );
    assert!(outbox.unsent(10).await.expect("notes").is_empty());
}
