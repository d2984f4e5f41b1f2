//! One attempt of a simulated client.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::Bytes;
use hyper::Request;
use serde_json::Value;

use crate::lab::counters::Seen;
use crate::lab::http::{self, Lost};
use crate::lab::scenario::Step;
use crate::lab::world::{Actor, Event, Happening, World};

/// How the shop's layer calls a request that another is at work on.
const IN_PROGRESS: &str = "Request in progress";
/// How long a client waits.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends one request, and tells what its client saw of the answer.
pub async fn attempt(step: &Step, to: SocketAddr, world: &World) -> Seen {
    let tell = |from: Actor, to: Actor, what: Happening, text: &str| {
        world.record(Event {
            at_ms: 0,
            from,
            to,
            what,
            intent: Some(step.intent.clone()),
            attempt: Some(step.attempt),
            text: text.to_owned(),
        });
    };
    let text = format!("{} {}", step.method, step.path);
    let what = Happening::Sent {
        key: step.key.clone(),
        brief: brief(&step.body),
    };
    tell(Actor::Client, Actor::Proxy, what, &text);
    let answer = http::send(to, request(step), PATIENCE).await;
    let mut seen = Seen {
        intent: step.intent.clone(),
        attempt: step.attempt,
        user: step.user.clone(),
        method: step.method.clone(),
        ..Seen::default()
    };
    match answer {
        Ok(answer) => {
            let status = answer.status().as_u16();
            read(&mut seen, status, answer.body());
            let text = status.to_string();
            tell(
                Actor::Proxy,
                Actor::Client,
                Happening::Received { status },
                &text,
            );
        }
        // The proxy has told what it lost itself.
        Err(Lost::Closed) if step.loses_answer || step.loses_request => {}
        Err(lost) => {
            tell(
                Actor::Proxy,
                Actor::Client,
                Happening::Lost,
                &lost.to_string(),
            );
        }
    }
    seen
}

/// What a client makes of an answer.
pub fn read(seen: &mut Seen, status: u16, body: &[u8]) {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
    seen.status = Some(status);
    seen.id = text("id");
    seen.word = text("status");
    seen.is_in_progress = text("title").as_deref() == Some(IN_PROGRESS);
}

/// What a body is about, in a word.
fn brief(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let member = |name: &str| match value.get(name)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let added = member("add").map(|sum| format!("+{sum}"));
    let said = member("amount").or(added).or_else(|| member("name"));
    said.unwrap_or_default()
}

fn request(step: &Step) -> Request<Bytes> {
    let mut request = Request::builder()
        .method(step.method.as_str())
        .uri(step.path.as_str())
        .header("content-type", "application/json")
        .header("x-lab-user", &step.user)
        .header("x-lab-intent", &step.intent)
        .header("x-lab-attempt", step.attempt);
    if let Some(key) = &step.key {
        request = request.header("idempotency-key", key);
    }
    if let Some(version) = step.if_match {
        request = request.header("if-match", format!("\"{version}\""));
    }
    // A step that makes no request was refused when its file was read.
    request
        .body(Bytes::from(step.body.clone()))
        .unwrap_or_default()
}

/// What the shop holds of balances and users.
pub async fn state(shop: SocketAddr) -> std::collections::BTreeMap<&'static str, Value> {
    let ask = async |path: &str| -> Value {
        let answer = http::send(shop, http::get(path), PATIENCE).await;
        let body = answer.map(|answer| answer.body().clone());
        serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default()
    };
    let balance = ask("/balance").await.get("balance").cloned();
    let name = ask("/users/42").await.get("name").cloned();
    [
        ("balance", balance.unwrap_or_default()),
        ("name", name.unwrap_or_else(|| Value::from("none"))),
    ]
    .into()
}
