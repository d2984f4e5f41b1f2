//! By which decoders the values of a sample can be read.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::layouts::codec::Step;
use crate::layouts::slot::Slot;

/// What is tried, the plainest first.
const WAYS: [&[&str]; 14] = [
    &["json"],
    &["json-string", "json"],
    &["base64", "json"],
    &["php-serialize"],
    &["php-serialize", "json"],
    &["gzip", "json"],
    &["zlib", "json"],
    &["base64", "gzip", "json"],
    &["msgpack"],
    &["gzip", "msgpack"],
    &["base64", "msgpack"],
    &["pickle"],
    &["erlang-term"],
    &["gzip", "php-serialize"],
];

/// The way that gives members for most of the values, with what it gives for each.
pub struct Decoded {
    pub way: &'static [&'static str],
    pub values: Vec<Option<Json>>,
}

/// The best way, where one gives members for at least one value.
pub fn best(values: &[&[u8]]) -> Option<Decoded> {
    let mut best: Option<(usize, Decoded)> = None;
    for way in WAYS {
        let values: Vec<Option<Json>> = values.iter().map(|value| decoded(way, value)).collect();
        let count = values.iter().flatten().count();
        if count > best.as_ref().map_or(0, |(most, _)| *most) {
            best = Some((count, Decoded { way, values }));
        }
    }
    best.map(|(_, decoded)| decoded)
}

/// What one way makes of a value, if that has members.
pub fn decoded(way: &[&str], value: &[u8]) -> Option<Json> {
    let mut slot = Slot::Bytes(Cow::Borrowed(value));
    if let Ok(text) = std::str::from_utf8(value) {
        slot = Slot::Text(Cow::Borrowed(text));
    }
    for name in way {
        slot = Step::named(name).ok()?.decode(&slot, false).ok()?;
    }
    let text = match &slot {
        Slot::Json(text) | Slot::Text(text) => text,
        _ => return None,
    };
    let json: Json = serde_json::from_str(text).ok()?;
    json.as_object()
        .is_some_and(|members| !members.is_empty())
        .then_some(json)
}

/// Whether a text is the Base64 of something that can be read.
pub fn is_base64_of_text(text: &str) -> bool {
    if text.len() < 8 || !text.len().is_multiple_of(4) {
        return false;
    }
    let slot = Slot::Text(Cow::Borrowed(text));
    let step = Step::named("base64").ok();
    match step.and_then(|step| step.decode(&slot, false).ok()) {
        Some(Slot::Text(text)) => {
            text.len() > 4 && !text.chars().any(|c| c.is_control() && !c.is_whitespace())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &[u8], way: Option<&[&str]>) {
        let found = best(&[value]).map(|decoded| decoded.way);
        assert_eq!(found, way);
    }

    #[test]
    fn the_plainest_way_that_gives_members_is_taken() {
        check(br#"{"a":1}"#, Some(&["json"]));
        check(br#""{\"a\":1}""#, Some(&["json-string", "json"]));
        check(b"eyJhIjoxfQ==", Some(&["base64", "json"]));
        check(b"a:1:{s:1:\"a\";i:1;}", Some(&["php-serialize"]));
        check(b"\x81\xa1a\x01", Some(&["msgpack"]));
        check(b"processing", None);
        check(b"1", None);
        check(b"[1]", None);
    }

    #[test]
    fn text_in_base64_is_told_from_a_word() {
        assert!(is_base64_of_text("eyJpZCI6N30="));
        assert!(!is_base64_of_text("COMPLETE"));
        assert!(!is_base64_of_text(
            "da39a3ee5e6b4b0d3255bfef95601890afd80709"
        ));
    }
}
