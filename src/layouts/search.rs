//! How a client's key becomes what a store holds instead of it, where the recipe needs nothing else.
//!
//! A recipe that also needs the caller, the path or the body is none: then it is said why, so that
//! nobody takes an empty answer for an absent record.

use md5::Md5;
use sha2::{Digest, Sha256, Sha512};

use super::slot::hex;
use super::spec::SearchSpec;

#[derive(Clone, Debug, Default)]
pub struct Search {
    /// The capture that a client's key is turned into, and how.
    pub makes: Option<String>,
    steps: Vec<Step>,
    /// Why there is no way from a client's key to an address.
    pub impossible: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The key as a JSON string.
    JsonText,
    Md5,
    Sha256,
    Sha512,
    Hex,
    Base64,
}

impl Step {
    fn named(name: &str) -> Option<Step> {
        Some(match name {
            "json-text" => Step::JsonText,
            "md5" => Step::Md5,
            "sha256" => Step::Sha256,
            "sha512" => Step::Sha512,
            "hex" => Step::Hex,
            "base64" => Step::Base64,
            _ => return None,
        })
    }

    fn run(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Step::JsonText => json_text(&String::from_utf8_lossy(bytes)).into_bytes(),
            Step::Md5 => Md5::digest(bytes).to_vec(),
            Step::Sha256 => Sha256::digest(bytes).to_vec(),
            Step::Sha512 => Sha512::digest(bytes).to_vec(),
            Step::Hex => hex(bytes).into_bytes(),
            Step::Base64 => {
                use base64::Engine;
                let engine = base64::engine::general_purpose::STANDARD;
                engine.encode(bytes).into_bytes()
            }
        }
    }
}

/// A JSON string with everything outside of ASCII escaped, as most languages write it by default.
fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    let mut out = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

impl Search {
    pub(super) fn check(spec: Option<&SearchSpec>, captures: &[String]) -> Result<Search, String> {
        let Some(spec) = spec else {
            return Ok(Search::default());
        };
        if let Some(makes) = &spec.makes
            && !captures.contains(makes)
        {
            return Err(format!("redis.search: no key template captures `{makes}`"));
        }
        let steps: Option<Vec<Step>> = spec.steps.iter().map(|name| Step::named(name)).collect();
        Ok(Search {
            makes: spec.makes.clone(),
            steps: steps.ok_or("redis.search: a step that is not known")?,
            impossible: spec.impossible.clone(),
        })
    }

    /// What stands in the capture for this client's key.
    pub fn made_of(&self, key: &str) -> Vec<u8> {
        let start = key.as_bytes().to_vec();
        self.steps
            .iter()
            .fold(start, |bytes, step| step.run(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_made_of_a_key() {
        let spec = SearchSpec {
            makes: Some("digest".to_owned()),
            steps: ["json-text", "md5", "hex"].map(str::to_owned).to_vec(),
            impossible: None,
        };
        let search = Search::check(Some(&spec), &["digest".to_owned()]).expect("a recipe");
        let made = search.made_of("ord-1");
        assert_eq!(made.len(), 32);
        assert_eq!(json_text("\u{444}\u{1f600}"), "\"\\u0444\\ud83d\\ude00\"");
    }
}
