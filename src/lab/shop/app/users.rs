//! Users and balances: what can be set, added to and deleted, with a version or without.
//!
//! Apart from payments because no money moves here and nothing is charged.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{patch, put};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::{Counter, answer, problem, rejected};
use crate::lab::switches::{DeleteAbsent, RelativePatch};

/// Who is asked about users and balances: small things that need no database here.
#[derive(Debug, Default)]
pub(super) struct Books {
    /// Name and version of each user.
    users: BTreeMap<String, (String, u64)>,
    balance: i64,
    balance_version: u64,
}

/// `PATCH /balance`, and what it comes to.
pub(super) fn balance() -> Router<Counter> {
    Router::new().route("/balance", patch(add).get(total))
}

/// `/users/{id}` in every method.
pub(super) fn users() -> Router<Counter> {
    Router::new().route(
        "/users/{id}",
        put(put_user)
            .patch(patch_user)
            .delete(delete_user)
            .get(get_user),
    )
}

impl Counter {
    fn books<T>(&self, work: impl FnOnce(&mut Books) -> T) -> T {
        work(&mut self.books.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The version that a conditional request names.
fn if_match(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get("if-match")?.to_str().ok()?;
    value.trim_matches('"').parse().ok()
}

async fn add(
    State(counter): State<Counter>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response<Body> {
    let Some(amount) = body.get("add").and_then(Value::as_i64) else {
        return rejected("`add` is no number");
    };
    let needs_version = counter.switches.p1 == RelativePatch::IfMatch;
    counter.books(|books| {
        if needs_version && if_match(&headers) != Some(books.balance_version) {
            return problem(StatusCode::PRECONDITION_FAILED, "The balance has changed");
        }
        books.balance = books.balance.saturating_add(amount);
        books.balance_version += 1;
        answer(StatusCode::OK, &json!({"balance": books.balance}))
    })
}

async fn total(State(counter): State<Counter>) -> Response<Body> {
    counter.books(|books| {
        let body = json!({"balance": books.balance, "version": books.balance_version});
        answer(StatusCode::OK, &body)
    })
}

async fn get_user(State(counter): State<Counter>, Path(id): Path<String>) -> Response<Body> {
    counter.books(|books| match books.users.get(&id) {
        Some((name, version)) => answer(StatusCode::OK, &json!({"name": name, "version": version})),
        None => problem(StatusCode::NOT_FOUND, "No such user"),
    })
}

/// Sets a name, if the version that is named is still the one that is there.
fn set_name(counter: &Counter, id: &str, headers: &HeaderMap, body: &Value) -> Response<Body> {
    let Some(name) = body.get("name").and_then(Value::as_str) else {
        return rejected("`name` is no text");
    };
    counter.books(|books| {
        let user = books.users.entry(id.to_owned()).or_default();
        if let Some(wanted) = if_match(headers)
            && wanted != user.1
        {
            return problem(StatusCode::PRECONDITION_FAILED, "The user has changed");
        }
        *user = (name.to_owned(), user.1 + 1);
        answer(StatusCode::OK, &json!({"name": name, "version": user.1}))
    })
}

async fn put_user(
    State(counter): State<Counter>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response<Body> {
    set_name(&counter, &id, &headers, &body)
}

async fn patch_user(
    State(counter): State<Counter>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response<Body> {
    set_name(&counter, &id, &headers, &body)
}

async fn delete_user(State(counter): State<Counter>, Path(id): Path<String>) -> Response<Body> {
    if counter.books(|books| books.users.remove(&id)).is_some() {
        return answer(StatusCode::OK, &json!({"deleted": id}));
    }
    match counter.switches.x1 {
        DeleteAbsent::NotFound => problem(StatusCode::NOT_FOUND, "No such user"),
        DeleteAbsent::NoContent => answer(StatusCode::NO_CONTENT, &Value::Null),
        DeleteAbsent::Gone => problem(StatusCode::GONE, "The user was deleted"),
        DeleteAbsent::Error => problem(StatusCode::INTERNAL_SERVER_ERROR, "No such user"),
    }
}
