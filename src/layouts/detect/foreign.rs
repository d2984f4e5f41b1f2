//! Families of keys that look like idempotency records and are something else.
//!
//! Asked only where a layout's own key has next to no fixed text, or is no library's own: there the
//! name must not speak against it. Every veto is a sentence.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

/// Words that speak for idempotency, whatever stands around them.
const IDEMPOTENCY: &str = r"idem(?:po|p?[:_./\-]|key)|dedup|exactly[_\-]?once";

/// Words, and what a key with one of them is. The first ones count beside an idempotency word too.
const FAMILIES: &[(&str, Weight, &str)] = &[
    (
        "features?|flags?|toggles?",
        Weight::Always,
        "its name is that of a feature flag",
    ),
    (
        "configs?|configuration|settings?|schema|migrations?",
        Weight::Always,
        "its name is that of a setting",
    ),
    (
        "stats?|metrics?|counters?|counts?|hits?|leaderboard",
        Weight::Always,
        "its name is that of a counter",
    ),
    (
        "rl|rate|ratelimit(?:er|s)?|throttle|limiter|quota",
        Weight::Always,
        "its name is that of a rate limit",
    ),
    (
        "celery|kombu|bull|sidekiq|resque|rq|arq|huey|queues?|jobs?|unacked|dramatiq",
        Weight::Always,
        "its name is that of a queue or a job",
    ),
    (
        "pubsub|channels?|streams?|presence|heartbeat",
        Weight::Always,
        "its name is that of a channel",
    ),
    (
        "sess(?:ion)?s?|sessionid|spring:session|connect\\.sid",
        Weight::Alone,
        "its name is that of a session",
    ),
    (
        "caches?|cached|views?|pages?|templates?|fragments?|flask_cache_.*|http:response|catalog",
        Weight::Alone,
        "its name is that of a cache",
    ),
    (
        "locks?|mutex|redlock|semaphore|leader",
        Weight::Alone,
        "its name is that of a lock",
    ),
    (
        "tokens?|otp|nonces?|csrf|captcha|oauth|refresh|jwt|auth|login",
        Weight::Alone,
        "its name is that of a token",
    ),
    (
        "users?|profiles?|carts?|products?|inventory|stock|prices?",
        Weight::Alone,
        "its name is that of a business object",
    ),
];

#[derive(Clone, Copy, PartialEq)]
enum Weight {
    Always,
    /// Only where nothing in the name speaks for idempotency.
    Alone,
}

struct Families {
    /// Any of the words at all: a quick no for most names.
    any: Option<Regex>,
    idempotency: Option<Regex>,
    families: Vec<(Regex, Weight, &'static str)>,
}

fn families() -> &'static Families {
    static FOUND: OnceLock<Families> = OnceLock::new();
    let every: Vec<&str> = FAMILIES.iter().map(|(words, _, _)| *words).collect();
    FOUND.get_or_init(|| Families {
        any: built(&around(&every.join("|"))),
        idempotency: built(IDEMPOTENCY),
        families: FAMILIES
            .iter()
            .filter_map(|(words, weight, why)| Some((built(&around(words))?, *weight, *why)))
            .collect(),
    })
}

/// The words by themselves, not inside of longer ones.
fn around(words: &str) -> String {
    format!(r"(?:^|[^a-z])(?:{words})(?:[^a-z]|$)")
}

fn built(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .case_insensitive(true)
        .build()
        .ok()
}

/// Whether the name has a word that speaks for idempotency.
pub fn speaks_for_it(name: &[u8]) -> bool {
    families()
        .idempotency
        .as_ref()
        .is_some_and(|words| words.is_match(name))
}

/// What speaks against a key, by its name.
pub fn veto(name: &[u8]) -> Option<&'static str> {
    let families = families();
    if families.any.as_ref().is_some_and(|any| !any.is_match(name)) {
        return None;
    }
    let speaks_for_it = speaks_for_it(name);
    families
        .families
        .iter()
        .filter(|(_, weight, _)| *weight == Weight::Always || !speaks_for_it)
        .find(|(words, _, _)| words.is_match(name))
        .map(|(_, _, why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, is_foreign: bool) {
        assert_eq!(veto(name.as_bytes()).is_some(), is_foreign, "{name}");
    }

    #[test]
    fn other_families_are_known_by_their_names() {
        for name in [
            ":1:django.contrib.sessions.cache8f2kd0",
            "sess:Xy71",
            "rl:10.0.0.7:POST:/payments",
            "celery-task-meta-0d2f",
            "bull:payments:1177",
            "lock:report:daily",
            "feature:idempotency_enabled",
            "user:42:profile",
            "http:response:/api/catalog",
        ] {
            check(name, true);
        }
        for name in [
            "charge:order-77",
            "lock:idempotency:42:a",
            "laravel_cache_idempotency:1:k",
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        ] {
            check(name, false);
        }
    }
}
