//! The shop's own description, OpenAPI 3.1, as the policy in force makes it.
//!
//! Apart from the handlers because it is a document about all of them: the key and its header, how
//! long it is kept, what another payload and a request in progress are answered with.

use serde_json::{Map, Value, json};

use crate::lab::switches::{
    Fingerprint, InProgress, KeyCarrier, KeyRequired, KeySyntax, Marker, Mismatch, Replay,
    Retention, ServerError, Switches,
};

/// The document.
pub fn document(switches: &Switches) -> Value {
    let paths = json!({
        "/payments": {
            "post": guarded(switches, "Pay", "PaymentRequest", "Payment"),
            "get": open("The payments that the bank has made", "Payments"),
        },
        "/payments/{id}": {"get": one("One payment", "Payment")},
        "/orders": {"post": guarded(switches, "Order and pay", "PaymentRequest", "Payment")},
        "/refunds": {"post": guarded(switches, "Give money back", "RefundRequest", "Refund")},
        "/balance": {
            "get": open("The balance", "Balance"),
            "patch": addition(switches),
        },
        "/users/{id}": {
            "get": one("A user", "User"),
            "put": user("Make or replace a user: repeatable by itself"),
            "patch": user("Set members of a user: repeatable by itself"),
            "delete": deletion(),
        },
    });
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "The lab's shop",
            "version": env!("CARGO_PKG_VERSION"),
            "description": about(switches),
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {"schemas": schemas(), "headers": headers()},
    })
}

/// What a client has to know, in a few sentences.
fn about(switches: &Switches) -> String {
    if switches.unprotected {
        return "Idempotency keys are ignored here: every request is a new operation.".to_owned();
    }
    let secs = switches.retention_ms / 1000;
    let extended = match switches.t1 {
        Retention::Fixed => "a replay does not prolong that",
        Retention::Extended => "each replay prolongs that",
    };
    let payload = match switches.f1 {
        Fingerprint::Canonical => "as JSON, with numbers by value and text in NFC",
        Fingerprint::Sorted => "as JSON with sorted members",
        Fingerprint::Raw => "byte for byte",
        Fingerprint::SelectedFields => "by its amount alone",
        Fingerprint::None => "not at all",
    };
    let error = match switches.e5 {
        ServerError::Release => "After a 5xx the next attempt executes again.",
        ServerError::Store => "A 5xx is stored and replayed like any answer.",
        ServerError::Unknown => "After a 5xx the next attempt looks the charge up first.",
        ServerError::Resume => "After a 5xx the next attempt goes on where the last one stopped.",
        ServerError::Leave => "After a 5xx the key is blocked until its lease is over.",
    };
    format!(
        "A retry with the same key gets the first answer again. A key is kept for {secs} s; {extended}. \
         Payloads are compared {payload}. {error}"
    )
}

/// A request that the layer guards.
fn guarded(switches: &Switches, summary: &str, body: &str, answer: &str) -> Value {
    let mut responses = Map::new();
    let mut done = json_answer("Done, or the first answer again", answer);
    if let (Some(name), Some(done)) = (marker(switches), done.as_object_mut()) {
        let header = json!({"$ref": "#/components/headers/Replayed"});
        done.insert("headers".to_owned(), json!({name: header}));
    }
    responses.insert("201".to_owned(), done);
    responses.insert("500".to_owned(), problem("Failed; see the retention"));
    if !switches.unprotected {
        refusals(switches, &mut responses);
    }
    responses
        .entry("400")
        .or_insert_with(|| problem("The body is not valid"));
    json!({
        "summary": summary,
        "parameters": if switches.unprotected { json!([]) } else { key(switches) },
        "requestBody": {
            "required": true,
            "content": {"application/json": {"schema": reference(body)}},
        },
        "responses": responses,
        "x-idempotency-retention-ms": switches.retention_ms,
    })
}

/// Adding: guarded where the policy has it so, and answered with what it came to.
fn addition(switches: &Switches) -> Value {
    let mut told = guarded(switches, "Add to the balance", "Addition", "Balance");
    let responses = told.get_mut("responses").and_then(Value::as_object_mut);
    if let Some(responses) = responses {
        let done = responses.remove("201").unwrap_or_default();
        responses.insert("200".to_owned(), done);
        responses.insert("412".to_owned(), problem("It was changed meanwhile"));
    }
    told
}

/// The answers of the layer itself, by status; two meanings of one status are told in one place.
fn refusals(switches: &Switches, responses: &mut Map<String, Value>) {
    let mut add = |status: &str, what: &str, header: Option<&str>| {
        let known = responses
            .get(status)
            .and_then(|known| known.get("description"));
        let text = match known.and_then(Value::as_str) {
            Some(known) => format!("{known}. Or: {what}"),
            None => what.to_owned(),
        };
        let mut told = problem(&text);
        if let (Some(name), Some(told)) = (header, told.as_object_mut()) {
            let header = json!({"$ref": "#/components/headers/RetryAfter"});
            told.insert("headers".to_owned(), json!({name: header}));
        }
        responses.insert(status.to_owned(), told);
    };
    add("400", "No usable key, or a body that is not valid", None);
    let running = "The first request with this key is still running";
    match switches.a1 {
        InProgress::ConflictRetryAfter => add("409", running, Some("Retry-After")),
        InProgress::Conflict => add("409", running, None),
        InProgress::Accepted => add("202", running, None),
        InProgress::Unprocessable => add("422", running, None),
        InProgress::Wait => add("409", "The first request took longer than the wait", None),
    }
    let other = "The key was used with another payload";
    match switches.a2 {
        Mismatch::Unprocessable => add("422", other, None),
        Mismatch::BadRequest => add("400", other, None),
        Mismatch::Conflict => add("409", other, None),
        Mismatch::Replay => {}
    }
    if switches.k1 == KeyCarrier::Repeatable {
        add("412", "First sent too long ago", None);
    }
    if switches.r1 == Replay::BodyWithOk {
        add("200", "The first answer's body again", None);
    }
    add("413", "The body is too large", None);
    add("408", "The body did not arrive in time", None);
    add(
        "503",
        "Keys cannot be kept now; nothing was executed",
        Some("Retry-After"),
    );
}

/// The parameters that carry the key.
fn key(switches: &Switches) -> Value {
    let is_required = switches.k2 == KeyRequired::Yes;
    let mut schema = json!({"type": "string", "minLength": 1, "maxLength": 255});
    if switches.k3 == KeySyntax::Uuid {
        schema = json!({"type": "string", "format": "uuid"});
    }
    let header = |name: &str, about: &str, schema: Value| {
        json!({
            "name": name,
            "in": "header",
            "required": is_required,
            "description": about,
            "schema": schema,
        })
    };
    let about = format!(
        "New for each operation, the same for each of its retries; kept for {} ms",
        switches.retention_ms
    );
    match switches.k1 {
        KeyCarrier::Header => json!([header("Idempotency-Key", &about, schema)]),
        KeyCarrier::OtherHeader => json!([header("X-Request-Key", &about, schema)]),
        // It stands in the body.
        KeyCarrier::BodyField => json!([]),
        KeyCarrier::Repeatable => json!([
            header("Repeatability-Request-ID", &about, schema),
            header(
                "Repeatability-First-Sent",
                "When the first attempt was sent, as an HTTP date",
                json!({"type": "string"}),
            ),
        ]),
    }
}

fn marker(switches: &Switches) -> Option<&'static str> {
    match (switches.unprotected, switches.r2) {
        (true, _) | (_, Marker::None) => None,
        (_, Marker::Replayed) => Some("Idempotent-Replayed"),
        (_, Marker::OtherName) => Some("X-Idempotent-Replay"),
    }
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

fn json_answer(about: &str, schema: &str) -> Value {
    let content = json!({"application/json": {"schema": reference(schema)}});
    json!({"description": about, "content": content})
}

fn problem(about: &str) -> Value {
    let content = json!({"application/problem+json": {"schema": reference("Problem")}});
    json!({"description": about, "content": content})
}

fn open(summary: &str, schema: &str) -> Value {
    json!({"summary": summary, "responses": {"200": json_answer(summary, schema)}})
}

fn id() -> Value {
    json!([{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}])
}

fn one(summary: &str, schema: &str) -> Value {
    let responses = json!({"200": json_answer(summary, schema), "404": problem("There is none")});
    json!({"summary": summary, "parameters": id(), "responses": responses})
}

fn user(summary: &str) -> Value {
    json!({
        "summary": summary,
        "parameters": id(),
        "requestBody": {"content": {"application/json": {"schema": reference("User")}}},
        "responses": {
            "200": json_answer("The user as it is now", "User"),
            "400": problem("The body is not valid"),
            "404": problem("There is none"),
            "412": problem("It was changed meanwhile"),
        },
    })
}

fn deletion() -> Value {
    json!({
        "summary": "Delete a user: once or twice, it is gone",
        "parameters": id(),
        "responses": {
            "200": {"description": "Deleted"},
            "204": {"description": "There was none, and that is what was wanted"},
            "404": problem("There was none"),
            "410": problem("There was none"),
            "500": problem("There was none, and this shop makes an error of it"),
        },
    })
}

fn schemas() -> Value {
    let object = |required: &[&str], properties: Value| json!({"type": "object", "required": required, "properties": properties});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    json!({
        "PaymentRequest": object(&["amount"], json!({
            "amount": {"type": ["integer", "string"], "minimum": 1, "maximum": 1_000_000_000_000_i64},
            "currency": text, "recipient": text, "reference": text,
        })),
        "Payment": object(&["id", "amount"], json!({"id": text, "amount": number})),
        "Payments": {"type": "array", "items": reference("Payment")},
        "RefundRequest": object(&["amount"], json!({
            "amount": {"type": "integer", "minimum": 1, "maximum": 1_000_000_000_000_i64},
        })),
        "Refund": object(&["id", "amount"], json!({"id": text, "amount": number})),
        "Addition": object(&["add"], json!({"add": number})),
        "Balance": object(&["balance"], json!({"balance": number})),
        "User": object(&["name"], json!({"name": text})),
        "Problem": object(&["title", "status"], json!({
            "type": text, "title": text, "status": number, "detail": text,
        })),
    })
}

fn headers() -> Value {
    json!({
        "Replayed": {
            "description": "Whether this is an earlier answer",
            "schema": {"type": "string", "enum": ["true", "false"]},
        },
        "RetryAfter": {
            "description": "Seconds after which it is worth asking again",
            "schema": {"type": "integer", "minimum": 1},
        },
    })
}
