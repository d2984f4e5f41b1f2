//! The outside over HTTP, for shops that run in processes of their own.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::Desk;
use super::bank::{ChargeRequest, RefundRequest};
use super::{Charge, Event};
use crate::guard::Note;

/// The longest that somebody waits for a message.
const WAIT_MS_MAX: u64 = 10_000;

/// The server; ended when this is dropped.
#[derive(Debug)]
pub struct Server {
    pub address: SocketAddr,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(desk: Desk) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let router = Router::new()
            .route("/bank/charges", post(charge).get(look_up))
            .route("/bank/refunds", post(refund))
            .route("/bank/ledger", get(ledger))
            .route("/mailer/mails", post(mail))
            .route("/queue/messages", post(publish))
            .route("/queue/take", post(take))
            .route("/queue/ack", post(acknowledge))
            .route("/queue/fail", post(fail))
            .route("/events", post(record))
            .route("/", get(|| async { "the lab's outside" }))
            .with_state(desk);
        let task = tokio::spawn(async move {
            // It ends only with the experiment.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Server { address, task })
    }
}

async fn charge(
    State(desk): State<Desk>,
    Json(request): Json<ChargeRequest>,
) -> (StatusCode, Json<Value>) {
    let (charge, repeated) = desk.inner().ledger.charge(request);
    (StatusCode::CREATED, Json(answer(&charge, repeated)))
}

fn answer(charge: &Charge, repeated: bool) -> Value {
    json!({"id": charge.id, "amount": charge.amount, "deduplicated": repeated})
}

async fn look_up(
    State(desk): State<Desk>,
    Query(query): Query<HashMap<String, String>>,
) -> Json<Value> {
    let reference = query.get("reference").cloned().unwrap_or_default();
    let inner = desk.inner();
    let found = inner.ledger.by_reference(&reference);
    Json(found.map_or(Value::Null, |charge| answer(charge, false)))
}

async fn ledger(State(desk): State<Desk>) -> Json<Vec<Charge>> {
    Json(desk.inner().ledger.charges.clone())
}

async fn refund(
    State(desk): State<Desk>,
    Json(request): Json<RefundRequest>,
) -> (StatusCode, Json<Value>) {
    let (refund, repeated) = desk.inner().ledger.refund(request);
    let answer = json!({"id": refund.id, "amount": refund.amount, "deduplicated": repeated});
    (StatusCode::CREATED, Json(answer))
}

/// Sends a mail, unless the key was seen.
async fn mail(State(desk): State<Desk>, Json(mail): Json<Value>) -> Json<Value> {
    let payment = mail.get("payment").and_then(Value::as_str);
    let payment = payment.unwrap_or_default().to_owned();
    let key = mail.get("key").and_then(Value::as_str);
    let mut inner = desk.inner();
    let is_repeat = key.is_some_and(|key| !inner.mail_keys.insert(key.to_owned()));
    if !is_repeat {
        inner.mails.push(payment);
    }
    Json(json!({"suppressed": is_repeat}))
}

async fn publish(State(desk): State<Desk>, Json(message): Json<Note>) -> StatusCode {
    desk.inner().queue.publish(message);
    desk.published.notify_waiters();
    StatusCode::ACCEPTED
}

/// Which messages somebody handles, and how long to wait for one.
#[derive(Deserialize)]
struct Wanted {
    topics: Vec<String>,
    wait_ms: u64,
}

async fn take(State(desk): State<Desk>, Json(wanted): Json<Wanted>) -> Json<Value> {
    let patience = Duration::from_millis(wanted.wait_ms.min(WAIT_MS_MAX));
    let taken = tokio::time::timeout(patience, async {
        loop {
            let published = desk.published.notified();
            tokio::pin!(published);
            // Listening before the look: nothing comes in between unnoticed.
            published.as_mut().enable();
            if let Some(taken) = desk.inner().queue.take(&wanted.topics) {
                return taken;
            }
            published.await;
        }
    });
    let taken = taken.await.ok();
    Json(serde_json::to_value(taken).unwrap_or_default())
}

async fn acknowledge(State(desk): State<Desk>, Json(done): Json<Value>) -> StatusCode {
    let seq = done.get("seq").and_then(Value::as_u64).unwrap_or(0);
    desk.inner().queue.acknowledge(seq);
    desk.published.notify_waiters();
    StatusCode::ACCEPTED
}

async fn fail(State(desk): State<Desk>, Json(failed): Json<Value>) -> StatusCode {
    let seq = failed.get("seq").and_then(Value::as_u64).unwrap_or(0);
    desk.inner().queue.fail(seq);
    desk.published.notify_waiters();
    StatusCode::ACCEPTED
}

async fn record(State(desk): State<Desk>, Json(events): Json<Vec<Event>>) -> StatusCode {
    for event in events {
        desk.record(event);
    }
    StatusCode::ACCEPTED
}
