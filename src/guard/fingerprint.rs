//! What makes two payloads the same: a digest of the body in a form that the policy names.
//!
//! A digest does not say which mode it is of: instances of different modes refuse each other's
//! retries, but for a body that already is in the other's form. Numbers are compared by value
//! without becoming floats: their digits are kept, and written plainly unless that were long.

use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use super::policy::FingerprintMode;

/// A digest, in hex.
pub type Fingerprint = String;

/// The fingerprint of a body. A body that is no JSON is taken by its bytes.
pub fn fingerprint(mode: &FingerprintMode, body: &[u8]) -> Fingerprint {
    let text = match mode {
        FingerprintMode::Nothing => Some(String::new()),
        FingerprintMode::Raw => None,
        FingerprintMode::Sorted => form(body, Spelling::AsWritten),
        FingerprintMode::Canonical => form(body, Spelling::ByValue),
        FingerprintMode::Members(names) => members(body, names),
    };
    let mut hasher = Sha256::new();
    match &text {
        Some(text) => hasher.update(text.as_bytes()),
        None => hasher.update(body),
    }
    let mut hex = String::with_capacity(64);
    for byte in hasher.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    AsWritten,
    ByValue,
}

fn form(body: &[u8], spelling: Spelling) -> Option<String> {
    let raw: &RawValue = serde_json::from_slice(body).ok()?;
    let mut out = String::with_capacity(body.len());
    write(raw.get(), spelling, &mut out)?;
    Some(out)
}

fn members(body: &[u8], names: &[String]) -> Option<String> {
    let object: std::collections::BTreeMap<String, &RawValue> =
        serde_json::from_slice(body).ok()?;
    let mut out = String::new();
    for name in names {
        let _ = write!(out, "{}:", Value::from(name.as_str()));
        match object.get(name) {
            Some(raw) => write(raw.get(), Spelling::ByValue, &mut out)?,
            None => out.push('-'),
        }
        out.push(',');
    }
    Some(out)
}

/// Writes one JSON value anew, its members sorted.
fn write(raw: &str, spelling: Spelling, out: &mut String) -> Option<()> {
    match raw.trim_start().chars().next()? {
        '{' => {
            let object: std::collections::BTreeMap<String, &RawValue> =
                serde_json::from_str(raw).ok()?;
            let mut named: Vec<(String, &RawValue)> = object
                .into_iter()
                .map(|(name, value)| (text_of(name, spelling), value))
                .collect();
            named.sort_by(|(a, _), (b, _)| a.cmp(b));
            out.push('{');
            for (at, (name, value)) in named.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let _ = write!(out, "{}:", Value::from(name));
                write(value.get(), spelling, out)?;
            }
            out.push('}');
        }
        '[' => {
            let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
            out.push('[');
            for (at, item) in items.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item.get(), spelling, out)?;
            }
            out.push(']');
        }
        '"' => {
            let text: String = serde_json::from_str(raw).ok()?;
            let _ = write!(out, "{}", Value::from(text_of(text, spelling)));
        }
        't' | 'f' | 'n' => out.push_str(raw.trim()),
        _ if spelling == Spelling::AsWritten => out.push_str(raw.trim()),
        _ => out.push_str(&number(raw.trim())?),
    }
    Some(())
}

fn text_of(text: String, spelling: Spelling) -> String {
    match spelling {
        Spelling::AsWritten => text,
        Spelling::ByValue => text.nfc().collect(),
    }
}

/// Digits of a number that is written plainly.
const PLAIN_MAX: i64 = 21;

/// A number by its value: plainly, or as digits without zeros at either end and a power of ten.
fn number(text: &str) -> Option<String> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return Some("0".to_owned());
    }
    let dropped = i64::try_from(digits.len() - kept.len()).ok()?;
    let scale = i64::try_from(fraction.len()).ok()?;
    let power = exponent.checked_sub(scale)?.checked_add(dropped)?;
    // Where the point stands, counted from the first digit.
    let point = i64::try_from(kept.len()).ok()?.checked_add(power)?;
    let zeros = |n: i64| "0".repeat(usize::try_from(n).unwrap_or(0));
    Some(match point {
        1..=PLAIN_MAX if power >= 0 => format!("{sign}{kept}{}", zeros(power)),
        1..=PLAIN_MAX => {
            let (whole, fraction) = kept.split_at_checked(usize::try_from(point).ok()?)?;
            format!("{sign}{whole}.{fraction}")
        }
        -6..=0 => format!("{sign}0.{}{kept}", zeros(-point)),
        _ => format!("{sign}{kept}e{power}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = r#"{"amount":1500,"name":"é"}"#;

    /// As the specification of payloads under one key has it: R replay, M mismatch, by raw bytes,
    /// sorted JSON, canonical JSON, and the member `amount`.
    #[track_caller]
    fn check(variant: &str, expected: &str) {
        let modes = [
            FingerprintMode::Raw,
            FingerprintMode::Sorted,
            FingerprintMode::Canonical,
            FingerprintMode::Members(vec!["amount".to_owned()]),
        ];
        let found: String = modes
            .iter()
            .map(|mode| {
                let same =
                    fingerprint(mode, BODY.as_bytes()) == fingerprint(mode, variant.as_bytes());
                if same { 'R' } else { 'M' }
            })
            .collect();
        assert_eq!(found, expected, "{variant}");
    }

    #[test]
    fn spellings_are_the_same_or_not_by_the_mode() {
        check(BODY, "RRRR");
        check(r#"{ "amount": 1500, "name": "é" }"#, "MRRR");
        check(r#"{"name":"é","amount":1500}"#, "MRRR");
        check(r#"{"amount":1500.0,"name":"é"}"#, "MMRR");
        check(r#"{"amount":1.5e3,"name":"é"}"#, "MMRR");
        check(r#"{"amount":1500,"name":"\u00e9"}"#, "MRRR");
        check("{\"amount\":1500,\"name\":\"e\u{301}\"}", "MMRR");
        check(r#"{"amount":"1500","name":"é"}"#, "MMMM");
        check(r#"{"amount":1500,"name":"é","note":null}"#, "MMMR");
        check(r#"{"amount":2500,"name":"é"}"#, "MMMM");
    }

    #[test]
    fn numbers_keep_their_digits() {
        assert_eq!(number("1500"), number("1.5e3"));
        assert_eq!(number("0.10"), number("1e-1"));
        assert_eq!(number("-0"), number("0.000"));
        assert_ne!(number("9007199254740993"), number("9007199254740992"));
        assert_ne!(number("1"), number("-1"));
        assert_eq!(number("1e99999999999999999999"), None);
        for plain in ["1500", "0.1", "-12.75", "0.000001", "100000000000000000000"] {
            assert_eq!(number(plain).as_deref(), Some(plain));
        }
        assert_eq!(number("1e21").as_deref(), Some("1e21"));
        assert_eq!(number("12.0e-1").as_deref(), Some("1.2"));
    }

    #[test]
    fn a_body_in_canonical_form_has_one_digest_in_both_modes() {
        let raw = fingerprint(&FingerprintMode::Raw, BODY.as_bytes());
        let canonical = fingerprint(&FingerprintMode::Canonical, BODY.as_bytes());
        assert_eq!(raw, canonical);
    }

    #[test]
    fn what_is_no_json_is_taken_by_its_bytes() {
        let of = |body: &str| fingerprint(&FingerprintMode::Canonical, body.as_bytes());
        assert_eq!(of("{not json"), of("{not json"));
        assert_ne!(of("{not json"), of("{not json "));
        assert_ne!(of(""), of("{}"));
    }
}
