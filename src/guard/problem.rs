//! Refusals as problem details (RFC 9457).

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use crate::domain::attempt::{Family, Outcome};

/// A problem with a status, a title and a detail.
pub(super) fn problem(status: StatusCode, title: &str, detail: &str) -> Response<Body> {
    let body = json!({
        "type": "about:blank",
        "title": title,
        "status": status.as_u16(),
        "detail": detail,
    });
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    response
}

/// Says when it is worth asking again: whole seconds, at least one (RFC 9110, 10.2.3).
pub(super) fn retry_after(response: &mut Response<Body>, left: Duration) {
    let secs = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(secs.max(1)));
}

/// Says whether the request was accepted as repeatable (OASIS Repeatable Requests 1.0).
pub(super) fn repeatable(response: &mut Response<Body>, outcome: Outcome) {
    let result = match outcome.family() {
        Family::Refused | Family::Store => "rejected",
        _ => "accepted",
    };
    response
        .headers_mut()
        .insert("repeatability-result", HeaderValue::from_static(result));
}
