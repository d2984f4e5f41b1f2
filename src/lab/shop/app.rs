//! The shop's endpoints, and the layer around those that need it.

mod orders;
mod paid;
mod payments;
mod users;
mod watch;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{get, post};
use serde_json::{Value, json};

use super::config::{Fault, ShopConfig};
use super::door::{Door, Place};
use super::openapi::document;
use super::report::{Origin, Outside};
use super::store::ShopStore;
use super::told::{Origins, ToldStore};
use crate::guard::log::AttemptLog;
use crate::guard::{Attempt, Caller, Guard, NotExecuted, Outcome};
use crate::lab::switches::{Events, RelativePatch, Switches};
use crate::lab::world::{Actor, Happening};
use crate::sys::clock::Stopwatch;
use watch::Watcher;

/// What every handler has.
#[derive(Clone, Debug)]
struct Counter {
    outside: Outside,
    switches: Arc<Switches>,
    books: Arc<Mutex<users::Books>>,
    execution: Duration,
    /// Nothing where the records stand in the shop's own memory.
    log: Option<Arc<AttemptLog>>,
    store: Arc<ShopStore>,
    door: Option<Arc<Door>>,
    /// Payments whose mail goes out behind the save, by the owner of their claim.
    unsent: Arc<Mutex<HashMap<String, String>>>,
}

/// The whole service of one instance.
pub fn router(config: &ShopConfig, store: ShopStore, log: Option<AttemptLog>) -> Router {
    let log = log.map(Arc::new);
    let store = Arc::new(store);
    let counter = Counter {
        outside: Outside::of(config),
        switches: Arc::new(config.switches.clone()),
        books: Arc::default(),
        execution: Duration::from_millis(config.execution_ms),
        log: log.clone(),
        store: store.clone(),
        door: config.door.map(|limits| Arc::new(Door::new(limits))),
        unsent: Arc::default(),
    };
    let order = match config.has_saga {
        true => post(orders::order),
        false => post(payments::pay),
    };
    let money = Router::new()
        .route("/payments", post(payments::pay))
        .route("/orders", order)
        .route("/refunds", post(payments::refund));
    let balance = users::balance();
    let needs_key = config.switches.p1 == RelativePatch::Key;
    let (guarded, open) = match (config.switches.unprotected, needs_key) {
        (true, _) => (Router::new(), money.merge(balance)),
        (false, true) => (money.merge(balance), Router::new()),
        (false, false) => (money, balance),
    };
    let origins = Origins::default();
    let told = ToldStore::new(store.clone(), counter.outside.clone(), origins.clone());
    let watch = Watcher {
        outside: counter.outside.clone(),
        log,
        origins,
        store: store.clone(),
        unsent: counter.unsent.clone(),
    };
    let name = format!("shop-{}", config.instance);
    let guard = Guard::watched(told, config.switches.policy(), &name, watch);
    guarded
        .layer(guard)
        .merge(open)
        .merge(users::users())
        .merge(paid::paid())
        .route("/openapi.json", get(describe))
        .route("/", get(|| async { "the lab's shop" }))
        .with_state(counter.clone())
        .layer(from_fn_with_state(counter, arrived))
}

async fn describe(State(counter): State<Counter>) -> Response<Body> {
    answer(StatusCode::OK, &document(&counter.switches))
}

/// Before everything else: who asks, and that the request was seen.
async fn arrived(
    State(counter): State<Counter>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let asked = request.headers().get("x-lab-fault");
    let asked = asked.map(|fault| Fault::of_header(fault.to_str().unwrap_or_default()));
    if let Some(Err(unknown)) = asked {
        return problem(StatusCode::BAD_REQUEST, &unknown);
    }
    let (origin, caller) = who(request.headers(), request.uri().path());
    let what = format!("{} {}", request.method(), request.uri().path());
    let open = counter.open_outcome(&request);
    let (method, by) = (request.method().to_string(), caller.clone());
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(origin.clone());
    let outside = counter.outside.clone();
    // By when it came, not by when that is written down.
    let place = place(&counter, &request);
    outside
        .tell(Actor::Client, Happening::Seen, &origin, &what)
        .await;
    if counter.switches.o1 == Events::InlineFirst && request.method() == "POST" {
        // A mistake: whoever retries is told again.
        outside.mail("a payment", &origin).await;
    }
    let Ok(place) = place else {
        return turned_away(&outside, &origin).await;
    };
    if let Some(place) = place {
        request.extensions_mut().insert(place);
    }
    // In a task of its own: a client that gives up ends nothing, and what came of it is told.
    let work = tokio::spawn(async move {
        let took = Stopwatch::start();
        let response = next.run(request).await;
        if let Some(outcome) = open {
            let status = response.status().as_u16();
            let what = Happening::Answered {
                outcome: outcome.to_owned(),
                status,
            };
            if outcome == Outcome::Unprotected.name() {
                note(&counter, method, by, status, took).await;
            }
            outside.tell(Actor::Client, what, &origin, "answered").await;
        }
        response
    });
    let failed = |_| problem(StatusCode::INTERNAL_SERVER_ERROR, "Handler failed");
    work.await.unwrap_or_else(failed)
}

async fn turned_away(outside: &Outside, origin: &Origin) -> Response<Body> {
    let what = Happening::Answered {
        outcome: "turned_away".to_owned(),
        status: 503,
    };
    outside
        .tell(Actor::Client, what, origin, "turned away")
        .await;
    problem(StatusCode::SERVICE_UNAVAILABLE, "No place is free")
}

/// Writes a request that nothing guards into the retry log.
async fn note(counter: &Counter, method: String, caller: Caller, status: u16, took: Stopwatch) {
    let attempt = Attempt {
        outcome: Outcome::Unprotected,
        status,
        took: took.elapsed(),
        caller,
        method,
        ..Attempt::default()
    };
    if let Some(log) = &counter.log {
        // Best effort: a log that cannot be written is no reason to refuse the client.
        let _ = log.write(&attempt).await;
    }
}

impl Counter {
    /// What an answer is called that the layer does not tell of: `unprotected` where it should.
    fn open_outcome(&self, request: &Request) -> Option<&'static str> {
        let needs_key = self.switches.p1 == RelativePatch::Key;
        match (request.method().as_str(), request.uri().path()) {
            ("POST", _) => self.switches.unprotected.then_some("unprotected"),
            ("PATCH", "/balance") if needs_key && !self.switches.unprotected => None,
            _ => Some("open"),
        }
    }
}

/// A place inside, for what takes one.
///
/// Errors: there is none.
fn place(counter: &Counter, request: &Request) -> Result<Option<Place>, ()> {
    match &counter.door {
        Some(door) if request.method() == "POST" => door.enter().map(Some).ok_or(()),
        _ => Ok(None),
    }
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
