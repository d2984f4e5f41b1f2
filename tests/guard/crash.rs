//! The process is killed between any two steps: what the next request meets is what was promised.
//!
//! The victim is this test program itself, started once more with a step to die at.

use std::process::Command;
use std::time::Duration;

use idemscope::guard::{Caller, Executed, Guard, Lease, Policy, Step, Watch};
use tower::{Layer, Service};

use crate::fixture::{self, Fixture, Shop};

const VARIABLE: &str = "IDEMSCOPE_TEST_VICTIM";
const A: &str = r#"{"amount": 1500}"#;

fn policy() -> Policy {
    Policy {
        lease: Lease::Own(Duration::from_secs(2)),
        ..Policy::default()
    }
}

struct DiesAt(Step);

impl Watch for DiesAt {
    fn at<'w>(
        &'w self,
        step: Step,
        _: &'w Executed,
    ) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + 'w>> {
        if step == self.0 {
            // As a kill does it: no cleanup of any kind.
            std::process::abort();
        }
        Box::pin(std::future::ready(()))
    }
}

const STEPS: [(&str, Step); 4] = [
    ("before-claim", Step::BeforeClaim),
    ("after-claim", Step::AfterClaim),
    ("before-save", Step::BeforeSave),
    ("after-save", Step::AfterSave),
];

#[expect(
    clippy::disallowed_methods,
    reason = "how one process of this test tells another what it is"
)]
fn told() -> Option<String> {
    std::env::var(VARIABLE).ok()
}

/// Not a test of its own: the process that is killed.
#[tokio::test]
async fn victim() {
    let Some(told) = told() else {
        return;
    };
    let (key, address) = told.split_once(' ').expect("a step and a store");
    let step = key;
    let (_, step) = STEPS
        .into_iter()
        .find(|(name, _)| *name == step)
        .expect("a step");
    let store = fixture::open(address).await;
    let guard = Guard::watched(store, policy(), "victim", DiesAt(step));
    let answer = || async {
        let mut response = axum::http::Response::new(axum::body::Body::from("of the victim"));
        *response.status_mut() = axum::http::StatusCode::CREATED;
        response
    };
    let mut service = guard.layer(axum::Router::new().fallback(axum::routing::any(answer)));
    let request = axum::http::Request::post("/payments").header("idempotency-key", key);
    let mut request = request.body(axum::body::Body::from(A)).expect("a request");
    request.extensions_mut().insert(Caller {
        user: "u1".to_owned(),
        ..Caller::default()
    });
    let _ = service.call(request).await;
    panic!("it was to die");
}

fn kill_at(step: &str, fixture: &Fixture) {
    let mut victim = Command::new(std::env::current_exe().expect("this program"));
    victim.args(["--exact", "crash::victim", "--test-threads", "1"]);
    victim.env(VARIABLE, format!("{step} {}", fixture.address));
    let ended = victim.output().expect("it starts");
    assert!(!ended.status.success(), "{step}: it was to be killed");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(!text.contains("panicked"), "{step}: {text}");
}

async fn check(fixture: Fixture) {
    for (name, step) in STEPS {
        let shop = Shop::new(&fixture, policy(), name);
        kill_at(name, &fixture);
        let first = shop.pay("u1", name, A, &[]).await;
        match step {
            Step::BeforeClaim => assert_eq!(first.status, 201, "nothing was stored"),
            Step::AfterSave => {
                assert_eq!(first.replayed.as_deref(), Some("true"));
                assert_eq!(first.body, b"of the victim");
            }
            Step::AfterClaim | Step::BeforeSave => {
                // Refused for as long as the lease lasts, then executed once.
                let mut answer = first;
                while answer.status == 409 {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    answer = shop.pay("u1", name, A, &[]).await;
                }
                assert_eq!((answer.status, shop.till.charges()), (201, 1), "{name}");
            }
        }
        let again = shop.pay("u1", name, A, &[]).await;
        assert_eq!(again.replayed.as_deref(), Some("true"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_any_two_steps_over_sqlite() {
    check(fixture::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_any_two_steps_over_redis() {
    check(fixture::redis().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_any_two_steps_over_postgres() {
    check(fixture::postgres().await).await;
}
