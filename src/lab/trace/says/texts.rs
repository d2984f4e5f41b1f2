//! The recorder's own texts, as labels in the language of whoever looks.
//!
//! Apart from the labels of messages because these are for what happens rarely: they come as the
//! recorder has them. One that is not known here is shown as it is.

use crate::present::say::say;

pub fn told(text: &str) -> String {
    match text.split_once(": ") {
        Some((step @ ("charge" | "refund"), reply)) => {
            say!("trace-step", step = topic(step), reply = replied(reply))
        }
        Some((key, outcome)) => match repaired(outcome) {
            Some(words) => format!("{key}: {words}"),
            None => fixed(text),
        },
        None => fixed(text),
    }
}

/// Where there is little room.
pub fn brief(text: &str) -> String {
    match text.split_once(": ") {
        Some(("charge" | "refund", reply)) => replied(reply),
        _ => told(text),
    }
}

fn topic(name: &str) -> String {
    match name {
        "paid" => say!("trace-topic-paid"),
        "charge" => say!("trace-charge"),
        "refund" => say!("trace-refund"),
        other => other.to_owned(),
    }
}

/// What the payment service of a saga says to a step.
fn replied(reply: &str) -> String {
    match reply {
        "charged" | "refunded" => say!("trace-reply-done"),
        "refused" => say!("trace-reply-refused"),
        "nothing" => say!("trace-reply-nothing"),
        "no reply" => say!("trace-no-answer"),
        other => other.to_owned(),
    }
}

/// What came of an operator's repair.
fn repaired(outcome: &str) -> Option<String> {
    Some(match outcome {
        "released" => say!("outcome-released"),
        "settled" => say!("outcome-settled"),
        "changed meanwhile" => say!("outcome-changed"),
        "refused" => say!("outcome-refused"),
        "gone" => say!("outcome-gone"),
        "alive" => say!("outcome-alive"),
        "unknown" => say!("outcome-unknown"),
        "released by hand" => say!("trace-released-by-hand"),
        _ => return None,
    })
}

fn fixed(text: &str) -> String {
    match text {
        "a duplicate is kept" => say!("trace-kept"),
        "marked before" => say!("trace-marked-before"),
        "payment refused: it was refunded before" => say!("trace-refunded-before"),
        "the bank did not take the refund" => say!("trace-refund-failed"),
        "nothing to refund" => say!("trace-nothing-to-refund"),
        "shipped" => say!("trace-shipped"),
        "shipping failed" => say!("trace-shipping-failed"),
        "the store restarts" => say!("trace-store-restarts"),
        "others fill the store until the record is gone" => say!("trace-store-evicts"),
        "others fill the store" => say!("trace-store-fills"),
        "the primary dies and the replica takes over" => say!("trace-store-fails-over"),
        "the store is down" => say!("trace-store-down"),
        "the store is back" => say!("trace-store-back"),
        other => topic(other),
    }
}
