//! Positions of the policy that a store has no part in.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use idemscope::guard::{
    Carrier, ClientError, InProgress, Mismatch, Policy, Replay, Requirement, Scope, ServerError,
};

use crate::fixture::{Shop, memory};

const A: &str = r#"{"amount": 1500, "request_id": "k9"}"#;
const B: &str = r#"{"amount": 2500}"#;

async fn shop(change: impl FnOnce(&mut Policy)) -> Shop {
    let mut policy = Policy::default();
    change(&mut policy);
    Shop::new(&memory().await, policy, "one")
}

#[tokio::test]
async fn a_key_is_required_or_not() {
    let strict = shop(|_| {}).await;
    let answer = strict.send("u1", "/payments", None, A, &[]).await;
    assert_eq!((answer.status, strict.till.charges()), (400, 0));
    let text = String::from_utf8(answer.body).expect("text");
    assert!(text.contains("idempotency key"), "{text}");
    let lax = shop(|policy| policy.requirement = Requirement::Optional).await;
    for _ in 0..2 {
        assert_eq!(lax.send("u1", "/payments", None, A, &[]).await.status, 201);
    }
    assert_eq!(lax.till.charges(), 2);
    let empty = strict.pay("u1", "", A, &[]).await;
    let long = strict.pay("u1", &"k".repeat(300), A, &[]).await;
    assert_eq!((empty.status, long.status), (400, 400));
}

#[tokio::test]
async fn a_key_may_stand_in_the_body() {
    let carrier = Carrier::Member("request_id".to_owned());
    let shop = shop(|policy| policy.carrier = carrier).await;
    let first = shop.send("u1", "/payments", None, A, &[]).await;
    let again = shop.send("u1", "/payments", None, A, &[]).await;
    assert_eq!((first.status, &again.body), (201, &first.body));
    assert_eq!(shop.send("u1", "/payments", None, B, &[]).await.status, 400);
}

#[tokio::test]
async fn a_mismatch_is_answered_as_the_policy_says() {
    for (mismatch, status) in [
        (Mismatch::Unprocessable, 422),
        (Mismatch::BadRequest, 400),
        (Mismatch::Conflict, 409),
        (Mismatch::Replay, 201),
    ] {
        let shop = shop(|policy| policy.mismatch = mismatch).await;
        let first = shop.pay("u1", "k1", A, &[]).await;
        let other = shop.pay("u1", "k1", B, &[]).await;
        assert_eq!(other.status, status, "{mismatch:?}");
        assert_eq!(other.body == first.body, mismatch == Mismatch::Replay);
    }
}

#[tokio::test]
async fn errors_are_stored_or_not() {
    let store = shop(|policy| policy.server_error = ServerError::Store).await;
    for _ in 0..2 {
        assert_eq!(store.pay("u1", "k1", A, &["x-fail"]).await.status, 500);
    }
    assert_eq!(store.pay("u1", "k1", A, &[]).await.status, 500);
    assert_eq!(store.till.charges(), 1);
    let always = shop(|policy| policy.client_error = ClientError::Store).await;
    assert_eq!(always.pay("u1", "k1", A, &["x-reject"]).await.status, 400);
    assert_eq!(always.pay("u1", "k1", B, &[]).await.status, 422);
    let never = shop(|policy| policy.client_error = ClientError::Never).await;
    assert_eq!(never.pay("u1", "k1", A, &["x-reject"]).await.status, 400);
    assert_eq!(never.pay("u1", "k1", A, &[]).await.status, 201);
}

#[tokio::test]
async fn a_replay_is_as_whole_as_the_policy_says() {
    let bare = shop(|policy| policy.replay = Replay::BodyWithOk).await;
    let first = bare.pay("u1", "k1", A, &[]).await;
    let again = bare.pay("u1", "k1", A, &[]).await;
    assert_eq!(
        (first.status, again.status, again.location),
        (201, 200, None)
    );
    let unmarked = shop(|policy| policy.marker = None).await;
    unmarked.pay("u1", "k1", A, &[]).await;
    assert_eq!(unmarked.pay("u1", "k1", A, &[]).await.replayed, None);
}

#[tokio::test]
async fn a_global_scope_leaks() {
    let shop = shop(|policy| {
        policy.scope = Scope::Global;
        policy.mismatch = Mismatch::Replay;
    })
    .await;
    let alice = shop.pay("alice", "k1", A, &[]).await;
    assert_eq!(shop.pay("bob", "k1", B, &[]).await.body, alice.body);
    assert_eq!(shop.till.charges(), 1);
}

#[tokio::test]
async fn in_progress_has_the_status_of_the_policy() {
    for (in_progress, status) in [
        (InProgress::Conflict, 409),
        (InProgress::Accepted, 202),
        (InProgress::Unprocessable, 422),
    ] {
        let shop = shop(|policy| policy.in_progress = in_progress).await;
        let slow = shop.clone();
        let slow = tokio::spawn(async move { slow.pay("u1", "k1", A, &["x-wait"]).await });
        while shop.till.charges() == 0 {
            tokio::task::yield_now().await;
        }
        let busy = shop.pay("u1", "k1", A, &[]).await;
        assert_eq!((busy.status, busy.retry_after), (status, None));
        shop.till.gate.notify_one();
        assert_eq!(slow.await.expect("no panic").status, 201);
    }
}

#[tokio::test]
async fn a_repeatable_request_is_taken_within_its_window() {
    let window = Duration::from_secs(300);
    let shop = shop(|policy| policy.carrier = Carrier::Repeatable(window)).await;
    let date = |ago_secs: i64| {
        let at = idemscope::sys::clock::now().millis() - ago_secs * 1000;
        let at = chrono::DateTime::from_timestamp_millis(at).expect("a time");
        at.format("Repeatability-First-Sent: %a, %d %b %Y %H:%M:%S GMT")
            .to_string()
    };
    let send = async |key: &str, sent: &str| {
        let id = format!("Repeatability-Request-ID: {key}");
        let headers: Vec<&str> = [id.as_str(), sent]
            .into_iter()
            .filter(|h| !h.is_empty())
            .collect();
        shop.send("u1", "/payments", None, A, &headers).await.status
    };
    assert_eq!(send("r1", &date(0)).await, 201);
    assert_eq!(send("r1", &date(200)).await, 201);
    assert_eq!(shop.till.charges(), 1);
    assert_eq!(send("r2", &date(301)).await, 412);
    assert_eq!(send("r3", &date(-3600)).await, 412);
    assert_eq!(send("r4", "").await, 400);
    assert_eq!(send("r5", "Repeatability-First-Sent: yesterday").await, 400);
    assert_eq!(shop.till.charges(), 1);
}

#[tokio::test]
async fn an_error_may_leave_the_lock_behind() {
    let shop = shop(|policy| policy.server_error = ServerError::Leave).await;
    assert_eq!(shop.pay("u1", "k1", A, &["x-fail"]).await.status, 500);
    assert_eq!(shop.pay("u1", "k1", A, &[]).await.status, 409);
    assert_eq!(shop.till.charges(), 1);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let time = Duration::from_millis(50);
    let shop = shop(|policy| policy.body_time = time).await;
    let endless = Body::from_stream(futures_util::stream::pending::<Result<Bytes, Infallible>>());
    assert_eq!(shop.send_body("u1", "k1", endless).await.status, 408);
    assert_eq!(shop.till.charges(), 0);
    assert_eq!(shop.pay("u1", "k1", A, &[]).await.status, 201);
}
