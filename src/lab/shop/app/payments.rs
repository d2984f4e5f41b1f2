//! Payments and refunds: validation, the effect, and who learns of it.
//!
//! Apart from the router because this is what executes; the layer around it decides whether.

use std::sync::PoisonError;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

use super::{Counter, answer, problem, rejected};
use crate::guard::{Caller, Checkpoint, Executed, NotExecuted, Note, Notes};
use crate::lab::shop::config::FaultPoint;
use crate::lab::shop::door::Place;
use crate::lab::shop::report::Origin;
use crate::lab::shop::store::LocalPayment;
use crate::lab::switches::{BankKey, BusinessReference, Events, Order, ServerError};
use crate::lab::world::{Actor, Happening, TOPIC_PAID};

/// The largest amount that is taken: sums of them do not overflow, and every one is exact in JSON.
const AMOUNT_MAX: i64 = 1_000_000_000_000;

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
            // Within the bound every whole number is exact as a float.
            amount
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() <= AMOUNT_MAX as f64)
                .map(|n| n as i64)
        })
        .or_else(|| amount.as_str()?.parse().ok())?;
    (1..=AMOUNT_MAX).contains(&amount).then(|| Payment {
        amount,
        currency: text("currency").unwrap_or_else(|| "RUB".to_owned()),
        recipient: text("recipient").unwrap_or_else(|| caller.user.clone()),
        reference: text("reference").unwrap_or_default(),
    })
}

pub(super) async fn pay(
    State(counter): State<Counter>,
    Extension(caller): Extension<Caller>,
    Extension(origin): Extension<Origin>,
    executed: Option<Extension<Executed>>,
    checkpoint: Option<Extension<Checkpoint>>,
    place: Option<Extension<Place>>,
    body: Bytes,
) -> Response<Body> {
    let executed = executed.map(|Extension(executed)| executed);
    let Some(payment) = payment(&body, &caller) else {
        return rejected("The payment is not valid");
    };
    let outside = &counter.outside;
    if counter.switches.reference == BusinessReference::Unique
        && outside.look_up(&payment.reference, &origin).await.is_some()
    {
        let mut response = problem(StatusCode::CONFLICT, "This reference was paid");
        response.extensions_mut().insert(NotExecuted);
        return response;
    }
    outside
        .tell(Actor::Store, Happening::Execution, &origin, "executes")
        .await;
    let fails = |at| outside.fault(at, &origin).is_some();
    if fails(FaultPoint::ExecuteFailsBeforeEffect) {
        return problem(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Failed before the charge",
        );
    }
    work(&counter, place, &origin).await;
    let reached = counter
        .resumes()
        .then(|| reached(executed.as_ref()))
        .flatten();
    let id = match reached {
        // An execution before this one has charged, and said so.
        Some(id) => id,
        None => match take_money(&counter, &payment, executed.as_ref(), &origin).await {
            Ok(id) => id,
            Err(()) => return problem(StatusCode::BAD_GATEWAY, "The bank does not answer"),
        },
    };
    if let (true, Some(Extension(checkpoint))) = (counter.resumes(), checkpoint) {
        // A point that cannot be written is one that the next execution does not know of.
        let _ = checkpoint.reach(&format!("{CHARGED}{id}")).await;
    }
    if fails(FaultPoint::ExecuteFailsAfterEffect) {
        return problem(StatusCode::INTERNAL_SERVER_ERROR, "Failed after the charge");
    }
    let mut response = paid(&id, payment.amount);
    tell_others(&counter, &id, executed.as_ref(), &origin, &mut response).await;
    response
}

/// The recovery point behind the charge, with its id.
const CHARGED: &str = "charged ";

/// The charge that an execution before this one has made.
fn reached(executed: Option<&Executed>) -> Option<String> {
    let point = executed?.point.as_deref()?;
    point.strip_prefix(CHARGED).map(str::to_owned)
}

impl Counter {
    /// Whether an execution goes on where the last one stopped.
    fn resumes(&self) -> bool {
        self.switches.c2 == Order::RecoveryPoints || self.switches.e5 == ServerError::Resume
    }
}

/// What an execution takes.
async fn work(counter: &Counter, place: Option<Extension<Place>>, origin: &Origin) {
    let pause = counter.outside.fault(FaultPoint::DuringExecute, origin);
    let pause = Duration::from_millis(pause.map_or(0, |fault| fault.ms));
    match (&counter.door, place) {
        (Some(door), Some(Extension(place))) => door.work(place).await,
        _ => tokio::time::sleep(counter.execution + pause).await,
    }
}

/// The effect: at the bank, or a row of the shop's own database.
async fn take_money(
    counter: &Counter,
    payment: &Payment,
    executed: Option<&Executed>,
    origin: &Origin,
) -> Result<String, ()> {
    if let (Order::OneTransaction, Some(executed)) = (counter.switches.c2, executed) {
        let local = LocalPayment {
            amount: payment.amount,
            recipient: payment.recipient.clone(),
        };
        let booked = counter.store.book(&executed.owner, &local).await;
        return booked.map_err(|_| ());
    }
    // The bank's own key: ours, with whose and what for it is; nothing where there is none.
    let key = match (counter.switches.b1, executed) {
        (BankKey::Derived, Some(executed)) => Some(format!("{} {}", executed.scope, executed.key)),
        _ => None,
    };
    let request = json!({
        "amount": payment.amount,
        "currency": payment.currency,
        "recipient": payment.recipient,
        "reference": reference(payment, executed),
        "key": key,
    });
    let charged = counter.outside.charge(&request, origin).await;
    charged.map(|(id, _)| id).map_err(|_| ())
}

/// Others learn of a payment: by a note that is saved with the answer, or at once.
async fn tell_others(
    counter: &Counter,
    id: &str,
    executed: Option<&Executed>,
    origin: &Origin,
    response: &mut Response<Body>,
) {
    match (counter.switches.o1, executed) {
        (Events::Outbox, Some(executed)) if counter.switches.has_outbox() => {
            let note = Note {
                id: format!("{} {} {id}", executed.scope, executed.key),
                topic: TOPIC_PAID.to_owned(),
                payload: id.to_owned(),
            };
            response.extensions_mut().insert(Notes(vec![note]));
        }
        (Events::InlineLast, Some(executed)) => {
            let mut unsent = counter
                .unsent
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            unsent.insert(executed.owner.clone(), id.to_owned());
        }
        (Events::InlineFirst, _) => {}
        // Nothing is saved that a note could go with.
        (Events::Outbox, _) | (Events::InlineLast, None) => counter.outside.mail(id, origin).await,
    }
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

pub(super) async fn refund(
    State(counter): State<Counter>,
    Extension(origin): Extension<Origin>,
    executed: Option<Extension<Executed>>,
    body: Bytes,
) -> Response<Body> {
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let amount = value.get("amount").and_then(Value::as_i64);
    let Some(amount) = amount.filter(|amount| (1..=AMOUNT_MAX).contains(amount)) else {
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
