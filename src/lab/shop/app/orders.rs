//! An order as a saga: payment, shipping, and undoing what was done where a step fails.
//!
//! The steps are messages, so that each happens at least once and may come late. The answer is saved
//! when the saga has ended, whichever way.

use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

use super::{Counter, answer, rejected};
use crate::guard::Executed;
use crate::lab::shop::config::FaultPoint;
use crate::lab::shop::report::Origin;
use crate::lab::world::{Actor, Happening};

/// How long the saga waits for a step.
const STEP: Duration = Duration::from_secs(1);

pub(super) async fn order(
    State(counter): State<Counter>,
    Extension(origin): Extension<Origin>,
    executed: Option<Extension<Executed>>,
    body: Bytes,
) -> Response<Body> {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(amount) = value.get("amount").and_then(Value::as_i64) else {
        return rejected("The order is not valid");
    };
    let outside = &counter.outside;
    outside
        .tell(Actor::Store, Happening::Execution, &origin, "executes")
        .await;
    let saga = match executed {
        Some(Extension(executed)) => format!("saga {} {}", executed.scope, executed.key),
        None => format!("saga {:08x}", fastrand::u32(..)),
    };
    let paid = outside
        .command(&saga, "charge", amount, STEP, &origin)
        .await;
    let is_shipped = paid.as_deref() == Some("charged") && ship(&counter, &origin).await;
    if is_shipped {
        let body = json!({"id": saga, "status": "shipped"});
        return answer(StatusCode::CREATED, &body);
    }
    let undone = outside
        .command(&saga, "refund", amount, STEP, &origin)
        .await;
    let compensation = match undone {
        Some(_) => "done",
        // It stays in the queue, or among what was parked there: somebody has to see to it.
        None => "pending",
    };
    let body = json!({"id": saga, "status": "cancelled", "compensation": compensation});
    answer(StatusCode::CREATED, &body)
}

/// Hands the parcel over. True where it was taken.
async fn ship(counter: &Counter, origin: &Origin) -> bool {
    let is_taken = counter
        .outside
        .fault(FaultPoint::ShippingFails, origin)
        .is_none();
    let text = match is_taken {
        true => "shipped",
        false => "shipping failed",
    };
    counter
        .outside
        .tell(Actor::Store, Happening::SagaStep, origin, text)
        .await;
    is_taken
}
