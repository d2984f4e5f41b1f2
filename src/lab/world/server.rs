//! The outside over HTTP, for shops that run in processes of their own.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::Desk;
use super::bank::{ChargeRequest, RefundRequest};
use super::{Charge, Event};

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

async fn mail(State(desk): State<Desk>, Json(mail): Json<Value>) -> StatusCode {
    let payment = mail.get("payment").and_then(Value::as_str);
    let payment = payment.unwrap_or_default().to_owned();
    desk.inner().mails.push(payment);
    StatusCode::ACCEPTED
}

async fn record(State(desk): State<Desk>, Json(events): Json<Vec<Event>>) -> StatusCode {
    for event in events {
        desk.record(event);
    }
    StatusCode::ACCEPTED
}
