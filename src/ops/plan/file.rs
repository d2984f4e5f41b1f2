//! Plans in files: written to be looked at and approved, run later by `--apply`.
//!
//! A plan in a file is as exact as one in memory: what changed since is found by the comparison in
//! the store. Invariants: the file is for its owner alone, since it holds what the records hold; one
//! that was altered, or is of another store, is not taken.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Item, Plan, Refusal, Warning};
use crate::domain::change::{Outcome, Verb};
use crate::domain::{Duration, LockAgeSource, Status, Stuck, Timestamp};
use crate::ops::written::{
    Shapes, address_json, change_json, read_address, read_change, read_shape, shape_json, shape_of,
};
use crate::present::clock::iso_utc;
use crate::sys::files;

const FORMAT: u64 = 1;
/// A plan holds up to a gigabyte; written out it is longer.
const FILE_BYTES_MAX: u64 = 4 << 30;

/// Why a plan file is not taken; one sentence.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct PlanFileError(pub String);

fn wrong(text: impl Into<String>) -> PlanFileError {
    PlanFileError(text.into())
}

/// Writes a plan, so that it is there whole or not at all.
pub fn write(plan: &Plan, path: &Path) -> Result<(), PlanFileError> {
    let body = body(plan);
    let sum = sum(&body);
    let whole = json!({"plan": body, "sha256": sum});
    let text = format!("{whole:#}\n");
    files::write_private(path, text.as_bytes())
        .map_err(|error| wrong(format!("the plan cannot be written: {error}")))
}

/// Reads a plan for the store that is named as `target`.
///
/// Errors: it cannot be read, was altered, or is of another store or another version.
pub fn read(path: &Path, target: &str) -> Result<Plan, PlanFileError> {
    let text = files::read_text(path, FILE_BYTES_MAX)
        .map_err(|error| wrong(format!("the plan cannot be read: {error}")))?;
    let whole: Value = serde_json::from_str(&text).map_err(|_| wrong("it is no plan"))?;
    let told = whole.get("sha256").and_then(Value::as_str);
    let body = whole.get("plan").ok_or_else(|| wrong("it is no plan"))?;
    if body.get("format").and_then(Value::as_u64) != Some(FORMAT) {
        return Err(wrong("it is a plan of another version of the program"));
    }
    if told != Some(sum(body).as_str()) {
        return Err(wrong(
            "the plan was altered after it was written: make it anew",
        ));
    }
    let plan = plan_of(body).ok_or_else(|| wrong("it is no plan"))?;
    if plan.target != target {
        return Err(wrong(format!(
            "the plan is for {}, not for {target}",
            plan.target
        )));
    }
    Ok(plan)
}

fn sum(body: &Value) -> String {
    let digest = Sha256::digest(body.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn body(plan: &Plan) -> Value {
    let mut shapes = Shapes::default();
    for item in &plan.items {
        if let Some(shape) = shape_of(&item.change) {
            shapes.number(shape);
        }
    }
    let tables: Vec<Value> = shapes.iter().map(|shape| shape_json(shape)).collect();
    let items: Vec<Value> = plan
        .items
        .iter()
        .map(|item| item_json(item, &mut shapes))
        .collect();
    let refused = plan.refused.iter().map(|refusal| {
        json!({
            "at": address_json(&refusal.address),
            "outcome": refusal.outcome.name(plan.verb),
            "why": refusal.why,
        })
    });
    json!({
        "format": FORMAT,
        "verb": plan.verb.name(),
        "target": plan.target,
        "made_at": iso_utc(plan.made_at),
        "made_at_ms": plan.made_at.millis(),
        "undoes": plan.undoes,
        "beyond": plan.beyond,
        "tables": tables,
        "items": items,
        "refused": refused.collect::<Vec<_>>(),
    })
}

fn item_json(item: &Item, shapes: &mut Shapes) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| {
        members.insert(name.to_owned(), value);
    };
    put("at", address_json(&item.address));
    put("layout", Value::from(&*item.layout));
    put("idempotency_key", json!(item.idempotency_key));
    put("scope", json!(item.scope));
    put("operation", json!(item.operation));
    put("status", Value::from(item.status.name()));
    put("stuck", json!(item.stuck.as_bool()));
    put("age_ms", json!(item.age.map(Duration::millis)));
    put("age_source", Value::from(item.age_source.name()));
    put(
        "past_lease_ms",
        json!(item.past_lease.map(Duration::millis)),
    );
    put("recovery_point", json!(item.recovery_point));
    put("response_status", json!(item.response_status));
    put("warning", json!(item.warning.map(Warning::name)));
    put("does", json!(super::words::lines(&item.change)));
    put("change", change_json(&item.change, shapes));
    Value::Object(members)
}

fn plan_of(body: &Value) -> Option<Plan> {
    let verb = Verb::from_name(body.get("verb")?.as_str()?)?;
    let mut shapes = Shapes::default();
    for table in body.get("tables")?.as_array()? {
        shapes.add(read_shape(table)?);
    }
    let made_at = Timestamp(body.get("made_at_ms")?.as_i64()?);
    let mut plan = Plan::empty(verb, body.get("target")?.as_str()?, made_at);
    plan.undoes = text(body, "undoes");
    plan.beyond = body.get("beyond")?.as_u64()?;
    let items = body.get("items")?.as_array()?.iter();
    plan.items = items
        .map(|item| read_item(item, &shapes))
        .collect::<Option<_>>()?;
    for refusal in body.get("refused")?.as_array()? {
        plan.refuse(Refusal {
            address: read_address(refusal.get("at")?)?,
            outcome: Outcome::from_name(refusal.get("outcome")?.as_str()?, verb)?,
            why: text(refusal, "why")?,
        });
    }
    Some(plan)
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn read_item(value: &Value, shapes: &Shapes) -> Option<Item> {
    let millis = |name: &str| value.get(name)?.as_i64().map(Duration);
    let stuck = match value.get("stuck")?.as_bool() {
        Some(true) => Stuck::Yes,
        Some(false) => Stuck::No,
        None => Stuck::CannotTell,
    };
    let source = text(value, "age_source")?;
    Some(Item {
        address: read_address(value.get("at")?)?,
        layout: Arc::from(value.get("layout")?.as_str()?),
        idempotency_key: text(value, "idempotency_key"),
        scope: text(value, "scope"),
        operation: text(value, "operation"),
        status: Status::from_name(value.get("status")?.as_str()?)?,
        stuck,
        age: millis("age_ms"),
        age_source: LockAgeSource::from_name(&source)?,
        past_lease: millis("past_lease_ms"),
        recovery_point: text(value, "recovery_point"),
        response_status: value
            .get("response_status")?
            .as_u64()
            .and_then(|status| u16::try_from(status).ok()),
        warning: text(value, "warning").and_then(|name| Warning::from_name(&name)),
        change: read_change(value.get("change")?, shapes)?,
    })
}
