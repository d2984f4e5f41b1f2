//! What was paid, as the bank has it: the list that a client reconciles by, and one payment of it.
//!
//! Apart from paying because nothing is changed and no key is needed here.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Response, StatusCode};
use axum::routing::get;
use axum::{Extension, Router};
use serde_json::Value;

use super::{Counter, answer, problem};
use crate::guard::Caller;

pub(super) fn paid() -> Router<Counter> {
    Router::new()
        .route("/payments", get(list))
        .route("/payments/{id}", get(one))
}

/// Those of the caller, in the order in which they were made.
async fn own(counter: &Counter, caller: &Caller) -> Option<Vec<Value>> {
    let all = counter.outside.charges().await?;
    let is_own = |charge: &Value| charge.get("recipient") == Some(&Value::from(&*caller.user));
    Some(all.into_iter().filter(is_own).collect())
}

fn no_bank() -> Response<Body> {
    problem(StatusCode::BAD_GATEWAY, "The bank does not answer")
}

async fn list(
    State(counter): State<Counter>,
    Extension(caller): Extension<Caller>,
) -> Response<Body> {
    match own(&counter, &caller).await {
        Some(charges) => answer(StatusCode::OK, &Value::Array(charges)),
        None => no_bank(),
    }
}

async fn one(
    State(counter): State<Counter>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Response<Body> {
    let Some(charges) = own(&counter, &caller).await else {
        return no_bank();
    };
    let is_it = |charge: &&Value| charge.get("id") == Some(&Value::from(&*id));
    match charges.iter().find(is_it) {
        Some(charge) => answer(StatusCode::OK, charge),
        None => problem(StatusCode::NOT_FOUND, "There is no such payment"),
    }
}
