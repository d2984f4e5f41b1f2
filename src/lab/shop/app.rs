//! The shop's endpoints, and the layer around those that need it.

mod users;

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde_json::{Value, json};

use super::config::{Fault, FaultPoint, ShopConfig};
use super::report::{Origin, Outside};
use super::store::ShopStore;
use super::told::{Origins, ToldStore};
use crate::guard::log::AttemptLog;
use crate::guard::{
    Attempt, Caller, Executed, Guard, NotExecuted, Outcome, Step, StoredAnswer, Watch,
};
use crate::lab::switches::{BankKey, RelativePatch, Switches};
use crate::lab::world::{Actor, Happening};
use crate::sys::clock::Stopwatch;

/// What every handler has.
#[derive(Clone, Debug)]
struct Counter {
    outside: Outside,
    switches: Arc<Switches>,
    books: Arc<Mutex<users::Books>>,
    execution: Duration,
    /// Nothing where the records stand in the shop's own memory.
    log: Option<Arc<AttemptLog>>,
}

/// The whole service of one instance.
pub fn router(config: &ShopConfig, store: ShopStore, log: Option<AttemptLog>) -> Router {
    let log = log.map(Arc::new);
    let counter = Counter {
        outside: Outside::of(config),
        switches: Arc::new(config.switches.clone()),
        books: Arc::default(),
        execution: Duration::from_millis(config.execution_ms),
        log: log.clone(),
    };
    let money = Router::new()
        .route("/payments", post(pay))
        .route("/orders", post(pay))
        .route("/refunds", post(refund));
    let balance = users::balance();
    let needs_key = config.switches.p1 == RelativePatch::Key;
    let (guarded, open) = match (config.switches.unprotected, needs_key) {
        (true, _) => (Router::new(), money.merge(balance)),
        (false, true) => (money.merge(balance), Router::new()),
        (false, false) => (money, balance),
    };
    let origins = Origins::default();
    let store = ToldStore::new(store, counter.outside.clone(), origins.clone());
    let watch = Watcher {
        outside: counter.outside.clone(),
        log,
        origins,
    };
    let name = format!("shop-{}", config.instance);
    let guard = Guard::watched(store, config.switches.policy(), &name, watch);
    guarded
        .layer(guard)
        .merge(open)
        .merge(users::users())
        .route("/", get(|| async { "the lab's shop" }))
        .with_state(counter.clone())
        .layer(from_fn_with_state(counter, arrived))
}

/// Before everything else: who asks, and that the request was seen.
async fn arrived(
    State(counter): State<Counter>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let (origin, caller) = who(request.headers(), request.uri().path());
    let what = format!("{} {}", request.method(), request.uri().path());
    let is_open = counter.switches.unprotected && request.method() == "POST";
    let open = is_open.then(|| (caller.clone(), request.method().to_string()));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(origin.clone());
    let outside = counter.outside.clone();
    outside
        .tell(Actor::Client, Happening::Seen, &origin, &what)
        .await;
    let took = Stopwatch::start();
    let response = next.run(request).await;
    if let Some((caller, method)) = open {
        let attempt = Attempt {
            outcome: Outcome::Unprotected,
            status: response.status().as_u16(),
            took: took.elapsed(),
            caller,
            method,
            key: None,
            scope: None,
            fingerprint: None,
            owner: None,
        };
        answered(&outside, counter.log.as_deref(), &attempt).await;
    }
    response
}

/// Tells of an answer, and writes it into the retry log.
async fn answered(outside: &Outside, log: Option<&AttemptLog>, attempt: &Attempt) {
    if let Some(log) = log {
        // Best effort: a log that cannot be written is no reason to refuse the client.
        let _ = log.write(attempt).await;
    }
    let what = Happening::Answered {
        outcome: attempt.outcome.name().to_owned(),
        status: attempt.status,
    };
    let origin = Origin::of_tag(&attempt.caller.tag);
    let name = attempt.outcome.name();
    outside.tell(Actor::Client, what, &origin, name).await;
}

/// Which attempt of which intent a request is, and whose.
fn who(headers: &HeaderMap, path: &str) -> (Origin, Caller) {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
    let origin = Origin {
        intent: text("x-lab-intent"),
        attempt: text("x-lab-attempt").and_then(|n| n.parse().ok()),
        fault: text("x-lab-fault").and_then(|fault| Fault::of_header(&fault).ok()),
    };
    let caller = Caller {
        user: text("x-lab-user").unwrap_or_else(|| "user_42".to_owned()),
        tenant: text("x-lab-tenant").unwrap_or_default(),
        route: template(path),
        client: text("user-agent").unwrap_or_default(),
        tag: origin.tag(),
    };
    (origin, caller)
}

/// The route of a path: numbers are somebody's, not the route's.
fn template(path: &str) -> String {
    let segment = |segment: &str| match segment.bytes().any(|byte| byte.is_ascii_digit()) {
        true => "{id}".to_owned(),
        false => segment.to_owned(),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

fn problem(status: StatusCode, title: &str) -> Response<Body> {
    let body = json!({"type": "about:blank", "title": title, "status": status.as_u16()});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    if let Ok(kind) = "application/problem+json".parse() {
        response.headers_mut().insert("content-type", kind);
    }
    response
}

fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    if let Ok(kind) = "application/json".parse() {
        response.headers_mut().insert("content-type", kind);
    }
    response
}

/// Refused before anything was done.
fn rejected(title: &str) -> Response<Body> {
    let mut response = problem(StatusCode::BAD_REQUEST, title);
    response.extensions_mut().insert(NotExecuted);
    response
}

/// A payment, checked.
struct Payment {
    amount: i64,
    currency: String,
    recipient: String,
    reference: String,
}

fn payment(body: &Bytes, caller: &Caller) -> Option<Payment> {
    let value: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    // By its value: 1500, 1500.0 and 1.5e3 are one amount.
    let amount = value.get("amount")?;
    let amount = amount
        .as_i64()
        .or_else(|| {
            amount
                .as_f64()
                .filter(|n| n.fract() == 0.0)
                .map(|n| n as i64)
        })
        .or_else(|| amount.as_str()?.parse().ok())?;
    (amount > 0).then(|| Payment {
        amount,
        currency: text("currency").unwrap_or_else(|| "RUB".to_owned()),
        recipient: text("recipient").unwrap_or_else(|| caller.user.clone()),
        reference: text("reference").unwrap_or_default(),
    })
}

async fn pay(
    State(counter): State<Counter>,
    Extension(caller): Extension<Caller>,
    Extension(origin): Extension<Origin>,
    executed: Option<Extension<Executed>>,
    body: Bytes,
) -> Response<Body> {
    let executed = executed.map(|Extension(executed)| executed);
    let Some(payment) = payment(&body, &caller) else {
        return rejected("The payment is not valid");
    };
    let outside = &counter.outside;
    let here = Actor::Store;
    outside
        .tell(here, Happening::Execution, &origin, "executes")
        .await;
    let fails = |at| outside.fault(at, &origin).is_some();
    if fails(FaultPoint::ExecuteFailsBeforeEffect) {
        return problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Failed before the charge",
        );
    }
    let pause = outside.fault(FaultPoint::DuringExecute, &origin);
    let pause = Duration::from_millis(pause.map_or(0, |fault| fault.ms));
    tokio::time::sleep(counter.execution + pause).await;
    // The bank's own key: ours, with whose and what for it is; nothing where there is none.
    let key = match (counter.switches.b1, &executed) {
        (BankKey::Derived, Some(executed)) => Some(format!("{} {}", executed.scope, executed.key)),
        _ => None,
    };
    let request = json!({
        "amount": payment.amount,
        "currency": payment.currency,
        "recipient": payment.recipient,
        "reference": reference(&payment, executed.as_ref()),
        "key": key,
    });
    let Ok((id, _)) = outside.charge(&request, &origin).await else {
        return problem(StatusCode::BAD_GATEWAY, "The bank does not answer");
    };
    if fails(FaultPoint::ExecuteFailsAfterEffect) {
        return problem(StatusCode::INTERNAL_SERVER_ERROR, "Failed after the charge");
    }
    outside.mail(&id, &origin).await;
    paid(&id, payment.amount)
}

fn paid(id: &str, amount: i64) -> Response<Body> {
    let mut response = answer(StatusCode::CREATED, &json!({"id": id, "amount": amount}));
    if let Ok(location) = format!("/payments/{id}").parse() {
        response.headers_mut().insert("location", location);
    }
    response
}

/// What the bank can be asked by later: the client's own reference, else the key.
fn reference(payment: &Payment, executed: Option<&Executed>) -> String {
    match (payment.reference.is_empty(), executed) {
        (true, Some(executed)) => format!("{} {}", executed.scope, executed.key),
        _ => payment.reference.clone(),
    }
}

async fn refund(
    State(counter): State<Counter>,
    Extension(origin): Extension<Origin>,
    executed: Option<Extension<Executed>>,
    body: Bytes,
) -> Response<Body> {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(amount) = value.get("amount").and_then(Value::as_i64) else {
        return rejected("The refund is not valid");
    };
    counter
        .outside
        .tell(Actor::Store, Happening::Execution, &origin, "executes")
        .await;
    let key = match (counter.switches.b1, executed) {
        (BankKey::Derived, Some(Extension(executed))) => {
            Some(format!("{} {}", executed.scope, executed.key))
        }
        _ => None,
    };
    let request = json!({"amount": amount, "reference": "", "key": key});
    match counter.outside.refund(&request, &origin).await {
        Ok(id) => answer(StatusCode::CREATED, &json!({"id": id, "amount": amount})),
        Err(_) => problem(StatusCode::BAD_GATEWAY, "The bank does not answer"),
    }
}

/// Crashes at the named points, reconciles with the bank, and writes outcomes down.
#[derive(Clone, Debug)]
struct Watcher {
    outside: Outside,
    log: Option<Arc<AttemptLog>>,
    origins: Origins,
}

type Told<'w, T> = Pin<Box<dyn Future<Output = T> + Send + 'w>>;

impl Watch for Watcher {
    fn at<'w>(&'w self, step: Step, request: &'w Executed) -> Told<'w, ()> {
        Box::pin(async move {
            let origin = Origin::of_tag(&request.tag);
            if step == Step::BeforeClaim {
                self.origins.note(&request.owner, &origin);
            }
            let point = match step {
                Step::BeforeClaim => FaultPoint::BeforeClaim,
                Step::AfterClaim => FaultPoint::AfterClaim,
                Step::BeforeSave => FaultPoint::AfterExecuteBeforeSave,
                Step::AfterSave => FaultPoint::AfterSaveBeforeResponse,
            };
            self.outside.crash_if_planned(point, &origin).await;
        })
    }

    fn reconcile<'w>(&'w self, request: &'w Executed) -> Told<'w, Option<StoredAnswer>> {
        Box::pin(async move {
            let origin = Origin::of_tag(&request.tag);
            let reference = format!("{} {}", request.scope, request.key);
            let id = self.outside.look_up(&reference, &origin).await?;
            Some(StoredAnswer {
                status: 201,
                headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                body: json!({"id": id}).to_string().into_bytes(),
            })
        })
    }

    fn answered<'w>(&'w self, attempt: Attempt) -> Told<'w, ()> {
        Box::pin(async move { answered(&self.outside, self.log.as_deref(), &attempt).await })
    }
}
